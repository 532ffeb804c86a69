// SPDX-License-Identifier: Apache-2.0
// References against what the published references were recorded to return (recorded_results.jsonl, 6 significant digits).
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "catalogue/cases.h"
#include "oracle/published.h"

namespace kbx {
namespace {

constexpr double kRecordedDigits = 2e-5;  // half a unit of the sixth digit, and the arithmetic of another machine

std::vector<nlohmann::json> recorded() {
  std::ifstream file(KBX_RECORDED_RESULTS);
  std::vector<nlohmann::json> rows;
  for (std::string line; std::getline(file, line);) rows.push_back(nlohmann::json::parse(line));
  return rows;
}

bool agrees(double ours, const nlohmann::json& theirs) {
  const double expected = theirs.is_string() ? std::stod(theirs.get<std::string>()) : theirs.get<double>();
  if (std::isnan(expected)) return std::isnan(ours);
  return ours == expected || std::abs(ours - expected) <= kRecordedDigits * std::max(1.0, std::abs(expected));
}

TEST(RecordedResults, AReferenceThatMeansSomethingElseThanThePublishedOneIsSeen) {
  size_t compared = 0;
  for (const nlohmann::json& row : recorded()) {
    const Task* task = find_task(row["task"].get<std::string>());
    ASSERT_NE(task, nullptr) << row["task"];
    const std::string line = "published: " + row["line"].get<std::string>();
    SCOPED_TRACE(std::string(task->id) + " " + line);
    const auto parsed = parse_case(*task, line);
    ASSERT_TRUE(parsed) << parsed.error().text();
    const auto call = bind(*task, *parsed, 0, at::kCPU);
    ASSERT_TRUE(call) << call.error().text();
    const Expected expected = consult_published(*call);
    size_t next = 0;
    for (const Truth& truth : expected.outputs) {
      if (truth.returned < 0) continue;
      ASSERT_LT(next, row["result"].size());
      const auto& result = row["result"][next++];
      EXPECT_EQ(truth.shape, result[0].get<std::vector<int64_t>>());
      const at::Tensor flat = truth.value.to(at::kDouble).reshape(-1);
      ASSERT_EQ(static_cast<size_t>(flat.numel()), result[1].size());
      for (int64_t i = 0; i < flat.numel(); ++i)
        EXPECT_TRUE(agrees(flat[i].item<double>(), result[1][i]))
            << i << ": " << flat[i].item<double>() << " for " << result[1][i];
    }
    EXPECT_EQ(next, row["result"].size());
    ++compared;
  }
  EXPECT_GE(compared, 60u);
}

}  // namespace
}  // namespace kbx
