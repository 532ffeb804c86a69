// SPDX-License-Identifier: Apache-2.0
#include "pipeline/gpu_kernels.h"

#include <algorithm>
#include <array>
#include <regex>

namespace kbx {
namespace {

struct Row {
  const char* library;
  const char* name;  // ECMAScript, from the start of function_name()
};

// Names as profilers show them: cuBLAS 11 to 13, cuDNN 8 and 9, cuFFT, cuSOLVER, MAGMA, ATen and inductor of torch 2.x. Written
// so that names which a person gives to a kernel (gemm_kernel, matmul_kernel, my_gemv, splitk_gemm) are not among them.
constexpr std::array kTable{
    Row{"ATen", "(at|c10|caffe2)::"},
    Row{"ATen", "(at_cuda_detail|pytorch_flash|PyTorchMemEffAttention|gen_sigmoid|pytorch_mem_eff)::"},
    Row{"ATen", R"(fmha_cutlass[FB]_)"},
    Row{"ATen", R"(\(anonymous namespace\)::(elementwise_kernel_with_index|softmax_warp_|CatArrayBatchedCopy))"},
    Row{"CUB and Thrust", "(thrust|cub)(::|_[0-9A-Z_]+::)"},
    Row{"cuBLAS", R"(nvjet_)"},
    Row{"cuBLAS", R"((cublas|cublasLt|cublasXt)\w*::)"},
    Row{"cuBLAS", R"(cutlass(::|__\w+::|_\d\w*)|cask_)"},
    Row{"cuBLAS", R"(sm\d+_xmma_|xmma_)"},
    Row{"cuBLAS",
        R"((maxwell|volta|turing|ampere|hopper|blackwell)_\w*(gemm|symm|syrk|trsm|cudnn|conv|fprop|dgrad|wgrad|\d{3,}))"},
    Row{"cuBLAS", R"(gemmk1_kernel|gemmSN_[A-Z]+_kernel|gemm_kernel[12]x[12]_(tile|core)|[sdczh]gemm_(largek|[NT][NT]_))"},
    Row{"cuBLAS", R"(gemv2[TN]_kernel|gemvNSP_kernel|gemvx::|internal::gemvx::|internal::region_transform|gemv_strided_)"},
    Row{"cuBLAS", R"(splitKreduce_kernel|splitK_reduce_kernel|reduce_1Block_kernel|dot_kernel$|axpy_kernel_val|scal_kernel_val)"},
    Row{"cuBLAS", R"((trsm|trmm|trsv|syrk|symm|ger|herk)_(left|right|ln|lt|rn|rt|lower|upper|batch|kernel_val)\w*|trsm_batch_)"},
    Row{"cuDNN", R"(cudnn(::|_))"},
    Row{"cuDNN", R"((implicit_convolve|explicit_convolve|convolve_common_engine|precomputed_convolve)_\w+)"},
    Row{"cuDNN",
        R"(conv2d_(grouped_direct|c1_k1)_kernel|conv_depthwise2d_\w+_cudnn|dgrad2d_|wgrad2d_|wgrad_alg\d|dgrad_engine|fft2d_[rc]2[rc]_)"},
    Row{"cuDNN",
        R"((generateWinogradTilesKernel|winograd\w*(3x3|4x4)\w*|nchwToNhwcKernel|nhwcToNchwKernel|nchwAddPaddingKernel))"},
    Row{"cuDNN", R"((LSTM|GRU|RNN)_elementWise_|RNN_blockPersist|bn_(fw|bw)_(tr|inf)_)"},
    Row{"cuFFT",
        R"((regular|vector|regular_bluestein|multi_bluestein|composite_\w+)_fft|bluestein_|dpRealComplex|spRealComplex)"},
    Row{"cuFFT", R"(cufft|[sd]pVector\d+|transpose_fft|postprocessC2C|real_complex_fft)"},
    Row{"cuSOLVER", R"((cusolver|cusolverDn)\w*)"},
    Row{"cuSOLVER",
        R"((getrf|getrs|geqrf|geqr2|gesvd|gesvdj|syevj|syevd|heevj|heevd|potrf|potrs|potri|ormqr|ormtr|orgqr|larf|larft|larfg|larfb|laswp|stedc|sytd2|sytrd|lansy|laed\d|gebrd|gebd2)_\w+)"},
    Row{"cuSOLVER", R"((batch_(eigh|svd|symmetric)_|svd_(row|column)_rotate_|syevBatch))"},
    Row{"cuSPARSE", R"((cusparse\w*::|csr\w+_kernel_v\d))"},
    Row{"cuRAND", R"((curand|generate_seed_pseudo|gen_sequenced))"},
    Row{"MAGMA", R"((magma|magmablas)\w*|[sdcz](lacpy|laset|laswp|trtri|larf\w*)_\w*(kernel|device)\w*)"},
    Row{"inductor", R"(triton_(poi|red|per|tem|mm|spl|for|unk)_)"},
};

// Anywhere in the full name: template arguments that only these libraries have.
constexpr std::array kArguments = {"cublasGemv", "cublasDot",    "cublasScal", "cublasAxpy",      "cublasParams",
                                   "cublasLt::", "at::native::", "cudnn::",    "cutlass::gemm::", "cask_plugin"};
// The interpreter's rule takes these operators for no computation (census.py): Fill.cu, Copy.cu and the distributions of ATen.
constexpr std::array kNeutral = {"FillFunctor", "copy_kernel_cuda", "distribution_elementwise_grid_stride_kernel",
                                 "distribution_nullary_kernel"};

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

template <typename Parts>
bool contains_any(std::string_view text, const Parts& parts) {
  return std::any_of(parts.begin(), parts.end(), [&](const char* part) { return contains(text, part); });
}

}  // namespace

std::string function_name(std::string_view text) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)";
  std::string name;
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (depth == 0 && text.substr(i).starts_with(kAnonymous)) {
      name += '\x01';  // without its blank
      i += kAnonymous.size() - 1;
    } else if (c == '<') {
      ++depth;
    } else if (c == '>') {
      if (depth > 0) --depth;
    } else if (depth == 0 && c == '(') {
      break;  // the parameters
    } else if (depth == 0) {
      name += c;
    }
  }
  while (!name.empty() && name.back() == ' ') name.pop_back();
  if (const size_t blank = name.rfind(' '); blank != std::string::npos) name.erase(0, blank + 1);  // what it returns
  if (const size_t mark = name.find('\x01'); mark != std::string::npos) name.replace(mark, 1, kAnonymous);
  return name;
}

bool is_generated_name(std::string_view name) {
  static const std::regex kGenerated(
      R"(nvjet_|cutlass(_\d|__)|sm\d+_xmma_|xmma_|(volta|turing|ampere|hopper|blackwell)_\w*(gemm|cudnn)|cudnn_generated_)");
  return std::regex_search(function_name(name), kGenerated, std::regex_constants::match_continuous);
}

bool is_header_template(std::string_view name) {
  static const std::regex kTemplates(R"((thrust|cub|cutlass)(_[0-9A-Z_]+)?::)");
  return std::regex_search(function_name(name), kTemplates, std::regex_constants::match_continuous);
}

KernelOrigin kernel_origin(std::string_view demangled) {
  const std::string name = function_name(demangled);
  if (name.starts_with("at::") && contains_any(demangled, kNeutral)) return KernelOrigin::neutral;
  if (name.starts_with("memset") || name.starts_with("memcpy") || name.starts_with("[CUDA mem")) return KernelOrigin::neutral;
  static const std::array kRows = [] {
    std::array<std::regex, kTable.size()> rows;
    std::transform(kTable.begin(), kTable.end(), rows.begin(), [](const Row& row) { return std::regex(row.name); });
    return rows;
  }();
  const bool named = std::any_of(kRows.begin(), kRows.end(), [&](const std::regex& row) {
    return std::regex_search(name, row, std::regex_constants::match_continuous);
  });
  return named || contains_any(demangled, kArguments) ? KernelOrigin::library : KernelOrigin::own;
}

}  // namespace kbx
