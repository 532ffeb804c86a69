// SPDX-License-Identifier: Apache-2.0
// What was launched and how long it ran, by kernel. Knows nothing of CUPTI. Not thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace kbx::device {

constexpr size_t kMaxName = 480;     // of a name as it is reported: templates of libraries go on for kilobytes
constexpr size_t kMaxNames = 4096;   // further kernels share one entry
constexpr size_t kLastLaunches = 8;  // kept for naming a fault
constexpr size_t kMaxFailed = 16;    // distinct failed launches of a call
constexpr size_t kMaxReported = 64;  // kernels in a report, so that it fits into one datagram

// "add(float*)" from "_Z3addPf"; other names are as they are. At most kMaxName bytes.
std::string readable(std::string_view symbol);

// CUresult and cudaError_t in words: they agree where they mean the same.
std::string error_text(int code);

struct Record {
  uint64_t nanoseconds = 0;
  uint32_t stream = 0;
  int registers = 0, shared_bytes = 0;
};

struct Geometry {
  std::array<unsigned, 3> grid{}, block{};
  unsigned shared_bytes = 0;  // dynamic
};

class Launches {
 public:
  void begin_call();
  // A launch is about to happen. The judge's poison and copies are not noted.
  void launching(std::string_view symbol);
  // The launch of that kernel was refused. Errors that an earlier fault left behind are not noted.
  void refused(std::string_view symbol, int code, const Geometry& geometry);
  // A kernel has run.
  void ran(std::string_view symbol, const Record& record);

  uint64_t launched_in_call() const { return in_call_; }
  // The last one in this call; empty if there is none.
  const std::string& last() const;
  std::string blame() const;
  // A JSON object; `dropped`: records that were lost.
  std::string json(uint64_t dropped) const;

 private:
  struct Kernel {
    std::string name;
    bool housekeeping = false;  // fills and copies: they follow addresses that torch computed
    uint64_t launches = 0, nanoseconds = 0;
    int registers = 0, shared_bytes = 0;
    std::vector<uint32_t> streams;  // distinct, a few
  };
  struct Refused {
    size_t kernel;
    int code;
    Geometry geometry;
    uint64_t count;
  };
  size_t find(std::string_view symbol);

  std::unordered_map<std::string, size_t> index_;
  std::vector<Kernel> kernels_;
  std::array<size_t, kLastLaunches> last_{};
  uint64_t launched_ = 0, in_call_ = 0;
  bool several_ = false;  // this call launched more than one kernel
  std::vector<Refused> refused_;
};

}  // namespace kbx::device
