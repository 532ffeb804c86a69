// SPDX-License-Identifier: Apache-2.0
#include "measure/roofline.h"

#include <gtest/gtest.h>

namespace kbx {
namespace {

constexpr double kTera = 1e12;

DeviceProfile gpu() {
  DeviceProfile p;
  p.gpu = true;
  p.bandwidth = {{1'000'000, 0.1 * kTera, 0.2 * kTera, 0.3 * kTera, 0.1 * kTera},
                 {100'000'000, 4 * kTera, 3 * kTera, 3.5 * kTera, 6 * kTera},
                 {10'000'000'000, 4 * kTera, 4.2 * kTera, 4.5 * kTera, 4.4 * kTera}};
  p.matrix = {{"fp64", 60 * kTera},  {"fp32", 50 * kTera},  {"tf32", 400 * kTera}, {"bf16", 800 * kTera},
              {"fp16", 700 * kTera}, {"fp8", 1500 * kTera}, {"int8", 1400 * kTera}};
  p.vector = 50 * kTera;
  p.launch_seconds = 2e-6;
  p.call_seconds = 8e-6;
  return p;
}

Work memory(double bytes) { return {{bytes, 0, Unit::vector}, at::kFloat, Accuracy::fp32}; }
Work product(double flops, at::ScalarType type, Accuracy accuracy = Accuracy::fp32) {
  return {{0, flops, Unit::matrix}, type, accuracy};
}

TEST(Place, ACopyAtHalfOfWhatTheDeviceCopies) {
  const auto r = place(memory(1e8), 50e-6, gpu());  // 1e8 / 4e12 = 25 us
  ASSERT_TRUE(r);
  EXPECT_DOUBLE_EQ(r->iou, 0.5);
  EXPECT_DOUBLE_EQ(r->mfu, 0);
  EXPECT_DOUBLE_EQ(r->utilisation, 0.5);
  EXPECT_DOUBLE_EQ(r->speed_of_light, 0.5);
  EXPECT_EQ(r->bound, Bound::memory);
}

TEST(Place, BetweenFootprintsThePeakIsLinearInTheLogarithm) {
  // 10 MB lie halfway between 1 MB (0.2, by triad) and 100 MB (4, by copy): 2.1 TB/s.
  EXPECT_NEAR(place(memory(1e7), 1e7 / 2.1e12, gpu())->iou, 1, 1e-12);
}

TEST(Place, OutsideTheFootprintsThePeakIsThatOfTheNearest) {
  EXPECT_NEAR(place(memory(1e3), 1e3 / 0.2e12, gpu())->iou, 1, 1e-12);
  EXPECT_NEAR(place(memory(1e12), 1e12 / 4.2e12, gpu())->iou, 1, 1e-12);
}

TEST(Place, ASmallCallIsBoundByItsLaunchAlsoWhereTheMeasuredBandwidthHasTheLaunchInIt) {
  // At the bandwidth of 1 MB it takes 5 us, more than a launch; at full speed 1e6 / 6e12 = 0.17 us.
  EXPECT_EQ(place(memory(1e6), 5e-6, gpu())->bound, Bound::latency);
  EXPECT_EQ(place(memory(5e7), 20e-6, gpu())->bound, Bound::memory);  // 8.3 us
}

TEST(Place, TheLargerTermDecides) {
  const auto r = place({{1e8, 2.5e9, Unit::vector}, at::kFloat, Accuracy::fp32}, 100e-6, gpu());  // 25 us, 50 us
  EXPECT_DOUBLE_EQ(r->iou, 0.25);
  EXPECT_DOUBLE_EQ(r->mfu, 0.5);
  EXPECT_DOUBLE_EQ(r->utilisation, 0.5);
  EXPECT_EQ(r->bound, Bound::compute);
}

TEST(Place, ACandidateOfClassTf32IsMeasuredByTheTf32Peak) {
  EXPECT_DOUBLE_EQ(place(product(1e12, at::kFloat, Accuracy::fp32), 40e-3, gpu())->mfu, 0.5);  // 1e12 / 50e12 = 20 ms
  EXPECT_DOUBLE_EQ(place(product(1e12, at::kFloat, Accuracy::exact), 40e-3, gpu())->mfu, 0.5);
  EXPECT_DOUBLE_EQ(place(product(1e12, at::kFloat, Accuracy::poor), 40e-3, gpu())->mfu, 0.5);  // fp32, by a poor algorithm
  EXPECT_DOUBLE_EQ(place(product(1e12, at::kFloat, Accuracy::tf32), 5e-3, gpu())->mfu, 0.5);   // 1e12 / 400e12 = 2.5 ms
  EXPECT_DOUBLE_EQ(place(product(1e12, at::kFloat, Accuracy::bf16), 5e-3, gpu())->mfu, 0.5);
  DeviceProfile cpu = gpu();
  cpu.matrix.erase("tf32");
  EXPECT_DOUBLE_EQ(place(product(1e12, at::kFloat, Accuracy::tf32), 40e-3, cpu)->mfu, 0.5);
}

TEST(Place, ProductsGoByTheTypeOfTheirInputs) {
  EXPECT_DOUBLE_EQ(place(product(6e12, at::kDouble), 0.2, gpu())->mfu, 0.5);
  EXPECT_DOUBLE_EQ(place(product(8e12, at::kBFloat16), 0.02, gpu())->mfu, 0.5);
  EXPECT_DOUBLE_EQ(place(product(7e12, at::kHalf), 0.02, gpu())->mfu, 0.5);
  EXPECT_DOUBLE_EQ(place(product(15e12, at::kFloat8_e4m3fn), 0.02, gpu())->mfu, 0.5);
  EXPECT_DOUBLE_EQ(place(product(14e12, at::kChar), 0.02, gpu())->mfu, 0.5);
  EXPECT_DOUBLE_EQ(place(product(5e12, at::kComplexFloat), 0.2, gpu())->mfu, 0.5);
}

TEST(Place, DoublesWithoutTensorCoresGoAtHalfTheRateOfFloatsOrSlower) {
  const Work work{{0, 25e12, Unit::vector}, at::kDouble, Accuracy::fp64};
  EXPECT_DOUBLE_EQ(place(work, 2, gpu())->mfu, 0.5);  // 25e12 and not the 60e12 of tensor cores
  DeviceProfile game = gpu();
  game.matrix["fp64"] = 1e12;
  EXPECT_DOUBLE_EQ(place(work, 50, game)->mfu, 0.5);
}

TEST(Place, NothingWhereTheWorkOrThePeakIsNotKnown) {
  EXPECT_FALSE(place(memory(0), 1, gpu()));
  EXPECT_FALSE(place(product(1e12, at::kInt), 1, gpu()));
  DeviceProfile p = gpu();
  p.matrix.erase("fp8");
  EXPECT_FALSE(place(product(1e12, at::kFloat8_e5m2), 1, p));
  p.bandwidth.clear();
  EXPECT_FALSE(place(memory(1e6), 1, p));
  EXPECT_TRUE(place(product(1e12, at::kFloat), 1, p));
}

TEST(Floor, TheFastestWayToTouchTheBytesCounts) {
  // Results that stay in the L2: written at 6 TB/s, which no copy reaches.
  EXPECT_DOUBLE_EQ(floor_seconds(memory(1e8), gpu()), 0.8 * 1e8 / 6e12);
  EXPECT_DOUBLE_EQ(floor_seconds(memory(2e8), gpu()), 0.8 * 2e8 / 6e12);
  EXPECT_DOUBLE_EQ(floor_seconds(memory(1e11), gpu()), 0.8 * 1e11 / 4.5e12);
}

TEST(Floor, ASmallCallMayTakeLessThanAnyLaunchThatWasMeasured) {
  EXPECT_DOUBLE_EQ(floor_seconds(memory(1e3), gpu()), 0.8 * 1e3 / 6e12);
}

TEST(Floor, AConvolutionByWinogradOnTensorCoresIsHonest) {
  EXPECT_DOUBLE_EQ(floor_seconds(product(1e12, at::kFloat), gpu()), 0.8 * 1e12 / (4 * 400e12));
  // Where bf16 on the way was accepted, its rate is.
  EXPECT_DOUBLE_EQ(floor_seconds(product(1e12, at::kFloat, Accuracy::bf16), gpu()), 0.8 * 1e12 / (4 * 800e12));
  EXPECT_DOUBLE_EQ(floor_seconds(product(1e12, at::kHalf), gpu()), 0.8 * 1e12 / (4 * 800e12));
}

TEST(Floor, DoublesMayBeMadeOfSlices) {
  DeviceProfile game = gpu();
  game.matrix["fp64"] = 1e12;
  EXPECT_DOUBLE_EQ(floor_seconds(product(1e12, at::kDouble), game), 0.8 * 1e12 / (4 * 1400e12 / 28));
}

TEST(Floor, WorkThatIsNoProductMayBeTurnedIntoOne) {
  EXPECT_DOUBLE_EQ(floor_seconds({{0, 1e12, Unit::vector}, at::kFloat, Accuracy::fp32}, gpu()), 0.8 * 1e12 / (4 * 1500e12));
}

TEST(Floor, OnTheCpuItIsHalfAsHigh) {
  DeviceProfile cpu = gpu();
  cpu.gpu = false;
  EXPECT_DOUBLE_EQ(floor_seconds(memory(1e8), cpu), floor_seconds(memory(1e8), gpu()) / 2);
}

TEST(Floor, OnTheCpuAFootprintThatOtherWorkDisturbedBoundsNobody) {
  DeviceProfile cpu = gpu();
  cpu.gpu = false;
  EXPECT_DOUBLE_EQ(floor_seconds(memory(1e11), cpu), 0.4 * 1e11 / 6e12);  // and not 4.5e12, at the largest
}

TEST(Floor, IsZeroWhereNothingIsKnown) {
  EXPECT_EQ(floor_seconds(memory(0), gpu()), 0);  // an empty call
  EXPECT_EQ(floor_seconds(memory(1e9), DeviceProfile()), 0);
}

TEST(Floor, NeverLiesAboveTheRoofline) {
  DeviceProfile poor = gpu();  // a device whose reduced types are slower than fp32, as on a CPU
  poor.gpu = false;
  poor.matrix = {{"fp64", 1e12}, {"fp32", 3e12}, {"bf16", 1e11}, {"fp16", 2e11}, {"int8", 1e11}};
  poor.vector = 3e12;
  for (const DeviceProfile& p : {gpu(), poor})
    for (double bytes : {0., 1e2, 1e6, 3e6, 1e8, 7e8, 1e10, 1e12})
      for (double flops : {0., 1e3, 1e9, 1e13})
        for (Unit unit : {Unit::vector, Unit::matrix})
          for (at::ScalarType type : {at::kFloat, at::kDouble, at::kHalf, at::kBFloat16, at::kChar, at::kFloat8_e4m3fn, at::kInt})
            for (Accuracy accuracy : {Accuracy::exact, Accuracy::fp32, Accuracy::tf32, Accuracy::bf16}) {
              const Work work{{bytes, flops, unit}, type, accuracy};
              const double floor = floor_seconds(work, p);
              EXPECT_EQ(floor > 0, bytes + flops > 0);
              const auto r = place(work, 1, p);
              EXPECT_LE(floor, r ? r->speed_of_light : floor) << bytes << " " << flops << " " << type;
            }
}

}  // namespace
}  // namespace kbx
