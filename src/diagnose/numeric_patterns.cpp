// SPDX-License-Identifier: Apache-2.0
#include "diagnose/numeric_patterns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "diagnose/advice.h"
#include "diagnose/field.h"

namespace kbx {
namespace {

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
  int64_t untouched = 0, first = -1;
  for (size_t e = 0; e < elements; ++e) {
    const auto begin = bytes.begin() + static_cast<int64_t>(e * width), end = begin + static_cast<int64_t>(width);
    if (std::find(values.poison.begin(), values.poison.end(), *begin) == values.poison.end()) continue;
    if (std::count(begin, end, *begin) != static_cast<int64_t>(width) || !f.wrong[e * parts]) continue;
    if (untouched++ == 0) first = static_cast<int64_t>(e);
  }
  // A one-byte value equals the pattern by chance now and then.
  if (untouched == 0 || (width == 1 && untouched * 2 < f.wrong_count())) return std::nullopt;
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

}  // namespace

std::vector<Diagnosis> diagnose_values(const WrongValues& values) {
  const Field field(values);
  std::vector<Diagnosis> found;
  if (field.wrong_count() == 0) return found;
  const auto add = [&](std::optional<Diagnosis> d) {
    if (d) found.push_back(std::move(*d));
  };

  add(not_written(field, values));
  const bool unwritten = !found.empty();
  const std::optional<Diagnosis> zero = unwritten ? std::nullopt : all_zero(field);
  if (zero && field.all_wrong()) add(zero);
  if (found.empty()) add(not_numbers(field));
  if (found.empty() && !zero) add(explain_value(field, values));
  const bool explained = !found.empty();
  add(explain_size(field, values));
  add(explain_place(field));
  if (zero && !field.all_wrong()) add(zero);
  if (found.empty() && !explained) add(precision(field, values.accuracy));
  if (field.all_wrong() || found.empty()) {
    const bool all = field.all_wrong() || field.size() == 1;
    add(diagnosis(all ? "every_element" : "scattered",
                  fmt::format("{} of {} elements are wrong", field.wrong_count(), field.size())));
  }
  return found;
}

}  // namespace kbx
