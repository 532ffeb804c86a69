// SPDX-License-Identifier: Apache-2.0
#include "selfcheck/allowances.h"

namespace kbx {
namespace {

struct Allowance {
  std::string_view task, trial, reason;
  bool only_cuda = false;
};

constexpr std::string_view kLogitBound = "the bound 1 - eps is taken in the input's type, as the task says";
constexpr std::string_view kEigInPlace = "torch.linalg.eig on CUDA computes in the memory of a transposed batch";
constexpr std::string_view kBiasCancels = "the normalisation of each channel takes the bias off again";
constexpr std::string_view kColumnOrder = "A A' does not ask for the order of the columns of A";
constexpr std::string_view kCudnnEpsilon = "cuDNN takes no epsilon below 1e-5, so that a smaller one changes nothing";
constexpr std::string_view kAnotherMask = "another mask of the same law";
constexpr std::string_view kDrawnInPlace = "on a GPU only dropout in place draws like this: one small case";
constexpr std::string_view kFullMatrices = "the columns beyond the rank are not used";

constexpr Allowance kAllowances[] = {
    {"rand", "uniform: from 1 % off",
     "a range that starts at 0.01 is too little for 65 thousand numbers at a false-alarm rate of 1e-6"},
    {"batch_norm", "cudnn_batch_norm: epsilon 1 % off", kCudnnEpsilon, /*only_cuda=*/true},
    {"fused_bmm_dropout_gelu", "ignores inplace", kAnotherMask, /*only_cuda=*/true},
    {"fused_dropout_relu_batch_norm_conv2d", "ignores inplace", kAnotherMask, /*only_cuda=*/true},
    {"fused_dropout_sigmoid_linear", "bernoulli: p 20 % off", kDrawnInPlace, /*only_cuda=*/true},
    {"fused_hardsigmoid_batch_norm", "cudnn_batch_norm: epsilon 1 % off", kCudnnEpsilon, /*only_cuda=*/true},
    {"fused_sigmoid_batch_norm", "cudnn_batch_norm: epsilon 1 % off", kCudnnEpsilon, /*only_cuda=*/true},
    {"fused_dropout_relu_batch_norm_conv2d", "ignores bias", kBiasCancels},
    {"fused_dropout_relu_batch_norm_conv2d", "reads bias as zeros", kBiasCancels},
    {"fused_dropout_relu_batch_norm_conv2d", "reads the rows of bias backwards", kBiasCancels},
    {"fused_dropout_relu_batch_norm_conv2d", "conv2d: without bias", kBiasCancels},
    {"fused_dropout_relu_batch_norm_conv2d", "convolution: without bias", kBiasCancels},
    {"fused_mul_add_logsoftmax_dropout_bmm", "ignores inplace", kAnotherMask, /*only_cuda=*/true},
    {"fused_mul_add_logsoftmax_dropout_bmm", "bernoulli: p 20 % off", kDrawnInPlace, /*only_cuda=*/true},
    {"eig", "each operator in float64", kEigInPlace, /*only_cuda=*/true},
    {"matrix_power_eig", "each operator in float64", kEigInPlace, /*only_cuda=*/true},
    {"spectral_norm_eig", "each operator in float64", kEigInPlace, /*only_cuda=*/true},
    {"fused_softmax_log", "_softmax: without the largest element taken off",
     "exp(log(x)) is x, so only a sum beyond float32's range would tell"},
    {"invert_matrix_lu", "ignores pivot", "the inverse is the same; pivot selects the way to it"},
    {"invert_matrix_lu", "linalg_solve_triangular: left the other way", "the right-hand side is the identity, which commutes"},
    {"invert_matrix_lu", "linalg_solve_triangular: unitriangular the other way", "the diagonal of L is 1 anyway"},
    {"invert_matrix_lu", "tril: left out", "the triangular solve does not read the other triangle"},
    {"invert_matrix_lu", "triu: left out", "the triangular solve does not read the other triangle"},
    {"linear_w4a16", "round: halves away from zero", "a tie may go to either side"},
    {"symmetric_mm_and_abs_sum", "reads the rows of A backwards", kColumnOrder},
    {"logit", "float64, rounded once", kLogitBound},
    {"logit", "each operator in float64", kLogitBound},
    {"logit", "reads infinity as the largest number", "beyond 1 the logarithm of a negative number is NaN, whatever the number"},
    {"low_rank_svd_approximation", "_linalg_svd: full_matrices the other way", kFullMatrices},
    {"low_rank_svd_approximation", "linalg_svd: full_matrices the other way", kFullMatrices},
    {"reciprocal", "reads infinity as the largest number",
     "one over the largest number is below 2^-126, where flushing to zero is allowed"},
};

}  // namespace

std::string allowance(std::string_view task, std::string_view trial, c10::DeviceType device) {
  for (const Allowance& a : kAllowances)
    if (a.task == task && a.trial == trial && (!a.only_cuda || device == c10::DeviceType::CUDA)) return std::string(a.reason);
  return "";
}

std::vector<std::string> allowed_trials(std::string_view task, c10::DeviceType device) {
  std::vector<std::string> trials;
  for (const Allowance& a : kAllowances)
    if (a.task == task && a.only_cuda == (device == c10::DeviceType::CUDA)) trials.emplace_back(a.trial);
  return trials;
}

}  // namespace kbx
