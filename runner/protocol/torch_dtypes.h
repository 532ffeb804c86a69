// SPDX-License-Identifier: Apache-2.0
// torch's dtypes and DLPack's codes (DLDataTypeCode of dlpack.h 1.1), for the sides that have torch.
#pragma once

#include <c10/core/ScalarType.h>

#include <optional>
#include <utility>

#include "protocol/wire.h"

namespace kbx::wire {

inline constexpr std::pair<c10::ScalarType, DType> kTorchTypes[] = {
    {c10::ScalarType::Char, {0, 8}},
    {c10::ScalarType::Short, {0, 16}},
    {c10::ScalarType::Int, {0, 32}},
    {c10::ScalarType::Long, {0, 64}},
    {c10::ScalarType::Byte, {1, 8}},
    {c10::ScalarType::UInt16, {1, 16}},
    {c10::ScalarType::UInt32, {1, 32}},
    {c10::ScalarType::UInt64, {1, 64}},
    {c10::ScalarType::Half, {2, 16}},
    {c10::ScalarType::Float, {2, 32}},
    {c10::ScalarType::Double, {2, 64}},
    {c10::ScalarType::BFloat16, {4, 16}},
    {c10::ScalarType::ComplexHalf, {5, 32}},
    {c10::ScalarType::ComplexFloat, {5, 64}},
    {c10::ScalarType::ComplexDouble, {5, 128}},
    {c10::ScalarType::Bool, {6, 8}},
    {c10::ScalarType::Float8_e4m3fn, {10, 8}},
    {c10::ScalarType::Float8_e5m2, {12, 8}},
};

// Nothing for a dtype that has no code here.
inline std::optional<DType> dtype_of_torch(c10::ScalarType dtype) {
  for (const auto& [ours, code] : kTorchTypes)
    if (ours == dtype) return code;
  return std::nullopt;
}

inline std::optional<c10::ScalarType> dtype_for_torch(DType dtype) {
  for (const auto& [ours, code] : kTorchTypes)
    if (code.code == dtype.code && code.bits == dtype.bits) return ours;
  return std::nullopt;
}

}  // namespace kbx::wire
