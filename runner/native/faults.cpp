// SPDX-License-Identifier: Apache-2.0
#include "native/faults.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <ucontext.h>

#include <algorithm>
#include <cstring>

#include "native/channel.h"
#include "protocol/wire.h"

namespace kbx::runner {
namespace {

struct Range {
  uint32_t id;
  uintptr_t begin, end;
};
constexpr size_t kMaxRanges = 4096;
constexpr size_t kStackBytes = 64 * 1024;
constexpr uint32_t kNoSegment = ~0u;
Range ranges[kMaxRanges];
size_t range_count = 0;

// A message without allocation: the heap may be what is broken. Fields as in wire::Type::fault.
struct [[gnu::packed]] FaultMessage {
  uint32_t magic = wire::kMagic;
  uint16_t version = wire::kVersion;
  uint16_t type = static_cast<uint16_t>(wire::Type::fault);
  uint32_t length = sizeof(FaultMessage) - 12;
  uint32_t signal = 0;
  uint8_t write = 0;
  uint64_t address = 0, pc = 0;
  uint32_t segment = kNoSegment;
  int64_t distance = 0;
};

// The nearest segment: the distance behind its end, or before its start (negative); 0 within a segment.
void locate(uintptr_t address, FaultMessage& message) {
  uintptr_t nearest = ~uintptr_t{0};
  for (size_t i = 0; i < range_count; ++i) {
    const Range& r = ranges[i];
    const bool before = address < r.begin;
    const uintptr_t away = before ? r.begin - address : address >= r.end ? address - r.end : 0;
    if (away >= nearest) continue;
    nearest = away;
    message.segment = r.id;
    message.distance = before ? -static_cast<int64_t>(away) : static_cast<int64_t>(away);
  }
}

void on_fault(int signal, siginfo_t* info, void* context) {
  FaultMessage message;
  message.signal = static_cast<uint32_t>(signal);
  message.address = reinterpret_cast<uintptr_t>(info->si_addr);
#if defined(__x86_64__)
  const auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  message.pc = static_cast<uint64_t>(registers[REG_RIP]);
  message.write = (registers[REG_ERR] & 2) != 0;  // bit 1 of a page fault's error code: a write
#else
  (void)context;
#endif
  if (signal == SIGSEGV || signal == SIGBUS) locate(message.address, message);
  ::send(kSocket, &message, sizeof message, MSG_NOSIGNAL | MSG_DONTWAIT);
  raise(signal);  // blocked until the handler returns, then the default action
}

}  // namespace

void install_fault_handlers() {
  stack_t stack{};
  stack.ss_sp = mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  stack.ss_size = kStackBytes;
  sigaltstack(&stack, nullptr);
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESETHAND;
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigaction(signal, &action, nullptr);
}

void remember_segment(uint32_t id, const char* base, size_t length) {
  if (range_count == kMaxRanges) return;
  const auto begin = reinterpret_cast<uintptr_t>(base);
  ranges[range_count++] = {id, begin, begin + length};
}

void forget_segment(uint32_t id, const char* base) {
  const auto begin = reinterpret_cast<uintptr_t>(base);
  Range* end = std::remove_if(ranges, ranges + range_count, [&](const Range& r) { return r.id == id && r.begin == begin; });
  range_count = static_cast<size_t>(end - ranges);
}

}  // namespace kbx::runner
