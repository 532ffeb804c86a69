// SPDX-License-Identifier: Apache-2.0
// Digests by which candidates, artifacts and task definitions are known.
#pragma once

#include <string>
#include <string_view>

namespace kbx {

// SHA-256, 64 lower-case hexadecimal digits.
std::string sha256_hex(std::string_view bytes);

}  // namespace kbx
