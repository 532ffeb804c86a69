// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/adaptive_avg_pool2d.h>

#include "catalogue/cost.h"
#include "catalogue/families.h"

namespace kbx {

std::span<const Task> adaptive_pool_family() {
  static const Task tasks[] = {
      {.id = "adaptive_avg_pool2d",
       .category = Category::pooling,
       .difficulty = 3,
       .schema = "adaptive_avg_pool2d(Tensor input, int[2] output_size) -> Tensor",
       .summary =
           "Average pooling of images to a given height and width, whatever the input's: the windows are spread evenly, "
           "overlap where the sizes do not divide, and repeat elements where the output is larger. With or without a batch "
           "dimension.",
       .math = "y[.., i, j] = mean of x[.., floor(i*H/oH) .. ceil((i+1)*H/oH) - 1, the same for columns]",
       .reference = [](const Args& a) -> Values { return {at::adaptive_avg_pool2d(a.tensor("input"), a.ints("output_size"))}; },
       .contract = numeric(),
       .cases =
           {
               "standard: C=3..9 H=9..23 W=9..23 input=randn[1,C,H,W] output_size=5",
               "standard: C=3..9 H=9..23 W=9..23 input=randn[1,C,H,W] output_size=[3,7]",
               "standard: C=3..9 H=9..23 input=randn[C,H,11] output_size=[4,3]",
               "boundary: H=9..23 W=33..65 input=randn[2,3,H,W]@transposed output_size=[2,5]",
               "boundary: input=randn[1,3,8,9]@strided output_size=[5,7]",
               "boundary: input=randn[1,3,17,13] output_size=1",
               "boundary: input=randn[1,3,5,7] output_size=[5,7]",
               "boundary: input=randn[1,2,3,4] output_size=[5,7]",
               "boundary: input=randn[1,1,1,1] output_size=1",
               "boundary: input=randn[0,3,5,7] output_size=2",
               "boundary: input=randn[1,3,8,9]@offset output_size=[3,2]",
               "boundary: input=randn[1,3,8,9]@scale(1e-4) output_size=3",
               "boundary: input=randn[1,3,8,9]@shift(1000) output_size=3",
               "boundary: input=randn[1,3,8,9]@poke(nan) output_size=3",
               "boundary: input=randn[1,3,8,9]@poke(inf) output_size=3",
               "boundary: * input=randn[1,3,8,9] output_size=[3,2]",
           },
       .perf = {"input=randn[2,3,512,513] output_size=256", "input=randn[16,128,57,57] output_size=7"},
       .perf_gpu = {"input=randn[16,3,1024,1025] output_size=256", "input=randn[64,256,57,57] output_size=7"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), static_cast<double>(a.tensor("input").numel()) + outputs(out)};
       },
       .deviation = "The published task has neither random nor outlier cases; here they exist, with windows that do not divide."},
  };
  return tasks;
}

}  // namespace kbx
