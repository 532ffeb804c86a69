// SPDX-License-Identifier: Apache-2.0
// Shared libraries by digest, with what the compiler said: <cache>/artifacts/<key>.so and .log, read-only.
// Several processes may use one cache: entries appear whole, by renaming, and are never changed.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/result.h"

namespace kbx {

class ArtifactCache {
 public:
  struct Entry {
    std::filesystem::path library;
    std::string log;
  };

  // Error: the folder cannot be written.
  static Result<ArtifactCache> open(const std::filesystem::path& cache);

  std::optional<Entry> find(const std::string& key) const;
  // A new empty folder in the cache, for a build. The caller removes it.
  Result<std::filesystem::path> work_folder() const;
  // Moves a library into the cache. REQUIRES: `library` lies in a work_folder().
  Result<Entry> publish(const std::string& key, const std::filesystem::path& library, const std::string& log) const;
  // Whether the file system of the cache has no room for a library.
  bool full() const;

 private:
  explicit ArtifactCache(std::filesystem::path folder) : folder_(std::move(folder)) {}
  std::filesystem::path folder_;
};

}  // namespace kbx
