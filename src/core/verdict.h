// SPDX-License-Identifier: Apache-2.0
// The closed result of judging a candidate. One struct per outcome, so that a field exists exactly where it means something.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/candidate.h"

namespace kbx {

enum class Stage { build, standard, outlier, boundary, published, measure };
// The precision that an output shows. `poor`: fp32 arithmetic by an inaccurate algorithm.
enum class Accuracy { exact, fp64, fp32, tf32, fp16, bf16, poor, wrong };
// Who did the computing: the candidate's own kernels, both, or the library.
enum class Authorship { authored, mixed, delegated };
// Whose a kernel is that ran on the GPU. `neutral`: fills, copies, random numbers.
enum class KernelOrigin { own, library, neutral };

// A failure pattern recognised from the data.
struct Diagnosis {
  std::string pattern;   // identifier, listed in docs/verdicts.md
  std::string evidence;  // what was seen, with numbers
  std::string advice;    // what usually causes it and what to try
};

// A ratio with its 95 % interval.
struct Interval {
  double value = 0, low = 0, high = 0;
};

// One case that was called and verified.
struct CaseResult {
  std::string line;  // accepted verbatim by --case
  Stage stage = Stage::standard;
  bool passed = false;
  double ratio = 0;  // largest error beyond the output's own rounding / budget; > 1 is rejected; 0 for exact contracts that pass
  std::string note;  // empty, or why it was skipped or failed, one line
};

// What holds a kernel back: the traffic of memory, arithmetic, or the cost of a launch (a call, on the CPU).
enum class Bound { memory, compute, latency };

// Where a time lies between nothing and what the device can do. Sources: measure/roofline.h.
struct Roofline {
  double iou = 0;             // least bytes / time / peak bandwidth at that footprint
  double mfu = 0;             // operations / time / peak of the unit that does them
  double utilisation = 0;     // the larger of the two
  double speed_of_light = 0;  // least possible time / time
  Bound bound = Bound::memory;
};

// A timed perf case. Times in seconds, medians over all samples; `seconds` is GPU time on a GPU and call time on the CPU.
struct PerfResult {
  std::string line;
  double baseline_seconds = 0, candidate_seconds = 0;
  Interval speedup;    // baseline / candidate
  std::string class_;  // "faster", "slower", "tie", "unclear"
  int samples = 0;     // blocks that count, per side
  int discarded = 0;   // blocks that the machine disturbed
  // Of a whole call, host included, by the judge's clock. On the CPU the same as above.
  double baseline_call_seconds = 0, candidate_call_seconds = 0;
  std::optional<Interval> call_speedup;
  std::optional<Roofline> roofline;  // of the candidate; absent where no cost or no peak is known
  std::string quarantined;           // why the time cannot be true; empty if it can
  std::string note;                  // what a reader of the numbers has to know; empty if nothing
};

// One timed sample of one side of a perf case: seconds per call within one block.
struct TimingSample {
  std::string line;  // the perf case
  std::string side;  // "candidate", "baseline" (eager), "compile", "max-autotune"
  std::string clock =
      "judge";      // "judge": the judge's, around calls; "gpu": CUPTI's, in the runner; "pace": the judge's, queued calls
  int process = 0;  // which pair of processes
  int block = 0;    // interleaved block that it belongs to
  double seconds = 0;
  bool discarded = false;
};

// Another baseline that the candidate was raced against.
struct Rival {
  std::string name;                 // "compile", "max-autotune"
  std::optional<Interval> speedup;  // rival / candidate; absent where it was not raced
  std::string not_raced;            // why: it does not compile, or its result is wrong
};

// What ncu's hardware counters say of the candidate in one perf case (--counters).
struct Counters {
  std::string line;
  double dram_bytes = 0, least_bytes = 0;  // read and written; the cost model's minimum
  double occupancy = 0;                    // active warps / what the SMs hold, weighted by time; 0 to 1
  double tensor_cores = 0;                 // share of cycles in which the tensor cores work; 0 to 1
};

struct Efficiency {
  std::vector<PerfResult> cases;
  std::optional<Interval> speedup;  // geometric mean over the perf cases; absent if withheld or quarantined
  std::string withheld;             // the reason, where speedup is absent
  std::string quarantined;          // the same where a time lies below what the device can do
  std::optional<Interval> call_speedup;
  double worst = 0;          // least speedup of a case; 0: none
  double ratio_of_sums = 0;  // the paper's: sum of the baseline's times / sum of the candidate's; 0: none
  std::optional<double> utilisation, iou, mfu, speed_of_light;  // geometric means over the cases that have them
  std::vector<Rival> rivals;
  std::vector<Counters> counters;
  std::string caches = "cold";  // or "warm"
};

struct Unreadable {
  std::string reason;
};
struct BuildFailed {
  std::string reason;
};  // does not compile, or does not bind to the schema
struct Crashed {
  std::string how;
  std::string line;
};  // how: "raised TypeError: ...", "exited with 3", "SIGSEGV ..."; line: the case, empty outside calls
struct TimedOut {
  std::string line;
  double seconds = 0;
};
struct OutOfMemory {
  std::string line;
  std::string how;
};
struct Wrong {
  std::string line;      // the case
  std::string contract;  // "numeric", "exact", "indices", "integrity", ...
  std::string output;    // name of the output (or of the changed input)
  std::string where;     // "[3, 0]", empty where no element is to blame
  std::string detail;    // one sentence: what was expected and what came
  double actual = 0, expected = 0, error = 0, budget = 0;
  int64_t wrong_elements = 0, elements = 0;
  Accuracy accuracy = Accuracy::wrong;
  std::string pattern;  // the first diagnosis' pattern, "" if none
};
struct Dishonest {
  std::vector<std::string> evidence;
};
struct Correct {
  Accuracy accuracy = Accuracy::exact;
  Authorship authorship = Authorship::authored;
  std::optional<Efficiency> efficiency;
  std::optional<double> own_share = std::nullopt;  // of the GPU time of own and library kernels; absent where that was not seen
};
struct NotJudged {
  std::string reason;
};

using Outcome = std::variant<Unreadable, BuildFailed, Crashed, TimedOut, OutOfMemory, Wrong, Dishonest, Correct, NotJudged>;

// One Triton or CUDA kernel as the compiler made it.
struct KernelReport {
  std::string name, arch;
  int registers = 0, shared_bytes = 0, spills = 0;
};

// One kernel as the GPU ran it in the correctness stages, all its launches together.
struct GpuKernel {
  std::string name;
  int64_t launches = 0;
  double seconds = 0;
  int registers = 0, shared_bytes = 0;
  KernelOrigin origin = KernelOrigin::own;
};

struct StageTime {
  std::string stage;  // "build", "oracle", "standard", ...
  double seconds = 0;
};

// Under which conditions the verdict was reached.
struct Provenance {
  std::string kbx_version, policy = "oracle", gate = "full", device = "cpu";
  std::string sandbox;      // "namespaces+landlock+seccomp", "landlock+seccomp", "none"
  std::string environment;  // versions of torch, triton, compiler, driver; one line
  std::string task_digest;  // of the task's definition (schema, cases, contract)
  uint64_t seed = 0;
};

struct Verdict {
  std::string candidate, task, category, digest;
  Language language = Language::triton;
  Outcome outcome;
  std::string entry;        // the function that was taken; empty before binding
  bool paper_gate = false;  // passed standard and outlier
  bool full_gate = false;   // passed boundary too
  std::vector<CaseResult> cases;
  std::vector<Diagnosis> diagnosis;
  std::vector<KernelReport> kernels;
  std::vector<GpuKernel> gpu_kernels;  // longest first; empty without a GPU
  std::vector<std::string> operators;  // library operators that computed (census), for authorship
  std::vector<StageTime> times;
  Provenance provenance;
  std::string log;  // the lines of build and run output that matter
};

// "unreadable", "build_failed", "crashed", "timed_out", "out_of_memory", "wrong", "dishonest", "correct", "not_judged".
const char* outcome_name(const Outcome& outcome);
// One line for a table: the reason, the case, the accuracy, ...
std::string outcome_summary(const Outcome& outcome);
// What may be quoted: of something correct that was timed and whose times are neither withheld nor quarantined; else null.
const Interval* speedup_of(const Outcome& outcome);
// Wall time of judging: the stage "total", or the sum of the stages where there is none.
double total_seconds(const Verdict& verdict);
const char* name(Stage stage);
const char* name(Accuracy accuracy);
const char* name(Authorship authorship);
const char* name(KernelOrigin origin);
const char* name(Bound bound);

}  // namespace kbx
