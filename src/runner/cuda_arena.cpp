// SPDX-License-Identifier: Apache-2.0
#include "runner/cuda_arena.h"

#include <ATen/ops/from_blob.h>
#include <ATen/ops/ne.h>
#include <ATen/ops/nonzero.h>
#include <ATen/ops/stack.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "core/check.h"
#include "core/descriptor.h"
#include "protocol/cuda_driver.h"
#include "runner/placement.h"

namespace kbx {
namespace {

constexpr size_t kAlignment = 256;
constexpr size_t kRedZone = 4096;          // between two buffers, at least
constexpr size_t kChunkBytes = 64u << 20;  // larger buffers get an allocation of their own

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

// One exported allocation, carved from its end downwards.
struct Chunk {
  const Device* device = nullptr;
  CUdeviceptr base = 0;
  size_t length = 0, free = 0;  // bytes [0, free) are unused
  Descriptor handle;
  struct Range {
    size_t buffer, start, end;
  };
  std::vector<Range> ranges;  // descending
};

class CudaArena final : public Arena {
 public:
  CudaArena(Device device, std::unique_ptr<Arena> status_page, size_t bytes)
      : device_(std::move(device)), status_page_(std::move(status_page)), bytes_(bytes) {}
  ~CudaArena() override {
    for (const Chunk& c : chunks_) {
      device_.driver.unmap(c.base, c.length);
      device_.driver.unreserve(c.base, c.length);
    }
  }

  Result<Buffer> allocate(at::ScalarType dtype, at::IntArrayRef sizes, at::IntArrayRef strides, int64_t misalign) override {
    KBX_CHECK_EQ(sizes.size(), strides.size());
    KBX_CHECK(misalign >= 0 && misalign < static_cast<int64_t>(kAlignment));
    const size_t bytes = span_bytes(sizes, strides, c10::elementSize(dtype));
    auto chunk = chunk_for(bytes + kAlignment);
    if (!chunk) return chunk.error();
    Chunk& c = chunks_[*chunk];
    const size_t start =
        (c.free - bytes - static_cast<size_t>(misalign)) / kAlignment * kAlignment + static_cast<size_t>(misalign);
    c.ranges.push_back({buffers_++, start, start + bytes});
    c.free = start > kRedZone ? start - kRedZone : 0;
    Buffer buffer;
    buffer.tensor = view(c, start, sizes, strides, dtype);
    buffer.remote = {static_cast<uint32_t>(*chunk + 1), start, to_wire(dtype), 1, sizes.vec(), strides.vec()};
    return buffer;
  }

  void fill_red_zones(uint8_t pattern) override {
    pattern_ = pattern;
    for (const Chunk& c : chunks_)
      for (const auto& [begin, end] : gaps(c)) bytes_of(c, begin, end).fill_(pattern);
  }

  std::optional<Trespass> red_zones_changed() override {
    std::vector<at::Tensor> flags;
    std::vector<std::pair<size_t, std::pair<size_t, size_t>>> where;
    for (size_t i = 0; i < chunks_.size(); ++i)
      for (const auto& gap : gaps(chunks_[i])) {
        flags.push_back(at::ne(bytes_of(chunks_[i], gap.first, gap.second), pattern_).any());
        where.emplace_back(i, gap);
      }
    if (flags.empty()) return std::nullopt;
    const at::Tensor changed = at::stack(flags).nonzero().cpu();
    if (changed.numel() == 0) return std::nullopt;
    const auto& [chunk, gap] = where[static_cast<size_t>(changed.flatten()[0].item<int64_t>())];
    const at::Tensor at = at::ne(bytes_of(chunks_[chunk], gap.first, gap.second), pattern_).nonzero().flatten().cpu();
    return nearest(chunks_[chunk], gap.first + static_cast<size_t>(at[0].item<int64_t>()));
  }

  void reset() override {
    for (Chunk& c : chunks_) {
      c.ranges.clear();
      c.free = c.length;
    }
    buffers_ = 0;
  }

  std::vector<Export> exports() const override {
    std::vector<Export> exports = status_page_->exports();
    for (size_t i = 0; i < chunks_.size(); ++i)
      exports.push_back({{static_cast<uint32_t>(i + 1), 0, 0, chunks_[i].length, 1, 1}, chunks_[i].handle.get()});
    return exports;
  }

  wire::StatusPage status() const override { return status_page_->status(); }

 private:
  using Gap = std::pair<size_t, size_t>;

  at::Tensor view(const Chunk& c, size_t start, at::IntArrayRef sizes, at::IntArrayRef strides, at::ScalarType dtype) const {
    const at::Device device(at::kCUDA, static_cast<at::DeviceIndex>(device_.ordinal));
    return at::for_blob(reinterpret_cast<void*>(c.base + start), sizes)
        .strides(strides)
        .options(at::TensorOptions().dtype(dtype).device(device))
        .target_device(device)
        .make_tensor();
  }
  at::Tensor bytes_of(const Chunk& c, size_t begin, size_t end) const {
    return view(c, begin, {static_cast<int64_t>(end - begin)}, {1}, at::kByte);
  }

  // The bytes of the used part that belong to no tensor, ascending.
  static std::vector<Gap> gaps(const Chunk& c) {
    std::vector<Gap> gaps;
    if (c.ranges.empty()) return gaps;
    size_t begin = c.free;
    for (auto r = c.ranges.rbegin(); r != c.ranges.rend(); ++r) {
      if (r->start > begin) gaps.emplace_back(begin, r->start);
      begin = r->end;
    }
    if (c.length > begin) gaps.emplace_back(begin, c.length);
    return gaps;
  }

  static Trespass nearest(const Chunk& c, size_t at) {
    Trespass best{0, INT64_MAX};
    for (const Chunk::Range& r : c.ranges) {
      const int64_t distance = at >= r.end ? static_cast<int64_t>(at - r.end) : -static_cast<int64_t>(r.start - at);
      if (std::abs(distance) < std::abs(best.distance)) best = {r.buffer, distance};
    }
    return best;
  }

  // Index of a chunk with that much space; made if there is none.
  Result<size_t> chunk_for(size_t bytes) {
    for (size_t i = 0; i < chunks_.size(); ++i)
      if (chunks_[i].free >= bytes) return i;
    const size_t wanted = std::max(bytes, std::min(kChunkBytes, bytes_));
    const size_t length = (wanted + device_.granularity - 1) / device_.granularity * device_.granularity;
    if (used_ + length > std::max(bytes_, device_.granularity))
      return Error{fmt::format("no room for {} bytes in the device memory of {} MiB", bytes, bytes_ >> 20),
                   "give the arena more memory"};
    Chunk c;
    c.length = c.free = length;
    const CudaDriver& driver = device_.driver;
    const CUmemAllocationProp p = properties(device_);
    CUmemGenericAllocationHandle memory;
    CUresult r = driver.create(&memory, length, &p, 0);
    int handle = -1;
    if (r == CUDA_SUCCESS) {
      r = driver.export_handle(&handle, memory, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0);
      if (r == CUDA_SUCCESS) r = driver.map_whole(memory, length, device_.device, /*writable=*/true, c.base);
      driver.release(memory);  // mapping and descriptor keep the memory
    }
    c.handle = Descriptor(handle);
    if (r != CUDA_SUCCESS)
      return Error{fmt::format("{} MiB of device memory to share: {}", length >> 20, driver.text(r)),
                   "free some memory of the GPU"};
    used_ += length;
    chunks_.push_back(std::move(c));
    return chunks_.size() - 1;
  }

  Device device_;
  std::unique_ptr<Arena> status_page_;  // a host arena without buffers
  size_t bytes_, used_ = 0, buffers_ = 0;
  uint8_t pattern_ = 0;
  std::vector<Chunk> chunks_;
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
  return std::unique_ptr<Arena>(std::make_unique<CudaArena>(std::move(d), std::move(*status_page), bytes));
}

}  // namespace kbx
