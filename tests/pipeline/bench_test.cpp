// SPDX-License-Identifier: Apache-2.0
#include "pipeline/bench.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace kbx {
namespace {

at::Tensor matrix_of(const char* task, const char* line, const char* argument, uint64_t contents) {
  auto bench = TaskBench::open(*find_task(task), Policy::oracle, 3, at::kCPU, line);
  EXPECT_TRUE(bench.ok());
  return bench->at(0, contents).call.argument(argument).value.toTensor();
}

// Candidates may read either triangle of a symmetric matrix, and rely on the zeros of a triangular one.
TEST(Bench, AChangedElementKeepsTheFormOfAMatrix) {
  const char* line = "A=spd(0.01)[9,9] b=randn[9,2]";
  const at::Tensor before = matrix_of("fused_cholesky_solve", line, "A", 0);
  const at::Tensor after = matrix_of("fused_cholesky_solve", line, "A", TaskBench::kOneElement);
  EXPECT_EQ(after.ne(before).sum().item<int64_t>(), 1);
  EXPECT_TRUE(after.equal(after.t()));
  EXPECT_GT(at::linalg_eigvalsh(after).min().item<float>(), 0);
}

TEST(Bench, OfAMatrixWithoutFormAnyElementMayChange) {
  const char* line = "A=randn[9,9] b=randn[9]";
  const at::Tensor before = matrix_of("fused_lu_solve", line, "A", 0);
  const at::Tensor after = matrix_of("fused_lu_solve", line, "A", TaskBench::kOneElement);
  EXPECT_EQ(after.ne(before).sum().item<int64_t>(), 1);
}

}  // namespace
}  // namespace kbx
