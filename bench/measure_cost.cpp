// SPDX-License-Identifier: Apache-2.0
// What it takes to measure one correct candidate over its default perf cases.
//
//     kbx-bench-measure-cost [DEVICE] [TASK ...]      cpu (one thread) or cuda:N; of each task by default
//
// Eager takes the candidate's place, in a native runner. Prints a JSON object a task: seconds to `prepare` the perf cases (once
// for all candidates of a task: the oracle), to `start` the processes, and to `race`; `cases`, `blocks`; `error` if there was
// no race.
#include <c10/util/Exception.h>
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "as_in_the_judge.h"
#include "catalogue/cases.h"
#include "catalogue/task.h"
#include "core/clock.h"
#include "core/interrupt.h"
#include "judge/device.h"
#include "judge/device_error.h"
#include "judge/layers.h"
#include "pipeline/contest.h"
#include "pipeline/entrants.h"
#include "pipeline/race.h"
#include "pipeline/request.h"

namespace kbx {
namespace {

class Bench {
 public:
  Bench(at::Device device, const JudgeOptions& options)
      : device_(device),
        options_(options),
        runner_(timed_runner_options(options_)),
        zygotes_(runner_),
        entrants_(options_, runner_, zygotes_),
        contest_(device, options_),
        language_(device.is_cuda() ? Language::cuda : Language::cpp) {}

  nlohmann::ordered_json measured(const Task& task) {
    nlohmann::ordered_json row = {{"task", task.id}};
    try {
      if (const std::string trouble = race(task, row); !trouble.empty()) row["error"] = trouble;
    } catch (const c10::Error& e) {
      row["error"] = e.what_without_backtrace();
    }
    return row;
  }

 private:
  // Why there was none; empty if there was.
  std::string race(const Task& task, nlohmann::ordered_json& row) {
    auto start = Clock::now();
    const auto lap = [&](const char* field) {
      row[field] = seconds_since(start);
      start = Clock::now();
    };
    std::vector<Heat> heats;
    for (const Case& c : perf_cases_of(task, device_.type())) {
      auto heat = Heat::prepare(task, c, options_.seed, device_);
      if (!heat) return heat.error().text();
      heats.push_back(*std::move(heat));
    }
    lap("prepare");
    auto eager = entrants_.eager(task, language_), candidate = entrants_.fresh_eager(task, language_);
    for (const auto* side : {&eager, &candidate}) {
      if (!*side) return side->error().text();
      if (const auto* failure = std::get_if<Failure>(&**side)) return outcome_summary(failure->outcome);
    }
    contest_.enter({&std::get<Side>(*eager), &std::get<Side>(*candidate)}, 0);
    lap("start");
    const StoppingRule rule = stopping_rule(options_, heats.size());
    std::vector<BlockRecord> blocks;
    for (const Heat& heat : heats) {
      std::vector<BlockRecord> own;
      const auto ran = contest_.run(heat, rule, spread_of(nullptr), interrupted(), own);
      if (!ran) return ran.error().text();
      if (*ran) return outcome_summary((*ran)->outcome);
      std::ranges::move(own, std::back_inserter(blocks));
    }
    lap("race");
    row["cases"] = heats.size();
    row["blocks"] = blocks.size();
    entrants_.keep(std::get<Side>(*std::move(eager)), language_);
    return "";
  }

  at::Device device_;
  JudgeOptions options_;
  RunnerOptions runner_;
  Zygotes zygotes_;
  Entrants entrants_;
  Contest contest_;
  Language language_;
};

int fail(const std::string& why) {
  std::fprintf(stderr, "kbx-bench-measure-cost: %s\n", why.c_str());
  return 1;
}

int run(const std::string& device_text, const std::vector<std::string>& ids) {
  const auto ordinal = device_named(device_text);
  if (!ordinal) return fail("the first argument is cpu or cuda:N");
  const bool cpu = *ordinal < 0;
  JudgeOptions options;
  if (!cpu) {
    if (const Status loaded = load_cuda(*ordinal); !loaded) return fail(loaded.error().text());
    const auto gpus = list_gpus();
    if (!gpus) return fail(gpus.error().text());
    const auto gpu = gpu_of(*gpus, *ordinal);
    if (!gpu) return fail(gpu.error().text());
    options.gpu = *gpu;
    options.arch = gpu->arch;
  }
  const auto layers = layers_for(true);
  if (!layers) return fail(layers.error().text());
  options.layers = *layers;
  std::vector<const Task*> tasks;
  for (const std::string& id : ids) {
    tasks.push_back(find_task(id));
    if (tasks.back() == nullptr) return fail("no task " + id);
  }
  if (ids.empty())
    for (const Task& task : catalogue()) tasks.push_back(&task);
  install_interrupt_handlers();
  Bench bench(cpu ? at::Device(at::kCPU) : at::Device(at::kCUDA, static_cast<at::DeviceIndex>(*ordinal)), options);
  for (const Task* task : tasks) {
    if (interrupted()) break;
    std::printf("%s\n", bench.measured(*task).dump().c_str());
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace
}  // namespace kbx

int main(int argc, char** argv) {
  kbx::work_as_in_the_judge();
  return kbx::run(argc > 1 ? argv[1] : "cpu", std::vector<std::string>(argv + std::min(argc, 2), argv + argc));
}
