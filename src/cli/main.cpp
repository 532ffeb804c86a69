// SPDX-License-Identifier: Apache-2.0
// `kbx`: the command that people see. Thin, so that it answers at once; verbs that need libtorch are handed to kbx-judge
// with the arguments as they are.
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cerrno>
#include <cstring>

#include "cli/verbs.h"
#include "core/installation.h"
#include "intake/task_names.h"

namespace kbx {
namespace {

struct Handed {
  const char* verb;
  const char* help;
};

constexpr std::array kHanded{
    Handed{"judge", "Judge one candidate: kbx judge FILE --task TASK. The exit status tells the outcome."},
    Handed{"run", "Judge a submission: kbx run SUBMISSION --out DIR. Resumes where it stopped."},
    Handed{"selfcheck", "Check the judge: honest variants of each task pass, degraded ones and mutants fail."},
    Handed{"calibrate", "Measure what a device can do at best: memory, matrix products, launches. Kept for judging."},
};

constexpr const char* kFooter =
    "Exit status: 0 correct, or done; 1 judged and not correct; 2 usage or bad input; 3 unreadable or not built;\n"
    "4 crashed, timed out or out of memory; 5 not judged; 6 trouble of kbx itself; 130 interrupted.\n"
    "`kbx VERB --help` says more.";

// Replaces this process. Returns only on failure.
int hand_over(char** argv) {
  const Result<Installation> installation = find_installation();
  if (!installation) return complain(installation.error(), kExitTrouble);
  // The judge's threads sleep when they have nothing to do: spinning they would take cores from what is timed.
  ::setenv("OMP_WAIT_POLICY", "passive", 0);
  ::execv(installation->judge.c_str(), argv);
  return complain(
      {fmt::format("cannot start {}: {}", installation->judge.string(), std::strerror(errno)), "build kbx: run `make`"},
      kExitTrouble);
}

// CLI11 would say "not expected"; the nearest verb is of more use.
std::optional<Error> unknown_verb(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return std::nullopt;
  std::vector<std::string> verbs;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (verb->get_name() == argv[1]) return std::nullopt;
    verbs.push_back(verb->get_name());
  }
  return Error{fmt::format("unknown verb `{}`; did you mean {}?", argv[1], alternatives(nearest_names(argv[1], verbs))),
               "`kbx --help` lists them"};
}

std::string version() {
  const Result<Installation> installation = find_installation();
  return "kbx " + (installation ? installation->version : std::string(KBX_VERSION));
}

int run(int argc, char** argv) {
  if (argc > 1)
    for (const Handed& handed : kHanded)
      if (std::strcmp(argv[1], handed.verb) == 0) return hand_over(argv);

  ::signal(SIGPIPE, SIG_IGN);  // not before: kbx-judge would inherit it
  CLI::App app("Judges GPU and CPU kernels: correct, honest, fast, and why not.", "kbx");
  app.footer(kFooter);
  app.require_subcommand(1);
  app.set_version_flag("--version", version, "Print the version");
  for (const Handed& handed : kHanded) app.add_subcommand(handed.verb, handed.help);

  bool json = false, deep = false, brief = false;
  std::string category, task, dir, out, format = "verdicts", language = "triton", device, what;
  std::vector<std::string> dirs;
  CLI::App* const doctor_verb = app.add_subcommand("doctor", "What this machine can do, and what to install for the rest.");
  doctor_verb->add_flag("--deep", deep, "Also start Python and import torch and triton");
  CLI::App* const tasks_verb = app.add_subcommand("tasks", "List the tasks.");
  tasks_verb->add_option("--category", category, "Only this category");
  CLI::App* const show_verb = app.add_subcommand("show", "One task: what it computes, its schema, contract and cases.");
  show_verb->add_option("task", task, "Id of a task")->required();
  CLI::App* const prompt_verb = app.add_subcommand("prompt", "What a model is told to write a candidate of a task.");
  prompt_verb->add_option("task", task, "Id of a task")->required();
  prompt_verb->add_option("--language", language, "What to write it in")
      ->check(CLI::IsMember({"triton", "cuda", "cpp"}))
      ->capture_default_str();
  prompt_verb->add_option("--device", device, "Add facts of a device: cuda[:N], or a name such as h200");
  CLI::App* const export_verb = app.add_subcommand("export", "Write a ledger's verdicts as JSON lines.");
  export_verb->add_option("dir", dir, "Folder that `kbx run` wrote")->required();
  export_verb->add_option("--format", format, "What to write")->check(CLI::IsMember({"verdicts"}))->capture_default_str();
  export_verb->add_flag("--brief", brief, "Without logs, which quote sources, and without the cases that passed");
  export_verb->add_option("-o,--output", out, "File to write instead of the terminal");
  CLI::App* const analyze_verb = app.add_subcommand("analyze", "What ledgers say together: kbx analyze speed DIR...");
  analyze_verb->add_option("what", what, "speed: fast_p, and the share that is slower than eager")
      ->required()
      ->check(CLI::IsMember({"speed"}));
  analyze_verb->add_option("dirs", dirs, "Folders that `kbx run` wrote")->required();
  for (CLI::App* verb : {doctor_verb, tasks_verb, show_verb, analyze_verb}) verb->add_flag("--json", json, "Print JSON");
  export_verb->add_flag("--json", json, "Accepted for symmetry: the output is JSON");

  if (const auto error = unknown_verb(app, argc, argv)) return complain(*error, kExitUsage);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? kExitCorrect : kExitUsage;
  }
  if (doctor_verb->parsed()) return doctor(deep, json);
  if (tasks_verb->parsed()) return list_tasks(category, json);
  if (show_verb->parsed()) return show_task(task, json);
  if (prompt_verb->parsed()) return print_prompt(task, language, device);
  if (analyze_verb->parsed()) return analyze_speed(dirs, json);
  return export_ledger(dir, format, brief, out);
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
