// SPDX-License-Identifier: Apache-2.0
#include "runner/handover.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>
#include <string_view>

namespace kbx {
namespace {

constexpr size_t kMaxName = 255;  // NAME_MAX

Error failed(const char* what) {
  return Error{fmt::format("handing over files: {}: {}", what, std::strerror(errno)), "free some memory"};
}

bool is_name(std::string_view name) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
  };
  return !name.empty() && name.size() <= kMaxName && name.front() != '.' && std::all_of(name.begin(), name.end(), plain);
}

bool is_cache_path(std::string_view path) {
  const size_t slash = path.find('/');
  return slash != std::string_view::npos && is_name(path.substr(0, slash)) && is_name(path.substr(slash + 1));
}

}  // namespace

Result<Descriptor> sealed_memory(const std::vector<RunnerFile>& files) {
  Descriptor memory(memfd_create("kbx-files", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!memory) return failed("memfd_create");
  for (const RunnerFile& file : files)
    for (size_t done = 0; done < file.bytes.size();) {
      const ssize_t size = write(memory.get(), file.bytes.data() + done, file.bytes.size() - done);
      if (size < 0) return failed("write");
      done += static_cast<size_t>(size);
    }
  if (fcntl(memory.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) return failed("sealing");
  return memory;
}

Result<Descriptor> harvest_memory() {
  Descriptor memory(memfd_create("kbx-harvest", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!memory) return failed("memfd_create");
  if (ftruncate(memory.get(), static_cast<off_t>(kMaxHarvest)) != 0) return failed("ftruncate");
  if (fcntl(memory.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) return failed("sealing");
  return memory;
}

std::optional<std::vector<RunnerFile>> read_harvest(int memory, const std::vector<HarvestEntry>& entries) {
  std::vector<RunnerFile> files;
  std::set<std::string_view> seen;
  uint64_t offset = 0;
  for (const HarvestEntry& entry : entries) {
    if (!is_cache_path(entry.path) || !seen.insert(entry.path).second || entry.size > kMaxHarvest - offset) return std::nullopt;
    RunnerFile file{entry.path, std::string(entry.size, '\0')};
    for (size_t done = 0; done < entry.size;) {
      const ssize_t size = pread(memory, file.bytes.data() + done, entry.size - done, static_cast<off_t>(offset + done));
      if (size < 0 && errno == EINTR) continue;
      if (size <= 0) return std::nullopt;
      done += static_cast<size_t>(size);
    }
    offset += entry.size;
    files.push_back(std::move(file));
  }
  return files;
}

}  // namespace kbx
