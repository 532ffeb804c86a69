// SPDX-License-Identifier: Apache-2.0
#include "pipeline/tool_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/utf8.h"

namespace kbx {
namespace {

constexpr double kRefusedSeconds = 20;  // for a tool under which nothing was forked to say why
constexpr size_t kSaid = 1000;          // characters of a tool's own words that a message quotes

}  // namespace

Result<ToolRunner> ToolRunner::start(const Tool& tool, RunnerOptions options, const Candidate& candidate,
                                     const std::string& artifact, const std::vector<RunnerFile>& cache) {
  options.wrapper = tool.command;
  options.in_place = !tool.follows_forks;
  if (!tool.root.empty()) options.wrapper_paths = {tool.root};
  // The tool's copies of the device's memory, and its threads and connections.
  options.limits.memory_bytes = 32ull << 30;
  options.limits.file_bytes = 16ull << 30;
  options.limits.scratch_bytes = 4ull << 30;
  options.limits.open_files = 4096;
  options.limits.processes = 4096;
  ToolRunner started;
  if (candidate.language == Language::triton) {
    options.threads = 1;  // a process that forks must have one thread
    auto zygote = Zygote::start(wire::Role::cuda, options);
    if (!zygote) return zygote.error();
    started.zygote_ = *std::move(zygote);
    auto runner = started.zygote_->spawn(candidate, cache);
    if (!runner)
      return Error{fmt::format("{}: {}", runner.error().message, started.finish(kRefusedSeconds)), runner.error().remedy};
    started.runner_ = *std::move(runner);
  } else {
    auto runner = start_native_runner(artifact, options);
    if (!runner) return runner.error();
    started.runner_ = *std::move(runner);
  }
  return started;
}

std::string ToolRunner::finish(double seconds) {
  std::string text;
  if (runner_) {
    runner_->finish(seconds);
    text = runner_->output();
    runner_.reset();
  }
  if (zygote_) text += "\n" + zygote_->finish(seconds);
  zygote_.reset();
  return text;
}

std::string last_words(const std::string& text) {
  std::string words = valid_utf8(text);
  std::ranges::replace(words, '\n', ' ');
  words.erase(0, words.find_first_not_of(' '));
  if (words.size() > kSaid) words = valid_utf8("... " + words.substr(words.size() - kSaid));
  return words.empty() ? "it printed nothing" : "it printed: " + words;
}

}  // namespace kbx
