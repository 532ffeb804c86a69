// SPDX-License-Identifier: Apache-2.0
// The rates of the instrument as a page.
#pragma once

#include <string>

#include "validation/pairs.h"

namespace kbx {

// Markdown; equal recordings give equal pages.
std::string validation_page(const Recording& recording);

}  // namespace kbx
