// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/masked_fill.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/triu.h>

#include <cmath>
#include <limits>

#include "catalogue/cost.h"
#include "catalogue/families.h"
#include "catalogue/write_out.h"

namespace kbx {
namespace {

double scale(const Args& a) {
  const c10::IValue& given = a.call().argument("softmax_scale").value;
  return given.isNone() ? 1 / std::sqrt(static_cast<double>(a.tensor("q").size(-1))) : a.real("softmax_scale");
}

Values attention(const Args& a) {
  const at::Tensor q = a.tensor("q"), k = a.tensor("k"), v = a.tensor("v");
  at::Tensor scores = at::mul(at::matmul(q, k.mT()), scale(a));
  if (a.flag("causal")) {
    const at::Tensor later = at::triu(at::ones({q.size(-2), k.size(-2)}, q.options().dtype(at::kBool)), 1);
    scores = at::masked_fill(scores, later, -std::numeric_limits<double>::infinity());
  }
  return written(a, at::matmul(at::softmax(scores, -1), v));
}

}  // namespace

std::span<const Task> fused_attention_family() {
  static const Task tasks[] = {
      {.id = "attention",
       .category = Category::fusion,
       .difficulty = 5,
       .schema = "attention(Tensor q, Tensor k, Tensor v, bool causal=False, float? softmax_scale=None, *, Tensor(a!)? out=None) "
                 "-> Tensor",
       .summary = "Scaled dot-product attention of queries q [batch, heads, s, d] over keys k and values v [batch, heads, t, d]. "
                  "Each query weighs the values by the softmax of its scaled products with the keys. With causal, for which s = "
                  "t, query i sees only the keys 0 to i. softmax_scale defaults to 1 / sqrt(d). Scores, softmax and sums are "
                  "float32 for 16-bit inputs too; the weights may be rounded to the inputs' type for the second product. The "
                  "result has the inputs' type. Where out is given the result is written there and returned. float32 means "
                  "float32, not TF32.",
       .math = "S[i, j] = softmax_scale * sum over c of q[i, c] k[j, c]; with causal -inf for j > i\n"
               "y[i, c] = sum over j of exp(S[i, j] - m[i]) v[j, c] / sum over j of exp(S[i, j] - m[i]), m[i] = max over j of S",
       .reference = attention,
       .contract = numeric(),
       .cases =
           {
               "standard: S=17..50 q=randn[2,2,S,32]:f16 k=randn[2,2,S,32]:f16 v=randn[2,2,S,32]:f16",
               "standard: S=17..50 q=randn[2,2,S,32]:f16 k=randn[2,2,S,32]:f16 v=randn[2,2,S,32]:f16 causal=true",
               "standard: S=33..65 D=17..40 q=randn[1,2,S,D] k=randn[1,2,S,D] v=randn[1,2,S,D]",
               "standard: S=65..100 q=randn[1,1,S,64] k=randn[1,1,S,64] v=randn[1,1,S,64] causal=true",
               "standard: S=17..40 q=randn[1,3,S,16] k=randn[1,3,S,16] v=randn[1,3,S,16] softmax_scale=0.125",
               "standard: T=1000..2000 q=randn[1,1,5,16] k=randn[1,1,T,16] v=randn[1,1,T,16]",
               "boundary: q=randn[1,2,19,16] k=randn[1,2,19,16] v=randn[1,2,19,16] softmax_scale=0.5 out=like",
               "boundary: q=randn[1,2,19,16]:f16 k=randn[1,2,19,16]:f16 v=randn[1,2,19,16]:f16 causal=true out=like",
               "boundary: q=randn[1,2,19,16]:bf16 k=randn[1,2,19,16]:bf16 v=randn[1,2,19,16]:bf16",
               "boundary: q=randn[1,1,19,16]:f64 k=randn[1,1,19,16]:f64 v=randn[1,1,19,16]:f64 causal=true",
               "boundary: q=randn[1,1,19,16]@scale(10) k=randn[1,1,19,16]@scale(10) v=randn[1,1,19,16]",
               "boundary: q=randn[1,1,19,16]@scale(10) k=randn[1,1,19,16]@scale(10) v=randn[1,1,19,16] causal=true "
               "softmax_scale=1.0",
               "boundary: q=randn[1,1,19,16]@shift(-3) k=randn[1,1,19,16]@shift(3) v=randn[1,1,19,16] softmax_scale=1.0",
               "boundary: q=randn[1,1,19,16] k=randn[1,1,19,16] v=randn[1,1,19,16] softmax_scale=0.0",
               "boundary: q=randn[1,1,19,16] k=randn[1,1,19,16] v=randn[1,1,19,16] softmax_scale=-0.5 causal=true",
               "boundary: q=randn[0,2,9,16] k=randn[0,2,9,16] v=randn[0,2,9,16]",
               "boundary: q=randn[1,1,1,1] k=randn[1,1,1,1] v=randn[1,1,1,1] causal=true",
               "boundary: q=randn[1,2,1,16] k=randn[1,2,33,16] v=randn[1,2,33,16]",
               "boundary: q=randn[1,2,19,16]@offset k=randn[1,2,19,16]@offset v=randn[1,2,19,16]@offset causal=true",
               "boundary: q=randn[1,2,19,16]@transposed k=randn[1,2,19,16]@strided v=randn[1,2,19,16]@transposed",
               "boundary: q=randn[2,2,9,16]@expanded k=randn[2,2,9,16] v=randn[2,2,9,16]@strided",
               "boundary: q=randn[1,1,19,16]@scale(1e-4) k=randn[1,1,19,16] v=randn[1,1,19,16]@scale(1e-4)",
               "boundary: q=randn[1,1,19,16] k=randn[1,1,19,16] v=randn[1,1,19,16]@shift(1000)",
               "boundary: q=randn[1,1,19,16]@poke(nan) k=randn[1,1,19,16] v=randn[1,1,19,16]",
               "boundary: q=randn[1,1,19,16] k=randn[1,1,19,16] v=randn[1,1,19,16] causal=true softmax_scale=0.3 *",
               "boundary: * q=randn[1,1,19,16] k=randn[1,1,19,16] v=randn[1,1,19,16] softmax_scale=none",
           },
       .perf = {"q=randn[2,8,256,64] k=randn[2,8,256,64] v=randn[2,8,256,64]",
                "q=randn[1,8,385,64] k=randn[1,8,385,64] v=randn[1,8,385,64] causal=true",
                "q=randn[1,8,289,64]:f16 k=randn[1,8,289,64]:f16 v=randn[1,8,289,64]:f16 causal=true"},
       .perf_gpu = {"q=randn[2,8,1025,64] k=randn[2,8,1025,64] v=randn[2,8,1025,64]",
                    "q=randn[4,16,2048,64]:f16 k=randn[4,16,2048,64]:f16 v=randn[4,16,2048,64]:f16 causal=true"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         const at::Tensor q = a.tensor("q");
         const double pairs = q.size(-1) == 0 ? 0 : static_cast<double>(q.numel() / q.size(-1) * a.tensor("k").size(-2));
         const double work = pairs * (4 * static_cast<double>(q.size(-1)) + 10);
         return {traffic(a, out), a.flag("causal") ? work / 2 : work, Unit::matrix};
       },
       .deviation =
           "Queries and keys may differ in number here, which the published text neither asks for nor excludes; with causal "
           "they do not. For 16-bit inputs the published reference keeps scores and softmax in float32; a kernel that "
           "rounds them to the inputs' type passes here too, where it errs no more than torch's own operators."},
  };
  return tasks;
}

}  // namespace kbx
