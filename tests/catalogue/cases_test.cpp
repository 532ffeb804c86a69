// SPDX-License-Identifier: Apache-2.0
#include "catalogue/case_syntax.h"
#include "catalogue/published/published.h"
#include "support.h"

namespace kbx::testing {
namespace {

bool same_contents(const Call& a, const Call& b) {
  for (size_t i = 0; i < a.arguments.size(); ++i) {
    const auto &x = a.arguments[i].value, &y = b.arguments[i].value;
    if (x.isTensor() && !x.toTensor().equal(y.toTensor())) return false;
  }
  return true;
}

Task drawn_task() {
  Task task = task_of("f(Tensor input, Tensor other, str approximate='none') -> Tensor");
  task.cases = {"standard: M=17..97 N=33..129 input=randn[M,N] other=randint(0,N)[M]", "boundary: input=randn[1] other=randn[1]",
                "standard: input=uniform[3]@fixed other=zeros[3]", "standard: input=uniform[3] other=randn[3]:i32"};
  return task;
}

TEST(Cases, SizesAreDrawnFromTheSeedWithinTheirRange) {
  Task task = drawn_task();
  EXPECT_EQ(cases_of(task, 5).front().line, cases_of(task, 5).front().line);
  bool differs = false;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    std::string line = cases_of(task, seed).front().line;
    int m = 0, n = 0, limit = 0, rows = 0;
    ASSERT_EQ(std::sscanf(line.c_str(), "standard: input=randn[%d,%d] other=randint(0,%d)[%d]", &m, &n, &limit, &rows), 4)
        << line;
    EXPECT_TRUE(m >= 17 && m <= 97 && n >= 33 && n <= 129) << line;
    EXPECT_EQ(limit, n);
    EXPECT_EQ(rows, m);
    EXPECT_NE(m % 16, 0) << line;
    EXPECT_NE(n % 16, 0) << line;
    differs |= line != cases_of(task, 0).front().line;
  }
  EXPECT_TRUE(differs);
}

TEST(Cases, OutliersDeriveFromStandardCasesWithFloatingRandomInputs) {
  std::vector<std::string> outliers;
  for (const Case& c : cases_of(drawn_task(), 3))
    if (c.stage == Stage::outlier) outliers.push_back(c.line);
  ASSERT_EQ(outliers.size(), 4u);
  EXPECT_NE(outliers[0].find("input=randn["), std::string::npos);
  EXPECT_NE(outliers[0].find("@outlier10 other=randint(0,"), std::string::npos) << outliers[0];
  EXPECT_NE(outliers[1].find("@outlier50"), std::string::npos);
  EXPECT_EQ(outliers[2], "outlier: input=uniform[3]@outlier10 other=randn[3]:i32");
}

TEST(Cases, EveryTensorOfAListTakesOutliers) {
  Task task = task_of("f(Tensor[] tensors) -> Tensor");
  task.cases = {"standard: tensors=[randn[2,3],randn[2,3],randn[2,33]]"};
  EXPECT_EQ(cases_of(task, 0)[1].line, "outlier: tensors=[randn[2,3]@outlier10,randn[2,3]@outlier10,randn[2,33]@outlier10]");
}

TEST(Cases, ACallThatMustRaiseSaysSoAndTakesNoOutliers) {
  Task task = task_of("f(Tensor input) -> Tensor");
  task.cases = {"standard: input=randn[3,3] raises", "standard: input=randn[2]"};
  const std::vector<Case> cases = cases_of(task, 0);
  ASSERT_EQ(cases.size(), 4u);
  EXPECT_TRUE(cases[0].raises);
  EXPECT_EQ(cases[0].line, "standard: input=randn[3,3] raises");
  EXPECT_TRUE(parse_case(task, cases[0].line)->raises);
  for (size_t i = 1; i < cases.size(); ++i) EXPECT_FALSE(cases[i].raises) << cases[i].line;
}

TEST(Cases, PublishedCallsAreNoCasesOfTheDefaultPolicy) {
  for (const Task& task : catalogue())
    for (const Case& c : cases_of(task, 1)) EXPECT_NE(c.stage, Stage::published) << c.line;
}

TEST(Cases, EveryTaskHasTheCallsOfItsPublishedTestOrAReason) {
  for (const Task& task : catalogue()) {
    const Published* published = find_published(task.id);
    ASSERT_NE(published, nullptr) << task.id << ": run tools/published";
    EXPECT_TRUE(!published->calls.empty() || !published->left_out.empty()) << task.id;
    for (const Case& c : published_cases_of(task)) {
      const auto call = bind(task, c, 1, at::kCPU);
      EXPECT_TRUE(call) << task.id << " " << c.line << ": " << (call ? "" : call.error().text());
    }
  }
}

// Sizes up to some GiB: the smallest are enough to see that the inputs fit the task.
TEST(Cases, TheReferenceTakesTheInputsThatThePublishedBenchmarkTimes) {
  int tasks = 0;
  for (const Task& task : catalogue()) {
    const std::vector<Case> sweep = published_sweep_of(task);
    tasks += !sweep.empty();
    for (size_t i = 0; i < sweep.size() && i < 2; ++i) {
      if (input_bytes(sweep[i]) > 1 << 20) continue;
      const auto call = bind(task, sweep[i], 1, at::kCPU);
      ASSERT_TRUE(call) << task.id << " " << sweep[i].line;
      EXPECT_NO_THROW(task.reference(Args(*call))) << task.id << " " << sweep[i].line;
    }
  }
  EXPECT_GT(tasks, 150);
}

// Where two elements go to one place, eager's own order decides, and a right kernel is called wrong.
TEST(Cases, ScatterNamesNoPlaceTwice) {
  const Task& scatter = *find_task("scatter");
  std::vector<Case> cases = cases_of(scatter, 1);
  for (const auto& more : {perf_cases_of(scatter, at::kCPU), perf_cases_of(scatter, at::kCUDA), published_sweep_of(scatter)})
    cases.insert(cases.end(), more.begin(), more.end());
  for (const Case& c : cases) {
    const auto call = bind(scatter, c, 1, at::kCPU);
    ASSERT_TRUE(call) << c.line;
    const Args a(*call);
    if (c.raises) continue;
    const at::Tensor index = a.tensor("index"), input = a.tensor("input");
    const at::Tensor times =
        at::zeros(input.sizes(), at::kInt).scatter_add(a.integer("dim"), index, at::ones(index.sizes(), at::kInt));
    EXPECT_FALSE(times.gt(1).any().item<bool>()) << c.line;
  }
}

std::vector<std::string> timed_on_gpu(const Task& task) {
  std::vector<std::string> lines;
  for (const Case& c : perf_cases_of(task, at::kCUDA)) lines.push_back(c.line);
  return lines;
}

TEST(Cases, OnAGpuTwoOfThePublishedSizesAreTimed) {
  // From 16 KiB to 512 MiB of inputs in steps of 2.
  EXPECT_EQ(timed_on_gpu(*find_task("gelu")),
            (std::vector<std::string>{"measure: input=uniform[16777216]", "measure: input=uniform[67108864]"}));
  // The largest has 8 MiB, and is the nearest to 64 MiB too.
  Task one = *find_task("fused_pairwise_distance_normalize");
  one.perf_gpu = {};
  EXPECT_EQ(timed_on_gpu(one), (std::vector<std::string>{"measure: x1=randn[8192,128] x2=randn[8192,128]"}));
}

TEST(Cases, ATasksOwnPerfCasesForAGpuCountFirst) {
  Task task = *find_task("gelu");
  task.perf_gpu = {"input=randn[7]"};
  EXPECT_EQ(timed_on_gpu(task), std::vector<std::string>{"measure: input=randn[7]"});
  const std::vector<Case> on_cpu = perf_cases_of(task, at::kCPU);
  ASSERT_EQ(on_cpu.size(), task.perf.size());
  EXPECT_NE(on_cpu.front().line, "measure: input=randn[7]");
}

TEST(Cases, InputBytesCountEveryTensorInItsType) {
  const Task& add = *find_task("add");
  EXPECT_EQ(input_bytes(*parse_case(add, "input=randn[3,5] other=randn[5]:f16")), 4 * 15 + 2 * 5);
  EXPECT_EQ(input_bytes(*parse_case(add, "input=values(1,2,3) other=2")), 4 * 3);
  const Task& stack = *find_task("fused_hstack_div");
  EXPECT_EQ(input_bytes(*parse_case(stack, "tensors=[randn[2,3],randn[2,1]] divisor=randint(1,5)[2,4]")), 4 * 8 + 8 * 8);
}

TEST(Cases, OrderIsStandardOutlierBoundary) {
  Stage last = Stage::standard;
  for (const Case& c : cases_of(drawn_task(), 3)) {
    EXPECT_LE(static_cast<int>(last), static_cast<int>(c.stage));
    last = c.stage;
  }
}

TEST(Cases, ACanonicalLineGivesItselfBack) {
  Task task = drawn_task();
  auto parsed = parse_case(task, "  input=randn[2,3]@strided   other=randn[3]:bf16  *  approximate=tanh ");
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed->line, "standard: input=randn[2,3]@strided other=randn[3]:bf16 * approximate=tanh");
  auto again = parse_case(task, parsed->line);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->line, parsed->line);
  EXPECT_EQ(again->stage, Stage::standard);
}

TEST(Cases, EqualSeedsGiveEqualInputsAndOthersDoNot) {
  Task task = task_of("f(Tensor input, Tensor other) -> Tensor");
  const char* line = "input=randn[64] other=randn[64]";
  Call a = must_bind(task, line, 7);
  EXPECT_TRUE(same_contents(a, must_bind(task, line, 7)));
  EXPECT_FALSE(same_contents(a, must_bind(task, line, 8)));
  EXPECT_FALSE(same_contents(a, must_bind(task, line, 7, 1)));
  EXPECT_FALSE(Args(a).tensor("input").equal(Args(a).tensor("other")));
}

TEST(Cases, OutLikeIsAPoisonedTensorOfTheResultsShape) {
  const Task* task = find_task("add");
  Call call = must_bind(*task, "input=randn[3,1] other=randn[5]:f64 out=like");
  at::Tensor out = Args(call).tensor("out");
  EXPECT_EQ(out.sizes(), (std::vector<int64_t>{3, 5}));
  EXPECT_TRUE(out.isnan().all().item<bool>());
  Call plain = must_bind(*task, "input=randn[3,1] other=randn[5]");
  EXPECT_FALSE(Args(plain).maybe_tensor("out"));
}

TEST(Cases, ShapesThatTheReferenceRejectsAreAnErrorNotACrash) {
  auto call = bind(*find_task("add"), {Stage::standard, "standard: input=randn[3] other=randn[5] out=like"}, 1, at::kCPU);
  ASSERT_FALSE(call.ok());
  EXPECT_NE(call.error().text().find("the reference rejects"), std::string::npos);
}

}  // namespace
}  // namespace kbx::testing
