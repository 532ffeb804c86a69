// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/bitwise_and.h>
#include <ATen/ops/signbit.h>

#include "catalogue/cost.h"
#include "catalogue/families.h"

namespace kbx {

std::span<const Task> bits_family() {
  static const Task tasks[] = {
      {.id = "bitwise_and",
       .category = Category::math,
       .difficulty = 2,
       .schema = "bitwise_and(Tensor input, Tensor other, *, Tensor(a!)? out=None) -> Tensor",
       .summary =
           "Bits that both operands have, for integers of any type, or the logical and of booleans; `other` is a tensor or "
           "a number. Shapes broadcast, and types promote as in PyTorch. Where `out` is given the result is written there and "
           "returned.",
       .math = "y = input & other",
       .reference = [](const Args& a) -> Values {
         auto out = a.maybe_tensor("out");
         at::Tensor input = a.tensor("input"), other = a.tensor("other");
         return {out ? at::bitwise_and_out(*out, input, other) : at::bitwise_and(input, other)};
       },
       .contract = exact(),
       .cases =
           {
               "standard: M=17..70 N=65..300 input=randint(0,256)[M,N]:i32 other=randint(0,256)[M,N]:i32",
               "standard: N=1000..4095 input=randint(-100000,100000)[3,N]:i32 other=randint(-100000,100000)[N]:i32",
               "standard: M=17..60 N=33..90 input=bernoulli(0.7)[M,N] other=bernoulli(0.7)[M,N]",
               "standard: M=17..60 N=33..90 input=randint(-128,128)[M,1]:i8 other=randint(-128,128)[1,N]:i8",
               "outlier: input=randint(-1000,1000)[33,65]:i32@outlier10 other=randint(-1000,1000)[33,65]:i32@outlier10",
               "outlier: input=randint(-1000,1000)[33,65]:i32@outlier50 other=randint(-1000,1000)[33,65]:i32@outlier50",
               "boundary: N=65..200 input=randint(-1000,1000)[33,N]:i32@strided other=102",
               "boundary: N=33..90 input=randint(-1000,1000)[N,33]@transposed other=randint(-1000,1000)[N,33] out=like",
               "boundary: N=60001..65500 input=randint(0,1000000)[N]:i32 other=randint(0,1000000)[N]:i32",
               "boundary: input=randint(-9000000000000000,9000000000000000)[513] "
               "other=randint(-9000000000000000,9000000000000000)[513]",
               "boundary: input=randint(0,256)[33,17]:u8 other=randint(0,256)[33,17]:u8",
               "boundary: input=randint(-30000,30000)[33,17]:i16 other=randint(-30000,30000)[17]:i16",
               "boundary: input=randint(-100,100)[65]:i8 other=randint(-1000000,1000000)[65]",
               "boundary: input=bernoulli(0.7)[65] other=randint(-100,100)[65]:i32",
               "boundary: input=randint(-1000,1000)[65]:i32 other=values(2)[]:i32",
               "boundary: input=randint(-1000,1000)[65]:i32 other=-8",
               "boundary: input=randint(0,9)[0]:i32 other=randint(0,9)[1]:i32",
               "boundary: input=randint(0,9)[5,0,3] other=randint(0,9)[0,1] out=like",
               "boundary: input=values(12)[1]:i32 other=values(10)[1]:i32",
               "boundary: input=values(-2)[]:i32 other=values(7)[]:i32",
               "boundary: input=randint(-1000,1000)[257]:i32@offset other=randint(-1000,1000)[257]:i32@offset",
               "boundary: input=randint(-1000,1000)[9,65]:i32@expanded other=randint(-1000,1000)[9,65]:i32",
               "boundary: * input=randint(0,99)[33,7]:i32 other=randint(0,99)[7]:i32",

           },
       .perf = {"input=randint(0,256)[4194304]:i32 other=randint(0,256)[4194304]:i32",
                "input=randint(0,256)[2559,2049]:i32 other=randint(0,256)[2049]:i32"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), outputs(out)};
       }},
      {.id = "signbit_bitwise_and",
       .category = Category::math,
       .difficulty = 1,
       .schema = "signbit_bitwise_and(Tensor input, Tensor other) -> (Tensor signbit_result, Tensor bitwise_and_result)",
       .summary =
           "Two results for two tensors of one shape: whether the sign bit of each element of `input` is set, as booleans, "
           "true for -0.0 too; and the bits that `input` and `other` share. For these `input`, which may be floating, is "
           "rounded towards zero to int8, whose range it does not leave, and `other`, int8 or boolean, counts as int8; the "
           "result is int8 always.",
       .math = "signbit_result = (the sign of input is negative)\nbitwise_and_result = int8(input) & int8(other)",
       .reference = [](const Args& a) -> Values {
         at::Tensor input = a.tensor("input");
         return {at::signbit(input), at::bitwise_and(input.to(at::kChar), a.tensor("other").to(at::kChar))};
       },
       .contract = exact(),
       // The range of outliers ends before that of int8.
       .cases =
           {
               "standard: M=17..70 N=65..300 input=uniform(-2.5,2.5)[M,N] other=randint(0,128)[M,N]:i8",
               "standard: N=1000..4095 input=uniform(-2.5,2.5)[3,N] other=randint(0,2)[3,N]:i8",
               "standard: A=3..9 B=33..90 input=uniform(-2.5,2.5)[A,B,17] other=bernoulli(0.5)[A,B,17]",
               "standard: M=17..70 N=65..300 input=uniform(-127,127)[M,N]@fixed other=randint(-128,128)[M,N]:i8",
               "boundary: N=33..90 input=uniform(-100,100)[33,N]@transposed other=randint(-128,128)[33,N]:i8",
               "boundary: N=65..200 input=uniform(-100,100)[33,N]@strided other=randint(-128,128)[33,N]:i8@strided",
               "boundary: N=60001..65500 input=uniform(-100,100)[N] other=randint(-128,128)[N]:i8",
               "boundary: input=randn[0] other=randint(0,2)[0]:i8",
               "boundary: input=randn[3,0] other=bernoulli(0.5)[3,0]",
               "boundary: input=full(-3.5)[1] other=full(7)[1]:i8",
               "boundary: input=full(6.5)[] other=full(3)[]:i8",
               "boundary: input=uniform(-100,100)[257]@offset other=randint(-128,128)[257]:i8@offset",
               "boundary: input=uniform(-100,100)[9,65]@expanded other=randint(-128,128)[9,65]:i8",
               "boundary: input=randn[513]@scale(1e-4) other=randint(-128,128)[513]:i8",
               "boundary: input=values(0,-0.0,0.99,-0.99,1,-1,127,-128,-127.5) other=full(-1)[9]:i8",
               "boundary: input=values(0,-0.0,0.99,-0.99,1,-1,127,-128,-127.5) other=ones[9]:bool",
               "boundary: input=randint(-128,128)[33,17]:i8 other=randint(-128,128)[33,17]:i8",
               "boundary: input=uniform(-100,100)[65]:f16 other=randint(-128,128)[65]:i8",
               "boundary: input=uniform(-100,100)[65]:f64 other=bernoulli(0.5)[65]",
               "boundary: * input=uniform(-9,9)[33,7] other=randint(0,2)[33,7]:i8",
               "boundary: input=uniform(-9,9)[33,7] other=randint(-9,9)[33,7]:i8 *",
           },
       .perf = {"input=uniform(-100,100)[4194304] other=randint(0,2)[4194304]:i8",
                "input=uniform(-100,100)[2047,2049] other=bernoulli(0.5)[2047,2049]"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), 2 * outputs(out)};
       },
       .deviation =
           "The published text asks for operands of integral type, and the operators that it lists would give `input` the "
           "type of `other`; its tests pass floating inputs and expect int8 always. So does this task."},
  };
  return tasks;
}

}  // namespace kbx
