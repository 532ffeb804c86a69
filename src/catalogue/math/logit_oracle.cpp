// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/clamp.h>
#include <ATen/ops/logit.h>
#include <ATen/ops/scalar_tensor.h>

#include "catalogue/math/logit.h"
#include "contracts/rounding.h"

namespace kbx {

Values logit_oracle(const Args& args) {
  at::Tensor input = args.tensor("input");
  if (!args.call().argument("eps").value.isNone()) {
    const at::ScalarType type = args.own_type("input");
    const auto rounded = [&](double bound) { return round_to(at::scalar_tensor(bound, at::kDouble), type).item<double>(); };
    const double low = rounded(args.real("eps"));
    input = at::clamp(input, low, rounded(1 - low));
  }
  return {at::logit(input)};
}

}  // namespace kbx
