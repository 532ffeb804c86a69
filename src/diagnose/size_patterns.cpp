// SPDX-License-Identifier: Apache-2.0
// Wrong elements by what goes into them: the sign or the size of their inputs, the size of their true value.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "diagnose/advice.h"
#include "diagnose/field.h"

namespace kbx {
namespace {

std::optional<Diagnosis> by_sign(const Field& f, const WrongValues& values) {
  for (const NamedTensor& input : values.inputs) {
    if (!input.value.defined() || input.value.sizes() != values.actual.sizes() || input.value.is_complex()) continue;
    const at::Tensor x = plain(input.value);
    if (x.numel() != f.size()) continue;
    const double* data = x.const_data_ptr<double>();
    int64_t negative = 0, positive = 0, wrong_negative = 0, wrong_positive = 0;
    for (int64_t i = 0; i < f.size(); ++i) {
      negative += data[i] < 0;
      positive += data[i] > 0;
      wrong_negative += f.wrong[i] && data[i] < 0;
      wrong_positive += f.wrong[i] && data[i] > 0;
    }
    const auto only = [&](int64_t wrong, int64_t all, int64_t others) {
      return wrong == f.wrong_count() && wrong >= 4 && others >= 4 && wrong * 2 >= all;
    };
    if (only(wrong_negative, negative, positive))
      return diagnosis("negative_inputs", fmt::format("{} of the {} elements with {} < 0 are wrong, none of the others",
                                                      wrong_negative, negative, input.name));
    if (only(wrong_positive, positive, negative))
      return diagnosis("positive_inputs", fmt::format("{} of the {} elements with {} > 0 are wrong, none of the others",
                                                      wrong_positive, positive, input.name));
  }
  return std::nullopt;
}

// The largest magnitude that goes into each element: its own, or all those that a reduction over the last dimensions of
// the input turns into it. Empty where the shapes do not say.
std::vector<double> magnitudes(const at::Tensor& input, const Field& f) {
  const at::Tensor x = plain(input).abs();
  const at::IntArrayRef in = x.sizes(), out = f.shape;
  if (x.numel() == 0 || in.size() < out.size() || !std::equal(out.begin(), out.end(), in.begin())) return {};
  std::vector<double> largest(f.y.size(), 0);
  const int64_t group = x.numel() / f.size();
  const double* data = x.const_data_ptr<double>();
  for (int64_t i = 0; i < x.numel(); ++i) largest[i / group] = std::max(largest[i / group], data[i]);
  return largest;
}

struct Border {
  double least_wrong = std::numeric_limits<double>::infinity(), most_right = 0;
};

// Whether all wrong elements are larger than all right ones, few against many.
std::optional<Border> separated(const Field& f, const std::vector<double>& size) {
  if (f.wrong_count() * 4 > f.size() || (f.wrong_count() < 3 && f.size() < 64)) return std::nullopt;
  Border border;
  for (int64_t i = 0; i < f.size(); ++i) {
    if (f.wrong[i])
      border.least_wrong = std::min(border.least_wrong, size[i]);
    else
      border.most_right = std::max(border.most_right, size[i]);
  }
  if (!(border.least_wrong > border.most_right)) return std::nullopt;
  return border;
}

// As large_inputs, but with a sign: only the most positive inputs, or the most negative ones.
std::optional<Diagnosis> at_one_end(const Field& f, const NamedTensor& input) {
  if (input.value.is_complex() || input.value.sizes() != at::IntArrayRef(f.shape)) return std::nullopt;
  const at::Tensor x = plain(input.value);
  for (const double sign : {1.0, -1.0}) {
    std::vector<double> size(f.y.size());
    std::transform(x.const_data_ptr<double>(), x.const_data_ptr<double>() + f.size(), size.begin(),
                   [&](double v) { return sign * v; });
    const auto border = separated(f, size);
    if (!border || !(border->least_wrong > 0)) continue;
    return diagnosis("large_inputs",
                     fmt::format("the {} wrong elements are those with {} {} {:.4g}; up to {:.4g} all are right", f.wrong_count(),
                                 input.name, sign > 0 ? ">=" : "<=", sign * border->least_wrong, sign * border->most_right));
  }
  return std::nullopt;
}

std::optional<Diagnosis> by_magnitude(const Field& f, const WrongValues& values) {
  for (const NamedTensor& input : values.inputs) {
    if (!input.value.defined()) continue;
    const std::vector<double> sizes = magnitudes(input.value, f);
    if (sizes.empty()) continue;
    if (const auto border = separated(f, sizes))
      return diagnosis("large_inputs",
                       fmt::format("the {} wrong elements are those with |{}| >= {:.4g}; up to {:.4g} all are right",
                                   f.wrong_count(), input.name, border->least_wrong, border->most_right));
    if (auto found = at_one_end(f, input)) return found;
  }
  std::vector<double> smallness(f.r.size());
  std::transform(f.r.begin(), f.r.end(), smallness.begin(), [](double v) { return 1 / std::max(std::abs(v), 1e-300); });
  if (f.wrong_count() < 4) return std::nullopt;
  if (const auto border = separated(f, smallness))
    return diagnosis("small_values", fmt::format("the {} wrong elements are those with |expected| <= {:.3g}", f.wrong_count(),
                                                 1 / border->least_wrong));
  return std::nullopt;
}

}  // namespace

std::optional<Diagnosis> explain_size(const Field& f, const WrongValues& values) {
  if (f.wrong_count() == f.size()) return std::nullopt;
  if (auto found = by_sign(f, values)) return found;
  return by_magnitude(f, values);
}

}  // namespace kbx
