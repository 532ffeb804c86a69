// SPDX-License-Identifier: Apache-2.0
// What another formula would give: copies, permutations, factors, offsets. One parameterless or one-parameter hypothesis
// per function; each is named only if it reproduces the delivered values.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "diagnose/advice.h"
#include "diagnose/field.h"

namespace kbx {
namespace {

// Below this many elements one fitted parameter explains too much.
constexpr int64_t kEnoughToFit = 8;
constexpr int64_t kMostRowsToMatch = 2048;

std::optional<Diagnosis> copy_of_input(const Field& f, const WrongValues& values) {
  for (const NamedTensor& input : values.inputs) {
    if (!input.value.defined() || input.value.sizes() != values.actual.sizes() || input.value.numel() == 0) continue;
    if (f.explained_by(input.value, false)) return diagnosis("copy_of_input", "the output equals " + input.name);
  }
  return std::nullopt;
}

std::optional<Diagnosis> transposed(const Field& f, const WrongValues&) {
  const int64_t dims = f.truth.dim();
  for (int64_t i = 0; i < dims; ++i)
    for (int64_t j = i + 1; j < dims; ++j)
      if (f.shape[i] > 1 && f.shape[j] > 1 && f.explained_by(f.truth.transpose(i, j).contiguous(), false))
        return diagnosis("transposed",
                         fmt::format("the values are those of the expected output with dimensions {} and {} exchanged", i, j));
  return std::nullopt;
}

// y[i] = r[i - k] along a dimension, where both exist.
bool shifted_by(const Field& f, int64_t dim, int64_t k) {
  int64_t inner = 1;
  for (size_t d = dim + 1; d < f.shape.size(); ++d) inner *= f.shape[d];
  const int64_t length = f.shape[dim];
  int64_t considered = 0, fits = 0, telling = 0;
  for (int64_t i = 0; i < f.size(); ++i) {
    const int64_t from = (i / inner) % length - k;
    if (from < 0 || from >= length) continue;
    const double prediction = f.r[i - k * inner];
    ++considered;
    fits += f.near(i, prediction);
    telling += f.wrong[i] && f.tells(i, prediction);
  }
  return considered >= 4 && fits * 100 >= considered * 99 && telling * 2 >= considered;
}

std::optional<Diagnosis> shifted(const Field& f, const WrongValues&) {
  for (int64_t dim = 0; dim < f.truth.dim(); ++dim)
    for (int64_t k = 1; k <= f.shape[dim] / 2; k = k < 4 ? k + 1 : k * 2)
      for (const int64_t signed_k : {k, -k})
        if (shifted_by(f, dim, signed_k))
          return diagnosis("shifted", fmt::format("along dimension {} each element holds the value that belongs {} further {}",
                                                  dim, k, signed_k > 0 ? "down" : "up"));
  return std::nullopt;
}

// Rows along the last dimension (single elements of a vector) in another order.
std::optional<Diagnosis> permuted_rows(const Field& f, const WrongValues&) {
  const int64_t length = f.truth.dim() >= 2 ? f.shape.back() : 1;
  if (length == 0 || f.size() / length < 4 || f.size() / length > kMostRowsToMatch) return std::nullopt;
  const int64_t rows = f.size() / length;
  std::vector<uint8_t> taken(rows);
  int64_t moved = 0;
  for (int64_t a = 0; a < rows; ++a) {
    const auto equals = [&](int64_t b) {
      for (int64_t c = 0; c < length; ++c) {
        const int64_t i = a * length + c;
        const double prediction = f.r[b * length + c];
        if (!f.near(i, prediction)) return false;
      }
      return true;
    };
    int64_t b = a;
    if (taken[a] || !equals(a)) {
      for (b = 0; b < rows && (taken[b] || !equals(b)); ++b) {
      }
      if (b == rows) return std::nullopt;
      ++moved;
    }
    taken[b] = 1;
  }
  if (moved < 2) return std::nullopt;
  return diagnosis("permuted_rows",
                   fmt::format("{} of {} {} hold the values of others", moved, rows, length > 1 ? "rows" : "elements"));
}

struct Constant {
  double value;
  std::string name;
};

// Factors that formulas are forgotten or doubled by; sizes come from the tensors at hand.
std::vector<Constant> usual_factors(const Field& f, const WrongValues& values) {
  std::vector<Constant> all{{2, "2"},          {0.5, "1/2"},        {M_LN2, "ln 2"},        {M_LOG2E, "log2 e"},
                            {M_LN10, "ln 10"}, {M_SQRT2, "sqrt 2"}, {M_SQRT1_2, "1/sqrt 2"}};
  std::vector<int64_t> sizes{f.size()};
  for (const NamedTensor& input : values.inputs) {
    if (!input.value.defined()) continue;
    sizes.insert(sizes.end(), input.value.sizes().begin(), input.value.sizes().end());
    sizes.push_back(input.value.numel());
  }
  for (const int64_t size : sizes) {
    if (size < 3) continue;
    const double n = static_cast<double>(size);
    all.push_back({n, fmt::format("the size {}", size)});
    all.push_back({1 / n, fmt::format("1/{}, a size", size)});
    all.push_back({n / (n - 1), fmt::format("n/(n-1) with n = {}", size)});
    all.push_back({(n - 1) / n, fmt::format("(n-1)/n with n = {}", size)});
    all.push_back({std::sqrt(n), fmt::format("sqrt {}", size)});
    all.push_back({1 / std::sqrt(n), fmt::format("1/sqrt {}", size)});
  }
  return all;
}

std::optional<Diagnosis> factor(const Field& f, const WrongValues& values) {
  std::vector<double> ratios;
  for (const int64_t i : f.wrong_at)
    if (std::isfinite(f.y[i]) && std::isfinite(f.r[i]) && std::abs(f.r[i]) > 10 * f.tolerance[i] && f.r[i] != 0)
      ratios.push_back(f.y[i] / f.r[i]);
  if (ratios.empty() || static_cast<int64_t>(ratios.size()) * 2 < f.wrong_count()) return std::nullopt;
  const double alpha = median_of(ratios);
  if (std::abs(alpha) < 1e-12) return std::nullopt;
  std::vector<double> prediction(f.r);
  for (double& v : prediction) v *= alpha;
  if (!f.explained_by(prediction.data(), true)) return std::nullopt;
  const std::string scope = f.all_wrong() ? "" : " (on the wrong elements)";
  const bool minus = std::abs(alpha + 1) < 1e-3;
  std::string usual;
  for (const Constant& c : usual_factors(f, values))
    if (usual.empty() && std::abs(std::abs(alpha) / c.value - 1) <
                             3e-5 + 2 * f.tolerance[f.wrong_at[0]] / std::max(std::abs(f.r[f.wrong_at[0]]), 1e-300))
      usual = ", that is " + c.name;
  if (f.wrong_count() < kEnoughToFit && usual.empty() && !minus) return std::nullopt;
  if (minus) return diagnosis("sign_flipped", "output = -expected" + scope);
  return diagnosis("factor", fmt::format("output = {:.6g} x expected{}{}", alpha, usual, scope));
}

std::optional<Diagnosis> offset(const Field& f, const WrongValues&) {
  if (f.wrong_count() < kEnoughToFit) return std::nullopt;
  std::vector<double> differences;
  for (const int64_t i : f.wrong_at)
    if (std::isfinite(f.y[i]) && std::isfinite(f.r[i])) differences.push_back(f.y[i] - f.r[i]);
  if (static_cast<int64_t>(differences.size()) < kEnoughToFit) return std::nullopt;
  // A constant truth cannot tell an offset from anything else.
  const auto [low, high] = std::minmax_element(f.r.begin(), f.r.end());
  if (!(*high > *low)) return std::nullopt;
  const double c = median_of(differences);
  std::vector<double> prediction(f.r);
  for (double& v : prediction) v += c;
  if (!f.explained_by(prediction.data(), true)) return std::nullopt;
  return diagnosis("offset", fmt::format("output = expected {} {:.6g}{}", c < 0 ? "-" : "+", std::abs(c),
                                         f.all_wrong() ? "" : " (on the wrong elements)"));
}

// The elements that share a row: all with one index of a dimension, or all with the same leading indices.
struct Rows {
  std::string name;
  int64_t count = 0;
  std::vector<int64_t> of;  // per element
};

std::vector<Rows> groupings(const Field& f) {
  const int64_t dims = f.truth.dim();
  std::vector<Rows> all;
  int64_t inner = f.size();
  for (int64_t d = 0; d < dims; ++d) {
    const int64_t outer = inner;
    inner /= f.shape[d];
    Rows index{fmt::format("index of dimension {}", d), f.shape[d], std::vector<int64_t>(f.y.size())};
    for (int64_t i = 0; i < f.size(); ++i) index.of[i] = i / inner % f.shape[d];
    all.push_back(std::move(index));
    if (d == 0) continue;
    Rows leading{fmt::format("row of the last {} dimension{}", dims - d, dims - d > 1 ? "s" : ""), f.size() / outer,
                 std::vector<int64_t>(f.y.size())};
    for (int64_t i = 0; i < f.size(); ++i) leading.of[i] = i / outer;
    all.push_back(std::move(leading));
  }
  return all;
}

// Least squares of y against r over each row. Empty where a row is too short, or r or y hardly varies in it.
struct Line {
  double slope = 0, shift = 0, size = 0;
};
std::vector<Line> lines(const Field& f, const Rows& rows) {
  struct Sums {
    double n = 0, r = 0, y = 0, rr = 0, ry = 0;
  };
  std::vector<Sums> sums(static_cast<size_t>(rows.count));
  for (int64_t i = 0; i < f.size(); ++i) {
    if (!std::isfinite(f.y[i]) || !std::isfinite(f.r[i])) return {};
    Sums& s = sums[rows.of[i]];
    s.n += 1, s.r += f.r[i], s.y += f.y[i], s.rr += f.r[i] * f.r[i], s.ry += f.r[i] * f.y[i];
  }
  std::vector<Line> all;
  for (const Sums& s : sums) {
    const double variance = s.rr / s.n - s.r * s.r / (s.n * s.n), mean_square = s.rr / s.n;
    if (s.n < kEnoughToFit || !(variance > 1e-4 * mean_square)) return {};
    const double slope = (s.ry / s.n - s.r * s.y / (s.n * s.n)) / variance;
    if (std::abs(slope) < 1e-3) return {};
    all.push_back({slope, (s.y - slope * s.r) / s.n, std::sqrt(mean_square)});
  }
  return all;
}

// A statistic of each row (mean, variance, norm, maximum) is wrong, and all else is right.
std::optional<Diagnosis> row_statistic(const Field& f, const WrongValues&) {
  if (f.wrong_count() * 2 < f.size()) return std::nullopt;
  for (const Rows& rows : groupings(f)) {
    if (rows.count < 2 || rows.count * kEnoughToFit > f.size()) continue;
    const std::vector<Line> all = lines(f, rows);
    if (all.empty()) continue;
    std::vector<double> prediction(f.r.size());
    for (int64_t i = 0; i < f.size(); ++i) prediction[i] = all[rows.of[i]].slope * f.r[i] + all[rows.of[i]].shift;
    if (!f.explained_by(prediction.data(), false)) continue;
    const auto [low, high] =
        std::minmax_element(all.begin(), all.end(), [](const Line& a, const Line& b) { return a.slope < b.slope; });
    const bool shifted = std::any_of(all.begin(), all.end(), [](const Line& l) { return std::abs(l.shift) > 1e-4 * l.size; });
    return diagnosis("row_statistic", fmt::format("each {} has a factor of its own, from {:.4g} to {:.4g}{}", rows.name,
                                                  low->slope, high->slope, shifted ? ", and an offset of its own" : ""));
  }
  return std::nullopt;
}

std::optional<Diagnosis> constant(const Field& f, const WrongValues&) {
  if (f.size() < 4 || !std::isfinite(f.y[0]) || f.y[0] == 0) return std::nullopt;
  for (const double v : f.y)
    if (v != f.y[0]) return std::nullopt;
  for (const double v : f.r)
    if (v != f.r[0]) return diagnosis("constant", fmt::format("all {} elements are {:.6g}", f.size(), f.y[0]));
  return std::nullopt;
}

}  // namespace

std::optional<Diagnosis> explain_value(const Field& field, const WrongValues& values) {
  // What comes later follows from what came before (a roll is a permutation), so that the first one is enough.
  for (const auto hypothesis : {constant, copy_of_input, transposed, shifted, permuted_rows, factor, offset, row_statistic})
    if (auto found = hypothesis(field, values)) return found;
  return std::nullopt;
}

}  // namespace kbx
