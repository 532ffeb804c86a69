// SPDX-License-Identifier: Apache-2.0
// What builds and runs candidates: the compiler, Python, kbx's own parts, room.
#include <fmt/format.h>

#include "cli/doctor.h"
#include "core/files.h"

namespace kbx {
namespace {

constexpr uint64_t kCacheBytes = 1ull << 30;  // artifacts of a few hundred candidates
constexpr uint64_t kRunBytes = 100ull << 20;
constexpr uint64_t kMemoryBytes = 3ull << 30;  // the judge, a runner, a compiler

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

std::string package_version(const Machine& machine, const std::string& package) {
  for (const std::string& name : machine.list(machine.installation->site_packages.string()))
    if (name.starts_with(package + "-") && name.ends_with(".dist-info"))
      return name.substr(package.size() + 1, name.size() - package.size() - 1 - std::string(".dist-info").size());
  return "";
}

Check check_compiler(const Machine& machine) {
  Check check{.name = "g++", .found = "", .state = Check::State::ok, .required = true, .remedy = ""};
  const std::string compiler = machine.find_program("g++");
  const CommandOutput version = compiler.empty() ? CommandOutput{-1, ""} : machine.run({compiler, "-dumpfullversion"});
  check.found = first_line(version.text);
  if (version.status == 0) return check;
  check.found = compiler.empty() ? "not installed" : compiler + " does not run";
  check.state = Check::State::missing;
  check.remedy = std::string(machine.root ? "" : "sudo ") + "apt-get install -y g++";
  return check;
}

Check check_python(const Machine& machine, bool deep) {
  Check check{
      .name = "Python",
      .found = "",
      .state = Check::State::missing,
      .required = true,
      .remedy =
          "make demo (installs it), or KBX_PYTHON=/path/to/python of an environment that has torch, triton and apache-tvm-ffi"};
  if (!machine.installation) {
    check.found = machine.installation.error().message;
    return check;
  }
  const std::string python = machine.installation->python.string();
  if (!machine.exists(python)) {
    check.found = "there is no " + python;
    return check;
  }
  check.found = python;
  for (const char* package : {"torch", "triton", "apache_tvm_ffi"}) {
    const std::string version = package_version(machine, package);
    if (version.empty()) {
      check.found = std::string(package) + " is not installed for " + python;
      return check;
    }
    check.found += fmt::format(", {} {}", package, version);
  }
  if (deep) {
    const CommandOutput imported = machine.run({python, "-c", "import torch, triton, tvm_ffi"});
    if (imported.status != 0) {
      check.found =
          "its packages do not import: " +
          imported.text.substr(std::min(imported.text.size(), imported.text.find_last_of('\n', imported.text.size() - 2) + 1));
      return check;
    }
    check.found += ", imported";
  }
  check.state = Check::State::ok;
  check.remedy.clear();
  return check;
}

Check check_parts(const Machine& machine) {
  Check check{.name = "kbx", .found = "", .state = Check::State::missing, .required = true, .remedy = "make (builds kbx)"};
  if (!machine.installation) {
    check.found = machine.installation.error().message;
    check.remedy = machine.installation.error().remedy;
    return check;
  }
  const Installation& i = *machine.installation;
  for (const auto& part : {i.judge, i.runner_native, i.runner_baseline, i.confine, i.reference_library, i.lockdown_library,
                           i.runner_python, i.catalogue})
    if (!machine.exists(part.string())) {
      check.found = "there is no " + part.string();
      return check;
    }
  return {.name = "kbx", .found = i.version + ", complete", .state = Check::State::ok, .required = true, .remedy = ""};
}

Check check_disk(const Machine& machine) {
  Check check{.name = "disk", .found = "", .state = Check::State::ok, .required = false, .remedy = ""};
  const std::string cache = machine.installation ? machine.installation->cache.string() : machine.working_folder;
  const auto look = [&](const char* what, const std::string& folder, uint64_t wanted) {
    const auto free = machine.free_bytes(folder);
    if (!free) return;
    check.found += fmt::format("{}{} free for {} ({})", check.found.empty() ? "" : ", ", human_bytes(*free), what, folder);
    if (*free >= wanted) return;
    check.state = Check::State::missing;
    check.remedy = fmt::format(
        "free {} there, or put {}", human_bytes(wanted),
        folder == cache ? "the cache elsewhere: XDG_CACHE_HOME=/other/folder" : "runs elsewhere: --out /other/folder");
  };
  look("the cache", cache, kCacheBytes);
  look("runs", machine.working_folder, kRunBytes);
  return check;
}

Check check_memory(const Machine& machine) {
  Check check{.name = "memory",
              .found = fmt::format("{}, {} cores", human_bytes(machine.memory_bytes), machine.cores),
              .state = Check::State::ok,
              .required = false,
              .remedy = ""};
  if (machine.memory_bytes >= kMemoryBytes) return check;
  check.state = Check::State::missing;
  check.remedy = fmt::format("at least {} are needed to judge", human_bytes(kMemoryBytes));
  return check;
}

}  // namespace kbx
