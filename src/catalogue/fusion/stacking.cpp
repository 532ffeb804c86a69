// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/div.h>
#include <ATen/ops/hstack.h>

#include "catalogue/cost.h"
#include "catalogue/families.h"

namespace kbx {
namespace {

Values hstack_div(const Args& a) {
  at::Tensor stacked = at::hstack(a.tensors("tensors")), divisor = a.tensor("divisor");
  auto rounding = a.maybe_text("rounding_mode");
  std::optional<std::string_view> mode;
  if (rounding) mode = *rounding;
  auto out = a.maybe_tensor("out");
  return {out ? at::div_out(*out, stacked, divisor, mode) : at::div(stacked, divisor, mode)};
}

}  // namespace

std::span<const Task> stacking_family() {
  static const Task tasks[] = {
      {.id = "fused_hstack_div",
       .category = Category::fusion,
       .difficulty = 3,
       .schema = "fused_hstack_div(Tensor[] tensors, Tensor divisor, *, str? rounding_mode=None, Tensor(a!)? out=None) -> Tensor",
       .summary =
           "Joins tensors side by side (along dimension 1; vectors along their only one) and divides by a tensor, which "
           "broadcasts, or a number. rounding_mode 'floor' or 'trunc' rounds the quotient down or towards zero; without it "
           "integers divide to floating point. Where `out` is given the result is written there and returned.",
       .math = "y = round_mode(hstack(tensors) / divisor)",
       .reference = hstack_div,
       .contract = numeric(),
       .cases =
           {
               "standard: M=17..60 A=17..90 B=17..90 tensors=[randn[M,A],randn[M,B]] divisor=2.0",
               "standard: A=33..90 B=33..90 tensors=[randn[A],randn[B],randn[7]] divisor=3",
               "standard: M=17..60 A=17..60 tensors=[randn[M,A]@scale(9),randn[M,33]@scale(9)] divisor=0.75 rounding_mode=floor",
               "standard: M=17..60 A=17..60 tensors=[randn[M,A]@scale(9),randn[M,33]@scale(9)] divisor=0.75 rounding_mode=trunc",
               "boundary: M=17..40 A=17..60 tensors=[randn[M,A]@strided,randn[M,33]@transposed] divisor=uniform(1,3)[M,1]@fixed "
               "out=like",
               "boundary: tensors=[randint(-9,9)[7],randint(-9,9)[5]] divisor=2",
               "boundary: tensors=[randint(-9,9)[7,3],randint(-9,9)[7,2]] divisor=4 rounding_mode=floor",
               "boundary: tensors=[randint(-9,9)[7]:i32,randint(-9,9)[5]:i32] divisor=-4 rounding_mode=trunc",
               "boundary: tensors=[randn[33]] divisor=1.5",
               "boundary: tensors=[randn[0],randn[5]] divisor=2.0",
               "boundary: tensors=[randn[],randn[]] divisor=2.0",
               "boundary: tensors=[randn[3,2,5],randn[3,4,5]] divisor=uniform(1,3)[6,1]",
               "boundary: tensors=[randn[33]@offset,randn[17]@offset] divisor=1.5",
               "boundary: tensors=[randn[33]@scale(1e-4),randn[17]@scale(1e-4)] divisor=3.0",
               "boundary: tensors=[randn[33]@shift(1000),randn[17]@shift(-1000)] divisor=7.0",
               "boundary: tensors=[values(1,-1,0,nan,inf),values(2)] divisor=values(0,0,0,1,-2,0)",
               "boundary: tensors=[randn[9,3],randn[9,4]] divisor=2.0 * rounding_mode=none",
           },
       .perf = {"tensors=[randn[2097152],randn[2097152]] divisor=2.0",
                "tensors=[randn[2047,1025],randn[2047,511]] divisor=uniform(1,3)[2047,1]",
                "tensors=[randn[524288],randn[524288]] divisor=0.75 rounding_mode=floor"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), 4 * outputs(out)};
       }},
  };
  return tasks;
}

}  // namespace kbx
