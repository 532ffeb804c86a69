// SPDX-License-Identifier: Apache-2.0
// A temporary folder to put submissions in, and a handful of task names.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "intake/intake.h"

namespace kbx::testing {

inline TaskNames task_names() {
  return TaskNames({{"gelu", "gelu", "Activation"},
                    {"selu", "selu", "Activation"},
                    {"gelu_bf16", "gelu_bf16", "Activation"},
                    {"matmul", "matmul", "MatrixMultiply"},
                    {"add", "add", "Math"},
                    {"sum", "sum", "Reduce"},
                    {"Adam", "adam_step", "Optimizer"},
                    {"index_fill_", "index_fill_", "Index"},
                    {"softmax", "softmax", "Math"}});
}

class InFolder : public ::testing::Test {
 protected:
  InFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "kbx-intake-XXXXXX").string();
    dir_ = ::mkdtemp(name.data());
    options_.tasks = task_names();
  }
  ~InFolder() override { std::filesystem::remove_all(dir_); }

  std::filesystem::path file(const std::string& name, const std::string& text) {
    const auto path = dir_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

  // The only candidate in what is read. Fails the test where there are more, or it is unreadable.
  Candidate only(const Result<Submission>& submission) {
    EXPECT_TRUE(submission.ok()) << (submission.ok() ? "" : submission.error().text());
    if (!submission.ok() || submission->candidates.size() != 1) {
      ADD_FAILURE() << "not one candidate";
      return {};
    }
    const Intake& one = submission->candidates.front();
    EXPECT_FALSE(one.unreadable) << one.unreadable->reason;
    return one.candidate;
  }

  std::filesystem::path dir_;
  IntakeOptions options_;
};

constexpr const char* kGelu = "import triton\n\ndef gelu(input, approximate='none'):\n    return input\n";

}  // namespace kbx::testing
