// SPDX-License-Identifier: Apache-2.0
#include "judge/selfcheck.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "catalogue/task.h"
#include "cli/output.h"
#include "cli/table.h"
#include "core/exit_status.h"
#include "core/interrupt.h"
#include "intake/task_names.h"
#include "judge/device.h"
#include "judge/device_error.h"
#include "pipeline/environment.h"
#include "selfcheck/report.h"
#include "selfcheck/workers.h"

namespace kbx {
namespace {

struct Options {
  std::vector<std::string> tasks;
  uint64_t seed = kSelfcheckSeed;
  int jobs = 1;
  std::string device = "cpu";
  bool json = false, markdown = false, verbose = false;
};

std::optional<std::vector<const Task*>> chosen(const std::vector<std::string>& ids) {
  std::vector<const Task*> tasks;
  for (const std::string& id : ids) {
    const Task* task = find_task(id);
    if (!task) {
      complain({fmt::format("no task `{}`; did you mean {}?", id, alternatives(nearest_tasks(id))), "`kbx tasks` lists them"},
               kExitUsage);
      return std::nullopt;
    }
    tasks.push_back(task);
  }
  if (ids.empty())
    for (const Task& task : catalogue()) tasks.push_back(&task);
  return tasks;
}

std::string named(const Trial* t) { return t ? fmt::format("{} {}", ratio_text(t->ratio), t->name) : "-"; }

std::string table(const std::vector<TaskReport>& reports, const Style& style) {
  std::vector<std::vector<Cell>> rows{
      {"task", "cases", "honest, largest", "degraded, smallest", "mutants", "no TF32", "time", ""}};
  for (const TaskReport& r : reports) {
    const Summary s = summary_of(r);
    rows.push_back({r.task, std::to_string(r.cases), named(s.largest_honest), named(s.smallest_degraded),
                    fmt::format("{}/{}", s.rejected_mutants, s.mutants), std::to_string(r.cannot_tell_tf32.size()),
                    human_seconds(r.seconds),
                    r.problems.empty()
                        ? Cell("ok", Colour::green)
                        : Cell(fmt::format("{} problem{}", r.problems.size(), r.problems.size() == 1 ? "" : "s"), Colour::red)});
  }
  return aligned(rows, style);
}

std::string fates(const TaskReport& r) {
  constexpr const char* kFates[] = {"passed", "rejected", "no difference"};
  std::string text;
  for (const Trial& t : r.trials)
    text += fmt::format("{}: {}: {} {} {} {}\n", r.task, t.name, kFates[static_cast<int>(t.fate)], ratio_text(t.ratio), t.line,
                        t.detail);
  return text;
}

// Lets workers compute on that device; nothing starts it in this process. Gives the environment line.
Result<std::string> use_device(int ordinal, WorkerOptions& workers) {
  if (ordinal < 0) return environment_line(std::nullopt);
  if (Status loaded = load_cuda_libraries(); !loaded) return loaded.error();
  auto gpus = probe_gpus();
  if (!gpus) return gpus.error();
  const auto chosen = gpu_of(*gpus, ordinal);
  if (!chosen) return chosen.error();
  workers.device = at::Device(at::kCUDA, static_cast<at::DeviceIndex>(ordinal));
  workers.start_device = [ordinal] { return load_cuda(ordinal); };
  return environment_line(*chosen);
}

}  // namespace

int selfcheck(int argc, char** argv) {
  Options o;
  CLI::App app("Judge GPU and CPU kernels.", "kbx");
  app.require_subcommand(1);
  CLI::App* verb = app.add_subcommand(
      "selfcheck", "Check the judge: references and honest variants pass, degraded variants and mutants fail.");
  verb->add_option("task,--tasks", o.tasks, "ids of tasks; default: all")->delimiter(',');
  verb->add_option("--seed", o.seed, "seed of inputs and hidden shapes")
      ->check(CLI::Range(uint64_t{0}, ~uint64_t{0} >> 1))
      ->capture_default_str();
  verb->add_option("--device", o.device, "cpu, cuda or cuda:N")->capture_default_str();
  verb->add_option("--jobs", o.jobs, "processes")->check(CLI::Range(1, 256))->capture_default_str();
  verb->add_flag("--json", o.json, "print JSON, one task a line");
  verb->add_flag("--markdown", o.markdown, "print the table as Markdown");
  verb->add_flag("--verbose", o.verbose, "say what became of each variant and mutant");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? kExitCorrect : kExitUsage;
  }
  const auto tasks = chosen(o.tasks);
  if (!tasks) return kExitUsage;
  const auto ordinal = device_named(o.device);
  if (!ordinal) {
    std::fprintf(stderr, "kbx: --device %s: expected cpu, cuda or cuda:N\n", o.device.c_str());
    return kExitUsage;
  }

  install_interrupt_handlers();
  // Before processes are forked: they must not inherit threads.
  at::set_num_threads(1);
  WorkerOptions workers{.seed = o.seed, .jobs = o.jobs};
  const auto environment = use_device(*ordinal, workers);
  if (!environment) return complain(environment.error(), kExitTrouble);
  size_t finished = 0;
  const std::vector<TaskReport> reports = check_tasks(*tasks, workers, interrupted(), [&](const TaskReport& r) {
    std::fprintf(stderr, "kbx: %zu/%zu %s: %s\n", ++finished, tasks->size(), r.task.c_str(),
                 r.problems.empty() ? "ok" : fmt::format("{} problems", r.problems.size()).c_str());
  });

  std::string text;
  for (const TaskReport& r : reports) {
    if (o.json) text += to_json(r).dump() + "\n";
    if (o.verbose && !o.json) text += fates(r);
  }
  const std::string device = *ordinal < 0 ? "" : fmt::format(" --device {}", o.device);
  if (o.markdown)
    text += markdown(reports, fmt::format("kbx selfcheck{} --seed {} --jobs {} --markdown", device, o.seed, o.jobs),
                     *ordinal < 0 ? "cpu" : o.device, *environment);
  if (!o.json && !o.markdown) text += table(reports, style_of(1));
  const int written = print(text);
  if (written != kExitCorrect) return written;
  if (interrupted()) return kExitInterrupted;
  bool right = true;
  for (const TaskReport& r : reports)
    for (const std::string& problem : r.problems) {
      right = false;
      std::fprintf(stderr, "kbx: %s: %s\n", r.task.c_str(), problem.c_str());
    }
  return right ? kExitCorrect : kExitNotCorrect;
}

}  // namespace kbx
