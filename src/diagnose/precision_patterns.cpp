// SPDX-License-Identifier: Apache-2.0
// Wrong values that resemble the truth: what their rounding says about how they were computed.
#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "diagnose/advice.h"
#include "diagnose/field.h"

namespace kbx {
namespace {

constexpr int64_t kEnoughDistinct = 8;

double rounded(double v, at::ScalarType type) {
  switch (type) {
    case at::kBFloat16:
      return static_cast<float>(c10::BFloat16(static_cast<float>(v)));
    case at::kHalf:
      return static_cast<float>(c10::Half(static_cast<float>(v)));
    default:
      return static_cast<float>(v);
  }
}

struct Errors {
  double relative = 0, rms = 0, most = 0;  // relative: of the norms
};

// Over the wrong elements; nothing if one is not finite.
std::optional<Errors> errors(const Field& f) {
  double error = 0, size = 0;
  Errors all;
  for (const int64_t i : f.wrong_at) {
    if (!std::isfinite(f.y[i]) || !std::isfinite(f.r[i])) return std::nullopt;
    error += (f.y[i] - f.r[i]) * (f.y[i] - f.r[i]);
    size += f.r[i] * f.r[i];
    all.most = std::max(all.most, std::abs(f.r[i]));
  }
  all.relative = std::sqrt(error / size);
  all.rms = std::sqrt(error / static_cast<double>(f.wrong_count()));
  return all;
}

std::vector<double> distinct(const Field& f) {
  std::vector<double> values;
  for (const int64_t i : f.wrong_at) values.push_back(f.y[i]);
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

// Every value lies in the narrower type, where hardly a true one does.
bool lies_in(const Field& f, at::ScalarType type) {
  int64_t in = 0, true_in = 0;
  for (const int64_t i : f.wrong_at) {
    in += rounded(f.y[i], type) == f.y[i];
    true_in += rounded(f.r[i], type) == f.r[i];
  }
  return in == f.wrong_count() && true_in * 10 <= f.wrong_count();
}

}  // namespace

std::optional<Diagnosis> narrow_type(const Field& f, const WrongValues& values) {
  const at::ScalarType own = values.actual.scalar_type();
  if (!at::isFloatingType(own) && !at::isComplexType(own)) return std::nullopt;
  const bool wide = c10::toRealValueType(own) == at::kDouble;
  if (!wide && c10::toRealValueType(own) != at::kFloat) return std::nullopt;
  const std::optional<Errors> e = errors(f);
  if (!e || !(e->relative < 0.05) || static_cast<int64_t>(distinct(f).size()) < kEnoughDistinct) return std::nullopt;
  for (const at::ScalarType type : {at::kBFloat16, at::kHalf, at::kFloat}) {
    if ((type == at::kFloat && !wide) || !lies_in(f, type)) continue;
    const char* const name = type == at::kBFloat16 ? "bfloat16" : type == at::kHalf ? "float16" : "float32";
    return diagnosis("narrow_type", fmt::format("all {} wrong values are {} numbers, rms relative error {:.2g}, in a {} output",
                                                f.wrong_count(), name, e->relative, wide ? "float64" : "float32"));
  }
  // 2^-27 to 2^-18: rounding in float32 somewhere on the way, be it only once.
  if (wide && e->relative > 0x1p-27 && e->relative < 0x1p-18)
    return diagnosis("narrow_type",
                     fmt::format("rms relative error {:.2g} in a float64 output is that of float32 arithmetic", e->relative));
  return std::nullopt;
}

std::optional<Diagnosis> cancellation(const Field& f, const WrongValues& values) {
  const at::ScalarType real = c10::toRealValueType(values.actual.scalar_type());
  if ((real != at::kFloat && real != at::kDouble) || f.wrong_count() < 16) return std::nullopt;
  // The spacing of numbers just below one.
  const double step = real == at::kFloat ? 0x1p-24 : 0x1p-53;
  const std::optional<Errors> e = errors(f);
  if (!e || e->most > 0x1p-6 || e->rms > 2 * step || e->rms < step / 16) return std::nullopt;
  // As coarse as numbers near one: the smallest gap between values is about that spacing, where chance would give far less.
  const std::vector<double> levels = distinct(f);
  if (static_cast<int64_t>(levels.size()) < kEnoughDistinct) return std::nullopt;
  double gap = levels.back() - levels.front();
  for (size_t i = 1; i < levels.size(); ++i) gap = std::min(gap, levels[i] - levels[i - 1]);
  const double n = static_cast<double>(f.wrong_count());
  if (gap < step / 4 || (levels.back() - levels.front()) / (n * n) > gap / 16) return std::nullopt;
  return diagnosis(
      "cancellation",
      fmt::format("values up to {:.2g} come in steps of {:.2g}, like differences of numbers near one", e->most, gap));
}

}  // namespace kbx
