// SPDX-License-Identifier: Apache-2.0
#include "core/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace kbx {
namespace {

// Closes its descriptor.
struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

Error cannot_open(const std::filesystem::path& path, int error) {
  const std::string file = path.string();
  switch (error) {
    case ENOENT:
      return {"there is no file " + file, "check the path"};
    case EACCES:
      return {file + " may not be read by this user", "chmod +r " + file};
    default:
      return {fmt::format("cannot open {}: {}", file, std::strerror(error)), ""};
  }
}

Error cannot_write(const std::filesystem::path& path, int error) {
  switch (error) {
    case ENOSPC:
      return {"the disk is full: " + path.string() + " was not written", "free some space and try again"};
    case EROFS:
    case EACCES:
      return {path.parent_path().string() + " is not writable", "choose another folder"};
    case ENOENT:
      return {"there is no folder " + path.parent_path().string(), "mkdir -p " + path.parent_path().string()};
    default:
      return {fmt::format("cannot write {}: {}", path.string(), std::strerror(error)), ""};
  }
}

Status write_all(int fd, std::string_view text, const std::filesystem::path& path) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return cannot_write(path, errno);
    text.remove_prefix(static_cast<size_t>(n));
  }
  return Done{};
}

}  // namespace

Result<std::string> read_file(const std::filesystem::path& path, uint64_t max_bytes) {
  const std::string file = path.string();
  const Descriptor in{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
  if (in.fd < 0) return cannot_open(path, errno);
  struct stat info {};
  if (::fstat(in.fd, &info) != 0) return cannot_open(path, errno);
  if (S_ISDIR(info.st_mode)) return Error{file + " is a folder, not a file", "name a file in it"};
  if (!S_ISREG(info.st_mode)) return Error{file + " is not a regular file", "pipes, sockets and devices are not read"};
  const auto too_large = [&](uint64_t size) {
    return Error{fmt::format("{} is too large: {}", file, human_bytes(size)),
                 fmt::format("at most {} are read", human_bytes(max_bytes))};
  };
  if (static_cast<uint64_t>(info.st_size) > max_bytes) return too_large(info.st_size);

  std::string text;
  char buffer[1 << 16];
  for (;;) {
    const ssize_t n = ::read(in.fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Error{fmt::format("cannot read {}: {}", file, std::strerror(errno)), ""};
    if (n == 0) return text;
    text.append(buffer, static_cast<size_t>(n));
    if (text.size() > max_bytes) return too_large(text.size());
  }
}

Status write_file(const std::filesystem::path& path, std::string_view text) {
  std::string temporary = path.string() + ".XXXXXX";
  const Descriptor out{::mkostemp(temporary.data(), O_CLOEXEC)};
  if (out.fd < 0) return cannot_write(path, errno);
  ::fchmod(out.fd, 0644);
  if (Status written = write_all(out.fd, text, path); !written) {
    ::unlink(temporary.c_str());
    return written;
  }
  if (::rename(temporary.c_str(), path.c_str()) != 0) {
    const int error = errno;
    ::unlink(temporary.c_str());
    return cannot_write(path, error);
  }
  return Done{};
}

std::string human_bytes(uint64_t bytes) {
  if (bytes < 1024) return fmt::format("{} bytes", bytes);
  const char* const units[] = {"KiB", "MiB", "GiB", "TiB"};
  double size = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  for (; size >= 1024 && unit < 3; ++unit) size /= 1024;
  return fmt::format("{:.3g} {}", size, units[unit]);
}

}  // namespace kbx
