// SPDX-License-Identifier: Apache-2.0
// The oracles of the Airy and Bessel functions against values of an arithmetic of 25 digits.
#include <fmt/format.h>

#include <cmath>

#include "support.h"

namespace kbx::testing {
namespace {

struct Value {
  double x, y;
};

void expect_values(const char* name, std::initializer_list<Value> values) {
  const Task& task = *find_task(name);
  for (const Value& v : values) {
    const std::string line = fmt::format("input=values({:.17g})[1]:f64", v.x);
    const double y = task.oracle(Args(must_bind(task, line)))[0].item<double>();
    EXPECT_NEAR(y, v.y, 1e-12 * std::abs(v.y) + (v.x < 30 && v.x > 8 ? 0 : 1e-15)) << name << " of " << v.x;
  }
}

TEST(SpecialOracle, Airy) {
  expect_values("airy_ai", {{-40.5, 0.039082602795827106},
                            {-9, -0.022133721547341404},
                            {-4, -0.070265532949289515},
                            {-2.35, -0.0083387517228012832},
                            {-2.338, 7.5317376523394373e-5},
                            {-1, 0.53556088329235212},
                            {0, 0.35502805388781724},
                            {1, 0.13529241631288142},
                            {4, 0.00095156385120480187},
                            {10, 1.1047532552898686e-10},
                            {25, 8.1160268246913867e-38},
                            {200, 0}});
}

TEST(SpecialOracle, BesselOfOrderOne) {
  expect_values("bessel_j1", {{0.001, 0.00049999993750000261},
                              {1, 0.44005058574493352},
                              {3.83, 0.00068724822059703696},
                              {4.9, -0.31469467101519065},
                              {5.1, -0.33709720201823181},
                              {7.08, 0.019230212644561656},
                              {25.5, -0.062048536491484102},
                              {-3, -0.33905895852593646},
                              {-60.25, -0.022376874536909721},
                              {1000, 0.0047283119070895239}});
}

TEST(SpecialOracle, KeepsNaNAndShape) {
  const Task& task = *find_task("airy_ai");
  const at::Tensor y = task.oracle(Args(must_bind(task, "input=values(nan,0)[3,2]:f64")))[0];
  EXPECT_EQ(y.sizes(), at::IntArrayRef({3, 2}));
  EXPECT_TRUE(std::isnan(y[2][0].item<double>()));
  EXPECT_FALSE(std::isnan(y[2][1].item<double>()));
}

}  // namespace
}  // namespace kbx::testing
