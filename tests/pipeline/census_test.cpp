// SPDX-License-Identifier: Apache-2.0
#include "pipeline/census.h"

#include <gtest/gtest.h>

namespace kbx {
namespace {

TEST(ParseCensus, SurvivesAnythingAHostileRunnerSends) {
  for (const char* text : {"", "null", "[]", "{", "3", R"({"operators": 3})", R"({"kernels": [1, null, {"name": 4}]})",
                           R"({"accesses": {"line": 1}})", R"({"launches": "many"})", "\xff\xfe"})
    parse_census(text);
}

TEST(ParseCensus, ReadsOperatorsKernelsAndAccesses) {
  const Census c = parse_census(R"({"operators": ["aten.mm"], "launches": 2, "programs": 7, "stores_reached_output": true,
    "kernels": [{"name": "k", "arch": "sm_90", "registers": 32, "shared": 1024, "spills": 0}],
    "accesses": [{"kernel": "k", "file": "a.py", "line": 67, "kind": "store", "buffer": "out", "distance": 16, "count": 56,
      "program": [3, 0, 0]}]})");
  EXPECT_EQ(c.operators, std::vector<std::string>{"aten.mm"});
  ASSERT_EQ(c.kernels.size(), 1u);
  EXPECT_EQ(c.kernels[0].registers, 32);
  ASSERT_EQ(c.accesses.size(), 1u);
  EXPECT_EQ(c.accesses[0].line, 67);
  EXPECT_TRUE(c.accesses[0].write);
  EXPECT_EQ(c.accesses[0].program, "(3, 0, 0)");
}

Census triton(std::vector<std::string> operators, int64_t launches, bool reached) {
  Census c;
  c.operators = std::move(operators);
  c.launches = launches;
  c.stores_reached_output = reached;
  return c;
}

TEST(Authorship, TorchForEverythingIsDelegatedEvenWithoutComputingOperators) {
  EXPECT_EQ(authorship(Language::triton, triton({"aten.mm"}, 0, false)), Authorship::delegated);
  EXPECT_EQ(authorship(Language::triton, triton({}, 0, false)), Authorship::delegated);
}

TEST(Authorship, ADecoyKernelWhoseStoresReachNoOutputIsDelegated) {
  EXPECT_EQ(authorship(Language::triton, triton({"aten.mm"}, 1, false)), Authorship::delegated);
}

TEST(Authorship, AKernelBesideLibraryOperatorsIsMixed) {
  EXPECT_EQ(authorship(Language::triton, triton({"aten.mm"}, 1, true)), Authorship::mixed);
  EXPECT_EQ(authorship(Language::triton, triton({}, 1, true)), Authorship::authored);
}

TEST(Authorship, ANativeLibraryThatBringsOpenblasDoesNotCountAsItsOwnWork) {
  Census c;
  c.libraries = {"/usr/lib/libm.so.6"};
  EXPECT_EQ(authorship(Language::cpp, c), Authorship::authored);
  c.libraries.push_back("/usr/lib/libopenblas.so.0");
  EXPECT_EQ(authorship(Language::cpp, c), Authorship::delegated);
}

// A report of kernels and nanoseconds, as role cuda and a native runner send it.
Census ran(const std::string& kernels, const std::string& rest) {
  return parse_census(R"({"launched": 9, "kernels": [)" + kernels + "]" + (rest.empty() ? "" : ", " + rest) + "}");
}

std::string kernel(const std::string& name, int nanoseconds) {
  return R"({"launches": 1, "registers": 16, "shared": 0, "name": ")" + name + R"(", "nanoseconds": )" +
         std::to_string(nanoseconds) + "}";
}

Authorship judged(Language language, Census census) {
  attribute(language, census);
  return authorship_on_gpu(language, census);
}

const std::string kNvjet = "nvjet_tst_128x64_64x8_1x2_h_bz_TNN";
const std::string kMul =
    "void at::native::vectorized_elementwise_kernel<4, at::native::BinaryFunctor<float> >(int, at::native::BinaryFunctor<float>)";
const std::string kFill = "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float> >(int)";

TEST(AuthorshipOnGpu, ATorchProductBehindATinyKernelOfItsOwnIsDelegated) {
  const std::string own = R"("own": ["relu_kernel"], "launches": 1, "operators": ["aten.mm"])";
  EXPECT_EQ(judged(Language::triton, ran(kernel(kNvjet, 97000) + "," + kernel("relu_kernel", 3000), own)), Authorship::delegated);
  EXPECT_EQ(judged(Language::triton, ran(kernel(kNvjet, 60000) + "," + kernel("relu_kernel", 40000), own)), Authorship::mixed);
  EXPECT_EQ(judged(Language::triton, ran(kernel(kNvjet, 3000) + "," + kernel("relu_kernel", 97000), own)), Authorship::authored);
}

TEST(AuthorshipOnGpu, PoisonAndCopiesOfTheJudgeCountForNobody) {
  EXPECT_EQ(judged(Language::triton, ran(kernel(kFill, 900000) + "," + kernel("k", 10), R"("own": ["k"], "launches": 1)")),
            Authorship::authored);
}

TEST(AuthorshipOnGpu, AKernelOfTorchsCompilerIsNotTheCandidates) {
  const std::string inductor = kernel("triton_poi_fused_gelu_0", 500);
  EXPECT_EQ(judged(Language::triton, ran(inductor, R"("own": [], "launches": 0)")), Authorship::delegated);
  EXPECT_EQ(judged(Language::triton, ran(inductor, R"("own": ["triton_poi_fused_gelu_0"], "launches": 1)")),
            Authorship::authored);
}

TEST(AuthorshipOnGpu, ADecoyWithTheNameOfACublasKernelDoesNotMakeItOnesOwn) {
  EXPECT_EQ(judged(Language::triton, ran(kernel(kNvjet, 500), "\"own\": [\"" + kNvjet + "\"], \"launches\": 1")),
            Authorship::delegated);
}

TEST(AuthorshipOnGpu, WorkOnTheHostBehindAKernelOfItsOwnIsMixed) {
  EXPECT_EQ(judged(Language::triton, ran(kernel("k", 500), R"("own": ["k"], "launches": 1, "operators": ["aten.mm"])")),
            Authorship::mixed);
}

TEST(AuthorshipOnGpu, CudaSourcesMayCallTheirKernelsWhatTheyLike) {
  EXPECT_EQ(judged(Language::cuda, ran(kernel("potrf_kernel(float*)", 500), R"("libraries": ["/cu13/lib/libcudart.so.13"])")),
            Authorship::authored);
  EXPECT_EQ(judged(Language::cuda, ran(kernel(kNvjet, 500), R"("libraries": ["/cu13/lib/libcublasLt.so.13"])")),
            Authorship::delegated);
  EXPECT_EQ(judged(Language::cuda, ran(kernel("void cub::CUB_200_NS::DeviceScanKernel<int>(int)", 500), R"("libraries": [])")),
            Authorship::delegated);
}

TEST(AuthorshipOnGpu, WhatIsNotSeenIsNotAuthored) {
  EXPECT_EQ(judged(Language::cuda, ran("", "")), Authorship::delegated);
  EXPECT_EQ(judged(Language::cuda, parse_census("{}")), Authorship::delegated);
  EXPECT_EQ(judged(Language::triton, parse_census(R"({"launches": 0})")), Authorship::delegated);
  EXPECT_EQ(judged(Language::triton, parse_census(R"({"launches": 2, "operators": ["aten.mm"]})")), Authorship::mixed);
  EXPECT_EQ(judged(Language::triton, parse_census(R"({"launches": 2})")), Authorship::authored);
}

TEST(AuthorshipOnGpu, ForgedTimesDoNotTurnAShareNegative) {
  Census c = ran(kernel("k", -500) + "," + kernel(kMul, 500), R"("own": ["k"], "launches": 1)");
  attribute(Language::triton, c);
  EXPECT_EQ(own_share(c), 0.0);
}

TEST(ParseCensus, RefusedLaunchesComeWithTheirShape) {
  const Census c = parse_census(R"({"failed_launches": [{"name": "k", "code": 1, "error": "invalid argument", "grid": [1, 2, 3],
    "block": [2048, 1, 1], "shared": 16, "count": 2}, {"grid": "x"}, 7]})");
  ASSERT_EQ(c.failed_launches.size(), 3u);
  EXPECT_EQ(c.failed_launches[0].grid[2], 3);
  EXPECT_EQ(c.failed_launches[0].block[0], 2048);
  EXPECT_EQ(c.failed_launches[0].shared_bytes, 16);
}

}  // namespace
}  // namespace kbx
