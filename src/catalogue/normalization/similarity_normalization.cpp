// SPDX-License-Identifier: Apache-2.0
#include "catalogue/families.h"

namespace kbx {

std::span<const Task> similarity_normalization_family() { return {}; }

}  // namespace kbx
