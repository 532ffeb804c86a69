// SPDX-License-Identifier: Apache-2.0
#include "oracle/kinds/indices.h"

#include <ATen/TensorOperators.h>

#include "catalogue/call.h"
#include "core/check.h"
#include "oracle/kinds/form.h"

namespace kbx {
namespace {

// The input and the index tensors brought to one form: positions along the last dimension of `input`.
struct Lookup {
  at::Tensor input;
  int64_t length = 0;

  // Values at in-range positions; the result has the shape of `index` (dim kept or not).
  at::Tensor values_at(const at::Tensor& index) const {
    std::vector<int64_t> column(input.sizes().begin(), input.sizes().end());
    column.back() = 1;
    return input.gather(-1, index.reshape(column)).reshape(index.sizes());
  }
};

Lookup lookup(const Args& args, const Indices& contract) {
  at::Tensor input = args.tensor(contract.input);
  const std::optional<int64_t> dim = contract.dim.empty() ? std::nullopt : args.maybe_integer(contract.dim);
  if (!dim || input.dim() == 0)
    input = input.reshape({-1});
  else
    input = input.movedim(*dim, -1);
  return {input, input.size(-1)};
}

double as_double(const at::Tensor& t) { return t.to(at::kDouble).item<double>(); }

}  // namespace

Judgement judge_indices(const Call& call, const Expected& expected, size_t output, const Delivered& delivered,
                        const Indices& contract) {
  const Truth& truth = expected.outputs.at(output);
  if (auto finding = wrong_form(truth, delivered, "indices")) return rejected(std::move(*finding));
  Judgement passed = accepted(Accuracy::exact);
  if (delivered.value.numel() == 0) return passed;

  const Lookup where = lookup(Args(call), contract);
  const at::Tensor index = delivered.value.to(at::kLong), best = truth.value.to(at::kLong);
  const at::Tensor outside = index.lt(0).logical_or(index.ge(where.length));
  const at::Tensor got = where.values_at(index.clamp(0, where.length - 1)), wanted = where.values_at(best);
  at::Tensor same = got.eq(wanted);
  same = same.logical_or(got.ne(got).logical_and(wanted.ne(wanted)));
  const at::Tensor wrong = same.logical_not().logical_or(outside);

  const at::Tensor blamed = wrong.reshape({-1}).nonzero();
  if (blamed.numel() == 0) return passed;
  const int64_t outside_count = outside.sum().item<int64_t>();
  // An index that cannot be dereferenced is worse than a poor choice.
  const int64_t first = (outside_count ? outside.reshape({-1}).nonzero() : blamed)[0].item<int64_t>();

  Finding finding = finding_about(truth, "indices");
  finding.wrong = wrong;
  finding.wrong_elements = blamed.numel();
  finding.where = index_of(first, truth.shape);
  const int64_t came = index.reshape({-1})[first].item<int64_t>(), due = best.reshape({-1})[first].item<int64_t>();
  finding.actual = static_cast<double>(came);
  finding.expected = static_cast<double>(due);
  const double due_value = as_double(wanted.reshape({-1})[first]);
  finding.detail = std::to_string(finding.wrong_elements) + " of " + std::to_string(finding.elements) +
                   " indices are wrong; at " + shape_text(finding.where) + " index " + std::to_string(came);
  if (outside_count) {
    finding.detail += " is outside 0.." + std::to_string(where.length - 1);
  } else {
    const double got_value = as_double(got.reshape({-1})[first]);
    finding.error = std::abs(got_value - due_value);
    finding.detail += " holds " + std::to_string(got_value);
  }
  finding.detail += "; index " + std::to_string(due) + " holds " + std::to_string(due_value);
  return rejected(std::move(finding));
}

}  // namespace kbx
