// SPDX-License-Identifier: Apache-2.0
// ATen operators taken apart into steps, each step of one's choice. Nothing where the operator is another.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <optional>

#include "selfcheck/interposer.h"
#include "selfcheck/operators.h"

namespace kbx {

// [outer, n] to [outer], in the working type.
using RowSum = std::function<at::Tensor(const at::Tensor&)>;
// sum, mean, nansum (of numbers), and the sums inside softmax and log_softmax.
std::optional<Results> with_row_sum(const Operation& op, const RowSum& row_sum);

struct Moments {
  at::Tensor mean, variance;  // [outer]; biased
};
using RowMoments = std::function<Moments(const at::Tensor&)>;
// var, std, var_mean, std_mean; batch, layer and group normalisation.
std::optional<Results> with_moments(const Operation& op, const RowMoments& moments);

// A convolution as a sum over input channels; `add` takes the sum so far and one channel's part. Not for groups.
std::optional<Results> with_channel_sum(const Operation& op, const Step& add);

// A matrix product as a sum over `steps` parts of the inner dimension, `round` applied to each partial sum.
at::Tensor product_in_steps(const at::Tensor& left, const at::Tensor& right, int64_t steps,
                            const std::function<at::Tensor(const at::Tensor&)>& round);

// A function of each element by `formula`, which gets and gives the working type.
std::optional<Results> with_formula(const Operation& op, const std::function<at::Tensor(const at::Tensor&)>& formula);

}  // namespace kbx
