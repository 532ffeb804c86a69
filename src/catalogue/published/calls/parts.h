// SPDX-License-Identifier: Apache-2.0
// The parts of the recorded calls: the files beside this one. Written by tools/published; do not edit.
#pragma once

#include "catalogue/published/published.h"

// clang-format off
namespace kbx {

std::span<const Published> published_activation_1();
std::span<const Published> published_activation_2();
std::span<const Published> published_convolution();
std::span<const Published> published_fusion_1();
std::span<const Published> published_fusion_2();
std::span<const Published> published_fusion_3();
std::span<const Published> published_fusion_4();
std::span<const Published> published_fusion_5();
std::span<const Published> published_index();
std::span<const Published> published_linear_algebra_1();
std::span<const Published> published_linear_algebra_2();
std::span<const Published> published_loss();
std::span<const Published> published_math_1();
std::span<const Published> published_math_2();
std::span<const Published> published_math_3();
std::span<const Published> published_matrix_multiply();
std::span<const Published> published_normalization();
std::span<const Published> published_optimizer();
std::span<const Published> published_pooling();
std::span<const Published> published_quantization();
std::span<const Published> published_random();
std::span<const Published> published_reduce();
std::span<const Published> published_spatial_ops();

inline constexpr std::span<const Published> (*kParts[])() = {
    published_activation_1,
    published_activation_2,
    published_convolution,
    published_fusion_1,
    published_fusion_2,
    published_fusion_3,
    published_fusion_4,
    published_fusion_5,
    published_index,
    published_linear_algebra_1,
    published_linear_algebra_2,
    published_loss,
    published_math_1,
    published_math_2,
    published_math_3,
    published_matrix_multiply,
    published_normalization,
    published_optimizer,
    published_pooling,
    published_quantization,
    published_random,
    published_reduce,
    published_spatial_ops,
};

}  // namespace kbx
// clang-format on
