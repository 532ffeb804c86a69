// SPDX-License-Identifier: Apache-2.0
// Verdicts for a person: a table of many, a page about one. Text is made printable: nothing that a candidate wrote can
// steer the terminal. Pure functions, any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/fast_p.h"
#include "cli/style.h"
#include "core/verdict.h"

namespace kbx {

// Columns task, candidate, outcome, accuracy, gates, speedup, share of the device's peak (where it is known of any), time, and
// the reason in what is left of the width; then the summary line and, where anything was timed, speed_lines(). "" for no verdicts
// but the summary.
std::string verdict_table(const std::vector<Verdict>& verdicts, const Style& style);

// "12 candidates: 7 correct, 3 wrong, 2 crashed".
std::string summary_line(const std::vector<Verdict>& verdicts);

// fast_p, and the share that is slower than eager, each line ended; "" where nothing was timed.
std::string speed_lines(const SpeedSummary& summary);

// Outcome, case, worst element, diagnosis with evidence and advice, kernels, stage times, the log's end.
std::string verdict_page(const Verdict& verdict, const Style& style);

// A cell of a table. Text is valid UTF-8.
struct Cell {
  Cell(std::string t) : text(std::move(t)) {}
  Cell(const char* t) : text(t) {}
  Cell(std::string t, Colour c) : text(std::move(t)), colour(c) {}
  std::string text;
  std::optional<Colour> colour;
};

// Rows as aligned columns, two spaces between them; the last column is cut to the width. The first row is the heading, and
// says how many columns there are.
std::string aligned(const std::vector<std::vector<Cell>>& rows, const Style& style);

// "0.42 s", "12 ms", "3 min 20 s".
std::string human_seconds(double seconds);

// The same to three digits, down to nanoseconds: "12.3 us", "1.45 ms".
std::string fine_seconds(double seconds);
// "62 %", "3.1 %".
std::string percent(double share);
// "1.87x", "0.0042x", "250x"; with an interval "1.87x [1.85, 1.90]".
std::string factor(double ratio);
std::string factor(const Interval& ratio);

Colour colour_of(const Outcome& outcome);

}  // namespace kbx
