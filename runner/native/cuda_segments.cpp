// SPDX-License-Identifier: Apache-2.0
#include "native/cuda_segments.h"

#include <cstdint>
#include <cstdlib>

#include "native/device_census.h"
#include "protocol/cuda_driver.h"

namespace kbx::runner {
namespace {

struct Device {
  CudaDriver driver;
  CUdevice device = 0;
};

Failure cuda_error(const CudaDriver& driver, CUresult result, const char* what, wire::FailedAt at) {
  return {at, "cuda error", std::string(what) + ": " + driver.text(result)};
}

bool in_use = false;

// The first of the visible devices; lives as long as the process.
const Device& device() {
  static const Device* opened = [] {
    auto* d = new Device;
    std::string error;
    if (!d->driver.open(error)) throw Failure{wire::FailedAt::unsupported, "cuda driver", error};
    if (const CUresult r = d->driver.use(0, d->device); r != CUDA_SUCCESS)
      throw cuda_error(d->driver, r, "making a context", wire::FailedAt::unsupported);
    in_use = true;
    return d;
  }();
  return *opened;
}

struct Span {
  CUevent begin = nullptr, end = nullptr;
};

// Live as long as the process.
const Span& span() {
  static const Span made = [] {
    const CudaDriver& driver = device().driver;
    Span s;
    for (CUevent* event : {&s.begin, &s.end})
      if (const CUresult r = driver.event_create(event, CU_EVENT_DEFAULT); r != CUDA_SUCCESS)
        throw cuda_error(driver, r, "making an event", wire::FailedAt::unsupported);
    return s;
  }();
  return made;
}

class DeviceMapping final : public Mapping {
 public:
  DeviceMapping(const wire::Segment& segment, int fd) : length_(segment.length) {
    const CudaDriver& driver = device().driver;
    CUmemGenericAllocationHandle memory;
    void* handle = reinterpret_cast<void*>(static_cast<intptr_t>(fd));
    CUresult r = driver.import_handle(&memory, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
    if (r != CUDA_SUCCESS) throw cuda_error(driver, r, "importing the judge's memory", wire::FailedAt::unsupported);
    r = driver.map_whole(memory, length_, device().device, segment.writable != 0, address_);
    // A driver that knows no read-only mapping: the judge compares the inputs after the call in any case.
    if (r != CUDA_SUCCESS && segment.writable == 0)
      r = driver.map_whole(memory, length_, device().device, /*writable=*/true, address_);
    driver.release(memory);  // the mapping keeps the memory
    if (r != CUDA_SUCCESS) throw cuda_error(driver, r, "mapping the judge's memory", wire::FailedAt::unsupported);
    base_ = reinterpret_cast<char*>(address_);
    // For initcheck: what the judge writes comes by another mapping, later.
    if (segment.writable != 0 && std::getenv("KBX_INITIALISE_SEGMENTS") != nullptr)
      if ((r = driver.fill(address_, 0, length_)) != CUDA_SUCCESS || (r = driver.synchronise()) != CUDA_SUCCESS)
        throw cuda_error(driver, r, "clearing the judge's memory", wire::FailedAt::unsupported);
  }
  ~DeviceMapping() override { device().driver.unmap_whole(address_, length_); }

 private:
  size_t length_;
  CUdeviceptr address_ = 0;
};

}  // namespace

std::unique_ptr<Mapping> map_device(const wire::Segment& segment, int fd) { return std::make_unique<DeviceMapping>(segment, fd); }

void synchronise_device() {
  const CudaDriver& driver = device().driver;
  note_waiting();
  const CUresult r = driver.synchronise();
  if (r == CUDA_SUCCESS) return;
  Failure failure = cuda_error(driver, r, "the kernel failed", wire::FailedAt::call);
  if (const std::string blame = blame_launches(); !blame.empty()) failure.message += "\n" + blame;
  throw failure;
}

void begin_device_span() {
  const CudaDriver& driver = device().driver;
  if (const CUresult r = driver.event_record(span().begin, CU_STREAM_LEGACY); r != CUDA_SUCCESS)
    throw cuda_error(driver, r, "recording an event", wire::FailedAt::call);
}

uint64_t end_device_span() {
  const CudaDriver& driver = device().driver;
  CUresult r = driver.event_record(span().end, CU_STREAM_LEGACY);
  synchronise_device();  // says more of a fault
  float milliseconds = 0;
  if (r == CUDA_SUCCESS) r = driver.elapsed(&milliseconds, span().begin, span().end);
  if (r != CUDA_SUCCESS) throw cuda_error(driver, r, "timing by events", wire::FailedAt::call);
  return static_cast<uint64_t>(static_cast<double>(milliseconds) * 1e6);
}

bool device_is_well() { return !in_use || device().driver.synchronise() == CUDA_SUCCESS; }

}  // namespace kbx::runner
