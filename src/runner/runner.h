// SPDX-License-Identifier: Apache-2.0
// The judge's end of one runner process: load a candidate, prepare sets of arguments, call, report.
// Whatever a runner says is a claim; malformed messages end it. One thread per Runner.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/result.h"
#include "protocol/wire.h"
#include "runner/arena.h"

namespace kbx {

struct LoadRequest {
  wire::Role role = wire::Role::native;
  std::string path;                  // of the .so or .py as the runner sees it
  std::vector<std::string> entries;  // names to look for, in order; Python falls back to the only function that binds
  std::string schema;
  uint8_t flags = 0;           // wire::LoadFlags
  uint32_t arch = 90;          // compile role: compute capability x 10
  std::string options = "{}";  // JSON, role-specific (docs/protocol.md)
};
struct Loaded {
  std::string entry, how;
};
// One call that came back.
struct Returned {
  uint64_t claimed_ns = 0;
  bool delivered = false;          // native: returned without error; Python: returned something
  std::vector<wire::Leaf> leaves;  // Python: what was returned; native: at most one number (the count)
};
struct ReturnedCalls {
  std::vector<Returned> calls;
  uint32_t bad_accesses = 0;  // so far, under the interpreter
};

// A file on its way into or out of a runner.
struct RunnerFile {
  std::string path;  // relative: of a candidate, or FOLDER/FILE of a Triton cache
  std::string bytes;
};

// Why there is no answer.
struct Failed {
  wire::FailedAt at;
  std::string kind, message, excerpt;
  int line = 0;
};
struct Fault {
  int signal = 0;
  bool write = false;
  uint64_t address = 0;
  uint32_t segment = 0;
  int64_t distance = 0;
};
struct Died {
  int signal = 0, exit_code = 0;
  bool out_of_memory = false;
  std::optional<Fault> fault;
  bool closed_channel = false;  // it lived on without its socket and was killed
};
struct Late {
  double seconds = 0;
  wire::StatusPage status{};
};
struct Broken {
  std::string what;
};  // the protocol was violated

template <typename T>
using Reply = std::variant<T, Failed, Died, Late, Broken>;

class Runner {
 public:
  virtual ~Runner() = default;  // kills what still runs

  // Maps segments of the arena that the runner does not know yet, then loads. Waits at most `seconds`.
  virtual Reply<Loaded> load(const LoadRequest& request, double seconds) = 0;
  virtual Reply<Done> prepare(uint32_t set, const std::string& arguments, uint32_t argument_count,
                              const std::vector<wire::Tensor>& destinations, double seconds) = 0;
  struct SetSeed {
    uint32_t set;
    uint64_t seed;
  };
  virtual Reply<ReturnedCalls> call(const std::vector<SetSeed>& calls, double seconds) = 0;
  // The same calls, timed, and nothing else done meanwhile; without calls an empty exchange. Results are kept until deliver(),
  // which copies them to their destinations, or until the next time(). Claimed nanoseconds: of each call; of queued ones a single
  // sum.
  virtual Reply<std::vector<uint64_t>> time(wire::Timing how, const std::vector<SetSeed>& calls, double seconds) = 0;
  virtual Reply<ReturnedCalls> deliver(double seconds) = 0;
  virtual Reply<std::string> report(double seconds) = 0;
  // The files of its Triton cache, for another runner of the same candidate (Zygote::spawn) and nobody else: they are what the
  // candidate made them, bounded in number and size. Failed where the runner keeps no such cache (a native one).
  virtual Reply<std::vector<RunnerFile>> harvest(double seconds) = 0;

  // Asks it to end by itself, and kills it if it has not within `seconds`: for what is written when a program ends.
  virtual void finish(double seconds) = 0;

  virtual Arena& arena() = 0;
  // What the candidate printed so far: the first and last 32 KiB, with a note on what was cut.
  virtual std::string output() = 0;
  // Processor time that it has used so far; 0 if it has ended.
  virtual double cpu_seconds() const = 0;
  // How often the kernel took a core away from one of its threads so far; 0 if it has ended.
  virtual uint64_t involuntary_switches() const = 0;
  // From now on it runs on that core, with all threads that it starts later.
  virtual void keep_on_core(int core) = 0;
  // From now on a request is also late once cpu_seconds() exceeds `seconds`; infinity: no more.
  virtual void bound_cpu(double seconds) = 0;
  // Seconds from the request to `ready`.
  virtual double start_seconds() const = 0;
};

}  // namespace kbx
