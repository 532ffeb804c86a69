// SPDX-License-Identifier: Apache-2.0
#include "catalogue/usage.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "catalogue/schema.h"
#include "support.h"

namespace kbx::testing {
namespace {

// Words that an argument of text can be, by its name.
const std::map<std::string, std::set<std::string>>& known_words() {
  static const std::map<std::string, std::set<std::string>> words = {
      {"approximate", {"none", "tanh"}},
      {"reduction", {"none", "mean", "sum"}},
      {"rounding_mode", {"none", "trunc", "floor"}},
      {"padding_mode", {"zeros", "border", "reflection"}},
  };
  return words;
}

// Arguments (of one task: "task.argument") that no case has to change, and why.
const std::map<std::string, std::string>& left_alone() {
  static const std::map<std::string, std::string> reasons = {
      {"device", "the judge decides where a candidate runs"},
      {"layout", "only strided tensors can be asked for"},
      {"generator", "randomness follows the seed of the call"},
      {"pin_memory", "where host memory lies is the judge's affair"},
      {"requires_grad", "nothing here computes gradients"},
      {"lu.out", "three results to write into, which no published call gives"},
      {"ldl_factor.out", "two results to write into, which no published call gives"},
      {"qr.out", "two results to write into, which no published call gives"},
      {"fused_gelu_min.out", "two results to write into, which no published call gives"},
  };
  return reasons;
}

bool is_negative(const std::string& number) { return number.starts_with('-'); }

// What the cases of a task never do with one of its arguments; empty if nothing is missing.
std::vector<std::string> missing_uses(const Task& task, const c10::Argument& argument, const ArgumentUse& use) {
  std::vector<std::string> missing;
  const auto want = [&](bool there, const char* what) {
    if (!there) missing.push_back(fmt::format("{}.{}: {}", task.id, use.name, what));
  };
  if (left_alone().contains(use.name) || left_alone().contains(fmt::format("{}.{}", task.id, use.name))) return missing;
  const bool absent = use.left_out || use.values.contains("none");
  const bool given = !use.dtypes.empty() || std::ranges::any_of(use.values, [](const std::string& v) { return v != "none"; });
  if (describe(argument).is_out) {
    want(given, "never given");
    return missing;
  }
  if (is_optional(argument)) want(absent && given, "not both with and without a value");
  switch (kind_of(argument)) {
    case ArgumentKind::boolean: {
      std::set<std::string> values = use.values;
      if (use.left_out && argument.default_value() && argument.default_value()->isBool())
        values.insert(argument.default_value()->toBool() ? "true" : "false");
      want(values.contains("true") && values.contains("false"), "not both true and false");
      break;
    }
    case ArgumentKind::integer:
    case ArgumentKind::real: {
      std::set<std::string> values = use.values;
      values.erase("none");
      want(values.size() + (use.left_out ? 1 : 0) >= 2, "always the same number");
      if (use.name == "dim" || use.name == "axis") {
        const bool by_default = use.left_out && argument.default_value() && argument.default_value()->isInt();
        const bool negative = by_default && argument.default_value()->toInt() < 0;
        want(negative || std::ranges::any_of(values, is_negative), "never counted from the end");
        want((by_default && !negative) || std::ranges::any_of(values, [](const std::string& v) { return !is_negative(v); }),
             "never counted from the start");
      }
      break;
    }
    case ArgumentKind::text: {
      std::set<std::string> values = use.values;
      if (use.left_out && argument.default_value())
        values.insert(argument.default_value()->isString() ? argument.default_value()->toStringRef() : "none");
      const auto known = known_words().find(use.name);
      if (known == known_words().end())
        want(values.size() >= 2, "always the same word");
      else
        for (const std::string& word : known->second) want(values.contains(word), fmt::format("never {}", word).c_str());
      break;
    }
    case ArgumentKind::dtype:
      want(use.values.size() - use.values.count("none") >= 2, "not two types");
      break;
    case ArgumentKind::int_list:
      if (use.name == "dim")
        want(std::ranges::any_of(use.values, [](const std::string& v) { return v.find(',') != std::string::npos; }),
             "never several");
      want(use.values.size() + (use.left_out ? 1 : 0) >= 2, "always the same list");
      break;
    case ArgumentKind::tensor:
    case ArgumentKind::tensor_list:
      want(!use.dtypes.empty(), "never a tensor");
      break;
    default:
      break;
  }
  return missing;
}

std::vector<const Task*> all_tasks() {
  std::vector<const Task*> tasks;
  for (const Task& task : catalogue()) tasks.push_back(&task);
  return tasks;
}

class Usage : public ::testing::TestWithParam<const Task*> {};

TEST_P(Usage, CasesLeaveNoArgumentAlone) {
  const Task& task = *GetParam();
  const std::vector<ArgumentUse> uses = usage_of(task);
  const auto& arguments = parsed_schema(task.schema).arguments();
  ASSERT_EQ(uses.size(), arguments.size());
  std::vector<std::string> missing;
  for (size_t i = 0; i < uses.size(); ++i)
    std::ranges::move(missing_uses(task, arguments[i], uses[i]), std::back_inserter(missing));
  EXPECT_TRUE(missing.empty()) << fmt::format("{}", fmt::join(missing, "\n"));
}

TEST_P(Usage, SomeInputIsEmptyAndSomeHasGapsOrAnOffset) {
  const Task& task = *GetParam();
  bool tensors = false, empty = false, layout = false;
  for (const ArgumentUse& use : usage_of(task)) {
    tensors |= !use.dtypes.empty();
    empty |= use.empty;
    for (const char* mod : {"strided", "transposed", "offset", "expanded"}) layout |= use.mods.contains(mod);
  }
  const bool refused = task.id == "fftn" || task.id == "grid_sample_with_affine";  // torch itself raises
  EXPECT_TRUE(!tensors || empty || refused) << "no case has an empty tensor";
  EXPECT_TRUE(!tensors || layout) << "all tensors are contiguous and aligned";
}

INSTANTIATE_TEST_SUITE_P(Catalogue, Usage, ::testing::ValuesIn(all_tasks()),
                         [](const auto& row) { return std::string(row.param->id); });

TEST(UsageOf, SeesValuesTypesAndModifiersOfWrittenCases) {
  const std::vector<ArgumentUse> uses = usage_of(*find_task("mean"));
  const auto use = [&](const char* name) { return *std::ranges::find(uses, name, &ArgumentUse::name); };
  EXPECT_TRUE(use("keepdim").values.contains("true"));
  EXPECT_TRUE(use("keepdim").left_out);
  EXPECT_TRUE(uses.front().dtypes.contains("f32"));
  EXPECT_TRUE(uses.front().dimensions.contains(2));
}

}  // namespace
}  // namespace kbx::testing
