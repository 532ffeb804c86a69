// SPDX-License-Identifier: Apache-2.0
// What doctor looks at, as functions, so that tests can put a machine together that lacks what they please.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/installation.h"
#include "core/result.h"

namespace kbx {

struct CommandOutput {
  int status = 0;    // exit status; -1: did not start or was killed
  std::string text;  // stdout and stderr together
};

struct Machine {
  std::function<std::string(const std::string& path)> read;  // "" if there is none
  std::function<bool(const std::string& path)> exists;
  std::function<bool(const std::string& path)> may_open;  // this user may read and write it
  std::function<std::optional<std::string>(const std::string& name)> environment;
  std::function<std::vector<std::string>(const std::string& dir)> list;        // names; empty if there is none
  std::function<std::string(const std::string& name)> find_program;            // absolute path, "" if there is none
  std::function<CommandOutput(const std::vector<std::string>& argv)> run;      // at most 60 s
  std::function<std::optional<uint64_t>(const std::string& path)> free_bytes;  // of the file system of the nearest folder
  int landlock_abi = 0;                                                        // 0: none
  bool seccomp = false;                                                        // filters can be installed
  bool root = false;
  unsigned cores = 1;
  uint64_t memory_bytes = 0;
  std::string working_folder;
  Result<Installation> installation = Error{"not looked for", ""};
};

Machine this_machine();

}  // namespace kbx
