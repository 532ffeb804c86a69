// SPDX-License-Identifier: Apache-2.0
// Verdicts of every outcome, for tests of whatever stores or shows them.
#pragma once

#include <vector>

#include "core/verdict.h"

namespace kbx::testing {

// All common fields filled with values that differ from their defaults.
inline Verdict verdict_with(Outcome outcome, std::string candidate = "Activation/gelu.py") {
  Verdict v;
  v.candidate = std::move(candidate);
  v.task = "gelu";
  v.category = "Activation";
  v.digest = "d1";
  v.language = Language::cuda;
  v.outcome = std::move(outcome);
  v.entry = "gelu_entry";
  v.cases = {{"standard: input=randn[3]", Stage::standard, true, 0.25, "note"},
             {"boundary: input=randn[0]", Stage::boundary, false, 7, ""}};
  v.diagnosis = {{"last_block", "rows 960 to 999", "mask the tail"}};
  v.kernels = {{"k", "sm_90", 32, 4096, 8}};
  v.gpu_kernels = {{"k", 3, 0.25, 32, 4096, KernelOrigin::own}, {"nvjet_tst", 1, 0.5, 168, 0, KernelOrigin::library}};
  v.operators = {"aten::mm"};
  v.times = {{"build", 0.5}, {"standard", 1.5}};
  v.provenance = {"0.1.0", "paper", "paper", "cuda:0", "landlock+seccomp", "torch 2.11", "t1", 18446744073709551615u};
  v.log = "line 1\nline 2";
  return v;
}

inline Correct timed_correct() {
  Efficiency e;
  e.cases = {{"input=randn[64]", 2e-3, 1e-3, {2, 1.9, 2.1}, "faster", 40}};
  e.speedup = Interval{2, 1.9, 2.1};
  return {Accuracy::fp32, Authorship::mixed, e, 0.375};
}

inline Wrong wrong() {
  return {.line = "outlier: input=randn[3]",
          .contract = "numeric",
          .output = "result",
          .where = "[3, 0]",
          .detail = "off by one",
          .actual = 1.25,
          .expected = 0.5,
          .error = 0.75,
          .budget = 1e-6,
          .wrong_elements = 12,
          .elements = 4112,
          .accuracy = Accuracy::tf32,
          .pattern = "last_block"};
}

inline std::vector<Outcome> every_outcome() {
  return {Unreadable{"line 3 is not JSON"},
          BuildFailed{"no function gelu"},
          Crashed{"SIGSEGV", "case"},
          TimedOut{"case", 8.5},
          OutOfMemory{"case", "4 GiB"},
          wrong(),
          Dishonest{{"a", "b"}},
          timed_correct(),
          NotJudged{"no such device"}};
}

}  // namespace kbx::testing
