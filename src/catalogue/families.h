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
std::span<const Task> special_family();
std::span<const Task> polygamma_family();
std::span<const Task> elementary_family();
std::span<const Task> square_root_family();
std::span<const Task> binary_arithmetic_family();
std::span<const Task> half_multiply_family();
std::span<const Task> bits_family();
std::span<const Task> softmax_family();
std::span<const Task> half_activation_family();
std::span<const Task> smooth_activation_family();
std::span<const Task> gelu_int8_family();
std::span<const Task> combined_activation_family();
std::span<const Task> conv_transpose_family();
std::span<const Task> fused_conv2d_activation_family();
std::span<const Task> fused_conv2d_normalization_family();
std::span<const Task> fused_linear_activation_family();
std::span<const Task> fused_activation_normalization_family();
std::span<const Task> fused_activation_pooling_family();
std::span<const Task> fused_attention_family();
std::span<const Task> fused_dropout_activation_family();
std::span<const Task> fused_dropout_bmm_family();
std::span<const Task> fused_pairwise_family();
std::span<const Task> fused_similarity_family();
std::span<const Task> fused_classification_family();
std::span<const Task> fused_reconstruction_family();
std::span<const Task> fused_embedding_family();
std::span<const Task> fused_activation_reduction_family();
std::span<const Task> fused_elementwise_family();
std::span<const Task> fused_selection_family();
std::span<const Task> fused_logarithm_family();
std::span<const Task> fused_tile_family();
std::span<const Task> gather_scatter_family();
std::span<const Task> permute_family();
std::span<const Task> determinant_family();
std::span<const Task> direct_solve_family();
std::span<const Task> symmetric_solve_family();
std::span<const Task> factorization_family();
std::span<const Task> probability_loss_family();
std::span<const Task> affine_product_family();
std::span<const Task> half_matmul_family();
std::span<const Task> symmetric_product_family();
std::span<const Task> matrix_vector_family();
std::span<const Task> contraction_family();
std::span<const Task> similarity_normalization_family();
std::span<const Task> vector_norm_family();
std::span<const Task> decayed_optimizer_family();
std::span<const Task> sgd_family();
std::span<const Task> average_pool_family();
std::span<const Task> quantised_product_family();
std::span<const Task> quantised_layer_norm_family();
std::span<const Task> quantised_attention_family();
std::span<const Task> binomial_family();
std::span<const Task> deviation_family();
std::span<const Task> argmax_family();
std::span<const Task> min_gelu_family();
std::span<const Task> sum_family();
std::span<const Task> affine_sampling_family();
std::span<const Task> interpolate_family();

inline constexpr std::span<const Task> (*kFamilies[])() = {
    gelu_family,
    rectifier_family,
    sigmoid_family,
    convolution_family,
    cos_signbit_family,
    index_select_eq_family,
    mv_sigmoid_sub_family,
    stacking_family,
    add_mean_family,
    fused_pooling_family,
    sum_std_family,
    dropout_product_family,
    masking_family,
    decomposition_family,
    cross_entropy_family,
    regression_loss_family,
    arithmetic_family,
    exponential_family,
    unary_family,
    logit_family,
    fourier_family,
    matmul_family,
    batch_norm_family,
    adam_family,
    lion_family,
    adaptive_pool_family,
    w8a8_family,
    uniform_family,
    logspace_family,
    mean_family,
    extremum_family,
    sampling_family,
    linear_solve_family,
    lu_family,
    cholesky_family,
    spectral_family,
    spectral_norm_family,
    special_family,
    polygamma_family,
    elementary_family,
    square_root_family,
    binary_arithmetic_family,
    half_multiply_family,
    bits_family,
    softmax_family,
    half_activation_family,
    smooth_activation_family,
    gelu_int8_family,
    combined_activation_family,
    conv_transpose_family,
    fused_conv2d_activation_family,
    fused_conv2d_normalization_family,
    fused_linear_activation_family,
    fused_activation_normalization_family,
    fused_activation_pooling_family,
    fused_attention_family,
    fused_dropout_activation_family,
    fused_dropout_bmm_family,
    fused_pairwise_family,
    fused_similarity_family,
    fused_classification_family,
    fused_reconstruction_family,
    fused_embedding_family,
    fused_activation_reduction_family,
    fused_elementwise_family,
    fused_selection_family,
    fused_logarithm_family,
    fused_tile_family,
    gather_scatter_family,
    permute_family,
    determinant_family,
    direct_solve_family,
    symmetric_solve_family,
    factorization_family,
    probability_loss_family,
    affine_product_family,
    half_matmul_family,
    symmetric_product_family,
    matrix_vector_family,
    contraction_family,
    similarity_normalization_family,
    vector_norm_family,
    decayed_optimizer_family,
    sgd_family,
    average_pool_family,
    quantised_product_family,
    quantised_layer_norm_family,
    quantised_attention_family,
    binomial_family,
    deviation_family,
    argmax_family,
    min_gelu_family,
    sum_family,
    affine_sampling_family,
    interpolate_family,
};

}  // namespace kbx
