// SPDX-License-Identifier: Apache-2.0
#include "cli/table.h"

#include <gmock/gmock.h>

#include "core/utf8.h"
#include "core/verdicts.h"

namespace kbx {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::verdict_with;

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> out;
  for (size_t start = 0; start < text.size();) {
    const size_t end = text.find('\n', start);
    out.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return out;
}

Verdict correct() {
  Verdict v = verdict_with(testing::timed_correct(), "a.py");
  v.paper_gate = v.full_gate = true;
  return v;
}

TEST(Table, ShowsWhatMattersInAlignedColumns) {
  Verdict bad = verdict_with(testing::wrong(), "long/name/of/b.py");
  bad.paper_gate = true;
  const auto rows = lines(verdict_table({correct(), bad}, Style{}));
  ASSERT_EQ(rows.size(), 7u);
  EXPECT_EQ(rows[0], "task  candidate          outcome  accuracy  gate   speedup             peak  time    why");
  EXPECT_EQ(rows[1], "gelu  a.py               correct  fp32      full   2.00x [1.90, 2.10]  62 %  2.00 s  mixed");
  EXPECT_EQ(
      rows[2],
      "gelu  long/name/of/b.py  wrong    tf32      paper  -                   -     2.00 s  last_block: off by one (at outlier: "
      "input=randn[3])");
  EXPECT_EQ(rows[4], "2 candidates: 1 correct, 1 wrong");
  EXPECT_EQ(rows[5], "faster than eager: 50 % [9, 91] of 2 judged; fast_p at 0.5 0.8 1 1.5 2 3 5 10: 50 50 50 50 0 0 0 0 %");
  EXPECT_EQ(rows[6], "slower than eager: 0 % [0, 79] of 1 timed; 0 unclear");
}

TEST(Table, NoSpeedupIsQuotedThatIsNotBelieved) {
  Correct withheld = testing::timed_correct();
  withheld.efficiency->withheld = "the clocks disagree";
  const std::string table =
      verdict_table({verdict_with(testing::quarantined_correct(), "a.py"), verdict_with(withheld, "b.py")}, Style{});
  EXPECT_THAT(table, AllOf(HasSubstr("quarantined  "), HasSubstr("mixed, 12 us, at least 40 us on input=randn[64]"),
                           HasSubstr("withheld  "), HasSubstr("mixed, the clocks disagree"), Not(HasSubstr("2.00x")),
                           Not(HasSubstr("faster than eager"))));
}

TEST(Table, NothingIsSaidOfSpeedWhereNothingWasTimed) {
  EXPECT_THAT(verdict_table({verdict_with(testing::wrong())}, Style{}), AllOf(Not(HasSubstr("eager")), Not(HasSubstr("peak"))));
}

TEST(Table, NoLineIsWiderThanTheTerminal) {
  Verdict bad = verdict_with(Crashed{std::string(300, 'x'), ""});
  Style style;
  style.width = 100;
  for (const std::string& line : lines(verdict_table({bad}, style))) EXPECT_LE(code_points(line), 100u);
  EXPECT_THAT(verdict_table({bad}, style), HasSubstr("x…"));
  EXPECT_THAT(verdict_table({bad}, Style{}), HasSubstr(std::string(300, 'x')));  // a file gets it all
}

TEST(Table, ColoursOnlyWhereAsked) {
  Style colour;
  colour.colour = true;
  EXPECT_THAT(verdict_table({correct()}, colour), HasSubstr("\x1b[32mcorrect\x1b[0m  fp32"));
  EXPECT_THAT(verdict_table({verdict_with(TimedOut{"c", 1})}, colour), HasSubstr("\x1b[31mtimed_out\x1b[0m"));
  EXPECT_THAT(verdict_table({correct()}, Style{}), Not(HasSubstr("\x1b")));
}

TEST(Table, ACandidateCannotSteerTheTerminal) {
  const Verdict v = verdict_with(Crashed{"raised \x1b]0;title\x07", "case\x1b[2J"}, "\x1b[31mred\n.py");
  EXPECT_THAT(verdict_table({v}, Style{}), AllOf(Not(HasSubstr("\x1b")), HasSubstr("\\x1b[31mred\\n.py")));
}

TEST(Table, SummaryCountsEachOutcomeWithCorrectFirst) {
  EXPECT_EQ(summary_line({verdict_with(Unreadable{""}), correct(), verdict_with(Unreadable{""})}),
            "3 candidates: 1 correct, 2 unreadable");
  EXPECT_EQ(summary_line({correct()}), "1 candidate: 1 correct");
  EXPECT_EQ(summary_line({}), "0 candidates");
}

TEST(Table, SecondsReadWell) {
  EXPECT_EQ(human_seconds(0.0123), "12 ms");
  EXPECT_EQ(human_seconds(0.42), "0.42 s");
  EXPECT_EQ(human_seconds(61.4), "61 s");
  EXPECT_EQ(human_seconds(200), "3 min 20 s");
}

TEST(Table, ShortTimesSharesAndRatiosKeepTheirDigits) {
  EXPECT_EQ(fine_seconds(4.2e-8), "42.0 ns");
  EXPECT_EQ(fine_seconds(1.234e-6), "1.23 us");
  EXPECT_EQ(fine_seconds(99.96e-6), "100 us");
  EXPECT_EQ(fine_seconds(999.4e-6), "999 us");
  EXPECT_EQ(fine_seconds(999.6e-6), "1.00 ms");  // not "1000 us", not "1e+03 us"
  EXPECT_EQ(fine_seconds(12.34), "12.3 s");
  EXPECT_EQ(percent(0.0312), "3.1 %");
  EXPECT_EQ(percent(0.0996), "10 %");
  EXPECT_EQ(percent(1), "100 %");
  EXPECT_EQ(factor(1.873), "1.87x");
  EXPECT_EQ(factor(0.0042), "0.0042x");  // not "0.00x"
  EXPECT_EQ(factor(250.4), "250x");
  EXPECT_EQ(factor(Interval{2, 1.9, 2.1}), "2.00x [1.90, 2.10]");
}

}  // namespace
}  // namespace kbx
