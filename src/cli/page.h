// SPDX-License-Identifier: Apache-2.0
// A page about one verdict, made of "  label       text" lines. Internal to the terminal's pages.
#pragma once

#include <string>

#include "cli/style.h"
#include "core/verdict.h"

namespace kbx {

// Use from one thread. REQUIRES: the style outlives it.
class Page {
 public:
  explicit Page(const Style& style) : style_(style) {}

  // As it is: the caller has made it printable.
  void line(const std::string& text) { out_ += text + "\n"; }
  // Nothing where the text is empty.
  void field(const std::string& label, const std::string& text);
  // The last lines of a long text, each made printable.
  void block(const std::string& label, const std::string& text, size_t last_lines);
  const Style& style() const { return style_; }
  std::string take() { return std::move(out_); }

 private:
  const Style& style_;
  std::string out_;
};

// How fast it is: over all perf cases, against other baselines, of what the device can do; then each perf case, on a GPU with a
// second row for the whole call. `gpu`: GPU time and call time are two things.
void add_efficiency(Page& page, const Efficiency& efficiency, bool gpu);

}  // namespace kbx
