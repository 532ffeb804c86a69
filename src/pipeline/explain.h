// SPDX-License-Identifier: Apache-2.0
// Hands what the pipeline saw to src/diagnose and collects what it recognises.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "catalogue/task.h"
#include "contracts/findings.h"
#include "core/verdict.h"
#include "oracle/judgement.h"
#include "pipeline/failure.h"

namespace kbx {

// A case that was judged and not accepted.
struct WrongCase {
  const Call& call;
  const Expected& expected;
  const Delivery& delivery;  // of the last call
  const Judgement& judgement;
  std::vector<uint8_t> poison;  // the bytes that outputs were filled with
};

// Most specific first; may be empty.
std::vector<Diagnosis> explain_wrong(const WrongCase& wrong);

// What the failure knows itself, else what its outcome and text tell.
std::vector<Diagnosis> explain_failure(const Failure& failure);

}  // namespace kbx
