// SPDX-License-Identifier: Apache-2.0
#include "validation/report.h"

#include <fmt/format.h>

#include <set>

#include "analysis/fast_p.h"
#include "validation/rates.h"

namespace kbx {
namespace {

// "12 of 240, 5.0 % (2.9 to 8.5)": Wilson's interval.
std::string rate(int part, int whole) {
  if (whole == 0) return "-";
  const Interval i = wilson(part, whole);
  return fmt::format("{} of {}, {:.1f} % ({:.1f} to {:.1f})", part, whole, 100 * i.value, 100 * i.low, 100 * i.high);
}

std::string row(const std::string& name, const Classes& c) {
  return fmt::format("| {} | {} | {} | {} | {} | {} |\n", name, rate(c.faster, c.pairs), rate(c.slower, c.pairs),
                     rate(c.tie, c.pairs), rate(c.unclear, c.pairs), rate(c.covered, c.pairs));
}

Classes sum(const Classes& a, const Classes& b) {
  return {a.pairs + b.pairs, a.faster + b.faster,   a.slower + b.slower,
          a.tie + b.tie,     a.unclear + b.unclear, a.covered + b.covered};
}

constexpr const char* kHead = "| | faster | slower | tie | unclear | interval holds the truth |\n|---|---|---|---|---|---|\n";

std::string scatter(const std::map<std::string, Noise>& noise) {
  if (noise.empty()) return "\nNo pair of the same code was raced: what pairs of processes scatter is not known.\n";
  std::string text =
      "\n| decided by | pairs of processes | from one to the next the ratio scatters by (standard deviation) |\n|---|---|---|\n";
  for (const auto& [clock, of] : noise) text += fmt::format("| {} | {} | {:.2g} % |\n", clock, of.pairs, 100 * of.process_spread);
  return text;
}

std::string same_code(const Rates& rates) {
  return std::string("\n## The same code on both sides\n\n") + kHead + row("one pair of processes", rates.one) +
         row("several", rates.several) + row("all", sum(rates.one, rates.several)) + scatter(rates.noise);
}

std::string more_work(const Rates& rates) {
  std::string text = std::string("\n## A known amount more of the same work\n\n") + kHead;
  std::set<int> levels;
  for (const auto* by : {&rates.narrow, &rates.wide})
    for (const auto& [more, classes] : *by) levels.insert(more);
  for (const int more : levels) {
    if (rates.narrow.contains(more)) text += row(fmt::format("{} %, interval within +-1 %", more), rates.narrow.at(more));
    if (rates.wide.contains(more)) text += row(fmt::format("{} %, wider", more), rates.wide.at(more));
  }
  return text;
}

// A table of the pairs that have something to say there, or nothing.
std::string remarks(const std::string& title, const std::vector<RacedPair>& pairs, std::string RacedPair::*remark) {
  std::string rows;
  for (const RacedPair& p : pairs) {
    std::string words = p.*remark;
    for (char& c : words)
      if (c == '\n' || c == '|') c = ' ';
    if (!words.empty()) rows += fmt::format("| {} | `{}` | {} |\n", p.task, p.line, words);
  }
  return rows.empty() ? "" : fmt::format("\n## {}\n\n| task | case | why |\n|---|---|---|\n{}", title, rows);
}

}  // namespace

std::string validation_page(const Recording& recording) {
  const Conditions& c = recording.conditions;
  const Rates rates = rates_of(recording.pairs);
  std::string text = fmt::format(
      "# What the instrument makes of a known truth\n\nMade by `{}` on {} ({}), {}. How to read it: "
      "[validation](../validation.md).\n\n",
      c.command, c.device, c.environment, c.measured);
  const std::vector<std::string> lacks = shortcomings(rates);
  text += lacks.empty() ? "All that is asked of it holds.\n" : "What is asked of it and does not hold:\n\n";
  for (const std::string& lack : lacks) text += "- " + lack + "\n";
  return text + same_code(rates) + more_work(rates) + remarks("Not raced", recording.pairs, &RacedPair::failed) +
         remarks("Held against honest times", recording.pairs, &RacedPair::alarm);
}

}  // namespace kbx
