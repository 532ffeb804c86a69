// SPDX-License-Identifier: Apache-2.0
#include "device/launches.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>

namespace kbx::device {
namespace {

constexpr size_t kMaxStreams = 8;
constexpr const char* kOthers = "(other kernels)";

// CUresult, cuda.h: what corrupts a context is returned by every later call too.
bool is_sticky(int code) {
  constexpr std::array kSticky = {700, 702, 709, 710, 714, 715, 716, 717, 718, 719};
  return std::find(kSticky.begin(), kSticky.end(), code) != kSticky.end();
}

// Of a name, as a sentence can take it.
std::string brief(const std::string& name) {
  constexpr size_t kMost = 120;
  return name.size() <= kMost ? name : name.substr(0, kMost - 3) + "...";
}

std::string counted(uint64_t n, const char* one, const char* many) { return std::to_string(n) + " " + (n == 1 ? one : many); }

std::string text(const std::array<unsigned, 3>& d) {
  return "(" + std::to_string(d[0]) + ", " + std::to_string(d[1]) + ", " + std::to_string(d[2]) + ")";
}

}  // namespace

std::string readable(std::string_view symbol) {
  std::string name(symbol);
  if (symbol.starts_with("_Z")) {
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> plain(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                            &std::free);
    if (status == 0) name = plain.get();
  }
  if (name.size() > kMaxName) name = name.substr(0, kMaxName - 3) + "...";
  return name;
}

std::string error_text(int code) {
  switch (code) {
    case 1:
      return "invalid argument";
    case 2:
      return "out of memory";
    case 9:
      return "invalid configuration argument";
    case 98:
      return "invalid device function";
    case 200:
      return "device kernel image is invalid";
    case 209:
      return "no kernel image is available for execution on the device";
    case 400:
      return "invalid resource handle";
    case 700:
      return "an illegal memory access was encountered";
    case 701:
      return "too many resources requested for launch";
    case 719:
      return "unspecified launch failure";
    case 720:
      return "too many blocks in cooperative launch";
    default:
      return "error " + std::to_string(code);
  }
}

size_t Launches::find(std::string_view symbol) {
  std::string key(symbol.empty() ? "(a CUDA graph)" : symbol);
  if (const auto at = index_.find(key); at != index_.end()) return at->second;
  const bool full = kernels_.size() >= kMaxNames;
  if (full && kernels_.back().name == kOthers) return kernels_.size() - 1;
  Kernel kernel;
  kernel.name = full ? kOthers : readable(key);
  // Names of ATen's kernels, CUDAFunctors and Copy.cu of torch.
  kernel.housekeeping =
      kernel.name.find("FillFunctor") != std::string::npos || kernel.name.find("copy_kernel_cuda") != std::string::npos;
  kernels_.push_back(std::move(kernel));
  if (!full) index_.emplace(std::move(key), kernels_.size() - 1);
  return kernels_.size() - 1;
}

void Launches::begin_call() {
  in_call_ = 0;
  several_ = false;
  refused_.clear();
}

void Launches::launching(std::string_view symbol) {
  const size_t kernel = find(symbol);
  if (kernels_[kernel].housekeeping) return;
  if (in_call_ > 0 && last_[(in_call_ - 1) % kLastLaunches] != kernel) several_ = true;
  last_[in_call_ % kLastLaunches] = kernel;
  ++in_call_;
  ++launched_;
}

void Launches::refused(std::string_view symbol, int code, const Geometry& geometry) {
  if (is_sticky(code)) return;
  const size_t kernel = find(symbol);
  for (Refused& r : refused_)
    if (r.kernel == kernel && r.code == code) {
      ++r.count;
      return;
    }
  if (refused_.size() < kMaxFailed) refused_.push_back({kernel, code, geometry, 1});
}

void Launches::ran(std::string_view symbol, const Record& record) {
  Kernel& kernel = kernels_[find(symbol)];
  ++kernel.launches;
  kernel.nanoseconds += record.nanoseconds;
  kernel.registers = std::max(kernel.registers, record.registers);
  kernel.shared_bytes = std::max(kernel.shared_bytes, record.shared_bytes);
  auto& streams = kernel.streams;
  if (streams.size() < kMaxStreams && std::find(streams.begin(), streams.end(), record.stream) == streams.end())
    streams.push_back(record.stream);
}

const std::string& Launches::last() const {
  static const std::string none;
  return in_call_ == 0 ? none : kernels_[last_[(in_call_ - 1) % kLastLaunches]].name;
}

std::string Launches::blame() const {
  std::string refused;
  for (const Refused& r : refused_)
    refused += "; the launch of " + brief(kernels_[r.kernel].name) + " with grid " + text(r.geometry.grid) + ", block " +
               text(r.geometry.block) + " and " + counted(r.geometry.shared_bytes, "byte", "bytes") +
               " of dynamic shared memory was refused: " + error_text(r.code);
  if (in_call_ == 0) return "no kernel was launched in this call" + refused;
  if (!several_)
    return "in kernel " + brief(last()) + ", the only one launched in this call" +
           (in_call_ > 1 ? " (" + std::to_string(in_call_) + " launches)" : "") + refused;
  const uint64_t shown = std::min<uint64_t>(in_call_, kLastLaunches);
  std::string names;
  for (uint64_t i = in_call_ - shown; i < in_call_; ++i)
    names += (names.empty() ? "" : ", ") + brief(kernels_[last_[i % kLastLaunches]].name);
  if (shown == in_call_)
    return "in one of the " + std::to_string(shown) + " kernels launched in this call, in this order: " + names + refused;
  return "in one of the " + std::to_string(in_call_) +
         " kernels launched in this call, of which the last are, in this order: " + names + refused;
}

std::string Launches::json(uint64_t dropped) const {
  std::vector<const Kernel*> ran;
  for (const Kernel& k : kernels_)
    if (k.launches > 0) ran.push_back(&k);
  std::sort(ran.begin(), ran.end(), [](const Kernel* a, const Kernel* b) { return a->nanoseconds > b->nanoseconds; });
  Kernel rest;
  for (size_t i = kMaxReported; i < ran.size(); ++i) {
    rest.launches += ran[i]->launches;
    rest.nanoseconds += ran[i]->nanoseconds;
  }
  if (ran.size() > kMaxReported) {
    rest.name = kOthers;
    ran.resize(kMaxReported);
    ran.push_back(&rest);
  }
  nlohmann::json out{{"launched", launched_},
                     {"dropped", dropped},
                     {"kernels", nlohmann::json::array()},
                     {"failed_launches", nlohmann::json::array()}};
  for (const Kernel* k : ran)
    out["kernels"].push_back({{"name", k->name},
                              {"launches", k->launches},
                              {"nanoseconds", k->nanoseconds},
                              {"registers", k->registers},
                              {"shared", k->shared_bytes},
                              {"streams", k->streams.size()}});
  for (const Refused& r : refused_)
    out["failed_launches"].push_back({{"name", kernels_[r.kernel].name},
                                      {"code", r.code},
                                      {"error", error_text(r.code)},
                                      {"grid", r.geometry.grid},
                                      {"block", r.geometry.block},
                                      {"shared", r.geometry.shared_bytes},
                                      {"count", r.count}});
  return out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace kbx::device
