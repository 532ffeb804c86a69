// SPDX-License-Identifier: Apache-2.0
// The cases that every operator with one input and a result of its shape is called with: shapes and layouts do not
// depend on what is computed. Values that matter to an operator are its own cases.
#pragma once

#include <string_view>
#include <vector>

namespace kbx {

struct Elementwise {
  std::string_view argument = "input";  // the input's name
  std::string_view recipe = "randn";    // of its elements: what stands before the sizes
  std::string_view out = "out";         // the argument for a given result; empty if there is none
};

// The shared cases, then `own`. The shared ones have three standard cases, and boundary cases of layouts, of 0 and 1
// elements and 0 dimensions, near zero (the recipe times 1e-4), and with `out`. None calls the input by keyword: some
// published texts name it otherwise. The text is never freed.
std::vector<std::string_view> elementwise_cases(const Elementwise& shape, std::vector<std::string_view> own);

// How eager works through the elements on a CPU: several at once as they come from memory (about 0.5 ns each), several at once
// by longer formulas (1 ns and more), or one at a time (about 10 ns).
enum class Pace { streaming, vectorised, scalar };

// The cases timed on a CPU.
std::vector<std::string_view> elementwise_perf(const Elementwise& shape, Pace pace = Pace::streaming);

}  // namespace kbx
