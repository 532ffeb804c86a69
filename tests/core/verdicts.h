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
  PerfResult small;
  small.line = "input=randn[64]";
  small.baseline_seconds = 2e-3;
  small.candidate_seconds = 1e-3;
  small.speedup = {2, 1.9, 2.1};
  small.class_ = "faster";
  small.samples = 40;
  small.discarded = 2;
  small.baseline_call_seconds = 2.25e-3;
  small.candidate_call_seconds = 1.5e-3;
  small.call_speedup = Interval{1.5, 1.25, 1.75};
  small.roofline = Roofline{0.625, 0.03125, 0.625, 0.5, Bound::compute};
  small.note = "of four draws";
  e.cases = {small};
  e.speedup = Interval{2, 1.9, 2.1};
  e.call_speedup = Interval{1.5, 1.25, 1.75};
  e.worst = 1.875;
  e.ratio_of_sums = 2.125;
  e.utilisation = 0.625;
  e.iou = 0.5625;
  e.mfu = 0.03125;
  e.speed_of_light = 0.5;
  e.rivals = {{"compile", Interval{1.125, 1.0625, 1.1875}, ""}, {"max-autotune", std::nullopt, "its result is wrong"}};
  e.counters = {{"input=randn[64]", 3e8, 2e8, 0.4375, 0.0625}};
  e.caches = "warm";
  return {Accuracy::fp32, Authorship::mixed, e, 0.375};
}

// Below what the device can do: its times stay, its speedup goes.
inline Correct quarantined_correct() {
  Correct c = timed_correct();
  c.efficiency->cases[0].quarantined = "12 us, at least 40 us";
  c.efficiency->quarantined = "12 us, at least 40 us on input=randn[64]";
  c.efficiency->speedup.reset();
  return c;
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
          quarantined_correct(),
          NotJudged{"no such device"}};
}

}  // namespace kbx::testing
