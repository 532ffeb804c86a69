// SPDX-License-Identifier: Apache-2.0
#include "core/installation.h"

#include <fcntl.h>
#include <pwd.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/files.h"

namespace kbx {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr uint64_t kMaxEnvironmentBytes = 1 << 20;
constexpr const char* kPythonRemedy = "point KBX_PYTHON at a Python with torch and apache-tvm-ffi";

// The nearest folder at or above the executable's that has share/kbx/environment.json; empty if none.
fs::path find_root(const fs::path& executable) {
  std::error_code ignored;
  for (fs::path folder = executable.parent_path();; folder = folder.parent_path()) {
    if (fs::exists(folder / "share/kbx/environment.json", ignored)) return folder;
    if (folder == folder.parent_path()) return {};
  }
}

// kbx's folder below the one that `variable` names (XDG Base Directory Specification), or below its default in the home folder.
fs::path user_folder(const char* variable, const char* in_home) {
  if (const char* xdg = std::getenv(variable); xdg != nullptr && xdg[0] == '/') return fs::path(xdg) / "kbx";
  const char* home = std::getenv("HOME");
  if (home == nullptr || home[0] != '/') {
    const passwd* user = getpwuid(getuid());
    home = user != nullptr ? user->pw_dir : "/tmp";
  }
  return fs::path(home) / in_home / "kbx";
}

// Standard output of a program that exits with 0; otherwise its standard error, shown to the user.
Result<std::string> output_of(const std::vector<std::string>& command) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return Error{"cannot make a pipe", "close some programs"};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  pid_t pid = -1;
  const int failed = posix_spawn(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string output;
  std::array<char, 4096> chunk;
  for (ssize_t n; failed == 0 && (n = read(ends[0], chunk.data(), chunk.size())) > 0;) output.append(chunk.data(), n);
  close(ends[0]);
  int status = 0;
  if (failed != 0 || waitpid(pid, &status, 0) != pid || status != 0)
    return Error{command[0] + " does not run or lacks a package: " + output, kPythonRemedy};
  return output;
}

Result<json> parse(const std::string& text, const std::string& origin, const char* remedy) {
  json parsed = json::parse(text, nullptr, false);
  if (!parsed.is_object()) return Error{origin + " is not a JSON object", remedy};
  return parsed;
}

Result<Installation> read_installation() {
  std::error_code failed;
  const fs::path executable = fs::read_symlink("/proc/self/exe", failed);
  const fs::path root = find_root(executable);
  if (root.empty())
    return Error{"no share/kbx/environment.json in a folder above " + executable.string(), "run `make demo`, which builds it"};
  const fs::path share = root / "share/kbx";
  Result<std::string> text = read_file(share / "environment.json", kMaxEnvironmentBytes);
  if (!text.ok()) return text.error();
  Result<json> built = parse(*text, (share / "environment.json").string(), "build kbx again");
  if (!built.ok()) return built.error();
  json environment = *built;

  const char* python = std::getenv("KBX_PYTHON");
  if (python != nullptr && *python != '\0' && environment.value("python", "") != python) {
    Result<std::string> told = output_of({python, "-I", (share / "environment.py").string()});
    if (!told.ok()) return told.error();
    Result<json> parsed = parse(*told, "the answer of " + std::string(python), kPythonRemedy);
    if (!parsed.ok()) return parsed.error();
    environment.update(*parsed);
  }

  const auto path = [&](const char* key) { return fs::path(environment.value(key, "")); };
  Installation found;
  found.judge = root / "bin/kbx-judge";
  found.runner_native = root / "bin/kbx-runner-native";
  found.runner_baseline = root / "bin/kbx-runner-baseline";
  found.confine = root / "bin/kbx-confine";
  found.reference_library = root / "lib/libkbx_reference.so";
  found.lockdown_library = root / "lib/libkbx_lockdown.so";
  found.runner_python = fs::exists(share / "python", failed) ? share / "python" : path("runner_python");
  found.catalogue = share / "catalogue.json";
  found.python = path("python");
  found.base_prefix = path("base_prefix");
  found.site_packages = path("site_packages");
  const auto if_there = [](const fs::path& file) {
    std::error_code error;
    return fs::exists(file, error) ? file : fs::path();
  };
  found.census_library = if_there(root / "lib/libkbx_census.so");
  found.cupti_library = if_there(found.site_packages / "nvidia/cu13/lib/libcupti.so.13");
  found.torch_library = path("torch_library");
  found.tvm_ffi_include = path("tvm_ffi_include");
  found.tvm_ffi_library = path("tvm_ffi_library");
  found.cuda_include = path("cuda_include");
  found.cache = user_folder("XDG_CACHE_HOME", ".cache");
  found.version = environment.value("version", "");
  return found;
}

}  // namespace

Result<Installation> find_installation() {
  static const Result<Installation> found = read_installation();
  return found;
}

fs::path data_folder() { return user_folder("XDG_DATA_HOME", ".local/share"); }

}  // namespace kbx
