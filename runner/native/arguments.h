// SPDX-License-Identifier: Apache-2.0
// A `prepare` message in memory: arguments by tag, tensors with their addresses in this process.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "native/segments.h"
#include "protocol/wire.h"

namespace kbx::runner {

struct PlacedTensor {
  wire::Tensor meta;
  void* data = nullptr;
};

struct None {};
using Argument = std::variant<None, bool, int64_t, double, std::string, wire::DType, PlacedTensor, std::vector<int64_t>,
                              std::vector<double>, std::vector<bool>, std::vector<PlacedTensor>>;

struct ArgumentSet {
  uint32_t number = 0;
  std::vector<Argument> arguments;
  std::vector<std::string> names;  // of each argument; empty where it is positional
  std::vector<PlacedTensor> destinations;
};

// Reads the payload of `prepare`. Throws Failure.
ArgumentSet read_set(wire::Reader& reader, const Segments& segments);

}  // namespace kbx::runner
