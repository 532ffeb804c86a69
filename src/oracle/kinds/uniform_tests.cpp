// SPDX-License-Identifier: Apache-2.0
#include "oracle/kinds/uniform_tests.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/bincount.h>
#include <ATen/ops/cat.h>
#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/poisson.hpp>
#include <cmath>

namespace kbx {
namespace {

constexpr int kMostBinBits = 8;        // bf16 has 8 significant bits: finer bins are not honest grids' business
constexpr double kLeastPerBin = 32;    // for the chi-square approximation, which also wants many bins: two are
constexpr int kLeastBinBits = 4;       // equally full too often
constexpr double kApproximation = 10;  // by which its p-values are multiplied
constexpr int kLeadingBits = 3;

// P(X >= count) for a Poisson variable.
double poisson_upper(double mean, int64_t count) {
  if (count == 0) return 1;
  return cdf(complement(boost::math::poisson_distribution<double>(mean), static_cast<double>(count - 1)));
}

std::vector<int64_t> histogram(const at::Tensor& x, int bits) {
  const at::Tensor counts = (x * static_cast<double>(1 << bits)).to(at::kLong).bincount({}, 1 << bits).cpu();
  const int64_t* data = counts.const_data_ptr<int64_t>();
  return {data, data + counts.numel()};
}

// Pairs of equal values among the sorted numbers.
int64_t equal_pairs(const at::Tensor& x) {
  const at::Tensor sorted = std::get<0>(x.sort()).cpu();
  const double* data = sorted.const_data_ptr<double>();
  int64_t pairs = 0, run = 1;
  for (int64_t i = 1; i <= sorted.numel(); ++i) {
    if (i < sorted.numel() && data[i] == data[i - 1]) {
      pairs += run++;
    } else {
      run = 1;
    }
  }
  return pairs;
}

// Values of the coarsest grid that is still taken as uniform: a quarter of the levels that torch's own generator has, for
// float64 those of a 32-bit generator.
double coarsest_levels(int digits) { return std::ldexp(1.0, digits == 53 ? 30 : digits - 2); }

at::Tensor leading_bit(const at::Tensor& x, int bit) { return (x * static_cast<double>(1 << bit)).to(at::kByte).bitwise_and(1); }

int64_t differing(const at::Tensor& a, const at::Tensor& b) { return a.bitwise_xor(b).sum().item<int64_t>(); }

// Whether all numbers have at most `digits` significant bits.
bool all_representable(const at::Tensor& x, int digits) {
  if (digits == 24) return x.to(at::kFloat).to(at::kDouble).equal(x);
  return x.to(digits == 11 ? at::kHalf : at::kBFloat16).to(at::kDouble).equal(x);
}

}  // namespace

void test_distribution(const at::Tensor& x, int digits, std::vector<TestResult>& results) {
  const int64_t n = x.numel();
  const int bits = std::min(kMostBinBits, digits);
  const int64_t bins = int64_t{1} << bits;
  const std::vector<int64_t> counts = histogram(x, bits);
  int64_t below = 0;
  for (int64_t i = 0; i < bins; ++i) {
    const double low = static_cast<double>(i) / static_cast<double>(bins), width = 1.0 / static_cast<double>(bins);
    results.push_back({fmt::format("{} of {} numbers in [{:.4g}, {:.4g}), expected {:.1f}", counts[i], n, low, low + width,
                                   width * static_cast<double>(n)),
                       binomial_p(n, width, counts[i])});
    below += counts[i];
    if (i + 1 < bins)
      results.push_back({fmt::format("{} of {} numbers below {:.4g}", below, n, low + width), binomial_p(n, low + width, below)});
  }

  const int coarse =
      std::min<int>(bits, static_cast<int>(std::floor(std::log2(std::max(1.0, static_cast<double>(n) / kLeastPerBin)))));
  if (coarse < kLeastBinBits) return;
  const int64_t cells = int64_t{1} << coarse, merged = bins / cells;
  const double mean = static_cast<double>(n) / static_cast<double>(cells);
  double statistic = 0;
  for (int64_t c = 0; c < cells; ++c) {
    int64_t count = 0;
    for (int64_t i = 0; i < merged; ++i) count += counts[c * merged + i];
    statistic += (static_cast<double>(count) - mean) * (static_cast<double>(count) - mean) / mean;
  }
  const boost::math::chi_squared_distribution<double> law(static_cast<double>(cells - 1));
  results.push_back({fmt::format("chi-square {:.4g} over {} bins", statistic, cells),
                     std::min(1.0, kApproximation * two_sided(cdf(law, statistic), cdf(complement(law, statistic))))});
}

void test_independence(const at::Tensor& x, const std::vector<int64_t>& lags, std::vector<TestResult>& results) {
  const int64_t n = x.numel();
  for (int bit = 1; bit <= kLeadingBits; ++bit) {
    const at::Tensor b = leading_bit(x, bit);
    for (const int64_t lag : lags) {
      if (lag >= n) continue;
      const int64_t count = differing(b.narrow(0, 0, n - lag), b.narrow(0, lag, n - lag));
      results.push_back({fmt::format("bit {} of numbers {} apart differs in {} of {} pairs", bit, lag, count, n - lag),
                         binomial_p(n - lag, 0.5, count)});
    }
  }
}

void test_resolution(const at::Tensor& x, int digits, std::vector<TestResult>& results) {
  const double n = static_cast<double>(x.numel());
  const int64_t pairs = equal_pairs(x);
  const double mean = n * (n - 1) / 2 / coarsest_levels(digits);
  if (mean > 0)
    results.push_back({fmt::format("{} pairs of equal numbers among {}", pairs, x.numel()), poisson_upper(mean, pairs)});
  for (const int coarser : {8, 11, 24}) {
    if (coarser >= digits || x.numel() < 4 || !all_representable(x, coarser)) continue;
    // Of the multiples of 2^-32 in [0, 1) a share of 5 * 2^-8 fits 24 digits; of those of 2^-23, 7 * 2^-12 fit 11.
    results.push_back({fmt::format("all {} numbers have at most {} significant bits", x.numel(), coarser),
                       std::pow(coarser == 24 ? 5 * 0x1p-8 : 7 * 0x1p-12, n)});
  }
}

void test_two_seeds(const at::Tensor& a, const at::Tensor& b, int digits, std::vector<TestResult>& results) {
  const int64_t n = a.numel();
  if (n == 0) return;
  const double levels = coarsest_levels(digits), size = static_cast<double>(n);
  const int64_t same = a.eq(b).sum().item<int64_t>();
  const boost::math::binomial_distribution<double> law(size, 1 / levels);
  results.push_back({fmt::format("{} of {} numbers are the same for two seeds", same, n),
                     same == 0 ? 1 : cdf(complement(law, static_cast<double>(same - 1)))});
  const int64_t common = equal_pairs(at::cat({a, b})) - equal_pairs(a) - equal_pairs(b);
  results.push_back(
      {fmt::format("{} pairs of equal numbers between two seeds", common), poisson_upper(size * size / levels, common)});
  for (int bit = 1; bit <= kLeadingBits; ++bit) {
    const int64_t count = differing(leading_bit(a, bit), leading_bit(b, bit));
    results.push_back(
        {fmt::format("bit {} differs between two seeds in {} of {} places", bit, count, n), binomial_p(n, 0.5, count)});
  }
}

}  // namespace kbx
