// SPDX-License-Identifier: Apache-2.0
// The CPU's generators run the same code as those of a GPU.
#include "catalogue/generate_device.h"
#include "catalogue/matrices.h"
#include "catalogue/matrices_device.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace kbx {
namespace {

constexpr int64_t kMany = 200000;

Recipe recipe_of(std::string generator, std::vector<double> parameters = {}, std::vector<Recipe::Mod> mods = {}) {
  Recipe recipe;
  recipe.generator = std::move(generator);
  recipe.parameters = std::move(parameters);
  recipe.has_dims = true;
  recipe.dims = {kMany};
  recipe.mods = std::move(mods);
  return recipe;
}

at::Tensor drawn(const Recipe& recipe, at::ScalarType dtype = at::kFloat, uint64_t key = 7) {
  return draw_on_device(recipe, dtype, key, {kMany}, at::kCPU);
}

double mean_of(const at::Tensor& t) { return t.to(at::kDouble).mean().item<double>(); }

// Standard errors of mean and variance at 200 000 numbers: 0.0022 and 0.0032; 5 of them.
TEST(GenerateDevice, NormalNumbersAreScaledAndShiftedInTheOrderWritten) {
  const at::Tensor x = drawn(recipe_of("randn", {}, {{"scale", {2}}, {"shift", {3}}})).to(at::kDouble);
  EXPECT_NEAR(mean_of(x), 3, 2 * 0.011);
  EXPECT_NEAR(x.var().item<double>(), 4, 4 * 0.016);
}

TEST(GenerateDevice, SixteenBitsAndWideTypesComeInTheirOwnType) {
  for (const at::ScalarType type : {at::kHalf, at::kBFloat16, at::kFloat, at::kDouble}) {
    const at::Tensor x = drawn(recipe_of("randn"), type);
    EXPECT_EQ(x.scalar_type(), type);
    EXPECT_NEAR(mean_of(x), 0, 0.012);
  }
}

TEST(GenerateDevice, UniformNumbersAndIntegersFillTheirRange) {
  const at::Tensor u = drawn(recipe_of("uniform", {-2, 3}));
  EXPECT_GE(u.min().item<double>(), -2);
  EXPECT_LE(u.max().item<double>(), 3);
  EXPECT_NEAR(mean_of(u), 0.5, 5 * 5 / std::sqrt(12.0 * kMany));
  const at::Tensor i = drawn(recipe_of("randint", {-1, 2}), at::kLong);
  EXPECT_EQ(i.min().item<int64_t>(), -1);
  EXPECT_EQ(i.max().item<int64_t>(), 1);
  EXPECT_NEAR(mean_of(i.eq(0)), 1.0 / 3, 5 * std::sqrt(2.0 / 9 / kMany));
}

TEST(GenerateDevice, TruthValuesHaveTheirChanceAndConstantsAreConstant) {
  EXPECT_NEAR(mean_of(drawn(recipe_of("bernoulli", {0.3}), at::kBool)), 0.3, 5 * std::sqrt(0.21 / kMany));
  EXPECT_TRUE(drawn(recipe_of("zeros")).eq(0).all().item<bool>());
  EXPECT_TRUE(drawn(recipe_of("ones")).eq(1).all().item<bool>());
  EXPECT_TRUE(drawn(recipe_of("full", {2.5}, {{"scale", {2}}})).eq(5).all().item<bool>());
}

TEST(GenerateDevice, TheSameKeyGivesTheSameNumbersAndAnotherGivesOthers) {
  const Recipe recipe = recipe_of("randn", {}, {{"outlier10", {}}});
  EXPECT_TRUE(drawn(recipe).equal(drawn(recipe)));
  EXPECT_LT(mean_of(drawn(recipe).eq(drawn(recipe, at::kFloat, 8))), 0.001);
}

// A fill of the device's own generator would make the judge's draws depend on what ran before.
TEST(GenerateDevice, TheDefaultGeneratorIsLeftAsItWas) {
  at::manual_seed(3);
  const at::Tensor first = at::rand({4});
  at::manual_seed(3);
  drawn(recipe_of("randn"));
  EXPECT_TRUE(at::rand({4}).equal(first));
}

TEST(GenerateDevice, OnePercentAreOutliersOfTheFactorNamed) {
  const at::Tensor x = drawn(recipe_of("ones", {}, {{"outlier50", {}}}));
  EXPECT_NEAR(mean_of(x.eq(50)), 0.01, 5 * std::sqrt(0.0099 / kMany));
  EXPECT_TRUE(x.eq(50).logical_or(x.eq(1)).all().item<bool>());
}

TEST(GenerateDevice, ClampHolds) {
  const at::Tensor x = drawn(recipe_of("randn", {}, {{"clamp", {-0.5, 0.25}}}));
  EXPECT_EQ(x.min().item<double>(), -0.5);
  EXPECT_EQ(x.max().item<double>(), 0.25);
}

using MakeOnHost = void (*)(const std::vector<double>&, const std::vector<int64_t>&, Numbers, Numbers);

// A structure that is made one way on a GPU and another on the host: a task would be timed on matrices of another kind.
TEST(GenerateDevice, StructuresAreThoseOfTheHost) {
  const std::pair<std::string, MakeOnHost> structures[] = {{"symmetric", make_symmetric}, {"hermitian", make_hermitian},
                                                           {"spd", make_definite},        {"lower", make_lower},
                                                           {"upper", make_upper},         {"dominant", make_dominant}};
  const at::Tensor x = at::randn({3, 7, 7}, at::kDouble), kept = x.clone();
  for (const auto& [name, make] : structures) {
    ASSERT_TRUE(is_structure(name));
    const at::Tensor host = x.clone();
    make({1.5}, {3, 7, 7}, {host.mutable_data_ptr<double>(), static_cast<size_t>(host.numel())}, {});
    EXPECT_TRUE(at::allclose(structured(name, 1.5, x), host, 1e-12, 1e-12)) << name;
    EXPECT_TRUE(x.equal(kept)) << name << " changed what it was made of";
  }
  EXPECT_FALSE(is_structure("randn"));
}

// Half a matrix that differs from the other in a rounding is not symmetric to a solver that looks.
TEST(GenerateDevice, SymmetricMatricesAreSoToTheBit) {
  const at::Tensor x = at::randn({2, 130, 130}, at::kDouble);
  for (const char* name : {"symmetric", "spd"}) {
    const at::Tensor a = structured(name, 1, x);
    EXPECT_TRUE(a.equal(a.mT())) << name;
  }
}

// Scaled after it was made: 4 (X X' + I) has eigenvalues of at least 4. Outliers go into X, and leave it symmetric.
TEST(GenerateDevice, ModifiersOfAStructureComeInTheirPlaces) {
  Recipe recipe = recipe_of("spd", {1}, {{"outlier50", {}}, {"scale", {4}}});
  recipe.dims = {40, 40};
  const at::Tensor a = draw_on_device(recipe, at::kDouble, 5, recipe.dims, at::kCPU);
  EXPECT_TRUE(a.equal(a.mT()));
  EXPECT_GT(a.abs().max().item<double>(), 4 * 50 * 50 * 0.1);
  EXPECT_GE(at::linalg_eigvalsh(a).min().item<double>(), 4 - 1e-6);
}

TEST(GenerateDevice, OnlyWhatIsLargeAndSimpleIsDrawnOnAGpu) {
  const at::Device gpu(at::kCUDA, 0);
  EXPECT_TRUE(drawn_on_device(recipe_of("randn"), at::kFloat, kDrawnOnDevice, gpu));
  EXPECT_FALSE(drawn_on_device(recipe_of("randn"), at::kFloat, kDrawnOnDevice - 1, gpu)) << "the same as on the CPU";
  EXPECT_FALSE(drawn_on_device(recipe_of("randn"), at::kFloat, kDrawnOnDevice, at::kCPU));
  EXPECT_FALSE(drawn_on_device(recipe_of("randn"), at::kComplexFloat, kDrawnOnDevice, gpu));
  EXPECT_TRUE(drawn_on_device(recipe_of("spd", {1}), at::kFloat, kDrawnOnDevice, gpu));
  EXPECT_FALSE(drawn_on_device(recipe_of("spd", {1}), at::kComplexFloat, kDrawnOnDevice, gpu));
  EXPECT_FALSE(drawn_on_device(recipe_of("lowrank", {1}), at::kFloat, kDrawnOnDevice, gpu));
  EXPECT_FALSE(drawn_on_device(recipe_of("randn", {}, {{"poke", {1}}}), at::kFloat, kDrawnOnDevice, gpu));
}

}  // namespace
}  // namespace kbx
