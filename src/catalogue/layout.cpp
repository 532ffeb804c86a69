// SPDX-License-Identifier: Apache-2.0
#include "catalogue/layout.h"

#include <ATen/ops/full.h>

#include <limits>

#include "core/check.h"

namespace kbx {
namespace {

// Elements from the first of the storage to the last that the strides reach.
int64_t span_of(const at::Tensor& tensor) {
  if (tensor.numel() == 0) return tensor.storage_offset();
  int64_t span = tensor.storage_offset() + 1;
  for (int64_t d = 0; d < tensor.dim(); ++d) span += (tensor.size(d) - 1) * tensor.stride(d);
  return span;
}

}  // namespace

at::Tensor copy_with_layout(const at::Tensor& tensor, std::optional<at::Device> device) {
  at::Tensor flat = tensor.detach().as_strided({span_of(tensor)}, {1}, 0);
  at::Tensor copied = device && *device != tensor.device() ? flat.to(*device) : flat.clone();
  at::Tensor result = copied.as_strided(tensor.sizes(), tensor.strides(), tensor.storage_offset());
  if (tensor.unsafeGetTensorImpl()->is_wrapped_number()) result.unsafeGetTensorImpl()->set_wrapped_number(true);
  return result;
}

at::Scalar poison_for(at::ScalarType dtype) {
  if (at::isFloatingType(dtype) || at::isComplexType(dtype)) return std::numeric_limits<double>::quiet_NaN();
  switch (dtype) {
    case at::kByte:
      return static_cast<int64_t>(std::numeric_limits<uint8_t>::max());
    case at::kChar:
      return static_cast<int64_t>(std::numeric_limits<int8_t>::max());
    case at::kShort:
      return static_cast<int64_t>(std::numeric_limits<int16_t>::max());
    case at::kInt:
      return static_cast<int64_t>(std::numeric_limits<int32_t>::max());
    case at::kLong:
      return std::numeric_limits<int64_t>::max();
    case at::kBool:
      return true;
    default:
      check_failed(__FILE__, __LINE__, std::string("no poison for ") + at::toString(dtype));
  }
}

at::Tensor strided(const at::Tensor& tensor) {
  KBX_CHECK_GE(tensor.dim(), 1);
  std::vector<int64_t> sizes = tensor.sizes().vec();
  sizes.back() *= 2;
  at::Tensor spread = at::full(sizes, poison_for(tensor.scalar_type()), tensor.options()).slice(-1, 0, sizes.back(), 2);
  spread.copy_(tensor);
  return spread;
}

at::Tensor transposed(const at::Tensor& tensor) {
  KBX_CHECK_GE(tensor.dim(), 2);
  return tensor.transpose(-1, -2).contiguous().transpose(-1, -2);
}

at::Tensor offset_by_one(const at::Tensor& tensor) {
  at::Tensor storage = at::full({span_of(tensor) + 1}, poison_for(tensor.scalar_type()), tensor.options());
  at::Tensor moved = storage.as_strided(tensor.sizes(), tensor.strides(), 1);
  moved.copy_(tensor);
  return moved;
}

}  // namespace kbx
