// SPDX-License-Identifier: Apache-2.0
// What builds and runs candidates: compilers, Python, the GPU, kbx's own parts, room.
#include <fmt/format.h>

#include <cstdlib>

#include "cli/doctor.h"
#include "core/files.h"

namespace kbx {
namespace {

constexpr uint64_t kCacheBytes = 1ull << 30;  // artifacts of a few hundred candidates
constexpr uint64_t kRunBytes = 100ull << 20;
constexpr uint64_t kMemoryBytes = 3ull << 30;  // the judge, a runner, a compiler

// Least driver for a CUDA major version (NVIDIA's CUDA compatibility table).
int least_driver(int cuda) { return cuda >= 13 ? 580 : cuda == 12 ? 525 : 450; }

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// The number that "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build" tells: the first word
// that is digits and dots.
std::string driver_version(const std::string& text) {
  for (size_t start = 0; start < text.size();) {
    const size_t end = std::min(text.find_first_of(" \t\n,", start), text.size());
    std::string word = text.substr(start, end - start);
    if (word.find('.') != std::string::npos && word.find_first_not_of("0123456789.") == std::string::npos) return word;
    start = end + 1;
  }
  return "";
}

// "2.11.0" of torch-2.11.0.dist-info, "" if the package is not there.
std::string package_version(const Machine& machine, const std::string& package) {
  for (const std::string& name : machine.list(machine.installation->site_packages.string()))
    if (name.starts_with(package + "-") && name.ends_with(".dist-info"))
      return name.substr(package.size() + 1, name.size() - package.size() - 1 - std::string(".dist-info").size());
  return "";
}

int cuda_of_wheel(const Machine& machine) {
  if (!machine.installation) return 0;
  for (const char* package : {"nvidia_cuda_runtime", "cuda_toolkit"})
    if (const std::string version = package_version(machine, package); !version.empty()) return std::atoi(version.c_str());
  return 0;
}

}  // namespace

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

Check check_gpu(const Machine& machine) {
  Check check{.name = "GPU", .found = "", .state = Check::State::ok, .required = false, .remedy = ""};
  std::string version = driver_version(machine.read("/proc/driver/nvidia/version"));
  std::string gpu;
  if (const std::string smi = machine.find_program("nvidia-smi"); !smi.empty()) {
    const CommandOutput asked = machine.run({smi, "--query-gpu=driver_version,name", "--format=csv,noheader"});
    if (asked.status == 0) {
      const std::string line = first_line(asked.text);
      version = driver_version(line);
      if (const size_t comma = line.find(", "); comma != std::string::npos) gpu = line.substr(comma + 2) + ", ";
    } else if (version.empty()) {
      check.found = "the driver does not answer: " + first_line(asked.text);
      check.state = Check::State::missing;
      check.remedy = "load or reinstall the NVIDIA driver";
      return check;
    }
  }
  if (version.empty()) {
    check.found = "no NVIDIA GPU: C++ is judged and timed, Triton is compiled and interpreted, CUDA waits";
    check.state = Check::State::absent;
    return check;
  }
  const int cuda = cuda_of_wheel(machine);
  check.found = fmt::format("{}driver {}", gpu, version);
  if (cuda == 0 || std::atoi(version.c_str()) >= least_driver(cuda)) return check;
  check.found += fmt::format(", too old for torch's CUDA {}", cuda);
  check.state = Check::State::missing;
  check.remedy = fmt::format("install driver {0} or newer: {1}apt-get install -y nvidia-driver-{0}", least_driver(cuda),
                             machine.root ? "" : "sudo ");
  return check;
}

Check check_nvcc(const Machine& machine) {
  std::string nvcc = machine.find_program("nvcc");
  if (nvcc.empty() && machine.exists("/usr/local/cuda/bin/nvcc")) nvcc = "/usr/local/cuda/bin/nvcc";
  if (nvcc.empty())
    return {
        .name = "nvcc",
        .found = "not installed: CUDA candidates cannot be built",
        .state = Check::State::absent,
        .required = false,
        .remedy = std::string(machine.root ? "" : "sudo ") +
                  "apt-get install -y cuda-toolkit-13-0 (from NVIDIA's repository: https://developer.nvidia.com/cuda-downloads)"};
  const std::string text = machine.run({nvcc, "--version"}).text;
  const size_t release = text.find("release ");
  return {.name = "nvcc",
          .found = nvcc + (release == std::string::npos ? "" : ", " + text.substr(release, text.find(',', release) - release)),
          .state = Check::State::ok,
          .required = false,
          .remedy = ""};
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
