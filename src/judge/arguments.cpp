// SPDX-License-Identifier: Apache-2.0
#include "judge/arguments.h"

#include <CLI/CLI.hpp>
#include <map>

#include "core/exit_status.h"
#include "judge/device.h"

namespace kbx {
namespace {

// Options that both verbs take, as the words of the command line.
struct Common {
  std::string device = "cpu", gate = "full", policy = "oracle", perf = "auto", baseline = "eager", caches = "cold", language,
              arch = "sm_90", only_case;
  uint64_t seed = 0;
  bool no_sandbox = false;
};

void add_common(CLI::App& verb, Common& c, Arguments& a) {
  verb.add_option("--device", c.device, "cpu, cuda:N, or cuda: every visible GPU for `run`, the first one for `judge`")
      ->capture_default_str();
  verb.add_option("--gate", c.gate, "stages that must be passed: paper (standard, outlier) or full (boundary too)")
      ->check(CLI::IsMember({"paper", "full"}))
      ->capture_default_str();
  verb.add_option("--policy", c.policy, "rule of acceptance: oracle, or paper (the published calls and tolerances)")
      ->check(CLI::IsMember({"oracle", "paper"}))
      ->capture_default_str();
  verb.add_option("--perf", c.perf, "off, auto, or full (both sides restarted five times)")
      ->check(CLI::IsMember({"off", "auto", "full"}))
      ->capture_default_str();
  verb.add_option("--baseline", c.baseline,
                  "what the candidate is timed against: eager, or compile (torch.compile of the task too)")
      ->check(CLI::IsMember({"eager", "compile"}))
      ->capture_default_str();
  verb.add_option("--caches", c.caches, "what a timed call finds: cold caches, or warm ones")
      ->check(CLI::IsMember({"cold", "warm"}))
      ->capture_default_str();
  verb.add_flag("--counters", a.options.counters, "on a GPU, with --no-sandbox: hardware counters of each perf case by ncu");
  verb.add_option("--language", c.language, "of the source, where the extension does not tell")
      ->check(CLI::IsMember({"triton", "cuda", "cpp"}));
  verb.add_option("--arch", c.arch, "architecture that Triton is compiled for where no GPU runs it")
      ->check(CLI::IsMember({"sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"}))
      ->capture_default_str();
  verb.add_option("--seed", c.seed, "seed of inputs and hidden shapes; drawn anew otherwise")
      ->check(CLI::Range(uint64_t{0}, ~uint64_t{0} >> 1));
  verb.add_option("--threads", a.options.threads, "threads per side when timing on the CPU")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  verb.add_flag("--sanitize", a.options.sanitize,
                "on a GPU: run each candidate under compute-sanitizer too, and add what it finds, with source lines");
  verb.add_flag("--json", a.json, "print JSON");
  verb.add_flag("--no-sandbox", c.no_sandbox, "judge without isolation: only for code that you trust");
}

}  // namespace

std::optional<Arguments> parse_arguments(int argc, char** argv, int& exit_status) {
  Arguments a;
  Common c;
  CLI::App app("Judge GPU and CPU kernels.", "kbx");
  app.require_subcommand(1);
  CLI::App* judge = app.add_subcommand("judge", "Judge one candidate; the exit status tells the outcome.");
  judge->add_option("file", a.path, "source file, Markdown answer, or folder of one C++ or CUDA candidate")->required();
  judge->add_option("--task", a.task, "task id; default: what the file's name says");
  judge->add_option("--case", c.only_case, "one case, as verdicts print it, instead of the task's own");
  CLI::App* run = app.add_subcommand("run", "Judge a submission into a ledger; resumes where it stopped.");
  run->add_option("submission", a.path, "folder, JSONL file or single file")->required();
  run->add_option("--task", a.task, "task id of every candidate; default: what names and rows say");
  run->add_option("--out", a.out, "folder of the ledger")->required();
  for (CLI::App* verb : {judge, run}) add_common(*verb, c, a);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    exit_status = app.exit(e) == 0 ? kExitCorrect : kExitUsage;
    return std::nullopt;
  }
  a.verb = judge->parsed() ? Verb::judge : Verb::run;
  CLI::App* verb = judge->parsed() ? judge : run;
  if (const auto device = device_named(c.device)) {
    a.gpu = *device >= 0;
    if (c.device.starts_with("cuda:")) a.ordinal = *device;
  } else {
    std::cerr << "kbx: --device " << c.device << ": expected cpu, cuda or cuda:N\n";
    exit_status = kExitUsage;
    return std::nullopt;
  }
  if (a.options.sanitize && !a.gpu) {
    std::cerr << "kbx: --sanitize: compute-sanitizer looks at kernels on a GPU; add --device cuda\n";
    exit_status = kExitUsage;
    return std::nullopt;
  }
  if (a.options.counters && (!a.gpu || !c.no_sandbox)) {
    std::cerr << "kbx: --counters: "
              << (a.gpu
                      ? "ncu reads the hardware's counters only outside of the sandbox; add --no-sandbox if you trust the code\n"
                      : "ncu counts what a GPU does; add --device cuda and --no-sandbox\n");
    exit_status = kExitUsage;
    return std::nullopt;
  }
  a.options.gate = c.gate == "paper" ? Gate::paper : Gate::full;
  if (c.policy == "paper") {
    a.options.policy = Policy::paper;
    // The published shapes were chosen for GPUs.
    a.options.interpreter_seconds = 240;
    a.options.max_programs = 200000;
  }
  a.options.perf = std::map<std::string, Perf>{{"off", Perf::off}, {"auto", Perf::automatic}, {"full", Perf::full}}.at(c.perf);
  a.options.compiled_baseline = c.baseline == "compile";
  a.options.caches = c.caches == "warm" ? Caches::warm : Caches::cold;
  if (verb->count("--arch") > 0) a.arch = static_cast<uint32_t>(std::stoi(c.arch.substr(3)));
  a.options.arch = a.arch.value_or(a.options.arch);
  if (!c.language.empty()) a.language = language_named(c.language);
  if (!c.only_case.empty()) a.options.only_case = c.only_case;
  if (verb->count("--seed") > 0) a.seed = c.seed;
  a.sandbox = !c.no_sandbox;
  return a;
}

}  // namespace kbx
