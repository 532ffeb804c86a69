// SPDX-License-Identifier: Apache-2.0
// From "the runner did not answer as asked" to an outcome: the one place where that mapping is decided.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "core/verdict.h"
#include "runner/runner.h"

namespace kbx {

struct Failure {
  Outcome outcome;
  std::string log;                        // traceback or compiler text, for the diagnosis; may be empty
  std::vector<Diagnosis> diagnosis = {};  // where the failure itself tells more than its text
};

// `line`: the case that was called, empty outside calls. REQUIRES: the reply holds no answer.
template <typename T>
Failure failure_of(const Reply<T>& reply, wire::Role role, const std::string& line);

Failure failure_of(const Failed& failed, const std::string& line);
Failure failure_of(const Died& died, const std::string& line);
Failure failure_of(const Late& late, wire::Role role, const std::string& line);
Failure failure_of(const Broken& broken, const std::string& line);

template <typename T>
Failure failure_of(const Reply<T>& reply, wire::Role role, const std::string& line) {
  if (const auto* failed = std::get_if<Failed>(&reply)) return failure_of(*failed, line);
  if (const auto* died = std::get_if<Died>(&reply)) return failure_of(*died, line);
  if (const auto* late = std::get_if<Late>(&reply)) return failure_of(*late, role, line);
  return failure_of(std::get<Broken>(reply), line);
}

}  // namespace kbx
