// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/rand.h>

#include "catalogue/cost.h"
#include "catalogue/families.h"

namespace kbx {
namespace {

Values rand(const Args& a) {
  const c10::IValue &generator = a.call().argument("generator").value, &device = a.call().argument("device").value;
  std::optional<at::Generator> source;
  if (!generator.isNone()) source = generator.toGenerator();
  if (auto out = a.maybe_tensor("out")) return {at::rand_out(*out, a.ints("size"), source)};
  at::TensorOptions options = at::TensorOptions().requires_grad(a.flag("requires_grad")).pinned_memory(a.flag("pin_memory"));
  if (auto dtype = a.maybe_dtype("dtype")) options = options.dtype(*dtype);
  if (!device.isNone()) options = options.device(device.toDevice());
  return {at::rand(a.ints("size"), source, options)};
}

}  // namespace

std::span<const Task> uniform_family() {
  static const Task tasks[] = {
      {.id = "rand",
       .category = Category::random,
       .difficulty = 2,
       .schema = "rand(int[] size, *, Generator? generator=None, Tensor(a!)? out=None, ScalarType? dtype=None, Layout? "
                 "layout=None, Device? device=None, bool requires_grad=False, bool pin_memory=False) -> Tensor",
       .summary =
           "A tensor of the given size with independent random numbers, uniform on [0, 1): 1 itself never occurs. Any good "
           "generator will do; the same seed must repeat the numbers and another seed must not.",
       .math = "y[i] ~ U[0, 1), independent",
       .reference = rand,
       .contract = stochastic(Distribution::uniform),
       .cases =
           {
               "standard: M=65..120 N=129..300 size=[M,N]",
               "standard: N=5000..20000 size=[N]",
               "standard: A=3..9 B=33..90 size=[A,B,17] dtype=f32",
               "standard: M=33..90 N=65..200 size=[M,N] dtype=f64",
               "boundary: size=[]",
               "boundary: size=[1]",
               "boundary: size=[0]",
               "boundary: size=[3,0,5]",
               "boundary: size=[1,4097] dtype=f16",
               "boundary: size=[33,65] out=like",
           },
       .perf = {"size=[1048576]", "size=[767,1025]"},
       .perf_gpu = {"size=[33554432]", "size=[2047,2049]"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), 20 * outputs(out)};
       },
       .deviation =
           "The published test demands the very numbers of one library's generator. Here support, distribution, "
           "independence and the behaviour of seeds are judged; a generator is never passed, the seed is set beforehand."},
  };
  return tasks;
}

}  // namespace kbx
