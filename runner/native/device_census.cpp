// SPDX-License-Identifier: Apache-2.0
#include "native/device_census.h"

#include <dlfcn.h>

#include <type_traits>

#include "device/census.h"
#include "native/segments.h"

namespace kbx::runner {
namespace {

constexpr uint32_t kWaiting = 4;  // wire::StatusPage::state
constexpr size_t kMaxReport = 56 * 1024;

struct Census {
  decltype(&::kbx_census_start) start = nullptr;
  decltype(&::kbx_census_watch) watch = nullptr;
  decltype(&::kbx_census_mark) mark = nullptr;
  decltype(&::kbx_census_collect) collect = nullptr;
  decltype(&::kbx_census_blame) blame = nullptr;
  decltype(&::kbx_census_pause) pause = nullptr;
  decltype(&::kbx_census_resume) resume = nullptr;
  decltype(&::kbx_census_trace_begin) trace_begin = nullptr;
  decltype(&::kbx_census_trace_call) trace_call = nullptr;
  decltype(&::kbx_census_trace_end) trace_end = nullptr;
  std::string cupti, why;
  bool running = false;
  wire::StatusPage* page = nullptr;
};
Census census;

Failure untraced(const std::string& why) { return {wire::FailedAt::unsupported, "cupti", why}; }

}  // namespace

void open_device_census(const std::string& path, const std::string& cupti) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    census.why = dlerror();
    return;
  }
  const auto find = [&](const char* name, auto& function) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    if (function == nullptr) census.why = std::string("the census library has no ") + name;
  };
  find("kbx_census_start", census.start);
  find("kbx_census_watch", census.watch);
  find("kbx_census_mark", census.mark);
  find("kbx_census_collect", census.collect);
  find("kbx_census_blame", census.blame);
  find("kbx_census_pause", census.pause);
  find("kbx_census_resume", census.resume);
  find("kbx_census_trace_begin", census.trace_begin);
  find("kbx_census_trace_call", census.trace_call);
  find("kbx_census_trace_end", census.trace_end);
  census.cupti = cupti;
}

void start_device_census(wire::StatusPage* page) {
  census.page = page;
  if (census.start == nullptr || !census.why.empty()) return;
  char error[512] = "";
  census.running = census.start(census.cupti.c_str(), error, sizeof error) == 0;
  if (!census.running) census.why = error;
  if (census.running) census.watch(page);
}

void mark_launches() {
  if (census.running) census.mark();
}

void watch_launches(bool on) {
  if (!census.running) return;
  if (on)
    census.resume();
  else
    census.pause();
}

void begin_trace() {
  if (!census.running) throw untraced(census.why.empty() ? "no census library was named" : census.why);
  char error[512] = "";
  if (census.trace_begin(error, sizeof error) != 0) throw untraced(error);
}

void trace_call() { census.trace_call(); }

std::vector<uint64_t> end_trace(size_t calls) {
  std::vector<uint64_t> nanoseconds(calls);
  char error[512] = "";
  if (census.trace_end(nanoseconds.data(), calls, error, sizeof error) != 0) throw untraced(error);
  return nanoseconds;
}

void note_waiting() {
  if (census.page != nullptr) census.page->state = kWaiting;
}

std::string blame_launches() {
  if (!census.running) return census.why.empty() ? "" : "which kernel it was is not known: " + census.why;
  char text[8192] = "";
  census.blame(text, sizeof text);
  return text;
}

std::string device_report(bool flush) {
  if (!census.running) return "{}";
  std::string text(kMaxReport, '\0');
  const size_t size = census.collect(flush, text.data(), text.size());
  if (size > text.size()) return "{}";
  text.resize(size);
  return text;
}

const std::string& why_unseen() { return census.why; }

}  // namespace kbx::runner
