// SPDX-License-Identifier: Apache-2.0
#include <ATen/Parallel.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/imag.h>
#include <ATen/ops/real.h>

#include <cmath>

#include "catalogue/generate.h"
#include "catalogue/layout.h"
#include "support.h"

namespace kbx::testing {
namespace {

const Task kTask = task_of("f(Tensor x) -> Tensor");

at::Tensor made(const std::string& recipe, uint64_t seed = 1) { return Args(must_bind(kTask, "x=" + recipe, seed)).tensor("x"); }

// By itself: what different recipes make of the same numbers.
at::Tensor drawn(const std::string& generator, std::vector<double> parameters, std::vector<int64_t> dims,
                 std::vector<Recipe::Mod> mods = {}, const std::string& dtype = "f64") {
  Recipe recipe;
  recipe.generator = generator;
  recipe.parameters = std::move(parameters);
  recipe.has_dims = true;
  recipe.dims = std::move(dims);
  recipe.dtype = dtype;
  recipe.mods = std::move(mods);
  return generate(recipe, 7, at::kCPU);
}

TEST(Generate, NormalNumbersHaveMeanZeroAndVarianceOne) {
  at::Tensor x = made("randn[100000]:f64");
  // Standard errors: 1/sqrt(n) = 0.003 and sqrt(2/n) = 0.0045; 5 of them.
  EXPECT_NEAR(x.mean().item<double>(), 0, 0.016);
  EXPECT_NEAR(x.var().item<double>(), 1, 0.023);
  EXPECT_NEAR((x > 1.959964).to(at::kDouble).mean().item<double>(), 0.025, 0.0025);
  EXPECT_NEAR((x.slice(0, 0, 99999) * x.slice(0, 1)).mean().item<double>(), 0, 0.016);
}

TEST(Generate, KnownValuesStayTheSameOnEveryMachine) {
  // SplitMix64 over the mixed key, computed by a program of its own (Python integers). Another value here means that every
  // recorded seed stands for other inputs.
  at::Tensor x = made("uniform[2]:f64", 42);
  EXPECT_EQ(x[0].item<double>(), 0.6560472719923136);
  EXPECT_EQ(x[1].item<double>(), 0.26247183272326613);
  EXPECT_NE(made("uniform[2]:f64", 41)[0].item<double>(), x[0].item<double>());
}

// Numbers are drawn in parts and in pairs: an odd number of them over several parts.
TEST(Generate, NormalNumbersFollowFromTheUniformOnesAcrossTheBordersOfParts) {
  const int64_t count = 3 * 8192 + 4097;
  const at::Tensor uniform = drawn("uniform", {}, {count}), normal = drawn("randn", {}, {count});
  const double *u = uniform.const_data_ptr<double>(), *x = normal.const_data_ptr<double>();
  for (int64_t i = 0; i < count; i += 2) {
    // The angle behind the last number is not among them.
    const double radius = std::sqrt(-2 * std::log(1 - u[i])), angle = i + 1 < count ? 2 * M_PI * u[i + 1] : 0;
    if (i + 1 == count) {
      EXPECT_LE(std::abs(x[i]), radius);
      break;
    }
    ASSERT_NEAR(x[i], radius * std::cos(angle), 1e-13) << i;
    ASSERT_NEAR(x[i + 1], radius * std::sin(angle), 1e-13) << i;
  }
}

TEST(Generate, ContentsAreTheSameOnAnyNumberOfThreads) {
  for (const char* recipe : {"randn[100003]", "uniform(-2,3)[40000]:f64", "randint(-9,9)[70000]:i32", "bernoulli(0.3)[70000]",
                             "loguniform(0.1,9)[70000]", "randn[70000]@outlier10", "randn[300,301]@scale(2)@clamp(-1,1)",
                             "spd(1)[203,203]", "lower(1)[2,131,131]", "lowrank(3)[190,190]"}) {
    const at::Tensor alone = made(recipe);
    at::set_num_threads(3);
    const at::Tensor together = made(recipe);
    at::set_num_threads(1);
    EXPECT_TRUE(alone.equal(together)) << recipe;
  }
}

TEST(Generate, PartsAreRoundedAndChangedLikeTheWhole) {
  const at::Tensor x = drawn("randn", {}, {20001});
  EXPECT_TRUE(drawn("randn", {}, {20001}, {}, "bf16").equal(x.to(at::kBFloat16)));
  const std::vector<Recipe::Mod> mods{{"scale", {3}}, {"shift", {-1}}, {"clamp", {-2, 2}}};
  EXPECT_TRUE(drawn("randn", {}, {20001}, mods).equal((x * 3 - 1).clamp(-2, 2)));
}

TEST(Generate, UniformAndIntegersStayInTheirRange) {
  at::Tensor u = made("uniform(-2,3)[10000]:f64");
  EXPECT_GE(u.min().item<double>(), -2);
  EXPECT_LT(u.max().item<double>(), 3);
  EXPECT_NEAR(u.mean().item<double>(), 0.5, 5 * 5 / std::sqrt(12.0) / 100);
  at::Tensor i = made("randint(-1,2)[1000]");
  EXPECT_EQ(i.scalar_type(), at::kLong);
  EXPECT_EQ(i.min().item<int64_t>(), -1);
  EXPECT_EQ(i.max().item<int64_t>(), 1);
  EXPECT_EQ(made("bernoulli(0.5)[9]").scalar_type(), at::kBool);
  EXPECT_EQ(made("bernoulli(1)[9]").sum().item<int64_t>(), 9);
}

TEST(Generate, ValuesRepeatAndKeepSpecialNumbers) {
  at::Tensor x = made("values(nan,inf,-inf,-0.0)");
  EXPECT_EQ(x.numel(), 4);
  EXPECT_TRUE(x[0].isnan().item<bool>());
  EXPECT_EQ(x[2].item<float>(), -INFINITY);
  EXPECT_TRUE(std::signbit(x[3].item<float>()));
  EXPECT_EQ(made("values(1,2)[2,3]").sum().item<float>(), 9);
}

TEST(Generate, StructuredMatrices) {
  EXPECT_TRUE(made("eye[2,3,4]")[1].equal(at::Tensor(made("eye[3,4]"))));
  EXPECT_EQ(made("eye[3,4]").sum().item<float>(), 3);
  // Rank 2: every 3x3 minor vanishes.
  EXPECT_NEAR(made("lowrank(2)[3,3]:f64").det().item<double>(), 0, 1e-12);
}

// Of several tiles and threads: an element that two of them change, or none.
TEST(Generate, ALargeSymmetricMatrixIsTheMeanOfItsHalves) {
  const at::Tensor x = drawn("randn", {}, {301, 301});
  EXPECT_TRUE(drawn("symmetric", {}, {301, 301}).equal((x + x.mT()) / 2));
}

// With and without outliers, which must not destroy the form.
TEST(Generate, FormsOfMatrices) {
  for (const std::string outliers : {"", "@outlier10", "@outlier50"}) {
    const at::Tensor a = made("spd(0.5)[3,9,9]:f64" + outliers);
    EXPECT_TRUE(a.equal(a.mT()));
    EXPECT_GE(at::linalg_eigvalsh(a).min().item<double>(), 0.499);
    const at::Tensor lower = made("lower(0.5)[3,9,9]:f64" + outliers), upper = made("upper(0.5)[3,9,9]:f64" + outliers);
    EXPECT_TRUE(lower.equal(lower.tril()));
    EXPECT_TRUE(upper.equal(upper.triu()));
    EXPECT_GT(lower.diagonal(0, -2, -1).min().item<double>(), 0.7);
    EXPECT_GT(upper.diagonal(0, -2, -1).min().item<double>(), 0.7);
    EXPECT_GE(at::linalg_eigvalsh(at::matmul(lower, lower.mT())).min().item<double>(), 0.499);
    const at::Tensor dominant = made("dominant(2)[3,9,9]:f64" + outliers), d = dominant.diagonal(0, -2, -1);
    EXPECT_TRUE((d.abs() > dominant.abs().sum(-1) - d.abs()).all().item<bool>());
    EXPECT_FALSE(dominant.equal(dominant.mT()));
  }
  for (const std::string outliers : {"", "@outlier50"}) {
    const at::Tensor real = made("symmetric[2,9,9]:f64" + outliers), symmetric = made("symmetric[2,9,9]:c128" + outliers),
                     hermitian = made("hermitian[2,9,9]:c128" + outliers), definite = made("spd(0.5)[2,9,9]:c128" + outliers);
    EXPECT_TRUE(real.equal(real.mT()));
    EXPECT_TRUE(symmetric.equal(symmetric.mT()));
    EXPECT_FALSE(symmetric.equal(symmetric.mH()));
    EXPECT_TRUE(hermitian.equal(hermitian.mH().resolve_conj()));
    EXPECT_GT(at::imag(hermitian).abs().max().item<double>(), 0.5);
    EXPECT_TRUE(definite.equal(definite.mH().resolve_conj()));
    EXPECT_GT(at::imag(definite).abs().max().item<double>(), 0.5);
    EXPECT_GE(at::linalg_eigvalsh(definite).min().item<double>(), 0.499);
    EXPECT_LT(at::linalg_eigvalsh(hermitian).min().item<double>(), 0);
  }
  EXPECT_TRUE(made("hermitian[9,9]").equal(made("hermitian[9,9]").mT()));
  EXPECT_GT(made("spd(1)[9,9]@outlier50").max().item<float>(), 3 * made("spd(1)[9,9]").max().item<float>());
  EXPECT_EQ(made("spd(1)[0,0]").numel(), 0);
  EXPECT_NEAR(made("spd(1)[5,5]@scale(1e-4)").diagonal().min().item<float>(), 3e-4, 3e-4);
}

TEST(Generate, DefiniteMatricesAreTheProductTheyPromiseAndTheirFactorsGiveThemBack) {
  for (const std::vector<int64_t>& shape : {std::vector<int64_t>{3, 3}, {2, 37, 37}, {129, 129}}) {
    const at::Tensor x = drawn("randn", {}, shape), a = drawn("spd", {0.5}, shape), factor = drawn("lower", {0.5}, shape);
    const at::Tensor identity = at::eye(x.size(-1), at::kDouble);
    EXPECT_LT((a - at::matmul(x, x.mT()) - 0.5 * identity).abs().max().item<double>(), 1e-11) << x.sizes();
    EXPECT_LT((a - at::matmul(factor, factor.mT())).abs().max().item<double>(), 1e-11) << x.sizes();
    EXPECT_TRUE(factor.equal(factor.tril())) << x.sizes();
  }
}

TEST(Generate, OutliersHitAboutOnePercentAndAtLeastOne) {
  for (const char* shape : {"[1]", "[7]", "[100]", "[20000]"}) {
    for (int factor : {10, 50}) {
      std::string recipe = "ones" + std::string(shape) + "@outlier" + std::to_string(factor);
      at::Tensor x = made(recipe);
      int64_t hits = (x == factor).sum().item<int64_t>();
      EXPECT_GE(hits, 1) << recipe;
      EXPECT_LE(hits, 1 + x.numel() / 50) << recipe;
      EXPECT_EQ(hits + (x == 1).sum().item<int64_t>(), x.numel()) << recipe;
    }
  }
}

TEST(Generate, SpikesReplaceTheirShareAndMayHitNothing) {
  const at::Tensor x = made("ones[100000]@spike(0.01,10)");
  const int64_t up = (x == 10).sum().item<int64_t>(), down = (x == -10).sum().item<int64_t>();
  EXPECT_EQ(up + down + (x == 1).sum().item<int64_t>(), x.numel());
  // Binomial(100000, 0.005) each: mean 500, standard deviation 22.
  EXPECT_NEAR(up, 500, 120);
  EXPECT_NEAR(down, 500, 120);
  EXPECT_TRUE((made("ones[3]@spike(0,10)") == 1).all().item<bool>());
}

TEST(Generate, ClampAndDiagonalChangeWhatTheySay) {
  EXPECT_TRUE(made("values(-2,0,2)@clamp(-1,1)").equal(at::tensor({-1.0f, 0.0f, 1.0f})));
  EXPECT_TRUE(made("values(-2,0,2)@clamp(-1,inf)").equal(at::tensor({-1.0f, 0.0f, 2.0f})));
  EXPECT_TRUE(made("zeros[2,2,3]@diagonal(4)").equal(at::Tensor(made("eye[2,3]") * 4).expand({2, 2, 3})));
}

TEST(Generate, ModifiersOfValuesApplyInOrder) {
  EXPECT_EQ(made("ones[1]@scale(3)@shift(2)").item<float>(), 5);
  EXPECT_EQ(made("ones[1]@shift(2)@scale(3)").item<float>(), 9);
  at::Tensor poked = made("zeros[50]@poke(nan,7)");
  EXPECT_EQ(poked.isnan().sum().item<int64_t>(), 1);
  EXPECT_EQ((poked == 7).sum().item<int64_t>(), 1);
}

TEST(Generate, BothPartsOfAComplexNumberAreDrawnIndependently) {
  at::Tensor x = made("randn[100000]:c128");
  EXPECT_EQ(x.scalar_type(), at::kComplexDouble);
  EXPECT_EQ(made("randn[3]:c64").scalar_type(), at::kComplexFloat);
  at::Tensor re = at::real(x), im = at::imag(x);
  // Standard errors: 1/sqrt(n) = 0.003 for means and products, 0.0045 for the variance; 5 of them.
  EXPECT_NEAR(im.mean().item<double>(), 0, 0.016);
  EXPECT_NEAR(im.var().item<double>(), 1, 0.023);
  EXPECT_NEAR((re * im).mean().item<double>(), 0, 0.016);
}

TEST(Generate, ComplexConstantsAreRealAndOutliersScaleBothParts) {
  const at::Tensor eye = made("eye[3,3]:c64"), x = made("uniform(1,2)[4000]:c128@outlier10");
  EXPECT_EQ(at::imag(eye).abs().sum().item<float>(), 0);
  const at::Tensor real_hit = at::real(x) >= 10, imaginary_hit = at::imag(x) >= 10;
  EXPECT_TRUE(real_hit.equal(imaginary_hit));
  EXPECT_GE(real_hit.sum().item<int64_t>(), 1);
}

TEST(Generate, LayoutsKeepTheContents) {
  for (const char* base : {"randn[5,6]", "randn[5,6]:c64", "randint(0,9)[5,6]", "bernoulli(0.5)[5,6]", "randn[0,6]"}) {
    at::Tensor plain = made(base);
    for (const char* layout : {"@strided", "@transposed", "@offset", "@transposed@offset"}) {
      at::Tensor x = made(std::string(base) + layout);
      EXPECT_EQ(x.sizes(), plain.sizes());
      EXPECT_EQ(x.scalar_type(), plain.scalar_type());
    }
  }
  EXPECT_EQ(made("randn[5,6]@strided").strides(), (std::vector<int64_t>{12, 2}));
  EXPECT_EQ(made("randn[5,6]@transposed").strides(), (std::vector<int64_t>{1, 5}));
  EXPECT_EQ(made("randn[5,6]@expanded").strides(), (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(made("randn[5,6]@offset").storage_offset(), 1);
  EXPECT_TRUE(strided(made("arange[2,3]")).equal(made("arange[2,3]")));
  EXPECT_TRUE(transposed(made("arange[2,3]")).equal(made("arange[2,3]")));
  EXPECT_TRUE(offset_by_one(made("arange[2,3]")).equal(made("arange[2,3]")));
}

TEST(Generate, BetweenStridedElementsLiesPoison) {
  at::Tensor x = made("ones[4]@strided");
  EXPECT_TRUE(x.as_strided({8}, {1}, 0)[1].isnan().item<bool>());
}

TEST(Generate, ACloneKeepsLayoutAndSharesNothing) {
  for (const char* recipe :
       {"randn[5,6]@strided", "randn[5,6]@transposed", "randn[5,6]@expanded", "randn[7]@offset", "randn[]", "randn[0,3]"}) {
    Call call = must_bind(kTask, std::string("x=") + recipe);
    Call copy = call.clone();
    at::Tensor x = Args(call).tensor("x"), y = Args(copy).tensor("x");
    EXPECT_TRUE(x.equal(y)) << recipe;
    EXPECT_EQ(x.strides(), y.strides()) << recipe;
    EXPECT_EQ(x.storage_offset(), y.storage_offset()) << recipe;
    EXPECT_FALSE(x.numel() > 0 && x.is_alias_of(y)) << recipe;
  }
}

}  // namespace
}  // namespace kbx::testing
