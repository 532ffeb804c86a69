// SPDX-License-Identifier: Apache-2.0
// Where the wrong elements lie along the dimensions. (By what they hold: size_patterns.cpp.)
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "diagnose/advice.h"
#include "diagnose/field.h"

namespace kbx {
namespace {

// Accidental agreement (zeros, say) may leave holes in a block that was computed wrong.
constexpr double kDense = 0.4;

// Wrong elements per index of one dimension.
struct Profile {
  int64_t dim = 0, length = 0, slice = 0;  // slice: elements per index; dim -1: the flattened output
  std::vector<int64_t> wrong;              // per index
  int64_t first = 0, last = 0;             // first and last index with a wrong element

  double density(int64_t from, int64_t to) const {
    int64_t sum = 0;
    for (int64_t i = from; i < to; ++i) sum += wrong[i];
    return static_cast<double>(sum) / static_cast<double>((to - from) * slice);
  }
  bool every_index(int64_t from, int64_t to) const {
    return std::all_of(wrong.begin() + from, wrong.begin() + to, [](int64_t w) { return w > 0; });
  }
  std::string name() const { return dim < 0 ? "the flattened output" : fmt::format("dimension {}", dim); }
};

Profile profile(const Field& f, int64_t dim) {
  Profile p{dim, f.shape[dim], 0, std::vector<int64_t>(f.shape[dim]), 0, 0};
  p.slice = f.size() / p.length;
  int64_t inner = 1;
  for (size_t d = dim + 1; d < f.shape.size(); ++d) inner *= f.shape[d];
  for (const int64_t i : f.wrong_at) ++p.wrong[(i / inner) % p.length];
  while (p.wrong[p.first] == 0) ++p.first;
  p.last = p.length - 1;
  while (p.wrong[p.last] == 0) --p.last;
  return p;
}

// The output as one row: kernels with a one-dimensional grid over all elements.
Profile flat_profile(const Field& f) {
  return {-1, f.size(), 1, std::vector<int64_t>(f.wrong.begin(), f.wrong.end()), f.wrong_at.front(), f.wrong_at.back()};
}

// The largest power of two of which `start` is the last multiple below `length`; 0 if that is below 4.
int64_t block_of(int64_t start, int64_t length) {
  for (int64_t block = int64_t{1} << 20; block >= 4; block /= 2)
    if (start % block == 0 && length - start <= block) return block;
  return 0;
}

std::string block_text(int64_t start, int64_t length) {
  const int64_t block = block_of(start, length);
  if (block == 0) return "";
  if (length - start == block) return fmt::format("; a whole block of {}", block);
  return fmt::format("; {} is the last multiple of {} below {}", start, block, length);
}

// Whether the wrong end of the flattened output is the last index of a dimension as a whole: one_row says that better.
bool is_last_index(const Field& f, const Profile& p) {
  if (p.dim >= 0) return false;
  int64_t inner = 1;
  for (size_t d = f.shape.size(); d-- > 0; inner *= f.shape[d])
    if (p.length - p.first == inner && inner > 1) return true;
  return false;
}

std::optional<Diagnosis> last_block(const Field& f, const std::vector<Profile>& profiles) {
  const Profile* best = nullptr;
  for (const Profile& p : profiles) {
    if (p.first == 0 || p.last != p.length - 1 || (p.length - p.first) * 4 > p.length * 3) continue;
    if (p.first == p.length - 1 && block_of(p.first, p.length) < 16) continue;  // the last index alone: see one_row
    if (is_last_index(f, p) || (p.dim >= 0 && !p.every_index(p.first, p.length))) continue;
    const double density = p.density(p.first, p.length);
    if (density < kDense) continue;
    if (!best || density > best->density(best->first, best->length)) best = &p;
  }
  if (!best) return std::nullopt;
  return diagnosis("last_block",
                   fmt::format("only elements from index {} on along {} (of size {}) are wrong, {} of {}{}", best->first,
                               best->name(), best->length, f.wrong_count(), f.size(), block_text(best->first, best->length)));
}

// Tiles in two dimensions: what lies behind the last full block of either.
std::optional<Diagnosis> last_tiles(const Field& f, const std::vector<Profile>&) {
  const int64_t dims = f.truth.dim();
  if (dims < 2) return std::nullopt;
  const int64_t rows = f.shape[dims - 2], columns = f.shape[dims - 1];
  for (int64_t block = 256; block >= 8; block /= 2) {
    const int64_t row = rows - rows % block, column = columns - columns % block;
    if (row == 0 || column == 0 || row == rows || column == columns) continue;
    const bool inside = std::all_of(f.wrong_at.begin(), f.wrong_at.end(),
                                    [&](int64_t i) { return (i / columns) % rows >= row || i % columns >= column; });
    const double full = static_cast<double>(row * column) / static_cast<double>(rows * columns);
    if (!inside || static_cast<double>(f.wrong_count()) < kDense * static_cast<double>(f.size()) * (1 - full)) continue;
    return diagnosis("last_block",
                     fmt::format("only rows from {} and columns from {} on are wrong: what lies behind the last full "
                                 "block of {} in either dimension",
                                 row, column, block));
  }
  return std::nullopt;
}

std::optional<Diagnosis> first_block(const Field& f, const std::vector<Profile>& profiles) {
  for (const Profile& p : profiles) {
    const int64_t end = p.last + 1;
    if (p.first != 0 || end * 2 > p.length || end % 4 != 0) continue;
    if (p.density(0, end) < kDense || (p.dim >= 0 && !p.every_index(0, end))) continue;
    return diagnosis("first_block", fmt::format("only the first {} of {} indices along {} are wrong, {} elements", end, p.length,
                                                p.name(), f.wrong_count()));
  }
  return std::nullopt;
}

std::optional<Diagnosis> one_row(const Field& f, const std::vector<Profile>& profiles) {
  for (const Profile& p : profiles) {
    if (p.dim < 0 || p.first != p.last || p.length < 3 || p.slice < 2) continue;
    if (p.density(p.first, p.first + 1) < kDense) continue;
    return diagnosis("one_row", fmt::format("only index {} of dimension {} (of size {}) is wrong, {} of its {} elements", p.first,
                                            p.dim, p.length, f.wrong_count(), p.slice));
  }
  return std::nullopt;
}

std::optional<Diagnosis> every_kth(const Field& f, const std::vector<Profile>& profiles) {
  for (const Profile& p : profiles)
    for (int64_t k = 2; k <= std::min<int64_t>(128, p.length / 3); k = k < 16 ? k + 1 : k * 2) {
      const int64_t c = p.first % k;
      bool matches = true;
      int64_t hit = 0, members = 0;
      for (int64_t i = 0; i < p.length && matches; ++i) {
        const bool member = i % k == c;
        members += member;
        hit += member && p.wrong[i] > 0;
        matches = member || p.wrong[i] == 0;
      }
      if (!matches || members < 3 || hit * 10 < members * 9) continue;
      if (static_cast<double>(f.wrong_count()) < kDense * static_cast<double>(members * p.slice)) continue;
      return diagnosis("every_kth", fmt::format("along {} exactly the indices {}, {}, {}, ... are wrong: one in {}", p.name(), c,
                                                c + k, c + 2 * k, k));
    }
  return std::nullopt;
}

std::optional<Diagnosis> border(const Field& f, const std::vector<Profile>&) {
  const int64_t dims = f.truth.dim();
  if (dims < 2) return std::nullopt;
  const int64_t h = f.shape[dims - 2], w = f.shape[dims - 1];
  int64_t depth = 0;
  bool top = false, bottom = false, left = false, right = false;
  for (const int64_t i : f.wrong_at) {
    const int64_t row = (i / w) % h, column = i % w;
    depth = std::max(depth, std::min({row, h - 1 - row, column, w - 1 - column}) + 1);
    top |= row == 0;
    bottom |= row == h - 1;
    left |= column == 0;
    right |= column == w - 1;
  }
  if (!(top && bottom && left && right) || depth > 4 || h < 4 * depth || w < 4 * depth) return std::nullopt;
  const int64_t edge = (h * w - (h - 2 * depth) * (w - 2 * depth)) * (f.size() / (h * w));
  if (static_cast<double>(f.wrong_count()) < kDense * static_cast<double>(edge)) return std::nullopt;
  return diagnosis(
      "border",
      fmt::format("only elements within {} of the edge of the last two dimensions are wrong, on all four sides", depth));
}

std::optional<Diagnosis> one_element(const Field& f, const std::vector<Profile>&) {
  if (f.wrong_count() != 1 || f.size() < 3) return std::nullopt;
  return diagnosis("one_element", fmt::format("only {} of {} elements is wrong", place(f.wrong_at[0], f.shape), f.size()));
}

}  // namespace

std::optional<Diagnosis> explain_place(const Field& f) {
  if (f.wrong_count() == f.size()) return std::nullopt;
  std::vector<Profile> profiles;
  for (int64_t d = 0; d < f.truth.dim(); ++d) profiles.push_back(profile(f, d));
  if (profiles.size() != 1) profiles.push_back(flat_profile(f));
  for (const auto pattern : {last_block, last_tiles, one_row, border, every_kth, first_block, one_element})
    if (auto found = pattern(f, profiles)) return found;
  return std::nullopt;
}

}  // namespace kbx
