// SPDX-License-Identifier: Apache-2.0
#include "diagnose/access_patterns.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "diagnose/advice.h"

namespace kbx {
namespace {

// A fault this near to a buffer was meant for it; beyond, the pointer was wild. The guard pages themselves are nearer.
constexpr int64_t kNear = int64_t{1} << 20;
constexpr uint64_t kNullPage = 64 * 1024;

std::string beside(const std::string& buffer, int64_t distance) {
  if (distance >= 0) return fmt::format("{} bytes behind the end of {}", distance, buffer);
  return fmt::format("{} bytes before the start of {}", -distance, buffer);
}

}  // namespace

std::vector<Diagnosis> diagnose_accesses(const std::vector<BadAccess>& accesses) {
  std::vector<Diagnosis> found;
  for (const BadAccess& access : accesses) {
    std::string evidence = fmt::format("{}:{}", access.file, access.line);
    if (!access.kernel.empty()) evidence += fmt::format(" in {}", access.kernel);
    evidence += fmt::format(": {} of {} element{} outside the buffers", access.write ? "store" : "load", access.count,
                            access.count == 1 ? "" : "s");
    if (!access.buffer.empty()) evidence += ", " + beside(access.buffer, access.distance);
    if (!access.program.empty()) evidence += ", program " + access.program;
    found.push_back(diagnosis("out_of_bounds", std::move(evidence)));
  }
  return found;
}

Diagnosis diagnose_red_zone(const std::string& buffer, int64_t distance) {
  return diagnosis("out_of_bounds", fmt::format("the memory {} was written", beside(buffer, distance)));
}

Diagnosis diagnose_changed_input(const std::string& argument, const std::string& where) {
  return diagnosis("input_changed",
                   fmt::format("{} differs after the call{}", argument, where.empty() ? "" : ", first at " + where));
}

std::vector<Diagnosis> diagnose_signal(const FatalSignal& signal) {
  const char* access = signal.write ? "write" : "read";
  switch (signal.signal) {
    case SIGSEGV:
    case SIGBUS:
      if (!signal.buffer.empty() && std::llabs(signal.distance) <= kNear)
        return {diagnosis("out_of_bounds", fmt::format("{} {}", access, beside(signal.buffer, signal.distance)))};
      // x86 reports no address for a misaligned vector access (a general protection fault).
      if (signal.address && *signal.address == 0 && signal.signal == SIGSEGV && !signal.write)
        return {diagnosis("null_pointer", "read at address 0"),
                diagnosis("misaligned", "the processor reports address 0 for misaligned vector accesses too")};
      if (signal.address && *signal.address < kNullPage)
        return {diagnosis("null_pointer", fmt::format("{} at address {:#x}", access, *signal.address))};
      return {diagnosis("segfault", signal.address ? fmt::format("{} at address {:#x}, near no buffer", access, *signal.address)
                                                   : std::string("an invalid memory access"))};
    case SIGILL:
      return {diagnosis("illegal_instruction", "SIGILL")};
    case SIGFPE:
      return {diagnosis("division_by_zero", "SIGFPE")};
    case SIGABRT:
      return {diagnosis("aborted", "SIGABRT")};
    default:
      return {diagnosis("killed", fmt::format("signal {} ({})", signal.signal, strsignal(signal.signal)))};
  }
}

}  // namespace kbx
