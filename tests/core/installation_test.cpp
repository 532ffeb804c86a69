// SPDX-License-Identifier: Apache-2.0
// Each case is a process of its own: the installation is read once.
#include "core/installation.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>

namespace kbx {
namespace {

namespace fs = std::filesystem;

// Whether `check` holds in a child that has `variables` ("NAME=value", or "NAME" to remove it) in its environment.
bool holds(const std::vector<std::string>& variables, const std::function<bool()>& check) {
  const pid_t child = fork();
  if (child == 0) {
    for (const std::string& variable : variables) {
      const size_t equals = variable.find('=');
      if (equals == std::string::npos)
        unsetenv(variable.c_str());
      else
        setenv(variable.substr(0, equals).c_str(), variable.substr(equals + 1).c_str(), 1);
    }
    _exit(check() ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status == 0;
}

TEST(InstallationTest, WithoutKbxPythonItIsTheBuildsEnvironment) {
  EXPECT_TRUE(holds({"KBX_PYTHON", "XDG_CACHE_HOME=/tmp/somewhere"}, [] {
    const Result<Installation> found = find_installation();
    return found.ok() && fs::exists(found->tvm_ffi_include / "tvm/ffi/tvm_ffi.h") &&
           fs::exists(found->tvm_ffi_library / "libtvm_ffi.so") && fs::exists(found->torch_library / "libtorch.so") &&
           fs::exists(found->python) && found->cache == "/tmp/somewhere/kbx" && !found->version.empty();
  }));
}

TEST(InstallationTest, DataLieWhereTheUserWantsThemOrBelowHome) {
  EXPECT_TRUE(holds({"XDG_DATA_HOME=/tmp/somewhere"}, [] { return data_folder() == "/tmp/somewhere/kbx"; }));
  // The XDG specification has relative paths ignored.
  EXPECT_TRUE(holds({"XDG_DATA_HOME=some/where", "HOME=/tmp/somebody"},
                    [] { return data_folder() == "/tmp/somebody/.local/share/kbx"; }));
}

TEST(InstallationTest, KbxPythonIsAskedWhereItsPackagesLie) {
  const fs::path folder = fs::temp_directory_path() / ("kbx-python-" + std::to_string(getpid()));
  fs::create_directories(folder);
  const fs::path python = folder / "python";
  std::ofstream(python) << "#!/bin/sh\necho '{\"python\": \"" << python.string() << "\", \"site_packages\": \"/elsewhere\"}'\n";
  fs::permissions(python, fs::perms::owner_all);
  EXPECT_TRUE(holds({"KBX_PYTHON=" + python.string()}, [&] {
    const Result<Installation> found = find_installation();
    return found.ok() && found->site_packages == "/elsewhere" && found->python == python && !found->version.empty();
  }));
  fs::remove_all(folder);
}

TEST(InstallationTest, UselessKbxPythonIsAnErrorWithItsOwnWords) {
  const auto fails_saying = [](const std::string& words) {
    return [words] {
      const Result<Installation> found = find_installation();
      return !found.ok() && found.error().text().find(words) != std::string::npos;
    };
  };
  EXPECT_TRUE(holds({"KBX_PYTHON=/nowhere/python"}, fails_saying("/nowhere/python")));
  EXPECT_TRUE(holds({"KBX_PYTHON=/bin/true"}, fails_saying("KBX_PYTHON")));
  EXPECT_TRUE(holds({"KBX_PYTHON=/usr/bin/env"}, fails_saying("KBX_PYTHON")));
}

}  // namespace
}  // namespace kbx
