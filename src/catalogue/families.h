// SPDX-License-Identifier: Apache-2.0
// Where the tasks are: src/catalogue/<category>/<family>.cpp. A new family is a file, a line here and one in CMakeLists.txt.
#pragma once

#include <span>

#include "catalogue/task.h"

namespace kbx {

std::span<const Task> gelu_family();
std::span<const Task> rectifier_family();
std::span<const Task> sigmoid_family();
std::span<const Task> arithmetic_family();
std::span<const Task> matmul_family();
std::span<const Task> mean_family();

inline constexpr std::span<const Task> (*kFamilies[])() = {
    gelu_family, rectifier_family, sigmoid_family, arithmetic_family, matmul_family, mean_family,
};

}  // namespace kbx
