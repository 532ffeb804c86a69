// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "cli/page.h"
#include "cli/table.h"
#include "core/utf8.h"

namespace kbx {
namespace {

std::string overall(const Efficiency& e) {
  if (!e.quarantined.empty()) return "quarantined: " + e.quarantined;
  if (!e.withheld.empty()) return "withheld: " + e.withheld;
  if (!e.speedup) return "";
  return fmt::format("{:.3f}x over the baseline, 95 % interval [{:.3f}, {:.3f}]{}", e.speedup->value, e.speedup->low,
                     e.speedup->high, e.caches == "warm" ? ", caches warm" : "");
}

// How the same times read in other ways.
std::string other_means(const Efficiency& e) {
  std::string text;
  if (e.worst > 0) text = fmt::format("worst case {}", factor(e.worst));
  if (e.ratio_of_sums > 0) text += fmt::format("{}ratio of sums {}", text.empty() ? "" : ", ", factor(e.ratio_of_sums));
  return text;
}

std::string of_the_device(const Efficiency& e) {
  std::string text;
  const auto add = [&](const char* what, const std::optional<double>& share) {
    if (share) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", what, percent(*share));
  };
  add("utilisation", e.utilisation);
  add("speed of light", e.speed_of_light);
  add("IOU", e.iou);
  add("MFU", e.mfu);
  return text;
}

std::string against(const Rival& r) {
  const std::string name = r.name == "compile" ? "torch.compile" : "torch.compile " + r.name;
  return r.speedup ? fmt::format("{} over {}", factor(*r.speedup), name) : fmt::format("{} not raced: {}", name, r.not_raced);
}

std::string counted(const Counters& c) {
  const std::string excess = c.least_bytes > 0 ? fmt::format(" ({:.2f} times the least)", c.dram_bytes / c.least_bytes) : "";
  return fmt::format("{:.4g} MB through memory{}, occupancy {}, tensor cores {}: {}", c.dram_bytes * 1e-6, excess,
                     percent(c.occupancy), percent(c.tensor_cores), c.line);
}

Cell class_cell(const PerfResult& p) {
  if (!p.quarantined.empty()) return "-";
  if (p.class_ == "faster") return {p.class_, Colour::green};
  if (p.class_ == "slower") return {p.class_, Colour::red};
  return printable(p.class_);
}

std::string case_table(const Efficiency& e, bool gpu, Style style) {
  constexpr size_t kIndent = 2;
  const bool peaks = std::ranges::any_of(e.cases, [](const PerfResult& p) { return p.roofline.has_value(); });
  std::vector<std::vector<Cell>> rows{{"class", "speedup", "candidate", "baseline"}};
  if (peaks) rows[0].push_back("of peak");
  rows[0].insert(rows[0].end(), {"blocks", "perf case"});
  for (const PerfResult& p : e.cases) {
    std::vector<Cell> row{class_cell(p), p.quarantined.empty() ? Cell(factor(p.speedup)) : Cell("quarantined", Colour::yellow),
                          fine_seconds(p.candidate_seconds), fine_seconds(p.baseline_seconds)};
    if (peaks) row.push_back(p.roofline ? fmt::format("{} {}", percent(p.roofline->utilisation), name(p.roofline->bound)) : "-");
    row.push_back(p.discarded > 0 ? fmt::format("{}/{}", p.samples, p.samples + p.discarded) : std::to_string(p.samples));
    row.push_back(printable(p.line));
    rows.push_back(std::move(row));
    if (!gpu || !p.call_speedup) continue;
    std::vector<Cell> call{"  call", factor(*p.call_speedup), fine_seconds(p.candidate_call_seconds),
                           fine_seconds(p.baseline_call_seconds)};
    call.resize(rows[0].size(), "");
    rows.push_back(std::move(call));
  }
  if (style.width > kIndent) style.width -= kIndent;
  const std::string table = aligned(rows, style);
  std::string out;
  for (size_t start = 0; start < table.size();) {
    const size_t end = table.find('\n', start);
    out += std::string(kIndent, ' ') + table.substr(start, end + 1 - start);
    start = end + 1;
  }
  return out;
}

}  // namespace

void add_efficiency(Page& page, const Efficiency& e, bool gpu) {
  page.field("speedup", overall(e));
  if (e.withheld.empty() && e.quarantined.empty()) {
    if (e.cases.size() > 1) page.field("", other_means(e));
    if (gpu && e.call_speedup) page.field("call time", factor(*e.call_speedup) + ", the host's work included");
    page.field("device", of_the_device(e));
    for (const Rival& r : e.rivals) page.field("rival", against(r));
  }
  if (e.cases.empty()) return;
  page.line("");
  std::string table = case_table(e, gpu, page.style());
  table.pop_back();
  page.line(table);
  page.line("");
  for (const PerfResult& p : e.cases) {
    if (!p.quarantined.empty()) page.field("quarantined", p.quarantined + ": " + p.line);
    if (!p.note.empty()) page.field("note", p.note + ": " + p.line);
  }
  for (const Counters& c : e.counters) page.field("counters", counted(c));
}

}  // namespace kbx
