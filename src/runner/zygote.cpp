// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <mutex>
#include <optional>
#include <utility>

#include "core/check.h"
#include "core/clock.h"
#include "core/installation.h"
#include "runner/arenas.h"
#include "runner/confinement.h"
#include "runner/hosts.h"
#include "runner/messages.h"
#include "runner/session.h"

namespace kbx {
namespace {

constexpr double kStartSeconds = 60;  // torch and triton are imported, perhaps from a cold disk
constexpr double kSpawnSeconds = 10;
constexpr double kReapSeconds = 10;

const char* name(wire::Role role) {
  switch (role) {
    case wire::Role::interpret:
      return "interpret";
    case wire::Role::compile:
      return "compile";
    case wire::Role::cuda:
      return "cuda";
    case wire::Role::native:
      break;
  }
  KBX_CHECK(false && "no zygote for this role");
  return "";
}

// Whether each child gets namespaces of its own. Under a tool it must see the files by which that talks to it; such a zygote
// serves one candidate.
bool own_namespaces(const RunnerOptions& options) { return options.layers.namespaces && options.wrapper.empty(); }

// The warm process and its control socket. Shared with its children, whom only it can reap.
class WarmProcess {
 public:
  WarmProcess(Process process, Channel channel, OutputPipe output)
      : process_(std::move(process)), channel_(std::move(channel)), output_(std::move(output)) {}

  const Reach& reach() const { return process_.reach(); }
  std::string output() {
    std::lock_guard one_at_a_time(asking_);
    output_.drain();
    return output_.text();
  }

  // The answer to a request, or nothing; `descriptor` gets the one that came with it. Safe from any thread.
  std::optional<std::string> ask(const std::string& request, const std::vector<int>& descriptors, double seconds,
                                 Descriptor* descriptor = nullptr) {
    std::lock_guard one_at_a_time(asking_);
    if (channel_.send(request, descriptors) != Channel::State::done) return std::nullopt;
    return receive(seconds, descriptor);
  }
  // The next message, or nothing when the process has ended, said something malformed, or the time is up.
  std::optional<std::string> receive(double seconds, Descriptor* descriptor = nullptr) {
    const auto asked = Clock::now();
    for (;;) {
      std::string message;
      const Channel::State state = channel_.receive(message, descriptor);
      if (state == Channel::State::done) return wire::Reader(message).bad() ? std::nullopt : std::optional(std::move(message));
      const double left = seconds - seconds_since(asked);
      if (state != Channel::State::would_block || left <= 0) return std::nullopt;
      pollfd fds[] = {{channel_.fd(), POLLIN, 0}, {output_.read_end(), POLLIN, 0}};
      poll(fds, 2, static_cast<int>(left * 1e3) + 1);
      output_.drain();
    }
  }

  // Asks it to end, and kills it if it has not within `seconds`.
  void finish(double seconds) {
    std::lock_guard one_at_a_time(asking_);
    const auto asked = Clock::now();
    channel_.send(wire::Writer(wire::Type::stop).finish());
    for (double left = seconds; left > 0; left = seconds - seconds_since(asked)) {
      pollfd fds[] = {{process_.pidfd(), POLLIN, 0}, {output_.read_end(), POLLIN, 0}};
      poll(fds, 2, static_cast<int>(left * 1e3) + 1);
      output_.drain();
      if ((fds[0].revents & POLLIN) != 0) return;
    }
    process_.kill();
  }

 private:
  Process process_;
  Channel channel_;
  OutputPipe output_;
  std::mutex asking_;
};

class ForkedChild final : public Child {
 public:
  ForkedChild(std::shared_ptr<WarmProcess> zygote, uint64_t pid, Descriptor pidfd)
      : zygote_(std::move(zygote)), pid_(pid), pidfd_(std::move(pidfd)) {}
  ~ForkedChild() override {
    if (reaped_) return;
    kill();
    wait();
  }
  int pidfd() const override { return pidfd_.get(); }
  uint64_t resident_bytes() const override { return kbx::resident_bytes(pidfd_.get()); }
  void kill() override { syscall(SYS_pidfd_send_signal, pidfd_.get(), SIGKILL, nullptr, 0); }

  Process::Exit wait() override {
    reaped_ = true;
    pollfd ended{pidfd_.get(), POLLIN, 0};
    poll(&ended, 1, -1);
    // A zygote that is gone has taken its children with it.
    const Process::Exit killed{0, SIGKILL};
    const auto answer = zygote_->ask(wire::Writer(wire::Type::reap).u64(pid_).finish(), {}, kReapSeconds);
    if (!answer) return killed;
    wire::Reader reader(*answer);
    const int status = static_cast<int>(reader.u32());
    if (reader.type() != wire::Type::reaped || !reader.at_end()) return killed;
    return WIFSIGNALED(status) ? Process::Exit{0, WTERMSIG(status)} : Process::Exit{WEXITSTATUS(status), 0};
  }

 private:
  std::shared_ptr<WarmProcess> zygote_;
  uint64_t pid_;
  Descriptor pidfd_;
  bool reaped_ = false;
};

Result<std::shared_ptr<WarmProcess>> start_process(wire::Role role, const RunnerOptions& options) {
  const auto installed = find_installation();
  if (!installed) return installed.error();
  auto channel = Channel::open();
  if (!channel) return channel.error();
  auto output = OutputPipe::open();
  if (!output) return output.error();

  Launch plan;
  const std::string prefix = installed->python.parent_path().parent_path();
  plan.argv = options.wrapper;
  plan.argv.insert(plan.argv.end(), {installed->python, "-s", "-B", installed->runner_python / "zygote.py", "--role", name(role),
                                     "--lockdown", installed->lockdown_library});
  plan.environment = runner_environment(options);
  if (role == wire::Role::interpret) plan.environment.push_back("TRITON_INTERPRET=1");
  std::vector<std::string> paths{prefix, installed->base_prefix, installed->site_packages, installed->runner_python,
                                 installed->lockdown_library};
  paths.insert(paths.end(), options.wrapper_paths.begin(), options.wrapper_paths.end());
  if (role == wire::Role::cuda && !installed->census_library.empty() && options.wrapper.empty()) {
    plan.argv.insert(plan.argv.end(), {"--census", installed->census_library});
    paths.push_back(installed->census_library);
  }
  plan.binds = bind_all(paths);
  plan.descriptors = {channel->second.get()};
  plan.output = output->child_end();
  plan.limits = options.limits;
  plan.layers = options.layers;
  plan.gpu = role == wire::Role::cuda;
  plan.may_fork_namespaces = own_namespaces(options);
  auto process = launch(plan);
  if (!process) return process.error();
  channel->second.close();
  output->forget_child_end();

  auto warm = std::make_shared<WarmProcess>(std::move(*process), std::move(channel->first), std::move(*output));
  const auto ready = warm->receive(kStartSeconds);
  if (!ready || !parse_ready(*ready))
    return Error{fmt::format("the Python runner did not start: {}", warm->output()), "run kbx doctor"};
  return warm;
}

class WarmZygote final : public Zygote {
 public:
  WarmZygote(wire::Role role, RunnerOptions options) : role_(role), options_(std::move(options)) {}

  // A process in place of `old`, unless another thread has replaced it already.
  Status warm_up(const std::shared_ptr<WarmProcess>& old) {
    std::lock_guard lock(mutex_);
    if (process_ != old) return Done{};
    auto process = start_process(role_, options_);
    if (!process) return process.error();
    process_ = *std::move(process);
    return Done{};
  }

  Result<std::unique_ptr<Runner>> spawn(const Candidate& candidate, const std::vector<RunnerFile>& cache) override {
    auto process = warm_process();
    auto session = fork(process);
    if (!session) {
      if (auto again = warm_up(process); !again) return again.error();
      session = fork(warm_process());
    }
    if (!session) return session.error();
    std::vector<RunnerFile> files;
    for (const SourceFile& file : candidate.files) files.push_back({file.path, file.text});
    if (auto sent = (*session)->send_files(wire::Type::source, files); !sent) return sent.error();
    if (!cache.empty())
      if (auto sent = (*session)->send_files(wire::Type::cache, cache); !sent) return sent.error();
    return std::unique_ptr<Runner>(std::move(*session));
  }

  std::string finish(double seconds) override {
    const auto process = warm_process();
    process->finish(seconds);
    return process->output();
  }

 private:
  std::shared_ptr<WarmProcess> warm_process() {
    std::lock_guard lock(mutex_);
    return process_;
  }

  // A confined child that waits for its first request.
  Result<std::unique_ptr<Session>> fork(const std::shared_ptr<WarmProcess>& process) {
    const auto asked = Clock::now();
    auto arena = make_arena(options_);
    if (!arena) return arena.error();
    auto channel = Channel::open();
    if (!channel) return channel.error();
    auto output = OutputPipe::open();
    if (!output) return output.error();

    wire::Writer w(wire::Type::spawn);
    w.str(fmt::format(R"({{"namespaces": {}, "scratch_bytes": {}, "own_cache": true, "in_place": {}}})", own_namespaces(options_),
                      options_.limits.scratch_bytes, options_.in_place));
    Descriptor pidfd;
    const auto answer = process->ask(w.finish(), {channel->second.get(), output->child_end()}, kSpawnSeconds, &pidfd);
    if (!answer) return Error{fmt::format("the Python runner is gone: {}", process->output()), "try again"};
    if (const auto failed = parse_failed(*answer))
      return Error{"the Python runner cannot fork: " + failed->message, "run kbx doctor"};
    wire::Reader reader(*answer);
    const uint64_t pid = reader.u64();
    if (reader.type() != wire::Type::spawned || !reader.at_end() || !pidfd)
      return Error{"the Python runner gave no valid answer", "run kbx doctor"};
    channel->second.close();
    output->forget_child_end();

    const wire::Lockdown lockdown = lockdown_for(options_, process->reach(), /*may_exec=*/role_ != wire::Role::interpret);
    Session::Parts parts{std::make_unique<ForkedChild>(process, pid, std::move(pidfd)), std::move(channel->first),
                         std::move(*output), std::move(*arena), options_.limits.memory_bytes};
    auto session = std::make_unique<Session>(std::move(parts), asked);
    if (auto ready = session->lock_down(lockdown, kSpawnSeconds); !ready) return ready.error();
    return session;
  }

  wire::Role role_;
  RunnerOptions options_;
  std::mutex mutex_;
  std::shared_ptr<WarmProcess> process_;
};

}  // namespace

Result<std::unique_ptr<Zygote>> Zygote::start(wire::Role role, const RunnerOptions& options) {
  auto zygote = std::make_unique<WarmZygote>(role, options);
  if (auto warm = zygote->warm_up(nullptr); !warm) return warm.error();
  return std::unique_ptr<Zygote>(std::move(zygote));
}

}  // namespace kbx
