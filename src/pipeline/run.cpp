// SPDX-License-Identifier: Apache-2.0
#include "pipeline/run.h"

#include "ledger/ledger.h"
#include "pipeline/environment.h"
#include "pipeline/judge.h"

namespace kbx {

Result<RunSummary> run_submission(const Submission& submission, const std::string& submission_path,
                                  const std::filesystem::path& out, JudgeOptions options, const std::atomic<bool>& cancelled,
                                  const std::function<void(const RunProgress&)>& progress) {
  auto ledger = Ledger::open(out, Ledger::Open::write);
  if (!ledger) return ledger.error();
  RunInfo wanted;
  wanted.submission = submission_path;
  wanted.seed = options.seed;
  wanted.policy = name(options.policy);
  wanted.gate = name(options.gate);
  wanted.device = options.device < 0 ? "cpu" : "cuda:" + std::to_string(options.device);
  wanted.environment = environment_line(options.device);
  wanted.kbx_version = kbx_version();
  wanted.candidates = static_cast<int64_t>(submission.candidates.size());
  auto info = ledger->begin_run(wanted);
  if (!info) return info.error();
  options.seed = info->seed;
  Judge judge(options);

  RunSummary summary;
  RunProgress state;
  state.total = submission.candidates.size();
  std::vector<std::string> ids;
  for (const Intake& intake : submission.candidates) ids.push_back(intake.candidate.id);
  if (auto status = ledger->keep_only(ids); !status) return status.error();

  for (const Intake& intake : submission.candidates) {
    if (cancelled) break;
    const std::string key = judge.key(intake.candidate);
    auto known = ledger->find(intake.candidate.id, key);
    if (!known) return known.error();
    state.resumed = known->has_value();
    if (state.resumed) {
      summary.verdicts.push_back(std::move(**known));
      ++summary.resumed;
    } else {
      progress({state.done, state.total, false, nullptr, "", intake.candidate.id});
      auto judged = judge.judge(intake, cancelled);
      if (cancelled) break;
      if (!judged) {
        summary.troubles.push_back(intake.candidate.id + ": " + judged.error().text());
        progress({++state.done, state.total, false, nullptr, summary.troubles.back(), ""});
        continue;
      }
      if (auto status = ledger->record(judged->verdict, key, judged->samples); !status) return status.error();
      summary.verdicts.push_back(std::move(judged->verdict));
    }
    ++state.done;
    state.verdict = &summary.verdicts.back();
    progress(state);
    // The ledger has the whole verdict; thousands of logs would not fit here.
    Verdict& kept = summary.verdicts.back();
    kept.log.clear();
    kept.cases.clear();
  }
  summary.interrupted = cancelled;
  if (!cancelled && summary.troubles.empty())
    if (auto status = ledger->finish_run(); !status) return status.error();
  return summary;
}

}  // namespace kbx
