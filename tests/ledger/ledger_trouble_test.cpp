// SPDX-License-Identifier: Apache-2.0
// Disks that are full, folders that are read-only, processes that are killed, files that are something else.
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "fixture.h"

namespace kbx {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::verdict_with;

class LedgerTrouble : public testing::InFolder {
 protected:
  std::string refused(Ledger::Open mode) {
    const auto ledger = Ledger::open(dir_, mode);
    return ledger.ok() ? "opened" : ledger.error().text();
  }
  void sql(const char* text) {
    sqlite3* db = nullptr;
    ASSERT_EQ(SQLITE_OK, sqlite3_open((dir_ / "ledger.sqlite").c_str(), &db));
    ASSERT_EQ(SQLITE_OK, sqlite3_exec(db, text, nullptr, nullptr, nullptr)) << sqlite3_errmsg(db);
    sqlite3_close(db);
  }
  // Mounts a tmpfs on dir_, for root only. Returns false where that cannot be done.
  bool mount_tmpfs(const char* options) {
    std::filesystem::create_directories(dir_);
    mounted_ = ::geteuid() == 0 && ::mount("kbx", dir_.c_str(), "tmpfs", 0, options) == 0;
    return mounted_;
  }
  void TearDown() override {
    if (mounted_) ::umount2(dir_.c_str(), MNT_DETACH);
  }
  bool mounted_ = false;
};

TEST_F(LedgerTrouble, ReadingWhereThereIsNoLedger) {
  EXPECT_THAT(refused(Ledger::Open::read), AllOf(HasSubstr("there is no ledger in"), HasSubstr("kbx run")));
}

TEST_F(LedgerTrouble, ASecondRunIsToldOfTheFirst) {
  const Ledger first = open();
  EXPECT_THAT(refused(Ledger::Open::write),
              AllOf(HasSubstr("another run is writing to"), HasSubstr("process " + std::to_string(::getpid()))));
  EXPECT_EQ(refused(Ledger::Open::read), "opened");
}

TEST_F(LedgerTrouble, AClosedLedgerIsFreeAgain) {
  { const Ledger first = open(); }
  EXPECT_EQ(refused(Ledger::Open::write), "opened");
}

TEST_F(LedgerTrouble, NotADatabase) {
  std::filesystem::create_directories(dir_);
  std::ofstream(dir_ / "ledger.sqlite") << "This is a text file, longer than the header of a database would be. "
                                        << std::string(200, '.');
  EXPECT_THAT(refused(Ledger::Open::write), HasSubstr("is not a ledger"));
  EXPECT_THAT(refused(Ledger::Open::read), HasSubstr("is not a ledger"));
  EXPECT_THAT(refused(Ledger::Open::write), HasSubstr("is not a ledger"));  // a failed open does not keep the lock
}

TEST_F(LedgerTrouble, ADatabaseOfAnotherProgramIsLeftAlone) {
  std::filesystem::create_directories(dir_);
  sql("CREATE TABLE t(x)");
  EXPECT_THAT(refused(Ledger::Open::write), HasSubstr("a database of another program"));
  EXPECT_EQ(count("SELECT count(*) FROM sqlite_master"), 1);
}

TEST_F(LedgerTrouble, ANewerFormat) {
  { open(); }
  sql("PRAGMA user_version = 3");
  EXPECT_THAT(refused(Ledger::Open::write), AllOf(HasSubstr("written by a newer kbx (format 3"), HasSubstr("update kbx")));
  EXPECT_THAT(refused(Ledger::Open::read), HasSubstr("written by a newer kbx"));
}

TEST_F(LedgerTrouble, AFileWhereTheFolderShouldBe) {
  std::ofstream(dir_) << "x";
  EXPECT_THAT(refused(Ledger::Open::write), HasSubstr("cannot make the folder"));
}

TEST_F(LedgerTrouble, AReadOnlyFolderCanBeReadButNotWritten) {
  if (!mount_tmpfs("size=1m")) GTEST_SKIP() << "mounting needs root";
  {
    Ledger ledger = open();
    ASSERT_TRUE(ledger.record(verdict_with(Unreadable{"r"}), "k").ok());
  }
  ASSERT_EQ(0, ::mount("kbx", dir_.c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, nullptr));
  EXPECT_THAT(refused(Ledger::Open::write), AllOf(HasSubstr("is not writable"), HasSubstr("choose another --out")));
  const auto ledger = Ledger::open(dir_, Ledger::Open::read);
  ASSERT_TRUE(ledger.ok()) << ledger.error().text();
  EXPECT_EQ(ledger->verdicts()->size(), 1u);
}

TEST_F(LedgerTrouble, AFullDiskLosesNothingThatWasRecorded) {
  if (!mount_tmpfs("size=512k")) GTEST_SKIP() << "mounting needs root";
  size_t recorded = 0;
  {
    Ledger ledger = open();
    Verdict v = verdict_with(Unreadable{"r"});
    v.log.assign(8192, 'x');
    Status status = Done{};
    for (; recorded < 1000; ++recorded) {
      v.candidate = std::to_string(recorded);
      status = ledger.record(v, "k");
      if (!status) break;
    }
    ASSERT_FALSE(status.ok());
    ASSERT_GT(recorded, 0u);
    EXPECT_THAT(status.error().text(), AllOf(HasSubstr("the disk is full"), HasSubstr("it resumes")));
  }
  EXPECT_EQ(Ledger::open(dir_, Ledger::Open::read)->verdicts()->size(), recorded);
}

TEST_F(LedgerTrouble, NoRoomEvenForTheTables) {
  if (!mount_tmpfs("size=16k")) GTEST_SKIP() << "mounting needs root";
  EXPECT_THAT(refused(Ledger::Open::write), HasSubstr("the disk is full"));
}

// A child records and reports each verdict through a pipe after record() returned; it is killed at another moment each time.
TEST_F(LedgerTrouble, AKilledRunLosesNothingThatItReportedAndUnlocks) {
  int reported = 0;
  for (int round = 0; round < 20; ++round) {
    int pipe[2];
    ASSERT_EQ(0, ::pipe(pipe));
    const pid_t child = ::fork();
    if (child == 0) {
      Ledger ledger = open();
      for (int i = 0;; ++i) {
        if (!ledger.record(verdict_with(Unreadable{"r"}, std::to_string(round) + "/" + std::to_string(i)), "k",
                           {{"l", "candidate", "gpu", 0, 0, 1}}))
          ::_exit(1);
        if (::write(pipe[1], "x", 1) != 1) ::_exit(1);
      }
    }
    ::close(pipe[1]);
    char bytes[64];
    int n = 0;
    while (n < 1 + round % 5) n += static_cast<int>(::read(pipe[0], bytes, 1));
    ::usleep(static_cast<unsigned>(round * 131));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    for (ssize_t more; (more = ::read(pipe[0], bytes, sizeof bytes)) > 0;) n += static_cast<int>(more);
    ::close(pipe[0]);
    reported += n;
    Ledger ledger = open();  // unlocked by the kernel, repaired by SQLite
    const auto verdicts = ledger.verdicts();
    ASSERT_TRUE(verdicts.ok()) << verdicts.error().text();
    ASSERT_GE(static_cast<int>(verdicts->size()), reported);
    for (int i = 0; i < n; ++i) EXPECT_TRUE(ledger.find(std::to_string(round) + "/" + std::to_string(i), "k")->has_value());
    reported = static_cast<int>(verdicts->size());
    ASSERT_EQ(count("SELECT count(*) FROM sample"), reported);  // no verdict without its samples
  }
}

}  // namespace
}  // namespace kbx
