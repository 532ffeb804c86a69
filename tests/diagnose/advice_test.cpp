// SPDX-License-Identifier: Apache-2.0
#include "diagnose/advice.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

namespace kbx {
namespace {

std::string verdicts_page() {
  std::ifstream file(KBX_DOCS "/verdicts.md");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Advice, ThePatternSectionOfTheDocumentationIsTheTable) {
  if (const char* path = std::getenv("KBX_WRITE_PATTERNS")) std::ofstream(path) << pattern_reference();
  EXPECT_NE(verdicts_page().find(pattern_reference()), std::string::npos)
      << "docs/verdicts.md and src/diagnose/advice.cpp differ; KBX_WRITE_PATTERNS=file writes the section";
}

TEST(Advice, EveryPatternHasItsOwnNameAndText) {
  std::set<std::string_view> names;
  for (const PatternText& text : pattern_texts()) {
    EXPECT_TRUE(names.insert(text.pattern).second) << text.pattern;
    EXPECT_EQ(text.pattern.find_first_not_of("abcdefghijklmnopqrstuvwxyz_"), std::string_view::npos) << text.pattern;
    EXPECT_GT(text.meaning.size(), 10u) << text.pattern;
    EXPECT_GT(text.advice.size(), 20u) << text.pattern;
    EXPECT_EQ(text.advice.find('|'), std::string_view::npos) << text.pattern;
  }
}

}  // namespace
}  // namespace kbx
