// SPDX-License-Identifier: Apache-2.0
#include "cli/machine.h"

#include <fcntl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

namespace kbx {
namespace fs = std::filesystem;
namespace {

constexpr int kCommandMilliseconds = 60000;

std::string read_text(const std::string& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<std::string> list_names(const std::string& dir) {
  std::vector<std::string> names;
  std::error_code error;
  for (auto at = fs::directory_iterator(dir, error); !error && at != fs::directory_iterator(); at.increment(error))
    names.push_back(at->path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string find_in_path(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "/usr/local/bin:/usr/bin:/bin");
  for (std::string file; std::getline(folders, file, ':');) {
    file += '/';
    file += name;
    if (::access(file.c_str(), X_OK) == 0 && fs::is_regular_file(file)) return file;
  }
  return "";
}

// Reads until the end or the time is up, which kills the process.
CommandOutput collect(pid_t pid, int fd) {
  CommandOutput out;
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(kCommandMilliseconds);
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now()).count();
    pollfd wait{fd, POLLIN, 0};
    char buffer[4096];
    if (left <= 0 || ::poll(&wait, 1, static_cast<int>(left)) == 0) {
      ::kill(pid, SIGKILL);
      break;
    }
    const ssize_t n = ::read(fd, buffer, sizeof buffer);
    if (n <= 0) break;
    out.text.append(buffer, static_cast<size_t>(n));
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  out.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return out;
}

CommandOutput run_command(const std::vector<std::string>& argv) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return {-1, "no pipe"};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  pid_t pid = 0;
  const int failed = ::posix_spawnp(&pid, words[0], &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  CommandOutput out = failed != 0 ? CommandOutput{-1, argv[0] + " does not start"} : collect(pid, ends[0]);
  ::close(ends[0]);
  return out;
}

std::optional<uint64_t> free_bytes(const std::string& path) {
  std::error_code error;
  fs::path folder = fs::absolute(path, error);
  while (!fs::exists(folder, error) && folder != folder.parent_path()) folder = folder.parent_path();
  const auto space = fs::space(folder, error);
  return error ? std::nullopt : std::optional<uint64_t>(space.available);
}

int landlock_abi() {
  constexpr long kCreateRuleset = 444;
  constexpr unsigned kAskVersion = 1;
  return static_cast<int>(std::max(0L, ::syscall(kCreateRuleset, nullptr, 0, kAskVersion)));
}

bool has_seccomp() {
  const uint32_t action = SECCOMP_RET_ERRNO;
  return ::syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

}  // namespace

Machine this_machine() {
  std::error_code error;
  Machine machine;
  machine.read = read_text;
  machine.exists = [](const std::string& path) { return ::access(path.c_str(), F_OK) == 0; };
  machine.may_open = [](const std::string& path) { return ::access(path.c_str(), R_OK | W_OK) == 0; };
  machine.environment = [](const std::string& name) {
    const char* value = std::getenv(name.c_str());
    return value ? std::optional<std::string>(value) : std::nullopt;
  };
  machine.list = list_names;
  machine.find_program = find_in_path;
  machine.run = run_command;
  machine.free_bytes = free_bytes;
  machine.landlock_abi = landlock_abi();
  machine.seccomp = has_seccomp();
  machine.root = ::geteuid() == 0;
  machine.cores = std::max(1u, std::thread::hardware_concurrency());
  machine.memory_bytes = static_cast<uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  machine.working_folder = fs::current_path(error).string();
  machine.installation = find_installation();
  return machine;
}

}  // namespace kbx
