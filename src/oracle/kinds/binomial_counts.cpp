// SPDX-License-Identifier: Apache-2.0
#include "oracle/kinds/binomial_counts.h"

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Generator.h>
#include <ATen/ops/empty_like.h>
#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <limits>
#include <set>

#include "catalogue/task.h"
#include "contracts/accuracy.h"
#include "contracts/rounding.h"
#include "core/check.h"
#include "oracle/kinds/form.h"
#include "oracle/kinds/significance.h"
#include "oracle/kinds/stochastic.h"
#include "oracle/kinds/uniform_tests.h"

namespace kbx {
namespace {

constexpr const char* kContract = "stochastic:binomial";
constexpr const char* kClaim = "not independent binomial counts (each put to its place in [0, 1) by its own distribution)";
constexpr uint64_t kOwnStream = 0xbb67ae8584caa73b;  // keeps the judge's numbers apart from inputs drawn from the same seed
constexpr int64_t kBlocks = 16;
constexpr int64_t kMostSummed = 512;  // trials up to which probabilities are summed one by one
constexpr int kDigits = 53;           // of the transformed numbers

at::Tensor on_host(const at::Tensor& t, at::IntArrayRef shape) { return t.to(at::kDouble).cpu().expand(shape).contiguous(); }

BinomialLaw law_of(const Call& call, at::IntArrayRef shape) {
  const Args args(call);
  const auto probs = args.maybe_tensor("probs");
  const at::Tensor p = probs ? probs->to(at::kDouble) : args.tensor("logits").to(at::kDouble).sigmoid();
  return {on_host(args.tensor("total_count"), shape), on_host(p, shape), on_host(call.task->chance.before(args), shape)};
}

// The counts behind a result; 0 where the factor is 0.
at::Tensor counts_of(const BinomialLaw& law, const at::Tensor& y) {
  const at::Tensor unseen = law.factor.eq(0);
  return (y.to(at::kDouble).cpu() / law.factor.masked_fill(unseen, 1)).round().masked_fill(unseen, 0).contiguous();
}

at::Tensor outside_support(const BinomialLaw& law, const at::Tensor& y) {
  const at::Tensor s = counts_of(law, y), wide = y.to(at::kDouble).cpu();
  at::Tensor right = s.ge(0).logical_and(s.le(law.trials)).logical_and(wide.eq(round_to(s * law.factor, y.scalar_type())));
  const at::Tensor seen = law.factor.ne(0);
  right = right.logical_and(s.eq(0).logical_or(law.probability.ne(0)));
  right = right.logical_and(s.eq(law.trials).logical_or(law.probability.ne(1)).logical_or(seen.logical_not()));
  return right.logical_not();
}

Finding finding_outside(const Truth& truth, const BinomialLaw& law, const at::Tensor& y, const at::Tensor& wrong) {
  Finding finding = finding_about(truth, kContract);
  const int64_t first = wrong.reshape({-1}).nonzero()[0].item<int64_t>();
  const auto number = [&](const at::Tensor& t) { return t.reshape({-1})[first].item<double>(); };
  finding.wrong = wrong.to(y.device());
  finding.wrong_elements = wrong.sum().item<int64_t>();
  finding.where = index_of(first, truth.shape);
  finding.actual = number(y.to(at::kDouble));
  finding.detail = fmt::format(
      "{} of {} elements are no counts times their factors, first at {}: {:.9g}, where {:.9g} trials with "
      "probability {:.9g} are multiplied by {:.9g}",
      finding.wrong_elements, finding.elements, shape_text(finding.where), finding.actual, number(law.trials),
      number(law.probability), number(law.factor));
  return finding;
}

at::Tensor uniform_like(const at::Tensor& t, uint64_t seed) {
  at::Generator generator = at::globalContext().defaultGenerator(at::kCPU).clone();
  generator.set_current_seed(seed);
  return at::empty_like(t).uniform_(0, 1, generator);
}

// Plain access to the law and to what two seeds gave.
struct Elements {
  at::Tensor held[5];
  const double *trials, *probability, *factor;
  const double* counts[2];
  int64_t size;

  Elements(const BinomialLaw& law, const at::Tensor& a, const at::Tensor& b)
      : held{law.trials, law.probability, law.factor, a.contiguous(), b.contiguous()},
        trials(held[0].const_data_ptr<double>()),
        probability(held[1].const_data_ptr<double>()),
        factor(held[2].const_data_ptr<double>()),
        counts{held[3].const_data_ptr<double>(), held[4].const_data_ptr<double>()},
        size(a.numel()) {}
  // Chance decides, and it can be seen.
  bool seen(int64_t i) const { return factor[i] != 0 && trials[i] > 0 && probability[i] > 0 && probability[i] < 1; }
};

// What comes out uniform if the counts are binomial.
at::Tensor transformed(const Elements& e, int which, const at::Tensor& own) {
  const at::Tensor u = own.reshape({-1}).clone();
  double* at = u.mutable_data_ptr<double>();
  for (int64_t i = 0; i < e.size; ++i) {
    if (!e.seen(i)) continue;
    const BinomialStep step =
        binomial_step(static_cast<int64_t>(e.trials[i]), e.probability[i], static_cast<int64_t>(e.counts[which][i]));
    at[i] = std::clamp(step.below + at[i] * step.at, 0.0, 1 - 0x1p-53);
  }
  return u;
}

// Distances at which careless generators repeat.
std::vector<int64_t> distances(at::IntArrayRef shape, int64_t n) {
  std::set<int64_t> lags{3, 5, 7};
  for (int64_t lag = 1; lag < n; lag *= 2) lags.insert(lag);
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- > 1;) lags.insert(stride *= shape[d]);
  lags.erase(0);
  return {lags.begin(), lags.end()};
}

struct Sum {
  std::vector<double> trials, probability;
  double successes = 0, expected = 0;

  void add(double n, double p, double count) {
    trials.push_back(n);
    probability.push_back(p);
    successes += count;
    expected += n * p;
  }
  TestResult result(const std::string& what) const {
    return {fmt::format("{} {}, expected {:.1f}", successes, what, expected), chernoff_p(trials, probability, successes)};
  }
};

void test_sums(const Elements& e, at::IntArrayRef shape, std::vector<TestResult>& results) {
  Sum both;
  for (const int which : {0, 1}) {
    Sum all;
    std::vector<Sum> blocks(kBlocks);
    std::vector<std::vector<Sum>> marginals;
    if (shape.size() > 1)
      for (const int64_t size : shape) marginals.emplace_back(size);
    for (int64_t i = 0; i < e.size; ++i) {
      if (!e.seen(i)) continue;
      const auto add_to = [&](Sum& sum) { sum.add(e.trials[i], e.probability[i], e.counts[which][i]); };
      add_to(both);
      add_to(all);
      add_to(blocks[i * kBlocks / e.size]);
      int64_t rest = i;
      for (size_t d = marginals.size(); d-- > 0; rest /= shape[d]) add_to(marginals[d][rest % shape[d]]);
    }
    results.push_back(all.result("successes in all"));
    for (int64_t b = 0; b < kBlocks; ++b)
      results.push_back(blocks[b].result(fmt::format("successes in part {} of {}", b + 1, kBlocks)));
    for (size_t d = 0; d < marginals.size(); ++d)
      for (size_t k = 0; k < marginals[d].size(); ++k)
        results.push_back(marginals[d][k].result(fmt::format("successes at index {} of dimension {}", k, d)));
  }
  results.push_back(both.result("successes with both seeds"));
}

// The probability that two draws of n trials have the same number of successes.
double repeat_probability(int64_t n, double probability) {
  const double p = std::min(probability, 1 - probability), odds = p / (1 - p);
  double at = std::exp(static_cast<double>(n) * std::log1p(-p)), sum = at * at;
  for (int64_t k = 0; k < n; ++k) {
    at *= odds * static_cast<double>(n - k) / static_cast<double>(k + 1);
    sum += at * at;
  }
  return std::min(sum, 1.0);
}

// How often two seeds have the same count: for few trials, or unlikely successes, more telling than the leading bits.
void test_same_places(const Elements& e, std::vector<TestResult>& results) {
  Sum same;
  for (int64_t i = 0; i < e.size; ++i) {
    if (!e.seen(i) || e.trials[i] > kMostSummed) continue;
    same.add(1, repeat_probability(static_cast<int64_t>(e.trials[i]), e.probability[i]), e.counts[0][i] == e.counts[1][i]);
  }
  results.push_back(same.result("counts that are the same for two seeds"));
}

std::optional<Finding> not_repeated(const Truth& truth, const at::Tensor& first, const at::Tensor& again) {
  if (first.equal(again)) return std::nullopt;
  Finding finding = finding_about(truth, kContract);
  finding.wrong = first.ne(again);
  finding.wrong_elements = finding.wrong.sum().item<int64_t>();
  finding.where = index_of(finding.wrong.reshape({-1}).nonzero()[0].item<int64_t>(), truth.shape);
  finding.detail =
      fmt::format("the same seed gave other numbers the second time: {} of {} differ", finding.wrong_elements, finding.elements);
  return finding;
}

}  // namespace

BinomialStep binomial_step(int64_t n, double probability, int64_t count) {
  if (n > kMostSummed) {
    const boost::math::binomial_distribution<double> law(static_cast<double>(n), probability);
    return {count == 0 ? 0 : cdf(law, static_cast<double>(count - 1)), pdf(law, static_cast<double>(count))};
  }
  // From the end at which zero successes are not too unlikely to be a number.
  const bool flipped = probability > 0.5;
  const double p = flipped ? 1 - probability : probability, odds = p / (1 - p);
  const int64_t last = flipped ? n - count : count;
  double at = std::exp(static_cast<double>(n) * std::log1p(-p)), below = 0;
  for (int64_t k = 0; k < last; ++k) {
    below += at;
    at *= odds * static_cast<double>(n - k) / static_cast<double>(k + 1);
  }
  return flipped ? BinomialStep{std::max(0.0, 1 - below - at), at} : BinomialStep{below, at};
}

double chernoff_p(const std::vector<double>& trials, const std::vector<double>& probability, double successes) {
  constexpr int kSteps = 12;
  constexpr double kSteepest = 60, kNearEnough = 1e-7;
  double mean = 0;
  for (size_t i = 0; i < trials.size(); ++i) mean += trials[i] * probability[i];
  if (successes == mean) return 1;
  const bool above = successes > mean;
  // Whatever t is, exp(K(t) - t s) bounds the tail on its side, K the logarithm of the moments' generating function. Newton's
  // method for the best t.
  double t = 0;
  for (int step = 0; step < kSteps; ++step) {
    double slope = 0, bend = 0;
    const double e = std::exp(t);
    for (size_t i = 0; i < trials.size(); ++i) {
      const double q = probability[i] * e / (1 - probability[i] + probability[i] * e);
      slope += trials[i] * q;
      bend += trials[i] * q * (1 - q);
    }
    if (bend <= 0) break;
    const double before = t;
    t += std::clamp((successes - slope) / bend, -2.0, 2.0);
    t = above ? std::clamp(t, 0.0, kSteepest) : std::clamp(t, -kSteepest, 0.0);
    if (std::abs(t - before) < kNearEnough) break;
  }
  double log_bound = -t * successes;
  const double grown = std::expm1(t);
  for (size_t i = 0; i < trials.size(); ++i) log_bound += trials[i] * std::log1p(probability[i] * grown);
  return std::min(1.0, 2 * std::exp(log_bound));
}

std::vector<TestResult> test_counts(const BinomialLaw& law, const at::Tensor& a, const at::Tensor& b, uint64_t seed) {
  const Elements e(law, a, b);
  std::vector<TestResult> results;
  bool any = false;
  for (int64_t i = 0; !any && i < e.size; ++i) any = e.seen(i);
  if (!any) return results;
  const at::Tensor ua = transformed(e, 0, uniform_like(law.trials, seed ^ kOwnStream)),
                   ub = transformed(e, 1, uniform_like(law.trials, (seed ^ kOwnStream) + 1));
  for (const at::Tensor& u : {ua, ub}) {
    test_distribution(u, kDigits, results);
    test_independence(u, distances(law.trials.sizes(), e.size), results);
  }
  test_two_seeds(ua, ub, kDigits, results);
  test_sums(e, law.trials.sizes(), results);
  test_same_places(e, results);
  return results;
}

Judgement judge_binomial(const Call& call, const Expected& expected, const std::vector<Delivery>& deliveries) {
  KBX_CHECK_EQ(deliveries.size(), 3u);
  KBX_CHECK_EQ(expected.outputs.size(), 1u);
  const Truth& truth = expected.outputs.front();
  for (const Delivery& delivery : deliveries)
    if (auto finding = wrong_form(truth, delivery.at(0), kContract)) return rejected(std::move(*finding));
  Judgement judgement = accepted(accuracy_of_type(truth.dtype));
  if (deliveries[0][0].value.numel() == 0) return judgement;

  const BinomialLaw law = law_of(call, truth.shape);
  for (const Delivery& delivery : deliveries) {
    const at::Tensor &y = delivery[0].value, wrong = outside_support(law, y);
    if (wrong.any().item<bool>()) return rejected(finding_outside(truth, law, y, wrong));
  }
  const at::Tensor &a = deliveries[0][0].value, &b = deliveries[1][0].value;
  if (auto finding = not_repeated(truth, a, deliveries[2][0].value)) return rejected(std::move(*finding));
  const std::vector<TestResult> results = test_counts(law, counts_of(law, a), counts_of(law, b), call.seed);
  if (results.empty()) return judgement;
  return judge_by_tests(std::move(judgement), truth, kContract, kClaim, results, kMaskFalseAlarm);
}

}  // namespace kbx
