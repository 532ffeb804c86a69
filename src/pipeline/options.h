// SPDX-License-Identifier: Apache-2.0
// How a candidate is to be judged: what the command line sets, and what a run keeps constant.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/gpus.h"
#include "sandbox/sandbox.h"

namespace kbx {

enum class Gate { paper, full };
enum class Policy { oracle, paper };
enum class Perf { off, automatic, full };
enum class Caches { cold, warm };

struct JudgeOptions {
  std::optional<Gpu> gpu;  // nothing: the CPU
  Gate gate = Gate::full;
  Policy policy = Policy::oracle;
  Perf perf = Perf::automatic;
  uint64_t seed = 0;  // drawn by the caller, after intake
  std::optional<std::string> only_case;
  uint32_t arch = 90;              // compute capability x 10 that Triton and CUDA are compiled for
  int threads = 1;                 // per side, when timing on the CPU
  bool sanitize = false;           // look for more with compute-sanitizer, once the verdict is reached
  Layers layers;                   // as available, or less with --no-sandbox
  double call_seconds = 10;        // a single call of a native candidate
  double interpreter_seconds = 8;  // of processor time, all interpreted calls of a candidate together
  uint32_t max_programs = 20000;   // program instances of one interpreted call; beyond that a GPU is needed
  size_t compilers = 2;            // processes beside each other that may compile for one candidate ahead of a GPU
  double import_seconds = 20;      // loading a candidate: its module level may run tests of its own
  double measure_seconds = 0;      // all perf cases of a candidate together, without starting; 0: sampling_seconds() decides
  Caches caches = Caches::cold;    // what a timed call finds
  bool compiled_baseline = false;  // race torch.compile of the operator too
  bool counters = false;           // hardware counters by ncu; REQUIRES: no layers

  double sampling_seconds() const { return measure_seconds > 0 ? measure_seconds : gpu ? 1.2 : 3; }
  int device() const { return gpu ? gpu->ordinal : -1; }  // as RunnerOptions::device
};

const char* name(Gate gate);
const char* name(Policy policy);

}  // namespace kbx
