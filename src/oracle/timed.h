// SPDX-License-Identifier: Apache-2.0
// The truth about timed calls: the judge's own eager result on the same contents, within twice the largest budget that the
// oracle gave each output on other contents of the case, and half a rounding of eager's own.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "oracle/judgement.h"
#include "oracle/oracle.h"

namespace kbx {

class TimedTruth {
 public:
  // `measured`: consult_oracle()'s answer for some contents of the case.
  explicit TimedTruth(const Expected& measured);

  // The reference on this call's contents: outputs with type, shape and `eager`, without value and budget. One evaluation;
  // does not wait for the device.
  Expected run_eager(const Call& call) const;

  // A 0-dim bool tensor where the outputs lie, which nobody has waited for: false where every output is certainly right. True
  // where it may be wrong, or where this cheap look cannot tell: then complete() and judge_outputs() decide.
  at::Tensor doubtful(const Call& call, const Expected& eager, const Delivery& delivery) const;

  // What judge_outputs() needs, from what run_eager() gave for this call.
  Expected complete(const Call& call, Expected eager) const;

 private:
  struct Output {
    Truth like;          // without contents
    double allowed = 0;  // on top of eager's rounding; numeric outputs of floating type only
    bool numeric = false, spread = false;
  };
  // Null where the oracle saw no such output.
  const Output* find(int returned, int argument) const;

  std::vector<Output> outputs_;
};

}  // namespace kbx
