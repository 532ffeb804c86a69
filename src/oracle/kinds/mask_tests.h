// SPDX-License-Identifier: Apache-2.0
// Exact tests of masks whose elements ought to be independent and true with one probability. Elements that are not
// certain are left out of every count; which these are must not depend on the masks.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "oracle/kinds/binomial.h"

namespace kbx {

// REQUIRES below: bool tensors of one shape; `keep` strictly between 0 and 1.

// How often true occurs: overall, in blocks, along each dimension, and among the large ones of `magnitude` (float64, same
// shape). Whether rows have their mean too often or too seldom: exactly so many of each row is no independent mask. Whether
// elements agree that lie some distance apart (neighbours, blocks, rows, planes): in pairs that share no element.
void test_mask(const at::Tensor& mask, const at::Tensor& certain, const at::Tensor& magnitude, double keep,
               std::vector<TestResult>& results);

// Masks of two seeds: how often true occurs in both together, whether they agree place by place, and with each other shifted.
void test_two_masks(const at::Tensor& a, const at::Tensor& b, const at::Tensor& certain, double keep,
                    std::vector<TestResult>& results);

}  // namespace kbx
