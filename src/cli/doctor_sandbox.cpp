// SPDX-License-Identifier: Apache-2.0
// What holds candidates: bubblewrap, user namespaces, Landlock, seccomp.
#include <fmt/format.h>

#include "cli/doctor.h"

namespace kbx {
namespace {

std::string trimmed(std::string text) {
  text.erase(text.find_last_not_of(" \n") + 1);
  return text.substr(0, text.find('\n'));
}

std::string sudo(const Machine& machine) { return machine.root ? "" : "sudo "; }

bool in_container(const Machine& machine) {
  return machine.exists("/.dockerenv") || machine.exists("/run/.containerenv") || !machine.read("/run/systemd/container").empty();
}

// Why a namespace could not be made, and how to allow it.
void explain_namespaces(const Machine& machine, Check& check) {
  const auto setting = [&](const char* path) { return trimmed(machine.read(path)); };
  if (in_container(machine)) {
    check.found += "; this is a container";
    check.remedy =
        "start it with --privileged, or with --security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt "
        "systempaths=unconfined";
  } else if (setting("/proc/sys/user/max_user_namespaces") == "0") {
    check.found += "; user.max_user_namespaces is 0";
    check.remedy = sudo(machine) + "sysctl -w user.max_user_namespaces=10000";
  } else if (setting("/proc/sys/kernel/unprivileged_userns_clone") == "0") {
    check.found += "; kernel.unprivileged_userns_clone is 0";
    check.remedy = sudo(machine) + "sysctl -w kernel.unprivileged_userns_clone=1";
  } else if (setting("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == "1") {
    check.found += "; AppArmor forbids user namespaces (Ubuntu 24.04's default)";
    check.remedy = "printf 'abi <abi/4.0>,\\ninclude <tunables/global>\\nprofile bwrap " + machine.find_program("bwrap") +
                   " flags=(unconfined) {\\n  userns,\\n}\\n' | sudo tee /etc/apparmor.d/bwrap && sudo apparmor_parser -r "
                   "/etc/apparmor.d/bwrap";
  } else {
    check.remedy = "see what the kernel says: dmesg | tail";
  }
}

}  // namespace

Check check_bubblewrap(const Machine& machine) {
  Check check{
      .name = "bubblewrap", .found = machine.find_program("bwrap"), .state = Check::State::ok, .required = false, .remedy = ""};
  if (check.found.empty()) {
    check.found = "not installed";
    check.state = Check::State::missing;
    check.remedy = sudo(machine) + "apt-get install -y bubblewrap";
  } else {
    check.found = trimmed(machine.run({check.found, "--version"}).text);
  }
  return check;
}

Check check_namespaces(const Machine& machine) {
  Check check{.name = "namespaces", .found = "", .state = Check::State::missing, .required = false, .remedy = ""};
  const std::string bwrap = machine.find_program("bwrap");
  if (bwrap.empty()) {
    check.found = "not tried: bubblewrap makes them";
    check.remedy = check_bubblewrap(machine).remedy;
    return check;
  }
  const CommandOutput tried = machine.run({bwrap, "--unshare-all", "--unshare-user", "--die-with-parent", "--ro-bind", "/", "/",
                                           "--proc", "/proc", "--dev", "/dev", "true"});
  if (tried.status == 0) {
    check.found = "can be made";
    check.state = Check::State::ok;
    return check;
  }
  check.found = "blocked: " + trimmed(tried.text);
  explain_namespaces(machine, check);
  return check;
}

Check check_landlock(const Machine& machine) {
  Check check{.name = "Landlock",
              .found = fmt::format("ABI {}", machine.landlock_abi),
              .state = Check::State::ok,
              .required = true,
              .remedy = ""};
  if (machine.landlock_abi > 0) return check;
  check.state = Check::State::missing;
  const std::string active = trimmed(machine.read("/sys/kernel/security/lsm"));
  check.found = active.empty() ? "not offered by the kernel" : "not offered by the kernel (active: " + active + ")";
  check.remedy = "use Linux 5.13 or newer, with landlock in its list of security modules: kernel parameter lsm=landlock," +
                 (active.empty() ? "..." : active);
  return check;
}

Check check_seccomp(const Machine& machine) {
  if (machine.seccomp) return {.name = "seccomp", .found = "filters", .state = Check::State::ok, .required = true, .remedy = ""};
  return {.name = "seccomp",
          .found = "no filters",
          .state = Check::State::missing,
          .required = true,
          .remedy = "use a kernel with CONFIG_SECCOMP_FILTER; gVisor and old containers lack it"};
}

}  // namespace kbx
