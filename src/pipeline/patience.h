// SPDX-License-Identifier: Apache-2.0
// Which further sizes of a task the oracle is asked about.
#pragma once

#include "catalogue/cases.h"

namespace kbx {

// Truths that are computed number by number on the host (the Airy function's) take minutes for sizes that a GPU calls within a
// millisecond.
class Patience {
 public:
  // Whether the oracle would take at most 20 s, in proportion to the inputs of the largest case that it has taken a second for.
  bool bears(const Case& c) const;
  void note(const Case& c, double oracle_seconds);

 private:
  double seconds_ = 0, bytes_ = 0;
};

}  // namespace kbx
