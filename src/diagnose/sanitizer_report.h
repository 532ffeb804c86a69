// SPDX-License-Identifier: Apache-2.0
// What compute-sanitizer prints, as findings. Formats: its user manual, "Memcheck Tool" to "Synccheck Tool" (CUDA 13). Candidates
// print into the same text and may forge all of it: findings are hints and decide nothing.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "core/verdict.h"

namespace kbx {

// In the order in which they are run: what breaks memory makes the findings of the others doubtful.
constexpr std::array<std::string_view, 4> kSanitizerTools{"memcheck", "racecheck", "initcheck", "synccheck"};

struct SanitizerFinding {
  std::string kind;    // "Invalid __global__ write of size 4 bytes"
  std::string kernel;  // as the tool names the function: "oob(float *, int)"
  std::string file;    // empty where the code has no line information
  int line = 0;
  std::string thread, block;  // "(0,0,0)" of the first report; empty for races
  std::string detail;         // of the first report, in one line
  size_t reports = 0;         // with this kind at this place
};

// Each place once, in order of appearance. Messages about calls of the CUDA API are left out. The text is any bytes.
std::vector<SanitizerFinding> parse_sanitizer_report(std::string_view text);

// Whether the tool came to its summary, and had seen the program use CUDA.
bool sanitizer_finished(std::string_view text);

// As a diagnosis `sanitizer_<tool>`. REQUIRES: one of kSanitizerTools.
Diagnosis diagnose_finding(std::string_view tool, const SanitizerFinding& finding);

}  // namespace kbx
