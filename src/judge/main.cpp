// SPDX-License-Identifier: Apache-2.0
// kbx-judge: the trusted process. Judges candidates for `kbx judge` and `kbx run`, itself for `kbx selfcheck`, and the device for
// `kbx calibrate`.
#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <random>
#include <thread>

#include "build/toolchain.h"
#include "catalogue/task.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/table.h"
#include "core/exit_status.h"
#include "core/interrupt.h"
#include "core/verdict_json.h"
#include "judge/arguments.h"
#include "judge/calibrate.h"
#include "judge/device.h"
#include "judge/device_error.h"
#include "judge/layers.h"
#include "judge/selfcheck.h"
#include "pipeline/counters.h"
#include "pipeline/judge.h"
#include "pipeline/run.h"

namespace kbx {
namespace {

constexpr int kKeptBytes = 1 << 30;  // of freed memory at the heap's end

TaskNames task_names() {
  std::vector<TaskName> names;
  for (const Task& task : catalogue()) names.push_back({std::string(task.id), entry(task), std::string(name(task.category))});
  return TaskNames(std::move(names));
}

// The same for each way of naming a folder: a run is resumed from anywhere.
std::string absolute_path(const std::string& path) {
  const std::filesystem::path whole = std::filesystem::weakly_canonical(std::filesystem::absolute(path));
  return whole.has_filename() ? whole.string() : whole.parent_path().string();
}

uint64_t drawn_seed() {
  std::random_device device;
  return ((uint64_t{device()} << 32) | device()) >> 1;
}

// The GPUs that the command line means; none on the CPU. A run of several must not touch them itself: each gets a process.
Result<std::vector<Gpu>> chosen_gpus(const Arguments& a) {
  if (!a.gpu) return std::vector<Gpu>();
  auto gpus = a.verb == Verb::run && !a.ordinal ? probe_gpus() : list_gpus();
  if (!gpus) return gpus.error();
  const auto chosen = gpu_of(*gpus, a.ordinal.value_or(0));
  if (!chosen) return chosen.error();
  const Gpu& gpu = *chosen;
  if (a.arch && *a.arch != gpu.arch)
    return Error{fmt::format("--arch sm_{} is not what {} has (sm_{})", *a.arch, gpu.name, gpu.arch),
                 "leave --arch out: with --device cuda it is the device's own"};
  if (a.verb == Verb::judge || a.ordinal) return std::vector<Gpu>{gpu};
  // Verdicts of one ledger come from one kind of GPU.
  if (std::erase_if(*gpus, [&](const Gpu& other) { return other.name != gpu.name; }) > 0)
    std::fprintf(stderr, "kbx: the GPUs differ; only those like %s are used (--device cuda:N chooses another)\n",
                 gpu.name.c_str());
  return gpus;
}

Status set_up_gpu(const JudgeOptions& options) { return load_cuda(options.device()); }

int judge_one(Arguments& a, const Submission& submission) {
  if (a.options.gpu)
    if (auto loaded = set_up_gpu(a.options); !loaded) return complain(loaded.error(), kExitTrouble);
  a.options.compilers = std::max(std::thread::hardware_concurrency(), 2u);
  Judge judge(a.options);
  auto judged = judge.judge(submission.candidates.front(), interrupted());
  if (interrupted()) return kExitInterrupted;
  if (!judged) return complain(judged.error(), kExitTrouble);
  const Verdict& verdict = judged->verdict;
  const int written = print(a.json ? to_json(verdict).dump() + "\n" : verdict_page(verdict, style_of(1)));
  return written == kExitCorrect ? exit_status(verdict.outcome) : written;
}

int judge_all(const Arguments& a, const Submission& submission, std::vector<Gpu> gpus) {
  RunDevices devices;
  if (a.gpu) devices.name = a.ordinal ? fmt::format("cuda:{}", *a.ordinal) : "cuda";
  devices.gpus = std::move(gpus);
  devices.set_up = set_up_gpu;
  int written = kExitCorrect;
  Progress progress(submission.candidates.size(), stderr, style_of(2));
  auto summary =
      run_submission(submission, absolute_path(a.path), a.out, a.options, devices, interrupted(), [&](const RunProgress& p) {
        if (!p.starting.empty()) progress.judging(p.starting);
        if (p.verdict) progress.done(*p.verdict, p.resumed);
        if (p.verdict && a.json) written = std::max(written, print(to_json(*p.verdict).dump() + "\n"));
        if (!p.trouble.empty()) progress.say(p.trouble);
      });
  progress.finish();
  if (!summary) return complain(summary.error(), kExitTrouble);
  if (!a.json) written = print(verdict_table(summary->verdicts, style_of(1)));
  if (summary->interrupted) {
    std::fprintf(stderr, "kbx: interrupted; the same command goes on where this one stopped\n");
    return kExitInterrupted;
  }
  for (const std::string& trouble : summary->troubles) std::fprintf(stderr, "kbx: not judged: %s\n", trouble.c_str());
  return summary->troubles.empty() ? written : kExitTrouble;
}

int run(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "selfcheck") return selfcheck(argc, argv);
  if (argc > 1 && std::string_view(argv[1]) == "calibrate") return calibrate(argc, argv);
  int status = kExitCorrect;
  std::optional<Arguments> arguments = parse_arguments(argc, argv, status);
  if (!arguments) return status;
  Arguments& a = *arguments;
  install_interrupt_handlers();
  // Cases are small, and a second thread that waits for its turn on a busy machine costs more than it brings.
  at::set_num_threads(1);
  // Tensors of megabytes come and go with each timed call: fresh pages for each would take longer than filling them.
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, kKeptBytes);

  IntakeOptions intake;
  intake.tasks = task_names();
  intake.task = a.task;
  intake.language = a.language;
  const auto submission = a.verb == Verb::judge ? read_candidate(a.path, intake) : read_submission(a.path, intake);
  if (!submission) return complain(submission.error(), kExitUsage);
  for (const std::string& warning : submission->warnings) std::fprintf(stderr, "kbx: %s\n", warning.c_str());
  if (a.options.only_case) {
    const Task* task = find_task(submission->candidates.front().candidate.task);
    if (task)
      if (auto bench = TaskBench::open(*task, a.options.policy, 0, at::kCPU, a.options.only_case); !bench)
        return complain(bench.error(), kExitUsage);
  }

  const auto layers = layers_for(a.sandbox);
  if (!layers) return complain(layers.error(), kExitTrouble);
  a.options.layers = *layers;
  if (a.options.sanitize)
    if (const auto tool = find_compute_sanitizer(); !tool) return complain(tool.error(), kExitTrouble);
  if (a.options.counters)
    if (const auto ready = counters_ready(a.options.layers); !ready) return complain(ready.error(), kExitTrouble);
  auto gpus = chosen_gpus(a);
  if (!gpus) return complain(gpus.error(), kExitTrouble);
  if (!gpus->empty()) {
    a.options.gpu = gpus->front();
    a.options.arch = gpus->front().arch;
  }
  // After intake has sealed the submission.
  a.options.seed = a.seed.value_or(drawn_seed());
  return a.verb == Verb::judge ? judge_one(a, *submission) : judge_all(a, *submission, *std::move(gpus));
}

}  // namespace
}  // namespace kbx

int main(int argc, char** argv) {
  try {
    return kbx::run(argc, argv);
  } catch (const std::exception& e) {
    return kbx::complain({e.what(), ""}, kbx::kExitTrouble);
  }
}
