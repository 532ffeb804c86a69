// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "catalogue/schema.h"
#include "support.h"

namespace kbx::testing {
namespace {

class EveryTask : public ::testing::TestWithParam<const Task*> {};

std::vector<const Task*> all_tasks() {
  std::vector<const Task*> tasks;
  for (const Task& task : catalogue()) tasks.push_back(&task);
  return tasks;
}

INSTANTIATE_TEST_SUITE_P(Catalogue, EveryTask, ::testing::ValuesIn(all_tasks()),
                         [](const auto& instance) { return std::string(instance.param->id); });

// The reference must run on every case, give what the schema promises, and leave alone what it may not write.
TEST_P(EveryTask, ReferenceRunsOnEveryCaseAndKeepsToItsSchema) {
  const Task& task = *GetParam();
  size_t returns = parsed_schema(task.schema).returns().size();
  for (const Case& c : cases_of(task, 11)) {
    if (c.raises) continue;
    SCOPED_TRACE(c.line);
    auto call = bind(task, c, 11, at::kCPU);
    ASSERT_TRUE(call.ok()) << call.error().text();
    Call work = call->clone();
    Values values;
    ASSERT_NO_THROW(values = task.reference(Args(work)));
    // Fewer where an argument says that the last ones are not wanted.
    ASSERT_LE(values.size(), returns);
    ASSERT_FALSE(values.empty());
    for (const at::Tensor& value : values) EXPECT_TRUE(value.defined());
    for (size_t i = 0; i < work.arguments.size(); ++i) {
      const Argument& before = call->arguments[i];
      if (!before.value.isTensor() || before.may_be_written) continue;
      at::Tensor x = before.value.toTensor(), y = work.arguments[i].value.toTensor();
      EXPECT_TRUE(((x == y) | ((x != x) & (y != y))).all().item<bool>()) << before.name << " was changed";
    }
    Cost cost = task.cost(Args(*call), values);
    EXPECT_GE(cost.bytes, 0);
    EXPECT_GE(cost.flops, 0);
  }
}

// What the oracle relies on: floating inputs and dtypes in float64 give float64 results, whatever the reference does between.
TEST_P(EveryTask, ReferenceFollowsItsInputsIntoFloat64) {
  for (const Case& c : cases_of(*GetParam(), 5)) {
    if (c.raises) continue;
    auto call = bind(*GetParam(), c, 5, at::kCPU);
    ASSERT_TRUE(call.ok()) << call.error().text();
    bool floating = false;
    auto widen = [&](const at::Tensor& tensor) {
      if (!tensor.is_floating_point()) return tensor;
      floating = true;
      return tensor.to(at::kDouble);
    };
    for (Argument& argument : call->arguments) {
      if (argument.number_for_tensor) continue;
      if (argument.kind == ArgumentKind::tensor) argument.value = widen(argument.value.toTensor());
      if (argument.kind == ArgumentKind::dtype) {
        floating = true;
        argument.value = static_cast<int64_t>(at::kDouble);
      }
      if (argument.kind != ArgumentKind::tensor_list) continue;
      c10::List<at::Tensor> wide;
      for (const at::Tensor& tensor : argument.value.toTensorVector()) wide.push_back(widen(tensor));
      argument.value = wide;
    }
    if (!floating) continue;
    for (const at::Tensor& value : GetParam()->reference(Args(*call)))
      if (value.is_floating_point()) {
        EXPECT_EQ(value.scalar_type(), at::kDouble) << c.line;
      }
  }
}

TEST_P(EveryTask, AnOutlierCaseHoldsAnOutlier) {
  const Task& task = *GetParam();
  auto cases = cases_of(task, 11);
  size_t standard = 0, outlier = 0;
  for (const Case& c : cases) {
    standard += c.stage == Stage::standard;
    if (c.stage != Stage::outlier) continue;
    ++outlier;
    EXPECT_NE(c.line.find("@outlier"), std::string::npos) << c.line;
  }
  EXPECT_GE(standard, 3u);
  if (task.category != Category::random) {
    EXPECT_GE(outlier, 2u);
  }
}

TEST_P(EveryTask, ACaseLineGivesItselfBack) {
  for (const Case& c : cases_of(*GetParam(), 4)) {
    if (c.raises) continue;
    auto again = parse_case(*GetParam(), c.line);
    ASSERT_TRUE(again.ok()) << c.line << ": " << again.error().text();
    EXPECT_EQ(again->line, c.line);
    EXPECT_EQ(again->stage, c.stage);
  }
}

// An interpreted program instance costs 0.8 ms: elements bound their number.
TEST_P(EveryTask, CasesAreSmallEnoughForAnInterpreter) {
  for (const Case& c : cases_of(*GetParam(), 9)) {
    if (c.raises) continue;
    auto call = bind(*GetParam(), c, 9, at::kCPU);
    ASSERT_TRUE(call.ok()) << call.error().text();
    for (const Argument& argument : call->arguments)
      if (argument.value.isTensor()) {
        EXPECT_LE(argument.value.toTensor().numel(), 65536) << c.line;
      }
  }
}

// The judge makes some sets of inputs of each, evaluates them eleven times in float64, and copies them into two arenas.
TEST_P(EveryTask, PerfCasesMoveUpToSixtyFourMegabytes) {
  for (const Case& c : perf_cases_of(*GetParam(), at::kCPU)) {
    auto call = bind(*GetParam(), c, 2, at::kCPU);
    ASSERT_TRUE(call.ok()) << call.error().text();
    Cost cost = GetParam()->cost(Args(*call), GetParam()->reference(Args(*call)));
    EXPECT_GE(std::max(cost.bytes, cost.flops / 100), 0.2e6) << c.line;
    EXPECT_LE(cost.bytes, 64e6) << c.line;
  }
}

TEST_P(EveryTask, AGpuHasPerfCasesOfItsOwn) {
  const auto cases = perf_cases_of(*GetParam(), at::kCUDA);
  ASSERT_FALSE(cases.empty());
  EXPECT_LE(cases.size(), 3u);
  std::set<std::string> on_cpu;
  for (const Case& c : perf_cases_of(*GetParam(), at::kCPU)) on_cpu.insert(c.line);
  for (const Case& c : cases) {
    EXPECT_LE(input_bytes(c), 512 << 20) << c.line;
    EXPECT_FALSE(c.raises) << c.line;
  }
  EXPECT_TRUE(std::any_of(cases.begin(), cases.end(), [&](const Case& c) { return !on_cpu.contains(c.line); }));
}

TEST(Catalogue, IdsAreUniqueAndFindable) {
  std::set<std::string_view> ids;
  for (const Task& task : catalogue()) {
    EXPECT_TRUE(ids.insert(task.id).second) << task.id;
    EXPECT_EQ(find_task(task.id), &task);
  }
  EXPECT_EQ(find_task("no_such_task"), nullptr);
}

TEST(Catalogue, AMisspeltIdFindsItsNeighbours) {
  EXPECT_EQ(nearest_tasks("matmull").front(), "matmul");
  EXPECT_EQ(nearest_tasks("gelu_bf61").front(), "gelu_bf16");
}

TEST(Catalogue, ADigestFollowsSchemaCasesAndContract) {
  Task task = *find_task("gelu");
  std::string before = task_digest(task);
  EXPECT_EQ(before, task_digest(*find_task("gelu")));
  Task changed = task;
  changed.cases.pop_back();
  EXPECT_NE(task_digest(changed), before);
  changed = task;
  changed.contract = exact();
  EXPECT_NE(task_digest(changed), before);
  changed = task;
  changed.schema = "gelu(Tensor input) -> Tensor";
  EXPECT_NE(task_digest(changed), before);
  changed = task;
  changed.perf.pop_back();
  EXPECT_NE(task_digest(changed), before);
  changed = task;
  changed.perf_gpu = {"input=randn[65536]"};
  EXPECT_NE(task_digest(changed), before);
}

}  // namespace
}  // namespace kbx::testing
