// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/dropout.h>

#include <algorithm>

#include "catalogue/task.h"

namespace kbx {

Values dropped_out(const Args& args) {
  const Chance& chance = args.call().task->chance;
  at::Tensor before = chance.before(args);
  const double p = chance.probability(args);
  // On a GPU torch draws another mask in place.
  const auto& arguments = args.call().arguments;
  const bool in_place = std::ranges::any_of(arguments, [](const Argument& a) { return a.name == "inplace" && a.value.toBool(); });
  return chance.after(args, in_place ? at::dropout_(before, p, /*train=*/true) : at::dropout(before, p, /*train=*/true));
}

}  // namespace kbx
