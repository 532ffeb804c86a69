// SPDX-License-Identifier: Apache-2.0
// The matrices of catalogue/matrices.h made by ATen, where their numbers lie: for large ones on a GPU, whose making would take
// the host longer than all calls with them.
#pragma once

#include <ATen/core/Tensor.h>

#include <string_view>

namespace kbx {

// Whether `generator` names a structure: "symmetric", "hermitian", "spd", "lower", "upper" or "dominant".
bool is_structure(std::string_view generator);

// That structure made of real numbers X, float64, shape [..., n, n]; X is left alone. `parameter`: of spd, lower, upper and
// dominant. The same matrices as on the host but for roundings; symmetric ones are so to the bit.
at::Tensor structured(std::string_view generator, double parameter, const at::Tensor& x);

}  // namespace kbx
