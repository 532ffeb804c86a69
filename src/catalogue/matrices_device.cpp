// SPDX-License-Identifier: Apache-2.0
#include "catalogue/matrices_device.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/linalg_cholesky.h>
#include <ATen/ops/matmul.h>

#include <algorithm>
#include <iterator>

#include "core/check.h"

namespace kbx {
namespace {

constexpr std::string_view kStructures[] = {"symmetric", "hermitian", "spd", "lower", "upper", "dominant"};

at::Tensor definite(double r, const at::Tensor& x) {
  const at::Tensor product = at::matmul(x, x.mT());
  // A product of matrices may round its two halves differently.
  at::Tensor a = product.tril() + product.tril(-1).mT();
  a.diagonal(0, -2, -1).add_(r);
  return a;
}

}  // namespace

bool is_structure(std::string_view generator) { return std::ranges::count(kStructures, generator) > 0; }

at::Tensor structured(std::string_view generator, double parameter, const at::Tensor& x) {
  KBX_CHECK(is_structure(generator) && x.scalar_type() == at::kDouble && x.size(-1) == x.size(-2));
  if (generator == "spd") return definite(parameter, x);
  if (generator == "lower") return at::linalg_cholesky(definite(parameter, x));
  if (generator == "upper") return at::linalg_cholesky(definite(parameter, x)).mT().contiguous();
  if (generator != "dominant") return (x + x.mT()) / 2;
  at::Tensor a = x.clone();
  a.diagonal(0, -2, -1).add_(x.abs().sum(-1), parameter);
  return a;
}

}  // namespace kbx
