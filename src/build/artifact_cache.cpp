// SPDX-License-Identifier: Apache-2.0
#include "build/artifact_cache.h"

#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "core/files.h"

namespace kbx {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMaxLogBytes = 1 << 20, kRoomForALibrary = 16 << 20;

Error not_writable(const fs::path& folder, const std::string& why) {
  return {"cannot write the cache " + folder.string() + ": " + why, "set XDG_CACHE_HOME to a folder that you may write"};
}

// Builds whose process was killed leave their folder.
void remove_abandoned(const fs::path& folder) {
  std::error_code ignored;
  const auto yesterday = fs::file_time_type::clock::now() - std::chrono::hours(24);
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    if (entry.path().filename().string().starts_with("work-") && entry.last_write_time(ignored) < yesterday)
      fs::remove_all(entry.path(), ignored);
}

}  // namespace

Result<ArtifactCache> ArtifactCache::open(const fs::path& cache) {
  const fs::path folder = cache / "artifacts";
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) return not_writable(folder, failed.message());
  if (access(folder.c_str(), W_OK | X_OK) != 0) return not_writable(folder, std::strerror(errno));
  static std::once_flag once;
  std::call_once(once, remove_abandoned, folder);
  return ArtifactCache(folder);
}

std::optional<ArtifactCache::Entry> ArtifactCache::find(const std::string& key) const {
  const fs::path library = folder_ / (key + ".so");
  std::error_code ignored;
  if (!fs::is_regular_file(library, ignored)) return std::nullopt;
  Result<std::string> log = read_file(folder_ / (key + ".log"), kMaxLogBytes);
  return Entry{library, log.ok() ? *log : ""};
}

Result<fs::path> ArtifactCache::work_folder() const {
  std::string folder = folder_ / "work-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) return not_writable(folder_, std::strerror(errno));
  return fs::path(folder);
}

Result<ArtifactCache::Entry> ArtifactCache::publish(const std::string& key, const fs::path& library,
                                                    const std::string& log) const {
  Entry entry{folder_ / (key + ".so"), log.substr(0, kMaxLogBytes)};
  // The log first: whoever sees the library finds it.
  if (Status written = write_file(folder_ / (key + ".log"), entry.log); !written.ok()) return written.error();
  std::error_code failed;
  fs::permissions(library,
                  fs::perms::owner_read | fs::perms::group_read | fs::perms::others_read | fs::perms::owner_exec |
                      fs::perms::group_exec | fs::perms::others_exec,
                  failed);
  if (!failed) fs::rename(library, entry.library, failed);
  if (failed) return not_writable(folder_, failed.message());
  return entry;
}

bool ArtifactCache::full() const {
  std::error_code failed;
  const fs::space_info space = fs::space(folder_, failed);
  return !failed && space.available < kRoomForALibrary;
}

}  // namespace kbx
