// SPDX-License-Identifier: Apache-2.0
#include "pipeline/ahead.h"

#include <algorithm>
#include <utility>

#include "core/check.h"

namespace kbx {
Ahead::Ahead(Build build, Start start) : build_(std::move(build)), start_(std::move(start)), starter_([this] { run(); }) {}

Ahead::~Ahead() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  starter_.join();
}

void Ahead::announce(const Candidate& candidate, const Task& task) {
  std::lock_guard lock(mutex_);
  queue_.push_back(std::make_unique<Entry>());
  Entry& entry = *queue_.back();
  entry.candidate = &candidate;
  entry.task = &task;
  entry.build = std::async(std::launch::async, [this, &entry] {
    auto built = build_(*entry.candidate, *entry.task);
    std::lock_guard done(mutex_);
    if (built)
      entry.ready.built = *std::move(built);
    else
      entry.error = built.error();
    entry.state = entry.error || entry.ready.built.failure ? State::ready : State::waiting;
    changed_.notify_all();
  });
}

Ahead::Entry* Ahead::find(const Candidate& candidate) {
  const auto entry = std::ranges::find_if(queue_, [&](const auto& e) { return e->candidate == &candidate; });
  return entry == queue_.end() ? nullptr : entry->get();
}

bool Ahead::is_announced(const Candidate& candidate) {
  std::lock_guard lock(mutex_);
  return find(candidate) != nullptr;
}

bool Ahead::is_ready(const Candidate& candidate) {
  std::lock_guard lock(mutex_);
  const Entry* entry = find(candidate);
  KBX_CHECK(entry != nullptr);
  return entry->state == State::ready;
}

const Candidate& Ahead::next() {
  std::unique_lock lock(mutex_);
  KBX_CHECK(!queue_.empty());
  auto entry = queue_.end();
  changed_.wait(lock, [&] {
    entry = std::ranges::find_if(queue_, [](const auto& e) { return e->state == State::ready; });
    return entry != queue_.end();
  });
  return *(*entry)->candidate;
}

Result<Ready> Ahead::take(const Candidate& candidate) {
  std::unique_lock lock(mutex_);
  Entry* entry = find(candidate);
  KBX_CHECK(entry != nullptr);
  changed_.wait(lock, [&] { return entry->state == State::ready; });
  const auto at = std::ranges::find_if(queue_, [&](const auto& e) { return e.get() == entry; });
  const std::unique_ptr<Entry> taken = std::move(*at);
  queue_.erase(at);
  lock.unlock();
  taken->build.wait();
  if (taken->error) return *taken->error;
  return std::move(taken->ready);
}

void Ahead::run() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    const auto built = std::ranges::find_if(queue_, [](const auto& e) { return e->state == State::waiting; });
    if (built == queue_.end() || clearing_ || quiet_ || sole_ != nullptr || contexts_ >= kContexts) {
      changed_.wait(lock);
      continue;
    }
    Entry& entry = **built;  // stays until it is ready
    entry.state = State::starting;
    const bool beside = ++contexts_ > 1;
    lock.unlock();
    auto started = start_(*entry.candidate, *entry.task, entry.ready.built);
    lock.lock();
    if (!started) {
      --contexts_;
      entry.error = started.error();
    } else {
      entry.ready.started = *std::move(started);
      entry.ready.started->beside = beside;
    }
    entry.state = State::ready;
    changed_.notify_all();
  }
}

Result<Started> Ahead::start_alone(const Candidate& candidate, const Task& task, const Built& built) {
  std::unique_lock lock(mutex_);
  clearing_ = true;
  // A start that is under way is waited for; what has started waits for its turn again.
  for (;;) {
    for (auto& entry : queue_)
      if (entry->state == State::ready && entry->ready.started) {
        std::unique_ptr<Runner> runner = std::move(entry->ready.started->runner);
        entry->ready.started.reset();
        entry->state = State::waiting;
        lock.unlock();
        retire(std::move(runner));
        lock.lock();
      }
    if (contexts_ == 0) break;
    changed_.wait(lock);
  }
  ++contexts_;
  lock.unlock();
  auto started = start_(candidate, task, built);
  lock.lock();
  clearing_ = false;
  if (started)
    sole_ = started->runner.get();
  else
    --contexts_;
  changed_.notify_all();
  return started;
}

Ahead::Quiet::Quiet(Ahead& ahead) : ahead_(ahead) {
  std::unique_lock lock(ahead_.mutex_);
  ahead_.quiet_ = true;
  ahead_.changed_.wait(
      lock, [&] { return std::ranges::none_of(ahead_.queue_, [](const auto& e) { return e->state == State::starting; }); });
}

Ahead::Quiet::~Quiet() {
  std::lock_guard lock(ahead_.mutex_);
  ahead_.quiet_ = false;
  ahead_.changed_.notify_all();
}

void Ahead::retire(std::unique_ptr<Runner> runner) {
  std::erase_if(ending_,
                [](const std::future<void>& f) { return f.wait_for(std::chrono::seconds(0)) == std::future_status::ready; });
  ending_.push_back(std::async(std::launch::async, [this, r = std::move(runner)]() mutable { end(std::move(r)); }));
}

void Ahead::end(std::unique_ptr<Runner> runner) {
  const Runner* ended = runner.get();
  runner.reset();
  std::lock_guard lock(mutex_);
  --contexts_;
  if (sole_ == ended) sole_ = nullptr;
  changed_.notify_all();
}

bool Ahead::accompanied() {
  std::lock_guard lock(mutex_);
  return contexts_ > 1;
}

}  // namespace kbx
