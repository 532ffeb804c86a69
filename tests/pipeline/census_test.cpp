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

}  // namespace
}  // namespace kbx
