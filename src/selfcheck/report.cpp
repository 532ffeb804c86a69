// SPDX-License-Identifier: Apache-2.0
#include "selfcheck/report.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace kbx {
namespace {

constexpr const char* kKinds[] = {"honest", "degraded", "mutant"};
constexpr const char* kFates[] = {"passed", "rejected", "absent"};

template <size_t n>
int index_of(const char* const (&names)[n], const std::string& name) {
  for (size_t i = 0; i < n; ++i)
    if (name == names[i]) return static_cast<int>(i);
  return 0;
}

// JSON has no infinity.
nlohmann::json number(double x) { return std::isfinite(x) ? nlohmann::json(x) : nlohmann::json("inf"); }
double number(const nlohmann::json& json) {
  return json.is_number() ? json.get<double>() : std::numeric_limits<double>::infinity();
}

}  // namespace

nlohmann::json to_json(const TaskReport& r) {
  nlohmann::json trials = nlohmann::json::array(), blind = nlohmann::json::array();
  for (const Trial& t : r.trials) {
    nlohmann::json trial{{"name", t.name},
                         {"kind", kKinds[static_cast<int>(t.kind)]},
                         {"fate", kFates[static_cast<int>(t.fate)]},
                         {"ratio", number(t.ratio)}};
    if (!t.line.empty()) trial["case"] = t.line;
    if (!t.detail.empty()) trial["detail"] = t.detail;
    if (!t.allowed.empty()) trial["allowed"] = t.allowed;
    trials.push_back(std::move(trial));
  }
  for (const BlindCase& b : r.cannot_tell_tf32)
    blind.push_back({{"case", b.line}, {"ratio", number(b.ratio)}, {"recognised", b.recognised}});
  return {{"task", r.task},   {"contract", r.contract},    {"cases", r.cases},      {"seconds", r.seconds},
          {"trials", trials}, {"cannot_tell_tf32", blind}, {"problems", r.problems}};
}

TaskReport report_from_json(const nlohmann::json& json) {
  TaskReport r{
      .task = json.at("task"), .contract = json.at("contract"), .cases = json.at("cases"), .seconds = json.at("seconds")};
  for (const nlohmann::json& t : json.at("trials"))
    r.trials.push_back({.name = t.at("name"),
                        .kind = static_cast<Kind>(index_of(kKinds, t.at("kind"))),
                        .fate = static_cast<Fate>(index_of(kFates, t.at("fate"))),
                        .ratio = number(t.at("ratio")),
                        .line = t.value("case", ""),
                        .detail = t.value("detail", ""),
                        .allowed = t.value("allowed", "")});
  for (const nlohmann::json& b : json.at("cannot_tell_tf32"))
    r.cannot_tell_tf32.push_back({b.at("case"), number(b.at("ratio")), b.at("recognised")});
  r.problems = json.at("problems").get<std::vector<std::string>>();
  return r;
}

Summary summary_of(const TaskReport& report) {
  Summary s;
  for (const Trial& t : report.trials) {
    if (t.fate == Fate::absent) continue;
    if (t.kind == Kind::honest) {
      ++s.honest;
      if (!s.largest_honest || t.ratio > s.largest_honest->ratio) s.largest_honest = &t;
    } else if (t.kind == Kind::degraded) {
      ++s.degraded;
      if (t.allowed.empty() && (!s.smallest_degraded || t.ratio < s.smallest_degraded->ratio)) s.smallest_degraded = &t;
    } else {
      ++s.mutants;
      s.rejected_mutants += t.fate == Fate::rejected;
    }
  }
  return s;
}

std::string ratio_text(double ratio) { return std::isfinite(ratio) ? fmt::format("{:.2g}", ratio) : "inf"; }

std::string markdown(const std::vector<TaskReport>& reports, const std::string& command, const std::string& device,
                     const std::string& environment) {
  std::string text = fmt::format(
      "# What the judge can tell\n\nMade by `{}` on {} ({}). How to read it: [selfcheck](../selfcheck.md).\n\n"
      "| task | cases | honest: largest ratio | degraded: smallest ratio | mutants rejected | standard cases that cannot tell "
      "TF32 |\n"
      "|---|---|---|---|---|---|\n",
      command, device, environment);
  const auto named = [](const Trial* t) { return t ? fmt::format("{} ({})", ratio_text(t->ratio), t->name) : std::string("-"); };
  for (const TaskReport& r : reports) {
    const Summary s = summary_of(r);
    text += fmt::format("| {} | {} | {} | {} | {} of {} | {} |\n", r.task, r.cases, named(s.largest_honest),
                        named(s.smallest_degraded), s.rejected_mutants, s.mutants, r.cannot_tell_tf32.size());
  }
  std::string allowed;
  for (const TaskReport& r : reports)
    for (const Trial& t : r.trials)
      if (!t.allowed.empty()) allowed += fmt::format("| {} | {} | {} | {} |\n", r.task, t.name, ratio_text(t.ratio), t.allowed);
  if (!allowed.empty()) text += "\nAllowed to pass:\n\n| task | which | ratio | why |\n|---|---|---|---|\n" + allowed;
  std::string refused;
  for (const TaskReport& r : reports)
    for (const Trial& t : r.trials)
      if (t.fate == Fate::absent && t.kind != Kind::mutant && !t.detail.empty())
        refused += fmt::format("| {} | {} | {} |\n", r.task, t.name, t.detail);
  if (!refused.empty()) text += "\nNot computed here:\n\n| task | which | why |\n|---|---|---|\n" + refused;
  std::string problems;
  for (const TaskReport& r : reports)
    for (const std::string& problem : r.problems) problems += fmt::format("- {}: {}\n", r.task, problem);
  if (!problems.empty()) text += "\nProblems:\n\n" + problems;
  std::string blind;
  for (const TaskReport& r : reports)
    for (const BlindCase& b : r.cannot_tell_tf32)
      blind += fmt::format("| {} | `{}` | {} | {} |\n", r.task, b.line, ratio_text(b.ratio), b.recognised ? "yes" : "no");
  if (!blind.empty())
    text +=
        "\nStandard cases where inputs cut to TF32 stay below twice the budget:\n\n"
        "| task | case | ratio | rejected all the same |\n|---|---|---|---|\n" +
        blind;
  return text;
}

}  // namespace kbx
