// SPDX-License-Identifier: Apache-2.0
#include "diagnose/field.h"

#include <ATen/ops/view_as_real.h>

#include <algorithm>
#include <cmath>

#include "core/check.h"

namespace kbx {
namespace {

// What an explanation may be off by, relative to its value: the candidate's own honest rounding.
double relative_tolerance(at::ScalarType dtype) {
  switch (dtype) {
    case at::kBFloat16:
      return 0x1p-7;
    case at::kHalf:
      return 0x1p-10;
    case at::kFloat:
    case at::kDouble:
    case at::kComplexFloat:
    case at::kComplexDouble:
      return 2e-5;
    default:
      return 0;
  }
}

std::vector<double> numbers(const at::Tensor& tensor) {
  const at::Tensor flat = plain(tensor);
  return {flat.const_data_ptr<double>(), flat.const_data_ptr<double>() + flat.numel()};
}

}  // namespace

at::Tensor plain(const at::Tensor& tensor) {
  const at::Tensor resolved = tensor.is_complex() ? at::view_as_real(tensor.resolve_conj()) : tensor;
  return resolved.to(at::kCPU).to(at::kDouble).contiguous();
}

std::string place(int64_t flat, const std::vector<int64_t>& shape) {
  std::string text;
  for (size_t d = shape.size(); d-- > 0;) {
    text = std::to_string(flat % shape[d]) + (text.empty() ? "" : ", ") + text;
    flat /= shape[d];
  }
  return "[" + text + "]";
}

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<int64_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

Field::Field(const WrongValues& values) {
  KBX_CHECK(values.actual.defined() && values.truth.defined() && values.wrong.defined());
  KBX_CHECK(values.actual.sizes() == values.truth.sizes() && values.actual.sizes() == values.wrong.sizes());
  truth = plain(values.truth);
  shape = truth.sizes().vec();
  y = numbers(values.actual.is_complex() || !values.truth.is_complex() ? values.actual
                                                                       : values.actual.to(values.truth.scalar_type()));
  r = numbers(values.truth);
  KBX_CHECK_EQ(y.size(), r.size());
  at::Tensor mask = values.wrong.to(at::kCPU);
  if (truth.dim() > mask.dim()) mask = mask.unsqueeze(-1).expand(shape);
  mask = mask.to(at::kByte).contiguous();
  wrong.assign(mask.const_data_ptr<uint8_t>(), mask.const_data_ptr<uint8_t>() + mask.numel());
  for (int64_t i = 0; i < size(); ++i)
    if (wrong[i]) wrong_at.push_back(i);

  std::vector<double> budget;
  if (values.budget.defined()) budget = numbers(values.budget);
  const double relative = relative_tolerance(values.actual.scalar_type());
  // The median: a mean would let one outlier make everything near everything.
  std::vector<double> sizes;
  for (const double v : r)
    if (std::isfinite(v) && v != 0) sizes.push_back(std::abs(v));
  const double floor = sizes.empty() ? 0 : 0.05 * relative * median_of(std::move(sizes));
  tolerance.resize(r.size());
  for (size_t i = 0; i < r.size(); ++i) {
    const double b = budget.size() == r.size() && std::isfinite(budget[i]) ? 4 * budget[i] : 0;
    tolerance[i] = std::max(b, floor);
  }
  relative_ = relative;
}

bool Field::near(int64_t i, double prediction) const {
  if (std::isnan(prediction)) return std::isnan(y[i]);
  if (std::isinf(prediction)) return y[i] == prediction;
  return std::abs(y[i] - prediction) <= tolerance[i] + relative_ * std::abs(prediction);
}

bool Field::tells(int64_t i, double prediction) const {
  if (!std::isfinite(prediction) || !std::isfinite(r[i]))
    return prediction != r[i] && !(std::isnan(prediction) && std::isnan(r[i]));
  return std::abs(prediction - r[i]) > 4 * (tolerance[i] + relative_ * std::abs(prediction));
}

bool Field::explained_by(const double* prediction, bool wrong_only) const {
  int64_t considered = 0, fits = 0, wrong_fits = 0, telling = 0;
  for (int64_t i = 0; i < size(); ++i) {
    if (wrong_only && !wrong[i]) continue;
    const bool fit = near(i, prediction[i]);
    ++considered;
    fits += fit;
    wrong_fits += wrong[i] && fit;
    telling += wrong[i] && fit && tells(i, prediction[i]);
  }
  return considered > 0 && fits * 100 >= considered * 99 && wrong_fits * 10 >= wrong_count() * 9 && telling * 2 >= wrong_count();
}

bool Field::explained_by(const at::Tensor& prediction, bool wrong_only) const {
  const at::Tensor flat = plain(prediction);
  return flat.numel() == size() && explained_by(flat.const_data_ptr<double>(), wrong_only);
}

}  // namespace kbx
