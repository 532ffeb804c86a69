// SPDX-License-Identifier: Apache-2.0
#include "judge/device.h"

#include <ATen/Context.h>
#include <ATen/ops/empty.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>

#include "judge/device_error.h"

namespace kbx {

std::optional<int> device_named(std::string_view text) {
  if (text == "cpu") return -1;
  if (text == "cuda") return 0;
  if (!text.starts_with("cuda:") || text.size() == 5 || text.size() > 8 ||
      text.find_first_not_of("0123456789", 5) != std::string_view::npos)
    return std::nullopt;
  return std::stoi(std::string(text.substr(5)));
}

Status load_cuda_libraries() {
  if (dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL) == nullptr)
    return Error{"there is no NVIDIA driver on this machine (libcuda.so.1)",
                 "`kbx doctor` says what to install; without a GPU: --device cpu"};
  if (dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_GLOBAL) == nullptr)
    return Error{fmt::format("libtorch has no CUDA part: {}", dlerror()),
                 "make demo (installs a torch with CUDA), or KBX_PYTHON=/path/to/python of an environment that has one"};
  return Done{};
}

Status load_cuda(int ordinal) {
  if (Status loaded = load_cuda_libraries(); !loaded) return loaded;
  try {
    const auto& hooks = at::detail::getCUDAHooks();
    const int visible = hooks.hasCUDA() ? hooks.getNumGPUs() : 0;
    if (visible <= ordinal) return no_such_device(ordinal, visible, std::getenv("CUDA_VISIBLE_DEVICES"));
    at::globalContext().lazyInitDevice(at::kCUDA);
    c10::impl::VirtualGuardImpl(at::kCUDA).setDevice({at::kCUDA, static_cast<at::DeviceIndex>(ordinal)});
    at::empty({1}, at::TensorOptions().device(at::Device(at::kCUDA, static_cast<at::DeviceIndex>(ordinal))).dtype(at::kFloat))
        .fill_(0);
  } catch (const c10::Error& e) {
    return Error{fmt::format("CUDA device {} cannot be used: {}", ordinal, e.what_without_backtrace()),
                 "`kbx doctor` and nvidia-smi say whether driver (580 or newer) and GPU are in order"};
  }
  return Done{};
}

}  // namespace kbx
