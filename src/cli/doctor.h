// SPDX-License-Identifier: Apache-2.0
// What a machine can do for kbx, and the exact command for what it cannot.
#pragma once

#include <string>
#include <vector>

#include "cli/machine.h"
#include "cli/style.h"

namespace kbx {

struct Check {
  enum class State {
    ok,
    missing,  // something that kbx needs, or is weaker without
    absent,   // something optional that is not there
  };
  std::string name, found;
  State state = State::ok;
  bool required = false;  // judging on the CPU does not work without it
  std::string remedy;     // a command, or what to do; empty where ok
};

struct Health {
  std::vector<Check> checks;
  std::string sandbox;  // level that a candidate gets: "namespaces+landlock+seccomp", ...
  bool judges_on_cpu = false, judges_on_gpu = false;
};

// `deep`: starts Python and imports torch and triton.
Health examine(const Machine& machine, bool deep);

std::string health_page(const Health& health, const Style& style);
std::string health_json(const Health& health);

// "2.11.0" of torch-2.11.0.dist-info; "" if the Python environment lacks the package.
// REQUIRES: machine.installation.
std::string package_version(const Machine& machine, const std::string& package);

// The single examinations, in order. None of them loads CUDA: they look at files and ask nvidia-smi.
Check check_bubblewrap(const Machine& machine);
Check check_namespaces(const Machine& machine);
Check check_landlock(const Machine& machine);
Check check_seccomp(const Machine& machine);
Check check_compiler(const Machine& machine);
Check check_python(const Machine& machine, bool deep);
Check check_parts(const Machine& machine);
Check check_gpu(const Machine& machine);
Check check_nvcc(const Machine& machine);
Check check_cupti(const Machine& machine);
Check check_sanitizer(const Machine& machine);
Check check_ncu(const Machine& machine);
Check check_disk(const Machine& machine);
Check check_memory(const Machine& machine);

}  // namespace kbx
