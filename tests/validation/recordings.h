// SPDX-License-Identifier: Apache-2.0
// Recordings of made-up instruments.
#pragma once

#include <cmath>
#include <random>
#include <string>

#include "validation/pairs.h"

namespace kbx {

// All as standard deviations, or shares, of the log-ratio.
struct Instrument {
  double blocks = 0.004;     // noise from block to block
  double processes = 0.002;  // luck of a pair of processes
  double single = 0;         // further luck of the pairs that are raced in one pair of processes only
  double rare = 0;           // luck that one process in ten has
  double bias = 0;           // of the candidate's place
  double sees = 1;           // share of the additional work
};

class Recorder {
 public:
  explicit Recorder(Instrument instrument) : instrument_(instrument) {}

  // `several` pairs of the same code in five processes, `one` in one, and `races` for each level of more work.
  Recording record(int several, int one, int races) {
    Recording r{{"a made-up machine", "torch 0", "kbx calibrate --validate", "2026-01-01T00:00:00Z"}, {}};
    for (int i = 0; i < several; ++i) r.pairs.push_back(pair(PairKind::aa, 0, 5, 12));
    for (int i = 0; i < one; ++i) r.pairs.push_back(pair(PairKind::aa, 0, 1, 24));
    for (const int more : {0, 3, 5, 10})
      for (int i = 0; i < races; ++i) r.pairs.push_back(pair(PairKind::more, more, 1, 24));
    return r;
  }

  RacedPair pair(PairKind kind, int more, int processes, int blocks) {
    // Pairs of one task share its processes' luck, so each of the same code is of another.
    const std::string task = kind == PairKind::aa ? "task " + std::to_string(made_++) : "relu";
    RacedPair p{.kind = kind, .task = task, .line = "input=randn[7]", .more = more, .truth = -std::log1p(more / 100.0)};
    p.clock = "judge";
    p.least = processes > 1 ? 2 : 9;
    for (int process = 0; process < processes; ++process) {
      double luck = instrument_.bias + instrument_.processes * normal_(random_);
      if (processes == 1) luck += instrument_.single * normal_(random_);
      if (instrument_.rare > 0 && std::abs(normal_(random_)) > 1.645) luck += instrument_.rare;
      for (int b = 0; b < blocks; ++b) {
        const double ratio = instrument_.sees * p.truth + luck + instrument_.blocks * normal_(random_);
        p.blocks.push_back({process, 1e-3, 1e-3 * std::exp(-ratio), false});
      }
    }
    return p;
  }

 private:
  Instrument instrument_;
  std::mt19937_64 random_{20260101};
  std::normal_distribution<double> normal_;
  int made_ = 0;
};

}  // namespace kbx
