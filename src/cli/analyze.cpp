// SPDX-License-Identifier: Apache-2.0
// `kbx analyze`.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "analysis/fast_p.h"
#include "cli/table.h"
#include "cli/verbs.h"
#include "core/json.h"
#include "core/utf8.h"
#include "ledger/ledger.h"

namespace kbx {
namespace {

using Json = nlohmann::ordered_json;

Json as_json(const Interval& i) { return {{"value", i.value}, {"low", i.low}, {"high", i.high}}; }

Json as_json(const std::string& dir, const SpeedSummary& s) {
  Json fast = Json::array();
  for (const FastP& f : s.fast) fast.push_back({{"p", f.p}, {"share", as_json(f.share)}});
  return {{"dir", valid_utf8(dir)}, {"judged", s.judged},          {"timed", s.timed},
          {"fast_p", fast},         {"slower", as_json(s.slower)}, {"unclear", s.unclear}};
}

}  // namespace

int analyze_speed(const std::vector<std::string>& dirs, bool json) {
  Json list = Json::array();
  std::string text;
  for (const std::string& dir : dirs) {
    const Result<Ledger> ledger = Ledger::open(dir, Ledger::Open::read);
    if (!ledger)
      return complain(ledger.error(),
                      std::filesystem::exists(std::filesystem::path(dir) / "ledger.sqlite") ? kExitTrouble : kExitUsage);
    const auto verdicts = ledger->verdicts();
    if (!verdicts) return complain(verdicts.error(), kExitTrouble);
    const SpeedSummary summary = speed_summary(*verdicts);
    list.push_back(as_json(dir, summary));
    const std::string lines = speed_lines(summary);
    if (dirs.size() > 1) text += (text.empty() ? "" : "\n") + printable(dir) + "\n";
    text += summary_line(*verdicts) + "\n" + (lines.empty() ? "nothing was timed\n" : lines);
  }
  return print(json ? list.dump(1) + "\n" : text);
}

}  // namespace kbx
