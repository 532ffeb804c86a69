// SPDX-License-Identifier: Apache-2.0
// What every contract asks first: that an output came at all, with the right type and shape.
#pragma once

#include <optional>
#include <string>

#include "contracts/exact.h"
#include "contracts/findings.h"
#include "oracle/judgement.h"
#include "oracle/oracle.h"

namespace kbx {

// A finding about this output with its name, contract and size filled in.
Finding finding_about(const Truth& truth, const std::string& contract);

// Nothing if the delivered value has the truth's type and shape, else what is wrong with it.
std::optional<Finding> wrong_form(const Truth& truth, const Delivered& delivered, const std::string& contract);

// A finding about this output with the worst element of the comparison.
Finding finding_from(const Truth& truth, const std::string& contract, const Comparison& c);

// A judgement without findings.
Judgement accepted(Accuracy accuracy);
// A judgement that rejects for this one reason, with accuracy `wrong`.
Judgement rejected(Finding finding);
// Adds the judgement of another output, or of another call: the worse ratio and accuracy, and all findings.
void merge(Judgement& total, Judgement part);

// "float32", "int64", ... as Python users write it.
std::string dtype_name(at::ScalarType dtype);
// "[3, 4]".
std::string shape_text(at::IntArrayRef shape);
// Index of the flat position in a contiguous tensor of this shape.
std::vector<int64_t> index_of(int64_t flat, at::IntArrayRef shape);

}  // namespace kbx
