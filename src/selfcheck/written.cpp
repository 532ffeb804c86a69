// SPDX-License-Identifier: Apache-2.0
#include "selfcheck/written.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/matmul.h>

namespace kbx {
namespace {

struct Written {
  std::string_view task;
  Kind kind;
  Computation computation;
};

// One scale for a whole matrix, where the task has one for each row or column.
at::Tensor quantised_as_a_whole(const at::Tensor& x) {
  if (x.numel() == 0) return x;
  const at::Tensor scale = x.abs().max() / 127;
  return (x / scale.masked_fill(scale == 0, 1)).round() * scale;
}

Values product_of_whole_scales(const Args& a) {
  return {at::matmul(quantised_as_a_whole(a.tensor("input")), quantised_as_a_whole(a.tensor("weight")))};
}

Values product(const Args& a) { return {at::matmul(a.tensor("input"), a.tensor("weight"))}; }

}  // namespace

std::vector<Computation> written_variants(std::string_view task, Kind kind) {
  static const auto* table = new std::vector<Written>{
      {"matmul_w8a8", Kind::degraded, {.name = "not quantised", .function = product}},
      {"matmul_w8a8", Kind::degraded, {.name = "one scale for each matrix", .function = product_of_whole_scales}},
  };
  std::vector<Computation> chosen;
  for (const Written& w : *table)
    if (w.task == task && w.kind == kind) chosen.push_back(w.computation);
  return chosen;
}

}  // namespace kbx
