// SPDX-License-Identifier: Apache-2.0
#include "oracle/sampling.h"

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Generator.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/view_as_complex.h>
#include <ATen/ops/view_as_real.h>
#include <ATen/ops/zeros_like.h>
#include <c10/util/Exception.h>

#include <functional>
#include <numbers>
#include <set>

#include "catalogue/generate.h"
#include "contracts/rounding.h"

namespace kbx {
namespace {

constexpr int kSignDraws = 3, kCauchyDraws = 5, kFineDraws = 2;  // fewer do not suffice: docs/tolerance.md
constexpr double kStep = 8;                                      // perturbations are 8u
constexpr double kCauchyClip = 1e4;
constexpr double kFineWidth = 0x1p-10;

at::Tensor real_parts(const at::Tensor& t) { return t.is_complex() ? at::view_as_real(t.resolve_conj()) : t; }

// Deterministic noise; a stream for each kind of device.
class Noise {
 public:
  Noise(at::Device device, uint64_t seed) : key_(seed) {
    if (device.is_cpu()) return;
    device_ = at::globalContext().defaultGenerator(device).clone();
    device_.set_current_seed(seed);
  }

  at::Tensor signs(const at::Tensor& like) { return uniform(like, 1).sign_(); }
  at::Tensor cauchy(const at::Tensor& like) {
    return uniform(like, std::numbers::pi / 2).tan_().clamp_(-kCauchyClip, kCauchyClip);
  }
  at::Tensor uniform(const at::Tensor& like, double width) {
    if (like.is_cpu()) return uniform_numbers(like.sizes(), -width, width, mix(key_, draws_++));
    return at::empty(like.sizes(), like.options().dtype(at::kDouble)).uniform_(-width, width, device_);
  }

 private:
  uint64_t key_, draws_ = 0;
  at::Generator device_;
};

using Draw = std::function<at::Tensor(const at::Tensor& like)>;

// x (1 + step * noise) in float64; real and imaginary parts move independently.
Inputs perturbed(const Inputs& inputs, double step, const Draw& draw) {
  return map_floating(cast_to(inputs, at::kDouble), [&](const at::Tensor& x) {
    const at::Tensor parts = real_parts(x).contiguous();
    const at::Tensor moved = draw(parts).mul_(step).add_(1).mul_(parts);
    return x.is_complex() ? at::view_as_complex(moved) : moved;
  });
}

// Moved inputs brought back into the range that each tensor had: some operators demand a domain (probabilities up to 1).
Inputs within_range(const Inputs& moved, const Inputs& original) {
  Inputs inside = moved;
  for (size_t i = 0; i < moved.size(); ++i)
    if (moved[i].is_floating_point() && moved[i].numel() > 0)
      inside[i] = moved[i].clamp(original[i].min().to(moved[i].scalar_type()), original[i].max().to(moved[i].scalar_type()));
  return inside;
}

class Sampler {
 public:
  Sampler(const Evaluation& evaluation, ReferenceFunction truth_function) : evaluation_(evaluation), function_(truth_function) {}

  // The truth function at perturbed inputs, which come back as they were used.
  std::vector<at::Tensor> at_perturbed(Inputs& moved) const {
    try {
      return evaluation_.in_precision(function_, moved, at::kDouble);
    } catch (const c10::Error&) {
      moved = within_range(moved, evaluation_.inputs());
      return evaluation_.in_precision(function_, moved, at::kDouble);
    }
  }

  // |a - b| in float64; 0 where the shapes differ, since then nothing can be said.
  static at::Tensor distance(const at::Tensor& a, const at::Tensor& b) {
    const at::Tensor x = real_parts(a).to(at::kDouble), y = real_parts(b).to(at::kDouble);
    return x.sizes() == y.sizes() ? (x - y).abs_() : at::zeros_like(y);
  }

 private:
  const Evaluation& evaluation_;
  ReferenceFunction function_;
};

}  // namespace

std::vector<Samples> sample(const Evaluation& evaluation, ReferenceFunction truth_function, ReferenceFunction reference,
                            const std::vector<Sampled>& outputs, uint64_t seed) {
  const Sampler sampler(evaluation, truth_function);
  Noise noise(evaluation.device(), seed);
  std::vector<Samples> samples;
  std::set<double> roundoffs;
  for (const Sampled& output : outputs) {
    samples.push_back(
        {.truth = real_parts(output.truth), .signs = {}, .cauchy = {}, .inner = {}, .eager = real_parts(output.eager)});
    roundoffs.insert(working_roundoff(samples.back().eager.scalar_type()));
  }

  for (const double u : roundoffs) {
    const auto record = [&](std::vector<at::Tensor> Samples::*draws, const Draw& draw) {
      Inputs moved = perturbed(evaluation.inputs(), kStep * u, draw);
      const std::vector<at::Tensor> results = sampler.at_perturbed(moved);
      for (size_t i = 0; i < outputs.size(); ++i)
        if (working_roundoff(samples[i].eager.scalar_type()) == u)
          (samples[i].*draws).push_back(Sampler::distance(results[outputs[i].slot], outputs[i].truth).div_(kStep));
    };
    for (int i = 0; i < kSignDraws; ++i) record(&Samples::signs, [&](const at::Tensor& x) { return noise.signs(x); });
    for (int i = 0; i < kCauchyDraws; ++i) record(&Samples::cauchy, [&](const at::Tensor& x) { return noise.cauchy(x); });
  }

  // float32 against float64 on the same float32 numbers: at x itself, then next to it.
  const auto record_inner = [&](const std::vector<at::Tensor>& narrow, const std::vector<at::Tensor>& wide) {
    for (size_t i = 0; i < outputs.size(); ++i) {
      const at::Tensor error = Sampler::distance(narrow[outputs[i].slot], wide[outputs[i].slot]);
      samples[i].inner.push_back(error.sizes() == samples[i].truth.sizes() ? error : at::zeros_like(samples[i].truth));
    }
  };
  std::vector<at::Tensor> at_x(evaluation.slots().size());
  for (const Sampled& output : outputs) at_x[output.slot] = output.truth;
  if (evaluation.is_in(at::kFloat)) {
    std::vector<at::Tensor> eager(evaluation.slots().size());
    for (const Sampled& output : outputs) eager[output.slot] = output.eager;
    record_inner(eager, at_x);
  } else {
    const Inputs x = cast_to(evaluation.inputs(), at::kFloat);
    const bool rounded = roundoffs.contains(working_roundoff(at::kDouble));
    record_inner(evaluation.in_precision(reference, x, at::kFloat),
                 rounded ? evaluation.in_precision(truth_function, x, at::kDouble) : at_x);
  }
  for (int i = 0; i < kFineDraws; ++i) {
    Inputs moved =
        cast_to(perturbed(evaluation.inputs(), kFineWidth, [&](const at::Tensor& x) { return noise.uniform(x, 1); }), at::kFloat);
    const std::vector<at::Tensor> wide = sampler.at_perturbed(moved);
    record_inner(evaluation.in_precision(reference, moved, at::kFloat), wide);
  }
  return samples;
}

std::vector<at::Tensor> rounding_ties(const Evaluation& evaluation, ReferenceFunction truth_function,
                                      const std::vector<Sampled>& outputs, uint64_t seed) {
  const Sampler sampler(evaluation, truth_function);
  Noise noise(evaluation.device(), seed);
  const Draw draws[] = {
      [](const at::Tensor& x) { return at::ones_like(x); }, [](const at::Tensor& x) { return at::ones_like(x).neg_(); },
      [&](const at::Tensor& x) { return noise.signs(x); },  [&](const at::Tensor& x) { return noise.signs(x); },
      [&](const at::Tensor& x) { return noise.signs(x); },
  };
  std::vector<at::Tensor> ties;
  for (const Sampled& output : outputs) ties.push_back(at::zeros_like(output.truth, output.truth.options().dtype(at::kDouble)));
  for (const Draw& draw : draws) {
    Inputs moved = perturbed(evaluation.inputs(), kStep * working_roundoff(at::kFloat), draw);
    const std::vector<at::Tensor> results = sampler.at_perturbed(moved);
    for (size_t i = 0; i < outputs.size(); ++i) {
      const at::Tensor& result = results[outputs[i].slot];
      if (result.sizes() == outputs[i].truth.sizes()) ties[i].masked_fill_(result.ne(outputs[i].truth), 1);
    }
  }
  return ties;
}

}  // namespace kbx
