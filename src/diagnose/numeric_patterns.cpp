// SPDX-License-Identifier: Apache-2.0
#include "diagnose/numeric_patterns.h"

#include <ATen/ops/abs.h>
#include <ATen/ops/max.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "diagnose/advice.h"
#include "diagnose/field.h"

namespace kbx {
namespace {

// exp(x) leaves the range of float16 from 11 on, exp(x) + exp(x) a little earlier.
constexpr double kLeastToOverflow = 8;

std::vector<uint8_t> raw_bytes(const at::Tensor& tensor) {
  const at::Tensor flat = tensor.to(at::kCPU).resolve_conj().resolve_neg().contiguous();
  const auto* data = static_cast<const uint8_t*>(flat.const_data_ptr());
  return {data, data + flat.nbytes()};
}

std::optional<Diagnosis> not_written(const Field& f, const WrongValues& values) {
  if (values.poison.empty()) return std::nullopt;
  const std::vector<uint8_t> bytes = raw_bytes(values.actual);
  const size_t width = values.actual.element_size();
  const size_t elements = bytes.size() / width, parts = f.y.size() / std::max<size_t>(elements, 1);
  int64_t untouched = 0, first = -1, last = -1;
  for (size_t e = 0; e < elements; ++e) {
    const auto begin = bytes.begin() + static_cast<int64_t>(e * width), end = begin + static_cast<int64_t>(width);
    if (std::find(values.poison.begin(), values.poison.end(), *begin) == values.poison.end()) continue;
    if (std::count(begin, end, *begin) != static_cast<int64_t>(width) || !f.wrong[e * parts]) continue;
    if (untouched++ == 0) first = static_cast<int64_t>(e);
    last = static_cast<int64_t>(e);
  }
  // A one-byte value equals the pattern by chance now and then.
  if (untouched == 0 || (width == 1 && untouched * 2 < f.wrong_count())) return std::nullopt;
  const auto all = static_cast<int64_t>(elements);
  // Too much for a mask: programs are missing. (A true value may look like the filling, so that holes prove nothing.)
  const bool whole_end = last == all - 1 && untouched * 10 >= (all - first) * 9;
  if (width > 1 && first > 0 && whole_end && (all - first) * 4 >= all && all - first >= 8)
    return diagnosis("stops_early", fmt::format("the first {} of {} elements are stored, and nothing from {} on", first, all,
                                                place(first, values.actual.sizes().vec())));
  return diagnosis("not_written", fmt::format("{} of {} elements were never stored, the first at {}", untouched, elements,
                                              place(first, values.actual.sizes().vec())));
}

std::optional<Diagnosis> not_numbers(const Field& f) {
  struct Count {
    int64_t elements = 0, first = -1;
    void add(int64_t i) {
      if (elements++ == 0) first = i;
    }
  } nan, infinite, lost;
  for (const int64_t i : f.wrong_at) {
    if (std::isnan(f.y[i]) && !std::isnan(f.r[i]))
      nan.add(i);
    else if (std::isinf(f.y[i]) && std::isfinite(f.r[i]))
      infinite.add(i);
    else if (std::isfinite(f.y[i]) && !std::isfinite(f.r[i]))
      lost.add(i);
  }
  const auto say = [&](const char* pattern, const Count& count, const char* what) {
    return diagnosis(pattern, fmt::format("{} of {} elements are {}, the first at {} (expected {:.6g})", count.elements, f.size(),
                                          what, place(count.first, f.shape), f.r[count.first]));
  };
  if (nan.elements > 0) return say("nan", nan, "NaN");
  if (infinite.elements > 0) return say("infinite", infinite, "infinite");
  if (lost.elements > 0) return say("nan_lost", lost, "finite");
  return std::nullopt;
}

std::optional<Diagnosis> all_zero(const Field& f) {
  for (const int64_t i : f.wrong_at)
    if (f.y[i] != 0) return std::nullopt;
  return diagnosis("all_zero", f.all_wrong() ? std::string("every element is zero")
                                             : fmt::format("all {} wrong elements are zero", f.wrong_count()));
}

std::optional<Diagnosis> precision(const Field& f, Accuracy accuracy) {
  if (accuracy == Accuracy::wrong || accuracy == Accuracy::exact) return std::nullopt;
  double error = 0, size = 0;
  for (const int64_t i : f.wrong_at) {
    error += (f.y[i] - f.r[i]) * (f.y[i] - f.r[i]);
    size += f.r[i] * f.r[i];
  }
  // The class may rest on the size of the error alone, which is no proof: a large error is a bug first.
  const double relative = std::sqrt(error / size);
  if (!(relative < 0.05)) return std::nullopt;
  return diagnosis(accuracy == Accuracy::poor ? "poor_algorithm" : "precision",
                   fmt::format("rms relative error {:.2g} on the wrong elements: {}", relative, name(accuracy)));
}

// Not a number, and only where the inputs are large: exp and powers overflow.
std::optional<Diagnosis> overflow(const WrongValues& values, const std::optional<Diagnosis>& not_a_number,
                                  const std::optional<Diagnosis>& size) {
  const bool large = std::any_of(values.inputs.begin(), values.inputs.end(), [](const NamedTensor& input) {
    return input.value.defined() && input.value.numel() > 0 && input.value.abs().max().item<double>() >= kLeastToOverflow;
  });
  if (!large || !not_a_number || not_a_number->pattern == "nan_lost" || !size || size->pattern != "large_inputs")
    return std::nullopt;
  return diagnosis("overflow", not_a_number->evidence + "; " + size->evidence);
}

}  // namespace

std::vector<Diagnosis> diagnose_values(const WrongValues& values) {
  const Field field(values);
  std::vector<Diagnosis> found;
  if (field.wrong_count() == 0) return found;
  const auto add = [&](std::optional<Diagnosis> d) {
    if (d) found.push_back(std::move(*d));
    return !found.empty();
  };

  const std::optional<Diagnosis> unwritten = not_written(field, values);
  if (unwritten && unwritten->pattern == "stops_early") return {*unwritten};
  const std::optional<Diagnosis> zero = unwritten ? std::nullopt : all_zero(field);
  const std::optional<Diagnosis> no_number = unwritten || zero ? std::nullopt : not_numbers(field);
  std::optional<Diagnosis> size = explain_size(field, values);
  if (auto both = overflow(values, no_number, size)) return {*both};
  const bool close = !unwritten && !zero && !no_number;
  // Where the values come from says all about how they are spread.
  if (close && (add(narrow_type(field, values)) || add(cancellation(field, values)))) return found;

  add(unwritten);
  if (zero && field.all_wrong()) add(zero);
  add(no_number);
  if (close) add(explain_value(field, values));
  const bool explained = !found.empty();
  const bool by_size = size.has_value();
  add(std::move(size));
  std::optional<Diagnosis> spread = explain_place(field);
  if (!(by_size && spread && spread->pattern == "one_element")) add(std::move(spread));
  if (zero && !field.all_wrong()) add(zero);
  if (found.empty() && !explained) add(precision(field, values.accuracy));
  if (found.empty()) {
    const bool all = field.all_wrong() || field.size() == 1;
    add(diagnosis(all ? "every_element" : "scattered",
                  fmt::format("{} of {} elements are wrong", field.wrong_count(), field.size())));
  }
  return found;
}

}  // namespace kbx
