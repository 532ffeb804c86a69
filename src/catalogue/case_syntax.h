// SPDX-License-Identifier: Apache-2.0
// The text of a case as a tree, without knowledge of any task. Grammar: docs/adding-a-task.md.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/verdict.h"

namespace kbx {

// GENERATOR(parameters)[dims]:dtype@mod(parameters)...
struct Recipe {
  struct Mod {
    std::string name;
    std::vector<double> parameters;
  };
  std::string generator;
  std::vector<double> parameters;
  bool has_dims = false;
  std::vector<int64_t> dims;
  std::string dtype;  // empty: the generator's own
  std::vector<Mod> mods;
};

struct FieldValue {
  enum class Kind { number, word, list, recipe };
  Kind kind = Kind::word;
  std::string text;               // as written
  std::vector<FieldValue> items;  // of a list
  Recipe recipe;
  bool is_integer() const;  // a number without point or exponent
};

struct CaseField {
  std::string name;
  FieldValue value;
  bool after_star = false;
};

// A size drawn from [low, high].
struct Dimension {
  std::string name;
  int64_t low = 0, high = 0;
};

struct CaseText {
  Stage stage = Stage::standard;
  std::vector<Dimension> dimensions;
  bool has_star = false;  // the line says itself where keywords start
  bool raises = false;    // the call must raise
  std::vector<CaseField> fields;
};

// The words of a line: its stage (`otherwise` if it names none), then whitespace-separated tokens. Error: an unknown stage.
struct Words {
  Stage stage = Stage::standard;
  std::vector<std::string> tokens;
};
Result<Words> split_case(std::string_view line, Stage otherwise);

// Puts numbers for dimension names, in values only.
std::string substitute(std::string_view token, const std::map<std::string, int64_t>& sizes);

// A token of the form NAME=low..high, or nothing. Error: it has that form but is no range.
Result<std::vector<Dimension>> dimensions_of(const Words& words);

// Parses the tokens that are no dimensions. Error: names the field.
Result<CaseText> parse_case_text(const Words& words);

// "stage: token token ...".
std::string print_case(const Words& words);

}  // namespace kbx
