// SPDX-License-Identifier: Apache-2.0
#include "cli/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/utf8.h"

namespace kbx {
namespace {

constexpr size_t kLongestName = 40;
constexpr size_t kNarrowestReason = 24;

std::string gates(const Verdict& v) { return v.full_gate ? "full" : v.paper_gate ? "paper" : "-"; }

std::string accuracy(const Verdict& v) {
  if (const auto* correct = std::get_if<Correct>(&v.outcome)) return name(correct->accuracy);
  if (const auto* wrong = std::get_if<Wrong>(&v.outcome)) return name(wrong->accuracy);
  return "-";
}

const Interval* speedup_of(const Verdict& v) {
  const auto* correct = std::get_if<Correct>(&v.outcome);
  return correct && correct->efficiency && correct->efficiency->speedup ? &*correct->efficiency->speedup : nullptr;
}

std::string speedup(const Verdict& v) {
  const Interval* s = speedup_of(v);
  return s ? fmt::format("{:.2f}x [{:.2f}, {:.2f}]", s->value, s->low, s->high) : "-";
}

// What the other columns do not say.
std::string reason(const Verdict& v) {
  const auto* correct = std::get_if<Correct>(&v.outcome);
  if (!correct) return outcome_summary(v.outcome);
  if (correct->authorship != Authorship::authored) return name(correct->authorship);
  return correct->efficiency && !correct->efficiency->speedup ? correct->efficiency->withheld : "";
}

}  // namespace

Colour colour_of(const Outcome& outcome) {
  if (std::holds_alternative<Correct>(outcome)) return Colour::green;
  if (std::holds_alternative<NotJudged>(outcome)) return Colour::yellow;
  return Colour::red;
}

std::string human_seconds(double s) {
  if (s < 0.0995) return fmt::format("{:.0f} ms", s * 1e3);
  if (s < 9.95) return fmt::format("{:.2f} s", s);
  if (s < 120) return fmt::format("{:.0f} s", s);
  const long whole = std::lround(s);
  return fmt::format("{} min {} s", whole / 60, whole % 60);
}

std::string aligned(const std::vector<std::vector<Cell>>& rows, const Style& style) {
  if (rows.empty()) return "";
  std::vector<size_t> widths(rows.front().size());
  for (const auto& row : rows)
    for (size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], code_points(row[c].text));
  const size_t last = widths.size() - 1;
  size_t before = 0;
  for (size_t c = 0; c < last; ++c) before += widths[c] + 2;
  if (style.width > 0) widths[last] = std::max(style.width > before ? style.width - before : 0, kNarrowestReason);
  std::string out;
  for (const auto& row : rows) {
    const bool heading = &row == &rows.front();
    std::string line;
    size_t gap = 0;
    for (size_t c = 0; c < row.size(); ++c) {
      const std::string text = c == last ? shortened(row[c].text, widths[c]) : row[c].text;
      if (text.empty()) {
        gap += widths[c] + 2;
        continue;
      }
      const std::optional<Colour> colour = heading ? Colour::bold : row[c].colour;
      line += std::string(gap, ' ') + (colour ? coloured(text, *colour, style) : text);
      gap = widths[c] - std::min(widths[c], code_points(text)) + 2;
    }
    out += line + "\n";
  }
  return out;
}

std::string verdict_table(const std::vector<Verdict>& verdicts, const Style& style) {
  if (verdicts.empty()) return summary_line(verdicts) + "\n";
  std::vector<std::vector<Cell>> rows{{"task", "candidate", "outcome", "accuracy", "gate", "speedup", "time", "why"}};
  for (const Verdict& v : verdicts)
    rows.push_back({v.task.empty() ? "-" : shortened(printable(v.task), kLongestName),
                    shortened(printable(v.candidate), kLongestName),
                    {outcome_name(v.outcome), colour_of(v.outcome)},
                    accuracy(v),
                    gates(v),
                    speedup(v),
                    human_seconds(total_seconds(v)),
                    printable(reason(v))});
  return aligned(rows, style) + "\n" + summary_line(verdicts) + "\n";
}

std::string summary_line(const std::vector<Verdict>& verdicts) {
  std::map<size_t, std::pair<std::string, size_t>> counts;
  for (const Verdict& v : verdicts) {
    auto& [outcome, n] = counts[v.outcome.index()];
    outcome = outcome_name(v.outcome);
    ++n;
  }
  std::vector<std::pair<std::string, size_t>> sorted;
  for (const auto& [index, count] : counts) sorted.push_back(count);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return (a.first == "correct") > (b.first == "correct"); });
  std::string text = fmt::format("{} candidate{}", verdicts.size(), verdicts.size() == 1 ? "" : "s");
  const char* separator = ": ";
  for (const auto& [outcome, n] : sorted) {
    text += fmt::format("{}{} {}", separator, n, outcome);
    separator = ", ";
  }
  return text;
}

}  // namespace kbx
