// SPDX-License-Identifier: Apache-2.0
#include "catalogue/matrices.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace kbx {
namespace {

using Parameters = std::vector<double>;
using Sizes = std::vector<int64_t>;

// Calls `change` on each matrix of a batch of square ones.
template <typename Change>
void for_each_square(const Sizes& sizes, Numbers out, const Change& change) {
  const size_t n = sizes.back(), area = n * n;
  for (size_t at = 0; area > 0 && at < out.size(); at += area) change(out.subspan(at, area), n);
}

// The same with the imaginary parts.
template <typename Change>
void for_each_complex_square(const Sizes& sizes, Numbers out, Numbers imaginary, const Change& change) {
  const size_t n = sizes.back(), area = n * n;
  for (size_t at = 0; area > 0 && at < out.size(); at += area) change(out.subspan(at, area), imaginary.subspan(at, area), n);
}

// Both parts by themselves.
template <typename Make>
void for_each_part(Numbers out, Numbers imaginary, const Make& make) {
  make(out);
  if (!imaginary.empty()) make(imaginary);
}

// y[j] += factor x[j]. Wider instructions where the machine has them, without fused ones: the same numbers everywhere.
[[gnu::target_clones("avx2", "default")]] void add_multiple(double factor, const double* __restrict x, double* __restrict y,
                                                            size_t n) {
  for (size_t j = 0; j < n; ++j) y[j] += factor * x[j];
}

// X + sign X' over 2. By tiles: going down the columns of a large matrix misses the caches with each element.
void fold(const Sizes& sizes, Numbers part, double sign) {
  constexpr size_t kTile = 32;
  for_each_square(sizes, part, [&](Numbers a, size_t n) {
#pragma omp parallel for num_threads(at::get_num_threads()) schedule(dynamic) if (n > 256)
    for (size_t top = 0; top < n; top += kTile)
      for (size_t left = 0; left <= top; left += kTile)
        for (size_t i = top; i < std::min(top + kTile, n); ++i)
          for (size_t j = left; j < std::min(left + kTile, i + 1); ++j) {
            const double below = a[i * n + j], above = a[j * n + i];
            a[i * n + j] = (below + sign * above) / 2;
            a[j * n + i] = (above + sign * below) / 2;
          }
  });
}

// r I + X X'. Terms are added in the order of the columns of X, of several rows beside each other.
void definite(double r, const Sizes& sizes, Numbers out) {
  for_each_square(sizes, out, [&](Numbers a, size_t n) {
    const std::vector<double> x(a.begin(), a.end());
    std::vector<double> turned(n * n);
    for (size_t i = 0; i < n; ++i)
      for (size_t k = 0; k < n; ++k) turned[k * n + i] = x[i * n + k];
    std::ranges::fill(a, 0.0);
    constexpr size_t kRows = 8;
#pragma omp parallel for num_threads(at::get_num_threads()) schedule(dynamic, 4) if (n > 64)
    for (size_t first = 0; first < n; first += kRows) {
      const size_t last = std::min(first + kRows, n);
      for (size_t i = first; i < last; ++i) a[i * n + i] = r;
      for (size_t k = 0; k < n; ++k)
        for (size_t i = first; i < last; ++i) add_multiple(x[i * n + k], &turned[k * n], &a[i * n], i + 1);
    }
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j < i; ++j) a[j * n + i] = a[i * n + j];
  });
}

// The Cholesky factor of r I + X X'.
void lower(double r, const Sizes& sizes, Numbers out) {
  definite(r, sizes, out);
  for_each_square(sizes, out, [](Numbers a, size_t n) {
    std::vector<double> column(n);
    for (size_t j = 0; j < n; ++j) {
      std::fill(&a[j * n] + j + 1, &a[j * n] + n, 0.0);
      a[j * n + j] = std::sqrt(a[j * n + j]);
      for (size_t i = j + 1; i < n; ++i) column[i] = a[i * n + j] /= a[j * n + j];
      for (size_t i = j + 1; i < n; ++i) add_multiple(-column[i], &column[j + 1], &a[i * n + j + 1], i - j);
    }
  });
}

}  // namespace

void make_definite(const Parameters& p, const Sizes& sizes, Numbers out, Numbers imaginary) {
  if (imaginary.empty()) return definite(p[0], sizes, out);
  for_each_complex_square(sizes, out, imaginary, [&](Numbers re, Numbers im, size_t n) {
    const std::vector<double> x(re.begin(), re.end()), y(im.begin(), im.end());
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j <= i; ++j) {
        double real = i == j ? p[0] : 0, imag = 0;
        for (size_t k = 0; k < n; ++k) {
          real += x[i * n + k] * x[j * n + k] + y[i * n + k] * y[j * n + k];
          imag += y[i * n + k] * x[j * n + k] - x[i * n + k] * y[j * n + k];
        }
        re[i * n + j] = re[j * n + i] = real;
        im[j * n + i] = i == j ? 0 : -imag;
        im[i * n + j] = i == j ? 0 : imag;
      }
  });
}

void make_symmetric(const Parameters&, const Sizes& sizes, Numbers out, Numbers imaginary) {
  for_each_part(out, imaginary, [&](Numbers part) { fold(sizes, part, 1); });
}

void make_hermitian(const Parameters&, const Sizes& sizes, Numbers out, Numbers imaginary) {
  fold(sizes, out, 1);
  if (!imaginary.empty()) fold(sizes, imaginary, -1);
}

void make_lower(const Parameters& p, const Sizes& sizes, Numbers out, Numbers imaginary) {
  for_each_part(out, imaginary, [&](Numbers part) { lower(p[0], sizes, part); });
}

void make_upper(const Parameters& p, const Sizes& sizes, Numbers out, Numbers imaginary) {
  for_each_part(out, imaginary, [&](Numbers part) {
    lower(p[0], sizes, part);
    for_each_square(sizes, part, [](Numbers a, size_t n) {
      for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < i; ++j) std::swap(a[i * n + j], a[j * n + i]);
    });
  });
}

void make_dominant(const Parameters& p, const Sizes& sizes, Numbers out, Numbers imaginary) {
  for_each_part(out, imaginary, [&](Numbers part) {
    for_each_square(sizes, part, [&](Numbers a, size_t n) {
      for (size_t i = 0; i < n; ++i) {
        double sum = 0;
        for (size_t j = 0; j < n; ++j) sum += std::abs(a[i * n + j]);
        a[i * n + i] += p[0] * sum;
      }
    });
  });
}

}  // namespace kbx
