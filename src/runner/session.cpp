// SPDX-License-Identifier: Apache-2.0
#include "runner/session.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>

#include "core/check.h"
#include "core/clock.h"
#include "core/interrupt.h"
#include "runner/handover.h"
#include "runner/messages.h"

namespace kbx {
namespace {

constexpr auto kWatchdogPeriod = std::chrono::milliseconds(50);
// A process with a GPU context takes its time to die.
constexpr auto kDeathAfterClose = std::chrono::seconds(5);
constexpr size_t kSegmentsPerMessage = 1000;

bool readable_within(int fd, std::chrono::milliseconds time) {
  pollfd p{fd, POLLIN, 0};
  return poll(&p, 1, static_cast<int>(time.count())) > 0;
}

void put_calls(wire::Writer& w, const std::vector<Runner::SetSeed>& calls) {
  w.u32(static_cast<uint32_t>(calls.size()));
  for (const Runner::SetSeed& c : calls) w.u32(c.set).u64(c.seed);
  KBX_CHECK_LE(w.finish().size(), wire::kMaxMessage);
}

template <typename T, typename Variant>
Reply<T> without_answer(Variant&& why) {
  return std::visit(
      [](auto&& w) -> Reply<T> {
        if constexpr (std::is_same_v<std::decay_t<decltype(w)>, std::string>)
          KBX_CHECK(false && "an answer is no reason");
        else
          return std::move(w);
        return Broken{};
      },
      std::forward<Variant>(why));
}

}  // namespace

Session::Session(Parts parts, Clock::time_point started) : parts_(std::move(parts)), started_(started) {}

Session::~Session() {
  if (!ended_) parts_.child->kill();
}

Result<uint32_t> Session::lock_down(const wire::Lockdown& lockdown, double seconds) {
  wire::Writer w(wire::Type::lockdown);
  put(w, lockdown);
  Answer answer = exchange(w.finish(), {}, wire::Type::ready, seconds);
  start_seconds_ = seconds_since(started_);
  if (const auto* message = std::get_if<std::string>(&answer)) {
    const auto layers = parse_ready(*message);
    if (layers && (lockdown.layers & ~*layers) == 0) return *layers;
    return Error{fmt::format("the runner could not confine itself: layers {:#x} of {:#x} are in force", layers.value_or(0),
                             lockdown.layers),
                 "kbx doctor names the missing layer; --no-sandbox runs without"};
  }
  const std::string said = output();
  return Error{fmt::format("the runner did not start: {}{}{}", describe(answer), said.empty() ? "" : "; it printed: ", said),
               "run kbx doctor"};
}

Status Session::send_files(wire::Type how, const std::vector<RunnerFile>& files) {
  wire::Writer w(how);
  w.u32(static_cast<uint32_t>(files.size()));
  for (const RunnerFile& file : files) w.str(file.path).u64(file.bytes.size());
  const std::string& message = w.finish();
  if (message.size() > wire::kMaxMessage) return Error{"the candidate has too many files", "submit fewer files"};
  const auto memory = sealed_memory(files);
  if (!memory) return memory.error();
  constexpr double kSeconds = 10;
  if (!send_out(message, {memory->get()}, Clock::now(), kSeconds))
    return Error{"the runner ended before it got the candidate", "try again"};
  return Done{};
}

Reply<Loaded> Session::load(const LoadRequest& request, double seconds) {
  const auto asked = Clock::now();
  if (Answer a = attach(seconds); !std::holds_alternative<std::string>(a)) return without_answer<Loaded>(std::move(a));
  const std::string message = load_message(request);
  if (message.size() > wire::kMaxMessage)
    return Failed{wire::FailedAt::bind, "too large", "the load request is too large", "", 0};
  Answer answer = exchange(message, {}, wire::Type::loaded, seconds - seconds_since(asked));
  if (auto* text = std::get_if<std::string>(&answer)) {
    if (auto loaded = parse_loaded(*text)) return *loaded;
    return broken<Loaded>("malformed answer to load");
  }
  return without_answer<Loaded>(std::move(answer));
}

Reply<Done> Session::prepare(uint32_t set, const std::string& arguments, uint32_t argument_count,
                             const std::vector<wire::Tensor>& destinations, double seconds) {
  const auto asked = Clock::now();
  if (Answer a = attach(seconds); !std::holds_alternative<std::string>(a)) return without_answer<Done>(std::move(a));
  wire::Writer w(wire::Type::prepare);
  w.u32(set).u32(argument_count).raw(arguments.data(), arguments.size()).u32(static_cast<uint32_t>(destinations.size()));
  for (const wire::Tensor& d : destinations) put(w, d);
  const std::string& message = w.finish();
  if (message.size() > wire::kMaxMessage)
    return Failed{wire::FailedAt::unsupported, "too large", "the arguments do not fit into one message", "", 0};
  Answer answer = exchange(message, {}, wire::Type::prepared, seconds - seconds_since(asked));
  if (auto* text = std::get_if<std::string>(&answer)) {
    if (parse_prepared(*text)) return Done{};
    return broken<Done>("malformed answer to prepare");
  }
  return without_answer<Done>(std::move(answer));
}

Reply<ReturnedCalls> Session::call(const std::vector<SetSeed>& calls, double seconds) {
  wire::Writer w(wire::Type::call);
  put_calls(w, calls);
  return returned(exchange(w.finish(), {}, wire::Type::returned, seconds), calls.size());
}

Reply<std::vector<uint64_t>> Session::time(wire::Timing how, const std::vector<SetSeed>& calls, double seconds) {
  wire::Writer w(wire::Type::time);
  w.u8(static_cast<uint8_t>(how));
  put_calls(w, calls);
  kept_ = calls.size();
  Answer answer = exchange(w.finish(), {}, wire::Type::timed, seconds);
  if (auto* text = std::get_if<std::string>(&answer)) {
    const bool together = how == wire::Timing::queued && !calls.empty();
    if (auto claimed = parse_timed(*text, together ? 1 : calls.size())) return *std::move(claimed);
    return broken<std::vector<uint64_t>>("malformed answer to time");
  }
  return without_answer<std::vector<uint64_t>>(std::move(answer));
}

Reply<ReturnedCalls> Session::deliver(double seconds) {
  return returned(exchange(wire::Writer(wire::Type::deliver).finish(), {}, wire::Type::returned, seconds), kept_);
}

Reply<ReturnedCalls> Session::returned(Answer answer, size_t calls) {
  if (auto* text = std::get_if<std::string>(&answer)) {
    if (auto returned = parse_returned(*text, calls)) return *std::move(returned);
    return broken<ReturnedCalls>("malformed answer to a call");
  }
  return without_answer<ReturnedCalls>(std::move(answer));
}

Reply<std::string> Session::report(double seconds) {
  Answer answer = exchange(wire::Writer(wire::Type::report).finish(), {}, wire::Type::reported, seconds);
  if (auto* text = std::get_if<std::string>(&answer)) {
    if (auto json = parse_reported(*text)) return *std::move(json);
    return broken<std::string>("malformed answer to report");
  }
  return without_answer<std::string>(std::move(answer));
}

Reply<std::vector<RunnerFile>> Session::harvest(double seconds) {
  const auto memory = harvest_memory();
  if (!memory) return Failed{wire::FailedAt::unsupported, "harvest", memory.error().message, "", 0};
  Answer answer = exchange(wire::Writer(wire::Type::harvest).finish(), {memory->get()}, wire::Type::harvested, seconds);
  if (auto* text = std::get_if<std::string>(&answer)) {
    const auto entries = parse_harvested(*text);
    auto files = entries ? read_harvest(memory->get(), *entries) : std::nullopt;
    if (files) return *std::move(files);
    return broken<std::vector<RunnerFile>>("malformed answer to harvest");
  }
  return without_answer<std::vector<RunnerFile>>(std::move(answer));
}

void Session::finish(double seconds) {
  const auto asked = Clock::now();
  if (!send_out(wire::Writer(wire::Type::stop).finish(), {}, asked, seconds)) return;
  for (;;) {
    const double left = seconds - seconds_since(asked);
    if (left <= 0 || interrupted()) return end_as_late(seconds_since(asked));
    const auto turn = std::min<double>(std::chrono::duration<double, std::milli>(kWatchdogPeriod).count(), std::ceil(left * 1e3));
    pollfd fds[] = {{parts_.child->pidfd(), POLLIN, 0}, {parts_.output.read_end(), POLLIN, 0}};
    poll(fds, 2, static_cast<int>(turn));
    parts_.output.drain();
    watch_memory();
    if (readable_within(parts_.child->pidfd(), std::chrono::milliseconds(0))) return end_as_dead();
  }
}

std::string Session::output() {
  parts_.output.drain();
  return parts_.output.text();
}

Session::Answer Session::attach(double seconds) {
  const auto asked = Clock::now();
  std::vector<Arena::Export> fresh;
  for (const Arena::Export& e : parts_.arena->exports()) {
    const auto known = attached_.find(e.segment.id);
    if (known == attached_.end() || known->second != std::tuple(e.descriptor, e.segment.offset, e.segment.length))
      fresh.push_back(e);
  }
  for (size_t begin = 0; begin < fresh.size();) {
    std::vector<int> descriptors;
    size_t end = begin;
    for (; end < fresh.size() && end - begin < kSegmentsPerMessage; ++end) {
      auto at = std::find(descriptors.begin(), descriptors.end(), fresh[end].descriptor);
      if (at == descriptors.end()) {
        if (descriptors.size() == wire::kMaxDescriptors) break;
        at = descriptors.insert(at, fresh[end].descriptor);
      }
      fresh[end].segment.fd = static_cast<uint32_t>(at - descriptors.begin());
    }
    wire::Writer w(wire::Type::attach);
    w.u32(static_cast<uint32_t>(end - begin));
    for (size_t i = begin; i < end; ++i) put(w, fresh[i].segment);
    Answer answer = exchange(w.finish(), descriptors, wire::Type::prepared, seconds - seconds_since(asked));
    if (!std::holds_alternative<std::string>(answer)) return answer;
    for (size_t i = begin; i < end; ++i)
      attached_[fresh[i].segment.id] = {fresh[i].descriptor, fresh[i].segment.offset, fresh[i].segment.length};
    begin = end;
  }
  return std::string();
}

Session::Answer Session::exchange(const std::string& request, const std::vector<int>& descriptors, wire::Type expected,
                                  double seconds) {
  const auto asked = Clock::now();
  const auto ending = [&]() -> Answer { return std::visit([](const auto& e) -> Answer { return e; }, *ended_); };
  if (ended_) return ending();
  std::string message;
  // Whatever lies there now was not asked for: a forged answer, or the real one after a forged one.
  for (Channel::State early;
       (early = parts_.channel.receive(message)) != Channel::State::would_block && early != Channel::State::closed;) {
    wire::Reader reader(message);
    if (early == Channel::State::done && !reader.bad() && reader.type() == wire::Type::fault)
      note_fault(reader);
    else
      end_as_broken("a message that was not asked for");
    if (ended_) return ending();
  }
  if (!send_out(request, descriptors, asked, seconds)) return ending();
  for (;;) {
    if (!wait_for(POLLIN, asked, seconds)) return ending();
    switch (parts_.channel.receive(message)) {
      case Channel::State::would_block:
        continue;
      case Channel::State::closed:
        end_as_closed();
        return ending();
      case Channel::State::oversized:
        end_as_broken("an oversized message");
        return ending();
      case Channel::State::done:
        break;
    }
    wire::Reader reader(message);
    if (!reader.bad() && reader.type() == wire::Type::fault) {
      note_fault(reader);
      if (ended_) return ending();
      continue;
    }
    if (!reader.bad() && reader.type() == expected) return message;
    if (auto failed = parse_failed(message)) return *std::move(failed);
    end_as_broken(reader.bad() ? "a malformed message"
                               : fmt::format("an unexpected message (type {})", static_cast<int>(reader.type())));
    return ending();
  }
}

bool Session::send_out(const std::string& request, const std::vector<int>& descriptors, Clock::time_point asked, double seconds) {
  if (ended_) return false;
  for (;;) {
    switch (parts_.channel.send(request, descriptors)) {
      case Channel::State::done:
        return true;
      case Channel::State::would_block:
        if (!wait_for(POLLOUT, asked, seconds)) return false;
        continue;
      default:
        end_as_closed();
        return false;
    }
  }
}

bool Session::wait_for(short events, Clock::time_point asked, double seconds) {
  for (;;) {
    const double left = seconds - seconds_since(asked);
    const bool too_busy = std::isfinite(cpu_bound_) && cpu_seconds() > cpu_bound_;
    if (left <= 0 || too_busy || interrupted()) {  // whoever asked to stop does not wait for a candidate
      end_as_late(seconds_since(asked));
      return false;
    }
    const auto turn = std::min<double>(std::chrono::duration<double, std::milli>(kWatchdogPeriod).count(), std::ceil(left * 1e3));
    pollfd fds[] = {{parts_.channel.fd(), events, 0}, {parts_.child->pidfd(), POLLIN, 0}, {parts_.output.read_end(), POLLIN, 0}};
    const int ready = poll(fds, 3, static_cast<int>(turn));
    KBX_CHECK(ready >= 0 || errno == EINTR);
    if (ready > 0 && fds[2].revents != 0) parts_.output.drain();
    watch_memory();
    // A message that was sent before the death still counts, so the socket comes first.
    if (ready > 0 && fds[0].revents != 0) return true;
    if (ready > 0 && fds[1].revents != 0) {
      if (events == POLLIN && readable_within(parts_.channel.fd(), std::chrono::milliseconds(0))) return true;
      end_as_dead();
      return false;
    }
  }
}

void Session::watch_memory() {
  const auto now = Clock::now();
  if (parts_.memory_bytes == 0 || over_memory_ || now - memory_checked_ < kWatchdogPeriod) return;
  memory_checked_ = now;
  uint64_t shared = 0;
  for (const auto& [id, where] : attached_) shared += std::get<2>(where);
  if (parts_.child->resident_bytes() > parts_.memory_bytes + shared) {
    over_memory_ = true;
    parts_.child->kill();
  }
}

void Session::note_fault(wire::Reader& reader) {
  if (fault_) return end_as_broken("more than one fault report");
  fault_ = parse_fault(reader);
  if (!fault_) end_as_broken("a malformed fault report");
}

void Session::end_as_dead() {
  parts_.output.drain();
  const Process::Exit exit = parts_.child->wait();
  Died died{exit.signal, exit.code, over_memory_, std::nullopt};
  if (!over_memory_) died.fault = fault_;
  ended_ = died;
}

// The other side is closed: the process is ending, or it has thrown its channel away and is of no more use.
void Session::end_as_closed() {
  const bool alive = !readable_within(parts_.child->pidfd(), kDeathAfterClose);
  if (alive) parts_.child->kill();
  end_as_dead();
  if (alive) std::get<Died>(*ended_).closed_channel = true;
}

void Session::end_as_late(double seconds) {
  Late late{seconds, parts_.arena->status()};
  parts_.child->kill();
  parts_.output.drain();
  parts_.child->wait();
  ended_ = late;
}

void Session::end_as_broken(std::string what) {
  parts_.child->kill();
  parts_.output.drain();
  parts_.child->wait();
  ended_ = Broken{std::move(what)};
}

template <typename T>
Reply<T> Session::broken(std::string what) {
  end_as_broken(what);
  return Broken{std::move(what)};
}

}  // namespace kbx
