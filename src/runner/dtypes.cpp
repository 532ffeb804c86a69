// SPDX-License-Identifier: Apache-2.0
#include "core/check.h"
#include "protocol/torch_dtypes.h"
#include "runner/arena.h"

namespace kbx {

wire::DType to_wire(at::ScalarType dtype) {
  const auto code = wire::dtype_of_torch(dtype);
  KBX_CHECK(code.has_value());
  return *code;
}

std::optional<at::ScalarType> from_wire(wire::DType dtype) { return wire::dtype_for_torch(dtype); }

}  // namespace kbx
