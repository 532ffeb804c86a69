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

const Efficiency* efficiency_of(const Verdict& v) {
  const auto* correct = std::get_if<Correct>(&v.outcome);
  return correct && correct->efficiency ? &*correct->efficiency : nullptr;
}

Cell speedup(const Verdict& v) {
  if (const Interval* s = speedup_of(v.outcome)) return factor(*s);
  const Efficiency* e = efficiency_of(v);
  if (e && !e->quarantined.empty()) return {"quarantined", Colour::yellow};
  if (e && !e->withheld.empty()) return {"withheld", Colour::yellow};
  return "-";
}

std::optional<double> utilisation(const Verdict& v) {
  return speedup_of(v.outcome) ? efficiency_of(v)->utilisation : std::nullopt;
}

// What the other columns do not say.
std::string reason(const Verdict& v) {
  const auto* correct = std::get_if<Correct>(&v.outcome);
  if (!correct) return outcome_summary(v.outcome);
  std::vector<std::string> why;
  if (correct->authorship != Authorship::authored) why.push_back(name(correct->authorship));
  if (const Efficiency* e = efficiency_of(v))
    for (const std::string& doubt : {e->quarantined, e->withheld})
      if (!doubt.empty()) why.push_back(doubt);
  return fmt::format("{}", fmt::join(why, ", "));
}

// `value` with three digits and no power of ten.
std::string three_digits(double value) { return fmt::format("{:.{}f}", value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0); }

std::string ratio(double r) { return r >= 0.0995 && r < 99.95 ? fmt::format("{:.2f}", r) : fmt::format("{:.3g}", r); }

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

std::string fine_seconds(double s) {
  constexpr std::pair<double, const char*> kUnits[] = {{1e-9, "ns"}, {1e-6, "us"}, {1e-3, "ms"}};
  for (const auto& [unit, name] : kUnits)
    if (s < 999.5 * unit) return fmt::format("{} {}", three_digits(s / unit), name);
  return three_digits(s) + " s";
}

std::string percent(double share) { return fmt::format("{:.{}f} %", share * 100, share < 0.0995 ? 1 : 0); }

std::string factor(double r) { return ratio(r) + "x"; }

std::string factor(const Interval& r) { return fmt::format("{}x [{}, {}]", ratio(r.value), ratio(r.low), ratio(r.high)); }

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
  const bool peaks = std::ranges::any_of(verdicts, [](const Verdict& v) { return utilisation(v).has_value(); });
  std::vector<std::vector<Cell>> rows{{"task", "candidate", "outcome", "accuracy", "gate", "speedup"}};
  if (peaks) rows[0].push_back("peak");
  rows[0].insert(rows[0].end(), {"time", "why"});
  for (const Verdict& v : verdicts) {
    std::vector<Cell> row{v.task.empty() ? "-" : shortened(printable(v.task), kLongestName),
                          shortened(printable(v.candidate), kLongestName),
                          {outcome_name(v.outcome), colour_of(v.outcome)},
                          accuracy(v),
                          gates(v),
                          speedup(v)};
    if (peaks) row.push_back(utilisation(v) ? percent(*utilisation(v)) : "-");
    row.push_back(human_seconds(total_seconds(v)));
    row.push_back(printable(reason(v)));
    rows.push_back(std::move(row));
  }
  return aligned(rows, style) + "\n" + summary_line(verdicts) + "\n" + speed_lines(speed_summary(verdicts));
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

std::string speed_lines(const SpeedSummary& s) {
  if (s.timed == 0) return "";
  const auto whole = [](double share) { return fmt::format("{:.0f}", share * 100); };
  const auto share = [&](const Interval& i) { return fmt::format("{} % [{}, {}]", whole(i.value), whole(i.low), whole(i.high)); };
  std::string faster, thresholds, shares;
  for (const FastP& f : s.fast) {
    if (f.p == 1) faster = share(f.share);
    thresholds += fmt::format("{} ", f.p);
    shares += fmt::format("{} ", whole(f.share.value));
  }
  thresholds.pop_back();
  return fmt::format(
      "faster than eager: {} of {} judged; fast_p at {}: {}%\n"
      "slower than eager: {} of {} timed; {} unclear\n",
      faster, s.judged, thresholds, shares, share(s.slower), s.timed, s.unclear);
}

}  // namespace kbx
