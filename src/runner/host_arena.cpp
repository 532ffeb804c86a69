// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/from_blob.h>
#include <ATen/ops/full.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/check.h"
#include "core/descriptor.h"
#include "runner/arena.h"
#include "runner/placement.h"

namespace kbx {
namespace {

constexpr size_t kAlignment = 64;

// The memfd holds the status page, then the page ranges of the buffers one behind the other.
class HostArena final : public Arena {
 public:
  HostArena(Descriptor file, char* base, size_t bytes, size_t page)
      : file_(std::move(file)), base_(base), bytes_(bytes), page_(page) {}
  ~HostArena() override { munmap(base_, bytes_); }

  bool start() {
    backed_ = 0;
    if (!back(page_)) return false;
    reset();
    return true;
  }

  Result<Buffer> allocate(at::ScalarType dtype, at::IntArrayRef sizes, at::IntArrayRef strides, int64_t misalign,
                          Access) override {
    KBX_CHECK_EQ(sizes.size(), strides.size());
    KBX_CHECK(misalign >= 0 && misalign < static_cast<int64_t>(kAlignment));
    const size_t bytes = span_bytes(sizes, strides, c10::elementSize(dtype));
    if (bytes > bytes_) return exhausted(bytes);
    const Placement at = place(bytes, static_cast<size_t>(misalign), kAlignment, page_);
    if (at.length > bytes_ - used_ || !back(used_ + at.length)) return exhausted(bytes);

    Range range{used_, at.length, used_ + at.start, used_ + at.start + bytes};
    used_ += at.length;
    ranges_.push_back(range);
    Buffer buffer;
    buffer.tensor = at::from_blob(base_ + range.start, sizes, strides, at::TensorOptions().dtype(dtype));
    buffer.remote = {static_cast<uint32_t>(ranges_.size()), at.start, to_wire(dtype), 0, sizes.vec(), strides.vec()};
    return buffer;
  }

  void fill_red_zones(uint8_t pattern) override {
    pattern_ = pattern;
    for (const Range& r : ranges_) {
      std::memset(base_ + r.offset, pattern, r.start - r.offset);
      std::memset(base_ + r.end, pattern, r.offset + r.length - r.end);
    }
  }

  std::optional<Trespass> red_zones_changed() override {
    const auto changed = [&](size_t at) { return static_cast<uint8_t>(base_[at]) != pattern_; };
    for (size_t i = 0; i < ranges_.size(); ++i) {
      const Range& r = ranges_[i];
      for (size_t at = r.end; at < r.offset + r.length; ++at)
        if (changed(at)) return Trespass{i, static_cast<int64_t>(at - r.end)};
      for (size_t at = r.start; at-- > r.offset;)
        if (changed(at)) return Trespass{i, -static_cast<int64_t>(r.start - at)};
    }
    return std::nullopt;
  }

  at::Tensor red_zones_differ() override {
    return at::full({}, red_zones_changed().has_value(), at::TensorOptions().dtype(at::kBool));
  }

  void reset() override {
    ranges_.clear();
    used_ = page_;
  }

  std::vector<Export> exports() const override {
    std::vector<Export> exports;
    exports.push_back({{0, 0, 0, page_, 0, 1}, file_.get()});
    for (size_t i = 0; i < ranges_.size(); ++i)
      exports.push_back({{static_cast<uint32_t>(i + 1), 0, ranges_[i].offset, ranges_[i].length, 0, 1}, file_.get()});
    return exports;
  }

  wire::StatusPage status() const override {
    wire::StatusPage page;
    std::memcpy(&page, base_, sizeof page);
    return page;
  }

 private:
  struct Range {
    size_t offset, length, start, end;  // page range, and the tensor's bytes within it; all from the memfd's start
  };

  // Gives the first `bytes` real memory, so that neither side can meet SIGBUS later.
  bool back(size_t bytes) {
    if (bytes <= backed_) return true;
    if (fallocate(file_.get(), 0, static_cast<off_t>(backed_), static_cast<off_t>(bytes - backed_)) != 0) return false;
    backed_ = bytes;
    return true;
  }

  Error exhausted(size_t bytes) const {
    return {fmt::format("no room for a tensor of {} bytes in the shared memory of {} MiB", bytes, bytes_ >> 20),
            "give the arena more memory"};
  }

  Descriptor file_;
  char* base_;
  size_t bytes_, page_, used_ = 0, backed_ = 0;
  uint8_t pattern_ = 0;
  std::vector<Range> ranges_;
};

}  // namespace

Result<std::unique_ptr<Arena>> make_host_arena(size_t bytes) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  bytes = (bytes + page - 1) / page * page + page;
  const auto failed = [&](const char* what) {
    return Error{fmt::format("shared memory of {} MiB: {}: {}", bytes >> 20, what, std::strerror(errno)), "free some memory"};
  };
  Descriptor file(memfd_create("kbx-arena", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file) return failed("memfd_create");
  if (ftruncate(file.get(), static_cast<off_t>(bytes)) != 0) return failed("ftruncate");
  // Sealed, also against further seals: a runner holds the same file and could otherwise pull the pages away under the judge.
  if (fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) return failed("sealing");
  void* base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (base == MAP_FAILED) return failed("mmap");
  auto arena = std::make_unique<HostArena>(std::move(file), static_cast<char*>(base), bytes, page);
  if (!arena->start()) return failed("fallocate");
  return std::unique_ptr<Arena>(std::move(arena));
}

}  // namespace kbx
