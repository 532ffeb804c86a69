// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/std.h>

#include "catalogue/cost.h"
#include "catalogue/families.h"

namespace kbx {
namespace {

Values deviation(const Args& a) {
  const auto dims = a.maybe_ints("dim");
  at::OptionalIntArrayRef dim;
  if (dims) dim = at::IntArrayRef(*dims);
  std::optional<at::Scalar> correction;
  if (!a.call().argument("correction").value.isNone()) correction = a.scalar("correction");
  if (auto out = a.maybe_tensor("out")) return {at::std_out(*out, a.tensor("input"), dim, correction, a.flag("keepdim"))};
  return {at::std(a.tensor("input"), dim, correction, a.flag("keepdim"))};
}

}  // namespace

std::span<const Task> deviation_family() {
  static const Task tasks[] = {
      {.id = "std",
       .category = Category::reduce,
       .difficulty = 2,
       .schema = "std(Tensor input, int[1]? dim=None, *, Scalar? correction=1, bool keepdim=False, Tensor(a!)? out=None) -> "
                 "Tensor",
       .summary =
           "Standard deviation over one dimension, several, or all of them (dim=None). The sum of squares is divided by the "
           "number of elements less `correction`, which need not be an integer; None means 1. Where that is not positive the "
           "divisor is 0: one element with correction 1 gives NaN. A large common offset costs no accuracy. keepdim keeps the "
           "reduced dimensions with size 1. Where `out` is given the result is written there and returned.",
       .math = "y = sqrt(sum((x - mean(x))^2) / max(0, n - correction)), n the number of elements along dim",
       .reference = deviation,
       .contract = numeric(),
       .cases =
           {
               "standard: M=17..90 N=65..300 input=randn[M,N] dim=1",
               "standard: M=65..300 N=17..90 input=randn[M,N] dim=0 keepdim=true",
               "standard: N=1000..4095 input=randn[5,N] dim=-1 correction=0",
               "standard: A=3..9 B=5..17 C=7..33 input=randn[A,B,C] dim=[0,2]",
               "standard: M=17..40 N=33..200 input=randn[M,N]",
               "boundary: N=33..200 input=randn[17,N]@strided dim=1 keepdim=true",
               "boundary: input=randn[17,65]@transposed dim=0 out=like",
               "boundary: input=randn[3,5,7] dim=[-1,0] keepdim=true correction=2",
               "boundary: input=randn[9,33] keepdim=true",
               "boundary: input=randn[9,33] dim=1 correction=0.5",
               "boundary: input=randn[9,33] dim=1 correction=none",
               "boundary: input=randn[9,2] dim=1 correction=3",
               "boundary: input=randn[9,1] dim=1",
               "boundary: input=randn[9,1] dim=1 correction=0",
               "boundary: input=randn[0,5] dim=0",
               "boundary: input=randn[0,5] dim=1",
               "boundary: input=randn[1]",
               "boundary: input=randn[]",
               "boundary: input=full(3)[9,33] dim=1",
               "boundary: input=randn[17,65]@offset dim=1",
               "boundary: input=randn[7,33]@expanded dim=1",
               "boundary: input=randn[9,257]@scale(1e-4) dim=1",
               "boundary: input=randn[9,257]@shift(1000) dim=1",
               "boundary: input=randn[1025,5]@shift(1000) dim=0",
               "boundary: input=randn[9,65]@poke(nan) dim=1",
               "boundary: input=randn[9,65]@poke(inf) dim=1",
               "boundary: input=randn[9,65]:f64 dim=1",
               "boundary: * input=randn[9,33] dim=0",
               "boundary: input=randn[9,33] dim=1 * correction=0 keepdim=true",
           },
       .perf = {"input=randn[511,1025] dim=1", "input=randn[383,1023] dim=0"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), 4 * static_cast<double>(a.tensor("input").numel())};
       },
       .deviation = "The published cases are centred, where a formula that cancels passes; here one has a large offset."},
  };
  return tasks;
}

}  // namespace kbx
