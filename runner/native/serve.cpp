// SPDX-License-Identifier: Apache-2.0
#include <malloc.h>
#include <unistd.h>

#include <climits>
#include <nlohmann/json.hpp>

#include "lockdown/lockdown.h"
#include "native/callee.h"
#include "native/census.h"
#include "native/channel.h"
#include "native/device_census.h"
#include "native/faults.h"
#include "native/profile.h"

namespace kbx::runner {
namespace {

constexpr uint32_t kIdle = 0, kImporting = 1, kHostCode = 2;  // wire::StatusPage::state
constexpr size_t kMaxText = 24 * 1024;                        // of a failure's message, so that it fits into one datagram

// The two names of one thing: the protocol's and the lockdown library's.
static_assert(wire::kLandlock == int{KBX_LANDLOCK} && wire::kSeccomp == int{KBX_SECCOMP} &&
              wire::kCapabilities == int{KBX_CAPABILITIES} && wire::kScoped == int{KBX_SCOPED});

Failure protocol_error(const char* what) { return {wire::FailedAt::unsupported, "protocol", what}; }

std::vector<const char*> pointers(const std::vector<std::string>& texts) {
  std::vector<const char*> list;
  for (const std::string& text : texts) list.push_back(text.c_str());
  list.push_back(nullptr);
  return list;
}

class Server {
 public:
  explicit Server(Callee& callee) : callee_(callee) {}

  int run() {
    std::string message;
    std::vector<int> descriptors;
    while (receive(message, descriptors)) {
      wire::Reader reader(message);
      if (!reader.bad() && reader.type() == wire::Type::stop) return 0;
      try {
        if (reader.bad()) throw protocol_error("a malformed request");
        send(answer(reader, descriptors));
      } catch (const Failure& failure) {
        send(failed(failure));
      }
      state(kIdle);
      for (int fd : descriptors) close(fd);
    }
    return 0;
  }

 private:
  std::string answer(wire::Reader& reader, const std::vector<int>& descriptors) {
    switch (reader.type()) {
      case wire::Type::lockdown:
        return lock_down(get_lockdown(reader));
      case wire::Type::attach: {
        segments_.attach(reader, descriptors);
        return wire::Writer(wire::Type::prepared).finish();
      }
      case wire::Type::load:
        return load(reader);
      case wire::Type::prepare: {
        callee_.prepare(read_set(reader, segments_));
        return wire::Writer(wire::Type::prepared).finish();
      }
      case wire::Type::call:
        return call(reader);
      case wire::Type::time:
        return time(reader);
      case wire::Type::deliver:
        return returned(callee_.deliver());
      case wire::Type::report: {
        wire::Writer w(wire::Type::reported);
        w.str(library_report(own_libraries_, path_));
        return w.finish();
      }
      default:
        throw protocol_error("a request that this runner does not know");
    }
  }

  std::string lock_down(const wire::Lockdown& wanted) {
    const auto readable = pointers(wanted.readable), writable = pointers(wanted.writable);
    kbx_lockdown lockdown{};
    lockdown.readable = readable.data();
    lockdown.writable = writable.data();
    lockdown.filter = wanted.filter.data();
    lockdown.filter_bytes = static_cast<uint32_t>(wanted.filter.size());
    lockdown.layers = wanted.layers;
    lockdown.memory_bytes = wanted.memory_bytes;
    lockdown.file_bytes = wanted.file_bytes;
    lockdown.open_files = wanted.open_files;
    lockdown.processes = wanted.processes;
    char error[256] = "";
    const int layers = kbx_apply_lockdown(&lockdown, error, sizeof error);
    if (layers < 0) throw Failure{wire::FailedAt::unsupported, "lockdown", error};
    wire::Writer w(wire::Type::ready);
    w.u32(static_cast<uint32_t>(layers)).u64(static_cast<uint64_t>(getpid()));
    return w.finish();
  }

  std::string load(wire::Reader& reader) {
    LoadOrder order;
    reader.u8();
    order.path = reader.str();
    order.entries = get_list(reader);
    reader.str();  // the schema is for Python
    profile_ = (reader.u8() & wire::kProfile) != 0;
    reader.u32();
    const auto options = nlohmann::json::parse(reader.str(), nullptr, false);
    if (!reader.at_end() || !options.is_object()) throw protocol_error("a malformed load message");
    order.append_seed = options.value("append_seed", false);
    path_ = order.path;
    own_libraries_ = loaded_libraries();
    state(kImporting);
    start_device_census(segments_.status());
    const std::string entry = callee_.load(order);
    wire::Writer w(wire::Type::loaded);
    w.str(entry).str(how(order.entries, entry));
    return w.finish();
  }

  static std::string how(const std::vector<std::string>& entries, const std::string& entry) {
    if (entry == "kernel_function") return entry;
    return entry == entries.front() ? "entry" : "id";
  }

  std::string call(wire::Reader& reader) {
    std::vector<Callee::Outcome> outcomes;
    const std::vector<Callee::Call> calls = read_calls(reader);
    state(kHostCode);
    watch_launches(true);
    for (const Callee::Call& c : calls) outcomes.push_back(call_once(c.set, c.seed));
    return returned(outcomes);
  }

  std::string time(wire::Reader& reader) {
    const auto how = static_cast<wire::Timing>(reader.u8());
    const std::vector<Callee::Call> calls = read_calls(reader);
    if (how > wire::Timing::traced) throw protocol_error("a time message of an unknown kind");
    state(kHostCode);
    watch_launches(how == wire::Timing::traced);
    const std::vector<uint64_t> claimed = callee_.time(how, calls);
    wire::Writer w(wire::Type::timed);
    w.u32(static_cast<uint32_t>(claimed.size()));
    for (const uint64_t nanoseconds : claimed) w.u64(nanoseconds);
    return w.finish();
  }

  static std::vector<Callee::Call> read_calls(wire::Reader& reader) {
    std::vector<Callee::Call> calls;
    const uint32_t count = reader.u32();
    for (uint32_t i = 0; i < count && !reader.bad(); ++i) {
      const uint32_t set = reader.u32();
      calls.push_back({set, reader.u64()});
    }
    if (!reader.at_end()) throw protocol_error("a malformed list of calls");
    return calls;
  }

  static std::string returned(const std::vector<Callee::Outcome>& outcomes) {
    wire::Writer w(wire::Type::returned);
    w.u32(static_cast<uint32_t>(outcomes.size()));
    for (const Callee::Outcome& outcome : outcomes) {
      w.u64(outcome.nanoseconds).u8(1).u32(static_cast<uint32_t>(outcome.leaves.size()));
      for (const wire::Leaf& leaf : outcome.leaves) put(w, leaf);
    }
    w.u32(0);
    return w.finish();
  }

  Callee::Outcome call_once(uint32_t set, uint64_t seed) {
    const Profiled profiled(profile_ && called_);
    called_ = true;
    return callee_.call(set, seed);
  }

  static std::string failed(const Failure& failure) {
    wire::Writer w(wire::Type::failed);
    w.u8(static_cast<uint8_t>(failure.at))
        .str(failure.kind.substr(0, kMaxText))
        .str(failure.message.substr(0, kMaxText))
        .str("")
        .u32(0);
    return w.finish();
  }

  void state(uint32_t value) {
    if (wire::StatusPage* page = segments_.status()) page->state = value;
  }

  Callee& callee_;
  Segments segments_;
  std::string path_;
  std::set<std::string> own_libraries_;
  bool profile_ = false, called_ = false;
};

// Freed memory stays in the process, for candidate and baseline alike: otherwise a timed call that allocates pays for fresh
// pages each time and the comparison is between allocators.
void retain_heap() {
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
  mallopt(M_TOP_PAD, 64 << 20);
}

}  // namespace

int serve(Callee& callee) {
  retain_heap();
  install_fault_handlers();
  // Output is a pipe: line by line, so that a crash does not swallow what was printed.
  setvbuf(stdout, nullptr, _IOLBF, 0);
  return Server(callee).run();
}

}  // namespace kbx::runner
