// SPDX-License-Identifier: Apache-2.0
// Cost models against numbers that were worked out by hand, from the least traffic and the weights of docs/adding-a-task.md.
#include <ATen/record_function.h>

#include <map>
#include <memory>
#include <set>

#include "support.h"

namespace kbx::testing {
namespace {

struct Row {
  const char* task;
  const char* line;
  double bytes, flops;
};

// The sum behind each number stands beside it.
const Row kRows[] = {
    {"gelu", "input=randn[3,7]", 4 * (21 + 21), 16 * 21},
    {"add", "input=randn[4,5] other=randn[5]", 4 * (20 + 5 + 20), 2 * 20},
    {"matmul", "tensor1=randn[5,7] tensor2=randn[7,3]", 4 * (35 + 21 + 15), 2 * 5 * 7 * 3},
    {"matmul_bf16", "input=randn[5,7]:bf16 other=randn[7,3]:bf16", 2 * (35 + 21 + 15), 2 * 5 * 7 * 3},
    // 3 x 3 windows of 3 channels for each of 2 * 4 * 6 * 7 outputs
    {"conv2d", "input=randn[2,3,8,9] weight=randn[4,3,3,3]", 4 * (432 + 108 + 336), 2 * 336 * 27},
    {"conv2d", "input=randn[2,3,8,9] weight=randn[4,3,3,3] bias=randn[4]", 4 * (432 + 108 + 4 + 336), 2 * 336 * 27},
    // two products of 5 x 5 x 8 for each of 2 heads, 10 for each score
    {"attention", "q=randn[1,2,5,8] k=randn[1,2,5,8] v=randn[1,2,5,8]", 4 * 4 * 80, 2 * 2 * 2 * 5 * 5 * 8 + 10 * 2 * 25},
    // of the input only the rows that are taken
    {"index_select", "input=randn[10,6] dim=0 index=values(7,1,4):i64", 4 * (18 + 18) + 3 * 8, 0},
    {"masked_select", "input=randn[4,5] mask=ones[4,5]:bool", 4 * 20 + 20 + 4 * 20, 0},
    {"lu", "A=randn[6,6]", 4 * 36 * 4, 2 * 216 / 3},
    // one element of each row, and its class
    {"nll_loss", "input=randn[5,9] target=randint(0,9)[5]", 5 * (4 + 8) + 4, 2 * 5},
    {"mean", "input_tensor=randn[6,7] dim=none", 4 * (42 + 1), 42},
    {"softmax", "input=randn[4,8] dim=1", 4 * (32 + 32), 12 * 32},
    // mean and variance of 3 channels
    {"batch_norm", "input=randn[2,3,4,4] running_mean=zeros[3] running_var=ones[3]", 4 * (96 + 96 + 3 + 3), 6 * 96},
};

TEST(Cost, IsTheLeastTrafficAndWork) {
  for (const Row& row : kRows) {
    SCOPED_TRACE(std::string(row.task) + ": " + row.line);
    const Task* task = find_task(row.task);
    ASSERT_NE(task, nullptr);
    const Call call = must_bind(*task, row.line);
    const Args args(call);
    const Cost cost = task->cost(args, task->reference(args));
    EXPECT_DOUBLE_EQ(cost.bytes, row.bytes);
    EXPECT_DOUBLE_EQ(cost.flops, row.flops);
  }
}

// What multiplies matrices in ATen, whatever a reference calls it by.
const std::set<std::string_view> kProducts = {"aten::mm", "aten::bmm", "aten::addmm", "aten::baddbmm", "aten::convolution"};

bool multiplied = false;

std::unique_ptr<at::ObserverContext> see(const at::RecordFunction& function) {
  multiplied |= kProducts.contains(function.name());
  return nullptr;
}

// References that multiply matrices where that is not most of the work.
const std::map<std::string_view, std::string_view> kOtherWork = {
    {"matrix_multiply_and_row_dot", "two rows of the product are enough"},
    {"fused_svd_reconstruct", "the decomposition"},
    {"fused_qr_solve", "the decomposition"},
    {"grid_sample_with_affine", "the sampling, not the grid"},
    {"low_rank_svd_approximation", "the decomposition"},
    {"matrix_power_eig", "the decomposition"},
    {"pseudoinverse_svd", "the decomposition"},
    {"determinant_lu", "without exchanges: the factorisation's own updates, of rank 1"},
    {"invert_matrix_lu", "without exchanges: the factorisation's own updates, of rank 1"},
    {"lu", "without exchanges: the factorisation's own updates, of rank 1"},
};

// Operations counted for the wrong unit are compared with the wrong peak: a product on tensor cores would pass for faster than
// a GPU can be.
TEST(Cost, ProductsOfMatricesAreTheMatrixUnitsWork) {
  std::set<std::string_view> met;
  const auto handle = at::addThreadLocalCallback(at::RecordFunctionCallback(see).scopes({at::RecordScope::FUNCTION}));
  for (const Task& task : catalogue()) {
    multiplied = false;
    std::set<Unit> units;
    for (const Case& c : cases_of(task, 1)) {
      if (c.stage != Stage::standard || c.raises) continue;
      const auto call = bind(task, c, 1, at::kCPU);
      ASSERT_TRUE(call.ok()) << c.line;
      units.insert(task.cost(Args(*call), task.reference(Args(*call))).unit);
    }
    if (multiplied && kOtherWork.contains(task.id)) met.insert(task.id);
    const bool products = multiplied && !kOtherWork.contains(task.id);
    EXPECT_EQ(units, std::set{products ? Unit::matrix : Unit::vector}) << task.id;
  }
  at::removeCallback(handle);
  for (const auto& [id, reason] : kOtherWork)
    EXPECT_TRUE(met.contains(id)) << id << " multiplies no matrices: not because of " << reason;
}

}  // namespace
}  // namespace kbx::testing
