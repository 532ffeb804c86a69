// SPDX-License-Identifier: Apache-2.0
#include "oracle/kinds/form.h"

#include <c10/core/ScalarType.h>
#include <c10/util/accumulate.h>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>

namespace kbx {
namespace {

std::string describe(const Comparison& c) {
  const std::string place = c.where.empty() ? "it is" : fmt::format("worst at {}:", shape_text(c.where));
  std::string text = fmt::format("{} of {} element{} wrong; {} {:.9g} for {:.9g}", c.wrong_elements, c.elements,
                                 c.elements == 1 ? "" : "s", place, c.actual, c.expected);
  if (c.budget > 0) text += fmt::format(" (error {:.3g}, budget {:.3g})", c.error, c.budget);
  return text;
}

}  // namespace

std::string dtype_name(at::ScalarType dtype) {
  switch (dtype) {
    case at::kByte:
      return "uint8";
    case at::kChar:
      return "int8";
    case at::kShort:
      return "int16";
    case at::kInt:
      return "int32";
    case at::kLong:
      return "int64";
    case at::kHalf:
      return "float16";
    case at::kBFloat16:
      return "bfloat16";
    case at::kFloat:
      return "float32";
    case at::kDouble:
      return "float64";
    case at::kComplexFloat:
      return "complex64";
    case at::kComplexDouble:
      return "complex128";
    case at::kBool:
      return "bool";
    default:
      return c10::toString(dtype);
  }
}

std::string shape_text(at::IntArrayRef shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i) text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

std::vector<int64_t> index_of(int64_t flat, at::IntArrayRef shape) {
  std::vector<int64_t> index(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    index[d] = flat % shape[d];
    flat /= shape[d];
  }
  return index;
}

Finding finding_about(const Truth& truth, const std::string& contract) {
  Finding finding;
  finding.output = truth.name;
  finding.contract = contract;
  finding.elements = c10::multiply_integers(truth.shape);
  return finding;
}

Finding finding_from(const Truth& truth, const std::string& contract, const Comparison& c) {
  Finding finding = finding_about(truth, contract);
  finding.detail = describe(c);
  finding.where = c.where;
  finding.actual = c.actual;
  finding.expected = c.expected;
  finding.error = c.error;
  finding.budget = c.budget;
  finding.wrong_elements = c.wrong_elements;
  finding.elements = c.elements;
  finding.wrong = c.wrong;
  return finding;
}

std::optional<Finding> wrong_form(const Truth& truth, const Delivered& delivered, const std::string& contract) {
  Finding finding = finding_about(truth, contract);
  const at::Tensor& value = delivered.value;
  if (!value.defined()) {
    finding.detail = delivered.problem.empty() ? "nothing was delivered" : delivered.problem;
    return finding;
  }
  if (value.scalar_type() == truth.dtype && value.sizes() == at::IntArrayRef(truth.shape)) return std::nullopt;
  finding.detail = dtype_name(value.scalar_type()) + " of shape " + shape_text(value.sizes()) + " instead of " +
                   dtype_name(truth.dtype) + " of shape " + shape_text(truth.shape);
  return finding;
}

Judgement accepted(Accuracy accuracy) {
  Judgement judgement;
  judgement.passed = true;
  judgement.accuracy = accuracy;
  return judgement;
}

Judgement rejected(Finding finding) {
  Judgement judgement;
  judgement.accuracy = Accuracy::wrong;
  judgement.ratio = std::numeric_limits<double>::infinity();
  judgement.findings.push_back(std::move(finding));
  return judgement;
}

void merge(Judgement& total, Judgement part) {
  total.passed &= part.passed;
  total.ratio = std::max(total.ratio, part.ratio);
  total.accuracy = std::max(total.accuracy, part.accuracy);
  std::move(part.findings.begin(), part.findings.end(), std::back_inserter(total.findings));
}

}  // namespace kbx
