// SPDX-License-Identifier: Apache-2.0
// The command line of kbx-judge: the verbs of `kbx` that need libtorch.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/candidate.h"
#include "pipeline/options.h"

namespace kbx {

enum class Verb { judge, run };

struct Arguments {
  Verb verb = Verb::judge;
  std::string path;                  // file, folder or JSONL
  std::string task;                  // --task
  std::optional<Language> language;  // --language
  std::string out;                   // --out, of `run`
  std::optional<uint64_t> seed;      // --seed; drawn anew otherwise
  bool json = false, sandbox = true;
  bool gpu = false;              // --device cuda or cuda:N
  std::optional<int> ordinal;    // N
  std::optional<uint32_t> arch;  // --arch
  JudgeOptions options;
};

// What to do, or the status to exit with at once (help was printed, or the arguments are off and stderr says how).
std::optional<Arguments> parse_arguments(int argc, char** argv, int& exit_status);

}  // namespace kbx
