// SPDX-License-Identifier: Apache-2.0
#include "pipeline/run.h"

#include <algorithm>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>

#include "core/check.h"
#include "ledger/ledger.h"
#include "pipeline/environment.h"
#include "pipeline/judge.h"
#include "pipeline/lane.h"

namespace kbx {
namespace {

// What is left to do, shared by the lanes' threads, and what has become of it.
class Work {
 public:
  Work(const Submission& submission, Ledger& ledger, const std::function<void(const RunProgress&)>& progress)
      : submission_(submission), ledger_(ledger), progress_(progress), verdicts_(submission.candidates.size()) {
    state_.total = submission.candidates.size();
  }

  // Takes what the ledger has already; the rest is to be judged.
  Status begin(const JudgeOptions& options, const std::string& environment) {
    for (size_t i = 0; i < submission_.candidates.size(); ++i) {
      keys_.push_back(verdict_key(options, environment, submission_.candidates[i].candidate));
      auto known = ledger_.find(submission_.candidates[i].candidate.id, keys_[i]);
      if (!known) return known.error();
      if (*known) {
        state_.resumed = true;
        keep(i, **std::move(known));
        ++resumed_;
      } else {
        pending_.push_back(i);
      }
    }
    state_.resumed = false;
    return Done{};
  }

  // One lane until nothing is left. `ahead`: how many it may build before their turn, at least one.
  void drive(Lane& lane, size_t ahead, size_t lanes, const std::atomic<bool>& cancelled) {
    std::deque<size_t> expected;
    while (!cancelled && !failed_) {
      {
        std::lock_guard lock(mutex_);
        // Towards the end the lanes share what is left.
        const size_t share = lanes == 1 ? ahead : std::clamp<size_t>(pending_.size() / (2 * lanes), 1, ahead);
        for (; expected.size() < share && !pending_.empty(); pending_.pop_front()) {
          expected.push_back(pending_.front());
          lane.expect(expected.back());
        }
        if (expected.empty()) return;
        progress_({state_.done, state_.total, false, nullptr, "", id(expected.front())});
      }
      auto [index, judged] = lane.judge_next();
      std::erase(expected, index);
      std::lock_guard lock(mutex_);
      if (cancelled) return;
      note(index, std::move(judged));
      if (lane.alive()) continue;
      pending_.insert(pending_.begin(), expected.begin(), expected.end());  // for another lane
      return;
    }
  }

  RunSummary summary() {
    RunSummary summary;
    for (auto& verdict : verdicts_)
      if (verdict) summary.verdicts.push_back(*std::move(verdict));
    for (size_t i : pending_) troubles_.push_back(id(i) + ": no lane was left to judge it");
    summary.resumed = resumed_;
    summary.troubles = troubles_;
    return summary;
  }
  const std::optional<Error>& error() const { return failed_ ? error_ : none_; }

 private:
  const std::string& id(size_t index) const { return submission_.candidates[index].candidate.id; }

  void note(size_t index, Result<Judged> judged) {
    if (!judged) {
      troubles_.push_back(id(index) + ": " + judged.error().text());
      progress_({++state_.done, state_.total, false, nullptr, troubles_.back(), ""});
      return;
    }
    if (auto status = ledger_.record(judged->verdict, keys_[index], judged->samples); !status) {
      error_ = status.error();
      failed_ = true;
      return;
    }
    keep(index, std::move(judged->verdict));
  }

  void keep(size_t index, Verdict verdict) {
    ++state_.done;
    state_.verdict = &verdict;
    progress_(state_);
    // The ledger has the whole verdict; thousands of logs would not fit here.
    verdict.log.clear();
    verdict.cases.clear();
    verdicts_[index] = std::move(verdict);
  }

  const Submission& submission_;
  Ledger& ledger_;
  const std::function<void(const RunProgress&)>& progress_;
  std::mutex mutex_;
  std::deque<size_t> pending_;
  std::vector<std::string> keys_;
  std::vector<std::optional<Verdict>> verdicts_;
  std::vector<std::string> troubles_;
  RunProgress state_;
  size_t resumed_ = 0;
  std::atomic<bool> failed_ = false;
  std::optional<Error> error_, none_;
};

}  // namespace

Result<RunSummary> run_submission(const Submission& submission, const std::string& submission_path,
                                  const std::filesystem::path& out, JudgeOptions options, const RunDevices& devices,
                                  const std::atomic<bool>& cancelled, const std::function<void(const RunProgress&)>& progress) {
  auto ledger = Ledger::open(out, Ledger::Open::write);
  if (!ledger) return ledger.error();
  RunInfo wanted;
  wanted.submission = submission_path;
  wanted.seed = options.seed;
  wanted.policy = name(options.policy);
  wanted.gate = name(options.gate);
  wanted.device = devices.name;
  wanted.environment = environment_line(options.gpu);
  wanted.kbx_version = kbx_version();
  wanted.candidates = static_cast<int64_t>(submission.candidates.size());
  auto info = ledger->begin_run(wanted);
  if (!info) return info.error();
  options.seed = info->seed;
  std::vector<std::string> ids;
  for (const Intake& intake : submission.candidates) ids.push_back(intake.candidate.id);
  if (auto status = ledger->keep_only(ids); !status) return status.error();

  const size_t lanes = std::max<size_t>(devices.gpus.size(), 1);
  const size_t cores = std::max<size_t>(std::thread::hardware_concurrency() / lanes, 2);
  options.compilers = std::max<size_t>(cores / std::max<size_t>(submission.candidates.size(), 1), 2);
  std::vector<std::unique_ptr<Lane>> all;
  for (const Gpu& gpu : devices.gpus.size() > 1 ? devices.gpus : std::vector<Gpu>()) {
    options.gpu = gpu;
    auto lane = fork_lane(submission, options, cancelled, devices.set_up);
    if (!lane) return lane.error();
    all.push_back(*std::move(lane));
  }
  Work work(submission, *ledger, progress);
  if (auto status = work.begin(options, wanted.environment); !status) return status.error();
  if (all.empty()) {
    if (options.gpu)
      if (auto status = devices.set_up(options); !status) return status.error();
    const auto lane = make_lane(submission, options, cancelled);
    work.drive(*lane, cores, 1, cancelled);
  } else {
    std::vector<std::thread> threads;
    for (auto& lane : all) threads.emplace_back([&] { work.drive(*lane, cores, lanes, cancelled); });
    for (std::thread& thread : threads) thread.join();
  }
  if (work.error()) return *work.error();
  RunSummary summary = work.summary();
  summary.interrupted = cancelled;
  if (!cancelled && summary.troubles.empty())
    if (auto status = ledger->finish_run(); !status) return status.error();
  return summary;
}

}  // namespace kbx
