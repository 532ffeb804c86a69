// SPDX-License-Identifier: Apache-2.0
// How the page of a verdict shows its efficiency.
#include <gmock/gmock.h>

#include "cli/table.h"
#include "core/utf8.h"
#include "core/verdicts.h"

namespace kbx {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::timed_correct;
using testing::verdict_with;

PerfResult perf(std::string line, double candidate, double baseline, Interval speedup, std::string verdict) {
  PerfResult p;
  p.line = std::move(line);
  p.candidate_seconds = candidate;
  p.baseline_seconds = baseline;
  p.speedup = speedup;
  p.class_ = std::move(verdict);
  p.samples = 40;
  return p;
}

Efficiency on_a_gpu() {
  Efficiency e;
  e.cases = {perf("input=randn[4096,4096] approximate=tanh", 41.23e-6, 77.2e-6, {1.873, 1.861, 1.884}, "faster"),
             perf("input=randn[64,257]", 2.34e-6, 2.17e-6, {0.9274, 0.912, 0.941}, "slower")};
  e.cases[0].discarded = 3;
  e.cases[0].roofline = Roofline{0.702, 0.0312, 0.702, 0.68, Bound::memory};
  e.cases[0].call_speedup = Interval{1.41, 1.38, 1.44};
  e.cases[0].candidate_call_seconds = 61.4e-6;
  e.cases[0].baseline_call_seconds = 86.6e-6;
  e.cases[1].roofline = Roofline{0.021, 0.0004, 0.021, 0.5, Bound::latency};
  e.cases[1].note = "results are random: the first draw was put to the whole test";
  e.speedup = Interval{1.318, 1.307, 1.329};
  e.call_speedup = Interval{1.41, 1.38, 1.44};
  e.worst = 0.9274;
  e.ratio_of_sums = 1.822;
  e.utilisation = 0.121;
  e.iou = 0.121;
  e.mfu = 0.0035;
  e.speed_of_light = 0.583;
  e.rivals = {{"compile", Interval{1.05, 1.04, 1.06}, ""}, {"max-autotune", std::nullopt, "it does not compile"}};
  e.counters = {{"input=randn[4096,4096] approximate=tanh", 137e6, 134.2e6, 0.48, 0}};
  return e;
}

Style columns(size_t width) {
  Style style;
  style.width = width;
  return style;
}

std::string page(const Efficiency& e, const char* device = "cuda:0", size_t width = 100) {
  Correct c{Accuracy::fp32, Authorship::authored, e};
  Verdict v = verdict_with(c);
  v.provenance.device = device;
  const std::string whole = verdict_page(v, columns(width));
  const size_t start = whole.find("  speedup ");
  return whole.substr(start, whole.find("  gates ") - start);
}

TEST(EfficiencyPage, OnAGpu) {
  EXPECT_EQ(page(on_a_gpu()), R"(  speedup     1.318x over the baseline, 95 % interval [1.307, 1.329]
              worst case 0.93x, ratio of sums 1.82x
  call time   1.41x [1.38, 1.44], the host's work included
  device      utilisation 12 %, speed of light 58 %, IOU 12 %, MFU 0.4 %
  rival       1.05x [1.04, 1.06] over torch.compile
  rival       torch.compile max-autotune not raced: it does not compile

  class   speedup             candidate  baseline  of peak        blocks  perf case
  faster  1.87x [1.86, 1.88]  41.2 us    77.2 us   70 % memory    40/43   input=randn[4096,4096] ap…
    call  1.41x [1.38, 1.44]  61.4 us    86.6 us
  slower  0.93x [0.91, 0.94]  2.34 us    2.17 us   2.1 % latency  40      input=randn[64,257]

  note        results are random: the first draw was put to the whole test: input=randn[64,257]
  counters    137 MB through memory (1.02 times the least), occupancy 48 %, tensor cores 0.0 %: input=randn[4096,4096] approximate=tanh
)");
}

TEST(EfficiencyPage, NothingOfAGpuIsShownOfTheCpu) {
  Efficiency e;
  e.cases = {perf("input=randn[64]", 1.5e-3, 3e-3, {2, 1.9, 2.1}, "faster")};
  e.cases[0].call_speedup = e.cases[0].speedup;  // the same there
  e.speedup = e.call_speedup = e.cases[0].speedup;
  e.worst = 2;
  e.caches = "warm";
  EXPECT_EQ(page(e, "cpu"), R"(  speedup     2.000x over the baseline, 95 % interval [1.900, 2.100], caches warm

  class   speedup             candidate  baseline  blocks  perf case
  faster  2.00x [1.90, 2.10]  1.50 ms    3.00 ms   40      input=randn[64]

)");
}

TEST(EfficiencyPage, AQuarantinedCaseShowsItsTimesAndNoSpeedup) {
  Efficiency e = on_a_gpu();
  e.cases[0].quarantined = "41.2 us, the device needs 90 us at least";
  e.quarantined = "below what the device can do";
  e.speedup.reset();
  EXPECT_THAT(page(e),
              AllOf(HasSubstr("speedup     quarantined: below what the device can do"), HasSubstr("  -       quarantined  "),
                    HasSubstr("41.2 us, the device needs 90 us at least: input=randn[4096"), Not(HasSubstr("1.87x")),
                    Not(HasSubstr("utilisation")), Not(HasSubstr("over torch.compile"))));
}

TEST(EfficiencyPage, ARefusedClaimShowsNoSpeedupEvenWhereOneWasLeft) {
  Efficiency e = on_a_gpu();
  e.withheld = "the judge's clock contradicts the claim";
  EXPECT_THAT(page(e), AllOf(HasSubstr("speedup     withheld: the judge's clock"), Not(HasSubstr("1.318"))));
}

TEST(EfficiencyPage, TheTableKeepsToTheTerminal) {
  const std::string text = page(on_a_gpu());
  const size_t start = text.find("  class");
  for (size_t at = start; at < text.find("  note");) {
    const size_t end = text.find('\n', at);
    EXPECT_LE(code_points(text.substr(at, end - at)), 100u);
    at = end + 1;
  }
  EXPECT_THAT(page(on_a_gpu(), "cuda:0", 0), HasSubstr("  input=randn[4096,4096] approximate=tanh\n"));  // a file gets it all
}

TEST(EfficiencyPage, ACandidateCannotSteerTheTerminal) {
  Efficiency e = on_a_gpu();
  e.cases[0].note = e.cases[0].line = e.withheld = "\x1b[2J";
  e.cases[0].class_ = "\x1b[2Jfaster";
  EXPECT_THAT(page(e), Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace kbx
