// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/dropout.h>

#include "catalogue/task.h"

namespace kbx {

Values dropped_out(const Args& args) {
  const Chance& chance = args.call().task->chance;
  return chance.after(args, at::dropout(chance.before(args), chance.probability(args), /*train=*/true));
}

}  // namespace kbx
