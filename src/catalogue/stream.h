// SPDX-License-Identifier: Apache-2.0
// Random numbers by index: SplitMix64 (Steele, Lea, Flood 2014), keyed.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace kbx {

// A hash that keeps its operands apart: mix(mix(a, b), c).
uint64_t mix(uint64_t key, uint64_t value);
uint64_t mix(uint64_t key, std::string_view text);

// SplitMix64's finaliser and increment.
inline uint64_t finalise(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}
inline constexpr uint64_t kIncrement = 0x9e3779b97f4a7c15;

// Numbers by index, counted from `first`.
struct Stream {
  uint64_t key;
  uint64_t first = 0;
  uint64_t bits(uint64_t i) const { return finalise(key + (first + i + 1) * kIncrement); }
  // [0, 1), 53 bits.
  double uniform(uint64_t i) const { return static_cast<double>(bits(i) >> 11) * 0x1p-53; }
};

// Standard normal numbers by Box-Muller, each pair of uniform numbers giving a pair. REQUIRES: stream.first is even.
void fill_normal(const Stream& stream, std::span<double> out);

}  // namespace kbx
