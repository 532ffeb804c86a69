// SPDX-License-Identifier: Apache-2.0
#include "runner/output_pipe.h"

#include <gtest/gtest.h>

namespace kbx {
namespace {

void print(OutputPipe& pipe, const std::string& text) {
  for (size_t done = 0; done < text.size();) {
    const ssize_t size = write(pipe.child_end(), text.data() + done, std::min<size_t>(text.size() - done, 4096));
    ASSERT_GT(size, 0);
    done += static_cast<size_t>(size);
    pipe.drain();
  }
}

std::string numbered(size_t bytes) {
  std::string text;
  for (int i = 0; text.size() < bytes; ++i) text += std::to_string(i) + "\n";
  text.resize(bytes);
  return text;
}

TEST(OutputPipe, ShortOutputIsKeptWhole) {
  auto pipe = OutputPipe::open();
  ASSERT_TRUE(pipe.ok());
  const std::string text = numbered(2 * OutputPipe::kKept);
  print(*pipe, text);
  EXPECT_EQ(pipe->text(), text);
}

TEST(OutputPipe, OfLongOutputTheFirstAndLastPartAreKeptInOrder) {
  auto pipe = OutputPipe::open();
  ASSERT_TRUE(pipe.ok());
  const std::string text = numbered(5 * OutputPipe::kKept + 123);
  print(*pipe, text);
  const std::string cut = "\n[... " + std::to_string(3 * OutputPipe::kKept + 123) + " bytes cut ...]\n";
  EXPECT_EQ(pipe->text(), text.substr(0, OutputPipe::kKept) + cut + text.substr(text.size() - OutputPipe::kKept));
}

TEST(OutputPipe, DrainingAnEmptyPipeDoesNotWait) {
  auto pipe = OutputPipe::open();
  ASSERT_TRUE(pipe.ok());
  pipe->drain();
  EXPECT_EQ(pipe->text(), "");
}

TEST(OutputPipe, TheEndOfTheWriterClosesTheReader) {
  auto pipe = OutputPipe::open();
  ASSERT_TRUE(pipe.ok());
  pipe->forget_child_end();
  pipe->drain();
  EXPECT_EQ(pipe->read_end(), -1);
}

}  // namespace
}  // namespace kbx
