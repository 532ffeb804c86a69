// SPDX-License-Identifier: Apache-2.0
#include "selfcheck/workers.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
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

Worker start(const Task& task, size_t index, uint64_t seed) {
  int ends[2];
  KBX_CHECK(::pipe(ends) == 0);
  const pid_t pid = ::fork();
  KBX_CHECK(pid >= 0);
  if (pid == 0) {
    ::close(ends[0]);
    bool told = false;
    try {
      told = write_all(ends[1],
                       to_json(check_task(task, seed, at::kCPU)).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    } catch (const std::exception& e) {
      std::fprintf(stderr, "kbx: %s: %s\n", std::string(task.id).c_str(), e.what());
    }
    ::_exit(told ? 0 : 1);
  }
  ::close(ends[1]);
  return {pid, ends[0], index, ""};
}

TaskReport finish(const Worker& w, const Task& task) {
  int status = 0;
  while (::waitpid(w.pid, &status, 0) < 0 && errno == EINTR) continue;
  ::close(w.fd);
  const nlohmann::json json = nlohmann::json::parse(w.text, nullptr, false);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && !json.is_discarded()) return report_from_json(json);
  TaskReport report{.task = std::string(task.id)};
  report.problems.push_back(WIFSIGNALED(status) ? fmt::format("the check died by signal {}", WTERMSIG(status))
                                                : "the check failed");
  return report;
}

}  // namespace

std::vector<TaskReport> check_tasks(const std::vector<const Task*>& tasks, uint64_t seed, int jobs, const std::atomic<bool>& stop,
                                    const std::function<void(const TaskReport&)>& done) {
  std::map<size_t, TaskReport> reports;
  std::vector<Worker> workers;
  size_t next = 0;
  while (!stop && (next < tasks.size() || !workers.empty())) {
    while (workers.size() < static_cast<size_t>(jobs) && next < tasks.size()) {
      workers.push_back(start(*tasks[next], next, seed));
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
      const TaskReport report = finish(workers[i], *tasks[workers[i].task]);
      done(report);
      reports.emplace(workers[i].task, report);
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
