// SPDX-License-Identifier: Apache-2.0
#include "diagnose/device_faults.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <regex>

#include "diagnose/advice.h"

namespace kbx {
namespace {

// Dynamic shared memory that a launch gets without asking: CUDA C++ Programming Guide, "Technical Specifications per Compute
// Capability".
constexpr int64_t kSharedWithoutAsking = 48 * 1024;
constexpr int64_t kMaxThreads = 1024;

struct Row {
  std::string_view pattern;
  const char* words;  // of cudaGetErrorString, cuGetErrorString and Triton's OutOfResources
  bool breaks = false;
};
constexpr std::array kRows{
    Row{"illegal_address", "illegal memory access", true},
    Row{"misaligned_address", "misaligned address", true},
    Row{"device_assert", "device-side assert", true},
    Row{"shared_memory", "out of resource: shared memory"},
    Row{"out_of_memory", "out of memory"},
    Row{"invalid_launch",
        "out of resource: |too many resources requested for launch|invalid configuration argument|too many blocks in "
        "cooperative launch|invalid argument"},
    Row{"launch_timeout", "the launch timed out", true},
    Row{"launch_failure",
        "unspecified launch failure|illegal instruction was encountered|hardware stack error|invalid program counter|operation "
        "not supported on global/shared address space|exception occurred during kernel execution",
        true},
};

std::string one_line(std::string_view text) {
  std::string line(text);
  while (!line.empty() && line.back() == '\n') line.pop_back();
  size_t at = 0;
  while ((at = line.find('\n', at)) != std::string::npos) line.replace(at, 1, ", ");
  return line;
}

std::string with_separators(int64_t bytes) { return fmt::format("{:.1f} KiB", static_cast<double>(bytes) / 1024); }

bool wants_much_shared(std::string_view message) {
  static const std::regex kBytes(R"((\d+) bytes? of dynamic shared memory was refused: invalid argument)");
  const std::string text(message);
  std::smatch found;
  return std::regex_search(text, found, kBytes) && found[1].length() < 12 && std::stoll(found[1]) > kSharedWithoutAsking;
}

}  // namespace

std::optional<Diagnosis> diagnose_device_fault(std::string_view message) {
  // The first line names the fault; a refused launch is named in the others.
  const std::string text(message);
  for (const std::string& part : {text.substr(0, text.find('\n')), text})
    for (const Row& row : kRows) {
      if (!std::regex_search(part, std::regex(row.words))) continue;
      std::string evidence = one_line(message);
      if (row.breaks && text.find("no kernel was launched in this call") != std::string::npos)
        evidence += ": what an earlier launch left behind";
      const bool shared = row.pattern == "invalid_launch" && wants_much_shared(message);
      return diagnosis(shared ? "shared_memory" : row.pattern, std::move(evidence));
    }
  return std::nullopt;
}

bool breaks_context(std::string_view pattern) {
  return std::any_of(kRows.begin(), kRows.end(), [&](const Row& row) { return row.breaks && row.pattern == pattern; });
}

void quote_assertion(Diagnosis& fault, std::string_view printed) {
  if (fault.pattern != "device_assert") return;
  // As the device prints it, of CUDA C++ and of Triton alike.
  static const std::regex kAssertion(
      R"(([^\s/]+):(\d+): (.*): block: (\[[\d,]+\]), thread: (\[[\d,]+\]) Assertion `(.*?)['`] failed)");
  const std::string text(printed);
  std::smatch found;
  if (!std::regex_search(text, found, kAssertion)) return;
  fault.evidence = fmt::format("{}:{}: assertion `{}` failed in {}, block {}, thread {}; {}", found[1].str(), found[2].str(),
                               found[6].str(), found[3].str(), found[4].str(), found[5].str(), fault.evidence);
}

Diagnosis diagnose_refused_launch(const RefusedLaunch& l) {
  const auto text = [](const int64_t(&d)[3]) { return fmt::format("({}, {}, {})", d[0], d[1], d[2]); };
  std::string why;
  const auto is = [](int64_t n) { return n <= 0; };
  if (std::any_of(std::begin(l.grid), std::end(l.grid), is) || std::any_of(std::begin(l.block), std::end(l.block), is))
    why = "a dimension of it is zero";
  else if (l.block[0] * l.block[1] * l.block[2] > kMaxThreads)
    why = fmt::format("a block has at most {} threads", kMaxThreads);
  else if (l.shared_bytes > kSharedWithoutAsking)
    why = fmt::format("without cudaFuncSetAttribute a block gets {} of dynamic shared memory",
                      with_separators(kSharedWithoutAsking));
  const bool shared = l.shared_bytes > kSharedWithoutAsking && l.error == "invalid argument";
  return diagnosis(
      shared ? "shared_memory" : "invalid_launch",
      fmt::format("the launch of {} with grid {}, block {} and {} bytes of dynamic shared memory was refused{}: {}{}", l.kernel,
                  text(l.grid), text(l.block), l.shared_bytes, l.count > 1 ? fmt::format(" {} times", l.count) : "", l.error,
                  why.empty() ? "" : "; " + why));
}

Diagnosis diagnose_endless_kernel(double seconds, std::string_view kernel, uint64_t launches, bool waiting) {
  if (!waiting)
    return diagnosis("timeout",
                     fmt::format("the call did not come back for {:.1f} s; it had launched {} kernel{}, the last one {}, "
                                 "which may still be running",
                                 seconds, launches, launches == 1 ? "" : "s", kernel));
  return diagnosis(
      "endless_kernel",
      launches == 1
          ? fmt::format("the call did not come back: kernel {}, its only launch, still ran after {:.1f} s", kernel, seconds)
          : fmt::format("the call did not come back: the GPU was still busy after {:.1f} s; the last of {} launches was "
                        "kernel {}",
                        seconds, launches, kernel));
}

}  // namespace kbx
