// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "attempts.h"
#include "core/installation.h"

namespace kbx {
namespace {

namespace fs = std::filesystem;

// With namespaces (where there are some) and without.
class LaunchTest : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (GetParam() && !available_layers().namespaces) GTEST_SKIP() << namespaces_problem()->text();
    output_ = memfd_create("kbx-test", MFD_CLOEXEC);
  }
  void TearDown() override { close(output_); }

  Launch shell(const std::string& script) const {
    Launch plan;
    plan.argv = {"/bin/sh", "-c", script};
    plan.layers = available_layers();
    plan.layers.namespaces = GetParam();
    plan.output = output_;
    return plan;
  }
  std::string output() const {
    std::string text(65536, '\0');
    const ssize_t size = pread(output_, text.data(), text.size(), 0);
    text.resize(size > 0 ? static_cast<size_t>(size) : 0);
    return text;
  }
  static Process started(const Launch& plan) {
    Result<Process> process = launch(plan);
    KBX_CHECK(process.ok());
    return *std::move(process);
  }
  int output_ = -1;
};

INSTANTIATE_TEST_SUITE_P(Namespaces, LaunchTest, ::testing::Bool(),
                         [](const auto& with) { return with.param ? "With" : "Without"; });

TEST_P(LaunchTest, ExitStatusAndSignalAreTold) {
  const Process::Exit exited = started(shell("exit 3")).wait();
  EXPECT_EQ(exited.code, 3);
  EXPECT_EQ(exited.signal, 0);
  const Process::Exit killed = started(shell("kill -SEGV $$")).wait();
  EXPECT_EQ(killed.signal, SIGSEGV);
}

TEST_P(LaunchTest, EnvironmentIsWhatWasGivenAndNothingElse) {
  setenv("KBX_TEST_API_KEY", "secret", 1);
  Launch plan = shell("/usr/bin/env");
  plan.environment = {"GIVEN={scratch}/x", "LANG=C"};
  Process process = started(plan);
  EXPECT_EQ(process.wait().code, 0);
  EXPECT_EQ(output().find("KBX_TEST_API_KEY"), std::string::npos);
  EXPECT_NE(output().find("GIVEN=" + process.scratch() + "/x\n"), std::string::npos) << output();
  EXPECT_NE(output().find("LANG=C\n"), std::string::npos) << output();
}

TEST_P(LaunchTest, DescriptorsArriveInOrderAlsoWhereTheirNumbersCollide) {
  // Whatever their numbers are here, the first must be 3 there.
  int one[2], two[2];
  ASSERT_EQ(pipe2(one, O_CLOEXEC), 0);
  ASSERT_EQ(pipe2(two, O_CLOEXEC), 0);
  const int third = fcntl(one[1], F_DUPFD_CLOEXEC, 3), fourth = fcntl(two[1], F_DUPFD_CLOEXEC, 3);
  for (const auto& [first, second] : {std::pair{third, fourth}, std::pair{fourth, third}}) {
    Launch plan = shell("printf a >&3; printf b >&4");
    plan.descriptors = {first, second};
    EXPECT_EQ(started(plan).wait().code, 0);
    char from_one = 0, from_two = 0;
    EXPECT_EQ(read(one[0], &from_one, 1), 1);
    EXPECT_EQ(read(two[0], &from_two, 1), 1);
    EXPECT_EQ(from_one, first == third ? 'a' : 'b');
    EXPECT_EQ(from_two, first == third ? 'b' : 'a');
  }
  for (int fd : {one[0], one[1], two[0], two[1], third, fourth}) close(fd);
}

TEST_P(LaunchTest, OpenDescriptorsOfTheJudgeAreNotInherited) {
  const int leaked = open("/etc/hostname", O_RDONLY);  // without O_CLOEXEC
  const Attempted tried = attempt("inherited_descriptor", "", GetParam() ? kNamespaces : 0u);
  EXPECT_TRUE(tried.denied) << tried.said;
  close(leaked);
}

TEST_P(LaunchTest, KillEndsGrandchildrenToo) {
  int alive[2];
  ASSERT_EQ(pipe2(alive, O_CLOEXEC), 0);
  Launch plan = shell("(sleep 1000 & sleep 1000 & printf r >&3; wait) ");
  plan.descriptors = {alive[1]};
  Process process = started(plan);
  close(alive[1]);
  char ready;
  ASSERT_EQ(read(alive[0], &ready, 1), 1);
  process.kill();
  // Every holder of the other end is dead when it reads as ended; kill() promises that this is now.
  pollfd ended{alive[0], POLLHUP, 0};
  EXPECT_EQ(poll(&ended, 1, GetParam() ? 0 : 5000), 1);
  EXPECT_EQ(process.wait().signal, SIGKILL);
  close(alive[0]);
}

TEST_P(LaunchTest, MissingProgramAndMissingBindAreErrorsThatNameThem) {
  if (GetParam()) {
    Launch plan = shell("true");
    plan.binds = {{"/nowhere/at/all", "/x"}};
    const Result<Process> process = launch(plan);
    ASSERT_FALSE(process.ok());
    EXPECT_NE(process.error().message.find("/nowhere/at/all"), std::string::npos);
  } else {
    Launch plan = shell("true");
    plan.argv = {"/nowhere/at/all"};
    const Result<Process> process = launch(plan);
    ASSERT_FALSE(process.ok());
    EXPECT_NE(process.error().message.find("/nowhere/at/all"), std::string::npos);
  }
}

TEST_P(LaunchTest, ScratchIsWritableAndGoneAfterwards) {
  std::string folder;
  {
    Process process = started(shell("echo text > file && pwd && cat file"));
    EXPECT_EQ(process.wait().code, 0) << output();
    EXPECT_EQ(output(), process.scratch() + "\ntext\n");
    folder = process.scratch();
  }
  EXPECT_FALSE(fs::exists(folder + "/file"));
}

TEST_P(LaunchTest, ConfinedProgramIsLimitedAndFiltered) {
  if (!available_layers().seccomp || !available_layers().landlock) GTEST_SKIP() << "this kernel lacks a layer";
  Launch plan =
      shell("while read line; do echo $line; done < /proc/self/status; ulimit -n; ulimit -c; touch /usr/x || echo denied");
  plan.confine = true;
  plan.limits.open_files = 77;
  plan.argv[0] = "/bin/bash";
  EXPECT_EQ(started(plan).wait().code, 0);
  EXPECT_NE(output().find("CapEff: 0000000000000000\n"), std::string::npos) << output();
  EXPECT_NE(output().find("NoNewPrivs: 1\nSeccomp: 2\n"), std::string::npos) << output();
  EXPECT_NE(output().find("\n77\n0\n"), std::string::npos) << output();
  EXPECT_NE(output().find("denied"), std::string::npos) << output();
}

TEST_P(LaunchTest, MemoryThatNoLimitCountsIsSeenByTheWatchdog) {
  int ready[2];
  ASSERT_EQ(pipe2(ready, O_CLOEXEC), 0);
  // In a child of a child: the whole tree counts.
  Result<Process> process =
      start_attempt("share_and_stay", "100", (GetParam() ? kNamespaces : 0u) | kFork | kLimits, {}, ready[1]);
  ASSERT_TRUE(process.ok());
  close(ready[1]);
  char byte;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  EXPECT_GE(process->resident_bytes(), 100u << 20);
  EXPECT_LT(process->resident_bytes(), 150u << 20);
  EXPECT_EQ(resident_bytes(process->pidfd()), process->resident_bytes());
  process->kill();
  process->wait();
  EXPECT_EQ(process->resident_bytes(), 0u);
  close(ready[0]);
}

TEST_P(LaunchTest, ProcessorTimeCountsWorkBelowItAndNoWaiting) {
  const auto seconds_of = [this](const std::string& work) {
    int ready[2];
    EXPECT_EQ(pipe2(ready, O_CLOEXEC), 0);
    Launch plan = shell("(" + work + "; printf r >&3; sleep 1000) & wait");
    plan.descriptors = {ready[1]};
    Process process = started(plan);
    close(ready[1]);
    char byte;
    EXPECT_EQ(read(ready[0], &byte, 1), 1);
    const double seconds = cpu_seconds(process.pidfd());
    process.kill();
    process.wait();
    EXPECT_EQ(cpu_seconds(process.pidfd()), 0);
    close(ready[0]);
    return seconds;
  };
  EXPECT_LT(seconds_of("sleep 1"), 0.5);
  EXPECT_GT(seconds_of("i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done"), 0.1);
}

TEST_P(LaunchTest, ACoreTakenAwayFromADescendantIsCounted) {
  // Two loops on one core take it away from each other; the shell above them only waits.
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  Process process = started(shell("while :; do :; done & while :; do :; done & wait"));
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
  uint64_t switches = 0;
  for (int i = 0; i < 2000 && switches < 50; ++i) {  // half a second of work; 20 s on a busy machine
    usleep(10'000);
    switches = involuntary_switches(process.pidfd());
  }
  EXPECT_GE(switches, 50u);
  process.kill();
  process.wait();
  EXPECT_EQ(involuntary_switches(process.pidfd()), 0u);
}

TEST_P(LaunchTest, KeptOnACoreItStartsNothingElsewhere) {
  Process process = started(shell("while :; do sed -n 's/^Cpus_allowed_list:[^0-9]*//p' /proc/self/status; sleep 0.01; done"));
  const int core = sched_getcpu();
  const auto says_so = [&] { return output().ends_with("\n" + std::to_string(core) + "\n"); };
  for (int i = 0; i < 500 && output().empty(); ++i) usleep(10'000);
  keep_on_core(process.pidfd(), core);
  for (int i = 0; i < 500 && !says_so(); ++i) usleep(10'000);
  EXPECT_TRUE(says_so()) << output();
  process.kill();
  process.wait();
  keep_on_core(process.pidfd(), core);  // nobody is there any more
}

TEST_P(LaunchTest, ManyProcessesReachTheWatchdogAndAreAllEndedByKill) {
  if (!GetParam()) GTEST_SKIP() << "without namespaces only the filter stops it, which forbids fork";
  int alive[2];
  ASSERT_EQ(pipe2(alive, O_CLOEXEC), 0);
  Result<Process> process = start_attempt("fork_many", "200", kNamespaces | kFilter | kNoCapabilities, {}, alive[1]);
  ASSERT_TRUE(process.ok());
  close(alive[1]);
  char ready;
  ASSERT_EQ(read(alive[0], &ready, 1), 1);
  // Idle processes hold next to no memory; a thousand of them would still take the machine down.
  EXPECT_GE(process->resident_bytes(), 1ull << 30);
  process->kill();
  pollfd ended{alive[0], POLLHUP, 0};
  EXPECT_EQ(poll(&ended, 1, 0), 1);
  EXPECT_EQ(process->wait().signal, SIGKILL);
  close(alive[0]);
}

TEST_P(LaunchTest, KilledJudgeTakesItsChildrenAlong) {
  int alive[2];
  ASSERT_EQ(pipe(alive), 0);
  const std::string program = fs::path(holes_program()).parent_path() / "kbx-test-judge";
  const char* argument = GetParam() ? "1" : "0";
  // A judge killed without namespaces leaves its scratch folder behind.
  std::string folder = fs::temp_directory_path() / "kbx-judge-XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const pid_t judge = fork();
  if (judge == 0) {
    setenv("TMPDIR", folder.c_str(), 1);
    const int end = fcntl(alive[1], F_DUPFD, 10);
    dup2(end, 3);
    for (int fd = 4; fd < 64; ++fd) close(fd);
    execl(program.c_str(), program.c_str(), argument, nullptr);
    _exit(127);
  }
  close(alive[1]);
  char ready = 0;
  ASSERT_EQ(read(alive[0], &ready, 1), 1);
  kill(judge, SIGKILL);
  waitpid(judge, nullptr, 0);
  pollfd ended{alive[0], POLLIN | POLLHUP, 0};
  ASSERT_EQ(poll(&ended, 1, 10000), 1) << "the candidate survived its judge";
  EXPECT_EQ(read(alive[0], &ready, 1), 0);
  close(alive[0]);
  fs::remove_all(folder);
}

TEST(LayersTest, LevelNamesWhatIsInForce) {
  Layers layers;
  EXPECT_EQ(layers.level(), "namespaces+landlock+seccomp");
  layers.namespaces = false;
  EXPECT_EQ(layers.level(), "landlock+seccomp");
  layers.landlock = layers.seccomp = false;
  EXPECT_EQ(layers.level(), "none");
}

// All of this, and the holes, as somebody who is not root.
TEST(OrdinaryUserTest, EverythingHoldsForOrdinaryUsersToo) {
  if (getuid() != 0) GTEST_SKIP() << "this is an ordinary user";
  constexpr uid_t kNobody = 65534;
  std::string folder = fs::temp_directory_path() / "kbx-user-XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const fs::path tests = fs::path(holes_program()).parent_path(), root = tests.parent_path();
  fs::create_directories(folder + "/tests");
  for (const char* name : {"kbx-holes", "kbx-test-judge", "launch_test", "holes_test"}) fs::copy(tests / name, folder + "/tests");
  fs::create_directories(folder + "/bin");
  fs::copy(root / "bin/kbx-confine", folder + "/bin");
  fs::create_directories(folder + "/share/kbx");
  fs::copy(root / "share/kbx/environment.json", folder + "/share/kbx");
  fs::permissions(folder, fs::perms::all);
  for (const char* name : {"launch_test", "holes_test"}) {
    const std::string program = folder + "/tests/" + name;
    const int log = memfd_create("kbx-test", MFD_CLOEXEC);
    const pid_t child = fork();
    if (child == 0) {
      if (setgroups(0, nullptr) != 0 || setresgid(kNobody, kNobody, kNobody) != 0 || setresuid(kNobody, kNobody, kNobody) != 0)
        _exit(126);
      unsetenv("KBX_PYTHON");
      unsetenv("GTEST_OUTPUT");
      unsetenv("GTEST_FILTER");
      dup2(log, 1);
      dup2(log, 2);
      if (chdir("/") == 0) execl(program.c_str(), program.c_str(), nullptr);
      _exit(127);
    }
    int status = -1;
    waitpid(child, &status, 0);
    std::string text(1 << 20, '\0');
    text.resize(static_cast<size_t>(pread(log, text.data(), text.size(), 0)));
    close(log);
    EXPECT_EQ(status, 0) << text;
  }
  fs::remove_all(folder);
}

}  // namespace
}  // namespace kbx
