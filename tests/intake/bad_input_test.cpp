// SPDX-License-Identifier: Apache-2.0
// What people hand in by mistake: each gets a message that names the file and says what to do.
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixture.h"

namespace kbx {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::kGelu;

class BadInput : public testing::InFolder {
 protected:
  std::string refused(const std::filesystem::path& path) {
    const auto read = read_candidate(path, options_);
    return read.ok() ? "accepted" : read.error().text();
  }
  std::string unreadable(const std::filesystem::path& path) {
    const auto read = read_candidate(path, options_);
    if (!read.ok()) return "refused: " + read.error().text();
    const Intake& one = read->candidates.at(0);
    EXPECT_TRUE(one.candidate.files.empty() || !one.unreadable);
    return one.unreadable ? one.unreadable->reason : "accepted";
  }
};

TEST_F(BadInput, MissingFile) {
  EXPECT_THAT(refused(dir_ / "gelu.py"), HasSubstr("there is no file or folder " + (dir_ / "gelu.py").string()));
}

TEST_F(BadInput, UnreadableFile) {
  const auto path = file("gelu.py", kGelu);
  std::filesystem::permissions(dir_, std::filesystem::perms(0755));
  std::filesystem::permissions(path, std::filesystem::perms(0000));
  const pid_t child = ::fork();
  if (child == 0) {
    if (::geteuid() == 0 && ::setuid(65534) != 0) ::_exit(2);
    const std::string text = refused(path);
    ::_exit(text.find("may not be read by this user (chmod +r") != std::string::npos ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST_F(BadInput, FolderWhereAFileIsMeant) {
  file("gelu/a.py", kGelu);
  EXPECT_THAT(refused(dir_ / "gelu"), AllOf(HasSubstr("is a folder"), HasSubstr("kbx run")));
}

TEST_F(BadInput, PipeAndDevice) {
  ASSERT_EQ(::mkfifo((dir_ / "gelu.py").c_str(), 0600), 0);
  EXPECT_THAT(refused(dir_ / "gelu.py"), HasSubstr("neither a file nor a folder"));
  EXPECT_THAT(refused("/dev/null"), HasSubstr("neither a file nor a folder"));
}

TEST_F(BadInput, Binary) {
  EXPECT_THAT(unreadable(file("gelu.py", std::string("\x7f"
                                                     "ELF\0\1",
                                                     6))),
              AllOf(HasSubstr("gelu.py is binary"), HasSubstr("byte 4")));
}

TEST_F(BadInput, HundredMegabytesAreNotEvenRead) {
  const auto path = file("gelu.py", kGelu);
  std::filesystem::resize_file(path, 100u << 20);  // sparse
  EXPECT_THAT(unreadable(path), AllOf(HasSubstr("gelu.py is too large: 100 MiB"), HasSubstr("at most 4 MiB")));
}

TEST_F(BadInput, NotUtf8NamesTheByteAndTheLine) {
  EXPECT_THAT(unreadable(file("gelu.py", "import torch\n# caf\xe9\n")),
              AllOf(HasSubstr("not UTF-8: byte 0xE9 at line 2, column 6"), HasSubstr("save it as UTF-8")));
}

TEST_F(BadInput, Utf16) {
  EXPECT_THAT(unreadable(file("gelu.py", std::string("\xff\xfe"
                                                     "a\0",
                                                     4))),
              HasSubstr("is UTF-16"));
}

TEST_F(BadInput, EmptyAndBlank) {
  EXPECT_THAT(unreadable(file("gelu.py", "")), HasSubstr("gelu.py is empty"));
  EXPECT_THAT(unreadable(file("selu.py", "\xef\xbb\xbf \r\n\t\n")), HasSubstr("selu.py is empty"));
}

TEST_F(BadInput, UnknownTaskOffersTheNearest) {
  options_.task = "gleu";
  EXPECT_THAT(refused(file("x.py", kGelu)), AllOf(HasSubstr("unknown task `gleu`; did you mean gelu"), HasSubstr("kbx tasks")));
}

TEST_F(BadInput, NameThatTellsNoTaskAsksForOne) {
  EXPECT_THAT(refused(file("gelo.py", kGelu)),
              AllOf(HasSubstr("gelo.py does not tell its task"), HasSubstr("gelu"), HasSubstr("--task")));
}

TEST_F(BadInput, UnknownExtension) {
  EXPECT_THAT(refused(file("gelu.rs", "fn gelu() {}")), AllOf(HasSubstr("gelu.rs is neither"), HasSubstr(".py, .cu")));
}

TEST_F(BadInput, SeveralRowsWhereOneCandidateIsMeant) {
  const std::string row = R"({"file": "gelu.py", "predict": "def gelu(x): return x"})";
  EXPECT_THAT(refused(file("x.jsonl", row + "\n" + row)), AllOf(HasSubstr("holds 2 candidates"), HasSubstr("kbx run")));
}

TEST_F(BadInput, FolderWithoutACandidate) {
  file("README.md", "# nothing");
  const auto read = read_submission(dir_, options_);
  ASSERT_FALSE(read.ok());
  EXPECT_THAT(read.error().text(), AllOf(HasSubstr("holds no candidate"), HasSubstr("`predict`")));
}

TEST_F(BadInput, LinksPipesAndForeignFilesInAFolderAreSkippedWithAWarning) {
  file("gelu.py", kGelu);
  file("notes.pdf", "%PDF");
  file(".hidden.py", "x");
  file("__pycache__/gelu.pyc", "x");
  std::filesystem::create_symlink("/etc/passwd", dir_ / "selu.py");
  std::filesystem::create_directory_symlink("..", dir_ / "loop");
  ASSERT_EQ(::mkfifo((dir_ / "add.py").c_str(), 0600), 0);
  const auto read = read_submission(dir_, options_);
  EXPECT_EQ(only(read).id, "gelu.py");
  EXPECT_THAT(read->warnings, ElementsAre("add.py is skipped: it is not a regular file", "loop is skipped: it is a symbolic link",
                                          HasSubstr("notes.pdf is skipped"), "selu.py is skipped: it is a symbolic link"));
}

TEST_F(BadInput, OneBadFileDoesNotStopTheOthers) {
  file("gelu.py", kGelu);
  file("selu.py", std::string(5u << 20, 'x'));
  file("gleu.py", kGelu);
  const auto read = read_submission(dir_, options_);
  ASSERT_TRUE(read.ok());
  ASSERT_EQ(read->candidates.size(), 3u);
  EXPECT_FALSE(read->candidates[0].unreadable);
  EXPECT_THAT(read->candidates[1].unreadable->reason, HasSubstr("unknown task `gleu`; did you mean gelu"));
  EXPECT_EQ(read->candidates[1].candidate.id, "gleu.py");
  EXPECT_THAT(read->candidates[2].unreadable->reason, HasSubstr("too large"));
}

TEST_F(BadInput, ControlCharactersOfAFileNameDoNotReachTheTerminal) {
  file("a\x1b[31m.py", kGelu);
  const auto read = read_submission(dir_, options_);
  EXPECT_EQ(read->candidates[0].unreadable->reason.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace kbx
