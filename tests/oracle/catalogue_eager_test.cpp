// SPDX-License-Identifier: Apache-2.0
// Every task's own eager computation passes every one of its cases, and a wrong result passes none.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "catalogue/cases.h"
#include "catalogue/task.h"
#include "oracle/judgement.h"

namespace kbx {
namespace {

// What a candidate delivers that calls torch for everything.
Delivery eager_delivery(const Call& call, uint64_t seed) {
  Call seeded = call.clone();
  seeded.seed = seed;
  Delivery delivery;
  for (const Truth& truth : consult_oracle(seeded).outputs) delivery.push_back({truth.eager, ""});
  return delivery;
}

class CatalogueTask : public ::testing::TestWithParam<std::string> {};

TEST_P(CatalogueTask, EagerPassesAndAConstantFails) {
  const Task& task = *find_task(GetParam());
  for (const Case& c : cases_of(task, 17)) {
    if (c.raises) continue;
    const Result<Call> call = bind(task, c, 23, at::kCPU);
    ASSERT_TRUE(call.ok()) << c.line;
    const Expected expected = consult_oracle(*call);
    std::vector<Delivery> eager, constant;
    bool empty = true;
    for (const uint64_t seed : seeds_to_call(task, call->seed)) {
      eager.push_back(eager_delivery(*call, seed));
      constant.push_back(eager.back());
      for (Delivered& d : constant.back()) {
        d.value = at::full_like(d.value, 77);
        empty &= d.value.numel() == 0;
      }
    }
    const Judgement j = judge_outputs(*call, expected, eager);
    EXPECT_TRUE(j.passed) << c.line << ": " << j.ratio << " " << (j.findings.empty() ? "" : j.findings[0].detail);
    if (!empty) EXPECT_FALSE(judge_outputs(*call, expected, constant).passed) << c.line;
  }
}

TEST_P(CatalogueTask, AnOddOutputIsJudgedAndEndsNoRun) {
  const Task& task = *find_task(GetParam());
  for (const Case& c : cases_of(task, 19)) {
    if (c.raises) continue;
    const Result<Call> call = bind(task, c, 29, at::kCPU);
    ASSERT_TRUE(call.ok()) << c.line;
    const Expected expected = consult_oracle(*call);
    for (const double odd : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), 1e38, 0.0}) {
      std::vector<Delivery> deliveries;
      for (const uint64_t seed : seeds_to_call(task, call->seed)) {
        deliveries.push_back(eager_delivery(*call, seed));
        for (Delivered& d : deliveries.back()) {
          if (!d.value.is_floating_point() || d.value.numel() == 0) continue;
          d.value = d.value.clone(at::MemoryFormat::Contiguous);
          d.value.view(-1)[0] = odd;
        }
      }
      EXPECT_NO_THROW(judge_outputs(*call, expected, deliveries)) << c.line << " with " << odd;
    }
  }
}

std::vector<std::string> ids() {
  std::vector<std::string> ids;
  for (const Task& task : catalogue()) ids.emplace_back(task.id);
  return ids;
}

INSTANTIATE_TEST_SUITE_P(All, CatalogueTask, ::testing::ValuesIn(ids()), [](const auto& row) { return row.param; });

}  // namespace
}  // namespace kbx
