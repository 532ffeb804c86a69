// SPDX-License-Identifier: Apache-2.0
#include <ATen/TensorOperators.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/softmax.h>

#include <cmath>

#include "catalogue/cost.h"
#include "catalogue/families.h"
#include "catalogue/quantization/w8a8.h"

namespace kbx {
namespace {

struct Operand {
  at::Tensor q, scale;
};

Operand quantise(const at::Tensor& x, int64_t dim) {
  if (x.numel() == 0) return {x, x.sum(dim, true)};
  const at::Tensor scale = x.abs().amax(dim, true) / 127;
  return {(x / scale.masked_fill(scale == 0, 1)).round().clamp(-127, 127), scale};
}

double width(const at::Tensor& query) { return std::sqrt(static_cast<double>(query.size(-1))); }

Values attention_w8a8(const Args& a) {
  const Operand q = quantise(a.tensor("query"), -1), k = quantise(a.tensor("key"), -1), v = quantise(a.tensor("value"), -2);
  const at::Tensor scores = at::matmul(q.q, k.q.mT()) * (q.scale * k.scale.mT()) / width(q.q);
  const Operand p = quantise(at::softmax(scores, -1), -1);
  return {at::matmul(p.q, v.q) * (p.scale * v.scale)};
}

Values attention(const Args& a) {
  const at::Tensor query = a.tensor("query");
  return {at::matmul(at::softmax(at::matmul(query, a.tensor("key").mT()) / width(query), -1), a.tensor("value"))};
}

}  // namespace

std::span<const Task> quantised_attention_family() {
  static const Task tasks[] = {
      {.id = "attention_w8a8",
       .category = Category::quantization,
       .difficulty = 4,
       .schema = "attention_w8a8(Tensor query, Tensor key, Tensor value) -> Tensor",
       .summary =
           "Attention of one head with both matrix products in int8, for query (B, S, D), key (B, T, D) and value (B, T, E): "
           "quantises each row of query and of key symmetrically to int8, multiplies with int32 accumulation, scales back, "
           "divides by sqrt(D) and takes the softmax over T in float32; then quantises each row of the probabilities and each "
           "column of each matrix of value (over T, one scale for each of the E), multiplies with int32 accumulation and "
           "scales back to float32. Probabilities are quantised after the softmax has divided by its sum, the largest of a row "
           "becoming 127. There is no mask. The result must show the quantisation: attention with any of the four operands "
           "unquantised is wrong here.",
       .math =
           "for a tensor x and scales over rows or columns: s = max |x| / 127, Q(x) = round(x / s): to nearest, ties to even,\n"
           "in [-127, 127]; zeros give zeros\n"
           "S[i, j] = sq[i] * sk[j] * (sum over d of Q(query)[i, d] * Q(key)[j, d] in int32) / sqrt(D)\n"
           "P[i, j] = exp(S[i, j] - max over j of S[i, j]) / sum over j of the same\n"
           "y[i, e] = sp[i] * sv[e] * (sum over j of Q(P)[i, j] * Q(value)[j, e] in int32)\n"
           "sq, sk, sp: one for each row of query, key, P; sv: one for each column of value; all of this for each of the B",
       .reference = attention_w8a8,
       .oracle = w8a8_attention_oracle,
       .published = attention,
       .contract = quantised("int8 per row of query, key and probabilities, per column of value; int32 accumulation"),
       .cases =
           {
               "standard: S=33..65 query=randn[2,S,32] key=randn[2,S,32] value=randn[2,S,32]",
               "standard: S=17..33 D=9..33 query=randn[1,S,D] key=randn[1,S,D] value=randn[1,S,D]",
               "standard: S=9..17 T=65..200 D=33..65 query=randn[2,S,D] key=randn[2,T,D] value=randn[2,T,17]",
               "standard: T=1000..2047 query=randn[1,5,33] key=randn[1,T,33] value=randn[1,T,9]",
               "boundary: query=randn[1,1,8] key=randn[1,1,8] value=randn[1,1,8]",
               "boundary: query=values(10,0,0,10)[1,2,2] key=values(10,0,0,10)[1,2,2] value=randn[1,2,2]",
               "boundary: query=zeros[1,3,4] key=zeros[1,3,4] value=randn[1,3,4]",
               "boundary: query=randn[2,9,16] key=randn[2,9,16] value=zeros[2,9,16]",
               "boundary: query=randn[1,1,1] key=randn[1,1,1] value=randn[1,1,1]",
               "boundary: query=randn[0,5,8] key=randn[0,5,8] value=randn[0,5,8]",
               "boundary: query=randn[2,17,16]@scale(4) key=randn[2,17,16]@scale(4) value=randn[2,17,16]",
               "boundary: query=randn[2,17,16]@strided key=randn[2,17,16]@transposed value=randn[2,17,16]@transposed",
               "boundary: query=randn[2,17,16]@offset key=randn[2,17,16]@offset value=randn[2,17,16]@offset",
               "boundary: query=randn[3,9,16]@expanded key=randn[3,9,16]@expanded value=randn[3,9,16]",
               "boundary: query=randn[2,17,16]@scale(1e-4) key=randn[2,17,16] value=randn[2,17,16]@scale(1e-4)",
               "boundary: query=randn[2,17,16]@shift(3) key=randn[2,17,16]@shift(-3) value=randn[2,17,16]@shift(10)",
               "boundary: query=randn[2,9,16] key=randn[2,9,16] value=randn[2,9,16] *",
               "boundary: * query=randn[2,9,16] key=randn[2,9,16] value=randn[2,9,16]",
           },
       .perf = {"query=randn[2,512,64] key=randn[2,512,64] value=randn[2,512,64]",
                "query=randn[1,1023,64] key=randn[1,1023,64] value=randn[1,1023,64]"},
       .perf_gpu = {"query=randn[16,1023,64] key=randn[16,1023,64] value=randn[16,1023,64]",
                    "query=randn[8,2048,64] key=randn[8,2048,64] value=randn[8,2048,64]"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         const at::Tensor query = a.tensor("query"), key = a.tensor("key"), value = a.tensor("value");
         const double pairs = static_cast<double>(query.size(0) * query.size(1) * key.size(1));
         return {traffic(a, out), pairs * (2 * static_cast<double>(query.size(2) + value.size(2)) + 10), Unit::matrix};
       },
       .deviation =
           "The published test accepts unquantised attention, and its text leaves open what is quantised with how many scales. "
           "Here the scheme is fixed, the truth is the scheme itself in exact arithmetic, and the unquantised result fails."},
  };
  return tasks;
}

}  // namespace kbx
