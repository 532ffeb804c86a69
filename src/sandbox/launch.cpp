// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/descriptor.h"
#include "core/installation.h"
#include "sandbox/box.h"
#include "sandbox/sandbox.h"
#include "sandbox/spawn.h"

namespace kbx {
namespace {

namespace fs = std::filesystem;

int pidfd_open(int pid) { return static_cast<int>(syscall(SYS_pidfd_open, pid, 0)); }
void send_kill(int pidfd) { syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, nullptr, 0); }

// An anonymous file with this content, to be read from its start.
Descriptor content(std::string_view text) {
  Descriptor file(memfd_create("kbx", MFD_CLOEXEC));
  if (file.get() >= 0 && pwrite(file.get(), text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()))
    return Descriptor();
  return file;
}

std::string separated_by_zeros(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text.append(word).push_back('\0');
  return text;
}

// bwrap says on its --info-fd which process is the first in the new pid namespace; nothing if it failed before.
int read_child_pid(int fd) {
  std::string text;
  char chunk[512];
  for (ssize_t n; (n = read(fd, chunk, sizeof chunk)) > 0;) text.append(chunk, static_cast<size_t>(n));
  const auto info = nlohmann::json::parse(text, nullptr, false);
  return info.is_object() ? info.value("child-pid", -1) : -1;
}

// Until the process has ended.
void await(int pidfd) {
  if (pidfd < 0) return;
  pollfd ended{pidfd, POLLIN, 0};
  while (poll(&ended, 1, -1) < 0 && errno == EINTR) {
  }
}

// What every start needs: the program's command line, behind kbx-confine if asked, and the descriptors that go along.
struct Start {
  std::vector<std::string> program;
  std::vector<int> descriptors;
  Descriptor filter;
};

Result<Start> prepare_start(const Launch& launch, const Reach& reach, const std::string& scratch, std::vector<Bind>* binds) {
  Start start;
  start.descriptors = launch.descriptors;
  if (launch.confine) {
    Result<Installation> installation = find_installation();
    if (!installation.ok()) return installation.error();
    const std::string confine = installation->confine;
    if (access(confine.c_str(), X_OK) != 0) return Error{confine + " is missing", "build kbx again"};
    binds->push_back({confine, confine});
    int filter_number = -1;
    if (launch.layers.seccomp) {
      start.filter = content(syscall_filter(/*may_exec=*/true));
      if (start.filter.get() < 0) return Error{"cannot hand over the system call filter", "free some memory"};
      start.descriptors.push_back(start.filter.get());
      filter_number = 2 + static_cast<int>(start.descriptors.size());
    }
    start.program = confine_arguments(launch, confine, reach, filter_number);
  }
  for (const std::string& word : launch.argv) start.program.push_back(with_scratch(word, scratch));
  return start;
}

}  // namespace

Result<Process> launch(const Launch& given) {
  KBX_CHECK(!given.argv.empty());
  Launch launch = given;
  Process process;
  if (launch.layers.namespaces) {
    process.scratch_ = kScratchInBox;
  } else {
    std::string folder = fs::temp_directory_path() / "kbx-XXXXXX";
    if (mkdtemp(folder.data()) == nullptr)
      return Error{"cannot make a folder like " + folder, "set TMPDIR to a folder with space"};
    process.scratch_ = process.owned_folder_ = folder;
  }
  if (launch.confine && !launch.layers.namespaces) launch.binds.push_back({launch.argv[0], launch.argv[0]});
  Result<Start> start = prepare_start(launch, box_reach(launch, process.scratch_), process.scratch_, &launch.binds);
  if (!start.ok()) return start.error();
  process.reach_ = box_reach(launch, process.scratch_);
  const std::vector<std::string> environment = box_environment(launch, process.scratch_);

  SpawnPlan plan;
  plan.output = launch.output;
  Descriptor arguments, info_end;
  if (launch.layers.namespaces) {
    const std::string bubblewrap = find_bubblewrap();
    if (bubblewrap.empty()) return Error{"bubblewrap is not installed", "apt-get install bubblewrap"};
    Result<std::vector<std::string>> box = box_arguments(launch, environment);
    if (!box.ok()) return box.error();
    arguments = content(separated_by_zeros(*box));
    int ends[2];
    if (arguments.get() < 0 || pipe2(ends, O_CLOEXEC) != 0)
      return Error{"cannot hand arguments to bubblewrap", "close some programs"};
    Descriptor info(ends[0]);
    info_end = Descriptor(ends[1]);
    plan.descriptors = start->descriptors;
    plan.descriptors.push_back(arguments.get());
    plan.descriptors.push_back(info_end.get());
    const int last = 2 + static_cast<int>(plan.descriptors.size());
    plan.argv = {bubblewrap, "--args", std::to_string(last - 1), "--info-fd", std::to_string(last)};
    plan.argv.insert(plan.argv.end(), start->program.begin(), start->program.end());
    // Empty: bwrap's own environment stays readable in the box as /proc/1/environ. A carried bwrap needs to find its libraries.
    if (const char* libraries = std::getenv("LD_LIBRARY_PATH")) plan.environment = {std::string("LD_LIBRARY_PATH=") + libraries};
    if (!launch.layers.clean_environment) plan.environment = environment;
    Result<int> pid = spawn(plan);
    if (!pid.ok()) return pid.error();
    process.pid_ = *pid;
    process.pidfd_ = pidfd_open(*pid);
    info_end = Descriptor();
    const int inner = read_child_pid(info.get());
    if (inner > 0) process.box_pidfd_ = pidfd_open(inner);
    if (inner < 0) return Error{"bubblewrap could not make the sandbox", "run kbx doctor"};
  } else {
    plan.argv = start->program;
    plan.environment = environment;
    plan.descriptors = start->descriptors;
    plan.folder = process.scratch_;
    Result<int> pid = spawn(plan);
    if (!pid.ok()) return pid.error();
    process.pid_ = *pid;
    process.pidfd_ = pidfd_open(*pid);
  }
  if (process.pidfd_ < 0) return Error{"cannot watch the started process", "close some programs"};
  return process;
}

Process::~Process() {
  if (pid_ > 0 && !exit_) {
    kill();
    wait();
  }
  if (pidfd_ >= 0) close(pidfd_);
  if (box_pidfd_ >= 0) close(box_pidfd_);
  std::error_code ignored;
  if (!owned_folder_.empty()) fs::remove_all(owned_folder_, ignored);
}

Process::Process(Process&& other) noexcept { *this = std::move(other); }

Process& Process::operator=(Process&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(pidfd_, other.pidfd_);
  std::swap(box_pidfd_, other.box_pidfd_);
  std::swap(exit_, other.exit_);
  std::swap(scratch_, other.scratch_);
  std::swap(owned_folder_, other.owned_folder_);
  std::swap(reach_, other.reach_);
  return *this;
}

void Process::kill() {
  if (pid_ <= 0 || exit_) return;
  if (box_pidfd_ >= 0) {
    // The first process of a pid namespace ends only when all others in it are dead.
    send_kill(box_pidfd_);
    await(box_pidfd_);
  }
  ::kill(-pid_, SIGKILL);
  ::kill(pid_, SIGKILL);
  await(pidfd_);
}

Process::Exit Process::wait() {
  if (exit_) return *exit_;
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  Exit result;
  if (WIFSIGNALED(status))
    result.signal = WTERMSIG(status);
  else
    result.code = WEXITSTATUS(status);
  // bwrap passes a signal on as 128 + its number.
  if (box_pidfd_ >= 0 && result.code > 128 && result.code < 128 + NSIG) result = {0, result.code - 128};
  exit_ = result;
  return result;
}

}  // namespace kbx
