// SPDX-License-Identifier: Apache-2.0
#include "cli/page.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/table.h"
#include "core/utf8.h"

namespace kbx {
namespace {

constexpr size_t kLogLines = 20;

std::string number(double x) { return fmt::format("{:.6g}", x); }

// What each outcome has to say beyond its name.
struct Explain {
  Page& page;
  bool gpu;
  void operator()(const Unreadable& o) const { page.field("reason", o.reason); }
  void operator()(const BuildFailed& o) const { page.block("reason", o.reason, 40); }
  void operator()(const NotJudged& o) const { page.field("reason", o.reason); }
  void operator()(const Crashed& o) const {
    page.block("how", o.how, 40);
    page.field("case", o.line);
  }
  void operator()(const TimedOut& o) const {
    page.field("limit", human_seconds(o.seconds));
    page.field("case", o.line);
  }
  void operator()(const OutOfMemory& o) const {
    page.field("how", o.how);
    page.field("case", o.line);
  }
  void operator()(const Dishonest& o) const {
    for (const std::string& evidence : o.evidence) page.field("evidence", evidence);
  }
  void operator()(const Wrong& o) const {
    page.field("case", o.line);
    page.field("what", o.detail);
    if (!o.where.empty())
      page.field("worst", fmt::format("{}{} is {}, expected {}: error {}, allowed {}", o.output, o.where, number(o.actual),
                                      number(o.expected), number(o.error), number(o.budget)));
    if (o.elements > 0) page.field("elements", fmt::format("{} of {} are off", o.wrong_elements, o.elements));
    page.field("contract", o.contract);
    page.field("accuracy", name(o.accuracy));
  }
  void operator()(const Correct& o) const {
    page.field("accuracy", name(o.accuracy));
    page.field("authorship", o.own_share ? fmt::format("{}: {:.1f} % of the GPU's time went to kernels of its own",
                                                       name(o.authorship), *o.own_share * 100)
                                         : name(o.authorship));
    if (o.efficiency) add_efficiency(page, *o.efficiency, gpu);
  }
};

std::string gates(const Verdict& v) {
  if (v.provenance.policy == "paper")
    return fmt::format("paper (the published calls and tolerances): {}", v.paper_gate ? "passed" : "not passed");
  return fmt::format("paper (standard, outlier): {}   full (and boundary): {}", v.paper_gate ? "passed" : "not passed",
                     v.full_gate ? "passed" : "not passed");
}

std::string cases(const Verdict& v) {
  if (v.cases.empty()) return "";
  const auto passed = std::count_if(v.cases.begin(), v.cases.end(), [](const CaseResult& c) { return c.passed; });
  return fmt::format("{} of {} passed", passed, v.cases.size());
}

std::string times(const Verdict& v) {
  std::string text;
  for (const StageTime& t : v.times) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", t.stage, human_seconds(t.seconds));
  return text;
}

}  // namespace

void Page::field(const std::string& label, const std::string& text) {
  if (!text.empty()) out_ += fmt::format("  {:<12}{}\n", label, printable(text));
}

void Page::block(const std::string& label, const std::string& text, size_t last_lines) {
  std::vector<std::string> lines;
  for (size_t start = 0; start < text.size();) {
    const size_t end = std::min(text.find('\n', start), text.size());
    lines.push_back(printable(text.substr(start, end - start)));
    start = end + 1;
  }
  if (lines.empty()) return;
  const size_t skipped = lines.size() > last_lines ? lines.size() - last_lines : 0;
  line("  " + label + (skipped > 0 ? fmt::format(" (last {} of {} lines)", last_lines, lines.size()) : ""));
  for (size_t i = skipped; i < lines.size(); ++i) line("    " + coloured(lines[i], Colour::dim, style_));
}

std::string verdict_page(const Verdict& v, const Style& style) {
  Page page(style);
  page.line(fmt::format("{}  {} for {} ({})", coloured(outcome_name(v.outcome), colour_of(v.outcome), style),
                        printable(v.candidate), v.task.empty() ? "no known task" : printable(v.task), name(v.language)));
  std::visit(Explain{page, v.provenance.device != "cpu"}, v.outcome);
  if (!std::holds_alternative<Unreadable>(v.outcome) && !std::holds_alternative<BuildFailed>(v.outcome))
    page.field("gates", gates(v));
  page.field("cases", cases(v));
  for (const Diagnosis& d : v.diagnosis) {
    page.line("  " + coloured(printable(d.pattern), Colour::yellow, style));
    page.field("  evidence", d.evidence);
    page.field("  advice", d.advice);
  }
  for (const KernelReport& k : v.kernels)
    page.field("kernel", fmt::format("{} ({}): {} registers, {} bytes of shared memory, {} spills", k.name, k.arch, k.registers,
                                     k.shared_bytes, k.spills));
  if (!v.operators.empty()) page.field("library", fmt::format("{}", fmt::join(v.operators, ", ")));
  page.field("times", times(v));
  const Provenance& p = v.provenance;
  page.field("judged",
             fmt::format("on {}, policy {}, gate {}, seed {}, sandbox {}", p.device, p.policy, p.gate, p.seed, p.sandbox));
  page.block("log", v.log, kLogLines);
  return page.take();
}

}  // namespace kbx
