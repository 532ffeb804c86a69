// SPDX-License-Identifier: Apache-2.0
#include "device/census.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <vector>

#include "device/busy.h"
#include "device/cupti.h"
#include "device/launches.h"
#include "protocol/wire.h"

namespace {

using kbx::device::Cupti;
using kbx::device::Geometry;
using kbx::device::Interval;
using kbx::device::Launches;

constexpr size_t kBufferBytes = 1 << 20;
constexpr size_t kBufferAlignment = 8;  // ACTIVITY_RECORD_ALIGNMENT of CUPTI's samples
constexpr int kMaxBuffers = 64;         // beyond these, records are dropped and counted
constexpr size_t kMaxMarks = 1 << 16;   // of a trace: more calls than a message can name
constexpr size_t kMaxIntervals = 1 << 20;

// The calls of one trace, and what ran meanwhile.
struct Trace {
  bool on = false;
  std::vector<uint64_t> marks;
  std::vector<Interval> intervals;
  uint64_t lost = 0;

  void add(uint64_t start, uint64_t end) {
    if (!on) return;
    // 0 is what CUPTI says where it does not know.
    if (start == 0 || end < start || intervals.size() == kMaxIntervals)
      ++lost;
    else
      intervals.push_back({start, end});
  }
};

// Lives as long as the process: CUPTI's threads may call until the very end.
struct State {
  std::mutex mutex;
  Launches launches;
  kbx::wire::StatusPage* page = nullptr;
  size_t dropped = 0;
  std::atomic<int> buffers{0};
  Trace trace;
  Cupti cupti;
  CUpti_SubscriberHandle subscriber = nullptr;
  bool started = false;
  // Held while CUPTI is switched, which may hand out records: never within `mutex`.
  std::mutex switching;
  std::atomic<bool> recording{false};
  bool recording_copies = false;
};
State& state() {
  static State* made = new State;
  return *made;
}

void on_request(uint8_t** buffer, size_t* size, size_t* max_records) {
  *max_records = 0;
  *size = 0;
  *buffer = nullptr;
  State& s = state();
  if (s.buffers.fetch_add(1) < kMaxBuffers) *buffer = static_cast<uint8_t*>(std::aligned_alloc(kBufferAlignment, kBufferBytes));
  if (*buffer != nullptr)
    *size = kBufferBytes;
  else
    s.buffers.fetch_sub(1);
}

// The fields read here, up to a kernel's `name`, are the same in all versions of these records since CUDA 11.
void note(State& s, const CUpti_Activity* record) {
  switch (record->kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
    case CUPTI_ACTIVITY_KIND_KERNEL: {
      const auto* kernel = reinterpret_cast<const CUpti_ActivityKernel10*>(record);
      s.launches.ran(kernel->name != nullptr ? kernel->name : "?",
                     {kernel->end > kernel->start ? kernel->end - kernel->start : 0, kernel->streamId, kernel->registersPerThread,
                      kernel->staticSharedMemory + kernel->dynamicSharedMemory});
      return s.trace.add(kernel->start, kernel->end);
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY: {
      const auto* copy = reinterpret_cast<const CUpti_ActivityMemcpy6*>(record);
      return s.trace.add(copy->start, copy->end);
    }
    case CUPTI_ACTIVITY_KIND_MEMSET: {
      const auto* fill = reinterpret_cast<const CUpti_ActivityMemset4*>(record);
      return s.trace.add(fill->start, fill->end);
    }
    default:
      return;
  }
}

void on_complete(CUcontext context, uint32_t stream, uint8_t* buffer, size_t, size_t valid) {
  State& s = state();
  {
    const std::lock_guard lock(s.mutex);
    CUpti_Activity* record = nullptr;
    while (valid > 0 && s.cupti.next_record(buffer, valid, &record) == CUPTI_SUCCESS) note(s, record);
    size_t dropped = 0;
    if (s.cupti.dropped_records(context, stream, &dropped) == CUPTI_SUCCESS) {
      s.dropped += dropped;
      s.trace.lost += dropped;
    }
  }
  std::free(buffer);
  s.buffers.fetch_sub(1);
}

template <typename Params>
Geometry of_driver(const void* params) {
  const auto* p = static_cast<const Params*>(params);
  return {{p->gridDimX, p->gridDimY, p->gridDimZ}, {p->blockDimX, p->blockDimY, p->blockDimZ}, p->sharedMemBytes};
}

Geometry driver_geometry(CUpti_CallbackId id, const void* params) {
  switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz:
      return of_driver<cuLaunchKernel_params>(params);
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz:
      return of_driver<cuLaunchCooperativeKernel_params>(params);
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz:
      if (const CUlaunchConfig* config = static_cast<const cuLaunchKernelEx_params*>(params)->config)
        return of_driver<CUlaunchConfig>(config);
      return {};
    default:
      return {};
  }
}

Geometry runtime_geometry(CUpti_CallbackId id, const void* params) {
  const auto from = [](dim3 grid, dim3 block, size_t shared) -> Geometry {
    return {{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, static_cast<unsigned>(shared)};
  };
  switch (id) {
    case CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000:
    case CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_ptsz_v7000:
    // What nvcc 13 compiles <<<>>> to: a kernel's handle in place of the function, the rest alike (crt/host_runtime.h).
    case CUPTI_RUNTIME_TRACE_CBID___cudaLaunchKernel_v13000:
    case CUPTI_RUNTIME_TRACE_CBID___cudaLaunchKernel_ptsz_v13000: {
      const auto* p = static_cast<const cudaLaunchKernel_v7000_params*>(params);
      return from(p->gridDim, p->blockDim, p->sharedMem);
    }
    case CUPTI_RUNTIME_TRACE_CBID_cudaLaunchCooperativeKernel_v9000:
    case CUPTI_RUNTIME_TRACE_CBID_cudaLaunchCooperativeKernel_ptsz_v9000: {
      const auto* p = static_cast<const cudaLaunchCooperativeKernel_v9000_params*>(params);
      return from(p->gridDim, p->blockDim, p->sharedMem);
    }
    case CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_v11060:
    case CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_ptsz_v11060:
      if (const cudaLaunchConfig_t* c = static_cast<const cudaLaunchKernelExC_v11060_params*>(params)->config)
        return from(c->gridDim, c->blockDim, c->dynamicSmemBytes);
      return {};
    default:
      return {};
  }
}

constexpr CUpti_CallbackId kDriverLaunches[] = {
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch,
    CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz,
};
// What the runtime refuses by itself never reaches the driver.
constexpr CUpti_CallbackId kRuntimeLaunches[] = {
    CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000,
    CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_ptsz_v7000,
    CUPTI_RUNTIME_TRACE_CBID___cudaLaunchKernel_v13000,
    CUPTI_RUNTIME_TRACE_CBID___cudaLaunchKernel_ptsz_v13000,
    CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_v11060,
    CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_ptsz_v11060,
    CUPTI_RUNTIME_TRACE_CBID_cudaLaunchCooperativeKernel_v9000,
    CUPTI_RUNTIME_TRACE_CBID_cudaLaunchCooperativeKernel_ptsz_v9000,
    CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_v10000,
    CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_ptsz_v10000,
};

// A launch through the runtime is seen twice, the driver's part within it.
thread_local bool in_runtime = false, refused_by_driver = false;

void on_launch(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* raw) {
  const auto* data = static_cast<const CUpti_CallbackData*>(raw);
  const bool runtime = domain == CUPTI_CB_DOMAIN_RUNTIME_API;
  const std::string_view symbol = data->symbolName != nullptr ? data->symbolName : "";
  State& s = state();
  if (data->callbackSite == CUPTI_API_ENTER) {
    if (!runtime && in_runtime) return;
    in_runtime = runtime;
    refused_by_driver = false;
    const std::lock_guard lock(s.mutex);
    s.launches.launching(symbol);
    if (s.page == nullptr) return;
    std::snprintf(s.page->kernel, sizeof s.page->kernel, "%s", s.launches.last().c_str());
    s.page->launches = s.launches.launched_in_call();
    return;
  }
  if (runtime) in_runtime = false;
  // Both a CUresult and a cudaError_t are an int.
  const int code = data->functionReturnValue != nullptr ? *static_cast<const int*>(data->functionReturnValue) : 0;
  if (code == 0 || (runtime && refused_by_driver)) return;
  refused_by_driver = true;
  const std::lock_guard lock(s.mutex);
  s.launches.refused(symbol, code,
                     runtime ? runtime_geometry(id, data->functionParams) : driver_geometry(id, data->functionParams));
}

size_t give(const std::string& text, char* out, size_t bytes) {
  if (text.size() <= bytes) std::memcpy(out, text.data(), text.size());
  return text.size();
}

int refuse(const std::string& why, char* error, size_t error_bytes) {
  std::snprintf(error, error_bytes, "%s", why.c_str());
  return -1;
}

// The first failure of several calls of CUPTI.
struct Attempt {
  const Cupti& cupti;
  std::string why;
  void operator()(const char* what, CUptiResult result) {
    if (result != CUPTI_SUCCESS && why.empty()) why = std::string(what) + ": " + cupti.text(result);
  }
};

void switch_activity(State& s, bool on, CUpti_ActivityKind kind, Attempt& attempt) {
  if (on)
    attempt("cuptiActivityEnable", s.cupti.enable_activity(kind));
  else
    attempt("cuptiActivityDisable", s.cupti.disable_activity(kind));
}

// Launches and kernels. REQUIRES: `switching` is held.
void record(State& s, bool on, Attempt& attempt) {
  if (s.recording == on) return;
  for (const CUpti_CallbackId id : kDriverLaunches)
    attempt("cuptiEnableCallback", s.cupti.enable_callback(on, s.subscriber, CUPTI_CB_DOMAIN_DRIVER_API, id));
  for (const CUpti_CallbackId id : kRuntimeLaunches)
    attempt("cuptiEnableCallback", s.cupti.enable_callback(on, s.subscriber, CUPTI_CB_DOMAIN_RUNTIME_API, id));
  switch_activity(s, on, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, attempt);
  s.recording = on && attempt.why.empty();
}

// REQUIRES: `switching` is held.
void record_copies(State& s, bool on, Attempt& attempt) {
  if (s.recording_copies == on) return;
  switch_activity(s, on, CUPTI_ACTIVITY_KIND_MEMCPY, attempt);
  switch_activity(s, on, CUPTI_ACTIVITY_KIND_MEMSET, attempt);
  s.recording_copies = on && attempt.why.empty();
}

// REQUIRES: `mutex` is held.
void begin_call(State& s) {
  s.launches.begin_call();
  if (s.page == nullptr) return;
  s.page->launches = 0;
  s.page->kernel[0] = '\0';
}

}  // namespace

extern "C" {

int kbx_census_start(const char* path, char* error, size_t error_bytes) {
  State& s = state();
  const std::lock_guard lock(s.switching);
  if (s.started) return 0;
  std::string why;
  if (!s.cupti.open(path, why)) return refuse(why, error, error_bytes);
  Attempt attempt{s.cupti, ""};
  attempt("cuptiActivityRegisterCallbacks", s.cupti.register_buffers(on_request, on_complete));
  if (attempt.why.empty()) attempt("cuptiSubscribe", s.cupti.subscribe(&s.subscriber, on_launch, nullptr));
  if (attempt.why.empty()) record(s, true, attempt);
  s.started = attempt.why.empty();
  return s.started ? 0 : refuse(attempt.why, error, error_bytes);
}

void kbx_census_watch(void* page) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  s.page = static_cast<kbx::wire::StatusPage*>(page);
}

void kbx_census_mark(void) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  begin_call(s);
}

size_t kbx_census_collect(int flush, char* json, size_t bytes) {
  State& s = state();
  if (flush && s.started) s.cupti.flush_all(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  const std::lock_guard lock(s.mutex);
  return give(s.launches.json(s.dropped), json, bytes);
}

size_t kbx_census_blame(char* text, size_t bytes) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  const std::string blame = s.recording ? s.launches.blame() : "in which kernel is not known: these calls were not watched";
  std::snprintf(text, bytes, "%s", blame.c_str());
  return std::min(blame.size(), bytes > 0 ? bytes - 1 : 0);
}

void kbx_census_pause(void) {
  State& s = state();
  const std::lock_guard lock(s.switching);
  if (!s.started) return;
  Attempt attempt{s.cupti, ""};
  record(s, false, attempt);
  record_copies(s, false, attempt);
  const std::lock_guard records(s.mutex);
  begin_call(s);  // what the page says of an earlier call is over
}

void kbx_census_resume(void) {
  State& s = state();
  const std::lock_guard lock(s.switching);
  if (!s.started) return;
  Attempt attempt{s.cupti, ""};
  record(s, true, attempt);
}

int kbx_census_trace_begin(char* error, size_t error_bytes) {
  State& s = state();
  const std::lock_guard lock(s.switching);
  if (!s.started) return refuse("the census was not started", error, error_bytes);
  Attempt attempt{s.cupti, ""};
  record(s, true, attempt);
  record_copies(s, true, attempt);
  attempt("cuptiActivityFlushAll", s.cupti.flush_all(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED));  // of what ran before
  if (!attempt.why.empty()) return refuse(attempt.why, error, error_bytes);
  const std::lock_guard records(s.mutex);
  s.trace = {};
  s.trace.on = true;
  return 0;
}

void kbx_census_trace_call(void) {
  State& s = state();
  uint64_t now = 0;
  if (!s.started || s.cupti.timestamp(&now) != CUPTI_SUCCESS) return;
  const std::lock_guard lock(s.mutex);
  if (!s.trace.on || s.trace.marks.size() == kMaxMarks) return;
  begin_call(s);
  s.trace.marks.push_back(now);
}

int kbx_census_trace_end(uint64_t* ns, size_t calls, char* error, size_t error_bytes) {
  State& s = state();
  if (s.started) s.cupti.flush_all(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  Trace trace;
  {
    const std::lock_guard lock(s.mutex);
    std::swap(trace, s.trace);
  }
  if (trace.lost > 0) return refuse(std::to_string(trace.lost) + " records were lost", error, error_bytes);
  if (!trace.on || trace.marks.size() != calls) return refuse("not all calls were marked", error, error_bytes);
  const std::vector<uint64_t> busy = kbx::device::busy_times(std::move(trace.intervals), trace.marks);
  std::copy(busy.begin(), busy.end(), ns);
  return 0;
}

}  // extern "C"
