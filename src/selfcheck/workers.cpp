// SPDX-License-Identifier: Apache-2.0
#include "selfcheck/workers.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <set>
#include <string>

#include "core/check.h"
#include "selfcheck/report.h"

namespace kbx {
namespace {

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    text.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

// One process for one task.
struct Worker {
  pid_t pid = -1;
  int fd = -1;
  size_t task = 0;
  std::string text;
};

// A process that writes what `say` gives and ends; -1 as its status if that throws.
Worker fork_off(const std::function<std::string()>& say) {
  int ends[2];
  KBX_CHECK(::pipe(ends) == 0);
  const pid_t pid = ::fork();
  KBX_CHECK(pid >= 0);
  if (pid == 0) {
    ::close(ends[0]);
    bool told = false;
    try {
      told = write_all(ends[1], say());
    } catch (const std::exception& e) {
      std::fprintf(stderr, "kbx: %s\n", e.what());
    }
    ::_exit(told ? 0 : 1);
  }
  ::close(ends[1]);
  return {pid, ends[0], 0, ""};
}

std::string dumped(const nlohmann::json& json) { return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace); }

// Assertions of kernels write a line for each thread.
void silence() {
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  ::dup2(nowhere, 1);
  ::dup2(nowhere, 2);
}

Worker start(const Task& task, size_t index, const WorkerOptions& options, const std::set<std::string>& without) {
  Worker worker = fork_off([&] {
    if (options.start_device) {
      silence();
      if (Status started = options.start_device(); !started) {
        TaskReport report{.task = std::string(task.id)};
        report.problems.push_back(started.error().text());
        return dumped(to_json(report));
      }
    }
    try {
      return dumped(to_json(check_task(task, options.seed, options.device, without)));
    } catch (const DeviceLost& lost) {
      return dumped({{"lost", lost.trial}, {"error", lost.error}});
    } catch (const std::exception& e) {
      TaskReport report{.task = std::string(task.id)};
      report.problems.push_back(fmt::format("the check failed: {}", e.what()));
      return dumped(to_json(report));
    }
  });
  worker.task = index;
  return worker;
}

// What it wrote, once it has ended; otherwise how it ended.
Result<nlohmann::json> finish(const Worker& w) {
  int status = 0;
  while (::waitpid(w.pid, &status, 0) < 0 && errno == EINTR) continue;
  ::close(w.fd);
  nlohmann::json json = nlohmann::json::parse(w.text, nullptr, false);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && !json.is_discarded()) return json;
  return Error{WIFSIGNALED(status) ? fmt::format("the check died by signal {}", WTERMSIG(status)) : "the check failed", ""};
}

TaskReport report_of(const Result<nlohmann::json>& said, const Task& task) {
  if (said) return report_from_json(*said);
  TaskReport report{.task = std::string(task.id)};
  report.problems.push_back(said.error().message);
  return report;
}

}  // namespace

std::vector<TaskReport> check_tasks(const std::vector<const Task*>& tasks, const WorkerOptions& options,
                                    const std::atomic<bool>& stop, const std::function<void(const TaskReport&)>& done) {
  std::map<size_t, TaskReport> reports;
  std::map<size_t, std::set<std::string>> fatal;  // trials that a task's device did not survive
  std::vector<Worker> workers;
  size_t next = 0;
  while (!stop && (next < tasks.size() || !workers.empty())) {
    while (workers.size() < static_cast<size_t>(options.jobs) && next < tasks.size()) {
      workers.push_back(start(*tasks[next], next, options, {}));
      ++next;
    }
    std::vector<pollfd> polled;
    for (const Worker& w : workers) polled.push_back({w.fd, POLLIN, 0});
    if (::poll(polled.data(), polled.size(), 500) <= 0) continue;
    for (size_t i = workers.size(); i-- > 0;) {
      if (polled[i].revents == 0) continue;
      char buffer[65536];
      const ssize_t n = ::read(workers[i].fd, buffer, sizeof buffer);
      if (n < 0 && errno == EINTR) continue;
      if (n > 0) {
        workers[i].text.append(buffer, static_cast<size_t>(n));
        continue;
      }
      const size_t index = workers[i].task;
      const auto said = finish(workers[i]);
      if (said && said->contains("lost") && fatal[index].insert(said->at("lost")).second) {
        workers[i] = start(*tasks[index], index, options, fatal[index]);
        continue;
      }
      const TaskReport report = report_of(said, *tasks[index]);
      done(report);
      reports.emplace(index, report);
      workers.erase(workers.begin() + static_cast<ptrdiff_t>(i));
    }
  }
  for (const Worker& w : workers) {
    ::kill(w.pid, SIGKILL);
    ::waitpid(w.pid, nullptr, 0);
    ::close(w.fd);
  }
  std::vector<TaskReport> ordered;
  for (auto& [index, report] : reports) ordered.push_back(std::move(report));
  return ordered;
}

}  // namespace kbx
