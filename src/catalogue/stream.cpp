// SPDX-License-Identifier: Apache-2.0
#include "catalogue/stream.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cos.h>
#include <ATen/ops/from_blob.h>

#include <algorithm>
#include <array>
#include <numbers>

namespace kbx {

uint64_t mix(uint64_t key, uint64_t value) { return finalise(finalise(key + kIncrement) ^ (value + kIncrement)); }

uint64_t mix(uint64_t key, std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (unsigned char c : text) hash = (hash ^ c) * 0x100000001b3;
  return mix(key, hash);
}

void fill_normal(const Stream& stream, std::span<double> out) {
  // So many at a time that what they need stays in the cache.
  constexpr size_t kPairs = 1 << 12;
  std::array<double, kPairs> radius, angle, cosine;
  for (size_t first = 0; first < out.size(); first += 2 * kPairs) {
    const std::span<double> part = out.subspan(first, std::min(2 * kPairs, out.size() - first));
    const size_t pairs = (part.size() + 1) / 2;
    for (size_t k = 0; k < pairs; ++k) {
      radius[k] = 1 - stream.uniform(first + 2 * k);
      angle[k] = 2 * std::numbers::pi * stream.uniform(first + 2 * k + 1);
    }
    const auto tensor = [&](std::array<double, kPairs>& numbers) {
      return at::from_blob(numbers.data(), {static_cast<int64_t>(pairs)}, at::kDouble);
    };
    tensor(radius).log_().mul_(-2).sqrt_();
    at::Tensor angles = tensor(angle), cosines = tensor(cosine);
    at::cos_out(cosines, angles);
    angles.sin_();
    const auto& sine = angle;
    for (size_t k = 0; k < part.size() / 2; ++k) {
      part[2 * k] = radius[k] * cosine[k];
      part[2 * k + 1] = radius[k] * sine[k];
    }
    if (part.size() % 2 == 1) part.back() = radius[pairs - 1] * cosine[pairs - 1];
  }
}

}  // namespace kbx
