// SPDX-License-Identifier: Apache-2.0
#include "catalogue/usage.h"

#include <algorithm>

#include "catalogue/case_syntax.h"
#include "catalogue/cases.h"
#include "catalogue/generate.h"
#include "catalogue/schema.h"

namespace kbx {
namespace {

void note(const FieldValue& value, bool raises, ArgumentUse& use) {
  if (value.kind == FieldValue::Kind::list &&
      std::ranges::any_of(value.items, [](const FieldValue& item) { return item.kind == FieldValue::Kind::recipe; })) {
    for (const FieldValue& item : value.items) note(item, raises, use);
    return;
  }
  if (value.kind != FieldValue::Kind::recipe) {
    use.values.insert(value.text);
    return;
  }
  if (raises) return;
  const Recipe& recipe = value.recipe;
  use.dtypes.insert(std::string(recipe.dtype.empty() ? default_dtype(recipe) : recipe.dtype));
  use.dimensions.insert(recipe.has_dims ? recipe.dims.size() : 1);
  use.empty |= recipe.has_dims && std::ranges::count(recipe.dims, 0) > 0;
  for (const Recipe::Mod& mod : recipe.mods) use.mods.insert(mod.name);
}

}  // namespace

std::vector<ArgumentUse> usage_of(const Task& task) {
  std::vector<ArgumentUse> uses;
  for (const auto& argument : parsed_schema(task.schema).arguments()) uses.push_back({.name = argument.name()});
  std::vector<Case> cases = cases_of(task, 0);
  for (const at::DeviceType device : {at::kCPU, at::kCUDA})
    std::ranges::move(perf_cases_of(task, device), std::back_inserter(cases));
  for (const Case& c : cases) {
    const CaseText text = parse_case_text(split_case(c.line, c.stage).value()).value();
    for (ArgumentUse& use : uses) {
      const auto field = std::ranges::find(text.fields, use.name, &CaseField::name);
      if (field == text.fields.end())
        use.left_out = true;
      else
        note(field->value, c.raises, use);
    }
  }
  return uses;
}

}  // namespace kbx
