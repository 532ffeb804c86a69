// SPDX-License-Identifier: Apache-2.0
#include "pipeline/entrants.h"

#include <utility>

#include "core/files.h"
#include "core/installation.h"
#include "pipeline/request.h"

namespace kbx {
namespace {

constexpr const char* kEager = "eager.py";
constexpr uint64_t kLargest = 1ull << 30;  // of a baseline's files: the scratch of a runner

}  // namespace

Result<Entrants::Entered> Entrants::candidate(const Task& task, const Contender& contender) {
  const Candidate& c = *contender.candidate;
  if (!python(c.language)) {
    auto runner = start_native_runner(contender.built->artifact, runner_);
    if (!runner) return runner.error();
    return load("candidate", *std::move(runner), task, wire::Role::native, contender.built->artifact, contender.entry,
                /*writes_results=*/true);
  }
  auto zygote = zygotes_.get(wire::Role::cuda);
  if (!zygote) return zygote.error();
  auto runner = (*zygote)->spawn(c, contender.built->compiled.cache);
  if (!runner) return runner.error();
  return load("candidate", *std::move(runner), task, wire::Role::cuda, c.files.front().path, contender.entry);
}

Result<Entrants::Entered> Entrants::eager(const Task& task, Language language) {
  if (std::unique_ptr<Runner> kept = std::move(python(language) ? idle_python_ : idle_native_)) {
    auto entered = load_eager(task, language, std::move(kept));
    if (!entered || std::holds_alternative<Side>(*entered)) return entered;  // what had ended meanwhile is started anew
  }
  return fresh_eager(task, language);
}

Result<Entrants::Entered> Entrants::fresh_eager(const Task& task, Language language) {
  auto started = python(language) ? fork_baseline(kEager) : start_baseline_runner(runner_);
  if (!started) return started.error();
  return load_eager(task, language, *std::move(started));
}

Result<Entrants::Entered> Entrants::load_eager(const Task& task, Language language, std::unique_ptr<Runner> runner) {
  if (python(language)) return load("baseline", std::move(runner), task, wire::Role::cuda, kEager, entry(task));
  const auto installed = find_installation();
  if (!installed) return installed.error();
  return load("baseline", std::move(runner), task, wire::Role::native, installed->reference_library, entry(task));
}

Result<Entrants::Entered> Entrants::compiled(const Task& task, const std::string& how) {
  const std::string file = how == "compile" ? "compiled.py" : "max_autotune.py";
  auto runner = fork_baseline(file);
  if (!runner) return runner.error();
  return load(how, *std::move(runner), task, wire::Role::cuda, file, entry(task));
}

void Entrants::keep(Side side, Language language) { (python(language) ? idle_python_ : idle_native_) = side.release(); }

Result<std::unique_ptr<Runner>> Entrants::fork_baseline(const std::string& file) {
  const auto installed = find_installation();
  if (!installed) return installed.error();
  const auto folder = installed->runner_python / "baselines";
  Candidate baseline;
  for (const auto& path : {folder / file, folder / "reference.py", installed->reference_library}) {
    auto text = read_file(path, kLargest);
    if (!text) return text.error();
    baseline.files.push_back({path.filename(), *std::move(text)});
  }
  auto zygote = zygotes_.get(wire::Role::cuda);
  if (!zygote) return zygote.error();
  return (*zygote)->spawn(baseline);
}

Result<Entrants::Entered> Entrants::load(std::string name, std::unique_ptr<Runner> runner, const Task& task, wire::Role role,
                                         const std::string& path, const std::string& entry, bool writes_results) {
  LoadRequest request = load_request(task, role, path, options_);
  request.entries = {entry};
  request.flags = wire::kTime;
  const auto loaded = runner->load(request, options_.import_seconds);
  if (!std::holds_alternative<Loaded>(loaded)) return Entered(failure_of(loaded, role, ""));
  const bool native = role == wire::Role::native;
  return Entered(Side(std::move(name), std::move(runner), role, native ? Language::cpp : Language::triton, writes_results));
}

}  // namespace kbx
