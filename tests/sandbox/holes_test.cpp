// SPDX-License-Identifier: Apache-2.0
// Each row is something that a hostile candidate tries, and the layers of which each alone stops it. The attempt must succeed
// without them: so the row proves the layer, and fails when the layer is switched off or loses its rule.
#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <ostream>

#include "attempts.h"

namespace kbx {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSecret = "kbx-test-secret-5bd1e995";

// Things of the judge that holes are tried on. Made once.
class Prey {
 public:
  static Prey& get() {
    static Prey prey;
    return prey;
  }
  ~Prey() {
    kill(victim_, SIGKILL);
    waitpid(victim_, nullptr, 0);
    fs::remove_all(folder_);
  }
  std::string folder() const { return folder_; }
  std::string secret_file() const { return folder_ / "secret"; }
  std::string new_file() const { return folder_ / "new"; }
  std::string socket_name() const { return folder_ / "socket"; }
  std::string abstract_name() const { return "@kbx-test-" + std::to_string(getpid()); }
  std::string datagram_name() const { return folder_ / "datagrams"; }
  std::string process() const { return std::to_string(victim_); }
  std::string port() const { return std::to_string(port_); }

 private:
  Prey() {
    setenv("KBX_TEST_SECRET", kSecret, 1);
    std::string folder = fs::temp_directory_path() / "kbx-prey-XXXXXX";
    folder_ = mkdtemp(folder.data());
    std::ofstream(folder_ / "secret") << "secret";
    fs::permissions(folder_ / "secret", fs::perms::owner_read | fs::perms::owner_write);
    victim_ = fork();
    if (victim_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
      for (;;) pause();
    }
    listen_tcp();
    listen_unix(socket_name(), SOCK_STREAM);
    listen_unix(abstract_name(), SOCK_STREAM);
    listen_unix(datagram_name(), SOCK_DGRAM);
  }
  void listen_tcp() {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (bind(fd, reinterpret_cast<sockaddr*>(&address), size) == 0 && listen(fd, 16) == 0 &&
        getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0)
      port_ = ntohs(address.sin_port);
  }
  static void listen_unix(const std::string& name, int type) {
    const int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    name.copy(address.sun_path, sizeof address.sun_path - 1);
    if (name.starts_with('@')) address.sun_path[0] = '\0';
    ASSERT_EQ(
        bind(fd, reinterpret_cast<sockaddr*>(&address), static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size())),
        0);
    if (type == SOCK_STREAM) {
      ASSERT_EQ(listen(fd, 16), 0);
    }
  }
  fs::path folder_;
  pid_t victim_ = -1;
  int port_ = 0;
};

struct Row {
  const char* name;
  const char* hole;
  std::string (*target)();
  std::vector<unsigned> closed_by;
  unsigned base = 0;        // protection that is always on
  bool needs_root = false;  // an ordinary user is denied by the kernel anyway
};

std::string none() { return ""; }
std::string secret_file() { return Prey::get().secret_file(); }
std::string new_file() { return Prey::get().new_file(); }
std::string process() { return Prey::get().process(); }
std::string secret() { return Prey::get(), kSecret; }

const Row kRows[] = {
    {"ReadsAFileOfTheUser", "read_file", secret_file, {kNamespaces, kLandlock}},
    {"ReadsPasswordHashes", "read_file", [] { return std::string("/etc/shadow"); }, {kNamespaces, kLandlock}, 0, true},
    {"CreatesAFileOutside", "create_file", new_file, {kNamespaces, kLandlock}},
    {"DeletesAFileOutside",
     "delete_file",
     [] {
       std::ofstream(Prey::get().folder() + "/precious") << 1;
       return Prey::get().folder() + "/precious";
     },
     {kNamespaces, kLandlock}},
    {"WritesAKernelSetting", "write_sysctl", none, {kNamespaces, kLandlock}, 0, true},
    {"FindsTheJudgesEnvironment", "find_in_environments", secret, {kCleanEnvironment, kLandlock}, kNamespaces},
    {"ReadsTheEnvironmentOfAProcess", "read_environment", process, {kNamespaces, kLandlock}},
    {"OpensTheMemoryOfAProcess", "open_memory", process, {kNamespaces, kLandlock}},
    {"ReadsTheMemoryOfAProcess", "read_memory", process, {kNamespaces, kLandlock, kFilter, kStrictFilter}},
    {"TracesAProcess", "trace", process, {kNamespaces, kLandlock, kFilter, kStrictFilter}},
    {"SignalsTheJudge", "signal_process", [] { return std::to_string(getpid()); }, {kNamespaces, kLandlock}},
    {"LimitsAProcess", "limit_process", process, {kNamespaces, kFilter, kStrictFilter}},
    // In a box with the zygote: its pid is 2, after bwrap's.
    {"OpensTheMemoryOfTheZygote",
     "open_memory",
     [] { return std::string("2"); },
     {kOwnNamespaces, kLandlock},
     kNamespaces | kFork},
    {"SignalsTheZygote", "signal_process", [] { return std::string("2"); }, {kOwnNamespaces, kLandlock}, kNamespaces | kFork},
    {"Forks", "fork_process", none, {kStrictFilter}},
    {"Executes", "execute", none, {kStrictFilter}},
    {"ConnectsByTcp", "connect_tcp", [] { return Prey::get().port(); }, {kNamespaces, kLandlock, kFilter, kStrictFilter}},
    {"OpensAUdpSocket", "open_family", [] { return std::to_string(AF_INET); }, {kFilter, kStrictFilter}},
    {"OpensANetlinkSocket", "open_family", [] { return std::to_string(AF_NETLINK); }, {kFilter, kStrictFilter}},
    {"ConnectsToASocketFile", "connect_to_name", [] { return Prey::get().socket_name(); }, {kNamespaces, kFilter, kStrictFilter}},
    {"ConnectsToAnAbstractSocket",
     "connect_to_name",
     [] { return Prey::get().abstract_name(); },
     {kNamespaces, kLandlock, kFilter, kStrictFilter}},
    {"SendsThroughAPairOfSockets",
     "redirect_pair",
     [] { return Prey::get().datagram_name(); },
     {kNamespaces, kFilter, kStrictFilter}},
    {"Mounts", "mount_filesystem", none, {kLandlock, kFilter, kStrictFilter, kNoCapabilities}, kNamespaces},
    {"MakesAUserNamespace", "new_user_namespace", none, {kFilter, kStrictFilter}},
    {"ClonesIntoANamespace", "clone_namespace", none, {kFilter, kStrictFilter}},
    {"ClonesIntoANamespaceByClone3", "clone3_namespace", none, {kFilter, kStrictFilter}},
    {"GainsPrivileges", "gain_privileges", none, {kLandlock, kFilter, kStrictFilter, kNoCapabilities, kLimits}},
    {"AllocatesTooMuch", "allocate", [] { return std::string("300"); }, {kLimits}},
    {"WritesALargeFile", "large_file", [] { return std::string("5"); }, {kLimits}},
    {"FillsTheDisk", "many_files", [] { return std::string("12"); }, {kNamespaces}},
    {"KeepsMemoryInAnonymousFiles", "anonymous_file", none, {kStrictFilter}},
    {"OpensManyDescriptors", "many_descriptors", [] { return std::string("40"); }, {kLimits}},
};

void PrintTo(const Row& row, std::ostream* out) { *out << row.name; }

bool available(unsigned protection) {
  const Layers layers = available_layers();
  return (!(protection & kNamespaces) || layers.namespaces) && (!(protection & kLandlock) || layers.landlock) &&
         (!(protection & (kFilter | kStrictFilter)) || layers.seccomp);
}

class HoleTest : public ::testing::TestWithParam<Row> {};

TEST_P(HoleTest, OpenWithoutItsLayers) {
  const Row& row = GetParam();
  if (row.needs_root && getuid() != 0) GTEST_SKIP() << "an ordinary user is denied by the kernel";
  if (!available(row.base)) GTEST_SKIP() << namespaces_problem()->text();
  const Attempted tried = attempt(row.hole, row.target(), row.base);
  EXPECT_TRUE(tried.open) << tried.said;
}

TEST_P(HoleTest, ClosedByEachLayerAlone) {
  const Row& row = GetParam();
  for (unsigned layer : row.closed_by) {
    if (!available(row.base | layer)) continue;
    const Attempted tried = attempt(row.hole, row.target(), row.base | layer);
    EXPECT_TRUE(tried.denied) << "protection " << layer << ": " << tried.said;
  }
}

TEST_P(HoleTest, ClosedByAll) {
  const Row& row = GetParam();
  if (!available(kAllProtection)) GTEST_SKIP() << "not all layers are available here";
  // A zygote keeps its capabilities and makes its child before the lockdown.
  const Attempted tried = attempt(row.hole, row.target(), kAllProtection | (row.base & kFork ? unsigned{kOwnNamespaces} : 0));
  EXPECT_TRUE(tried.denied) << tried.said;
}

INSTANTIATE_TEST_SUITE_P(Rows, HoleTest, ::testing::ValuesIn(kRows), [](const auto& row) { return std::string(row.param.name); });

// System calls that the filter denies whatever their arguments. Root, whom nothing else stops, is the one to show that it is the
// filter.
class FilterTest : public ::testing::TestWithParam<const char*> {};

TEST_P(FilterTest, DeniesTheSystemCall) {
  if (!available_layers().seccomp) GTEST_SKIP() << "this kernel has no seccomp";
  const int number = seccomp_syscall_resolve_name(GetParam());
  if (number < 0) GTEST_SKIP() << "no such system call on this architecture";
  const Attempted without = attempt("reaches_kernel", std::to_string(number), 0);
  if (without.said.find("Function not implemented") != std::string::npos) GTEST_SKIP() << "this kernel has no such system call";
  if (getuid() == 0) {
    EXPECT_TRUE(without.open) << without.said;
  }
  for (unsigned filter : {kFilter, kStrictFilter}) {
    const Attempted with = attempt("reaches_kernel", std::to_string(number), filter);
    EXPECT_TRUE(with.denied) << with.said;
  }
}

INSTANTIATE_TEST_SUITE_P(Calls, FilterTest,
                         ::testing::Values("ptrace", "process_vm_writev", "pidfd_getfd", "kcmp", "userfaultfd", "bpf",
                                           "perf_event_open", "io_uring_setup", "keyctl", "add_key", "mount", "umount2",
                                           "pivot_root", "chroot", "fsopen", "setns", "unshare", "init_module", "delete_module",
                                           "kexec_load", "open_by_handle_at", "name_to_handle_at", "mknod", "mknodat",
                                           "fanotify_init", "shmget", "shmat", "msgget", "semget", "mq_open", "clock_settime",
                                           "settimeofday", "swapon", "reboot", "vmsplice", "move_pages", "setpriority"),
                         [](const auto& call) { return std::string(call.param); });

TEST(SyscallFilterTest, LeavesWhatRunnersNeed) {
  if (!available_layers().seccomp) GTEST_SKIP() << "this kernel has no seccomp";
  for (unsigned filter : {kFilter, kStrictFilter}) EXPECT_TRUE(attempt("stream_pair", "", filter).open);
  EXPECT_TRUE(attempt("fork_process", "", kFilter).open);
  EXPECT_TRUE(attempt("execute", "", kFilter).open);
  EXPECT_TRUE(attempt("anonymous_file", "", kFilter).open);
}

TEST(SyscallFilterTest, SystemCallsYoungerThanTheFilterDoNotExist) {
  if (!available_layers().seccomp) GTEST_SKIP() << "this kernel has no seccomp";
  for (const char* number : {"451", "467", "511"}) EXPECT_TRUE(attempt("reaches_kernel", number, kFilter).denied) << number;
}

TEST(SharedMemoryTest, NothingIsLeftBehind) {
  const std::string name = "/dev/shm/kbx-test-" + std::to_string(getpid());
  EXPECT_TRUE(attempt("leave_file", name, 0).open);
  EXPECT_TRUE(fs::remove(name));
  if (available_layers().landlock) {
    EXPECT_TRUE(attempt("leave_file", name, kLandlock).denied);
  }
  if (available_layers().namespaces) {
    EXPECT_TRUE(attempt("leave_file", name, kNamespaces).open);
    EXPECT_FALSE(fs::exists(name));
  }
}

TEST(TerminalTest, KeystrokesIntoTheJudgesTerminalAreDenied) {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_GE(terminal, 0);
  ASSERT_EQ(grantpt(terminal), 0);
  ASSERT_EQ(unlockpt(terminal), 0);
  const int slave = open(ptsname(terminal), O_RDWR | O_NOCTTY | O_CLOEXEC);
  ASSERT_GE(slave, 0);
  // The terminal comes as standard output, which the box leaves alone.
  const auto typed = [&](unsigned protection) {
    Result<Process> process = start_attempt("type_into_terminal", "1", protection, {}, slave);
    return process.ok() ? process->wait().code : -1;
  };
  constexpr int kOpen = 40, kDenied = 41;
  if (typed(0) != kOpen) GTEST_SKIP() << "this kernel lets nobody type into terminals (dev.tty.legacy_tiocsti)";
  EXPECT_EQ(typed(kFilter), kDenied);
  EXPECT_EQ(typed(kStrictFilter), kDenied);
  close(slave);
  close(terminal);
}

}  // namespace
}  // namespace kbx
