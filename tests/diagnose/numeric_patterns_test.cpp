// SPDX-License-Identifier: Apache-2.0
// One table of failures, each with the pattern that must come first. Since every row is diagnosed by all patterns, the
// table also shows that none is named where another is right.
#include "diagnose/numeric_patterns.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace kbx {
namespace {

at::Tensor random(at::IntArrayRef shape, uint64_t seed = 1) {
  return at::randn(shape, at::make_generator<at::CPUGeneratorImpl>(seed));
}

constexpr uint8_t kPoison = 0xa5;

// `truth` in float64; `actual` as delivered; wrong where they differ by more than float32 rounding.
WrongValues wrong_values(const at::Tensor& truth, const at::Tensor& actual, std::vector<NamedTensor> inputs = {}) {
  WrongValues v;
  v.truth = truth.to(at::kDouble);
  v.actual = actual;
  v.budget = v.truth.abs() * 1e-6 + 1e-7;
  const at::Tensor y = actual.to(at::kDouble);
  v.wrong =
      (y - v.truth).abs().le(v.budget).logical_or(y.eq(v.truth)).logical_or(y.isnan().logical_and(v.truth.isnan())).logical_not();
  v.inputs = std::move(inputs);
  v.poison = {kPoison, 0x5a};
  return v;
}

std::string names(const std::vector<Diagnosis>& found) {
  std::string all;
  for (const Diagnosis& d : found) all += d.pattern + " ";
  return all;
}

at::Tensor poison(at::IntArrayRef shape) {
  at::Tensor t = at::empty(shape);
  std::memset(t.mutable_data_ptr(), kPoison, t.nbytes());
  return t;
}

// What a candidate does to the right result r of an operator with input x.
using Failure = std::function<at::Tensor(const at::Tensor& r, const at::Tensor& x)>;

struct Row {
  const char* name;
  std::vector<int64_t> shape;
  Failure fail;
  std::string expected;  // patterns in order, as names() prints them
};

at::Tensor changed(const at::Tensor& r, const std::function<void(at::Tensor&)>& change) {
  at::Tensor y = r.clone();
  change(y);
  return y;
}

std::vector<Row> rows() {
  return {
      {"zeros", {37, 65}, [](auto& r, auto&) { return at::zeros_like(r); }, "all_zero "},
      {"ones", {37, 65}, [](auto& r, auto&) { return at::ones_like(r); }, "constant "},
      {"mean", {37, 65}, [](auto& r, auto&) { return at::full_like(r, r.mean().template item<float>()); }, "constant "},
      {"copy of the input", {37, 65}, [](auto&, auto& x) { return x.clone(); }, "copy_of_input "},
      {"another seed", {37, 65}, [](auto& r, auto&) { return random(r.sizes(), 77); }, "every_element "},
      {"nothing stored", {37, 65}, [](auto& r, auto&) { return poison(r.sizes()); }, "not_written "},
      {"last element not stored",
       {1025},
       [](auto& r, auto&) { return changed(r, [](auto& y) { y.narrow(0, 1024, 1).copy_(poison({1})); }); },
       "not_written last_block "},
      {"too few programs",
       {6116},
       [](auto& r, auto&) { return changed(r, [](auto& y) { y.narrow(0, 1920, 4196).copy_(poison({4196})); }); },
       "stops_early "},
      {"only the first batch stored",
       {16, 20},
       [](auto& r, auto&) { return changed(r, [](auto& y) {
                              y.narrow(0, 1, 15).copy_(poison({15, 20}));
                            }); },
       "stops_early "},
      {"holes not stored",
       {16, 20},
       [](auto& r, auto&) { return changed(r, [](auto& y) {
                              y.slice(1, 1, std::nullopt, 2).copy_(poison({16, 10}));
                            }); },
       "not_written every_kth "},
      {"each row by a wrong norm",
       {16, 40},
       [](auto& r, auto&) {
         return r * (1 + random({16, 1}, 3).abs());
       },
       "row_statistic "},
      {"each channel by a wrong mean and variance",
       {3, 9, 35},
       [](auto& r, auto&) {
         return r * (1.1 + random({9, 1}, 3).abs()) + random({9, 1}, 4);
       },
       "row_statistic "},
      {"exp overflows", {37, 65}, [](auto& r, auto& x) { return at::where(x * 30 > 60, std::nan(""), r); }, "nan large_inputs "},
      {"computed in half precision", {37, 65}, [](auto& r, auto&) { return r.to(at::kHalf).to(at::kFloat); }, "narrow_type "},
      {"square transposed", {32, 32}, [](auto& r, auto&) { return r.t().contiguous(); }, "transposed "},
      {"rectangle transposed",
       {16, 48},
       [](auto& r, auto&) {
         return r.t().contiguous().view({16, 48});
       },
       "transposed "},
      {"batch and row exchanged", {6, 6, 5}, [](auto& r, auto&) { return r.transpose(0, 1).contiguous(); }, "transposed "},
      {"doubled", {37, 65}, [](auto& r, auto&) { return r * 2; }, "factor "},
      {"scaled in one row",
       {37, 65},
       [](auto& r, auto&) { return changed(r, [](auto& y) { y[5].mul_(3); }); },
       "factor one_row "},
      {"negated", {37, 65}, [](auto& r, auto&) { return -r; }, "sign_flipped "},
      {"one missing", {37, 65}, [](auto& r, auto&) { return r - 1; }, "offset "},
      {"shifted by one", {1000}, [](auto& r, auto&) { return at::roll(r, 1, 0); }, "shifted "},
      {"rows shifted", {40, 9}, [](auto& r, auto&) { return at::roll(r, -2, 0); }, "shifted "},
      {"rows reversed", {40, 9}, [](auto& r, auto&) { return r.flip(0); }, "permuted_rows "},
      {"blocks of rows swapped",
       {40, 9},
       [](auto& r, auto&) {
         return changed(r, [&](auto& y) {
           y[3].copy_(r[17]);
           y[17].copy_(r[3]);
         });
       },
       "permuted_rows "},
      {"NaN in one row",
       {37, 65},
       [](auto& r, auto&) { return changed(r, [](auto& y) { y[8].fill_(std::nan("")); }); },
       "nan one_row "},
      {"NaN here and there",
       {37, 65},
       [](auto& r, auto&) {
         return changed(r, [](auto& y) {
           for (int i : {7, 900, 1633}) y.view(-1)[i] = std::nan("");
         });
       },
       "nan "},
      {"infinite",
       {37, 65},
       [](auto& r, auto&) { return changed(r, [](auto& y) { y[3][60] = INFINITY; }); },
       "infinite one_element "},
      {"last block of a vector",
       {4112},
       [](auto& r, auto&) { return changed(r, [](auto& y) { y.narrow(0, 4096, 16).normal_(); }); },
       "last_block "},
      {"last block left zero",
       {4112},
       [](auto& r, auto&) { return changed(r, [](auto& y) { y.narrow(0, 4096, 16).zero_(); }); },
       "last_block all_zero "},
      {"last rows",
       {100, 33},
       [](auto& r, auto&) { return changed(r, [](auto& y) { y.narrow(0, 96, 4).normal_(); }); },
       "last_block "},
      {"last columns",
       {33, 100},
       [](auto& r, auto&) { return changed(r, [](auto& y) { y.narrow(1, 64, 36).normal_(); }); },
       "last_block "},
      {"flat tail of a matrix",
       {50, 41},
       [](auto& r, auto&) { return changed(r, [](auto& y) { y.view(-1).narrow(0, 2048, 2).normal_(); }); },
       "last_block "},
      {"tiles behind the last full one",
       {70, 50},
       [](auto& r, auto&) {
         return changed(r, [](auto& y) {
           y.narrow(0, 64, 6).normal_();
           y.narrow(1, 32, 18).normal_();
         });
       },
       "last_block "},
      {"first block",
       {4096},
       [](auto& r, auto&) { return changed(r, [](auto& y) { y.narrow(0, 0, 128).normal_(); }); },
       "first_block "},
      {"one row", {37, 65}, [](auto& r, auto&) { return changed(r, [](auto& y) { y[11].normal_(); }); }, "one_row "},
      {"the last row", {37, 65}, [](auto& r, auto&) { return changed(r, [](auto& y) { y[36].normal_(); }); }, "one_row "},
      {"one column", {37, 65}, [](auto& r, auto&) { return changed(r, [](auto& y) { y.select(1, 0).normal_(); }); }, "one_row "},
      {"every fourth element",
       {1000},
       [](auto& r, auto&) { return changed(r, [](auto& y) { y.slice(0, 2, std::nullopt, 4).normal_(); }); },
       "every_kth "},
      {"every second column",
       {37, 64},
       [](auto& r, auto&) { return changed(r, [](auto& y) { y.slice(1, 1, std::nullopt, 2).normal_(); }); },
       "every_kth "},
      {"border of images",
       {3, 20, 24},
       [](auto& r, auto&) {
         return changed(r, [&](auto& y) {
           y = random(r.sizes(), 9);
           y.narrow(1, 1, 18).narrow(2, 1, 22).copy_(r.narrow(1, 1, 18).narrow(2, 1, 22));
         });
       },
       "border "},
      {"negative inputs", {37, 65}, [](auto& r, auto& x) { return at::where(x < 0, r.square() - 3, r); }, "negative_inputs "},
      {"positive inputs", {37, 65}, [](auto& r, auto& x) { return at::where(x > 0, r.square() - 3, r); }, "positive_inputs "},
      {"outliers", {37, 65}, [](auto& r, auto& x) { return at::where(x.abs() > 2.5, r.square() - 3, r); }, "large_inputs "},
      {"one element", {37, 65}, [](auto& r, auto&) { return changed(r, [](auto& y) { y[3][60] = 17; }); }, "one_element "},
      {"a race",
       {37, 65},
       [](auto& r, auto&) { return at::where(random(r.sizes(), 5) > 1, random(r.sizes(), 6), r); },
       "scattered "},
      {"one scalar", {}, [](auto& r, auto&) { return r + 0.37; }, "every_element "},
      {"one scalar, twice", {}, [](auto& r, auto&) { return r * 2; }, "factor "},
  };
}

TEST(ValuePatterns, EachFailureGetsItsOwnNamesAndNoOthers) {
  for (const Row& row : rows())
    for (uint64_t seed = 103; seed < 111; seed += 2) {
      const at::Tensor x = random(row.shape, seed), r = random(row.shape, seed + 1);
      const std::vector<Diagnosis> found = diagnose_values(wrong_values(r, row.fail(r, x), {{"input", x}}));
      const std::string got = names(found);
      EXPECT_EQ(got, row.expected) << row.name << ", seed " << seed << ": " << (found.empty() ? "" : found[0].evidence);
      for (const Diagnosis& d : found) EXPECT_FALSE(d.evidence.empty() || d.advice.empty()) << row.name;
    }
}

TEST(ValuePatterns, EvidenceNamesBlockAndIndex) {
  const at::Tensor r = random({4112});
  const at::Tensor y = changed(r, [](auto& t) { t.narrow(0, 4096, 16).normal_(); });
  const std::string evidence = diagnose_values(wrong_values(r, y))[0].evidence;
  EXPECT_NE(evidence.find("from index 4096"), std::string::npos) << evidence;
  EXPECT_NE(evidence.find("last multiple of 4096 below 4112"), std::string::npos) << evidence;
}

// A mean where a sum is asked for: the factor is one over the reduced size, which is a size of the input.
TEST(ValuePatterns, AFactorThatIsASizeIsSaidSo) {
  const at::Tensor x = random({50, 96}), sum = x.to(at::kDouble).sum(1);
  const std::vector<Diagnosis> found = diagnose_values(wrong_values(sum, x.mean(1), {{"input", x}}));
  ASSERT_EQ(names(found), "factor ");
  EXPECT_NE(found[0].evidence.find("1/96"), std::string::npos) << found[0].evidence;
}

// log(1 + x) for small x: the sum keeps nothing finer than numbers near one are.
TEST(ValuePatterns, CancellationIsToldFromLowPrecision) {
  const at::Tensor x = random({1025}).abs() * 1e-4;
  const auto found = [&](const at::Tensor& truth, const at::Tensor& actual) {
    WrongValues v = wrong_values(truth, actual, {{"input", x * 3}});
    v.budget = v.truth.abs() * 1e-6;
    v.wrong = (actual.to(at::kDouble) - v.truth).abs() > v.budget;
    v.accuracy = Accuracy::tf32;
    return names(diagnose_values(v));
  };
  EXPECT_EQ(found(at::log1p(x.to(at::kDouble)), (x + 1).log()), "cancellation ");
  EXPECT_EQ(found(at::expm1(x.to(at::kDouble)), x.exp() - 1), "cancellation ");
  // The same size of error, but as fine as small numbers are.
  EXPECT_EQ(found(x.to(at::kDouble), x + 3e-8 * random({1025}, 7)).find("cancellation"), std::string::npos);
}

TEST(ValuePatterns, Float32InAFloat64OutputIsNamed) {
  const at::Tensor x = random({82}).to(at::kDouble) * (1 + 0x1p-25), r = (x * 2.3).exp();  // x is no float32 number
  WrongValues v = wrong_values(r, (x.to(at::kFloat) * 2.3).exp().to(at::kDouble));
  v.budget = r * 1e-13;
  v.wrong = (v.actual - r).abs() > v.budget;
  v.accuracy = Accuracy::poor;
  EXPECT_EQ(names(diagnose_values(v)), "narrow_type ");
  // Rounded on the way only: no result is a float32 number.
  v.actual = (x.to(at::kFloat).to(at::kDouble) * 2.3).exp();
  v.wrong = (v.actual - r).abs() > v.budget;
  EXPECT_EQ(names(diagnose_values(v)), "narrow_type ");
  // An error far below float32's is another matter.
  v.actual = r * (1 + 1e-11 * random({82}, 5).to(at::kDouble));
  v.wrong = (v.actual - r).abs() > v.budget;
  EXPECT_EQ(names(diagnose_values(v)), "poor_algorithm ");
}

TEST(ValuePatterns, NaNForLargeInputsIsAnOverflow) {
  at::Tensor x = random({47, 220}) * 3;
  for (const int i : {15, 400, 9000, 9001}) x.view(-1)[i] = 50 + i * 0.01;
  for (const int i : {16, 401}) x.view(-1)[i] = -60;
  const at::Tensor e = (2 * x).exp(), y = (e - 1) / (e + 1), r = x.to(at::kDouble).tanh();
  const std::vector<Diagnosis> found = diagnose_values(wrong_values(r, y, {{"input", x}}));
  ASSERT_EQ(names(found), "overflow ");
  EXPECT_NE(found[0].evidence.find("input >= 50"), std::string::npos) << found[0].evidence;
}

// One huge value must not make a formula that is right almost nowhere pass for an explanation.
TEST(ValuePatterns, AnOutlierDoesNotMakeEverythingFit) {
  at::Tensor x = random({66, 296});
  x[56][60] = 28;
  const at::Tensor r = at::special_i0e(x.to(at::kDouble)) * x.to(at::kDouble).abs().exp();
  const at::Tensor y = changed(r.to(at::kFloat), [](auto& t) { t[56][60] = 9e10; });
  EXPECT_EQ(names(diagnose_values(wrong_values(r, y, {{"input", x}}))), "large_inputs ");
}

TEST(ValuePatterns, RowsWithTheLargestInputsAreLargeInputs) {
  at::Tensor x = random({64, 32});
  for (const int row : {5, 30, 61}) x[row][7] = 100;
  const at::Tensor r = x.to(at::kDouble).sum(1);
  const at::Tensor y = changed(r.to(at::kFloat), [](auto& t) {
    for (const int row : {5, 30, 61}) t[row] = 1.5;
  });
  EXPECT_EQ(diagnose_values(wrong_values(r, y, {{"input", x}}))[0].pattern, "large_inputs");
}

TEST(ValuePatterns, LostNaNIsSaid) {
  at::Tensor r = random({100}).to(at::kDouble);
  r[3] = NAN;
  at::Tensor y = r.to(at::kFloat);
  y[3] = 0.5;
  EXPECT_EQ(diagnose_values(wrong_values(r, y))[0].pattern, "nan_lost");
}

TEST(ValuePatterns, LowPrecisionIsNamedOnlyWhereTheErrorIsSmall) {
  const at::Tensor r = random({64, 64});
  WrongValues stored = wrong_values(r, r.to(at::kBFloat16).to(at::kFloat));
  stored.accuracy = Accuracy::bf16;
  EXPECT_EQ(names(diagnose_values(stored)), "narrow_type ");
  WrongValues rounded = wrong_values(r, r * (1 + 2e-3 * random({64, 64}, 3)));
  rounded.accuracy = Accuracy::bf16;
  EXPECT_EQ(diagnose_values(rounded)[0].pattern, "precision");
  rounded.accuracy = Accuracy::poor;
  EXPECT_EQ(diagnose_values(rounded)[0].pattern, "poor_algorithm");
  WrongValues bug = wrong_values(r, random({64, 64}, 9));
  bug.accuracy = Accuracy::bf16;
  EXPECT_EQ(names(diagnose_values(bug)), "every_element ");
}

// Small noise fits "1 x expected", "expected + 0" and "a copy of" whatever resembles the truth: none of them says anything.
TEST(ValuePatterns, AnExplanationThatDoesNotDifferFromTheTruthIsNone) {
  const at::Tensor r = random({37, 65}, 4), y = r * (1 + 5e-6 * random({37, 65}, 5));
  const std::string got = names(diagnose_values(wrong_values(r, y, {{"input", r}})));
  EXPECT_TRUE(got == "scattered " || got == "every_element " || got == "small_values ") << got;
}

TEST(ValuePatterns, SixteenBitOutputsAreExplainedWithinTheirRounding) {
  const at::Tensor r = random({32, 48});
  WrongValues v = wrong_values(r, (r * 0.125).to(at::kBFloat16));
  v.budget = v.truth.abs() * 0x1p-8;
  EXPECT_EQ(names(diagnose_values(v)), "factor ");
}

TEST(ValuePatterns, IntegersAndBooleansAndComplexNumbers) {
  const at::Tensor integers = at::randint(-50, 50, {40, 30}, at::make_generator<at::CPUGeneratorImpl>(1), at::kLong);
  WrongValues v = wrong_values(integers, integers + 3);
  v.budget = at::Tensor();
  EXPECT_EQ(names(diagnose_values(v)), "offset ");
  const at::Tensor flags = random({40, 30}).gt(0);
  WrongValues b = wrong_values(flags, flags.logical_not());
  b.budget = at::Tensor();
  EXPECT_EQ(diagnose_values(b)[0].pattern, "every_element");

  const at::Tensor complex = at::complex(random({40, 30}), random({40, 30}, 2));
  WrongValues c;
  c.truth = complex.to(at::kComplexDouble);
  c.actual = -complex;
  c.wrong = at::ones({40, 30}, at::kBool);
  EXPECT_EQ(diagnose_values(c)[0].pattern, "sign_flipped");
}

struct FormRow {
  std::vector<int64_t> came, expected;
  const char* pattern;
};

TEST(FormPatterns, ShapesAreNamed) {
  for (const FormRow& row : std::vector<FormRow>{{{5, 1}, {5}, "keepdim"},
                                                 {{5}, {5, 1}, "keepdim"},
                                                 {{1}, {}, "keepdim"},
                                                 {{5, 5}, {5}, "broadcast_shape"},
                                                 {{7, 5, 5}, {7, 5}, "broadcast_shape"},
                                                 {{4, 3}, {3, 4}, "transposed_shape"},
                                                 {{4, 4}, {3, 4}, "wrong_shape"},
                                                 {{24}, {}, "not_reduced"},
                                                 {{20, 1}, {}, "not_reduced"},
                                                 {{5, 7}, {5}, "not_reduced"},
                                                 {{3, 4}, {2, 3, 4}, "missing_dimension"},
                                                 {{}, {7}, "missing_dimension"},
                                                 {{12}, {3, 4}, "wrong_shape"}}) {
    const std::vector<Diagnosis> found = diagnose_form({"shape", at::empty(row.came), at::kFloat, row.expected});
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].pattern, row.pattern) << at::IntArrayRef(row.came);
  }
}

TEST(FormPatterns, TypesAndMissingOutputsAreNamed) {
  EXPECT_EQ(diagnose_form({"returned None", {}, at::kFloat, {3}})[0].pattern, "missing_output");
  EXPECT_EQ(names(diagnose_form({"int32", at::empty({3}, at::kInt), at::kLong, {3}})), "wrong_dtype ");
  EXPECT_EQ(names(diagnose_form({"complex", at::empty({3}, at::kComplexFloat), at::kFloat, {3}})), "complex_result ");
  EXPECT_EQ(names(diagnose_form({"no contents", at::empty({3}, at::device(at::kMeta)), at::kFloat, {4}})), "wrong_shape ");
  EXPECT_EQ(names(diagnose_form({"both", at::empty({3, 1}, at::kInt), at::kLong, {3}})), "keepdim wrong_dtype ");
}

}  // namespace
}  // namespace kbx
