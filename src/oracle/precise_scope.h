// SPDX-License-Identifier: Apache-2.0
// While alive, ATen computes in the precision that the types say, and records no gradients.
#pragma once

#include <ATen/Context.h>
#include <ATen/core/grad_mode.h>

namespace kbx {

// TF32 and reduced-precision accumulation are off (torch allows three of them by default, and a budget measured with
// them is hundreds of times too wide: docs/tolerance.md); the former settings come back at the end. The settings belong
// to the process: one scope at a time, and no other thread may compute meanwhile.
class PreciseScope {
 public:
  PreciseScope() {
    context_.setAllowTF32CuBLAS(false);
    context_.setAllowTF32CuDNN(false);
    context_.setAllowFP16ReductionCuBLAS(false);
    context_.setAllowBF16ReductionCuBLAS(false);
    context_.setAllowFP16AccumulationCuBLAS(false);
    context_.setAllowFP16BF16ReductionMathSDP(false);
  }
  ~PreciseScope() {
    using Reduction = at::CuBLASReductionOption;
    const auto allowed = [](Reduction r) { return r == Reduction::AllowReducedPrecisionWithSplitK; };
    const auto split_k = [](Reduction r) { return r != Reduction::DisallowReducedPrecisionDisallowSplitK; };
    context_.setAllowTF32CuBLAS(tf32_cublas_);
    context_.setAllowTF32CuDNN(tf32_cudnn_);
    context_.setAllowFP16ReductionCuBLAS(allowed(fp16_reduction_), split_k(fp16_reduction_));
    context_.setAllowBF16ReductionCuBLAS(allowed(bf16_reduction_), split_k(bf16_reduction_));
    context_.setAllowFP16AccumulationCuBLAS(fp16_accumulation_);
    context_.setAllowFP16BF16ReductionMathSDP(math_sdp_reduction_);
  }
  PreciseScope(const PreciseScope&) = delete;
  PreciseScope& operator=(const PreciseScope&) = delete;

 private:
  at::Context& context_ = at::globalContext();
  at::NoGradGuard no_grad_;
  bool tf32_cublas_ = context_.allowTF32CuBLAS(), tf32_cudnn_ = context_.allowTF32CuDNN();
  at::CuBLASReductionOption fp16_reduction_ = context_.allowFP16ReductionCuBLAS();
  at::CuBLASReductionOption bf16_reduction_ = context_.allowBF16ReductionCuBLAS();
  bool fp16_accumulation_ = context_.allowFP16AccumulationCuBLAS(),
       math_sdp_reduction_ = context_.allowFP16BF16ReductionMathSDP();
};

}  // namespace kbx
