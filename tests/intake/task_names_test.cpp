// SPDX-License-Identifier: Apache-2.0
#include "intake/task_names.h"

#include <gmock/gmock.h>

#include "fixture.h"

namespace kbx {
namespace {

using ::testing::ElementsAre;

const TaskNames kNames = testing::task_names();

std::string id(const TaskName* task) { return task ? task->id : "none"; }

TEST(TaskNames, FindsByIdEntryAndCase) {
  EXPECT_EQ(id(kNames.find("Adam")), "Adam");
  EXPECT_EQ(id(kNames.find("adam_step")), "Adam");
  EXPECT_EQ(id(kNames.find("adam")), "Adam");
  EXPECT_EQ(id(kNames.find("gel")), "none");
}

TEST(TaskNames, APathMeansItsStemBeforeItsFolders) {
  EXPECT_EQ(id(kNames.of_path("Activation/gelu.py")), "gelu");
  EXPECT_EQ(id(kNames.of_path("selu/gelu.py")), "gelu");
  EXPECT_EQ(id(kNames.of_path("selu/a/b/c.py")), "selu");
  EXPECT_EQ(id(kNames.of_path("index_fill_.py")), "index_fill_");
  EXPECT_EQ(id(kNames.of_path("index_fill___3.py")), "none");
  EXPECT_EQ(id(kNames.of_path("gelu__3.py")), "gelu");
  EXPECT_EQ(id(kNames.of_path("gelu-gpt.v2.py")), "gelu");
  EXPECT_EQ(id(kNames.of_path("gelu_v2.py")), "none");
}

TEST(TaskNames, NearestCountsASwapAsOneAndIgnoresCase) {
  EXPECT_EQ(kNames.nearest("GLEU").front(), "gelu");
  EXPECT_EQ(kNames.nearest("matmull").front(), "matmul");
  EXPECT_EQ(nearest_names("abcd", {"zbcz", "bacd"}).front(), "bacd");
  EXPECT_EQ(kNames.nearest("x").size(), 3u);
}

TEST(TaskNames, AlternativesReadAsASentence) {
  EXPECT_EQ(alternatives({"a"}), "a");
  EXPECT_EQ(alternatives({"a", "b"}), "a or b");
  EXPECT_EQ(alternatives({"a", "b", "c"}), "a, b or c");
}

}  // namespace
}  // namespace kbx
