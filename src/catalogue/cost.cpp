// SPDX-License-Identifier: Apache-2.0
#include "catalogue/cost.h"

namespace kbx {

double bytes_of(const at::Tensor& tensor) {
  double elements = 1;
  for (int64_t d = 0; d < tensor.dim(); ++d)
    if (tensor.stride(d) != 0 || tensor.size(d) == 0) elements *= static_cast<double>(tensor.size(d));
  return elements * static_cast<double>(tensor.element_size());
}

double traffic(const Args& args, const Values& results) {
  double bytes = 0;
  for (const Argument& argument : args.call().arguments) {
    if (argument.is_out || argument.number_for_tensor) continue;
    if (argument.value.isTensor()) bytes += bytes_of(argument.value.toTensor());
    if (argument.value.isTensorList())
      for (const at::Tensor& tensor : argument.value.toTensorVector()) bytes += bytes_of(tensor);
  }
  for (const at::Tensor& result : results) bytes += bytes_of(result);
  return bytes;
}

}  // namespace kbx
