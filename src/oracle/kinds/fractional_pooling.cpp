// SPDX-License-Identifier: Apache-2.0
#include "oracle/kinds/fractional_pooling.h"

#include <ATen/TensorOperators.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/check.h"
#include "oracle/kinds/binomial.h"
#include "oracle/kinds/form.h"
#include "oracle/kinds/pooling_intervals.h"
#include "oracle/kinds/significance.h"
#include "oracle/kinds/stochastic.h"

namespace kbx {
namespace {

constexpr const char* kContract = "stochastic:fractional_pooling";
constexpr int64_t kMostPairs = 1 << 14;  // sequences of rows times columns that are tried for a plane
constexpr int kThresholds = 8;           // phases that are tested, an axis
constexpr int kRows = 0, kColumns = 1;

// One plane of the input and what was made of it.
struct Plane {
  const double* input;
  const double* maxima;
  const int64_t* positions;  // or null
  int64_t height, width, out_height, out_width, kernel_height, kernel_width;
};

// What is known of one axis of one plane: the intervals of phases that explain it.
using Explained = std::vector<std::pair<double, double>>;

bool same(double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); }

// The output at (i, j) is the maximum of the window that starts there, and its position lies in it.
bool is_maximum(const Plane& p, int64_t i, int64_t j, int64_t top, int64_t left) {
  double most = -std::numeric_limits<double>::infinity();
  for (int64_t y = top; y < top + p.kernel_height; ++y)
    for (int64_t x = left; x < left + p.kernel_width; ++x) {
      const double value = p.input[y * p.width + x];
      if (value > most || std::isnan(value)) most = value;  // NaN wins, and stays: nothing is greater
    }
  const double given = p.maxima[i * p.out_width + j];
  if (!same(given, most)) return false;
  if (!p.positions) return true;
  const int64_t position = p.positions[i * p.out_width + j];
  if (position < 0 || position >= p.height * p.width) return false;
  const int64_t y = position / p.width, x = position % p.width;
  return y >= top && y < top + p.kernel_height && x >= left && x < left + p.kernel_width && same(p.input[position], given);
}

bool fits_at(const Plane& p, int64_t i, int64_t j, const Starts& rows, const Starts& columns) {
  const auto [top, other_top] = rows.at[i];
  const auto [left, other_left] = columns.at[j];
  if (is_maximum(p, i, j, top, left)) return true;
  return (other_left != left && is_maximum(p, i, j, top, other_left)) ||
         (other_top != top && (is_maximum(p, i, j, other_top, left) || is_maximum(p, i, j, other_top, other_left)));
}

bool fits(const Plane& p, const Starts& rows, const Starts& columns) {
  for (int64_t i = 0; i < p.out_height; ++i)
    for (int64_t j = 0; j < p.out_width; ++j)
      if (!fits_at(p, i, j, rows, columns)) return false;
  return true;
}

// The first window's start is the same in every sequence, so the first column tests rows by themselves, and vice versa.
std::vector<const Starts*> fitting_rows(const Plane& p, const std::vector<Starts>& candidates, const Starts& columns) {
  std::vector<const Starts*> fitting;
  for (const Starts& rows : candidates) {
    bool all = true;
    for (int64_t i = 0; all && i < p.out_height; ++i) all = fits_at(p, i, 0, rows, columns);
    if (all) fitting.push_back(&rows);
  }
  return fitting;
}

std::vector<const Starts*> fitting_columns(const Plane& p, const std::vector<Starts>& candidates, const Starts& rows) {
  std::vector<const Starts*> fitting;
  for (const Starts& columns : candidates) {
    bool all = true;
    for (int64_t j = 0; all && j < p.out_width; ++j) all = fits_at(p, 0, j, rows, columns);
    if (all) fitting.push_back(&columns);
  }
  return fitting;
}

// Adds what explains the plane, for each axis; nothing if nothing does.
void explain_plane(const Plane& p, const std::vector<Starts>& rows, const std::vector<Starts>& columns, Explained explained[2]) {
  const auto heights = fitting_rows(p, rows, columns.front());
  const auto widths = fitting_columns(p, columns, rows.front());
  int64_t tried = 0;
  std::vector<bool> height_fits(heights.size()), width_fits(widths.size());
  bool any = false;
  for (size_t h = 0; h < heights.size(); ++h)
    for (size_t w = 0; w < widths.size(); ++w) {
      if (height_fits[h] && width_fits[w]) continue;
      // Too many to tell apart (a plane of equal numbers): all that were not ruled out may be.
      const bool enough = any && ++tried > kMostPairs;
      if (!enough && !fits(p, *heights[h], *widths[w])) continue;
      any = height_fits[h] = width_fits[w] = true;
    }
  for (size_t h = 0; h < heights.size(); ++h)
    if (height_fits[h]) explained[kRows].emplace_back(heights[h]->low, heights[h]->high);
  for (size_t w = 0; w < widths.size(); ++w)
    if (width_fits[w]) explained[kColumns].emplace_back(widths[w]->low, widths[w]->high);
}

std::vector<Starts> with_edges(const Intervals& intervals) {
  std::vector<Starts> all = intervals.proper;
  all.insert(all.end(), intervals.edges.begin(), intervals.edges.end());
  return all;
}

// A phase that is tested, and the probability to lie below it.
struct Threshold {
  double phase, below;
};

// Ends of intervals, at most kThresholds of them, evenly chosen.
std::vector<Threshold> thresholds(const Intervals& intervals) {
  const size_t ends = intervals.proper.size() - 1;
  std::vector<Threshold> chosen;
  for (size_t k = 0; k < std::min<size_t>(ends, kThresholds); ++k) {
    const double phase = intervals.proper[ends <= kThresholds ? k : (2 * k + 1) * ends / (2 * kThresholds)].high;
    chosen.push_back({phase, intervals.below(phase)});
  }
  return chosen;
}

enum class Side { below, above, unknown };

Side side(const Explained& explained, const Threshold& threshold) {
  bool below = false, above = false;
  for (const auto& [low, high] : explained) {
    below |= low < threshold.phase || low == high;
    above |= high > threshold.phase || low == high;
  }
  return below && above ? Side::unknown : below ? Side::below : Side::above;
}

// Counts of a yes-or-no property, some of which are unknown.
struct Tally {
  int64_t total = 0, yes = 0, unknown = 0;
  void agree(Side x, Side y) {
    ++total;
    if (x == Side::unknown || y == Side::unknown)
      ++unknown;
    else
      yes += x == y;
  }
  TestResult result(const std::string& what, double probability) const {
    return {fmt::format("{} in {}{} of {}, expected {:.1f}", what, yes, unknown ? fmt::format(" to {}", yes + unknown) : "",
                        total, probability * static_cast<double>(total)),
            binomial_p(total, probability, yes, yes + unknown)};
  }
};

double agreement(const Threshold& s, const Threshold& t) { return s.below * t.below + (1 - s.below) * (1 - t.below); }

using Draws = std::vector<std::array<Explained, 2>>;  // a plane each

// What holds within a seed, over the planes of both.
void test_planes(const Draws (&draws)[2], const std::vector<Threshold> (&ends)[2], int64_t channels,
                 std::vector<TestResult>& results) {
  constexpr const char* kAxis[] = {"rows", "columns"};
  for (const int axis : {kRows, kColumns})
    for (const Threshold& t : ends[axis]) {
      Tally below;
      for (const Draws& planes : draws)
        for (const auto& plane : planes) below.agree(side(plane[axis], t), Side::below);
      results.push_back(below.result(fmt::format("phases of the {} below {:.3g}", kAxis[axis], t.phase), t.below));
      for (const int64_t lag : {int64_t{1}, channels}) {
        Tally pairs;
        for (const Draws& planes : draws)
          for (int64_t i = 0; i + lag < static_cast<int64_t>(planes.size()); ++i)
            if (i / lag % 2 == 0) pairs.agree(side(planes[i][axis], t), side(planes[i + lag][axis], t));
        results.push_back(pairs.result(
            fmt::format("phases of the {} on the same side of {:.3g} for planes {} apart", kAxis[axis], t.phase, lag),
            agreement(t, t)));
      }
    }
  for (const Threshold& s : ends[kRows])
    for (const Threshold& t : ends[kColumns]) {
      Tally pairs;
      for (const Draws& planes : draws)
        for (const auto& plane : planes) pairs.agree(side(plane[kRows], s), side(plane[kColumns], t));
      results.push_back(pairs.result(
          fmt::format("phases of rows and columns on the same side of {:.3g} and {:.3g}", s.phase, t.phase), agreement(s, t)));
    }
}

void test_two_seeds(const Draws& a, const Draws& b, const std::vector<Threshold> (&ends)[2], std::vector<TestResult>& results) {
  for (const int axis : {kRows, kColumns})
    for (const Threshold& t : ends[axis]) {
      Tally pairs;
      for (size_t i = 0; i < a.size(); ++i) pairs.agree(side(a[i][axis], t), side(b[i][axis], t));
      results.push_back(pairs.result(fmt::format("phases of two seeds on the same side of {:.3g}", t.phase), agreement(t, t)));
    }
}

}  // namespace

Judgement judge_fractional_pooling(const Call& call, const Expected& expected, const std::vector<Delivery>& deliveries) {
  KBX_CHECK_EQ(deliveries.size(), 3u);
  for (const Delivery& delivery : deliveries)
    for (size_t i = 0; i < expected.outputs.size(); ++i)
      if (auto finding = wrong_form(expected.outputs[i], delivery.at(i), kContract)) return rejected(std::move(*finding));

  const Truth& truth = expected.outputs.front();
  const bool has_positions = expected.outputs.size() > 1;
  Judgement judgement = accepted(Accuracy::exact);
  for (size_t i = 0; i < expected.outputs.size(); ++i) {
    const at::Tensor &a = deliveries[0][i].value, &again = deliveries[2][i].value;
    const at::Tensor differing = a.ne(again).logical_and_(a.eq(a).logical_or_(again.eq(again)));  // NaN is like NaN
    if (!differing.any().item<bool>()) continue;
    Finding finding = finding_about(expected.outputs[i], kContract);
    finding.wrong = differing;
    finding.wrong_elements = differing.sum().item<int64_t>();
    finding.where = index_of(differing.flatten().nonzero()[0].item<int64_t>(), truth.shape);
    finding.detail = fmt::format("the same seed gave other windows the second time: {} of {} outputs differ",
                                 finding.wrong_elements, finding.elements);
    return rejected(std::move(finding));
  }
  if (deliveries[0][0].value.numel() == 0) return judgement;

  const at::Tensor input = call.task->chance.before(Args(call)).to(at::kDouble).cpu().contiguous();
  const std::vector<int64_t> kernel = Args(call).ints("kernel_size");
  Plane plane{nullptr,        nullptr,      nullptr, input.size(-2), input.size(-1), truth.shape.end()[-2], truth.shape.back(),
              kernel.front(), kernel.back()};
  const Intervals intervals[2] = {pooling_intervals(plane.height, plane.out_height, plane.kernel_height),
                                  pooling_intervals(plane.width, plane.out_width, plane.kernel_width)};
  const std::vector<Starts> all[2] = {with_edges(intervals[kRows]), with_edges(intervals[kColumns])};
  const std::vector<Threshold> ends[2] = {thresholds(intervals[kRows]), thresholds(intervals[kColumns])};
  const int64_t planes = input.numel() / (plane.height * plane.width);

  std::vector<TestResult> results;
  Draws draws[2];
  for (const int seed : {0, 1}) {
    const at::Tensor maxima = deliveries[seed][0].value.to(at::kDouble).cpu().contiguous();
    const at::Tensor positions = has_positions ? deliveries[seed][1].value.cpu().contiguous() : at::Tensor();
    draws[seed].resize(planes);
    for (int64_t n = 0; n < planes; ++n) {
      const int64_t outputs = plane.out_height * plane.out_width;
      plane.input = input.const_data_ptr<double>() + n * plane.height * plane.width;
      plane.maxima = maxima.const_data_ptr<double>() + n * outputs;
      plane.positions = has_positions ? positions.const_data_ptr<int64_t>() + n * outputs : nullptr;
      auto& explained = draws[seed][n];
      explain_plane(plane, intervals[kRows].proper, intervals[kColumns].proper, explained.data());
      if (explained[kRows].empty()) explain_plane(plane, all[kRows], all[kColumns], explained.data());
      if (!explained[kRows].empty()) continue;
      Finding finding = finding_about(truth, kContract);
      finding.where = index_of(n * outputs, truth.shape);
      finding.where.resize(finding.where.size() - 2);
      finding.detail = fmt::format("plane {}: no legal sequence of rows and columns gives these maxima{}",
                                   shape_text(finding.where), has_positions ? " and positions" : "");
      return rejected(std::move(finding));
    }
  }
  test_planes(draws, ends, input.size(-3), results);
  test_two_seeds(draws[0], draws[1], ends, results);
  if (results.empty()) return judgement;

  return judge_by_tests(std::move(judgement), truth, kContract, "windows are not random and independent", results,
                        kMaskFalseAlarm);
}

}  // namespace kbx
