// SPDX-License-Identifier: Apache-2.0
#include "catalogue/export.h"

#include <nlohmann/json.hpp>
#include <set>

#include "support.h"

namespace kbx::testing {
namespace {

TEST(Export, JsonHoldsWhatTheCommandLineReads) {
  auto list = nlohmann::json::parse(catalogue_json());
  ASSERT_EQ(list.size(), catalogue().size());
  std::set<std::string> categories;
  for (const auto& task : list) {
    for (const char* field : {"id", "category", "entry", "schema", "contract", "summary", "math", "deviation", "digest"})
      EXPECT_TRUE(task.at(field).is_string()) << field;
    EXPECT_TRUE(task.at("official").is_boolean());
    EXPECT_TRUE(task.at("difficulty").is_number_integer());
    EXPECT_FALSE(task.at("cases").empty());
    EXPECT_FALSE(task.at("perf").empty());
    categories.insert(task.at("category"));
  }
  EXPECT_EQ(categories.size(), 15u);
}

TEST(Export, TheEntryIsTheSchemasNameNotTheId) {
  for (const auto& task : nlohmann::json::parse(catalogue_json())) {
    if (task.at("id") == "Adam") {
      EXPECT_EQ(task.at("entry"), "adam_step");
    }
  }
}

TEST(Export, DocumentationNamesEveryTaskAndDeviation) {
  std::string text = catalogue_markdown();
  for (const Task& task : catalogue()) {
    EXPECT_NE(text.find("### " + std::string(task.id) + "\n"), std::string::npos);
    EXPECT_NE(text.find(task.deviation), std::string::npos);
  }
}

}  // namespace
}  // namespace kbx::testing
