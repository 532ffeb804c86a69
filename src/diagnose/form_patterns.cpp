// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "diagnose/advice.h"
#include "diagnose/numeric_patterns.h"

namespace kbx {
namespace {

std::vector<int64_t> without_ones(at::IntArrayRef shape) {
  std::vector<int64_t> kept;
  std::copy_if(shape.begin(), shape.end(), std::back_inserter(kept), [](int64_t size) { return size != 1; });
  return kept;
}

std::vector<int64_t> sorted(at::IntArrayRef shape) {
  std::vector<int64_t> sizes = shape.vec();
  std::sort(sizes.begin(), sizes.end());
  return sizes;
}

// [n] with [n, 1] gives [n, n]: one more dimension, as large as one that was expected.
bool broadcast_of(at::IntArrayRef came, at::IntArrayRef expected) {
  for (size_t d = 0; d < came.size(); ++d) {
    std::vector<int64_t> rest = came.vec();
    rest.erase(rest.begin() + static_cast<int64_t>(d));
    const bool known = std::find(expected.begin(), expected.end(), came[d]) != expected.end();
    if (came[d] != 1 && known && without_ones(rest) == without_ones(expected)) return true;
  }
  return false;
}

// Whether `part` is `whole` without some of its dimensions.
bool leaves_out(const std::vector<int64_t>& whole, const std::vector<int64_t>& part) {
  size_t matched = 0;
  for (const int64_t size : whole) matched += matched < part.size() && size == part[matched];
  return matched == part.size() && part.size() < whole.size();
}

const char* shape_pattern(at::IntArrayRef came, at::IntArrayRef expected) {
  if (without_ones(came) == without_ones(expected)) return "keepdim";
  if (broadcast_of(came, expected)) return "broadcast_shape";
  if (sorted(came) == sorted(expected)) return "transposed_shape";
  if (leaves_out(without_ones(came), without_ones(expected))) return "not_reduced";
  if (leaves_out(without_ones(expected), without_ones(came))) return "missing_dimension";
  return "wrong_shape";
}

}  // namespace

std::vector<Diagnosis> diagnose_form(const WrongForm& form) {
  if (!form.actual.defined()) return {diagnosis("missing_output", form.problem)};
  std::vector<Diagnosis> found;
  if (form.actual.sizes() != at::IntArrayRef(form.shape))
    found.push_back(diagnosis(shape_pattern(form.actual.sizes(), form.shape), form.problem));
  const bool complex_for_real = form.actual.is_complex() && !c10::isComplexType(form.dtype);
  if (form.actual.scalar_type() != form.dtype)
    found.push_back(diagnosis(complex_for_real ? "complex_result" : "wrong_dtype", form.problem));
  return found;
}

}  // namespace kbx
