// SPDX-License-Identifier: Apache-2.0
// What a candidate prints: drained all the time, the first and last 32 KiB are kept. Owns both ends of the pipe.
#pragma once

#include <string>

#include "core/descriptor.h"
#include "core/result.h"

namespace kbx {

class OutputPipe {
 public:
  static constexpr size_t kKept = 32 * 1024;

  static Result<OutputPipe> open();

  // The end for the child; closed here by forget_child_end() once the child has it.
  int child_end() const { return write_.get(); }
  void forget_child_end() { write_.close(); }
  // Readable when there is something to drain; -1 once it has ended.
  int read_end() const { return read_.get(); }

  // Reads what is there, at most 4 MiB, without waiting.
  void drain();
  // First and last part, with a note on what was cut between them.
  std::string text() const;

 private:
  void keep(const char* data, size_t size);

  Descriptor read_, write_;
  std::string first_, last_;  // last_ is a ring once it is full
  size_t next_ = 0, total_ = 0;
};

}  // namespace kbx
