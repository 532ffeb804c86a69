// SPDX-License-Identifier: Apache-2.0
#include "oracle/explanation.h"

#include <ATen/ops/_unique.h>
#include <ATen/ops/view_as_complex.h>
#include <ATen/ops/view_as_real.h>
#include <c10/util/Exception.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "contracts/accuracy.h"
#include "contracts/rounding.h"
#include "contracts/tally.h"
#include "core/check.h"
#include "oracle/evaluation.h"
#include "oracle/precise_scope.h"

namespace kbx {
namespace {

constexpr int64_t kFewestElements = 16;
constexpr double kExplained = 0.25;  // honest candidates: 0.539 and more (docs/tolerance.md)
constexpr int kTf32Digits = 11;
constexpr double kApart = 2;  // ratios of two explanations, from which on one of them is the better
constexpr std::string_view kNearestTf32 = "TF32", kHalf = "fp16";

struct Cut {
  std::string_view precision;
  Accuracy accuracy;
  at::Tensor (*apply)(const at::Tensor& x);
};

// TF32 to the nearest and fp16 keep the same digits: which of the two it was shows only where fp16's range matters.
const Cut kCuts[] = {
    {kNearestTf32, Accuracy::tf32, [](const at::Tensor& x) { return round_significand(x, kTf32Digits); }},
    {kHalf, Accuracy::fp16, [](const at::Tensor& x) { return round_to(x, at::kHalf); }},
    {"truncated TF32", Accuracy::tf32, [](const at::Tensor& x) { return truncate_significand(x, kTf32Digits); }},
    {"bf16", Accuracy::bf16, [](const at::Tensor& x) { return round_to(x, at::kBFloat16); }},
};

bool is_vector(const at::Tensor& t) { return t.dim() <= 1; }

// A bias is often added in full precision to a product of cut operands: both ways are tried where there is one.
std::vector<bool> ways_with_vectors(const Inputs& inputs) {
  bool vectors = false, others = false;
  for (const at::Tensor& t : inputs)
    if (t.is_floating_point() || t.is_complex()) (is_vector(t) ? vectors : others) = true;
  return vectors && others ? std::vector<bool>{true, false} : std::vector<bool>{true};
}

Inputs cut(const Inputs& inputs, const Cut& how, bool vectors_too) {
  return map_floating(cast_to(inputs, at::kDouble), [&](const at::Tensor& x) {
    if (!vectors_too && is_vector(x)) return x;
    return x.is_complex() ? at::view_as_complex(how.apply(at::view_as_real(x.resolve_conj()).contiguous())) : how.apply(x);
  });
}

void compute(const Call& call, Expected::Explanations& explanations) {
  explanations.computed = true;
  const PreciseScope precise;
  Evaluation evaluation(call);
  if (!evaluation.is_in(at::kFloat) || !evaluation.has_real_inputs()) return;
  evaluation.own();
  const auto truth_function = call.task->oracle ? call.task->oracle : call.task->reference;
  for (const Cut& how : kCuts) {
    for (const bool vectors_too : ways_with_vectors(evaluation.inputs())) {
      std::vector<at::Tensor> results, values;
      try {
        results = evaluation.in_precision(truth_function, cut(evaluation.inputs(), how, vectors_too), at::kDouble);
      } catch (const c10::Error&) {  // cut to zero, an input may be one that the task refuses
        continue;
      }
      for (size_t s = 0; s < results.size(); ++s)
        if (evaluation.slots()[s].changed) values.push_back(results[s]);
      explanations.hypotheses.push_back({std::string(how.precision), how.accuracy, std::move(values)});
    }
  }
}

// Equal elements are one piece of evidence, and a line fits through two of them.
bool has_few_values(const at::Tensor& t) { return std::get<0>(at::_unique(flat(t), /*sorted=*/true)).numel() < kFewestElements; }

}  // namespace

std::optional<Explanation> explain(const Call& call, const Expected& expected, size_t output, const at::Tensor& y) {
  const Truth& truth = expected.outputs.at(output);
  if (c10::toRealValueType(truth.dtype) != at::kFloat || y.numel() < kFewestElements) return std::nullopt;
  if (!expected.explanations) return std::nullopt;
  Expected::Explanations& explanations = *expected.explanations;
  if (!explanations.computed) compute(call, explanations);

  std::optional<Explanation> best;
  double tf32 = kExplained, fp16 = kExplained;
  std::vector<at::Tensor> values;
  std::vector<const Expected::Explanations::Hypothesis*> hypotheses;
  for (const auto& hypothesis : explanations.hypotheses) {
    if (hypothesis.values.at(output).sizes() != y.sizes()) continue;
    values.push_back(hypothesis.values[output]);
    hypotheses.push_back(&hypothesis);
  }
  const std::vector<ResidualRatios> ratios = residual_ratios(y, truth.value, values);
  for (size_t i = 0; i < ratios.size(); ++i) {
    const auto& hypothesis = *hypotheses[i];
    const double ratio = std::fmin(ratios[i].plain, ratios[i].fitted);  // NaN explains nothing
    if (!(ratio < kExplained)) continue;
    if (!best || ratio < best->ratio) best = Explanation{hypothesis.precision, hypothesis.accuracy, ratio};
    if (hypothesis.precision == kNearestTf32) tf32 = std::min(tf32, ratio);
    if (hypothesis.precision == kHalf) fp16 = std::min(fp16, ratio);
  }
  const bool either = std::max(tf32, fp16) < kExplained && std::max(tf32, fp16) < kApart * std::min(tf32, fp16);
  if (best && either && (best->precision == kNearestTf32 || best->precision == kHalf))
    best = Explanation{fmt::format("{} or {}", kNearestTf32, kHalf), Accuracy::tf32, best->ratio};
  if (best && (has_few_values(y) || has_few_values(truth.value.to(truth.dtype)))) return std::nullopt;
  return best;
}

}  // namespace kbx
