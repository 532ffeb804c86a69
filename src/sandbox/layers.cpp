// SPDX-License-Identifier: Apache-2.0
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <fstream>

#include "sandbox/box.h"
#include "sandbox/sandbox.h"

namespace kbx {
namespace {

bool has_landlock() {
  constexpr long kCreateRuleset = 444;
  constexpr unsigned kVersion = 1;
  return syscall(kCreateRuleset, nullptr, 0, kVersion) >= 1;
}

bool has_seccomp() {
  const uint32_t action = SECCOMP_RET_ERRNO;
  return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

std::string setting(const char* file) {
  std::string value;
  std::ifstream(file) >> value;
  return value;
}

std::string namespaces_remedy() {
  if (setting("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == "1")
    return "AppArmor forbids user namespaces; allow them to bwrap: sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0";
  if (setting("/proc/sys/kernel/unprivileged_userns_clone") == "0") return "sudo sysctl kernel.unprivileged_userns_clone=1";
  if (setting("/proc/sys/user/max_user_namespaces") == "0") return "sudo sysctl user.max_user_namespaces=10000";
  return "in a container: run it with --privileged, or with --security-opt seccomp=unconfined --security-opt apparmor=unconfined "
         "--security-opt systempaths=unconfined";
}

std::optional<Error> probe_namespaces() {
  if (find_bubblewrap().empty()) return Error{"bubblewrap is not installed", "apt-get install bubblewrap"};
  const int output = memfd_create("kbx-probe", MFD_CLOEXEC);
  Launch probe;
  probe.argv = {"/usr/bin/true"};
  probe.output = output;
  probe.may_fork_namespaces = true;
  Result<Process> process = launch(probe);
  const bool ran = process.ok() && process->wait().code == 0;
  std::string said(4096, '\0');
  const ssize_t size = pread(output, said.data(), said.size(), 0);
  close(output);
  if (ran) return std::nullopt;
  said.resize(size > 0 ? static_cast<size_t>(size) : 0);
  while (said.ends_with('\n')) said.pop_back();
  return Error{"bubblewrap cannot make a sandbox: " + (said.empty() && !process.ok() ? process.error().message : said),
               namespaces_remedy()};
}

const std::optional<Error>& namespaces_probe() {
  static const std::optional<Error> problem = probe_namespaces();
  return problem;
}

}  // namespace

std::string Layers::level() const {
  std::string text;
  const auto add = [&text](bool on, const char* name) {
    if (!on) return;
    if (!text.empty()) text += '+';
    text += name;
  };
  add(namespaces, "namespaces");
  add(landlock, "landlock");
  add(seccomp, "seccomp");
  return text.empty() ? "none" : text;
}

Layers available_layers() {
  Layers layers;
  layers.namespaces = !namespaces_probe();
  layers.landlock = has_landlock();
  layers.seccomp = has_seccomp();
  return layers;
}

std::optional<Error> namespaces_problem() { return namespaces_probe(); }

}  // namespace kbx
