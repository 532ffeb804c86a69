// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/dot.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/mv.h>
#include <ATen/ops/tril.h>

#include "catalogue/cost.h"
#include "catalogue/families.h"

namespace kbx {
namespace {

Values vector_dot(const Args& a) {
  const at::Tensor x = a.tensor("x");
  at::Tensor y = a.tensor("y");
  const at::Tensor product = at::mv(a.tensor("A"), x).mul(a.scalar("alpha"));
  y.copy_(product.add(y.mul(a.scalar("beta"))));
  return {at::dot(y, x)};
}

Values row_dot(const Args& a) {
  const at::Tensor product = at::mm(a.tensor("A"), a.tensor("B")).mul(a.scalar("alpha"));
  const at::Tensor updated = product.add(a.tensor("C").mul(a.scalar("beta")));
  return {at::dot(updated.select(0, 0), updated.select(0, 1))};
}

double elements(const Args& a, std::string_view name) { return static_cast<double>(a.tensor(name).numel()); }

}  // namespace

std::span<const Task> matrix_vector_family() {
  static const Task tasks[] = {
      {.id = "matrix_vector_dot",
       .category = Category::matrix_multiply,
       .difficulty = 2,
       .schema = "matrix_vector_dot(Tensor A, Tensor x, Tensor(a!) y, Scalar alpha, Scalar beta) -> Tensor",
       .summary =
           "Product of the square matrix A [n, n] with the vector x [n], times alpha, plus beta times the vector y [n], all of "
           "it written back into y; then the dot product of this new y with x, returned as a 0-dim tensor. Both are results: "
           "the number that is returned and y, which changes in place.",
       .math = "y = alpha * A x + beta * y\nresult = sum over i of y[i] * x[i], with the new y",
       .reference = vector_dot,
       .contract = numeric(),
       .cases =
           {
               "standard: N=33..90 A=randn[N,N] x=randn[N] y=randn[N] alpha=1.0 beta=0.5",
               "standard: N=65..200 A=randn[N,N] x=randn[N] y=randn[N] alpha=0.5 beta=2.0",
               "standard: N=5..17 A=randn[N,N] x=randn[N] y=randn[N] alpha=2 beta=-1",
               "standard: N=200..250 A=randn[N,N]@scale(0.1) x=randn[N] y=randn[N] alpha=1.0 beta=0.0",
               "boundary: N=17..60 A=randn[N,N]@transposed x=randn[N]@strided y=randn[N]@strided alpha=1 beta=1",
               "boundary: A=randn[65,65]@strided x=randn[65] y=randn[65] alpha=-0.5 beta=3",
               "boundary: A=values(1,2,3,4)[2,2] x=values(2,3) y=ones[2] alpha=0.5 beta=0.5",
               "boundary: A=randn[33,33] x=randn[33] y=randn[33] alpha=0.0 beta=2.0",
               "boundary: A=randn[33,33] x=randn[33] y=zeros[33] alpha=1.5 beta=1",
               "boundary: A=randn[33,33] x=zeros[33] y=randn[33] alpha=1.5 beta=0.5",
               "boundary: A=randn[0,0] x=randn[0] y=randn[0] alpha=1 beta=1",
               "boundary: A=randn[1,1] x=randn[1] y=randn[1] alpha=2 beta=3",
               "boundary: A=randn[33,33]@offset x=randn[33]@offset y=randn[33]@offset alpha=1 beta=0.5",
               "boundary: A=randn[33,33]@expanded x=randn[33] y=randn[33] alpha=1 beta=0.5",
               "boundary: A=randn[33,33]@scale(1e-4) x=randn[33]@scale(1e-4) y=randn[33]@scale(1e-8) alpha=1 beta=0.5",
               "boundary: A=randn[33,33] x=randn[33] y=randn[33]@shift(1000) alpha=1 beta=0.5",
               "boundary: A=randn[33,33] x=randn[33]@shift(100) y=randn[33] alpha=1 beta=0.5",
               "boundary: A=randn[9,9]@poke(nan) x=randn[9] y=randn[9] alpha=1 beta=0.5",
               "boundary: A=randn[9,9] x=randn[9] y=randn[9]@poke(inf) alpha=1 beta=0.5",
               "boundary: A=randn[33,33]:f64 x=randn[33]:f64 y=randn[33]:f64 alpha=0.1 beta=0.3",
               "boundary: A=randn[33,33]:f16 x=randn[33]:f16 y=randn[33]:f16 alpha=0.25 beta=0.5",
               "boundary: * A=randn[17,17] x=randn[17] y=randn[17] alpha=1 beta=0.5",
           },
       .perf = {"A=randn[3584,3584] x=randn[3584] y=randn[3584] alpha=1.0 beta=0.5",
                "A=randn[3583,3583] x=randn[3583] y=randn[3583] alpha=0.5 beta=0.5"},
       .perf_gpu = {"A=randn[4096,4096] x=randn[4096] y=randn[4096] alpha=1.0 beta=0.5",
                    "A=randn[8191,8191] x=randn[8191] y=randn[8191] alpha=0.5 beta=0.5"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), 2 * elements(a, "A") + 5 * elements(a, "y")};
       },
       .deviation = "The published test does not look at y, which text and reference update; here it has to be updated."},

      {.id = "matrix_multiply_and_row_dot",
       .category = Category::matrix_multiply,
       .difficulty = 2,
       .schema = "matrix_multiply_and_row_dot(Tensor A, Tensor B, Scalar alpha, Scalar beta, Tensor C) -> Tensor",
       .summary =
           "The matrix alpha A B + beta C of A [n, m], B [m, p] and C [n, p], n >= 2, and of it the dot product of its first two "
           "rows, a 0-dim tensor. C comes last among the arguments and is only read. Whatever the other rows of A and C hold, "
           "NaN included, has no part in the result.",
       .math = "D = alpha * A B + beta * C\nresult = sum over j of D[0, j] * D[1, j]",
       .reference = row_dot,
       .contract = numeric(),
       .cases =
           {
               "standard: N=17..60 K=65..130 P=17..60 A=randn[N,K] B=randn[K,P] alpha=1.0 beta=0.5 C=randn[N,P]",
               "standard: N=5..17 K=17..60 P=65..300 A=randn[N,K] B=randn[K,P] alpha=0.5 beta=2.0 C=randn[N,P]",
               "standard: K=1000..4095 A=randn[2,K] B=randn[K,7] alpha=0.1 beta=-1 C=randn[2,7]",
               "standard: P=3..9 A=randn[3,9] B=randn[9,P] alpha=2 beta=1 C=randn[3,P]",
               "boundary: K=17..40 P=17..60 A=randn[9,K]@transposed B=randn[K,P]@strided alpha=1 beta=0.5 "
               "C=randn[9,P]@transposed",
               "boundary: A=randn[5,33]@strided B=randn[33,17]@transposed alpha=1 beta=2 C=randn[5,17]@strided",
               "boundary: A=randn[7,7]@draw(1) B=randn[7,7] alpha=1 beta=1 C=randn[7,7]",
               "boundary: A=randn[4,4]@draw(2) B=randn[4,4] alpha=-1.5 beta=3 C=randn[4,4]",
               "boundary: A=values(1,2,3,4)[2,2] B=values(5,6,7,8)[2,2] alpha=0.5 beta=0.5 C=ones[2,2]",
               "boundary: A=values(1,2,3,4,nan,inf)[3,2] B=values(5,6,7,8)[2,2] alpha=0.5 beta=0.5 "
               "C=values(1,2,3,4,nan,nan)[3,2]",
               "boundary: A=randn[5,17] B=randn[17,9] alpha=1.0 beta=0.0 C=randn[5,9]",
               "boundary: A=randn[5,17] B=randn[17,9] alpha=0.0 beta=2.0 C=randn[5,9]",
               "boundary: A=randn[5,0] B=randn[0,9] alpha=1.0 beta=2.0 C=randn[5,9]",
               "boundary: A=randn[5,9] B=randn[9,0] alpha=1.0 beta=2.0 C=randn[5,0]",
               "boundary: A=randn[2,1] B=randn[1,1] alpha=1.0 beta=2.0 C=randn[2,1]",
               "boundary: A=randn[5,17]@offset B=randn[17,9]@offset alpha=1 beta=0.5 C=randn[5,9]@offset",
               "boundary: A=randn[5,17]@expanded B=randn[17,9] alpha=1 beta=0.5 C=randn[5,9]",
               "boundary: A=randn[5,17]@scale(1e-4) B=randn[17,9]@scale(1e-4) alpha=1 beta=0.5 C=randn[5,9]@scale(1e-8)",
               "boundary: A=randn[5,17] B=randn[17,9] alpha=1 beta=0.5 C=randn[5,9]@shift(1000)",
               "boundary: A=randn[2,17]@poke(nan) B=randn[17,9] alpha=1 beta=0.5 C=randn[2,9]",
               "boundary: A=randn[2,17] B=randn[17,9] alpha=1 beta=0.5 C=randn[2,9]@poke(inf)",
               "boundary: A=randn[5,17]:f64 B=randn[17,9]:f64 alpha=0.1 beta=0.3 C=randn[5,9]:f64",
               "boundary: * A=randn[5,17] B=randn[17,9] alpha=1 beta=0.5 C=randn[5,9]",
           },
       .perf = {"A=randn[768,512] B=randn[512,768] alpha=1.0 beta=1.0 C=randn[768,768]",
                "A=randn[255,1023] B=randn[1023,1025] alpha=0.5 beta=0.5 C=randn[255,1025]"},
       .perf_gpu = {"A=randn[2048,2048] B=randn[2048,2048] alpha=1.0 beta=1.0 C=randn[2048,2048]",
                    "A=randn[1023,2047] B=randn[2047,2049] alpha=0.5 beta=0.5 C=randn[1023,2049]"},
       // Two rows of A and C are enough.
       .cost = [](const Args& a, const Values& out) -> Cost {
         const at::Tensor b = a.tensor("B");
         const double m = static_cast<double>(b.size(0)), p = static_cast<double>(b.size(1)),
                      n = static_cast<double>(a.tensor("A").size(0));
         const double unread = (n - 2) * (m + p) * static_cast<double>(b.element_size());
         return {traffic(a, out) - unread, 4 * m * p + 8 * p};
       },
       .deviation =
           "The published cost is that of the whole product, though two of its rows are enough; here it is what these two "
           "take. The text speaks of an update of C, which neither its reference nor this task makes."},

      {.id = "tril_mm_and_scale",
       .category = Category::matrix_multiply,
       .difficulty = 3,
       .schema = "tril_mm_and_scale(Tensor A, Tensor B, Scalar alpha, Scalar beta) -> Tensor",
       .summary =
           "Product of the lower triangle of A [n, n], diagonal included, with B [n, p], times alpha, times beta. Elements above "
           "the diagonal count as zeros whatever they are: NaN and infinities there leave no trace. float32 means float32: "
           "products of inputs cut to TF32 are not accepted.",
       .math = "y[i, j] = beta * alpha * sum over k <= i of A[i, k] * B[k, j]",
       .reference = [](const Args& a) -> Values {
         return {at::mm(at::tril(a.tensor("A")), a.tensor("B")).mul(a.scalar("alpha")).mul(a.scalar("beta"))};
       },
       .contract = numeric(),
       .cases =
           {
               "standard: N=33..70 P=17..60 A=randn[N,N] B=randn[N,P] alpha=1.0 beta=0.5",
               "standard: N=65..200 P=5..17 A=randn[N,N] B=randn[N,P] alpha=0.5 beta=-2.0",
               "standard: N=5..30 P=65..300 A=randn[N,N] B=randn[N,P] alpha=2 beta=3",
               "standard: N=200..250 A=randn[N,N] B=randn[N,3] alpha=0.1 beta=0.7",
               "boundary: N=17..40 P=17..60 A=randn[N,N]@transposed B=randn[N,P]@strided alpha=1 beta=2",
               "boundary: A=randn[33,33]@strided B=randn[33,17]@transposed alpha=1.5 beta=1",
               "boundary: A=values(1,nan,inf,nan,-inf,2,3,nan,nan,inf,4,5,6,nan,nan,7,8,9,1,nan,2,3,4,5,6)[5,5] B=randn[5,7] "
               "alpha=1.5 beta=0.5",
               "boundary: A=values(1,2,3,4)[2,2] B=values(5,6,7,8)[2,2] alpha=1.0 beta=1.0",
               "boundary: A=lower(1)[17,17] B=randn[17,17] alpha=1 beta=2",
               "boundary: A=randn[17,17] B=randn[17,9] alpha=0.0 beta=2.0",
               "boundary: A=randn[17,17] B=randn[17,9] alpha=2.0 beta=0.0",
               "boundary: A=randn[0,0] B=randn[0,5] alpha=1 beta=2",
               "boundary: A=randn[5,5] B=randn[5,0] alpha=1 beta=2",
               "boundary: A=randn[1,1] B=randn[1,1] alpha=3 beta=2",
               "boundary: A=randn[33,33]@offset B=randn[33,9]@offset alpha=1 beta=0.5",
               "boundary: A=randn[17,17]@expanded B=randn[17,9]@expanded alpha=1 beta=0.5",
               "boundary: A=randn[33,33]@scale(1e-4) B=randn[33,9]@scale(1e-4) alpha=1 beta=0.5",
               "boundary: A=randn[33,33]@shift(1000) B=randn[33,9] alpha=1 beta=0.5",
               "boundary: A=randn[9,9] B=randn[9,7]@poke(nan,inf) alpha=1 beta=0.5",
               "boundary: A=randn[17,17]:f64 B=randn[17,9]:f64 alpha=0.1 beta=0.3",
               "boundary: A=randn[65,65]:f16 B=randn[65,9]:f16 alpha=0.5 beta=0.25",
               "boundary: * A=randn[17,17] B=randn[17,9] alpha=1 beta=0.5",
           },
       .perf = {"A=randn[1024,1024] B=randn[1024,256] alpha=0.5 beta=0.5",
                "A=randn[769,769] B=randn[769,513] alpha=1.0 beta=0.5"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         const at::Tensor matrix = a.tensor("A");
         const double n = static_cast<double>(matrix.size(0));
         return {traffic(a, out) - n * (n - 1) / 2 * static_cast<double>(matrix.element_size()), (n + 2) * outputs(out),
                 Unit::matrix};
       },
       .deviation = "The published cost counts the whole of A; here it is that of the triangle, and elements above the diagonal "
                    "must not matter."},
  };
  return tasks;
}

}  // namespace kbx
