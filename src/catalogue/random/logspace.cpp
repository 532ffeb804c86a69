// SPDX-License-Identifier: Apache-2.0
#include "catalogue/random/logspace.h"

#include <ATen/ops/logspace.h>

#include "catalogue/cost.h"
#include "catalogue/families.h"

namespace kbx {
namespace {

Values logspace(const Args& a) {
  const c10::IValue& device = a.call().argument("device").value;
  at::TensorOptions options;
  if (auto dtype = a.maybe_dtype("dtype")) options = options.dtype(*dtype);
  if (!device.isNone()) options = options.device(device.toDevice());
  return {at::logspace(a.scalar("start"), a.scalar("end"), a.integer("steps"), a.real("base"), options)};
}

}  // namespace

std::span<const Task> logspace_family() {
  static const Task tasks[] = {
      {.id = "logspace",
       .category = Category::random,
       .difficulty = 1,
       .schema = "logspace(Scalar start, Scalar end, int steps, float base=10.0, *, ScalarType? dtype=None, Layout? layout=None, "
                 "Device? device=None, bool requires_grad=False) -> Tensor",
       .summary =
           "A vector of `steps` numbers whose logarithms to `base` are evenly spaced from start to end, both included; of one "
           "step only the first. The default type is the default floating type; requires_grad only sets the result's flag.",
       .math = "y[i] = base^(start + i * (end - start) / (steps - 1))",
       .reference = logspace,
       .oracle = logspace_oracle,
       .contract = numeric(),
       .cases =
           {
               "standard: start=1.0 end=3.0 steps=5",
               "standard: N=1000..4095 start=-3.0 end=2.5 steps=N",
               "standard: N=60..300 start=0.0 end=4.0 steps=N base=2.0",
               "standard: N=60..300 start=1.0 end=2.0 steps=N dtype=f64",
               "standard: start=1.0 end=3.0 steps=3 requires_grad=true",
               "boundary: N=60..300 start=0 end=7 steps=N base=2.718281828459045",
               "boundary: N=60..300 start=5.0 end=-5.0 steps=N",
               "boundary: N=60001..65500 start=-1.0 end=1.0 steps=N",
               "boundary: start=2 end=2 steps=33",
               "boundary: start=-0.5 end=0.5 steps=257 base=0.5",
               "boundary: start=-3.0 end=3.0 steps=65 base=1.0",
               "boundary: start=-1e-4 end=1e-4 steps=257",
               "boundary: start=-20.0 end=20.0 steps=257",
               "boundary: start=30.0 end=45.0 steps=16",
               "boundary: start=1.5 end=9.0 steps=1",
               "boundary: start=1.0 end=2.0 steps=0",
               "boundary: start=1.0 end=2.0 steps=2 dtype=f32",
               "boundary: start=-3.0 end=3.0 steps=129 base=3.0 dtype=f64 requires_grad=true",
               "boundary: * start=0.5 end=1.5 steps=33",
           },
       .perf = {"start=-3.0 end=3.0 steps=262144", "start=0.0 end=10.0 steps=393217 base=2.0"},
       .perf_gpu = {"start=-3.0 end=3.0 steps=33554432", "start=0.0 end=10.0 steps=4194305 base=2.0"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), 20 * outputs(out)};
       },
       .deviation = "The published tolerance accepts float32 arithmetic for float64 results; here it does not. Layout and device "
                    "are never passed: the result lies where the calls run."},
  };
  return tasks;
}

}  // namespace kbx
