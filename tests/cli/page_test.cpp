// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "cli/table.h"
#include "core/verdicts.h"

namespace kbx {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::verdict_with;

TEST(Page, WrongSaysCaseWorstElementHowManyAndWhatToTry) {
  EXPECT_THAT(verdict_page(verdict_with(testing::wrong()), Style{}),
              AllOf(HasSubstr("wrong  Activation/gelu.py for gelu (cuda)"), HasSubstr("outlier: input=randn[3]"),
                    HasSubstr("result[3, 0] is 1.25, expected 0.5: error 0.75, allowed 1e-06"), HasSubstr("12 of 4112 are off"),
                    HasSubstr("rows 960 to 999"), HasSubstr("mask the tail"), HasSubstr("build 0.50 s, standard 1.50 s"),
                    HasSubstr("seed 18446744073709551615")));
}

TEST(Page, CorrectSaysHowFastWithTheInterval) {
  EXPECT_THAT(verdict_page(verdict_with(testing::timed_correct()), Style{}),
              AllOf(HasSubstr("2.000x over the baseline, 95 % interval [1.900, 2.100], caches warm"), HasSubstr("faster"),
                    HasSubstr("32 registers")));
}

TEST(Page, EveryOutcomeHasAPageAndNoEscapes) {
  for (Outcome outcome : testing::every_outcome()) {
    Verdict v = verdict_with(outcome);
    v.log = "\x1b[2Jwiped\n";
    EXPECT_THAT(verdict_page(v, Style{}),
                AllOf(HasSubstr(outcome_name(outcome)), HasSubstr("\\x1b[2Jwiped"), Not(HasSubstr("\x1b"))));
  }
}

TEST(Page, OnlyTheEndOfALongLogIsShown) {
  Verdict v = verdict_with(Crashed{"exited with 3", ""});
  v.log.clear();
  for (int i = 0; i < 100; ++i) v.log += "line " + std::to_string(i) + "\n";
  EXPECT_THAT(verdict_page(v, Style{}), AllOf(HasSubstr("log (last 20 of 100 lines)"), HasSubstr("line 80\n"),
                                              HasSubstr("line 99\n"), Not(HasSubstr("line 79\n"))));
}

TEST(Page, ABuildErrorKeepsItsLines) {
  EXPECT_THAT(verdict_page(verdict_with(BuildFailed{"a.cpp:3: error: x\n  caret"}), Style{}),
              HasSubstr("    a.cpp:3: error: x\n      caret\n"));
}

}  // namespace
}  // namespace kbx
