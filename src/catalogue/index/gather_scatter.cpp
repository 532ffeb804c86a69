// SPDX-License-Identifier: Apache-2.0
#include "catalogue/families.h"

namespace kbx {

std::span<const Task> gather_scatter_family() { return {}; }

}  // namespace kbx
