// SPDX-License-Identifier: Apache-2.0
#include "intake/source_text.h"

#include <gtest/gtest.h>

#include "fixture.h"

namespace kbx {
namespace {

const std::string kSeparator(146, '#');

TEST(SourceText, LineEndsBecomeUnix) { EXPECT_EQ(*source_text("a\r\nb\rc\n\r\n"), "a\nb\nc\n\n"); }

TEST(SourceText, TheAppendedTestIsCut) {
  EXPECT_EQ(without_appended_test("def gelu(x): pass\n" + kSeparator + "\nimport torch\ntest_results = {}\n"),
            "def gelu(x): pass\n");
  EXPECT_EQ(without_appended_test("def gelu(x): pass\n" + kSeparator + "  \ntest"), "def gelu(x): pass\n");
}

TEST(SourceText, ABannerIsNoSeparator) {
  const std::string above = kSeparator + "\n# title\n" + kSeparator + "\ndef gelu(x): pass\n";
  EXPECT_EQ(without_appended_test(above), above);
  const std::string shorter = "def f(): pass\n" + std::string(80, '#') + "\ndef gelu(x): pass\n";
  EXPECT_EQ(without_appended_test(shorter), shorter);
  const std::string words = "def gelu(x): pass\ntest_results = {}\ndef test_gelu(): pass\n";
  EXPECT_EQ(without_appended_test(words), words);
}

std::string inside(std::string_view text, Language language) {
  std::string flags;
  LineReader reader(text, language);
  for (Line line; reader.next(line);) flags += line.inside ? 'x' : '.';
  return flags;
}

TEST(LineReader, KnowsPythonStringsThatSpanLines) {
  EXPECT_EQ(inside("a = '''\nb\n'''\nc", Language::triton), ".xx.");
  EXPECT_EQ(inside("a = \"\"\"one\"\"\"\nb", Language::triton), "..");
  EXPECT_EQ(inside("# don't '''\nb", Language::triton), "..");
  EXPECT_EQ(inside("a = \"'''\"\nb", Language::triton), "..");
  EXPECT_EQ(inside("a = '\\''  # '''\nb", Language::triton), "..");
  EXPECT_EQ(inside("'''\n\\'''\n'''\nb", Language::triton), ".xx.");
  EXPECT_EQ(inside("don't\nb", Language::triton), "..");
}

TEST(LineReader, KnowsNativeCommentsAndRawStrings) {
  EXPECT_EQ(inside("/* a\nb */ c\nd", Language::cpp), ".x.");
  EXPECT_EQ(inside("// /*\nb", Language::cpp), "..");
  EXPECT_EQ(inside("auto s = R\"x(\n)\"\n)x\";\nd", Language::cuda), ".xx.");
  EXPECT_EQ(inside("s = \"/*\";\nb", Language::cpp), "..");
  EXPECT_EQ(inside("auto s = R\"(\\)\";\nb", Language::cpp), "..");
  EXPECT_EQ(inside("int n = 1'000; /*\nb\n*/", Language::cpp), ".xx");
}

}  // namespace
}  // namespace kbx
