// SPDX-License-Identifier: Apache-2.0
#include "oracle/kinds/dropout.h"

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Generator.h>
#include <ATen/ops/div.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/nan_to_num.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>
#include <c10/util/Exception.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "contracts/rounding.h"
#include "core/check.h"
#include "oracle/kinds/form.h"
#include "oracle/kinds/mask_tests.h"
#include "oracle/kinds/significance.h"
#include "oracle/kinds/stochastic.h"

namespace kbx {
namespace {

constexpr const char* kContract = "stochastic:dropout";
constexpr const char* kMask = "(mask)";  // no schema has such an argument
constexpr double kApart = 8;             // gap over noise from which an element is certain
constexpr int kNoiseDraws = 4;
constexpr uint64_t kMaskStream = 0x6a09e667f3bcc909;  // keeps the judge's mask apart from inputs drawn from the same seed

// The task with the mask that the call carries.
Values with_mask(const Args& args) {
  const Chance& chance = args.call().task->chance;
  const at::Tensor x = chance.before(args), scaled = x.div(1 - chance.probability(args));
  return chance.after(args, at::where(args.tensor(kMask), scaled, at::zeros_like(scaled)));
}

at::Device device_of(const Call& call) {
  for (const Argument& argument : call.arguments)
    if (argument.value.isTensor() && !argument.value.toTensor().is_cpu()) return argument.value.toTensor().device();
  return at::kCPU;
}

// A call of a deterministic task: this one with a given mask.
class MaskedCall {
 public:
  MaskedCall(const Call& call, const at::Tensor& mask) : task_(*call.task), call_(call) {
    task_.reference = with_mask;
    task_.oracle = nullptr;
    task_.contract = numeric();
    call_.task = &task_;
    Argument argument;
    argument.name = kMask;
    argument.kind = ArgumentKind::tensor;
    argument.value = mask.to(device_of(call));
    call_.arguments.push_back(std::move(argument));
  }
  MaskedCall(const MaskedCall&) = delete;
  MaskedCall& operator=(const MaskedCall&) = delete;

  const Call& call() const { return call_; }

 private:
  Task task_;
  Call call_;
};

double probability_of(const Call& call) { return call.task->chance.probability(Args(call)); }

at::Tensor wide_on_cpu(const at::Tensor& t) { return t.is_floating_point() ? t.cpu().to(at::kDouble) : t.cpu(); }

Call in_float64(const Call& call) {
  Call wide = call.clone();
  for (Argument& argument : wide.arguments)
    if (argument.value.isTensor()) argument.value = wide_on_cpu(argument.value.toTensor());
  return wide;
}

at::Generator stream_of(const Call& call) {
  at::Generator generator = at::globalContext().defaultGenerator(at::kCPU).clone();
  generator.set_current_seed(call.seed ^ kMaskStream);
  return generator;
}

// The masked tensor again, roughly, from outputs in float64.
at::Tensor undone(const Call& wide, const Values& outputs) { return wide.task->chance.undo(Args(wide), outputs); }

// What is not finite is wrong whatever the mask, and LAPACK refuses it.
Values in_float64(const Delivery& delivery) {
  Values values;
  for (const Delivered& d : delivery) {
    const at::Tensor value = wide_on_cpu(d.value);
    values.push_back(value.is_floating_point() ? at::nan_to_num(value, 0, 0, 0) : value);
  }
  return values;
}

// How far an output of this budget may lie from its truth: the budget and half a rounding.
at::Tensor leeway(const Truth& truth) {
  return (truth.budget + half_ulp(truth.value.to(truth.dtype).to(at::kDouble), truth.dtype)).cpu();
}

bool is_real(const Truth& truth) { return has_float_format(truth.dtype); }

// One sight for each output of the mask's shape.
std::vector<Expected::Masks::Sight> sights_of_outputs(const Expected& kept, const Expected& dropped, const Expected& mixed,
                                                      at::IntArrayRef shape) {
  std::vector<Expected::Masks::Sight> sights;
  for (size_t i = 0; i < mixed.outputs.size(); ++i) {
    const Truth &k = kept.outputs[i], &d = dropped.outputs[i], &m = mixed.outputs[i];
    if (m.value.sizes() != shape || !is_real(m)) continue;
    const at::Tensor noise = at::maximum(leeway(m), at::maximum(leeway(k), leeway(d)));
    sights.push_back({static_cast<int>(i), k.value.cpu(), d.value.cpu(), noise});
  }
  return sights;
}

// The sight that Chance::undo gives; its noise is what outputs at the edge of the budget become, the largest of each row.
Expected::Masks::Sight sight_of_undo(const Call& wide, const Expected& mixed, const at::Tensor& scaled, const at::Tensor& mask,
                                     at::Generator& generator) {
  const at::Tensor zero = at::zeros_like(scaled), truth = at::where(mask, scaled, zero);
  at::Tensor noise = zero;
  for (int draw = 0; draw < kNoiseDraws; ++draw) {
    Values outputs;
    for (const Truth& t : mixed.outputs) {
      const at::Tensor value = wide_on_cpu(t.value);
      outputs.push_back(is_real(t) ? value + leeway(t) * at::empty_like(value).uniform_(-1, 1, generator).sign_() : value);
    }
    const at::Tensor error = (undone(wide, outputs) - truth).abs_();
    noise = at::maximum(noise, at::where(error.isfinite(), error, at::ones_like(error).mul_(INFINITY)));
  }
  if (noise.dim() > 0 && noise.numel() > 0) noise = noise.amax(-1, true).expand_as(zero);
  return {-1, scaled, zero, noise};
}

// How many times its noise a sight's two values lie apart.
at::Tensor clearness(const Expected::Masks::Sight& sight) { return (sight.kept - sight.dropped).abs_().div_(sight.noise); }

// REQUIRES: every output has the right form.
at::Tensor read_mask(const Call& call, const Expected::Masks& masks, const Delivery& delivery) {
  const Values values = in_float64(delivery);
  at::Tensor mask, best;
  for (const Expected::Masks::Sight& sight : masks.sights) {
    const at::Tensor seen = sight.output < 0 ? undone(in_float64(call), values) : values[sight.output];
    const at::Tensor looks_kept = (seen - sight.kept).abs_().lt((seen - sight.dropped).abs_());
    const at::Tensor clear = clearness(sight);
    mask = mask.defined() ? at::where(clear.gt(best), looks_kept, mask) : looks_kept;
    best = best.defined() ? at::maximum(best, clear) : clear;
  }
  return mask;
}

Judgement judge_with_mask(const Call& call, const at::Tensor& mask, const Delivery& delivery) {
  const MaskedCall masked(call, mask);
  const Expected expected = consult_oracle(masked.call());
  KBX_CHECK_EQ(expected.outputs.size(), delivery.size());
  Judgement judgement = judge_outputs(masked.call(), expected, {delivery});
  for (Finding& finding : judgement.findings) {
    finding.contract = kContract;
    for (size_t i = 0; i < delivery.size(); ++i)
      if (expected.outputs[i].name == finding.output)
        finding.drawn = {delivery[i].value, expected.outputs[i].value, expected.outputs[i].budget};
    finding.detail +=
        fmt::format(" (for the mask that fits best, which keeps {} of {})", mask.sum().item<int64_t>(), mask.numel());
  }
  return judgement;
}

std::optional<Finding> not_repeated(const Truth& truth, const Expected::Masks& masks, const at::Tensor& mask,
                                    const at::Tensor& again) {
  const int64_t differing = mask.ne(again).logical_and_(masks.certain).sum().item<int64_t>();
  if (differing == 0) return std::nullopt;
  Finding finding = finding_about(truth, kContract);
  finding.detail =
      fmt::format("the same seed gave another mask the second time: {} of {} elements differ", differing, mask.numel());
  return finding;
}

}  // namespace

bool is_settled(const Call& call) {
  const double p = probability_of(call);
  return p == 0 || p == 1 || call.task->chance.before(Args(call)).numel() == 0;
}

std::shared_ptr<const Expected::Masks> prepare_masks(const Call& call) {
  auto masks = std::make_shared<Expected::Masks>();
  const Chance& chance = call.task->chance;
  const Call wide = in_float64(call);
  masks->probability = probability_of(call);
  const at::Tensor before = chance.before(Args(wide)), scaled = before.div(1 - masks->probability);
  masks->magnitude = before.abs();
  at::Generator generator = stream_of(call);
  const at::Tensor all = at::ones_like(before, before.options().dtype(at::kBool));
  const at::Tensor some = at::empty_like(before).uniform_(0, 1, generator).ge(masks->probability);

  const MaskedCall mixed_call(call, some);
  const Expected mixed = consult_oracle(mixed_call.call());
  if (chance.undo) {
    masks->sights = {sight_of_undo(wide, mixed, scaled, some, generator)};
  } else {
    const MaskedCall kept_call(call, all), dropped_call(call, all.logical_not());
    masks->sights =
        sights_of_outputs(consult_oracle(kept_call.call()), consult_oracle(dropped_call.call()), mixed, before.sizes());
  }
  TORCH_CHECK(!masks->sights.empty(), "no output of this call shows the mask");
  masks->certain = at::zeros_like(all);
  for (const Expected::Masks::Sight& sight : masks->sights) masks->certain.logical_or_(clearness(sight).gt(kApart));

  // The judge's own draw has to be readable.
  Delivery own;
  for (const Truth& truth : mixed.outputs) own.push_back({truth.eager, ""});
  const at::Tensor read = read_mask(call, *masks, own);
  const bool readable = !read.ne(some).logical_and_(masks->certain).any().item<bool>() && judge_with_mask(call, read, own).passed;
  TORCH_CHECK(readable, "the outputs of this call do not determine the mask");
  return masks;
}

Judgement judge_dropout(const Call& call, const Expected& expected, const std::vector<Delivery>& deliveries) {
  KBX_CHECK(expected.masks != nullptr);
  KBX_CHECK_EQ(deliveries.size(), 3u);
  for (const Delivery& delivery : deliveries)
    for (size_t i = 0; i < expected.outputs.size(); ++i)
      if (auto finding = wrong_form(expected.outputs[i], delivery.at(i), kContract)) return rejected(std::move(*finding));

  std::vector<at::Tensor> masks;
  Judgement total = accepted(Accuracy::exact);
  for (const Delivery& delivery : deliveries) {
    masks.push_back(read_mask(call, *expected.masks, delivery));
    Judgement judgement = judge_with_mask(call, masks.back(), delivery);
    if (!judgement.passed) return judgement;
    total.ratio = std::max(total.ratio, judgement.ratio);
    total.accuracy = std::max(total.accuracy, judgement.accuracy);
  }
  const Truth& truth = expected.outputs.front();
  const Expected::Masks& known = *expected.masks;
  if (auto finding = not_repeated(truth, known, masks[0], masks[2])) {
    total = rejected(std::move(*finding));
    total.ratio = std::nextafter(1.0, 2.0);
    return total;
  }
  const double keep = 1 - known.probability;
  std::vector<TestResult> results;
  for (size_t i : {0, 1}) test_mask(masks[i], known.certain, known.magnitude, keep, results);
  test_two_masks(masks[0], masks[1], known.certain, keep, results);
  return judge_by_tests(std::move(total), truth, kContract, fmt::format("not an independent mask with keep rate {:.4g}", keep),
                        results, kMaskFalseAlarm);
}

}  // namespace kbx
