// SPDX-License-Identifier: Apache-2.0
#include "oracle/published.h"

#include <ATen/TensorOperators.h>
#include <fmt/format.h>

#include <cmath>

#include "catalogue/published/published.h"
#include "contracts/accuracy.h"
#include "contracts/tally.h"
#include "oracle/evaluation.h"
#include "oracle/kinds/form.h"
#include "oracle/precise_scope.h"
#include "oracle/truth.h"

namespace kbx {
namespace {

constexpr const char* kContract = "published";

double tolerance_of(at::ScalarType type) { return type == at::kHalf || type == at::kBFloat16 ? 5e-3 : 1e-5; }

Comparison compare_close(const at::Tensor& y, const at::Tensor& expected) {
  const double t = tolerance_of(y.scalar_type());
  const at::Tensor e = expected.to(at::kDouble);
  return compare_by_chunks(y, e, e.abs().mul(t).add(t), {}, [](const Chunk& c) {
    const at::Tensor a = c.y.to(at::kDouble);
    return (a - c.truth).abs_().div_(c.budget).masked_fill_(same_value(a, c.truth), 0);
  });
}

Judgement judge_limits(const Truth& truth, const at::Tensor& value, const PublishedLimits& limits) {
  const at::Tensor y = value.to(at::kDouble).flatten(), e = truth.value.to(at::kDouble).flatten(), error = y - e;
  const double cosine = (y * e).sum().item<double>() / (y.norm() * e.norm()).item<double>();
  const double l1 = error.abs().sum().item<double>() / e.abs().sum().item<double>();
  const double rmse = std::sqrt(error.square().mean().item<double>());
  if (cosine >= limits.cosine && l1 <= limits.l1_relative && rmse <= limits.rmse) return accepted(accuracy_of_type(truth.dtype));
  Finding finding = finding_about(truth, kContract);
  finding.detail =
      fmt::format("cosine similarity {:.4g} (at least {}), relative L1 {:.3g} (at most {}), RMSE {:.3g} (at most {})", cosine,
                  limits.cosine, l1, limits.l1_relative, rmse, limits.rmse);
  return rejected(std::move(finding));
}

Judgement judge_one(const Call& call, const Truth& truth, const Delivered& delivered) {
  if (auto finding = wrong_form(truth, delivered, kContract)) return rejected(std::move(*finding));
  const Published* published = find_published(call.task->id);
  if (published && published->limits.cosine > 0) return judge_limits(truth, delivered.value, published->limits);
  const bool close = delivered.value.is_floating_point();
  const at::Tensor expected = truth.value.is_complex() ? truth.value.to(at::kComplexDouble) : truth.value;
  const Comparison c = close ? compare_close(delivered.value, expected) : compare_exact(delivered.value, expected);
  if (c.passed()) {
    Judgement judgement = accepted(close ? accuracy_of_type(truth.dtype) : Accuracy::exact);
    judgement.ratio = c.ratio;
    return judgement;
  }
  Judgement judgement = rejected(finding_from(truth, kContract, c));
  judgement.ratio = c.ratio;
  return judgement;
}

}  // namespace

Expected consult_published(const Call& call) {
  const PreciseScope precise;
  Evaluation evaluation(call);
  const std::vector<at::Tensor> values = evaluation.own(call.task->published);
  Expected expected;
  for (size_t s = 0; s < values.size(); ++s) {
    const Evaluation::Slot& slot = evaluation.slots()[s];
    if (!slot.changed) continue;
    Truth truth = truth_of(call, slot, values[s].clone());
    truth.value = truth.eager;
    truth.shares_input = truth.returned >= 0;  // the published tests do not ask where a result lies
    expected.outputs.push_back(std::move(truth));
  }
  return expected;
}

Judgement judge_published(const Call& call, const Expected& expected, const Delivery& delivery) {
  Judgement total = accepted(Accuracy::exact);
  for (size_t i = 0; i < expected.outputs.size(); ++i)
    if (expected.outputs[i].returned >= 0) merge(total, judge_one(call, expected.outputs[i], delivery[i]));
  return total;
}

}  // namespace kbx
