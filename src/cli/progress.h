// SPDX-License-Identifier: Apache-2.0
// How far a run is, on stderr: one line that is redrawn on a terminal, a line per verdict otherwise.
#pragma once

#include <cstddef>
#include <cstdio>
#include <map>
#include <string>

#include "cli/style.h"
#include "core/verdict.h"

namespace kbx {

// Use from one thread.
class Progress {
 public:
  Progress(size_t total, std::FILE* stream, Style style) : total_(total), stream_(stream), style_(style) {}
  // Clears the line.
  ~Progress() { finish(); }
  Progress(const Progress&) = delete;

  // A candidate is being judged: on a terminal the bar names it, elsewhere nothing is said.
  void judging(const std::string& candidate);
  // A verdict has come. `resumed`: it was in the ledger.
  void done(const Verdict& verdict, bool resumed);
  // A line that stays, above the bar: a warning.
  void say(const std::string& line);
  // Clears the line; nothing is drawn afterwards.
  void finish();

 private:
  void draw(const std::string& latest);
  void clear();

  size_t total_, done_ = 0;
  std::map<std::string, size_t> counts_;
  std::FILE* stream_;
  Style style_;
  bool drawn_ = false, finished_ = false;
};

}  // namespace kbx
