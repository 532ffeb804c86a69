// SPDX-License-Identifier: Apache-2.0
// Triton's compiler in confined children of a real zygote: what one compiled, the other does not.
#include "runner_fixture.h"

namespace kbx {
namespace {

const std::string kKernel = R"(
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, o_ptr, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(o_ptr + i, tl.exp(tl.load(x_ptr + i, mask=i < n)), mask=i < n)


def f(x):
    o = torch.empty_like(x)
    kernel[(1,)](x, o, x.numel(), B=16)
    return o
)";

class CompiledAhead : public RunnerFixture {
 protected:
  // The report after one call of a runner that was given `cache`.
  std::string compile(const std::vector<RunnerFile>& cache) {
    Candidate candidate;
    candidate.files = {{"kernel.py", kKernel}};
    auto started = zygote->spawn(candidate, cache);
    if (!started) return started.error().text();
    runner = *std::move(started);
    LoadRequest request;
    request.role = wire::Role::compile;
    request.path = "kernel.py";
    request.entries = {"f"};
    request.schema = "f(Tensor x) -> Tensor";
    request.options = R"({"all_configurations": true, "device": {"multi_processor_count": 7}})";
    if (const auto loaded = runner->load(request, kSeconds); !std::holds_alternative<Loaded>(loaded)) return what(loaded);
    ArgumentWriter w;
    w.tensor(allocate({4}));
    if (const auto prepared = runner->prepare(0, w.bytes(), w.count(), {}, kSeconds); !std::holds_alternative<Done>(prepared))
      return what(prepared);
    if (const auto called = call(); !std::holds_alternative<ReturnedCalls>(called)) return what(called);
    const auto report = runner->report(kSeconds);
    return std::holds_alternative<std::string>(report) ? std::get<std::string>(report) : what(report);
  }

  std::unique_ptr<Zygote> zygote;
};

TEST_F(CompiledAhead, ASecondRunnerOfTheCandidateCompilesNothing) {
  auto started = Zygote::start(wire::Role::compile, options);
  ASSERT_TRUE(started.ok()) << started.error().text();
  zygote = *std::move(started);
  const std::string first = compile({});
  ASSERT_NE(first.find(R"("compiled": 1)"), std::string::npos) << first << runner->output();
  const auto harvest = runner->harvest(kSeconds);
  ASSERT_TRUE((std::holds_alternative<std::vector<RunnerFile>>(harvest))) << what(harvest);
  const std::string second = compile(std::get<std::vector<RunnerFile>>(harvest));
  EXPECT_NE(second.find(R"("compiled": 0)"), std::string::npos) << second << runner->output();
  // Nothing is left of it for a candidate that was given nothing.
  const std::string third = compile({});
  EXPECT_NE(third.find(R"("compiled": 1)"), std::string::npos) << third;
}

}  // namespace
}  // namespace kbx
