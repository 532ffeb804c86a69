// SPDX-License-Identifier: Apache-2.0
#include "oracle/kinds/low_rank.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/linalg_svdvals.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/matmul.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "catalogue/call.h"
#include "contracts/rounding.h"
#include "core/check.h"
#include "oracle/kinds/matrix_rules.h"

namespace kbx {
namespace {

constexpr double kGrowth = 12;  // of u sqrt(max(m, n)). Measured: see the tests
constexpr double kOfEager = 3, kMostOfEager = 4;

}  // namespace

Judgement judge_low_rank(const Call& call, const Expected& expected, const Delivery& delivery) {
  KBX_CHECK_EQ(expected.outputs.size(), 1u);
  const Truth& truth = expected.outputs[0];
  const at::Tensor a = first_matrix(call);
  const int64_t k = Args(call).integer("k"), all = std::min(a.size(-2), a.size(-1));
  const double p = kGrowth * working_roundoff(c10::toRealValueType(truth.dtype)) *
                   std::sqrt(static_cast<double>(std::max<int64_t>({a.size(-2), a.size(-1), 1})));
  MatrixJudgement judgement("decomposition:low_rank", truth.dtype, p);
  if (!judgement.well_formed(expected, delivery) || a.numel() == 0) return judgement.result();

  const at::Tensor sigma = at::linalg_svdvals(a), largest = sigma.select(-1, 0), norm = frobenius(a);
  const at::Tensor tail = at::linalg_vector_norm(sigma.narrow(-1, k, all - k), 2, at::IntArrayRef{-1});
  const auto quantities = [&](const at::Tensor& x) {
    const at::Tensor rest = a - x;
    std::vector<std::pair<Quantity, std::string>> list;
    if (k < all)
      list.emplace_back(worst(at::linalg_svdvals(x).select(-1, k), p * largest),
                        fmt::format("singular value {} of the result, which may have rank {}", k + 1, k));
    list.emplace_back(worst(frobenius(rest) - tail, p * norm), "||A - X|| beyond the smallest possible");
    list.emplace_back(worst(frobenius(at::matmul(x.mH(), rest)), p * largest * norm), "||X^H (A - X)||");
    list.emplace_back(worst(frobenius(at::matmul(rest, x.mH())), p * largest * norm), "||(A - X) X^H||");
    return list;
  };
  const auto eager = quantities(widened(truth.eager));
  auto delivered = quantities(widened(delivery[0].value));
  for (size_t i = 0; i < delivered.size(); ++i) {
    auto& [quantity, what] = delivered[i];
    // Some solvers of GPUs reach less than LAPACK: nobody has to be better than three times what torch is on this input.
    const double reached = kOfEager * eager[i].first.ratio();
    if (reached > 1) quantity.allowance *= std::min(reached, kMostOfEager);
    judgement.require(truth, quantity, what);
  }
  return judgement.result();
}

}  // namespace kbx
