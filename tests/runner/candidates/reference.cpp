// SPDX-License-Identifier: Apache-2.0
// A stand-in for libkbx_reference: operators with the schemas that make a baseline runner's life hard.
#include <ATen/ops/masked_select.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/rand.h>
#include <torch/library.h>

namespace {

at::Tensor scaled(const at::Tensor& x, double scale, std::optional<c10::string_view> mode, at::IntArrayRef dims) {
  return at::mul(x, scale + (mode ? 100 : 0)).add(static_cast<double>(dims.size()));
}
at::Tensor positives(const at::Tensor& x) { return at::masked_select(x, x.gt(0)); }
at::Tensor& bump_(at::Tensor& x, std::optional<at::Generator>, int64_t by) { return x.add_(by); }
at::Tensor draw(at::IntArrayRef size) { return at::rand(size); }
std::tuple<at::Tensor, at::Tensor> two(const at::Tensor& x) { return {x.add(1), x.to(at::kLong)}; }
std::tuple<at::Tensor, at::Tensor> one_of_two(const at::Tensor& x) { return {x.add(1), at::Tensor()}; }

}  // namespace

TORCH_LIBRARY(kbx, m) {
  m.def("scaled(Tensor x, float scale=2.0, str? mode=None, int[] dims=[]) -> Tensor", scaled);
  m.def("positives(Tensor x) -> Tensor", positives);
  m.def("bump_(Tensor(a!) x, Generator? generator=None, int by=1) -> Tensor(a!)", bump_);
  m.def("draw(int[] size) -> Tensor", draw);
  m.def("two(Tensor x) -> (Tensor, Tensor)", two);
  m.def("one_of_two(Tensor x) -> (Tensor, Tensor)", one_of_two);
}
