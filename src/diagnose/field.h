// SPDX-License-Identifier: Apache-2.0
// A wrong output laid out for pattern search: plain arrays in row-major order. Internal to src/diagnose.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "diagnose/numeric_patterns.h"

namespace kbx {

struct Field {
  std::vector<int64_t> shape;     // complex values: a last dimension of two
  std::vector<double> y, r;       // delivered, true
  std::vector<double> tolerance;  // absolute part of what a prediction of y may be off
  std::vector<uint8_t> wrong;
  std::vector<int64_t> wrong_at;  // flat positions, ascending
  at::Tensor truth;               // r, float64 on the CPU, contiguous

  // REQUIRES: as diagnose_values.
  explicit Field(const WrongValues& values);
  int64_t size() const { return static_cast<int64_t>(y.size()); }
  int64_t wrong_count() const { return static_cast<int64_t>(wrong_at.size()); }
  bool all_wrong() const { return wrong_count() * 10 >= size() * 9; }

  bool near(int64_t i, double prediction) const;
  // Whether the prediction says clearly something else than the truth.
  bool tells(int64_t i, double prediction) const;
  // The prediction explains at least 99 % of the elements (all, or the wrong ones only) and 90 % of the wrong ones, and tells
  // on at least half of these.
  bool explained_by(const double* prediction, bool wrong_only) const;
  bool explained_by(const at::Tensor& prediction, bool wrong_only) const;

 private:
  double relative_ = 0;
};

// REQUIRES: not empty.
double median_of(std::vector<double> values);
// Float64, contiguous, on the CPU; complex as pairs.
at::Tensor plain(const at::Tensor& tensor);
// "[3, 0]" for a flat position.
std::string place(int64_t flat, const std::vector<int64_t>& shape);

// What another formula would give (value_patterns.cpp), which inputs go into the wrong elements (size_patterns.cpp), and
// where they lie (place_patterns.cpp). REQUIRES: some element is wrong.
std::optional<Diagnosis> explain_value(const Field& field, const WrongValues& values);
std::optional<Diagnosis> explain_size(const Field& field, const WrongValues& values);
// How exact the values are (precision_patterns.cpp): in a narrower type, or with the error of numbers near one.
std::optional<Diagnosis> narrow_type(const Field& field, const WrongValues& values);
std::optional<Diagnosis> cancellation(const Field& field, const WrongValues& values);
std::optional<Diagnosis> explain_place(const Field& field);

}  // namespace kbx
