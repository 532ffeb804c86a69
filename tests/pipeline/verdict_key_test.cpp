// SPDX-License-Identifier: Apache-2.0
// A resumed run keeps a verdict where its key is the same: it has to be another one exactly where the verdict could be.
#include <gtest/gtest.h>

#include "pipeline/judge.h"

namespace kbx {
namespace {

std::string key(void (*change)(JudgeOptions&), Perf perf = Perf::automatic) {
  JudgeOptions options;
  options.perf = perf;
  change(options);
  Candidate candidate;
  candidate.task = "gelu";
  candidate.digest = "d";
  return verdict_key(options, "environment", candidate);
}

void nothing(JudgeOptions&) {}
void (*const kTimingOptions[])(JudgeOptions&) = {
    [](JudgeOptions& o) { o.caches = Caches::warm; },
    [](JudgeOptions& o) { o.compiled_baseline = true; },
    [](JudgeOptions& o) { o.counters = true; },
};

TEST(VerdictKey, AVerdictTimedInAnotherWayIsAnotherVerdict) {
  std::vector<std::string> keys{key(nothing)};
  for (auto change : kTimingOptions) {
    const std::string changed = key(change);
    for (const std::string& other : keys) EXPECT_NE(changed, other);
    keys.push_back(changed);
  }
}

TEST(VerdictKey, WhereNothingIsTimedTheWayOfTimingDecidesNothing) {
  for (auto change : kTimingOptions) EXPECT_EQ(key(change, Perf::off), key(nothing, Perf::off));
}

}  // namespace
}  // namespace kbx
