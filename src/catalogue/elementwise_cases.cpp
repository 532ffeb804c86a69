// SPDX-License-Identifier: Apache-2.0
#include "catalogue/elementwise_cases.h"

#include <deque>
#include <mutex>
#include <string>

namespace kbx {
namespace {

// A case around the input: "before argument=recipe after".
struct Line {
  std::string_view before, after;
  bool out = false;
};

constexpr Line kCases[] = {
    {"standard: M=17..70 N=65..300 ", "[M,N]"},
    {"standard: N=1000..4095 ", "[3,N]"},
    {"standard: A=3..9 B=33..90 ", "[A,B,17]"},
    {"boundary: N=33..90 ", "[33,N]@transposed"},
    {"boundary: N=65..200 ", "[33,N]@strided"},
    {"boundary: N=60001..65500 ", "[N]"},
    {"boundary: ", "[0]"},
    {"boundary: ", "[1]"},
    {"boundary: ", "[]"},
    {"boundary: ", "[257]@offset"},
    {"boundary: ", "[9,65]@expanded"},
    {"boundary: ", "[1025]@scale(1e-4)"},
    {"boundary: N=65..200 ", "[33,N]", true},
    {"boundary: ", "[0,3]", true},
};
// By Pace: some milliseconds of an eager call.
constexpr Line kPerf[][2] = {
    {{"", "[4194304]"}, {"", "[2049,2303]"}}, {{"", "[2359296]"}, {"", "[1151,2049]"}}, {{"", "[524288]"}, {"", "[767,1025]"}}};

std::string_view kept(std::string line) {
  static std::mutex mutex;
  static auto* lines = new std::deque<std::string>;
  const std::lock_guard lock(mutex);
  return lines->emplace_back(std::move(line));
}

std::string_view written(const Elementwise& shape, const Line& line) {
  std::string text(line.before);
  for (std::string_view part : {shape.argument, std::string_view("="), shape.recipe, line.after}) text += part;
  if (line.out) text.append(" ").append(shape.out).append("=like");
  return kept(std::move(text));
}

}  // namespace

std::vector<std::string_view> elementwise_cases(const Elementwise& shape, std::vector<std::string_view> own) {
  std::vector<std::string_view> cases;
  for (const Line& line : kCases)
    if (!line.out || !shape.out.empty()) cases.push_back(written(shape, line));
  cases.insert(cases.end(), own.begin(), own.end());
  return cases;
}

std::vector<std::string_view> elementwise_perf(const Elementwise& shape, Pace pace) {
  std::vector<std::string_view> cases;
  for (const Line& line : kPerf[static_cast<size_t>(pace)]) cases.push_back(written(shape, line));
  return cases;
}

}  // namespace kbx
