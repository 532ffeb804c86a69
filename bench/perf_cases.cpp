// SPDX-License-Identifier: Apache-2.0
// How long the references take on the perf cases, called one after another by themselves: whether sizes are well chosen.
//
//     kbx-bench-perf-cases [DEVICE] [FILE]      cpu (one thread) or cuda:N; FILE: lines "TASK CASE" in place of the tasks' own
//
// Prints a JSON object a case: seconds of a call (least of several rounds; on the CPU the thread's own time, on a GPU with calls
// queued), and bytes, operations and their unit by the cost model. A case that fails has `error` instead.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "as_in_the_judge.h"
#include "catalogue/cases.h"
#include "catalogue/task.h"
#include "core/clock.h"
#include "judge/device.h"
#include "pipeline/exchange.h"

namespace kbx {
namespace {

constexpr double kRoundSeconds = 0.02;  // calls of a round on a GPU together
constexpr int kMostCalls = 100;         // and so many at most
constexpr int kRounds = 7;
constexpr double kCaseSeconds = 2;

struct Line {
  const Task* task = nullptr;
  Case c;
};

std::vector<Line> own_lines(at::DeviceType type) {
  std::vector<Line> lines;
  for (const Task& task : catalogue())
    for (Case& c : perf_cases_of(task, type)) lines.push_back({&task, std::move(c)});
  return lines;
}

Result<std::vector<Line>> lines_of(const std::string& path) {
  std::vector<Line> lines;
  std::ifstream file(path);
  std::string id, text;
  while (file >> id && std::getline(file, text)) {
    const Task* task = find_task(id);
    if (!task) return Error{"no task " + id, ""};
    auto parsed = parse_case(*task, text);
    if (!parsed) return parsed.error();
    lines.push_back({task, *std::move(parsed)});
  }
  if (lines.empty()) return Error{"no cases in " + path, ""};
  return lines;
}

// What other processes do does not count on the CPU.
double now(at::Device device) {
  timespec t = {};
  clock_gettime(device.is_cpu() ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// Least seconds per call of several rounds.
double seconds_of(const Call& call, at::Device device) {
  const auto round = [&](int calls) {
    const double start = now(device);
    for (int i = 0; i < calls; ++i) call.task->reference(Args(call));
    synchronize(device);
    return (now(device) - start) / calls;
  };
  const auto start = Clock::now();
  round(1);
  double least = round(1);
  const int calls = device.is_cpu() ? 1 : std::clamp(static_cast<int>(kRoundSeconds / least), 1, kMostCalls);
  for (int i = 0; i < kRounds && seconds_since(start) < kCaseSeconds; ++i) least = std::min(least, round(calls));
  return least;
}

nlohmann::ordered_json measured(const Line& line, at::Device device) {
  nlohmann::ordered_json row = {{"task", line.task->id}, {"case", line.c.line}};
  try {
    const auto call = bind(*line.task, line.c, 1, device);
    if (!call) {
      row["error"] = call.error().text();
      return row;
    }
    const Cost cost = line.task->cost(Args(*call), line.task->reference(Args(*call)));
    row["seconds"] = seconds_of(*call, device);
    row["bytes"] = cost.bytes;
    row["flops"] = cost.flops;
    row["unit"] = cost.unit == Unit::matrix ? "matrix" : "vector";
  } catch (const std::exception& e) {
    row["error"] = std::string(e.what()).substr(0, 300);
  }
  return row;
}

int run(const std::string& device_text, const std::string& path) {
  const auto ordinal = device_named(device_text);
  if (!ordinal) {
    std::fprintf(stderr, "usage: kbx-bench-perf-cases [cpu|cuda:N] [FILE]\n");
    return 2;
  }
  const bool cpu = *ordinal < 0;
  if (const Status loaded = cpu ? Status(Done{}) : load_cuda(*ordinal); !loaded) {
    std::fprintf(stderr, "%s\n", loaded.error().text().c_str());
    return 1;
  }
  const at::Device device = cpu ? at::Device(at::kCPU) : at::Device(at::kCUDA, static_cast<at::DeviceIndex>(*ordinal));
  auto lines = path.empty() ? Result<std::vector<Line>>(own_lines(device.type())) : lines_of(path);
  if (!lines) {
    std::fprintf(stderr, "%s\n", lines.error().text().c_str());
    return 1;
  }
  for (const Line& line : *lines) {
    std::printf("%s\n", measured(line, device).dump().c_str());
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace
}  // namespace kbx

int main(int argc, char** argv) {
  kbx::work_as_in_the_judge();
  return kbx::run(argc > 1 ? argv[1] : "cpu", argc > 2 ? argv[2] : "");
}
