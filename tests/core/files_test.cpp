// SPDX-License-Identifier: Apache-2.0
#include "core/files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

namespace kbx {
namespace fs = std::filesystem;
namespace {

class Files : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "kbx-files-XXXXXX").string();
    dir_ = ::mkdtemp(name.data());
    fs::permissions(dir_, fs::perms(0755));
  }
  void TearDown() override { fs::remove_all(dir_); }
  fs::path file(const std::string& name, const std::string& text) {
    std::ofstream(dir_ / name) << text;
    return dir_ / name;
  }
  fs::path dir_;
};

TEST_F(Files, ReadsAllBytes) {
  const std::string bytes("a\0b\r\n\xff", 6);
  EXPECT_EQ(*read_file(file("x", bytes), 6), bytes);
}

TEST_F(Files, EachTroubleIsNamed) {
  EXPECT_NE(read_file(dir_ / "none", 10).error().message.find("there is no file"), std::string::npos);
  EXPECT_NE(read_file(dir_, 10).error().message.find("is a folder"), std::string::npos);
  EXPECT_NE(read_file(file("big", "12345678901"), 10).error().message.find("too large: 11 bytes"), std::string::npos);
  ASSERT_EQ(::mkfifo((dir_ / "pipe").c_str(), 0600), 0);
  EXPECT_NE(read_file(dir_ / "pipe", 10).error().message.find("not a regular file"), std::string::npos);  // and does not hang
  EXPECT_NE(read_file("/dev/zero", 10).error().message.find("not a regular file"), std::string::npos);
}

TEST_F(Files, AFileThatGrowsBeyondTheLimitIsRefused) {
  EXPECT_NE(read_file("/proc/self/status", 10).error().message.find("too large"), std::string::npos);  // its size reads as 0
}

TEST_F(Files, AnUnreadableFileIsNamedWithTheRemedy) {
  const fs::path path = file("secret", "x");
  fs::permissions(path, fs::perms(0000));
  const pid_t child = ::fork();
  if (child == 0) {
    if (::geteuid() == 0 && ::seteuid(65534) != 0) ::_exit(2);
    const auto text = read_file(path, 10);
    ::_exit(!text.ok() && text.error().remedy == "chmod +r " + path.string() ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST_F(Files, WritingReplacesWholeFilesAndLeavesNothingBehind) {
  ASSERT_TRUE(write_file(dir_ / "out", "first").ok());
  ASSERT_TRUE(write_file(dir_ / "out", "2").ok());
  EXPECT_EQ(*read_file(dir_ / "out", 10), "2");
  EXPECT_EQ(std::distance(fs::directory_iterator(dir_), fs::directory_iterator()), 1);
  EXPECT_NE(write_file(dir_ / "no" / "out", "x").error().remedy.find("mkdir"), std::string::npos);
}

TEST(HumanBytes, UsesBinaryUnits) {
  EXPECT_EQ(human_bytes(17), "17 bytes");
  EXPECT_EQ(human_bytes(1536), "1.5 KiB");
  EXPECT_EQ(human_bytes(100u << 20), "100 MiB");
}

}  // namespace
}  // namespace kbx
