// SPDX-License-Identifier: Apache-2.0
#include "attempts.h"

#include <sys/mman.h>
#include <unistd.h>

#include <filesystem>

#include "holes/hole.h"
#include "lockdown/lockdown.h"
#include "sandbox/box.h"

namespace kbx {
namespace {

int memory_file(const std::string& content) {
  const int fd = memfd_create("kbx-test", MFD_CLOEXEC);
  KBX_CHECK_EQ(pwrite(fd, content.data(), content.size(), 0), static_cast<ssize_t>(content.size()));
  return fd;
}

std::string text_of(int fd) {
  std::string text(4096, '\0');
  const ssize_t size = pread(fd, text.data(), text.size(), 0);
  text.resize(size > 0 ? static_cast<size_t>(size) : 0);
  return text;
}

}  // namespace

std::string holes_program() { return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "kbx-holes"; }

Result<Process> start_attempt(const std::string& hole, const std::string& target, unsigned protection,
                              std::vector<int> descriptors, int output) {
  Launch plan;
  plan.layers.namespaces = protection & kNamespaces;
  plan.layers.clean_environment = protection & kCleanEnvironment;
  plan.limits.scratch_bytes = 8 << 20;
  plan.may_fork_namespaces = true;
  plan.binds = {{holes_program(), holes_program()}};
  const bool filtered = protection & (kFilter | kStrictFilter);
  if (filtered) descriptors.insert(descriptors.begin(), memory_file(syscall_filter(protection & kFilter)));
  plan.descriptors = descriptors;
  plan.output = output;

  const unsigned layers = (protection & kLandlock ? KBX_LANDLOCK : 0) | (filtered ? KBX_SECCOMP : 0) |
                          (protection & kNoCapabilities ? KBX_CAPABILITIES : 0);
  const bool limited = protection & kLimits;
  plan.argv = {holes_program(),     hole, target, std::to_string(layers), limited ? "268435456" : "0", limited ? "4194304" : "0",
               limited ? "32" : "0"};
  if (protection & kOwnNamespaces)
    plan.argv.push_back("--zygote");
  else if (protection & kFork)
    plan.argv.push_back("--fork");
  const Reach reach = box_reach(plan, "{scratch}");
  for (const std::string& path : reach.readable) plan.argv.insert(plan.argv.end(), {"--readable", path});
  for (const std::string& path : reach.writable) plan.argv.insert(plan.argv.end(), {"--writable", path});
  Result<Process> process = launch(plan);
  if (filtered) close(plan.descriptors.front());
  return process;
}

Attempted attempt(const std::string& hole, const std::string& target, unsigned protection) {
  const int output = memory_file("");
  Result<Process> process = start_attempt(hole, target, protection, {}, output);
  Attempted result;
  if (process.ok()) {
    const Process::Exit exit = process->wait();
    result.open = exit.signal == 0 && exit.code == holes::kOpen;
    result.denied = exit.signal == 0 && exit.code == holes::kDenied;
    result.said = text_of(output) + " (exit " + std::to_string(exit.code) + ", signal " + std::to_string(exit.signal) + ")";
  } else {
    result.said = process.error().text();
  }
  close(output);
  return result;
}

}  // namespace kbx
