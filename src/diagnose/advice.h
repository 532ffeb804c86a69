// SPDX-License-Identifier: Apache-2.0
// All failure patterns in one table: what each means, why it usually happens, what to try. docs/verdicts.md shows it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/verdict.h"

namespace kbx {

struct PatternText {
  std::string_view pattern;  // identifier, stable: it is part of the JSON format
  std::string_view meaning;  // what was recognised
  std::string_view advice;   // what usually causes it and what to try
};

// Grouped as in docs/verdicts.md: values, memory, build and run.
std::span<const PatternText> pattern_texts();

// The pattern with its evidence and the table's advice. REQUIRES: the table has it.
Diagnosis diagnosis(std::string_view pattern, std::string evidence);

// The table as Markdown, for docs/verdicts.md.
std::string pattern_reference();

}  // namespace kbx
