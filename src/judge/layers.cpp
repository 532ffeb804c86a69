// SPDX-License-Identifier: Apache-2.0
#include "judge/layers.h"

#include <fmt/format.h>

namespace kbx {

Result<Layers> layers_for(bool sandbox) {
  if (!sandbox) {
    Layers none;
    none.namespaces = none.landlock = none.seccomp = false;
    return none;
  }
  const Layers layers = available_layers();
  if (layers.landlock && layers.seccomp) return layers;
  return Error{fmt::format("this machine cannot isolate candidates (it has: {})", layers.level()),
               "`kbx doctor` says what is missing; --no-sandbox judges code that you trust"};
}

}  // namespace kbx
