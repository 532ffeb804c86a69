// SPDX-License-Identifier: Apache-2.0
#include "runner/cuda_arena.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/zeros.h>
#include <fmt/format.h>

#include <cstdint>

#include "core/check.h"
#include "core/descriptor.h"
#include "protocol/cuda_driver.h"
#include "runner/chunk_plan.h"
#include "runner/placement.h"

namespace kbx {
namespace {

constexpr int kReserved = 2;  // mappings of each access that an arena begins with

// The driver and one device of it, shared by all arenas of that device's process lifetime.
struct Device {
  CudaDriver driver;
  CUdevice device = 0;
  int ordinal = 0;
  size_t granularity = 0;
};

CUmemAllocationProp properties(const Device& d) {
  CUmemAllocationProp p{};
  p.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  p.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  p.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  p.location.id = d.device;
  return p;
}

class CudaArena final : public Arena {
 public:
  CudaArena(Device device, std::unique_ptr<Arena> status_page, size_t bytes)
      : device_(std::move(device)), status_page_(std::move(status_page)), bytes_(bytes), plan_(device_.granularity, bytes) {}
  ~CudaArena() override {
    for (size_t i = 0; i < memory_.size(); ++i) device_.driver.unmap_whole(memory_[i].base, plan_.length(i));
  }

  // Mappings that most calls need: a runner that maps one has a context before its first call.
  Status reserve() {
    for (const Access access : {Access::read, Access::write})
      for (int i = 0; i < kReserved; ++i)
        if (Status made = make_chunk(1, access); !made) return made;
    return Done{};
  }

  Result<Buffer> allocate(at::ScalarType dtype, at::IntArrayRef sizes, at::IntArrayRef strides, int64_t misalign,
                          Access access) override {
    KBX_CHECK_EQ(sizes.size(), strides.size());
    KBX_CHECK(misalign >= 0 && misalign < static_cast<int64_t>(ChunkPlan::kAlignment));
    const size_t bytes = span_bytes(sizes, strides, c10::elementSize(dtype));
    auto place = plan_.place(bytes, static_cast<size_t>(misalign), access);
    if (!place) {
      if (Status made = make_chunk(bytes, access); !made) return made.error();
      place = plan_.place(bytes, static_cast<size_t>(misalign), access);
      KBX_CHECK(place.has_value());
    }
    filled_ = false;
    Buffer buffer;
    buffer.tensor = view(place->chunk, place->start, sizes, strides, dtype);
    buffer.remote = {static_cast<uint32_t>(place->chunk + 1), place->start, to_wire(dtype), 1, sizes.vec(), strides.vec()};
    return buffer;
  }

  // Red zones that hold the pattern already, as the last check saw, are left alone.
  void fill_red_zones(uint8_t pattern) override {
    if (filled_ && pattern == pattern_) return;
    pattern_ = pattern;
    filled_ = true;
    for (size_t i = 0; i < plan_.size(); ++i)
      for (const auto& [begin, end] : plan_.gaps(i)) bytes_of(i, begin, end).fill_(pattern);
  }

  std::optional<Trespass> red_zones_changed() override {
    const std::vector<Zone> zones = red_zones();
    if (zones.empty() || !differ(zones).any().item<bool>()) return std::nullopt;
    filled_ = false;
    int64_t at = differ(zones).to(at::kByte).argmax().item<int64_t>();
    size_t zone = 0;
    while (at >= zones[zone].bytes.numel()) at -= zones[zone++].bytes.numel();
    return plan_.nearest(zones[zone].chunk, zones[zone].begin + static_cast<size_t>(at));
  }

  at::Tensor red_zones_differ() override {
    const std::vector<Zone> zones = red_zones();
    if (!zones.empty()) return differ(zones).any();
    return at::zeros({}, at::TensorOptions().dtype(at::kBool).device(at_device()));
  }

  void reset() override {
    plan_.reset();
    filled_ = false;
  }

  std::vector<Export> exports() const override {
    std::vector<Export> exports = status_page_->exports();
    for (size_t i = 0; i < memory_.size(); ++i) {
      const uint8_t writable = plan_.access(i) == Access::write;
      exports.push_back({{static_cast<uint32_t>(i + 1), 0, 0, plan_.length(i), 1, writable}, memory_[i].handle.get()});
    }
    return exports;
  }

  wire::StatusPage status() const override { return status_page_->status(); }

 private:
  struct Zone {
    size_t chunk, begin;  // its first byte there
    at::Tensor bytes;
  };
  std::vector<Zone> red_zones() const {
    std::vector<Zone> zones;
    for (size_t i = 0; i < plan_.size(); ++i)
      for (const auto& [begin, end] : plan_.gaps(i)) zones.push_back({i, begin, bytes_of(i, begin, end)});
    return zones;
  }
  // Each byte of all zones, one behind the other.
  at::Tensor differ(const std::vector<Zone>& zones) const {
    std::vector<at::Tensor> bytes;
    for (const Zone& zone : zones) bytes.push_back(zone.bytes);
    return at::cat(bytes).ne(pattern_);
  }

  struct Memory {
    CUdeviceptr base = 0;  // in this process, where it is writable
    Descriptor handle;
  };

  at::Device at_device() const { return {at::kCUDA, static_cast<at::DeviceIndex>(device_.ordinal)}; }
  at::Tensor view(size_t chunk, size_t start, at::IntArrayRef sizes, at::IntArrayRef strides, at::ScalarType dtype) const {
    const at::Device device = at_device();
    return at::for_blob(reinterpret_cast<void*>(memory_[chunk].base + start), sizes)
        .strides(strides)
        .options(at::TensorOptions().dtype(dtype).device(device))
        .target_device(device)
        .make_tensor();
  }
  at::Tensor bytes_of(size_t chunk, size_t begin, size_t end) const {
    return view(chunk, begin, {static_cast<int64_t>(end - begin)}, {1}, at::kByte);
  }

  // One with space for that many bytes.
  Status make_chunk(size_t bytes, Access access) {
    const auto length = plan_.wanted(bytes, access);
    if (!length)
      return Error{fmt::format("no room for {} bytes in the device memory of {} MiB", bytes, bytes_ >> 20),
                   "give the arena more memory"};
    const CudaDriver& driver = device_.driver;
    const CUmemAllocationProp p = properties(device_);
    Memory made;
    CUmemGenericAllocationHandle memory;
    CUresult r = driver.create(&memory, *length, &p, 0);
    int handle = -1;
    if (r == CUDA_SUCCESS) {
      r = driver.export_handle(&handle, memory, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0);
      if (r == CUDA_SUCCESS) r = driver.map_whole(memory, *length, device_.device, /*writable=*/true, made.base);
      driver.release(memory);  // mapping and descriptor keep the memory
    }
    made.handle = Descriptor(handle);
    if (r != CUDA_SUCCESS)
      return Error{fmt::format("{} MiB of device memory to share: {}", *length >> 20, driver.text(r)),
                   "free some memory of the GPU"};
    plan_.add(*length, access);
    memory_.push_back(std::move(made));
    return Done{};
  }

  Device device_;
  std::unique_ptr<Arena> status_page_;  // a host arena without buffers
  size_t bytes_;
  ChunkPlan plan_;
  std::vector<Memory> memory_;  // by chunk
  uint8_t pattern_ = 0;
  bool filled_ = false;
};

}  // namespace

Result<std::unique_ptr<Arena>> make_cuda_arena(int device, size_t bytes) {
  Device d;
  d.ordinal = device;
  std::string error;
  if (!d.driver.open(error)) return Error{"CUDA: " + error, "run kbx doctor"};
  CUresult r = d.driver.use(device, d.device);
  const CUmemAllocationProp p = properties(d);
  if (r == CUDA_SUCCESS) r = d.driver.granularity(&d.granularity, &p, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
  if (r != CUDA_SUCCESS) return Error{fmt::format("CUDA device {}: {}", device, d.driver.text(r)), "run kbx doctor"};
  auto status_page = make_host_arena(0);
  if (!status_page) return status_page.error();
  auto arena = std::make_unique<CudaArena>(std::move(d), std::move(*status_page), bytes);
  if (Status reserved = arena->reserve(); !reserved) return reserved.error();
  return std::unique_ptr<Arena>(std::move(arena));
}

}  // namespace kbx
