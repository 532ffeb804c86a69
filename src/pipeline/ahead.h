// SPDX-License-Identifier: Apache-2.0
// What is done for a GPU candidate before it is its turn: it is built on other cores, then its runner is started, so that the
// lane finds it loaded, with the GPU context that it has earned by compiling.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "core/candidate.h"
#include "core/result.h"
#include "pipeline/start.h"

namespace kbx {

struct Ready {
  Built built;
  std::optional<Started> started;  // nothing where building failed
};

// One lane's; its functions are called from one thread. At most `kContexts` runners live at a time: contexts are made in the
// driver one after another, so that more would only wait.
class Ahead {
 public:
  static constexpr size_t kContexts = 2;

  using Build = std::function<Result<Built>(const Candidate&, const Task&)>;
  using Start = std::function<Result<Started>(const Candidate&, const Task&, const Built&)>;

  // REQUIRES: both functions are safe from any thread. Their errors are ours.
  Ahead(Build build, Start start);
  ~Ahead();

  // Begins to build. REQUIRES: both live until the candidate is taken, or this ends.
  void announce(const Candidate& candidate, const Task& task);
  bool is_announced(const Candidate& candidate);
  // Whether it would not have to be waited for. REQUIRES: it is announced.
  bool is_ready(const Candidate& candidate);
  // The first of those announced that is ready; waits until one is: a slow build keeps nobody waiting. REQUIRES: there are any.
  const Candidate& next();
  // Waits until it is ready. Error: ours. REQUIRES: it is next(), or nothing else is announced.
  Result<Ready> take(const Candidate& candidate);

  // Starts a candidate that was taken once more, with no other runner on the GPU.
  Result<Started> start_alone(const Candidate& candidate, const Task& task, const Built& built);

  // While it lives no other candidate is started, and none is being started: the GPU is the lane's own.
  class Quiet {
   public:
    explicit Quiet(Ahead& ahead);
    ~Quiet();
    Quiet(const Quiet&) = delete;
    Quiet& operator=(const Quiet&) = delete;

   private:
    Ahead& ahead_;
  };

  // Ends a runner behind the lane's back. Every runner that was given out comes back this way.
  void retire(std::unique_ptr<Runner> runner);
  // Whether another candidate has memory of the GPU now.
  bool accompanied();

 private:
  enum class State { building, waiting, starting, ready };
  struct Entry {
    const Candidate* candidate;
    const Task* task;
    State state = State::building;
    std::optional<Error> error;
    Ready ready;
    std::future<void> build;  // the last member: it uses the others
  };

  void run();
  Entry* find(const Candidate& candidate);  // REQUIRES: the mutex is held
  void end(std::unique_ptr<Runner> runner);

  const Build build_;
  const Start start_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::unique_ptr<Entry>> queue_;
  size_t contexts_ = 0;
  bool clearing_ = false, quiet_ = false, stopping_ = false;
  const Runner* sole_ = nullptr;  // while it lives no other is started
  std::vector<std::future<void>> ending_;
  std::thread starter_;
};

}  // namespace kbx
