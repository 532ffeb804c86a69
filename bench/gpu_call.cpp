// SPDX-License-Identifier: Apache-2.0
// What one verified call of 64 MB tensors costs on a GPU above the kernel: fresh contents, poison, red zones, the call through
// a sandboxed runner, and the full comparison with the judge's own eager result, as the race makes it.
//
//     kbx-bench-gpu-call CANDIDATE.cu [ROUNDS] [cuda:N]      an implementation of task `add`
//
// Prints JSON: milliseconds by step (median, and the quartiles as spread), each step waited for; then the whole call as the
// pipeline makes it, the kernel's own time as the runner claims it, and the difference.
#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "build/native_build.h"
#include "catalogue/cases.h"
#include "catalogue/task.h"
#include "core/clock.h"
#include "core/digest.h"
#include "core/files.h"
#include "core/gpus.h"
#include "judge/device.h"
#include "judge/device_error.h"
#include "oracle/oracle.h"
#include "oracle/timed.h"
#include "pipeline/environment.h"
#include "pipeline/exchange.h"
#include "pipeline/request.h"
#include "runner/hosts.h"

namespace kbx {
namespace {

constexpr const char* kCase = "standard: input=randn[4096,4096] other=randn[4096,4096]";  // 64 MiB each
constexpr double kSeconds = 10;
constexpr int kWarmups = 5;

struct Series {
  std::string name;
  std::vector<double> milliseconds = {};

  double quantile(double q) const {
    std::vector<double> sorted = milliseconds;
    std::ranges::sort(sorted);
    return sorted.empty() ? 0 : sorted[static_cast<size_t>(q * static_cast<double>(sorted.size() - 1) + 0.5)];
  }
  std::string json() const {
    return fmt::format("\"{}\": {{\"median\": {:.4f}, \"low\": {:.4f}, \"high\": {:.4f}}}", name, quantile(0.5), quantile(0.25),
                       quantile(0.75));
  }
};

class Bench {
 public:
  Bench(const Task& task, at::Device device, Runner& runner) : task_(task), device_(device), runner_(runner) {}

  Status prepare() {
    auto parsed = parse_case(task_, kCase);
    if (!parsed) return parsed.error();
    case_ = *std::move(parsed);
    if (Status fresh = fresh_contents(0); !fresh) return fresh.error();
    measured_ = consult_oracle(call_);
    timed_.emplace(*measured_);
    auto exchange = Exchange::lay_out(call_, *measured_, Language::cuda, runner_.arena());
    if (!exchange) return exchange.error();
    exchange_ = *std::move(exchange);
    const auto prepared =
        runner_.prepare(0, exchange_->arguments(), exchange_->argument_count(), exchange_->destinations(), kSeconds);
    if (!std::holds_alternative<Done>(prepared)) return Error{"the runner takes no call", ""};
    return Done{};
  }

  // One call. With `waiting`, each step is waited for and timed by itself.
  Status round(uint64_t index, bool waiting) {
    Status trouble = Done{};
    const auto start = Clock::now();
    const auto step = [&](size_t s, const std::function<void()>& work) {
      if (!trouble) return;
      const auto begun = Clock::now();
      work();
      if (!waiting) return;
      synchronize(device_);
      steps_[s].milliseconds.push_back(seconds_since(begun) * 1e3);
    };
    ReturnedCalls returned;
    Expected eager;
    Delivery delivery;
    std::vector<at::Tensor> doubts;
    bool doubtful = true;
    step(0, [&] { trouble = fresh_contents(index); });
    step(1, [&] { exchange_->write(call_, kPoison[index % std::size(kPoison)]); });
    step(2, [&] { runner_.arena().fill_red_zones(kRedZone); });
    step(3, [&] {
      synchronize(device_);
      auto reply = runner_.call({{0, call_.seed}}, kSeconds);
      if (auto* calls = std::get_if<ReturnedCalls>(&reply))
        returned = *std::move(calls);
      else
        trouble = Error{"the candidate did not return", ""};
    });
    step(4, [&] { delivery = exchange_->take(*measured_, returned.calls.at(0)); });
    step(5, [&] { eager = timed_->run_eager(call_); });
    step(6, [&] { doubts.push_back(runner_.arena().red_zones_differ()); });
    step(7, [&] { doubts.push_back(timed_->doubtful(call_, eager, delivery)); });
    step(8, [&] { doubts.push_back(exchange_->differs(call_, eager, delivery)); });
    step(9, [&] { doubtful = any_of(doubts); });
    if (!trouble) return trouble;
    if (doubtful) return Error{"the candidate is wrong", "give a correct one"};
    if (waiting) return Done{};
    const double whole = seconds_since(start) * 1e3, kernel = static_cast<double>(returned.calls.at(0).claimed_ns) * 1e-6;
    total_[0].milliseconds.push_back(whole);
    total_[1].milliseconds.push_back(kernel);
    total_[2].milliseconds.push_back(whole - kernel);
    return Done{};
  }

  // What was timed so far.
  void forget() {
    for (auto* series : {&steps_, &total_})
      for (Series& s : *series) s.milliseconds.clear();
  }

  std::string json() const {
    std::vector<std::string> steps, total;
    for (const Series& s : steps_) steps.push_back(s.json());
    for (const Series& s : total_) total.push_back(s.json());
    return fmt::format("\"steps_ms\": {{{}}}, \"call_ms\": {{{}}}", fmt::join(steps, ", "), fmt::join(total, ", "));
  }

 private:
  Status fresh_contents(uint64_t index) {
    auto call = bind(task_, case_, 1, device_, index);
    if (!call) return call.error();
    call_ = *std::move(call);
    return Done{};
  }

  const Task& task_;
  at::Device device_;
  Runner& runner_;
  Case case_;
  Call call_;
  std::optional<Expected> measured_;
  std::optional<TimedTruth> timed_;
  std::optional<Exchange> exchange_;
  std::vector<Series> steps_ = {{"draw contents"},
                                {"write and poison"},
                                {"red zones"},
                                {"call"},
                                {"take"},
                                {"eager result"},
                                {"check red zones"},
                                {"compare with eager"},
                                {"inputs and late writes"},
                                {"wait for all answers"}};
  std::vector<Series> total_ = {{"whole"}, {"kernel"}, {"above the kernel"}};
};

Status measure(const std::string& path, int rounds, int ordinal) {
  auto gpus = list_gpus();
  if (!gpus) return gpus.error();
  const auto chosen = gpu_of(*gpus, ordinal);
  if (!chosen) return chosen.error();
  JudgeOptions options;
  options.gpu = *chosen;
  options.arch = options.gpu->arch;
  options.layers = available_layers();
  if (Status loaded = load_cuda(ordinal); !loaded) return loaded;

  auto text = read_file(path, 1u << 20);
  if (!text) return text.error();
  const Task& task = *find_task("add");
  const Candidate candidate{path, "add", Language::cuda, {{"add.cu", *text}}, sha256_hex(*text)};
  auto built = build_native(candidate, native_build_options(options));
  if (!built) return built.error();
  if (const auto* failed = std::get_if<BuildFailed>(&*built))
    return Error{"the candidate does not compile: " + failed->reason, ""};
  const std::string artifact = std::get<Artifact>(*built).path;
  RunnerOptions runner_options;
  runner_options.layers = options.layers;
  runner_options.device = ordinal;
  runner_options.arena_bytes = 512u << 20;
  auto runner = start_native_runner(artifact, runner_options);
  if (!runner) return runner.error();
  const auto loaded = (*runner)->load(load_request(task, wire::Role::native, artifact, options), kSeconds);
  if (!std::holds_alternative<Loaded>(loaded)) return Error{"the runner does not load the candidate", (*runner)->output()};

  Bench bench(task, at::Device(at::kCUDA, static_cast<at::DeviceIndex>(ordinal)), **runner);
  if (Status ready = bench.prepare(); !ready) return ready;
  for (int i = 0; i < kWarmups; ++i)
    if (Status done = bench.round(static_cast<uint64_t>(i), true); !done) return done;
  bench.forget();
  for (int i = 0; i < 2 * rounds; ++i)
    if (Status done = bench.round(static_cast<uint64_t>(kWarmups + i), i % 2 == 0); !done) return done;
  std::printf("{\"case\": \"%s\", \"environment\": %s, \"rounds\": %d, %s}\n", kCase,
              nlohmann::json(environment_line(options.gpu)).dump().c_str(), rounds, bench.json().c_str());
  return Done{};
}

}  // namespace
}  // namespace kbx

int main(int argc, char** argv) {
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 50;
  const auto device = kbx::device_named(argc > 3 ? argv[3] : "cuda");
  if (argc < 2 || rounds < 1 || !device || *device < 0) {
    std::fprintf(stderr, "usage: kbx-bench-gpu-call CANDIDATE.cu [ROUNDS] [cuda:N]\n");
    return 2;
  }
  at::set_num_threads(1);  // as in kbx-judge
  try {
    if (const kbx::Status done = kbx::measure(argv[1], rounds, *device); !done) {
      std::fprintf(stderr, "kbx-bench-gpu-call: %s\n", done.error().text().c_str());
      return 1;
    }
  } catch (const std::exception& e) {
    std::fprintf(stderr, "kbx-bench-gpu-call: %s\n", e.what());
    return 1;
  }
  return 0;
}
