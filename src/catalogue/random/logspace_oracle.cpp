// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/logspace.h>

#include "catalogue/random/logspace.h"

namespace kbx {

Values logspace_oracle(const Args& args) {
  at::TensorOptions options = at::TensorOptions().dtype(at::kDouble);
  const c10::IValue& device = args.call().argument("device").value;
  if (!device.isNone()) options = options.device(device.toDevice());
  return {at::logspace(args.scalar("start"), args.scalar("end"), args.integer("steps"), args.real("base"), options)};
}

}  // namespace kbx
