// SPDX-License-Identifier: Apache-2.0
// Where the tasks are: src/catalogue/<category>/<family>.cpp. A new family is a file, a line here and one in CMakeLists.txt.
#pragma once

#include <span>

#include "catalogue/task.h"

namespace kbx {

std::span<const Task> gelu_family();
std::span<const Task> rectifier_family();
std::span<const Task> sigmoid_family();
std::span<const Task> convolution_family();
std::span<const Task> cos_signbit_family();
std::span<const Task> index_select_eq_family();
std::span<const Task> mv_sigmoid_sub_family();
std::span<const Task> stacking_family();
std::span<const Task> add_mean_family();
std::span<const Task> fused_pooling_family();
std::span<const Task> sum_std_family();
std::span<const Task> dropout_product_family();
std::span<const Task> masking_family();
std::span<const Task> decomposition_family();
std::span<const Task> cross_entropy_family();
std::span<const Task> regression_loss_family();
std::span<const Task> arithmetic_family();
std::span<const Task> exponential_family();
std::span<const Task> unary_family();
std::span<const Task> logit_family();
std::span<const Task> fourier_family();
std::span<const Task> matmul_family();
std::span<const Task> batch_norm_family();
std::span<const Task> adam_family();
std::span<const Task> lion_family();
std::span<const Task> adaptive_pool_family();
std::span<const Task> w8a8_family();
std::span<const Task> uniform_family();
std::span<const Task> logspace_family();
std::span<const Task> mean_family();
std::span<const Task> extremum_family();
std::span<const Task> sampling_family();
std::span<const Task> linear_solve_family();
std::span<const Task> lu_family();
std::span<const Task> cholesky_family();
std::span<const Task> spectral_family();
std::span<const Task> spectral_norm_family();

inline constexpr std::span<const Task> (*kFamilies[])() = {
    gelu_family,           rectifier_family,
    sigmoid_family,        convolution_family,
    cos_signbit_family,    index_select_eq_family,
    mv_sigmoid_sub_family, stacking_family,
    add_mean_family,       fused_pooling_family,
    sum_std_family,        dropout_product_family,
    masking_family,        decomposition_family,
    cross_entropy_family,  regression_loss_family,
    arithmetic_family,     exponential_family,
    unary_family,          logit_family,
    fourier_family,        matmul_family,
    batch_norm_family,     adam_family,
    lion_family,           adaptive_pool_family,
    w8a8_family,           uniform_family,
    logspace_family,       mean_family,
    extremum_family,       sampling_family,
    linear_solve_family,   lu_family,
    cholesky_family,       spectral_family,
    spectral_norm_family,
};

}  // namespace kbx
