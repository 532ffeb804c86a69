// SPDX-License-Identifier: Apache-2.0
#include "runner/output_pipe.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace kbx {

Result<OutputPipe> OutputPipe::open() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return Error{fmt::format("pipe: {}", std::strerror(errno)), "raise the limit of open files"};
  OutputPipe pipe;
  pipe.read_ = Descriptor(ends[0]);
  pipe.write_ = Descriptor(ends[1]);
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return pipe;
}

void OutputPipe::drain() {
  char chunk[64 * 1024];
  for (int i = 0; i < 64 && read_; ++i) {
    const ssize_t size = read(read_.get(), chunk, sizeof chunk);
    if (size > 0) {
      keep(chunk, static_cast<size_t>(size));
    } else {
      if (size == 0) read_.close();
      if (size < 0 && errno == EINTR) continue;
      return;
    }
  }
}

void OutputPipe::keep(const char* data, size_t size) {
  total_ += size;
  const size_t head = std::min(size, kKept - first_.size());
  first_.append(data, head);
  data += head;
  size -= head;
  if (size > kKept) {
    data += size - kKept;
    size = kKept;
  }
  const size_t append = std::min(size, kKept - last_.size());
  last_.append(data, append);
  for (size_t i = append; i < size; ++i, next_ = (next_ + 1) % kKept) last_[next_] = data[i];
}

std::string OutputPipe::text() const {
  const size_t cut = total_ - first_.size() - last_.size();
  std::string text = first_;
  if (cut > 0) text += fmt::format("\n[... {} bytes cut ...]\n", cut);
  text.append(last_, next_).append(last_, 0, next_);
  return text;
}

}  // namespace kbx
