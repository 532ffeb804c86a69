// SPDX-License-Identifier: Apache-2.0
// The judge's end of one runner process, native or Python: requests, deadlines, the memory watchdog, and how it ended.
// Everything that the runner sends is hostile until it is parsed.
#pragma once

#include <chrono>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "runner/channel.h"
#include "runner/child.h"
#include "runner/output_pipe.h"
#include "runner/runner.h"

namespace kbx {

class Session final : public Runner {
 public:
  struct Parts {
    std::unique_ptr<Child> child;
    Channel channel;
    OutputPipe output;
    std::unique_ptr<Arena> arena;
    uint64_t memory_bytes = 0;  // bound on resident memory, the arena not counted; 0: none
  };
  // `started`: when the runner was asked for.
  Session(Parts parts, std::chrono::steady_clock::time_point started);
  ~Session() override;

  // The first request. Error: the runner could not confine itself, or did not come up; `layers` are LayerBits in force.
  Result<uint32_t> lock_down(const wire::Lockdown& lockdown, double seconds);
  // Hands files over by `source` or `cache`. Error: no memory for them, too many, or the runner is gone.
  Status send_files(wire::Type how, const std::vector<RunnerFile>& files);

  Reply<Loaded> load(const LoadRequest& request, double seconds) override;
  Reply<Done> prepare(uint32_t set, const std::string& arguments, uint32_t argument_count,
                      const std::vector<wire::Tensor>& destinations, double seconds) override;
  Reply<ReturnedCalls> call(const std::vector<SetSeed>& calls, double seconds) override;
  Reply<std::vector<uint64_t>> time(wire::Timing how, const std::vector<SetSeed>& calls, double seconds) override;
  Reply<ReturnedCalls> deliver(double seconds) override;
  Reply<std::string> report(double seconds) override;
  Reply<std::vector<RunnerFile>> harvest(double seconds) override;
  void finish(double seconds) override;
  Arena& arena() override { return *parts_.arena; }
  std::string output() override;
  double cpu_seconds() const override { return ended_ ? 0 : kbx::cpu_seconds(parts_.child->pidfd()); }
  uint64_t involuntary_switches() const override { return ended_ ? 0 : kbx::involuntary_switches(parts_.child->pidfd()); }
  void keep_on_core(int core) override {
    if (!ended_) kbx::keep_on_core(parts_.child->pidfd(), core);
  }
  void bound_cpu(double seconds) override { cpu_bound_ = seconds; }
  double start_seconds() const override { return start_seconds_; }

 private:
  using Clock = std::chrono::steady_clock;
  using Ending = std::variant<Died, Late, Broken>;
  // An answer of the type that was waited for, or why there is none.
  using Answer = std::variant<std::string, Failed, Died, Late, Broken>;

  Answer exchange(const std::string& request, const std::vector<int>& descriptors, wire::Type expected, double seconds);
  Reply<ReturnedCalls> returned(Answer answer, size_t calls);
  // Sends within the deadline. False: the session has ended.
  bool send_out(const std::string& request, const std::vector<int>& descriptors, Clock::time_point asked, double seconds);
  // Waits until the socket is ready for `events`. False: the session has ended.
  bool wait_for(short events, Clock::time_point asked, double seconds);
  // Maps what the runner does not know of the arena yet.
  Answer attach(double seconds);

  void watch_memory();
  void note_fault(wire::Reader& reader);
  void end_as_dead();
  void end_as_closed();
  void end_as_late(double seconds);
  void end_as_broken(std::string what);
  template <typename T>
  Reply<T> broken(std::string what);

  Parts parts_;
  Clock::time_point started_, memory_checked_{};
  double start_seconds_ = 0;
  size_t kept_ = 0;  // calls whose results the runner keeps
  std::optional<Ending> ended_;
  std::optional<Fault> fault_;
  bool over_memory_ = false;
  double cpu_bound_ = std::numeric_limits<double>::infinity();
  std::map<uint32_t, std::tuple<int, uint64_t, uint64_t>> attached_;  // segment id -> descriptor, offset, length
};

}  // namespace kbx
