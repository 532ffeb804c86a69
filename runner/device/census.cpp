// SPDX-License-Identifier: Apache-2.0
#include "device/census.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "device/cupti.h"
#include "device/launches.h"
#include "protocol/wire.h"

namespace {

using kbx::device::Cupti;
using kbx::device::Geometry;
using kbx::device::Launches;

constexpr size_t kBufferBytes = 1 << 20;
constexpr size_t kBufferAlignment = 8;  // ACTIVITY_RECORD_ALIGNMENT of CUPTI's samples
constexpr int kMaxBuffers = 64;         // beyond these, records are dropped and counted

// Lives as long as the process: CUPTI's threads may call until the very end.
struct State {
  std::mutex mutex;
  Launches launches;
  kbx::wire::StatusPage* page = nullptr;
  size_t dropped = 0;
  std::atomic<int> buffers{0};
  Cupti cupti;
  bool started = false;
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

void on_complete(CUcontext context, uint32_t stream, uint8_t* buffer, size_t, size_t valid) {
  State& s = state();
  {
    const std::lock_guard lock(s.mutex);
    CUpti_Activity* record = nullptr;
    while (valid > 0 && s.cupti.next_record(buffer, valid, &record) == CUPTI_SUCCESS) {
      if (record->kind != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL && record->kind != CUPTI_ACTIVITY_KIND_KERNEL) continue;
      // Fields up to `name` are the same in all versions of this record since CUDA 11.
      const auto* kernel = reinterpret_cast<const CUpti_ActivityKernel10*>(record);
      s.launches.ran(kernel->name != nullptr ? kernel->name : "?",
                     {kernel->end > kernel->start ? kernel->end - kernel->start : 0, kernel->streamId, kernel->registersPerThread,
                      kernel->staticSharedMemory + kernel->dynamicSharedMemory});
    }
    size_t dropped = 0;
    if (s.cupti.dropped_records(context, stream, &dropped) == CUPTI_SUCCESS) s.dropped += dropped;
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

}  // namespace

extern "C" {

int kbx_census_start(const char* path, char* error, size_t error_bytes) {
  State& s = state();
  std::string why;
  const auto refuse = [&] {
    std::snprintf(error, error_bytes, "%s", why.c_str());
    return -1;
  };
  if (s.started) return 0;
  if (!s.cupti.open(path, why)) return refuse();
  const auto done = [&](const char* what, CUptiResult result) {
    if (result != CUPTI_SUCCESS && why.empty()) why = std::string(what) + ": " + s.cupti.text(result);
    return why.empty();
  };
  CUpti_SubscriberHandle subscriber = nullptr;
  done("cuptiActivityRegisterCallbacks", s.cupti.register_buffers(on_request, on_complete));
  if (why.empty()) done("cuptiSubscribe", s.cupti.subscribe(&subscriber, on_launch, nullptr));
  if (why.empty())
    for (const CUpti_CallbackId id : kDriverLaunches)
      done("cuptiEnableCallback", s.cupti.enable_callback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, id));
  if (why.empty())
    for (const CUpti_CallbackId id : kRuntimeLaunches)
      done("cuptiEnableCallback", s.cupti.enable_callback(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API, id));
  if (why.empty()) done("cuptiActivityEnable", s.cupti.enable_activity(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
  s.started = why.empty();
  return s.started ? 0 : refuse();
}

void kbx_census_watch(void* page) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  s.page = static_cast<kbx::wire::StatusPage*>(page);
}

void kbx_census_mark(void) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  s.launches.begin_call();
  if (s.page == nullptr) return;
  s.page->launches = 0;
  s.page->kernel[0] = '\0';
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
  const std::string blame = s.launches.blame();
  std::snprintf(text, bytes, "%s", blame.c_str());
  return std::min(blame.size(), bytes > 0 ? bytes - 1 : 0);
}

}  // extern "C"
