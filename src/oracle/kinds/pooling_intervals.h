// SPDX-License-Identifier: Apache-2.0
// Where the windows of fractional max pooling may start along one axis. With the step alpha = (in - kernel) / (out - 1)
// and one number u, uniform on [0, 1), window i starts at floor((i + u) alpha) - floor(u alpha), the last at in - kernel
// (the pseudorandom sequences of Graham, "Fractional Max-Pooling", arXiv 1412.6071, as torch has them). So a sequence
// shows of u no more than its phase, the fraction of u alpha: start i is floor(i alpha + phase).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace kbx {

// The starts for all phases in [low, high).
struct Starts {
  double low = 0, high = 1;
  // Two where the phase lies on an edge between sequences (low = high): there working precision decides for each window.
  std::vector<std::pair<int64_t, int64_t>> at;
};

struct Intervals {
  double alpha = 0;
  std::vector<Starts> proper;  // different sequences, by increasing phase, of all phases together
  std::vector<Starts> edges;   // of probability zero

  // The probability of a phase below this one.
  double below(double phase) const;
};

// REQUIRES: 1 <= kernel, 1 <= out, out + kernel - 1 <= in.
Intervals pooling_intervals(int64_t in, int64_t out, int64_t kernel);

}  // namespace kbx
