// SPDX-License-Identifier: Apache-2.0
#include "validation/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "core/files.h"
#include "recordings.h"
#include "validation/rates.h"

namespace kbx {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

fs::path write(const std::string& name, const std::string& text) {
  const fs::path file = fs::path(testing::TempDir()) / name;
  std::ofstream(file) << text;
  return file;
}

std::string text_of(const Recording& r) {
  std::string text = line_of(r.conditions);
  for (const RacedPair& p : r.pairs) text += line_of(p);
  return text;
}

TEST(Recording, ComesBackAsItWasWritten) {
  Recording written = Recorder({}).record(2, 2, 1);
  written.pairs[0].blocks[3].discarded = true;
  written.pairs[1].alarm = "below the floor";
  written.pairs.push_back({.task = "svd", .line = "A=randn[4,4]", .failed = "wrong: \"quoted\"\nin two lines, and \xff"});
  const auto read = read_recording(write("whole.jsonl", text_of(written)));
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->conditions.command, written.conditions.command);
  ASSERT_EQ(read->pairs.size(), written.pairs.size());
  EXPECT_EQ(read->pairs.back().failed, "wrong: \"quoted\"\nin two lines, and \xef\xbf\xbd");
  EXPECT_EQ(text_of(*read), text_of(written));
  const Block &a = read->pairs[0].blocks[3], &b = written.pairs[0].blocks[3];
  EXPECT_TRUE(a.discarded);
  EXPECT_NEAR(a.candidate / b.candidate, 1, 1e-5);
  EXPECT_EQ(read->pairs[0].least, 2);
  EXPECT_EQ(read->pairs[4].truth, written.pairs[4].truth);
}

TEST(Recording, NamesTheLineThatIsNone) {
  const Recording written = Recorder({}).record(1, 0, 0);
  for (const char* bad :
       {"{\"kind\": \"aa\"", "[]", "{\"kind\": \"ab\"}", R"({"kind":"aa","task":"t","case":"c","truth":0,"blocks":[]})",
        R"({"kind":"aa","task":"t","case":"c","truth":0,"blocks":[[0,0.0,1.0,false]]})"}) {
    const auto read = read_recording(write("bad.jsonl", text_of(written) + bad + "\n"));
    ASSERT_FALSE(read) << bad;
    EXPECT_THAT(read.error().message, HasSubstr("bad.jsonl:3 is no line"));
  }
  EXPECT_FALSE(read_recording(write("empty.jsonl", "")));
  EXPECT_FALSE(read_recording("no such file"));
}

TEST(Page, SaysWhatWasFoundAndWhatCouldNotBeRaced) {
  Recording r = Recorder({}).record(60, 400, 60);
  const std::string good = validation_page(r);
  EXPECT_THAT(good, HasSubstr("Made by `kbx calibrate --validate` on a made-up machine"));
  EXPECT_THAT(good, HasSubstr("All that is asked of it holds."));
  EXPECT_THAT(good, Not(HasSubstr("Not raced")));
  r.pairs.push_back({.task = "svd", .line = "A=randn[4,4]", .failed = "wrong: a | b"});
  r.pairs.resize(r.pairs.size());
  EXPECT_THAT(validation_page(r),
              HasSubstr("## Not raced\n\n| task | case | why |\n|---|---|---|\n| svd | `A=randn[4,4]` | wrong: a   b |\n"));
  r.pairs.resize(100);
  EXPECT_THAT(validation_page(r), HasSubstr("- 100 pairs of the same code, 200 are needed\n"));
}

// What is committed: the page is what the raw samples give, and the instrument that made them is to be believed.
std::vector<fs::path> committed() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(KBX_RESULTS))
    if (entry.path().filename().string().starts_with("validation_") && entry.path().extension() == ".jsonl")
      files.push_back(entry.path());
  return files;
}

TEST(Committed, RawSamplesGiveThePageAndMeetWhatIsAsked) {
  if (committed().empty()) GTEST_SKIP() << "no raw samples are committed";
  for (const fs::path& raw : committed()) {
    const auto recording = read_recording(raw);
    ASSERT_TRUE(recording) << recording.error().text();
    const auto page = read_file(fs::path(raw).replace_extension(".md"), 1 << 20);
    ASSERT_TRUE(page) << page.error().text();
    EXPECT_EQ(*page, validation_page(*recording)) << raw;
    EXPECT_THAT(shortcomings(rates_of(recording->pairs)), IsEmpty()) << raw;
  }
}

}  // namespace
}  // namespace kbx
