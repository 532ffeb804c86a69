// SPDX-License-Identifier: Apache-2.0
#include <ATen/TensorOperators.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/where.h>

#include <limits>

#include "catalogue/activation/gelu_int8.h"

namespace kbx {
namespace {

// Of the two or three operations that follow the error function, and of that function itself, in units of |x|.
constexpr double kFloatError = 4 * 0x1p-24;

at::Tensor gelu(const Args& args) { return at::gelu(args.tensor("input").to(at::kDouble), args.text("approximate")); }

}  // namespace

Values gelu_int8_oracle(const Args& args) { return {gelu(args).trunc().to(at::kChar)}; }

Values gelu_int8_neighbours(const Args& args) {
  const at::Tensor exact = gelu(args), nearest = exact.round();
  const at::Tensor open = (exact - nearest).abs().le(args.tensor("input").abs().to(at::kDouble) * kFloatError);
  // NaN: a sign that is anybody's guess.
  const at::Tensor decides =
      at::where(open, at::full_like(exact, std::numeric_limits<double>::quiet_NaN()), at::ones_like(exact));
  return {decides, (nearest - 1).clamp_min(0).to(at::kChar), nearest.to(at::kChar)};
}

}  // namespace kbx
