// SPDX-License-Identifier: Apache-2.0
#include "oracle/kinds/indices.h"

#include <gtest/gtest.h>

#include "kinds/calls.h"

namespace kbx {
namespace {

using testing::delivered;

// argmax over `dim`; the truth is torch's own answer for `input`.
struct Argmax {
  Call call;
  Expected expected;

  Argmax(const at::Tensor& input, std::optional<int64_t> dim, bool keepdim) {
    call.arguments = {testing::tensor_argument("input_tensor", input), testing::integer_argument("dim", dim)};
    const at::Tensor index = at::argmax(input, dim, keepdim);
    expected.outputs = {testing::truth("result", index, index)};
  }
  Judgement judge(const at::Tensor& index) const {
    return judge_indices(call, expected, 0, delivered(index), {"input_tensor", "dim"});
  }
  const at::Tensor& index() const { return expected.outputs[0].value; }
};

at::Tensor numbers() { return at::randn({7, 5, 11}, at::make_generator<at::CPUGeneratorImpl>(3)); }

TEST(Indices, TheOraclesOwnAnswerPassesForEveryFormOfDim) {
  for (const std::optional<int64_t> dim : {std::optional<int64_t>{}, {0}, {1}, {2}, {-1}, {-3}})
    for (const bool keepdim : {false, true}) {
      const Argmax task(numbers(), dim, keepdim);
      EXPECT_TRUE(task.judge(task.index()).passed) << dim.value_or(99) << keepdim;
    }
}

TEST(Indices, AnotherPlaceOfATieIsFree) {
  const Argmax task(at::tensor({1.f, 3.f, 3.f, 0.f, 3.f}), 0, false);
  for (const int64_t place : {1, 2, 4}) EXPECT_TRUE(task.judge(at::scalar_tensor(place, at::kLong)).passed);
  for (const int64_t place : {0, 3}) EXPECT_FALSE(task.judge(at::scalar_tensor(place, at::kLong)).passed);
}

TEST(Indices, SignedZerosTie) {
  const Argmax task(at::tensor({-0.f, 0.f, -1.f}), 0, false);
  EXPECT_TRUE(task.judge(at::scalar_tensor(0, at::kLong)).passed);
  EXPECT_TRUE(task.judge(at::scalar_tensor(1, at::kLong)).passed);
}

TEST(Indices, AnyNaNWinsAndANumberBesideItDoesNot) {
  const float nan = std::nanf("");
  const Argmax task(at::tensor({1.f, nan, 9.f, nan}), 0, false);
  EXPECT_TRUE(task.judge(at::scalar_tensor(1, at::kLong)).passed);
  EXPECT_TRUE(task.judge(at::scalar_tensor(3, at::kLong)).passed);
  EXPECT_FALSE(task.judge(at::scalar_tensor(2, at::kLong)).passed);
}

TEST(Indices, OutsideTheDimensionIsWrongOnBothSides) {
  const Argmax task(numbers(), 1, false);
  for (const int64_t out : {-1, 5, 1 << 20}) {
    at::Tensor index = task.index().clone();
    index[3][4] = out;
    const Judgement judgement = task.judge(index);
    ASSERT_FALSE(judgement.passed);
    EXPECT_EQ(judgement.findings[0].where, (std::vector<int64_t>{3, 4}));
    EXPECT_NE(judgement.findings[0].detail.find("outside 0..4"), std::string::npos) << judgement.findings[0].detail;
  }
}

TEST(Indices, PositionsOfAnotherDimensionFail) {
  const at::Tensor input = numbers();
  const Argmax task(input, std::nullopt, false);
  EXPECT_FALSE(task.judge(at::argmax(input.transpose(0, 2).contiguous())).passed);
}

TEST(Indices, Int32AndValuesInsteadOfPositionsFail) {
  const Argmax task(numbers(), 2, false);
  EXPECT_FALSE(task.judge(task.index().to(at::kInt)).passed);
  EXPECT_FALSE(task.judge(numbers().amax(2)).passed);
  EXPECT_FALSE(task.judge(task.index().unsqueeze(2)).passed);
}

TEST(Indices, LazyAnswersFail) {
  const at::Tensor input = numbers();
  const Argmax task(input, 2, false);
  const at::Tensor zeros = at::zeros_like(task.index());
  EXPECT_FALSE(task.judge(zeros).passed);
  EXPECT_FALSE(task.judge(zeros + 1).passed);
  EXPECT_FALSE(task.judge(at::argmin(input, 2)).passed);
  at::Tensor last_row = task.index().clone();
  last_row.select(0, 6).zero_();
  const Judgement judgement = task.judge(last_row);
  ASSERT_FALSE(judgement.passed);
  EXPECT_EQ(judgement.findings[0].where[0], 6);
  EXPECT_LE(judgement.findings[0].wrong_elements, 5);
}

TEST(Indices, IntegersBeyondFloatPrecisionAreTold) {
  const int64_t big = int64_t{1} << 60;
  const Argmax task(at::tensor(at::ArrayRef<int64_t>({big, big + 1}), at::kLong), 0, false);
  EXPECT_FALSE(task.judge(at::scalar_tensor(0, at::kLong)).passed);
}

TEST(Indices, ScalarAndEmptyInputs) {
  const Argmax scalar(at::scalar_tensor(5.f), 0, false);
  EXPECT_TRUE(scalar.judge(at::scalar_tensor(0, at::kLong)).passed);
  EXPECT_FALSE(scalar.judge(at::scalar_tensor(1, at::kLong)).passed);
  const Argmax empty(at::empty({0, 3}), 1, false);
  EXPECT_TRUE(empty.judge(at::empty({0}, at::kLong)).passed);
}

}  // namespace
}  // namespace kbx
