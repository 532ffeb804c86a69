// SPDX-License-Identifier: Apache-2.0
#include "pipeline/failure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>

#include "diagnose/access_patterns.h"
#include "diagnose/device_faults.h"
#include "diagnose/log_patterns.h"

namespace kbx {
namespace {

constexpr uint32_t kInsideLaunch = 3, kWaiting = 4;  // wire::StatusPage::state

std::string located(const Failed& f) { return f.line > 0 ? fmt::format(" (line {})", f.line) : ""; }

std::string excerpted(const Failed& f) { return f.excerpt.empty() ? f.message : f.message + "\n" + f.excerpt; }

// What the device did wrong, where that is what failed and not something that the candidate says about it.
std::optional<Diagnosis> device_fault(const Failed& f) {
  const bool of_device = f.kind == "cuda error" || f.message.starts_with("CUDA error") || f.message.starts_with("cuMem") ||
                         f.message.find(" was refused: ") != std::string::npos;
  auto fault = of_device ? diagnose_device_fault(f.message) : std::nullopt;
  // Memory of our own that cannot be had or mapped is no fault of the candidate's; a context that it broke is.
  if (fault && f.at == wire::FailedAt::unsupported && !breaks_context(fault->pattern)) return std::nullopt;
  return fault;
}

Failure device_failure(const Failed& f, Diagnosis fault, const std::string& line) {
  std::string how = fault.evidence + located(f);
  if (fault.pattern == "out_of_memory") return {OutOfMemory{line, how}, excerpted(f), {std::move(fault)}};
  if (f.at == wire::FailedAt::import) how += " while it was loaded";
  return {Crashed{std::move(how), line}, excerpted(f), {std::move(fault)}};
}

// The name that a hostile process may have written there.
std::string kernel_on(const wire::StatusPage& page) {
  std::string name(page.kernel, strnlen(page.kernel, sizeof page.kernel));
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return c < 0x20; }, '?');
  return name;
}

}  // namespace

Failure failure_of(const Failed& f, const std::string& line) {
  static const std::set<std::string> kDoesNotParse = {"SyntaxError", "IndentationError", "TabError", "UnicodeDecodeError"};
  static const std::set<std::string> kDoesNotLoad = {"ImportError", "ModuleNotFoundError", "LoadError"};
  const std::string what = fmt::format("{}: {}{}", f.kind, f.message, located(f));
  if (auto fault = device_fault(f)) return device_failure(f, *std::move(fault), line);
  switch (f.at) {
    case wire::FailedAt::import:
      if (kDoesNotParse.contains(f.kind)) return {Unreadable{what}, excerpted(f)};
      if (kDoesNotLoad.contains(f.kind)) return {BuildFailed{what}, excerpted(f)};
      if (f.kind == "MemoryError") return {OutOfMemory{"", what}, excerpted(f)};
      return {Crashed{"raised " + what + " while it was loaded", ""}, excerpted(f)};
    case wire::FailedAt::bind:
      return {BuildFailed{"does not bind: " + f.message}, excerpted(f)};
    case wire::FailedAt::compile:
      return {BuildFailed{what}, excerpted(f)};
    case wire::FailedAt::unsupported:
      return {NotJudged{what}, excerpted(f)};
    case wire::FailedAt::call:
      break;
  }
  static const std::set<std::string> kMemory = {"MemoryError", "OutOfMemoryError", "out of memory"};
  // The words of cudaGetErrorString for cudaErrorMemoryAllocation: a C++ candidate that looks at the error raises them so.
  const bool on_device = f.kind == "RuntimeError" && f.message.find("out of memory") != std::string::npos;
  if (on_device || kMemory.contains(f.kind)) return {OutOfMemory{line, what}, excerpted(f)};
  return {Crashed{"raised " + what, line}, excerpted(f)};
}

Failure failure_of(const Died& d, const std::string& line) {
  if (d.out_of_memory) return {OutOfMemory{line, "killed at the memory limit"}, ""};
  if (d.closed_channel) return {Crashed{"closed its channel to the judge", line}, ""};
  if (d.signal == 0) return {Crashed{fmt::format("exited with status {}", d.exit_code), line}, "", {diagnose_exit(d.exit_code)}};
  std::string how = fmt::format("{} ({})", sigabbrev_np(d.signal) ? fmt::format("SIG{}", sigabbrev_np(d.signal)) : "signal",
                                strsignal(d.signal));
  if (d.fault) {
    const Fault& f = *d.fault;
    how += fmt::format(", {} at address {:#x}", f.write ? "write" : "read", f.address);
  }
  FatalSignal fatal{d.signal, false, std::nullopt, "", 0};
  if (d.fault)
    fatal = {d.signal, d.fault->write, d.fault->address, d.fault->segment ? fmt::format("buffer {}", d.fault->segment) : "",
             d.fault->distance};
  return {Crashed{how, line}, "", diagnose_signal(fatal)};
}

Failure failure_of(const Late& late, wire::Role role, const std::string& line) {
  if (role == wire::Role::interpret && late.status.state == kInsideLaunch)
    return {NotJudged{fmt::format("too slow for the interpreter: {:.1f} s, {} program instances finished; needs a GPU",
                                  late.seconds, late.status.programs)},
            ""};
  const std::string kernel = role == wire::Role::interpret ? "" : kernel_on(late.status);
  if (kernel.empty()) return {TimedOut{line, late.seconds}, ""};
  return {TimedOut{line, late.seconds},
          "",
          {diagnose_endless_kernel(late.seconds, kernel, late.status.launches, late.status.state == kWaiting)}};
}

Failure failure_of(const Broken& broken, const std::string& line) {
  return {Dishonest{{fmt::format("the candidate wrote into the judge's channel{}: {}", line.empty() ? "" : " during " + line,
                                 broken.what)}},
          ""};
}

}  // namespace kbx
