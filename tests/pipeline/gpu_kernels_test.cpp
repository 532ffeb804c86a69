// SPDX-License-Identifier: Apache-2.0
#include "pipeline/gpu_kernels.h"

#include <gtest/gtest.h>

namespace kbx {
namespace {

TEST(FunctionName, ReturnTypeTemplateArgumentsAndParametersAreLeftOut) {
  EXPECT_EQ(function_name("add(float*)"), "add");
  EXPECT_EQ(function_name("nvjet_tst_128x64_64x8_1x2_h_bz_TNN"), "nvjet_tst_128x64_64x8_1x2_h_bz_TNN");
  EXPECT_EQ(function_name("void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, "
                          "std::array<char*, 1ul> >(int, at::native::FillFunctor<float>, std::array<char*, 1ul>)"),
            "at::native::vectorized_elementwise_kernel");
  EXPECT_EQ(function_name("void (anonymous namespace)::softmax_warp_forward<float, float, float, 8, false>(float*, int)"),
            "(anonymous namespace)::softmax_warp_forward");
  EXPECT_EQ(function_name("std::enable_if<!(false), void>::type internal::gemvx::kernel<int, int, float, float>(T)"),
            "internal::gemvx::kernel");
}

// As profiles of torch 2.x on A100 and H100 show them.
TEST(KernelOrigin, LibraryKernelsAreRecognisedByName) {
  for (const char* name : {
           "nvjet_tst_128x64_64x8_1x2_h_bz_TNN",
           "nvjet_hsh_256x128_64x4_1x2_h_bz_coopA_NNT",
           "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize32x32x8_stage3_warpsize1x2x1_ffma_aligna4_alignc4_execute_kernel__5x_"
           "cublas",
           "sm90_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize128x128x64_execute_kernel__5x_cudnn",
           "void cutlass::Kernel2<cutlass_80_tensorop_d884gemm_64x64_16x4_nn_align1>(cutlass_80_tensorop_d884gemm::Params)",
           "cutlass_80_simt_sgemm_64x64_8x5_nn_align1",
           "ampere_sgemm_128x64_tn",
           "ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_64x3_nn",
           "turing_fp16_s1688gemm_fp16_128x128_ldg8_f2f_nn",
           "volta_sgemm_32x32_sliced1x4_nn",
           "void gemmk1_kernel<int, float, 256, 5, false, false, false, false, cublasGemvTensorStridedBatched<float> >(T)",
           "void gemmSN_TN_kernel<float, 128, 16, 2, 4, 4, 4, true, cublasGemvTensorStridedBatched<float const> >(T)",
           "void gemv2T_kernel_val<int, int, float, float, float, float, 128, 16, 4, 4, false, false, T>(T, float, float)",
           "std::enable_if<!(false), void>::type internal::gemvx::kernel<int, int, float, float, float, float, false, true, "
           "false, false, 7, false, cublasGemvParamsEx<int> >(cublasGemvParamsEx<int>)",
           "void cublasLt::splitKreduce_kernel<32, 16, int, float, float, float, float, true, false, false>(T)",
           "void splitKreduce_kernel<32, 16, int, float, float, float, float, true, false, false>(T)",
           "void dot_kernel<float, 128, 0, cublasDotParams<cublasGemvTensor<float const> > >(T)",
           "void reduce_1Block_kernel<float, 128, 7, cublasGemvTensorStridedBatched<float> >(float const*)",
           "void cudnn::ops::nchwToNhwcKernel<float, float, float, false, true>(T)",
           "void cudnn::bn_fw_tr_1C11_kernel_NCHW<float, float, int, 512, true, 1, true>(T)",
           "cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_6_64x64x128_4x1x1_kernel0_0",
           "void implicit_convolve_sgemm<float, float, 1024, 5, 5, 3, 3, 3, 1, false, false, true>(T)",
           "void regular_fft<256u, EPT<16u>, 16u, 2u, (padding_t)1, false, (mapping)0>(T)",
           "void vector_fft<128u, EPT<8u>, 8u, 4u, (padding_t)1>(T)",
           "void getrf_pivot<float, float, 256>(int)",
           "magma_sgemmEx_kernel(int)",
           "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul> >(int)",
           "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::MeanOps<float> > >(T)",
           "void (anonymous namespace)::softmax_warp_forward<float, float, float, 8, false, false>(float*, float const*, int)",
           "void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<64> >(pytorch_flash::Flash_fwd_params)",
           "fmha_cutlassF_f32_aligned_64x64_rf_sm80(PyTorchMemEffAttention::AttentionKernel::Params)",
           "void at_cuda_detail::cub::DeviceRadixSortSingleTileKernel<T>(float const*)",
           "void cub::CUB_200700_900_NS::DeviceScanKernel<T>(float const*)",
           "void thrust::cuda_cub::core::_kernel_agent<T>(T)",
           "triton_poi_fused_add_gelu_0",
           "triton_red_fused_native_layer_norm_1",
           "triton_per_fused__softmax_2",
           "triton_tem_fused_mm_3",
       })
    EXPECT_EQ(kernel_origin(name), KernelOrigin::library) << name;
}

TEST(KernelOrigin, AKernelThatMerelyContainsTheWordGemmIsTheCandidatesOwn) {
  for (const char* name : {"my_gemm_kernel",
                           "matmul_kernel",
                           "gemm_kernel",
                           "gemv_kernel",
                           "gemm(float*, float*, float*, int)",
                           "void sgemm_tiled<32>(float const*, float const*, float*, int)",
                           "splitk_gemm",
                           "dot_kernel_fused",
                           "_softmax_kernel",
                           "softmax_warp",
                           "fft_kernel",
                           "flash_attn_fwd",
                           "add(float*)",
                           "ampere_kernel",
                           "triton_kernel",
                           "triton_add",
                           "conv2d_kernel",
                           "reduce_kernel",
                           "layer_norm_fwd_fused",
                           "void (anonymous namespace)::scale<float>(float*, int)",
                           "void mine::at::add(float*)",
                           "cubic_kernel"})
    EXPECT_EQ(kernel_origin(name), KernelOrigin::own) << name;
}

TEST(KernelOrigin, FillsCopiesAndRandomNumbersAreNobodysWork) {
  for (const char* name :
       {"void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, std::array<char*, 1ul> >(int)",
        "void at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}"
        "::operator()() const::{lambda()#7}::operator()() const::{lambda(float)#1}, std::array<char*, 2ul>, 4>(int)",
        "void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<at::native::bfloat16_copy_kernel_cuda("
        "at::TensorIteratorBase&)::{lambda(float)#1}> >(int)",
        "void at::native::(anonymous namespace)::distribution_elementwise_grid_stride_kernel<float, 4, T>(long)", "memset"})
    EXPECT_EQ(kernel_origin(name), KernelOrigin::neutral) << name;
}

TEST(KernelOrigin, ACandidatesOwnFillFunctorIsItsOwn) {
  EXPECT_EQ(kernel_origin("void fill<FillFunctor>(float*)"), KernelOrigin::own);
}

TEST(GeneratedNames, AHandWrittenKernelHasNone) {
  EXPECT_TRUE(is_generated_name("nvjet_tst_128x64_64x8_1x2_h_bz_TNN"));
  EXPECT_TRUE(is_generated_name("ampere_sgemm_128x64_tn"));
  EXPECT_FALSE(is_generated_name("gemv2T_kernel"));
  EXPECT_FALSE(is_generated_name("triton_poi_fused_add_0"));
}

}  // namespace
}  // namespace kbx
