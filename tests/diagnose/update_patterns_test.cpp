// SPDX-License-Identifier: Apache-2.0
// Running statistics updated wrongly: each way gets its own name.
#include "diagnose/update_patterns.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace kbx {
namespace {

constexpr double kMomentum = 0.1;
constexpr int64_t kCount = 105;

at::Tensor random(at::IntArrayRef shape, uint64_t seed) {
  return at::randn(shape, at::make_generator<at::CPUGeneratorImpl>(seed));
}

struct Statistics {
  at::Tensor before = random({9}, 1).abs() + 0.5, batch = random({9}, 2).abs();
  at::Tensor after(double step) const { return (before + step * (batch - before)).to(at::kFloat); }

  std::string name(const at::Tensor& delivered) const {
    Call call;
    Argument input, momentum;
    input.name = "input";
    input.kind = ArgumentKind::tensor;
    input.value = random({3, 9, 35}, 3);
    momentum.name = "momentum";
    momentum.kind = ArgumentKind::real;
    momentum.value = kMomentum;
    call.arguments = {input, momentum};
    WrongValues v;
    v.truth = before.to(at::kDouble) + kMomentum * (batch - before).to(at::kDouble);
    v.actual = delivered;
    v.wrong = (delivered - v.truth).abs() > 1e-6;
    const auto found = diagnose_update(v, before, "running_var", call);
    return found ? found->pattern : "";
  }
};

TEST(UpdatePatterns, EachWrongStepGetsItsOwnName) {
  const Statistics s;
  EXPECT_EQ(s.name(s.before.clone()), "not_updated");
  EXPECT_EQ(s.name(s.after(1 - kMomentum)), "momentum_exchanged");
  EXPECT_EQ(s.name(s.after(0.3)), "wrong_step");
  EXPECT_EQ(s.name(s.after(1 - 0.9 * 0.9 * 0.9)), "repeated_update");
  EXPECT_EQ(s.name((1 - kMomentum) * s.before + kMomentum * s.batch * (kCount - 1) / kCount), "variance_bias");
  EXPECT_EQ(s.name((1 - kMomentum) * s.before + kMomentum * s.batch * kCount / (kCount - 1)), "variance_bias");
  EXPECT_EQ(s.name(random({9}, 8)), "");
  EXPECT_EQ(s.name(s.after(kMomentum) + 0.01 * random({9}, 8)), "");
}

// One program per block: channels whose elements lie in three blocks are updated three times, others twice.
TEST(UpdatePatterns, TheNumberOfRepeatsMayDifferByChannel) {
  const Statistics s;
  at::Tensor delivered = s.after(1 - 0.9 * 0.9);
  delivered.narrow(0, 3, 4).copy_(s.after(1 - 0.9 * 0.9 * 0.9).narrow(0, 3, 4));
  EXPECT_EQ(s.name(delivered), "repeated_update");
}

}  // namespace
}  // namespace kbx
