// SPDX-License-Identifier: Apache-2.0
#include "native/segments.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "native/cuda_segments.h"
#include "native/faults.h"

namespace kbx::runner {
namespace {

class HostMapping final : public Mapping {
 public:
  HostMapping(const wire::Segment& segment, int fd) : id_(segment.id) {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    reserved_ = segment.length + 2 * page;
    void* range = mmap(nullptr, reserved_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range == MAP_FAILED) fail();
    range_ = static_cast<char*>(range);
    const int protection = PROT_READ | (segment.writable ? PROT_WRITE : 0);
    // Populated, so that no page fault falls into a timed call.
    void* middle = mmap(range_ + page, segment.length, protection, MAP_SHARED | MAP_FIXED | MAP_POPULATE, fd,
                        static_cast<off_t>(segment.offset));
    if (middle == MAP_FAILED) {
      munmap(range_, reserved_);
      fail();
    }
    base_ = static_cast<char*>(middle);
    remember_segment(id_, base_, segment.length);
  }
  ~HostMapping() override {
    forget_segment(id_, base_);
    munmap(range_, reserved_);
  }

 private:
  [[noreturn]] static void fail() {
    throw Failure{wire::FailedAt::unsupported, "mmap", std::string("mapping shared memory: ") + std::strerror(errno)};
  }

  uint32_t id_;
  char* range_ = nullptr;
  size_t reserved_ = 0;
};

}  // namespace

std::unique_ptr<Mapping> map_host(const wire::Segment& segment, int fd) { return std::make_unique<HostMapping>(segment, fd); }

void Segments::attach(wire::Reader& reader, const std::vector<int>& descriptors) {
  const uint32_t count = reader.u32();
  for (uint32_t i = 0; i < count && !reader.bad(); ++i) {
    const wire::Segment segment = get_segment(reader);
    if (reader.bad() || segment.fd >= descriptors.size())
      throw Failure{wire::FailedAt::unsupported, "protocol", "an attach message without its descriptors"};
    mapped_.erase(segment.id);
    const int fd = descriptors[segment.fd];
    mapped_[segment.id] = segment.device == 0 ? map_host(segment, fd) : map_device(segment, fd);
    if (segment.device != 0) on_device_ = true;
  }
}

void* Segments::address(const wire::Tensor& tensor) const {
  const auto at = mapped_.find(tensor.segment);
  if (at == mapped_.end()) throw Failure{wire::FailedAt::unsupported, "protocol", "a tensor in a segment that is not attached"};
  return at->second->base() + tensor.offset;
}

wire::StatusPage* Segments::status() const {
  const auto at = mapped_.find(0);
  return at == mapped_.end() ? nullptr : reinterpret_cast<wire::StatusPage*>(at->second->base());
}

}  // namespace kbx::runner
