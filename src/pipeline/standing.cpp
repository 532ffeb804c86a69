// SPDX-License-Identifier: Apache-2.0
#include "pipeline/standing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/check.h"
#include "measure/roofline.h"
#include "measure/statistics.h"

namespace kbx {
namespace {

// What queued calls may take on top of their GPU time: launch gaps, and the message's own launch and wait divided by its calls.
constexpr double kPaceShare = 0.2, kPaceSeconds = 20e-6;
constexpr double kHiddenOnCpu = 0.5e-3, kHiddenOnGpu = 0.1e-3;
constexpr double kBeforeSeconds = 0.3e-3;  // by which those messages scatter from one process to the next
constexpr double kMeanwhileShare = 0.2;    // who waits for its turn uses next to nothing

std::vector<double> seconds_of(const std::vector<BlockRecord>& records, wire::Timing how, size_t side) {
  std::vector<double> seconds;
  for (const BlockRecord& r : records)
    if (r.how == how) seconds.push_back(r.seconds[side]);
  return seconds;
}

std::vector<double> unclaimed_of(const std::vector<BlockRecord>& records, size_t side) {
  std::vector<double> unclaimed;
  for (const BlockRecord& r : records)
    if (r.how == wire::Timing::each) unclaimed.push_back(r.unclaimed[side]);
  return unclaimed;
}

double typical(const std::vector<Block>& blocks, double Block::*side) {
  std::vector<double> seconds;
  for (const Block& b : blocks) seconds.push_back(b.*side);
  return median(std::move(seconds));
}

// Whether the judge's clock bears a side's GPU times out; true where there is nothing to compare.
bool keeps_pace(const std::vector<BlockRecord>& records, size_t side) {
  const auto gpu = seconds_of(records, wire::Timing::traced, side), pace = seconds_of(records, wire::Timing::queued, side);
  if (gpu.empty() || pace.empty()) return true;
  return median(pace) <= (1 + kPaceShare) * median(gpu) + kPaceSeconds;
}

// Work for a sample can be done in the messages before it: the contents of all sets lie there already.
std::string work_before(const std::vector<BlockRecord>& records, double candidate_seconds) {
  std::vector<double> baseline, candidate;
  double calls = 1;
  for (const BlockRecord& r : records) {
    if (r.how != wire::Timing::queued || r.before.empty()) continue;
    baseline.push_back(r.before[Contest::kBaseline]);
    candidate.push_back(r.before[Contest::kCandidate]);
    calls = std::max(calls, r.sample_calls);
  }
  if (baseline.empty()) return "";
  const Audit early = audit(baseline, candidate, calls * candidate_seconds, kBeforeSeconds);
  if (!early.contradicted) return "";
  return fmt::format("its calls before the sample take {:.3g} ms longer than those in it: the sample's work may be done there",
                     early.hidden_seconds * 1e3);
}

std::string work_meanwhile(const std::vector<BlockRecord>& records) {
  double others = 0, candidate = 0;
  for (const BlockRecord& r : records) others += r.others_seconds, candidate += r.meanwhile_seconds;
  if (candidate <= kMeanwhileShare * others) return "";
  return fmt::format("it uses the processor for {:.0f} % of the time in which others are timed", 100 * candidate / others);
}

std::optional<double> geometric(const std::vector<CaseStanding>& cases, double Roofline::*part) {
  double sum = 0;
  int n = 0;
  for (const CaseStanding& c : cases) {
    if (!c.result.roofline || (*c.result.roofline).*part <= 0) continue;
    sum += std::log((*c.result.roofline).*part);
    ++n;
  }
  return n > 0 ? std::optional(std::exp(sum / n)) : std::nullopt;
}

// Too few blocks bound nothing; a program that reads the result wants numbers all the same.
Interval bounded(Interval ratio) {
  constexpr double kAnything = 1e6;
  return {ratio.value, std::max(ratio.low, ratio.value / kAnything), std::min(ratio.high, ratio.value * kAnything)};
}

}  // namespace

std::vector<Block> blocks_of(const std::vector<BlockRecord>& records, wire::Timing how, size_t baseline, size_t candidate) {
  std::vector<Block> blocks;
  for (const BlockRecord& r : records)
    if (r.how == how) blocks.push_back({r.process, r.seconds[baseline], r.seconds[candidate], !r.disturbed.empty()});
  return blocks;
}

const char* clock_name(wire::Timing how) {
  return how == wire::Timing::traced ? "gpu" : how == wire::Timing::queued ? "pace" : "judge";
}

wire::Timing deciding_clock(const std::vector<BlockRecord>& records, bool gpu) {
  if (!gpu) return wire::Timing::each;
  const bool traced = std::ranges::any_of(records, [](const BlockRecord& r) { return r.how == wire::Timing::traced; });
  const bool kept = keeps_pace(records, Contest::kBaseline) && keeps_pace(records, Contest::kCandidate);
  return traced && kept ? wire::Timing::traced : wire::Timing::queued;
}

CaseStanding standing_of(const CaseBlocks& c, const Measure& measure) {
  const wire::Timing clock = deciding_clock(c.blocks, measure.gpu);
  const auto blocks = counted(blocks_of(c.blocks, clock, Contest::kBaseline, Contest::kCandidate), measure.rule.least);
  KBX_CHECK(!blocks.empty());
  CaseStanding standing;
  PerfResult& r = standing.result;
  r.line = c.heat->perf_case().line;
  r.baseline_seconds = typical(blocks, &Block::baseline);
  r.candidate_seconds = typical(blocks, &Block::candidate);
  r.speedup = bounded(ratio_of(blocks, measure.spread.of(clock_name(clock))));
  r.class_ = speed_class(r.speedup);
  r.samples = static_cast<int>(blocks.size());
  r.discarded = static_cast<int>(
      std::ranges::count_if(c.blocks, [&](const BlockRecord& b) { return b.how == clock && !b.disturbed.empty(); }));

  const auto calls = counted(blocks_of(c.blocks, wire::Timing::each, Contest::kBaseline, Contest::kCandidate), 1);
  if (!calls.empty()) {
    r.baseline_call_seconds = typical(calls, &Block::baseline);
    r.candidate_call_seconds = typical(calls, &Block::candidate);
    r.call_speedup = bounded(ratio_of(calls, measure.spread.of(clock_name(wire::Timing::each))));
  }
  if (measure.gpu && clock == wire::Timing::queued) {
    const auto gpu = blocks_of(c.blocks, wire::Timing::traced, Contest::kBaseline, Contest::kCandidate);
    r.note = gpu.empty() ? "no CUPTI: the judge's pace of queued calls counts"
                         : fmt::format("host-bound: the judge's pace of queued calls counts; GPU times were {:.1f} and {:.1f} us",
                                       typical(gpu, &Block::baseline) * 1e6, typical(gpu, &Block::candidate) * 1e6);
  }
  if (measure.profile != nullptr) {
    Work work{c.heat->cost(), c.heat->type(), measure.accuracy};
    if (measure.warm) work.cost.bytes = 0;  // what is in the caches already need not come from memory
    r.roofline = place(work, r.candidate_seconds, *measure.profile);
    if (const double floor = floor_seconds(work, *measure.profile); r.candidate_seconds < floor)
      r.quarantined = fmt::format("{:.3g} us are less than the {:.3g} us that this device needs at least",
                                  r.candidate_seconds * 1e6, floor * 1e6);
  }
  const auto unclaimed = unclaimed_of(c.blocks, Contest::kCandidate);
  if (!unclaimed.empty())
    standing.audit = audit(unclaimed_of(c.blocks, Contest::kBaseline), unclaimed, r.candidate_call_seconds,
                           measure.gpu ? kHiddenOnGpu : kHiddenOnCpu);
  if (standing.audit.contradicted)
    standing.withheld = fmt::format("the judge's clock contradicts the claimed times: {:.3g} ms a call are missing",
                                    standing.audit.hidden_seconds * 1e3);
  if (standing.withheld.empty()) standing.withheld = work_meanwhile(c.blocks);
  if (standing.withheld.empty()) standing.withheld = work_before(c.blocks, r.candidate_seconds);
  return standing;
}

Efficiency efficiency_of(const std::vector<CaseStanding>& cases, const Measure& measure) {
  Efficiency e;
  std::vector<Interval> ratios, calls;
  double baseline = 0, candidate = 0;
  for (const CaseStanding& c : cases) {
    const PerfResult& r = c.result;
    e.cases.push_back(r);
    ratios.push_back(r.speedup);
    if (r.call_speedup) calls.push_back(*r.call_speedup);
    baseline += r.baseline_seconds;
    candidate += r.candidate_seconds;
    e.worst = e.worst == 0 ? r.speedup.value : std::min(e.worst, r.speedup.value);
    if (e.quarantined.empty() && !r.quarantined.empty()) e.quarantined = r.quarantined + " (" + r.line + ")";
    if (e.withheld.empty() && !c.withheld.empty()) e.withheld = c.withheld + " (" + r.line + ")";
  }
  e.ratio_of_sums = candidate > 0 ? baseline / candidate : 0;
  if (measure.gpu && !calls.empty()) e.call_speedup = geometric_mean(calls);
  e.utilisation = geometric(cases, &Roofline::utilisation);
  e.iou = geometric(cases, &Roofline::iou);
  e.mfu = geometric(cases, &Roofline::mfu);
  e.speed_of_light = geometric(cases, &Roofline::speed_of_light);
  if (!ratios.empty() && e.withheld.empty() && e.quarantined.empty()) e.speedup = geometric_mean(ratios);
  return e;
}

std::string dishonest_evidence(const std::vector<CaseStanding>& cases) {
  for (const CaseStanding& c : cases)
    if (c.audit.impossible)
      return fmt::format(
          "the runner claims less time than the judge's clock saw, in more blocks than noise can bring about, on {}: {:.3g} ms a "
          "call are missing",
          c.result.line, c.audit.hidden_seconds * 1e3);
  return "";
}

Interval rival_speedup(const std::vector<CaseBlocks>& cases, size_t rival, const Measure& measure) {
  std::vector<Interval> ratios;
  for (const CaseBlocks& c : cases) {
    const wire::Timing clock = deciding_clock(c.blocks, measure.gpu);
    const auto blocks = counted(blocks_of(c.blocks, clock, rival, Contest::kCandidate), measure.rule.least);
    ratios.push_back(bounded(ratio_of(blocks, measure.spread.of(clock_name(clock)))));
  }
  return geometric_mean(ratios);
}

std::vector<TimingSample> raw_samples(const CaseBlocks& c, const std::vector<std::string>& sides) {
  std::vector<TimingSample> samples;
  for (size_t b = 0; b < c.blocks.size(); ++b)
    for (size_t s = 0; s < sides.size(); ++s) {
      const BlockRecord& r = c.blocks[b];
      samples.push_back({c.heat->perf_case().line, sides[s], clock_name(r.how), r.process, static_cast<int>(b), r.seconds[s],
                         !r.disturbed.empty()});
    }
  return samples;
}

}  // namespace kbx
