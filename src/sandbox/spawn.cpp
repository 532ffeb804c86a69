// SPDX-License-Identifier: Apache-2.0
#include "sandbox/spawn.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <thread>

namespace kbx {
namespace {

// Everything that the child needs, in the form in which it needs it: it shares the judge's memory and must not allocate.
struct Prepared {
  std::vector<char*> argv, environment;
  std::vector<int> descriptors;
  int output, null;
  const char* folder;
  pid_t parent;
  volatile int error = 0;
};

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> result;
  for (const std::string& word : words) result.push_back(const_cast<char*>(word.c_str()));
  result.push_back(nullptr);
  return result;
}

// Moves the descriptors out of the way of their targets first.
bool place_descriptors(Prepared& p) {
  const int count = static_cast<int>(p.descriptors.size());
  const int output = fcntl(p.output, F_DUPFD_CLOEXEC, count + 3);
  const int null = fcntl(p.null, F_DUPFD_CLOEXEC, count + 3);
  if (output < 0 || null < 0) return false;
  for (int& fd : p.descriptors)
    if ((fd = fcntl(fd, F_DUPFD_CLOEXEC, count + 3)) < 0) return false;
  if (dup2(null, 0) < 0 || dup2(output, 1) < 0 || dup2(output, 2) < 0) return false;
  for (int i = 0; i < count; ++i)
    if (dup2(p.descriptors[i], 3 + i) < 0) return false;
  return syscall(SYS_close_range, count + 3, ~0u, 0) == 0;
}

void volunteer_for_the_oom_killer() {
  const int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (fd < 0) return;
  [[maybe_unused]] const ssize_t written = write(fd, "1000", 4);
  close(fd);
}

[[noreturn]] void become(Prepared& p) {
  setsid();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  volunteer_for_the_oom_killer();
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  if (getppid() == p.parent && place_descriptors(p) && chdir(p.folder) == 0)
    execve(p.argv[0], p.argv.data(), p.environment.data());
  p.error = errno;
  _exit(127);
}

// vfork: copying the page tables of a judge with libtorch would take milliseconds.
[[gnu::noinline]] pid_t start(Prepared& p) {
  const pid_t pid = vfork();
  if (pid == 0) become(p);
  return pid;
}

Result<int> fork_and_exec(const SpawnPlan& plan) {
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null < 0) return Error{"cannot open /dev/null", "close some programs"};
  Prepared p{pointers(plan.argv),
             pointers(plan.environment),
             plan.descriptors,
             plan.output < 0 ? null : plan.output,
             null,
             plan.folder.c_str(),
             getpid()};
  const pid_t pid = start(p);
  const int fork_error = errno;
  close(null);
  if (pid < 0) return Error{"cannot fork: " + std::string(std::strerror(fork_error)), "close some programs"};
  if (p.error != 0) {
    waitpid(pid, nullptr, 0);
    return Error{"cannot start " + plan.argv[0] + ": " + std::strerror(p.error), "run kbx doctor"};
  }
  return pid;
}

// Runs what it is given, for ever.
class ForkingThread {
 public:
  ForkingThread() {
    std::thread([this] { loop(); }).detach();
  }
  Result<int> run(const SpawnPlan& plan) {
    std::packaged_task<Result<int>()> task([&plan] { return fork_and_exec(plan); });
    std::future<Result<int>> result = task.get_future();
    {
      std::lock_guard lock(mutex_);
      tasks_.push_back(std::move(task));
    }
    wake_.notify_one();
    return result.get();
  }

 private:
  [[noreturn]] void loop() {
    // No handler of the judge may run in a child while they share memory, nor here.
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, nullptr);
    for (;;) {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return !tasks_.empty(); });
      auto task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
    }
  }
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::packaged_task<Result<int>()>> tasks_;
};

}  // namespace

Result<int> spawn(const SpawnPlan& plan) {
  // Never destroyed: its thread outlives main. A forked process (a lane) has none of its parent's threads.
  static std::mutex mutex;
  static ForkingThread* thread = nullptr;
  static pid_t owner = 0;
  {
    std::lock_guard lock(mutex);
    if (owner != getpid()) thread = new ForkingThread;
    owner = getpid();
  }
  return thread->run(plan);
}

}  // namespace kbx
