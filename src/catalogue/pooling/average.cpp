// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/avg_pool1d.h>

#include "catalogue/cost.h"
#include "catalogue/families.h"

namespace kbx {
namespace {

Values avg_pool1d(const Args& a) {
  std::vector<int64_t> kernel = a.ints("kernel_size");
  return {at::avg_pool1d(a.tensor("input"), kernel, a.maybe_ints("stride").value_or(kernel), a.ints("padding"))};
}

}  // namespace

std::span<const Task> average_pool_family() {
  static const Task tasks[] = {
      {.id = "avg_pool1d",
       .category = Category::pooling,
       .difficulty = 2,
       .schema = "avg_pool1d(Tensor input, int[1] kernel_size, int[1]? stride=None, int[1] padding=0) -> Tensor",
       .summary =
           "Means over windows of kernel_size elements along the last dimension of signals (batch, channels, length), the batch "
           "may be missing. Windows start `stride` apart, kernel_size apart where it is not given. `padding` zeros stand before "
           "and behind the signal and count: each sum is divided by kernel_size. Only whole windows are taken.",
       .math = "y[.., i] = (sum over m < kernel of x[.., i*stride + m - padding], 0 outside the signal) / kernel\n"
               "out = floor((in + 2*padding - kernel) / stride) + 1",
       .reference = avg_pool1d,
       .contract = numeric(),
       .cases =
           {
               "standard: C=3..9 L=33..130 input=randn[2,C,L] kernel_size=2",
               "standard: C=3..9 L=33..130 input=randn[2,C,L] kernel_size=4 stride=2",
               "standard: C=3..9 L=33..130 input=randn[1,C,L] kernel_size=3 stride=1 padding=1",
               "standard: L=1000..4095 input=randn[1,3,L] kernel_size=7 stride=5 padding=3",
               "boundary: L=33..90 input=randn[9,L] kernel_size=5 stride=3",
               "boundary: input=randn[2,3,2000] kernel_size=2000",
               "boundary: input=randn[2,3,2000] kernel_size=1500 stride=250 padding=500",
               "boundary: input=randn[2,3,33] kernel_size=1",
               "boundary: input=randn[2,3,33] kernel_size=2 stride=5",
               "boundary: input=randn[2,3,33] kernel_size=[4] stride=[3] padding=[2]",
               "boundary: input=randn[2,9,33]@transposed kernel_size=3 padding=1",
               "boundary: input=randn[2,3,33]@strided kernel_size=3 stride=2",
               "boundary: input=randn[2,3,33]@expanded kernel_size=3",
               "boundary: input=randn[2,3,33]@offset kernel_size=4",
               "boundary: input=randn[0,3,33] kernel_size=2",
               "boundary: input=randn[1,1,1] kernel_size=1",
               "boundary: input=randn[1,1,1] kernel_size=2 padding=1",
               "boundary: input=randn[2,3,257]@scale(1e-4) kernel_size=3",
               "boundary: input=randn[2,3,257]@shift(1000) kernel_size=5 padding=2",
               "boundary: input=randn[2,3,33]@poke(nan) kernel_size=3 stride=2",
               "boundary: input=randn[2,3,33]@poke(inf,-inf) kernel_size=3 stride=1",
               "boundary: input=randn[2,3,65]:f64 kernel_size=3 stride=none",
               "boundary: * input=randn[2,3,33] kernel_size=3",
               "boundary: input=randn[2,3,33] kernel_size=4 stride=3 padding=1 *",
           },
       .perf = {"input=randn[16,64,1025] kernel_size=2", "input=randn[1,64,8193] kernel_size=3 stride=1 padding=1"},
       .perf_gpu = {"input=randn[64,256,2049] kernel_size=2", "input=randn[8,64,32769] kernel_size=3 stride=1 padding=1"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), outputs(out) * static_cast<double>(a.ints("kernel_size").front())};
       },
       .deviation =
           "The published task has neither random nor outlier cases, and its formula leaves out the padding; here there are "
           "such cases, and padding counts in the divisor as in its recorded result."},
  };
  return tasks;
}

}  // namespace kbx
