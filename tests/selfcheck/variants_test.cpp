// SPDX-License-Identifier: Apache-2.0
// Each variant does to the arithmetic what its name says.
#include "selfcheck/variants.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "contracts/rounding.h"

namespace kbx {
namespace {

const Computation& named(std::span<const Variant> variants, std::string_view name) {
  for (const Variant& v : variants)
    if (v.computation.name == name) return v.computation;
  throw std::invalid_argument(std::string(name));
}

at::Tensor under(const Computation& c, const std::function<at::Tensor()>& compute) {
  const Interposer interposer(c.rewrite);
  return compute();
}

double error(const at::Tensor& y, const at::Tensor& truth) {
  return (y.to(at::kDouble) - truth).abs().max().item<double>() / truth.abs().max().item<double>();
}

class VariantsTest : public ::testing::Test {
 protected:
  void SetUp() override { at::manual_seed(5); }
  at::NoGradGuard no_grad_;
};

// Every honest rewriting of these differs from eager in bits, and by no more than float32 does.
TEST_F(VariantsTest, AnHonestOneIsEagerItselfOrWrong) {
  const at::Tensor x = at::randn({16, 777}), w = at::randn({777, 24}), image = at::randn({2, 5, 9, 9}),
                   kernel = at::randn({4, 5, 3, 3});
  const at::Tensor positive = at::rand({16, 777}) + 0.5;
  struct Row {
    const char *variant, *what;
    std::function<at::Tensor(at::ScalarType)> compute;
  };
  const auto sum = [&](at::ScalarType t) { return x.to(t).sum(1); };
  const auto product = [&](at::ScalarType t) { return at::mm(x.to(t), w.to(t)); };
  const auto biased = [&](at::ScalarType t) { return at::addmm(w.select(0, 0).to(t), x.to(t), w.to(t), 2, 0.5); };
  const auto convolution = [&](at::ScalarType t) { return at::conv2d(image.to(t), kernel.to(t)); };
  const auto softmax = [&](at::ScalarType t) { return x.to(t).softmax(1); };
  const auto normalised = [&](at::ScalarType t) { return at::layer_norm(x.to(t), {777}); };
  const Row rows[] = {
      {"sums from the other end", "sum", sum},
      {"sums from the other end", "mm", product},
      {"sums from the other end", "softmax", softmax},
      {"sums in 16 parts", "sum", sum},
      {"sums in 16 parts", "addmm", biased},
      {"sums one by one", "mean",
       [&](at::ScalarType t) {
         return x.to(t).mean(at::IntArrayRef{0, 1});
       }},
      {"sums one by one", "mm", product},
      {"sums one by one", "conv2d", convolution},
      {"variance in two passes", "layer_norm", normalised},
      {"variance merged from parts", "layer_norm", normalised},
      {"variance merged from parts", "std", [&](at::ScalarType t) { return x.to(t).std(1); }},
      {"functions 2 ulp off, by turns", "exp", [&](at::ScalarType t) { return x.to(t).exp(); }},
      {"functions 2 ulp too large", "tanh", [&](at::ScalarType t) { return x.to(t).tanh(); }},
      {"division by reciprocals", "div", [&](at::ScalarType t) { return x.to(t) / positive.to(t); }},
      {"functions by other formulas", "gelu", [&](at::ScalarType t) { return at::gelu(x.to(t)); }},
      {"functions by other formulas", "gelu, tanh", [&](at::ScalarType t) { return at::gelu(x.to(t), "tanh"); }},
      {"functions by other formulas", "tanh", [&](at::ScalarType t) { return x.to(t).tanh(); }},
      {"functions by other formulas", "sigmoid", [&](at::ScalarType t) { return x.to(t).sigmoid(); }},
      {"functions by other formulas", "log_softmax", [&](at::ScalarType t) { return x.to(t).log_softmax(1); }},
  };
  for (const Row& row : rows) {
    const at::Tensor y = under(named(honest_variants(), row.variant), [&] { return row.compute(at::kFloat); });
    EXPECT_FALSE(at::equal(y, row.compute(at::kFloat))) << row.variant << " of " << row.what;
    EXPECT_LT(error(y, row.compute(at::kDouble)), 2e-6) << row.variant << " of " << row.what;
  }
}

TEST_F(VariantsTest, EachOperatorInFloat64IsNotACorrectRounding) {
  const at::Tensor x = at::randn({64, 300}), w = at::randn({300, 64});
  const at::Tensor y = under(named(honest_variants(), "each operator in float64"), [&] { return at::matmul(x, w); });
  EXPECT_EQ(y.scalar_type(), at::kFloat);
  EXPECT_EQ(excess(y, at::matmul(x.to(at::kDouble), w.to(at::kDouble))).max().item<double>(), 0);
}

TEST_F(VariantsTest, ADegradedOneIsAsGoodAsFloat32) {
  const at::Tensor x = at::randn({16, 777}), w = at::randn({777, 24});
  const auto product = [&](at::ScalarType t) { return at::mm(x.to(t), w.to(t)); };
  for (const char* name : {"products in TF32", "every result in fp16", "every result in bf16", "sums accumulated in fp16",
                           "sums accumulated in bf16"}) {
    const at::Tensor y = under(named(degraded_variants(), name), [&] { return product(at::kFloat); });
    EXPECT_EQ(y.scalar_type(), at::kFloat) << name;
    EXPECT_GT(error(y, product(at::kDouble)), 0x1p-14) << name;
    EXPECT_LT(error(y, product(at::kDouble)), 0.2) << name;
  }
}

TEST_F(VariantsTest, Tf32KeepsMoreOrFewerThanTenStoredBits) {
  const auto& cut = named(degraded_variants(), kTf32Inputs).change_input;
  EXPECT_EQ(cut(at::full({1}, 1 + 0x1p-10)).item<float>(), 1 + 0x1p-10f);
  EXPECT_EQ(cut(at::full({1}, 1 + 0x1p-12)).item<float>(), 1);
}

}  // namespace
}  // namespace kbx
