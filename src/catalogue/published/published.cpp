// SPDX-License-Identifier: Apache-2.0
#include "catalogue/published/published.h"

#include "catalogue/published/calls/parts.h"

namespace kbx {

const Published* find_published(std::string_view task) {
  for (const auto part : kParts)
    for (const Published& published : part())
      if (published.task == task) return &published;
  return nullptr;
}

}  // namespace kbx
