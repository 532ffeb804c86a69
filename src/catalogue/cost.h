// SPDX-License-Identifier: Apache-2.0
// Parts of cost models: the least traffic of a call, and weights of elementary operations.
#pragma once

#include "catalogue/task.h"

namespace kbx {

// Of an expanded tensor those of its distinct elements.
double bytes_of(const at::Tensor& tensor);

// Each tensor argument read once (but not `out`), each result and each argument that is written, written once.
double traffic(const Args& args, const Values& results);

// Elements of the first result.
inline double outputs(const Values& results) { return static_cast<double>(results.front().numel()); }

// So many operations for each element of the first result.
template <int weight>
Cost each(const Args& args, const Values& results) {
  return {traffic(args, results), weight * outputs(results)};
}

// Work of dense factorisations goes with it.
inline double cube(double n) { return n * n * n; }

}  // namespace kbx
