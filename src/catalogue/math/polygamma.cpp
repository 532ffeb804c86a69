// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/polygamma.h>
#include <ATen/ops/special_chebyshev_polynomial_t.h>
#include <ATen/ops/special_zeta.h>

#include <algorithm>

#include "catalogue/cost.h"
#include "catalogue/families.h"

namespace kbx {
namespace {

Cost hundred_each(const Args& a, const Values& out) { return {traffic(a, out), 100 * outputs(out)}; }

}  // namespace

std::span<const Task> polygamma_family() {
  static const Task tasks[] = {
      {.id = "polygamma",
       .category = Category::math,
       .difficulty = 4,
       .schema = "polygamma(int n, Tensor input, *, Tensor(a!)? out=None) -> Tensor",
       .summary = "The n-th derivative of the digamma function at each element; n = 0 is the digamma function itself. A negative "
                  "n is an error: the function raises. Where `out` is given the result is written there and returned.",
       .math = "n >= 1: y = (-1)^(n + 1) * n! * sum over k >= 0 of 1 / (x + k)^(n + 1)\n"
               "n = 0: y = Gamma'(x) / Gamma(x)",
       .reference = [](const Args& a) -> Values {
         auto out = a.maybe_tensor("out");
         const int64_t n = a.integer("n");
         return {out ? at::polygamma_out(*out, n, a.tensor("input")) : at::polygamma(n, a.tensor("input"))};
       },
       .contract = numeric(),
       // No pole and no infinity: there the expressions that are evaluated differ with n.
       .cases =
           {
               "standard: M=17..70 N=65..300 n=1 input=uniform(0.1,4)[M,N]",
               "standard: N=1000..4095 n=2 input=uniform(0.1,4)[3,N]",
               "standard: A=3..9 B=33..90 n=3 input=uniform(0.1,4)[A,B,17]",
               "standard: N=1000..4095 n=0 input=uniform(0.1,4)[3,N]",
               "boundary: n=4 input=uniform(0.1,4)[33,65]",
               "boundary: n=7 input=uniform(0.5,20)[33,65]",
               "boundary: N=33..90 n=1 input=uniform(0.1,4)[33,N]@transposed",
               "boundary: N=65..200 n=2 input=uniform(0.1,4)[33,N]@strided out=like",
               "boundary: N=60001..65500 n=1 input=uniform(0.1,4)[N]",
               "boundary: n=1 input=uniform(0.1,4)[0]",
               "boundary: n=2 input=uniform(0.1,4)[3,0] out=like",
               "boundary: n=3 input=uniform(0.1,4)[1]",
               "boundary: n=1 input=uniform(0.1,4)[]",
               "boundary: n=2 input=uniform(0.1,4)[257]@offset",
               "boundary: n=1 input=uniform(0.1,4)[9,65]@expanded",
               "boundary: n=1 input=uniform(0.1,4)[1025]@scale(1e-4)",
               "boundary: n=3 input=uniform(0.1,4)[1025]@scale(1e-2)",
               "boundary: n=1 input=uniform(10,1000)[1025]",
               "boundary: n=2 input=uniform(10,1000)[1025]",
               "boundary: n=1 input=uniform(-0.9,-0.1)[513]",
               "boundary: n=3 input=uniform(-3,-0.1)[513]",
               "boundary: n=1 input=values(nan,1,0.5)",
               "boundary: n=3 input=values(nan,1,0.5)",
               "boundary: n=1 input=randint(1,50)[65]",
               "boundary: * n=2 input=uniform(0.1,4)[33,7]",
               "boundary: n=1 input=uniform(0.1,4)[33,7] *",
               "boundary: n=-1 input=uniform(0.1,4)[5] raises",
           },
       .perf = {"n=1 input=uniform(0.1,1.1)[262144]", "n=2 input=uniform(0.1,4)[255,513]"},
       .perf_gpu = {"n=1 input=uniform(0.1,1.1)[16777216]", "n=2 input=uniform(0.1,4)[2047,2049]"},
       .cost = hundred_each},
      {.id = "zeta",
       .category = Category::math,
       .difficulty = 3,
       .schema = "zeta(Tensor input, Tensor other, *, Tensor(a!)? out=None) -> Tensor",
       .summary =
           "Hurwitz zeta function with the exponent x = input and the start q = other, tensors that broadcast or a number "
           "for `other`. It is infinite at x = 1 and NaN for x < 1; for q <= 0 it is infinite where q is an integer and NaN "
           "where neither q nor x is one. Where `out` is given the result is written there and returned.",
       .math = "y = sum over k >= 0 of 1 / (k + q)^x",
       .reference = [](const Args& a) -> Values {
         auto out = a.maybe_tensor("out");
         at::Tensor x = a.tensor("input"), q = a.tensor("other");
         return {out ? at::special_zeta_out(*out, x, q) : at::special_zeta(x, q)};
       },
       .contract = numeric(),
       .cases =
           {
               "standard: M=17..70 N=65..300 input=uniform(2,6)[M,N] other=uniform(1,5)[M,N]",
               "standard: N=1000..4095 input=uniform(1.5,4)[3,N] other=uniform(0.5,3)[N]",
               "standard: M=17..60 N=33..90 input=uniform(2,6)[M,1] other=uniform(0.1,9)[1,N]",
               "boundary: N=65..200 input=uniform(2,6)[33,N]@strided other=1",
               "boundary: N=33..90 input=uniform(2,6)[33,N]@transposed other=uniform(1,5)[33,N] out=like",
               "boundary: N=60001..65500 input=uniform(2,6)[N] other=uniform(1,5)[N]",
               "boundary: input=uniform(2,6)[0] other=uniform(1,5)[1]",
               "boundary: input=uniform(2,6)[3,0] other=uniform(1,5)[0] out=like",
               "boundary: input=uniform(2,6)[1] other=uniform(1,5)[1]",
               "boundary: input=uniform(2,6)[] other=uniform(1,5)[]",
               "boundary: input=uniform(2,6)[257]@offset other=uniform(1,5)[257]@offset",
               "boundary: input=uniform(2,6)[9,65]@expanded other=uniform(1,5)[9,65]",
               "boundary: input=uniform(1.01,1.5)[513] other=uniform(1,5)[513]",
               "boundary: input=uniform(2,3)[513] other=uniform(1,5)[513]@scale(1e-4)",
               "boundary: input=uniform(2,3)[513] other=uniform(1,5)[513]@shift(1000)",
               "boundary: input=uniform(6,30)[513] other=uniform(0.5,2)[513]",
               "boundary: input=values(2,3,4)[3,1] other=uniform(-3,-0.1)[1,65]",
               "boundary: input=values(nan,2,1,0.5,-2,2,2.5,2.5,2) other=values(1,nan,2,1,1,0,-0.5,-3,1)",
               "boundary: * input=uniform(2,6)[33,7] other=uniform(1,5)[7]",
               "boundary: input=uniform(2,6)[33,7] other=uniform(1,5)[33,7] *",
           },
       .perf = {"input=uniform(2,3)[65536] other=uniform(1,2)[65536]",
                "input=uniform(2,6)[127,1025] other=uniform(1,5)[127,1025]"},
       .perf_gpu = {"input=uniform(2,3)[16777216] other=uniform(1,2)[16777216]",
                    "input=uniform(2,6)[2047,2049] other=uniform(1,5)[2047,2049]"},
       .cost = hundred_each},
      {.id = "chebyshev_polynomial_t",
       .category = Category::math,
       .difficulty = 3,
       .schema = "chebyshev_polynomial_t(Tensor input, int n, *, Tensor(a!)? out=None) -> Tensor",
       .summary = "Chebyshev polynomial of the first kind and degree n >= 0 at each element; the degree is one integer for all "
                  "elements. Elements may lie outside [-1, 1]. Where `out` is given the result is written there and returned.",
       .math = "T_0(x) = 1, T_1(x) = x, T_(k+1)(x) = 2 x T_k(x) - T_(k-1)(x); within [-1, 1] T_n(x) = cos(n acos(x))",
       .reference = [](const Args& a) -> Values {
         auto out = a.maybe_tensor("out");
         const at::Scalar n = a.integer("n");
         return {out ? at::special_chebyshev_polynomial_t_out(*out, a.tensor("input"), n)
                     : at::special_chebyshev_polynomial_t(a.tensor("input"), n)};
       },
       .contract = numeric(),
       // No NaN: torch on the CPU returns what memory holds there.
       .cases =
           {
               "standard: M=17..70 N=65..300 input=uniform(-1,1)[M,N] n=5",
               "standard: N=1000..4095 input=uniform(-1,1)[3,N] n=10",
               "standard: A=3..9 B=33..90 input=randn[A,B,17] n=3",
               "standard: M=17..70 N=65..300 input=uniform(-1,1)[M,N]@fixed n=24",
               "boundary: input=randn[33,65] n=0",
               "boundary: input=randn[33,65] n=1",
               "boundary: input=randn[33,65] n=2",
               "boundary: input=randn[33,65] n=7",
               "boundary: N=33..90 input=uniform(-1,1)[33,N]@transposed n=4",
               "boundary: N=65..200 input=uniform(-1,1)[33,N]@strided n=8 out=like",
               "boundary: N=60001..65500 input=uniform(-1,1)[N] n=6",
               "boundary: input=uniform(-1,1)[0] n=3",
               "boundary: input=uniform(-1,1)[3,0] n=3 out=like",
               "boundary: input=uniform(-1,1)[1] n=9",
               "boundary: input=uniform(-1,1)[] n=5",
               "boundary: input=uniform(-1,1)[257]@offset n=5",
               "boundary: input=uniform(-1,1)[9,65]@expanded n=12",
               "boundary: input=randn[1025]@scale(1e-4) n=3",
               "boundary: input=randn[1025]@scale(1e-4) n=9",
               "boundary: input=uniform(1,3)[513] n=8",
               "boundary: input=uniform(-3,-1)[513] n=9",
               "boundary: input=linspace(0.99,1.01)[513] n=11",
               "boundary: input=uniform(-1,1)[33,65]:f64 n=13",
               "boundary: input=values(1,-1,0,-0.0,0.5,2,-2) n=6",
               "boundary: input=values(1,-1,0,-0.0,0.5,2,-2) n=9",
               "boundary: * input=uniform(-1,1)[33,7] n=6",
               "boundary: input=uniform(-1,1)[33,7] n=10 *",
           },
       .perf = {"input=uniform[1048576] n=5", "input=uniform(-1,1)[383,1025] n=10"},
       .perf_gpu = {"input=uniform[33554432] n=5", "input=uniform(-1,1)[2047,2049] n=10"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         const auto n = static_cast<double>(a.integer("n"));
         return {traffic(a, out), std::min(2 * n, 24.0) * outputs(out)};
       },
       .deviation = "Unlike the published reference `out` is honoured, and unlike in its test elements beyond 1 are cases. The "
                    "published text calls n a tensor; the tests pass an integer."},
  };
  return tasks;
}

}  // namespace kbx
