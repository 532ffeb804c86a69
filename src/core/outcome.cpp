// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "core/exit_status.h"
#include "core/utf8.h"
#include "core/verdict.h"

namespace kbx {
namespace {

// "at CASE: what", or either alone.
std::string at_case(const std::string& line, const std::string& what) {
  if (line.empty()) return what;
  if (what.empty()) return "at " + line;
  return fmt::format("{} (at {})", what, line);
}

std::string summary(const Unreadable& o) { return o.reason; }
std::string summary(const BuildFailed& o) { return o.reason; }
std::string summary(const NotJudged& o) { return o.reason; }
std::string summary(const Crashed& o) { return at_case(o.line, o.how); }
std::string summary(const TimedOut& o) { return at_case(o.line, fmt::format("no answer within {:.3g} s", o.seconds)); }
std::string summary(const OutOfMemory& o) { return at_case(o.line, o.how); }
std::string summary(const Dishonest& o) { return fmt::format("{}", fmt::join(o.evidence, "; ")); }

std::string summary(const Wrong& o) {
  std::string what = o.detail;
  if (what.empty()) what = fmt::format("{}{}: {:.6g} for {:.6g}", o.output, o.where, o.actual, o.expected);
  if (!o.pattern.empty()) what = o.pattern + ": " + what;
  return at_case(o.line, what);
}

std::string summary(const Correct& o) {
  std::string text = fmt::format("{}, {}", name(o.accuracy), name(o.authorship));
  if (!o.efficiency) return text;
  if (!o.efficiency->quarantined.empty()) return fmt::format("{}, quarantined: {}", text, o.efficiency->quarantined);
  if (!o.efficiency->withheld.empty()) return fmt::format("{}, speedup withheld: {}", text, o.efficiency->withheld);
  const auto& s = o.efficiency->speedup;
  return s ? fmt::format("{}, {:.2f}x [{:.2f}, {:.2f}]", text, s->value, s->low, s->high) : text;
}

struct Naming {
  const char* operator()(const Unreadable&) const { return "unreadable"; }
  const char* operator()(const BuildFailed&) const { return "build_failed"; }
  const char* operator()(const Crashed&) const { return "crashed"; }
  const char* operator()(const TimedOut&) const { return "timed_out"; }
  const char* operator()(const OutOfMemory&) const { return "out_of_memory"; }
  const char* operator()(const Wrong&) const { return "wrong"; }
  const char* operator()(const Dishonest&) const { return "dishonest"; }
  const char* operator()(const Correct&) const { return "correct"; }
  const char* operator()(const NotJudged&) const { return "not_judged"; }
};

struct Exiting {
  ExitStatus operator()(const Unreadable&) const { return kExitNotBuilt; }
  ExitStatus operator()(const BuildFailed&) const { return kExitNotBuilt; }
  ExitStatus operator()(const Crashed&) const { return kExitDied; }
  ExitStatus operator()(const TimedOut&) const { return kExitDied; }
  ExitStatus operator()(const OutOfMemory&) const { return kExitDied; }
  ExitStatus operator()(const Wrong&) const { return kExitNotCorrect; }
  ExitStatus operator()(const Dishonest&) const { return kExitNotCorrect; }
  ExitStatus operator()(const Correct&) const { return kExitCorrect; }
  ExitStatus operator()(const NotJudged&) const { return kExitNotJudged; }
};

}  // namespace

const char* outcome_name(const Outcome& outcome) { return std::visit(Naming{}, outcome); }

std::string outcome_summary(const Outcome& outcome) {
  std::string text = std::visit([](const auto& o) { return summary(o); }, outcome);
  for (char& c : text)
    if (c == '\n' || c == '\r' || c == '\t') c = ' ';
  constexpr size_t kLongest = 500;
  if (text.size() > kLongest) text = text.substr(0, kLongest) + "...";
  return printable(text);
}

ExitStatus exit_status(const Outcome& outcome) { return std::visit(Exiting{}, outcome); }

const Interval* speedup_of(const Outcome& outcome) {
  const auto* correct = std::get_if<Correct>(&outcome);
  if (!correct || !correct->efficiency) return nullptr;
  const Efficiency& e = *correct->efficiency;
  return e.speedup && e.withheld.empty() && e.quarantined.empty() ? &*e.speedup : nullptr;
}

double total_seconds(const Verdict& verdict) {
  double sum = 0;
  for (const StageTime& t : verdict.times) {
    if (t.stage == "total") return t.seconds;
    sum += t.seconds;
  }
  return sum;
}

}  // namespace kbx
