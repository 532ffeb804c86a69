// SPDX-License-Identifier: Apache-2.0
// Inputs from recipes. Every element is a function of (key, its index) alone, so that contents do not depend on the
// machine, on threads or on the order in which tensors are made. Large tensors on a GPU are drawn there
// (catalogue/generate_device.h): they follow from the key too, but are others than the host's.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <string>
#include <string_view>

#include "catalogue/case_syntax.h"
#include "catalogue/stream.h"
#include "core/result.h"

namespace kbx {

// "f32", "bf16", "i64", "bool", ...
std::optional<at::ScalarType> dtype_named(std::string_view name);
// All names, for messages.
std::string dtype_names();

// The name of the type that a recipe without one has. REQUIRES: a known generator.
std::string_view default_dtype(const Recipe& recipe);

// Error: an unknown generator, dtype or mod, a wrong number of parameters, missing dimensions; says what is allowed.
Status check_recipe(const Recipe& recipe);

// The recipe draws floating numbers and no mod says @fixed: outlier cases scale some of its entries.
bool takes_outliers(const Recipe& recipe);

// REQUIRES: check_recipe(recipe) is ok.
at::Tensor generate(const Recipe& recipe, uint64_t key, at::Device device);

// float64 on the host, uniform in [low, high).
at::Tensor uniform_numbers(at::IntArrayRef sizes, double low, double high, uint64_t key);

}  // namespace kbx
