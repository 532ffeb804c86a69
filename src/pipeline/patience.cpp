// SPDX-License-Identifier: Apache-2.0
#include "pipeline/patience.h"

#include <algorithm>

namespace kbx {
namespace {

constexpr double kMostSeconds = 20;
constexpr double kTelling = 1;  // less may be loading a library

double bytes_of(const Case& c) { return static_cast<double>(std::max<int64_t>(input_bytes(c), 1)); }

}  // namespace

bool Patience::bears(const Case& c) const {
  const bool is_own = std::ranges::any_of(own_, [&](const Case& own) { return own.line == c.line; });
  return is_own || seconds_ == 0 || seconds_ / bytes_ * bytes_of(c) <= kMostSeconds;
}

void Patience::note(const Case& c, double oracle_seconds) {
  if (oracle_seconds < kTelling || bytes_of(c) < bytes_) return;
  seconds_ = oracle_seconds;
  bytes_ = bytes_of(c);
}

}  // namespace kbx
