// SPDX-License-Identifier: Apache-2.0
#include "oracle/kinds/pooling_intervals.h"

#include <algorithm>
#include <cmath>

#include "core/check.h"

namespace kbx {
namespace {

constexpr double kSame = 1e-9;              // edges closer than this are one
constexpr double kRoundings = 8 * 0x1p-24;  // relative error of (i + u) alpha in float32, with room to spare

int64_t whole(double x) { return static_cast<int64_t>(std::floor(x)); }
double fraction(double x) { return x - std::floor(x); }

// The phases at which some window's start changes, with 0 and 1.
std::vector<double> edges_of(int64_t out, double alpha) {
  std::vector<double> edges{0, 1};
  for (int64_t i = 1; i + 1 < out; ++i) edges.push_back(1 - fraction(static_cast<double>(i) * alpha));
  std::sort(edges.begin(), edges.end());
  std::vector<double> distinct;
  for (const double phase : edges)
    if (distinct.empty() || phase - distinct.back() > kSame) distinct.push_back(phase);
  distinct.back() = 1;
  return distinct;
}

// `slack`: how far i alpha + phase may be off.
Starts starts_at(double phase, double slack, int64_t in, int64_t out, int64_t kernel, double alpha) {
  const int64_t last = in - kernel;
  if (out == 1) return {phase, phase, {{last, last}}};
  Starts starts{phase, phase, {{0, 0}}};
  for (int64_t i = 1; i + 1 < out; ++i) {
    const double place = static_cast<double>(i) * alpha + phase;
    starts.at.emplace_back(std::clamp<int64_t>(whole(place - slack), 0, last),
                           std::clamp<int64_t>(whole(place + slack), 0, last));
  }
  starts.at.emplace_back(last, last);
  return starts;
}

}  // namespace

// u alpha is uniform on [0, alpha): every phase occurs floor(alpha) times, those below the fraction of alpha once more.
double Intervals::below(double phase) const { return (std::floor(alpha) * phase + std::min(fraction(alpha), phase)) / alpha; }

Intervals pooling_intervals(int64_t in, int64_t out, int64_t kernel) {
  KBX_CHECK(kernel >= 1 && out >= 1 && out + kernel - 1 <= in);
  Intervals intervals;
  intervals.alpha = out == 1 ? 1 : static_cast<double>(in - kernel) / static_cast<double>(out - 1);
  const std::vector<double> edges = edges_of(out, intervals.alpha);
  for (size_t e = 0; e + 1 < edges.size(); ++e) {
    Starts starts = starts_at((edges[e] + edges[e + 1]) / 2, 0, in, out, kernel, intervals.alpha);
    starts.low = edges[e];
    starts.high = edges[e + 1];
    intervals.proper.push_back(std::move(starts));
  }
  const double slack = kRoundings * static_cast<double>(in);
  for (const double phase : edges) intervals.edges.push_back(starts_at(phase, slack, in, out, kernel, intervals.alpha));
  return intervals;
}

}  // namespace kbx
