// SPDX-License-Identifier: Apache-2.0
#include "catalogue/activation/gelu_int8.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/gelu.h>

#include "catalogue/cost.h"
#include "catalogue/families.h"

namespace kbx {
namespace {

// The quotient of integers is floating point.
Values gelu_int8(const Args& a) { return {at::gelu(a.tensor("input") / 1, a.text("approximate")).to(at::kChar)}; }

}  // namespace

std::span<const Task> gelu_int8_family() {
  static const Task tasks[] = {
      {.id = "gelu_int8",
       .category = Category::activation,
       .difficulty = 1,
       .schema = "gelu_int8(Tensor input, str approximate='none') -> Tensor",
       .summary =
           "Gaussian error linear unit of int8 elements, computed in float32; the result is int8 again, the fraction cut off "
           "(towards zero, not rounded). Where the exact value lies within float32's error of an integer, that integer and the "
           "one below are both right: from 6 on everywhere, and at 5 with approximate='tanh'.",
       .math = "y = trunc(gelu(x))\n"
               "approximate='none': gelu(x) = x * Phi(x), Phi(x) = (1 + erf(x / sqrt(2))) / 2\n"
               "approximate='tanh': gelu(x) = x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 * x^3)))",
       .reference = gelu_int8,
       .oracle = gelu_int8_oracle,
       .jump = gelu_int8_neighbours,
       .contract = {Jump{}},
       .cases =
           {
               "standard: M=17..70 N=65..300 input=randint(-20,20)[M,N]:i8",
               "standard: N=1000..4095 input=randint(-20,20)[3,N]:i8 approximate=tanh",
               "standard: M=17..70 N=65..300 input=randint(-128,128)[M,N]:i8",
               "outlier: input=randint(-20,20)[33,67]:i8@outlier10@clamp(-128,127)",
               "outlier: input=randint(-20,20)[33,67]:i8@outlier50@clamp(-128,127) approximate=tanh",
               "boundary: input=arange[256]:i8@shift(-128)",
               "boundary: input=arange[256]:i8@shift(-128) approximate=tanh",
               "boundary: N=33..90 input=randint(-9,9)[33,N]:i8@transposed",
               "boundary: N=65..200 input=randint(-9,9)[33,N]:i8@strided approximate=tanh",
               "boundary: N=60001..65500 input=randint(-9,9)[N]:i8",
               "boundary: input=randint(-9,9)[0]:i8",
               "boundary: input=randint(-9,9)[3,0,5]:i8 approximate=tanh",
               "boundary: input=full(3)[1]:i8",
               "boundary: input=full(5)[]:i8",
               "boundary: input=values(-128,-2,-1,0,1,2,3,4,5,6,127):i8 approximate=none",
               "boundary: input=randint(-9,9)[257]:i8@offset",
               "boundary: input=randint(-9,9)[9,65]:i8@expanded",
               "boundary: * input=randint(-9,9)[33]:i8",
               "boundary: input=randint(-9,9)[33]:i8 approximate=tanh *",
           },
       .perf = {"input=randint(-20,20)[2097152]:i8", "input=randint(-128,128)[767,1025]:i8 approximate=tanh"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), 16 * outputs(out)};
       },
       .deviation = "The published test wants the very integer that one float32 computation ends in, and its text does not say "
                    "that the fraction is cut off. Here either neighbour is right where float32's error decides between them."},
  };
  return tasks;
}

}  // namespace kbx
