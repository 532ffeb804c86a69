// SPDX-License-Identifier: Apache-2.0
#include "pipeline/options.h"

namespace kbx {

const char* name(Gate gate) { return gate == Gate::paper ? "paper" : "full"; }

const char* name(Policy policy) {
  switch (policy) {
    case Policy::oracle:
      return "oracle";
    case Policy::paper:
      return "paper";
  }
  return "?";
}

}  // namespace kbx
