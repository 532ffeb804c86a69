// SPDX-License-Identifier: Apache-2.0
// The quantised oracle against the scheme worked out by hand and by integers.
#include <cmath>

#include "support.h"

namespace kbx::testing {
namespace {

double oracle_at(const std::string& line, int64_t i, int64_t j) {
  const Task& task = *find_task("matmul_w8a8");
  return task.oracle(Args(must_bind(task, line)))[0][i][j].item<double>();
}

TEST(W8A8, SmallCaseByHand) {
  // sa = 2/127: qa = round(63.5) = 64 (ties to even), 127. Columns of the weight: (-1, 3), sw = 3/127: qw = round(-42.33) = -42,
  // 127.
  EXPECT_DOUBLE_EQ(oracle_at("input=values(1,2)[1,2] weight=values(-1,0,1,3,2,1)[2,3]", 0, 0),
                   (64.0 * -42 + 127.0 * 127) * (2.0 / 127) * (3.0 / 127));
}

TEST(W8A8, ATieRoundsToEven) {
  // sa = 1: 62.5 and 63.5 go to 62 and 64.
  EXPECT_DOUBLE_EQ(oracle_at("input=values(127,62.5,63.5)[1,3] weight=values(0,127,127,0,0,127)[3,2]", 0, 0), 62 * 127.0);
  EXPECT_DOUBLE_EQ(oracle_at("input=values(127,62.5,63.5)[1,3] weight=values(0,127,127,0,0,127)[3,2]", 0, 1),
                   127 * 127.0 + 64 * 127.0);
}

TEST(W8A8, RowsOfZerosGiveZerosAndNoSums) {
  EXPECT_EQ(oracle_at("input=zeros[3,17] weight=randn[17,5]", 1, 2), 0);
  EXPECT_EQ(oracle_at("input=zeros[3,0] weight=zeros[0,5]", 1, 2), 0);
}

TEST(W8A8, QuantisedIsNotTheUnquantisedProduct) {
  const Task& task = *find_task("matmul_w8a8");
  Call call = must_bind(task, "input=randn[17,65] weight=randn[65,9]");
  Args args(call);
  at::Tensor quantised = task.oracle(args)[0];
  at::Tensor plain = args.tensor("input").to(at::kDouble).matmul(args.tensor("weight").to(at::kDouble));
  // A step of the grid is about 3/127; 65 products of it, each uniform in half a step: rms 0.2 or so. Far above fp32's 1e-5.
  EXPECT_GT((quantised - plain).abs().max().item<double>(), 1e-2);
  EXPECT_LT((quantised - plain).abs().max().item<double>(), 2);
}

TEST(W8A8, TheEagerCompositionAgreesUpToTies) {
  const Task& task = *find_task("matmul_w8a8");
  Call call = must_bind(task, "input=randn[17,65] weight=randn[65,9]");
  Args args(call);
  EXPECT_LT((task.oracle(args)[0] - task.reference(args)[0]).abs().max().item<double>(), 1e-4);
}

}  // namespace
}  // namespace kbx::testing
