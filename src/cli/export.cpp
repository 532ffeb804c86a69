// SPDX-License-Identifier: Apache-2.0
// `kbx export`.
#include <fmt/format.h>

#include <filesystem>

#include "cli/verbs.h"
#include "core/files.h"
#include "core/json.h"
#include "core/utf8.h"
#include "core/verdict_json.h"
#include "ledger/ledger.h"

namespace kbx {
namespace {

void say_if_unfinished(const RunInfo& run, size_t judged) {
  if (!run.finished.empty()) return;
  fmt::print(stderr, "kbx: the run is unfinished: {} of {} candidates have a verdict\n     `kbx run {} --out ...` resumes it\n",
             judged, run.candidates, printable(run.submission));
}

}  // namespace

int export_ledger(const std::string& dir, const std::string& format, bool brief, const std::string& out) {
  KBX_CHECK_EQ(format, "verdicts");
  const Result<Ledger> ledger = Ledger::open(dir, Ledger::Open::read);
  if (!ledger)
    return complain(ledger.error(),
                    std::filesystem::exists(std::filesystem::path(dir) / "ledger.sqlite") ? kExitTrouble : kExitUsage);
  const auto run = ledger->run();
  if (!run) return complain(run.error(), kExitTrouble);
  auto verdicts = ledger->verdicts();
  if (!verdicts) return complain(verdicts.error(), kExitTrouble);
  if (*run) say_if_unfinished(**run, verdicts->size());
  std::string text;
  for (Verdict& verdict : *verdicts) {
    if (brief) {
      verdict.log.clear();
      std::erase_if(verdict.cases, [](const CaseResult& c) { return c.passed; });
    }
    text += json_line(to_json(verdict)) + "\n";
  }
  if (out.empty()) return print(text);
  if (Status written = write_file(out, text); !written) return complain(written.error(), kExitTrouble);
  return kExitCorrect;
}

}  // namespace kbx
