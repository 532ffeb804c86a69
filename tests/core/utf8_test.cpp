// SPDX-License-Identifier: Apache-2.0
#include "core/utf8.h"

#include <gtest/gtest.h>

namespace kbx {
namespace {

constexpr size_t kNone = std::string_view::npos;

TEST(Utf8, AcceptsEveryLengthAndTheLimits) {
  EXPECT_EQ(first_invalid_utf8("a\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"),
            kNone);
}

// The ill-formed sequences of the Unicode standard, section 3.9: overlong, surrogate, beyond U+10FFFF, truncated, lone.
TEST(Utf8, RefusesOverlongSurrogatesAndTruncation) {
  for (const char* bad : {"\x80", "\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80",
                          "\xf5", "\xff", "\xe2\x82", "\xc3"})
    EXPECT_EQ(first_invalid_utf8(bad), 0u) << bad;
  EXPECT_EQ(first_invalid_utf8("ab\xc3("), 2u);
}

TEST(Utf8, RepairKeepsWhatIsValid) { EXPECT_EQ(valid_utf8("a\xc3(é\xff"), "a\uFFFD(é\uFFFD"); }

TEST(Utf8, PrintableLeavesNoEscapeSequence) {
  EXPECT_EQ(printable("\x1b[31mred\x1b[0m\n\t\r\x7f"), "\\x1b[31mred\\x1b[0m\\n\\t\\x0d\\x7f");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\x9b31m");
  EXPECT_EQ(printable("\xc2\xa0é"), "\xc2\xa0é");
}

TEST(Utf8, ShorteningCutsBetweenCodePoints) {
  EXPECT_EQ(shortened("ééé", 3), "ééé");
  EXPECT_EQ(shortened("éééé", 3), "éé…");
  EXPECT_EQ(shortened("ab", 1), "…");
  EXPECT_EQ(shortened("ab", 0), "");
}

}  // namespace
}  // namespace kbx
