// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.h"

#include <fmt/format.h>

#include "cli/table.h"
#include "core/utf8.h"

namespace kbx {
namespace {

constexpr size_t kBar = 20;

}  // namespace

void Progress::done(const Verdict& verdict, bool resumed) {
  ++done_;
  const std::string outcome = outcome_name(verdict.outcome);
  ++counts_[outcome];
  const std::string candidate = printable(verdict.candidate);
  if (style_.terminal) return draw(candidate);
  fmt::print(stream_, "[{}/{}] {} {}{}\n", done_, total_, candidate, outcome,
             resumed ? " (already judged)" : " in " + human_seconds(total_seconds(verdict)));
  std::fflush(stream_);
}

void Progress::judging(const std::string& candidate) {
  if (style_.terminal) draw(printable(candidate) + " ...");
}

void Progress::say(const std::string& line) {
  clear();
  fmt::print(stream_, "{}\n", printable(line));
  std::fflush(stream_);
}

void Progress::finish() {
  clear();
  finished_ = true;
}

void Progress::draw(const std::string& latest) {
  if (finished_) return;
  const size_t full = total_ == 0 ? kBar : kBar * done_ / total_;
  std::string line = fmt::format("[{:#<{}}{:.<{}}] {}/{}", "", full, "", kBar - full, done_, total_);
  for (const auto& [outcome, n] : counts_) line += fmt::format("  {} {}", n, outcome);
  line += "  " + latest;
  fmt::print(stream_, "\r\x1b[K{}", shortened(line, style_.width > 1 ? style_.width - 1 : 79));
  std::fflush(stream_);
  drawn_ = true;
}

void Progress::clear() {
  if (drawn_) fmt::print(stream_, "\r\x1b[K");
  std::fflush(stream_);
  drawn_ = false;
}

}  // namespace kbx
