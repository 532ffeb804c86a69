// SPDX-License-Identifier: Apache-2.0
#include "catalogue/matrices.h"

#include <cmath>
#include <utility>

namespace kbx {
namespace {

using Parameters = std::vector<double>;
using Sizes = std::vector<int64_t>;

// Calls `change` on each matrix of a batch of square ones.
template <typename Change>
void for_each_square(const Sizes& sizes, std::span<double> out, const Change& change) {
  const size_t n = sizes.back(), area = n * n;
  for (size_t at = 0; area > 0 && at < out.size(); at += area) change(out.subspan(at, area), n);
}

}  // namespace

void make_definite(const Parameters& p, const Sizes& sizes, std::span<double> out) {
  for_each_square(sizes, out, [&](std::span<double> a, size_t n) {
    const std::vector<double> x(a.begin(), a.end());
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j < n; ++j) {
        double sum = i == j ? p[0] : 0;
        for (size_t k = 0; k < n; ++k) sum += x[i * n + k] * x[j * n + k];
        a[i * n + j] = sum;
      }
  });
}

void make_lower(const Parameters& p, const Sizes& sizes, std::span<double> out) {
  make_definite(p, sizes, out);
  for_each_square(sizes, out, [](std::span<double> a, size_t n) {
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j < n; ++j) {
        if (j > i) {
          a[i * n + j] = 0;
          continue;
        }
        double sum = a[i * n + j];
        for (size_t k = 0; k < j; ++k) sum -= a[i * n + k] * a[j * n + k];
        a[i * n + j] = i == j ? std::sqrt(sum) : sum / a[j * n + j];
      }
  });
}

void make_upper(const Parameters& p, const Sizes& sizes, std::span<double> out) {
  make_lower(p, sizes, out);
  for_each_square(sizes, out, [](std::span<double> a, size_t n) {
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j < i; ++j) std::swap(a[i * n + j], a[j * n + i]);
  });
}

void make_dominant(const Parameters& p, const Sizes& sizes, std::span<double> out) {
  for_each_square(sizes, out, [&](std::span<double> a, size_t n) {
    for (size_t i = 0; i < n; ++i) {
      double sum = 0;
      for (size_t j = 0; j < n; ++j) sum += std::abs(a[i * n + j]);
      a[i * n + i] += p[0] * sum;
    }
  });
}

}  // namespace kbx
