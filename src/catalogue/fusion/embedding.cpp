// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/_unique.h>
#include <ATen/ops/add.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/embedding_renorm.h>
#include <ATen/ops/tanh.h>

#include <tuple>

#include "catalogue/cost.h"
#include "catalogue/families.h"

namespace kbx {
namespace {

bool renormalises(const Args& a) { return !a.call().argument("max_norm").value.isNone(); }

Values embedding_add_tanh(const Args& a) {
  const at::Tensor indices = a.tensor("input_indices");
  at::Tensor weight = a.tensor("weight");
  if (renormalises(a)) at::embedding_renorm_(weight, indices.contiguous(), a.real("max_norm"), a.real("norm_type"));
  constexpr int64_t kNoPadding = -1;
  const at::Tensor rows = at::embedding(weight, indices, a.maybe_integer("padding_idx").value_or(kNoPadding),
                                        a.flag("scale_grad_by_freq"), a.flag("sparse"));
  const at::Tensor sum = at::add(rows, a.tensor("other"));
  if (auto out = a.maybe_tensor("out")) return {at::tanh_out(*out, sum)};
  return {at::tanh(sum)};
}

// Only rows that are used are read, and written where they may be renormalised.
Cost embedding_cost(const Args& a, const Values& out) {
  const at::Tensor weight = a.tensor("weight"), indices = a.tensor("input_indices");
  const double used = static_cast<double>(std::get<0>(at::_unique(indices)).numel()),
               row = static_cast<double>(weight.size(1) * weight.element_size());
  const double whole = static_cast<double>(weight.nbytes());
  return {traffic(a, out) - whole + used * row * (renormalises(a) ? 2 : 1), 9 * outputs(out)};
}

}  // namespace

std::span<const Task> fused_embedding_family() {
  static const Task tasks[] = {
      {.id = "fused_embedding_add_tanh",
       .category = Category::fusion,
       .difficulty = 3,
       .schema =
           "fused_embedding_add_tanh(Tensor input_indices, Tensor(b!) weight, Tensor other, *, int? padding_idx=None, float? "
           "max_norm=None, float norm_type=2.0, bool scale_grad_by_freq=False, bool sparse=False, Tensor(a!)? out=None) -> "
           "Tensor",
       .summary =
           "Looks up a row of weight [V, D] for each index (int64 or int32, of any shape S), which gives [S, D], adds `other`, "
           "which broadcasts with that, and takes the hyperbolic tangent. With max_norm each row that is used and whose "
           "p-norm, p = norm_type, exceeds max_norm is first scaled down to it, in weight itself and once, however often it is "
           "used; rows that are not used, or not too long, stay as they are. Without max_norm weight stays as it is and "
           "norm_type has no effect. padding_idx, scale_grad_by_freq and sparse are about gradients and change nothing here. "
           "Where `out` is given the result is written there and returned.",
       .math = "with max_norm: weight[v] *= max_norm / (n + 1e-7) for each v in input_indices with n > max_norm,\n"
               "n = (sum over d of |weight[v, d]|^norm_type)^(1 / norm_type)\n"
               "y[.., d] = tanh(weight[input_indices[..], d] + other)",
       .reference = embedding_add_tanh,
       .contract = numeric(),
       .cases =
           {
               "standard: S=17..60 V=33..130 D=33..90 input_indices=randint(0,V)[S] weight=randn[V,D] other=randn[S,D]",
               "standard: S=5..13 V=33..130 D=17..60 input_indices=randint(0,V)[4,S] weight=randn[V,D] other=randn[4,S,D] "
               "padding_idx=0",
               "standard: S=17..60 V=33..70 D=17..60 input_indices=randint(0,V)[S] weight=randn[V,D]@scale(0.3) other=randn[D] "
               "max_norm=1.0",
               "standard: S=17..60 V=9..17 D=17..60 input_indices=randint(0,V)[S] weight=randn[V,D]@scale(0.1) other=randn[S,D] "
               "max_norm=1.5 norm_type=1.0",
               "standard: D=1000..2047 input_indices=randint(0,9)[7] weight=randn[9,D] other=randn[7,1]",
               "boundary: input_indices=randint(0,40)[33] weight=randn[40,17] other=randn[33,17] max_norm=3.9 norm_type=2.0",
               "boundary: input_indices=randint(0,40)[33] weight=randn[40,17] other=randn[33,17] max_norm=2.5 norm_type=3.0",
               "boundary: input_indices=randint(0,40)[33] weight=randn[40,17] other=randn[33,17] max_norm=100.0",
               "boundary: input_indices=values(0,0,2,2,2,0):i64 weight=randn[5,9] other=randn[6,9] max_norm=1.0 padding_idx=2",
               "boundary: input_indices=randint(0,40)[33] weight=randn[40,17] other=randn[33,17] norm_type=1.0",
               "boundary: input_indices=values(1,0,3,0):i64 weight=randn[4,33] other=randn[4,33] padding_idx=-4",
               "boundary: input_indices=randint(0,9)[17] weight=randn[9,7] other=randn[17,7] scale_grad_by_freq=true sparse=true",
               "boundary: input_indices=randint(0,9)[17]:i32 weight=randn[9,7] other=randn[17,7] max_norm=2.0",
               "boundary: input_indices=randint(0,9)[3,5] weight=randn[9,7] other=0.5",
               "boundary: input_indices=randint(0,9)[3,5] weight=randn[9,7] other=randn[3,1,7]",
               "boundary: input_indices=randint(0,9)[17] weight=randn[9,7] other=randn[17,7] out=like",
               "boundary: input_indices=randint(0,9)[17] weight=randn[9,7]@scale(3) other=randn[17,7] max_norm=2.0 out=like",
               "boundary: input_indices=randint(0,9)[] weight=randn[9,7] other=randn[7]",
               "boundary: input_indices=randint(0,1)[1] weight=randn[1,1] other=randn[1,1]",
               "boundary: input_indices=randint(0,9)[0] weight=randn[9,7] other=randn[7]",
               "boundary: input_indices=randint(0,9)[3] weight=randn[9,0] other=randn[3,0]",
               "boundary: input_indices=randint(0,33)[7,9]@transposed weight=randn[33,17]@transposed other=randn[7,9,17]@strided "
               "max_norm=4.0",
               "boundary: input_indices=randint(0,33)[17]@strided weight=randn[33,17]@strided other=randn[17,17]@transposed",
               "boundary: input_indices=randint(0,33)[17]@offset weight=randn[33,17]@offset other=randn[17,17]@offset",
               "boundary: input_indices=randint(0,33)[17] weight=randn[33,17]@scale(1e-4) other=randn[17,17]@scale(1e-4)",
               "boundary: input_indices=randint(0,33)[17] weight=randn[33,17]@scale(1e-4) other=zeros[17] max_norm=1e-4",
               "boundary: input_indices=randint(0,33)[17] weight=randn[33,17]@shift(1000) other=randn[17,17]@shift(-1000)",
               "boundary: input_indices=values(0,1,2):i64 weight=values(nan,1,0,inf,-inf,0,1,-0.0,2)[3,3] other=ones[3]",
               "boundary: input_indices=randint(0,9)[17] weight=randn[9,7]:f64 other=randn[17,7]:f64 max_norm=2.0",
               "boundary: input_indices=randint(0,9)[17] weight=randn[9,7]:f16 other=randn[17,7]:f16",
               "boundary: input_indices=randint(0,9)[17] weight=randn[9,7] other=randn[7] *",
               "boundary: * input_indices=randint(0,9)[17] weight=randn[9,7] other=randn[7] max_norm=1.0",
           },
       .perf = {"input_indices=randint(0,4096)[16,256] weight=randn[4096,512] other=randn[16,256,512]",
                "input_indices=randint(0,8192)[8192] weight=randn[8192,257] other=randn[257]"},
       .cost = embedding_cost,
       .deviation =
           "The published test does not look at weight; here max_norm must change the rows that are used, and nothing else. Its "
           "reference hands back a fresh tensor where `out` is given; here that is written."},
  };
  return tasks;
}

}  // namespace kbx
