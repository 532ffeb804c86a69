// SPDX-License-Identifier: Apache-2.0
// Tasks and bound calls for the catalogue's tests.
#pragma once

#include <ATen/TensorOperators.h>
#include <gtest/gtest.h>

#include <string>

#include "catalogue/cases.h"

namespace kbx::testing {

// A task that has only a schema; enough for binding.
inline Task task_of(std::string_view schema) {
  return {.id = "made_up",
          .category = Category::math,
          .schema = schema,
          .reference = nullptr,
          .contract = numeric(),
          .cases = {},
          .perf = {}};
}

inline Call must_bind(const Task& task, std::string_view line, uint64_t seed = 1, uint64_t contents = 0) {
  auto parsed = parse_case(task, line);
  EXPECT_TRUE(parsed.ok()) << line << ": " << (parsed.ok() ? "" : parsed.error().text());
  if (!parsed) return {};
  auto call = bind(task, *parsed, seed, at::kCPU, contents);
  EXPECT_TRUE(call.ok()) << line << ": " << (call.ok() ? "" : call.error().text());
  return call ? *call : Call{};
}

inline std::string error_of(const Task& task, std::string_view line) {
  auto parsed = parse_case(task, line);
  return parsed ? "no error" : parsed.error().text();
}

}  // namespace kbx::testing
