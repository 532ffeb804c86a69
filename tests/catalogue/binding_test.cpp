// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "support.h"

namespace kbx::testing {
namespace {

using ::testing::HasSubstr;

const Task kConvolution = task_of(
    "conv(Tensor input, Tensor weight, Tensor? bias=None, int[2] stride=1, float eps=1e-05, Scalar alpha=1, bool flag=False, "
    "str mode='none', *, ScalarType? dtype=None, Tensor(a!)? out=None) -> Tensor");

TEST(Binding, RequiredArgumentsArePositionalAndTheRestKeywords) {
  Call call = must_bind(kConvolution, "input=randn[2] weight=randn[3] stride=2 mode=tanh");
  EXPECT_EQ(call.argument("input").given, Given::positional);
  EXPECT_EQ(call.argument("weight").given, Given::positional);
  EXPECT_EQ(call.argument("stride").given, Given::keyword);
  EXPECT_EQ(call.argument("mode").given, Given::keyword);
  EXPECT_EQ(call.argument("bias").given, Given::defaulted);
}

TEST(Binding, AStarSaysWhereKeywordsStart) {
  Call call = must_bind(kConvolution, "input=randn[2] * weight=randn[3]");
  EXPECT_EQ(call.argument("input").given, Given::positional);
  EXPECT_EQ(call.argument("weight").given, Given::keyword);
  call = must_bind(kConvolution, "input=randn[2] weight=randn[3] bias=none stride=[1,2] * flag=true");
  EXPECT_EQ(call.argument("stride").given, Given::positional);
  EXPECT_EQ(call.argument("bias").given, Given::positional);
  EXPECT_EQ(call.argument("bias").kind, ArgumentKind::none);
}

TEST(Binding, PositionalArgumentsOutOfOrderAreAnError) {
  EXPECT_THAT(error_of(kConvolution, "weight=randn[2] input=randn[2] *"), HasSubstr("weight: before '*'"));
  EXPECT_THAT(
      error_of(kConvolution, "input=randn[2] weight=randn[2] bias=none stride=1 eps=1 alpha=1 flag=true mode=x dtype=f32 *"),
      HasSubstr("dtype: before '*'"));
}

TEST(Binding, RequiredArgumentsOutOfOrderBecomeKeywords) {
  Call call = must_bind(kConvolution, "weight=randn[3] input=randn[2]");
  EXPECT_EQ(call.argument("input").given, Given::keyword);
  EXPECT_EQ(call.argument("weight").given, Given::keyword);
  EXPECT_EQ(call.argument("input").value.toTensor().size(0), 2);
}

TEST(Binding, OneIntegerStandsForTheSchemasListLength) {
  EXPECT_EQ(must_bind(kConvolution, "input=randn[2] weight=randn[3] stride=2").argument("stride").value.toIntVector(),
            (std::vector<int64_t>{2, 2}));
  Task task = task_of("f(int[] size, float[3] scales=1.5) -> Tensor");
  EXPECT_EQ(must_bind(task, "size=7").argument("size").value.toIntVector(), std::vector<int64_t>{7});
  EXPECT_EQ(must_bind(task, "size=[]").argument("size").value.toIntVector(), std::vector<int64_t>{});
  EXPECT_EQ(must_bind(task, "size=[] scales=2").argument("scales").value.toDoubleVector(), (std::vector<double>{2, 2, 2}));
}

TEST(Binding, DefaultsAreFilledIn) {
  Call call = must_bind(kConvolution, "input=randn[2] weight=randn[3]");
  EXPECT_EQ(call.argument("stride").value.toIntVector(), (std::vector<int64_t>{1, 1}));
  EXPECT_EQ(call.argument("eps").value.toDouble(), 1e-5);
  EXPECT_EQ(Args(call).text("mode"), "none");
  EXPECT_FALSE(Args(call).maybe_tensor("bias"));
  EXPECT_FALSE(Args(call).maybe_dtype("dtype"));
}

TEST(Binding, ANumberForATensorIsAWrappedNumberThatDoesNotPromote) {
  Task task = task_of("add(Tensor input, Tensor other) -> Tensor");
  Call call = must_bind(task, "input=randn[2]:f16 other=2.5");
  EXPECT_TRUE(call.argument("other").number_for_tensor);
  EXPECT_EQ((Args(call).tensor("input") + Args(call).tensor("other")).scalar_type(), at::kHalf);
  EXPECT_EQ(Args(must_bind(task, "input=randn[2] other=3")).tensor("other").scalar_type(), at::kLong);
  EXPECT_TRUE(call.clone().argument("other").value.toTensor().unsafeGetTensorImpl()->is_wrapped_number());
}

TEST(Binding, AScalarKeepsWhetherItIsAnInteger) {
  EXPECT_TRUE(Args(must_bind(kConvolution, "input=randn[2] weight=randn[3] alpha=2")).scalar("alpha").isIntegral(false));
  EXPECT_TRUE(Args(must_bind(kConvolution, "input=randn[2] weight=randn[3] alpha=2.0")).scalar("alpha").isFloatingPoint());
  EXPECT_TRUE(must_bind(kConvolution, "input=randn[2] weight=randn[3] eps=1").argument("eps").value.isDouble());
}

TEST(Binding, ADtypeIsTellableFromAnInteger) {
  Call call = must_bind(kConvolution, "input=randn[2] weight=randn[3] dtype=f64");
  EXPECT_EQ(call.argument("dtype").kind, ArgumentKind::dtype);
  EXPECT_EQ(Args(call).maybe_dtype("dtype"), at::kDouble);
}

TEST(Binding, TensorListsHoldDifferentContents) {
  Task task = task_of("hstack(Tensor[] tensors) -> Tensor");
  auto tensors = Args(must_bind(task, "tensors=[randn[3],randn[3]]")).tensors("tensors");
  ASSERT_EQ(tensors.size(), 2u);
  EXPECT_FALSE(tensors[0].equal(tensors[1]));
}

TEST(Binding, WrittenArgumentsAndOutAreMarked) {
  Task task = task_of("step(Tensor(a!) param, Tensor grad, *, Tensor(b!)? out=None) -> Tensor");
  Call call = must_bind(task, "param=randn[3] grad=randn[3]");
  EXPECT_TRUE(call.argument("param").may_be_written);
  EXPECT_FALSE(call.argument("param").is_out);
  EXPECT_FALSE(call.argument("grad").may_be_written);
  EXPECT_TRUE(call.argument("out").is_out);
}

TEST(Binding, ErrorsNameTheFieldAndWhatIsAllowed) {
  EXPECT_THAT(error_of(kConvolution, "input=randn[2] weight=randn[3] strid=2"),
              HasSubstr("strid: conv has no such argument (it takes input, weight"));
  EXPECT_THAT(error_of(kConvolution, "input=randn[2]"), HasSubstr("weight: is missing"));
  EXPECT_THAT(error_of(kConvolution, "input=randn[2]:f99 weight=randn[3]"),
              HasSubstr("input: 'f99' is no dtype (f16, bf16, f32"));
  EXPECT_THAT(error_of(kConvolution, "input=gauss[2] weight=randn[3]"),
              HasSubstr("input: 'gauss' is no generator (randn, uniform"));
  EXPECT_THAT(error_of(kConvolution, "input=randn[2]@odd weight=randn[3]"),
              HasSubstr("input: '@odd' is no modifier (scale, shift"));
  EXPECT_THAT(error_of(kConvolution, "input=randint(1)[2] weight=randn[3]"),
              HasSubstr("input: randint takes 2 parameters, not 1"));
  EXPECT_THAT(error_of(kConvolution, "input=randn[2]@transposed weight=randn[3]"),
              HasSubstr("input: transposed needs at least 2 dimensions"));
  EXPECT_THAT(error_of(kConvolution, "input=randn weight=randn[3]"),
              HasSubstr("input: takes a tensor, not 'randn' (write it as randn[2,3])"));
  EXPECT_THAT(error_of(kConvolution, "input=none weight=randn[3]"), HasSubstr("input: takes a tensor, not 'none'"));
  EXPECT_THAT(error_of(kConvolution, "input=randn[2] weight=randn[3] stride=[1,2,3]"),
              HasSubstr("stride: takes 2 values, not 3"));
  EXPECT_THAT(error_of(kConvolution, "input=randn[2] weight=randn[3] flag=1"), HasSubstr("flag: takes true or false, not '1'"));
  EXPECT_THAT(error_of(kConvolution, "input=randn[2] weight=randn[3] stride=1.5"),
              HasSubstr("stride: takes an integer, not '1.5'"));
  EXPECT_THAT(error_of(kConvolution, "input=randn[2] weight=randn[3] input=randn[2]"), HasSubstr("input: given twice"));
  EXPECT_THAT(error_of(kConvolution, "input=randn[2 weight=randn[3]"), HasSubstr("input: expected ']'"));
  EXPECT_THAT(error_of(kConvolution, "input=randn[-2] weight=randn[3]"), HasSubstr("input: '-2]' is no size"));
  EXPECT_THAT(error_of(kConvolution, "hard: input=randn[2]"), HasSubstr("'hard' is no stage of a case"));
  EXPECT_THAT(error_of(kConvolution, "N=3..5 input=randn[N]"), HasSubstr("N: sizes are drawn only in the catalogue"));
  EXPECT_THAT(error_of(kConvolution, "N=5..3 input=randn[N]"), HasSubstr("N: '5..3' is no range"));
  EXPECT_THAT(error_of(kConvolution, "input"), HasSubstr("'input' is not of the form name=value"));
}

}  // namespace
}  // namespace kbx::testing
