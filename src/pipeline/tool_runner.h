// SPDX-License-Identifier: Apache-2.0
// A runner of its own for a candidate, under a tool of the CUDA toolkit that watches what it does on the GPU.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/candidate.h"
#include "core/result.h"
#include "runner/hosts.h"

namespace kbx {

struct Tool {
  std::vector<std::string> command;  // up to the program
  std::string root;                  // folder that it must see beside /usr; empty if none
  bool follows_forks = true;         // else a Python candidate runs in the process that the tool started
};

// Use from one thread.
class ToolRunner {
 public:
  // `options`: as the candidates' runners are; limits are widened by what a tool takes. `artifact`: of a native candidate.
  // `cache`: of a Python one, as Zygote::spawn takes it. Error: what did not start, with the tool's words.
  static Result<ToolRunner> start(const Tool& tool, RunnerOptions options, const Candidate& candidate,
                                  const std::string& artifact, const std::vector<RunnerFile>& cache);

  // REQUIRES: not finished.
  Runner& runner() { return *runner_; }

  // Ends it; waits until the tool has written its report, at most `seconds`. What the tool printed, and the candidate.
  std::string finish(double seconds);

 private:
  std::unique_ptr<Zygote> zygote_;  // that a Python runner was forked from
  std::unique_ptr<Runner> runner_;  // ends before its zygote
};

// "it printed: ...", the last words of a tool in one line; "it printed nothing".
std::string last_words(const std::string& text);

}  // namespace kbx
