// SPDX-License-Identifier: Apache-2.0
// Raced pairs whose true ratio is known, as raw as they were measured: what the rates of the instrument are computed from. A
// file of JSON lines; the first says under which conditions, each other one holds a pair.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/result.h"
#include "measure/series.h"

namespace kbx {

enum class PairKind {
  aa,   // the same code on both sides
  more  // the candidate does `more` per cent more work than the baseline, by the same code
};

struct RacedPair {
  PairKind kind = PairKind::aa;
  std::string task = {}, line = {};
  int more = 0;
  double truth = 0;                // log of baseline / candidate
  std::string clock = {};          // that decided: "gpu", "pace", "judge"
  int least = 0;                   // of the stopping rule, for each process
  std::vector<Block> blocks = {};  // of that clock; seconds to six digits
  std::string failed = {};         // why there are no blocks, or none that count
  std::string alarm = {};          // what a judge would hold against the times; empty if nothing
};

struct Conditions {
  std::string device, environment, command;
  std::string measured;  // UTC, ISO 8601
};

struct Recording {
  Conditions conditions;
  std::vector<RacedPair> pairs;
};

// A line of the file, with its end.
std::string line_of(const Conditions& conditions);
std::string line_of(const RacedPair& pair);

// Error: not to be read, or not such a file, with the line.
Result<Recording> read_recording(const std::filesystem::path& file);

}  // namespace kbx
