// SPDX-License-Identifier: Apache-2.0
// Calls and truths made by hand, so that the contracts are tested without catalogue and oracle.
#pragma once

#include <ATen/ATen.h>

#include <string>

#include "catalogue/call.h"
#include "oracle/judgement.h"
#include "oracle/oracle.h"

namespace kbx::testing {

inline Argument tensor_argument(const std::string& name, const at::Tensor& value) {
  Argument argument;
  argument.name = name;
  argument.kind = ArgumentKind::tensor;
  argument.value = value;
  return argument;
}

inline Argument integer_argument(const std::string& name, std::optional<int64_t> value) {
  Argument argument;
  argument.name = name;
  argument.kind = value ? ArgumentKind::integer : ArgumentKind::none;
  if (value) argument.value = *value;
  return argument;
}

inline Argument flag_argument(const std::string& name, bool value) {
  Argument argument;
  argument.name = name;
  argument.kind = ArgumentKind::boolean;
  argument.value = value;
  return argument;
}

// A truth whose dtype and shape are those of `eager`, and whose value is `value`.
inline Truth truth(const std::string& name, const at::Tensor& eager, const at::Tensor& value) {
  Truth t;
  t.name = name;
  t.dtype = eager.scalar_type();
  t.shape = eager.sizes().vec();
  t.value = value;
  t.eager = eager;
  return t;
}

inline Delivered delivered(const at::Tensor& value) { return {value, ""}; }

inline std::string detail(const Judgement& judgement) {
  std::string all;
  for (const Finding& finding : judgement.findings) all += finding.output + ": " + finding.detail + "\n";
  return all;
}

}  // namespace kbx::testing
