// SPDX-License-Identifier: Apache-2.0
// The words for a GPU that was asked for and is not there.
#pragma once

#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "core/gpus.h"
#include "core/result.h"

namespace kbx {

// `visible`: GPUs that CUDA shows to this process. `own`: CUDA_VISIBLE_DEVICES, nullptr where it is not set.
inline Error no_such_device(int ordinal, int visible, const char* own) {
  if (visible == 0 && own != nullptr)
    return {fmt::format("no GPU is visible: CUDA_VISIBLE_DEVICES is '{}'", own),
            "unset CUDA_VISIBLE_DEVICES, or list in it what nvidia-smi -L prints"};
  if (visible == 0)
    return {"CUDA shows no GPU on this machine", "`kbx doctor` says what is missing (driver 580 or newer, device files, rights)"};
  const std::string list = visible == 1 ? "cuda:0" : fmt::format("cuda:0 to cuda:{}", visible - 1);
  return {fmt::format("there is no GPU cuda:{}; visible {} {}{}", ordinal, visible == 1 ? "is" : "are", list,
                      own ? fmt::format(", counted within CUDA_VISIBLE_DEVICES={}", own) : ""),
          "use --device " + list + (own ? ", or another CUDA_VISIBLE_DEVICES" : "")};
}

// The visible GPU of that number. Error: there is none.
inline Result<Gpu> gpu_of(const std::vector<Gpu>& visible, int ordinal) {
  if (static_cast<size_t>(ordinal) < visible.size()) return visible[static_cast<size_t>(ordinal)];
  return no_such_device(ordinal, static_cast<int>(visible.size()), std::getenv("CUDA_VISIBLE_DEVICES"));
}

}  // namespace kbx
