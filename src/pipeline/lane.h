// SPDX-License-Identifier: Apache-2.0
// One device that judges the candidates of a submission one after another: in this process, or in one of its own for each of
// several GPUs.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "core/result.h"
#include "intake/intake.h"
#include "pipeline/judge.h"
#include "pipeline/options.h"

namespace kbx {

// Indices are those of the submission's candidates. Use from one thread.
class Lane {
 public:
  virtual ~Lane() = default;
  // Will be judged: the lane may begin to build it.
  virtual void expect(size_t index) = 0;
  struct Outcome {
    size_t index;
    Result<Judged> judged;  // as Judge::judge
  };
  // One of those expected, whichever is ready first. REQUIRES: there are any.
  virtual Outcome judge_next() = 0;
  // False: its process is gone, and with it what it would still have judged. The last outcome then is one of those, with an
  // Error.
  virtual bool alive() const { return true; }
};

// REQUIRES: `submission` and `cancelled` outlive the lane; so for both kinds.
std::unique_ptr<Lane> make_lane(const Submission& submission, const JudgeOptions& options, const std::atomic<bool>& cancelled);

// A process that first does `set_up` (which makes its GPU usable) and dies with this one. REQUIRES: libtorch has not touched a
// GPU in this process, and no other thread runs but the one that starts children. Error: no process to be had.
Result<std::unique_ptr<Lane>> fork_lane(const Submission& submission, const JudgeOptions& options,
                                        const std::atomic<bool>& cancelled,
                                        const std::function<Status(const JudgeOptions&)>& set_up);

}  // namespace kbx
