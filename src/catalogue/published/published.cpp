// SPDX-License-Identifier: Apache-2.0
#include "catalogue/published/published.h"

namespace kbx {
namespace {

constexpr std::span<const Published> (*kCategories[])() = {
    published_activation, published_convolution,  published_fusion,          published_index,         published_linear_algebra,
    published_loss,       published_math,         published_matrix_multiply, published_normalization, published_optimizer,
    published_pooling,    published_quantization, published_random,          published_reduce,        published_spatial_ops,
};

}  // namespace

const Published* find_published(std::string_view task) {
  for (const auto category : kCategories)
    for (const Published& published : category())
      if (published.task == task) return &published;
  return nullptr;
}

}  // namespace kbx
