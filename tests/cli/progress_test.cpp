// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.h"

#include <gmock/gmock.h>

#include "core/verdicts.h"

namespace kbx {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::verdict_with;

class ProgressTest : public ::testing::Test {
 protected:
  ProgressTest() : stream_(std::tmpfile()) {}
  ~ProgressTest() override { std::fclose(stream_); }
  std::string written() {
    std::string text(static_cast<size_t>(std::ftell(stream_)), '\0');
    std::rewind(stream_);
    EXPECT_EQ(std::fread(text.data(), 1, text.size(), stream_), text.size());
    return text;
  }
  std::FILE* stream_;
};

TEST_F(ProgressTest, PlainLinesWhereNobodyWatches) {
  {
    Progress progress(2, stream_, Style{});
    progress.done(verdict_with(Unreadable{"r"}, "a\x1b.py"), false);
    progress.done(verdict_with(testing::timed_correct(), "b.py"), true);
  }
  EXPECT_EQ(written(), "[1/2] a\\x1b.py unreadable in 2.00 s\n[2/2] b.py correct (already judged)\n");
}

TEST_F(ProgressTest, OneLineThatIsRedrawnAndClearedOnATerminal) {
  Style style;
  style.terminal = true;
  style.width = 60;
  {
    Progress progress(4, stream_, style);
    progress.done(verdict_with(testing::timed_correct(), std::string(100, 'x')), false);
    progress.say("a warning");
    progress.done(verdict_with(Unreadable{"r"}, "b.py"), false);
  }
  const std::string text = written();
  EXPECT_THAT(text, HasSubstr("\r\x1b[K[#####...............] 1/4  1 correct  xxx"));
  EXPECT_THAT(text, HasSubstr("\r\x1b[Ka warning\n"));
  EXPECT_THAT(text, HasSubstr("[##########..........] 2/4  1 correct  1 unreadable  b.py\r\x1b[K"));
  EXPECT_THAT(text, Not(HasSubstr(std::string(60, 'x'))));
}

TEST_F(ProgressTest, TheBarNamesWhatIsBeingJudgedButAFileIsNotFilledWithIt) {
  Style style;
  Progress(2, stream_, style).judging("gelu/a.py");
  EXPECT_EQ(written(), "");
  style.terminal = true;
  style.width = 80;
  Progress(2, stream_, style).judging("gelu/a.py");
  EXPECT_NE(written().find("0/2  gelu/a.py ..."), std::string::npos) << written();
}

TEST_F(ProgressTest, AnEmptyRunDoesNotDivideByZero) {
  Style style;
  style.terminal = true;
  Progress(0, stream_, style).done(verdict_with(Unreadable{"r"}), false);
  EXPECT_THAT(written(), HasSubstr("1/0"));
}

}  // namespace
}  // namespace kbx
