// SPDX-License-Identifier: Apache-2.0
#include "diagnose/update_patterns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "diagnose/advice.h"
#include "diagnose/field.h"

namespace kbx {
namespace {

constexpr int64_t kEnoughSteps = 4;
constexpr double kAgreement = 1e-3;
constexpr int kMostRepeats = 4096;

// Step taken / step asked for, of the elements where the latter can be seen.
std::vector<double> ratios(const Field& f, const double* before) {
  std::vector<double> all;
  for (int64_t i = 0; i < f.size(); ++i) {
    const double asked = f.r[i] - before[i];
    if (!std::isfinite(f.y[i]) || !(std::abs(asked) > 1e4 * 0x1p-24 * (std::abs(before[i]) + std::abs(f.r[i])))) continue;
    all.push_back((f.y[i] - before[i]) / asked);
  }
  return all;
}

bool all_near(const std::vector<double>& values, double target) {
  return std::all_of(values.begin(), values.end(),
                     [&](double v) { return std::abs(v - target) <= kAgreement * std::max(std::abs(target), 0.1); });
}

std::optional<double> momentum_of(const Call& call) {
  for (const Argument& a : call.arguments)
    if (a.name == "momentum" && a.kind == ArgumentKind::real && a.value.isDouble()) {
      const double m = a.value.toDouble();
      if (m > 0 && m < 1) return m;
    }
  return std::nullopt;
}

// Each repeat moves the value the same part of the way: after k of them it has gone 1 - (1 - m)^k.
std::optional<Diagnosis> repeated(const std::vector<double>& steps, double m, const std::string& name) {
  int most = 1, least = kMostRepeats;
  for (const double s : steps) {
    const double left = 1 - s * m;
    // Many repeats leave nothing, and then any large number would do.
    if (!(left > 10 * kAgreement)) return std::nullopt;
    const double count = std::log(left) / std::log(1 - m);
    const int k = static_cast<int>(std::lround(count));
    if (k < 1 || k > kMostRepeats || std::abs(1 - std::pow(1 - m, k) - s * m) > kAgreement * s * m) return std::nullopt;
    most = std::max(most, k);
    least = std::min(least, k);
  }
  if (most < 2) return std::nullopt;
  return diagnosis("repeated_update",
                   fmt::format("{} was moved {} times by momentum {:.4g} instead of once", name,
                               least == most ? std::to_string(most) : fmt::format("{} to {}", least, most), m));
}

// The part that the call contributes is too small or too large by n / (n - 1).
std::optional<Diagnosis> bias(const Field& f, const double* before, double m, const std::string& name, const Call& call) {
  std::vector<double> shares;
  for (int64_t i = 0; i < f.size(); ++i) shares.push_back((f.y[i] - (1 - m) * before[i]) / (f.r[i] - (1 - m) * before[i]));
  for (const Argument& a : call.arguments) {
    if (a.kind != ArgumentKind::tensor || a.is_out) continue;
    const int64_t n = a.value.toTensor().numel() / std::max<int64_t>(f.size(), 1);
    if (n < 2 || n > 2000) continue;
    const double low = static_cast<double>(n - 1) / static_cast<double>(n);
    for (const bool biased : {true, false}) {
      const double target = biased ? low : 1 / low;
      if (std::all_of(shares.begin(), shares.end(), [&](double s) { return std::abs(s - target) < 0.05 * (1 - low); }))
        return diagnosis("variance_bias", fmt::format("{} takes in a variance divided by {} where {} is asked for", name,
                                                      biased ? n : n - 1, biased ? n - 1 : n));
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Diagnosis> diagnose_update(const WrongValues& values, const at::Tensor& before, const std::string& name,
                                         const Call& call) {
  const Field f(values);
  if (f.size() < kEnoughSteps || before.sizes() != values.actual.sizes() || before.is_complex()) return std::nullopt;
  const at::Tensor start = plain(before);
  const std::vector<double> steps = ratios(f, start.const_data_ptr<double>());
  if (static_cast<int64_t>(steps.size()) < std::max<int64_t>(kEnoughSteps, f.size() / 2)) return std::nullopt;
  if (std::equal(f.y.begin(), f.y.end(), start.const_data_ptr<double>()))
    return diagnosis("not_updated", fmt::format("{} holds what it held before the call", name));
  const std::optional<double> momentum = momentum_of(call);
  if (momentum) {
    if (auto found = bias(f, start.const_data_ptr<double>(), *momentum, name, call)) return found;
    if (all_near(steps, (1 - *momentum) / *momentum))
      return diagnosis("momentum_exchanged",
                       fmt::format("{} moves by 1 - momentum of the way, where momentum = {:.4g} is asked for", name, *momentum));
    if (auto found = repeated(steps, *momentum, name)) return found;
  }
  const double alpha = median_of(steps);
  if (std::abs(alpha - 1) > 10 * kAgreement && all_near(steps, alpha))
    return diagnosis("wrong_step", fmt::format("{} moves by {:.6g} times the step that is asked for", name, alpha));
  return std::nullopt;
}

}  // namespace kbx
