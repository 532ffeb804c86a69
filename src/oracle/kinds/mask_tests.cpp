// SPDX-License-Identifier: Apache-2.0
#include "oracle/kinds/mask_tests.h"

#include <ATen/TensorOperators.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "core/check.h"

namespace kbx {
namespace {

constexpr int64_t kBlocks = 16, kShifts = 2;
constexpr int64_t kMostRows = 2048;  // whose counts are tested together; the test takes the square of it

// A bool tensor's elements in the CPU's memory, in order.
class Bits {
 public:
  explicit Bits(const at::Tensor& t) : held_(t.cpu().contiguous()), data_(held_.const_data_ptr<bool>()) {}
  bool operator[](int64_t i) const { return data_[i]; }
  int64_t size() const { return held_.numel(); }

 private:
  at::Tensor held_;
  const bool* data_;
};

// Distances at which careless generators repeat.
std::vector<int64_t> distances(at::IntArrayRef shape, int64_t n) {
  std::set<int64_t> lags{3, 5, 7};
  for (int64_t lag = 1; lag < n; lag *= 2) lags.insert(lag);
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- > 1;) lags.insert(stride *= shape[d]);
  lags.erase(0);
  return {lags.begin(), lags.end()};
}

double agreement(double keep) { return keep * keep + (1 - keep) * (1 - keep); }

// Two values that are drawn apart agree with probability agreement(keep).
struct Pairs {
  int64_t total = 0, equal = 0;
  void add(bool x, bool y) {
    ++total;
    equal += x == y;
  }
  TestResult result(const std::string& what, double keep) const {
    return {fmt::format("{} agree in {} of {} pairs, expected {:.1f}", what, equal, total,
                        agreement(keep) * static_cast<double>(total)),
            binomial_p(total, agreement(keep), equal)};
  }
};

struct Count {
  int64_t total = 0, kept = 0;
  void add(bool x) {
    ++total;
    kept += x;
  }
  TestResult result(const std::string& where, double keep) const {
    return {fmt::format("{} of {} elements {} are kept, expected {:.1f}", kept, total, where, keep * static_cast<double>(total)),
            binomial_p(total, keep, kept)};
  }
};

// How many rows keep a number near the mean: within half a standard deviation, where some 40 % of all are.
TestResult rows_near_mean(const Bits& kept, const Bits& sure, int64_t length, double keep) {
  std::vector<double> probabilities;
  double expected = 0;
  int64_t near = 0;
  const int64_t rows = std::min(kMostRows, length > 0 ? kept.size() / length : 0);
  for (int64_t r = 0; r < rows; ++r) {
    Count row;
    for (int64_t i = r * length; i < (r + 1) * length; ++i)
      if (sure[i]) row.add(kept[i]);
    const double mean = static_cast<double>(row.total) * keep, distance = std::max(0.5, std::sqrt(mean * (1 - keep)) / 2);
    const auto least = static_cast<int64_t>(std::ceil(mean - distance)), most = static_cast<int64_t>(std::floor(mean + distance));
    probabilities.push_back(binomial_within(row.total, keep, least, most));
    expected += probabilities.back();
    near += row.kept >= least && row.kept <= most;
  }
  return {fmt::format("{} of {} rows keep nearly the same share, expected {:.1f}", near, rows, expected),
          poisson_binomial_p(probabilities, near)};
}

}  // namespace

void test_mask(const at::Tensor& mask, const at::Tensor& certain, const at::Tensor& magnitude, double keep,
               std::vector<TestResult>& results) {
  KBX_CHECK(keep > 0 && keep < 1);
  const Bits kept(mask), sure(certain);
  const int64_t n = kept.size();
  const at::IntArrayRef shape = mask.sizes();

  Count all;
  std::vector<Count> blocks(kBlocks);
  std::vector<std::vector<Count>> marginals;
  for (const int64_t size : shape) marginals.emplace_back(size);
  for (int64_t i = 0; i < n; ++i) {
    if (!sure[i]) continue;
    all.add(kept[i]);
    blocks[i * kBlocks / n].add(kept[i]);
    for (int64_t rest = i, d = mask.dim(); d-- > 0; rest /= shape[d]) marginals[d][rest % shape[d]].add(kept[i]);
  }
  results.push_back(all.result("in all", keep));
  for (int64_t b = 0; b < kBlocks; ++b)
    results.push_back(blocks[b].result(fmt::format("in part {} of {}", b + 1, kBlocks), keep));
  for (size_t d = 0; d < marginals.size(); ++d)
    for (size_t k = 0; k < marginals[d].size(); ++k)
      results.push_back(marginals[d][k].result(fmt::format("at index {} of dimension {}", k, d), keep));

  if (mask.dim() > 1) results.push_back(rows_near_mean(kept, sure, shape.back(), keep));

  const at::Tensor order = magnitude.cpu().flatten().argsort();
  const int64_t* place = order.const_data_ptr<int64_t>();
  Count large;
  for (int64_t k = n / 2; k < n; ++k)
    if (sure[place[k]]) large.add(kept[place[k]]);
  results.push_back(large.result("of the larger half", keep));

  for (const int64_t lag : distances(shape, n))
    for (const int64_t phase : {0, 1}) {
      Pairs pairs;
      for (int64_t i = 0; i + lag < n; ++i)
        if (i / lag % 2 == phase && sure[i] && sure[i + lag]) pairs.add(kept[i], kept[i + lag]);
      results.push_back(pairs.result(fmt::format("elements {} apart", lag), keep));
    }
}

void test_two_masks(const at::Tensor& a, const at::Tensor& b, const at::Tensor& certain, double keep,
                    std::vector<TestResult>& results) {
  const Bits first(a), second(b), sure(certain);
  Count both;
  for (int64_t i = 0; i < first.size(); ++i) {
    if (!sure[i]) continue;
    both.add(first[i]);
    both.add(second[i]);
  }
  results.push_back(both.result("of both masks", keep));
  for (int64_t shift = -kShifts; shift <= kShifts; ++shift) {
    Pairs pairs;
    for (int64_t i = std::max<int64_t>(0, -shift); i < first.size() && i + shift < first.size(); ++i)
      if (sure[i] && sure[i + shift]) pairs.add(first[i], second[i + shift]);
    results.push_back(
        pairs.result(shift == 0 ? "masks of two seeds" : fmt::format("masks of two seeds, one shifted by {},", shift), keep));
  }
}

}  // namespace kbx
