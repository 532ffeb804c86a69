// SPDX-License-Identifier: Apache-2.0
#include "validation/pairs.h"

#include <fmt/format.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/files.h"

namespace kbx {
namespace {

using nlohmann::json;

constexpr uint64_t kLargest = 1ull << 30;

// More digits than any clock has would be most of the file.
double six_digits(double seconds) { return std::strtod(fmt::format("{:.6g}", seconds).c_str(), nullptr); }

RacedPair pair_of(const json& j) {
  RacedPair p;
  const std::string kind = j.at("kind");
  if (kind != "aa" && kind != "more") throw json::other_error::create(501, "kind " + kind, nullptr);
  p.kind = kind == "aa" ? PairKind::aa : PairKind::more;
  p.task = j.at("task");
  p.line = j.at("case");
  p.more = j.value("more", 0);
  p.truth = j.at("truth");
  p.clock = j.value("clock", "");
  p.least = j.value("least", 0);
  p.failed = j.value("failed", "");
  p.alarm = j.value("alarm", "");
  for (const json& b : j.at("blocks")) p.blocks.push_back({b.at(0), b.at(1), b.at(2), b.at(3)});
  if (p.blocks.empty() == p.failed.empty()) throw json::other_error::create(501, "either blocks or a failure", nullptr);
  for (const Block& b : p.blocks)
    if (!(b.baseline > 0 && b.candidate > 0)) throw json::other_error::create(501, "a time that is not positive", nullptr);
  return p;
}

}  // namespace

std::string line_of(const Conditions& c) {
  return json{{"device", c.device}, {"environment", c.environment}, {"command", c.command}, {"measured", c.measured}}.dump() +
         "\n";
}

std::string line_of(const RacedPair& p) {
  json j{{"kind", p.kind == PairKind::aa ? "aa" : "more"},
         {"task", p.task},
         {"case", p.line},
         {"truth", p.truth},
         {"blocks", json::array()}};
  if (p.kind == PairKind::more) j["more"] = p.more;
  if (!p.alarm.empty()) j["alarm"] = p.alarm;
  if (!p.failed.empty()) {
    j["failed"] = p.failed;
  } else {
    j["clock"] = p.clock;
    j["least"] = p.least;
    for (const Block& b : p.blocks)
      j["blocks"].push_back({b.process, six_digits(b.baseline), six_digits(b.candidate), b.discarded});
  }
  return j.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

Result<Recording> read_recording(const std::filesystem::path& file) {
  const auto text = read_file(file, kLargest);
  if (!text) return text.error();
  Recording recording;
  std::istringstream lines(*text);
  std::string line;
  int number = 0;
  try {
    while (std::getline(lines, line)) {
      ++number;
      const json j = json::parse(line);
      if (number == 1)
        recording.conditions = {j.at("device"), j.at("environment"), j.at("command"), j.at("measured")};
      else
        recording.pairs.push_back(pair_of(j));
    }
  } catch (const json::exception& e) {
    return Error{fmt::format("{}:{} is no line of `kbx calibrate --validate`: {}", file.string(), number, e.what()), ""};
  }
  if (number == 0) return Error{file.string() + " is empty", ""};
  return recording;
}

}  // namespace kbx
