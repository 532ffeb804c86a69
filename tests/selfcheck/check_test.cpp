// SPDX-License-Identifier: Apache-2.0
#include "selfcheck/check.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "catalogue/cost.h"
#include "selfcheck/report.h"

namespace kbx {
namespace {

Task scaled_sum(std::vector<std::string_view> cases) {
  Task task{};
  task.id = "scaled_sum";
  task.schema = "scaled_sum(Tensor x, float scale=1.0) -> Tensor";
  task.reference = [](const Args& a) -> Values { return {a.tensor("x").sum(-1) * a.real("scale")}; };
  task.contract = numeric();
  task.cases = std::move(cases);
  return task;
}

Fate fate(const TaskReport& report, const std::string& name) {
  const auto found = std::find_if(report.trials.begin(), report.trials.end(), [&](const Trial& t) { return t.name == name; });
  EXPECT_NE(found, report.trials.end()) << name;
  return found == report.trials.end() ? Fate::absent : found->fate;
}

bool has_problem(const TaskReport& report, const std::string& part) {
  return std::any_of(report.problems.begin(), report.problems.end(),
                     [&](const std::string& p) { return p.find(part) != std::string::npos; });
}

TEST(Check, AMutantThatNoCaseTellsGoesUnnoticed) {
  // The last element moves the sum by four roundings, which an honest sum may err by.
  const TaskReport blind = check_task(scaled_sum({"standard: x=values(3,1e-6)[4,2] scale=2.0"}), 1, at::kCPU);
  EXPECT_EQ(fate(blind, "sum: last element left out"), Fate::passed);
  EXPECT_TRUE(has_problem(blind, "last element left out"));
  const TaskReport seeing = check_task(scaled_sum({"standard: x=randn[4,65] scale=2.0"}), 1, at::kCPU);
  EXPECT_EQ(fate(seeing, "sum: last element left out"), Fate::rejected);
  EXPECT_EQ(fate(seeing, "ignores scale"), Fate::rejected);
}

TEST(Check, WhatMakesNoDifferenceCountsAsSurvivor) {
  const TaskReport report = check_task(scaled_sum({"standard: x=randn[4,65]"}), 1, at::kCPU);
  EXPECT_EQ(fate(report, "ignores scale"), Fate::absent) << "the case does not give it";
  EXPECT_EQ(fate(report, "reads the rows of x backwards"), Fate::absent) << "a sum in another order is the same function";
  EXPECT_EQ(fate(report, "ignores strides"), Fate::absent);
}

TEST(Check, ACaseThatHidesTf32IsNotNamed) {
  const TaskReport report = check_task(scaled_sum({"standard: x=ones[4,65]", "standard: x=randn[4,65]"}), 1, at::kCPU);
  ASSERT_EQ(report.cannot_tell_tf32.size(), 1u);
  for (const BlindCase& b : report.cannot_tell_tf32) EXPECT_NE(b.line.find("ones"), std::string::npos) << b.line;
  EXPECT_EQ(fate(report, "inputs cut to TF32"), Fate::rejected);
}

TEST(Check, AReferenceThatFailsIsNoProblem) {
  Task task = scaled_sum({"standard: x=randn[2,3]"});
  task.reference = [](const Args& a) -> Values { return {at::mm(a.tensor("x"), a.tensor("x"))}; };
  EXPECT_TRUE(has_problem(check_task(task, 1, at::kCPU), "fails on"));
}

TEST(Check, AReportDoesNotSurviveJson) {
  const TaskReport report = check_task(scaled_sum({"standard: x=randn[4,65] scale=2.0"}), 1, at::kCPU);
  const TaskReport again = report_from_json(nlohmann::json::parse(to_json(report).dump()));
  EXPECT_EQ(to_json(again), to_json(report));
  EXPECT_EQ(summary_of(again).mutants, summary_of(report).mutants);
}

}  // namespace
}  // namespace kbx
