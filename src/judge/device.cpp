// SPDX-License-Identifier: Apache-2.0
#include "judge/device.h"

#include <ATen/Context.h>
#include <ATen/ops/empty.h>
#include <dlfcn.h>
#include <fmt/format.h>

namespace kbx {

Status load_cuda(int ordinal) {
  if (dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL) == nullptr)
    return Error{"there is no NVIDIA driver on this machine (libcuda.so.1)", "install one, or use --device cpu"};
  if (dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_GLOBAL) == nullptr)
    return Error{fmt::format("libtorch has no CUDA part: {}", dlerror()), "use a CUDA build of torch, see README.md"};
  try {
    const auto& hooks = at::detail::getCUDAHooks();
    if (!hooks.hasCUDA() || hooks.getNumGPUs() <= ordinal)
      return Error{fmt::format("there is no CUDA device {}; {} are visible", ordinal, static_cast<int>(hooks.getNumGPUs())),
                   "check nvidia-smi and CUDA_VISIBLE_DEVICES, and that the driver is new enough for CUDA 13 (580 or later)"};
    at::globalContext().lazyInitDevice(at::kCUDA);
    at::empty({1}, at::TensorOptions().device(at::Device(at::kCUDA, static_cast<at::DeviceIndex>(ordinal))).dtype(at::kFloat))
        .fill_(0);
  } catch (const c10::Error& e) {
    return Error{fmt::format("CUDA device {} cannot be used: {}", ordinal, e.what_without_backtrace()),
                 "check nvidia-smi; the driver must be 580 or later for CUDA 13"};
  }
  return Done{};
}

}  // namespace kbx
