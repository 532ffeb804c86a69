// SPDX-License-Identifier: Apache-2.0
#include "oracle/kinds/form.h"

#include <c10/core/ScalarType.h>
#include <c10/util/accumulate.h>

#include <limits>

namespace kbx {

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

}  // namespace kbx
