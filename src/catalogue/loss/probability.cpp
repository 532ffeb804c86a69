// SPDX-License-Identifier: Apache-2.0
#include "catalogue/families.h"

namespace kbx {

std::span<const Task> probability_loss_family() { return {}; }

}  // namespace kbx
