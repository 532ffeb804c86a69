// SPDX-License-Identifier: Apache-2.0
// Dropout beside an activation: each element of the result shows the element of the mask at its own place.
#include <ATen/ops/batch_norm.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/hardshrink.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/mv.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/sigmoid.h>

#include "catalogue/cost.h"
#include "catalogue/families.h"
#include "catalogue/write_out.h"

namespace kbx {
namespace {

double elements(const Args& a, std::string_view name) { return static_cast<double>(a.tensor(name).numel()); }

double share_dropped(const Args& a) { return a.flag("training") ? a.real("p") : 0; }

Values as_it_is(const Args&, const at::Tensor& masked) { return {masked}; }

// dropout | hardshrink

at::Tensor input_itself(const Args& a) { return a.tensor("input"); }

Values shrunk(const Args& a, const at::Tensor& masked) {
  if (a.flag("inplace")) a.tensor("input").copy_(masked);
  return {at::hardshrink(masked, a.real("lambd"))};
}

// linear, sigmoid | dropout

at::Tensor gates(const Args& a) { return at::sigmoid(at::linear(a.tensor("input"), a.tensor("weight"), a.maybe_tensor("bias"))); }

// mv, log_softmax | dropout

at::Tensor log_probabilities(const Args& a) {
  return at::log_softmax(at::mv(a.tensor("input"), a.tensor("vec")), a.integer("dim"));
}

Values into_out(const Args& a, const at::Tensor& masked) { return written(a, masked); }

// conv2d, batch_norm, relu | dropout

at::Tensor rectified_map(const Args& a) {
  const at::Tensor map = at::conv2d(a.tensor("input"), a.tensor("weight"), a.maybe_tensor("bias"), a.ints("stride"),
                                    a.ints("padding"), a.ints("dilation"), a.integer("groups"));
  return at::relu(at::batch_norm(map, {}, {}, {}, {}, /*training=*/true, /*momentum=*/0.1, /*eps=*/1e-5, /*cudnn_enabled=*/true));
}

}  // namespace

std::span<const Task> fused_dropout_activation_family() {
  static const Task tasks[] = {
      {.id = "fused_hardshrink_dropout",
       .category = Category::fusion,
       .difficulty = 3,
       .schema = "fused_hardshrink_dropout(Tensor(a!) input, float p=0.5, bool training=True, bool inplace=False, float "
                 "lambd=0.5) -> Tensor",
       .summary =
           "Dropout first (with probability p to zero, the others times 1/(1-p); nothing without training), then hard "
           "shrinkage of what that leaves: values from -lambd to lambd become zero, others and NaN stay. With inplace=True "
           "`input` takes the result of the dropout, before the shrinkage; otherwise it stays as it is. The returned tensor "
           "is a new one either way. Any good generator will do; the same seed must repeat the mask and another seed must not.",
       .math = "d = input * m / (1 - p), y = d where |d| > lambd, else 0\n"
               "m[i] = 1 with probability 1 - p, else 0, independent",
       .reference = dropped_out,
       .contract = stochastic(Distribution::dropout),
       .chance = {.before = input_itself, .probability = share_dropped, .after = shrunk},
       .cases =
           {
               "standard: M=17..60 N=65..300 input=randn[M,N]",
               "standard: M=17..60 N=65..300 input=randn[M,N] p=0.3 inplace=true",
               "standard: N=1000..4095 input=randn[3,N] p=0.1 lambd=1.0",
               "standard: A=3..9 B=33..90 input=randn[A,B,17] training=false",
               "boundary: input=randn[9,65] p=0",
               "boundary: input=randn[9,65] p=1",
               "boundary: input=randn[9,65] p=1 training=false",
               "boundary: input=randn[9,65] p=1 inplace=true",
               "boundary: input=randn[33,65] p=0.9 inplace=true lambd=0.7",
               "boundary: input=randn[9,65] training=false inplace=true lambd=0.7",
               "boundary: input=ones[33,65] p=0.4",                  // no mask made of the values
               "boundary: input=full(0.4)[33,65] p=0.25 lambd=0.5",  // above lambd once it is scaled
               "boundary: input=randn[33,65] lambd=0",
               "boundary: input=randn[0]",
               "boundary: input=randn[1]",
               "boundary: input=randn[] p=0.25",
               "boundary: input=randn[257]@offset p=0.2",
               "boundary: input=randn[33,65]@strided p=0.2 inplace=true",
               "boundary: input=randn[65,33]@transposed",
               "boundary: input=randn[9,65]@expanded p=0.3",
               "boundary: input=values(nan,inf,-inf,0,-0.0,0.51,-0.51,0.49,-0.49) training=false",
               "boundary: input=randn[1025]@scale(1e-4) lambd=1e-4 training=false",
               "boundary: input=randn[1025]@shift(1000) p=0.3",
               "boundary: input=randn[33,17] p=0.3 training=true inplace=true lambd=0.25 *",
               "boundary: * input=randn[33,17] lambd=0.25 p=0.2",
           },
       .perf = {"input=randn[524288]", "input=randn[639,1025] p=0.1 inplace=true"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), 5 * outputs(out)};
       },
       .deviation =
           "The published test demands the mask of one library's generator. Here the mask is read from the results, which must "
           "be right for it, and has to be independent with the stated keep rate and to follow the seed. Nor does that test "
           "look at the argument: here inplace=True must leave the result of the dropout in it."},

      {.id = "fused_dropout_sigmoid_linear",
       .category = Category::fusion,
       .difficulty = 3,
       .schema = "fused_dropout_sigmoid_linear(Tensor input, Tensor weight, Tensor? bias=None, float p=0.5, bool training=True, "
                 "bool inplace=False) -> Tensor",
       .summary =
           "Linear layer (input [*, k] times the transpose of weight [n, k], plus bias [n]), then the logistic function, then "
           "dropout (with probability p to zero, the others times 1/(1-p); nothing without training). Any good generator will "
           "do; the same seed must repeat the mask and another seed must not. inplace concerns an intermediate result only: "
           "no argument changes. float32 means float32, not TF32.",
       .math = "y = m / (1 - p) / (1 + exp(-(input @ weight' + bias)))\n"
               "m[i] = 1 with probability 1 - p, else 0, independent",
       .reference = dropped_out,
       .contract = stochastic(Distribution::dropout),
       .chance = {.before = gates, .probability = share_dropped, .after = as_it_is},
       .cases =
           {
               "standard: M=33..60 K=33..130 N=65..90 input=randn[M,K] weight=randn[N,K]@scale(0.1) bias=randn[N]",
               "standard: M=17..60 K=17..60 N=33..90 input=randn[M,K] weight=randn[N,K]@scale(0.2) p=0.3",
               "standard: M=17..40 K=257..513 N=33..65 input=randn[M,K] weight=randn[N,K]@scale(0.05) bias=randn[N] "
               "training=false",
               "standard: A=3..7 B=5..11 K=33..90 input=randn[A,B,K] weight=randn[65,K]@scale(0.1) bias=randn[65] p=0.1",
               "boundary: input=randn[9,17] weight=randn[33,17] bias=randn[33] p=0",
               "boundary: input=randn[9,17] weight=randn[33,17] bias=randn[33] p=1",
               "boundary: input=randn[9,33] weight=randn[33,33]@scale(0.2) bias=randn[33] p=1 training=false",
               "boundary: input=randn[17,9] weight=randn[65,9]@scale(0.2) p=0.9 inplace=true",
               "boundary: input=ones[33,9] weight=zeros[65,9] p=0.4",  // no mask made of the values
               "boundary: input=randn[17] weight=randn[65,17]@scale(0.2) bias=randn[65] p=0.3",
               "boundary: input=randn[0,5] weight=randn[7,5]",
               "boundary: input=randn[5,0] weight=randn[7,0] bias=randn[7] training=false",
               "boundary: input=randn[1,1] weight=randn[1,1] bias=randn[1]",
               "boundary: input=randn[9,33]@strided weight=randn[17,33]@transposed bias=randn[17]@strided training=false",
               "boundary: input=randn[33,9]@transposed weight=randn[65,9]@offset p=0.2",
               "boundary: input=randn[9,33]@scale(1e-4) weight=randn[17,33] bias=randn[17]@scale(1e-4) training=false",
               "boundary: input=randn[9,33]@shift(100) weight=randn[17,33]@scale(1e-3) bias=randn[17] training=false",
               "boundary: input=randn[9,33]@scale(10) weight=randn[17,33] bias=randn[17] training=false",
               "boundary: input=randn[9,33]@poke(nan,inf) weight=randn[17,33] training=false",
               "boundary: input=randn[9,33] weight=randn[17,33]@scale(0.1) bias=none p=0.25 training=true inplace=false *",
               "boundary: * input=randn[9,33] weight=randn[17,33]@scale(0.1) bias=randn[17] p=0.2",
           },
       .perf = {"input=randn[1024,256] weight=randn[256,256]@scale(0.06) bias=randn[256]",
                "input=randn[512,1024] weight=randn[512,1024]@scale(0.03) bias=randn[512] p=0.1"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), outputs(out) * (2 * static_cast<double>(a.tensor("weight").size(-1)) + 14), Unit::matrix};
       },
       .deviation =
           "The published test demands the mask of one library's generator. Here the mask is read from the result, which must "
           "be right for it, and has to be independent with the stated keep rate and to follow the seed."},

      {.id = "fused_mv_logsoftmax_dropout",
       .category = Category::fusion,
       .difficulty = 2,
       .schema = "fused_mv_logsoftmax_dropout(Tensor input, Tensor vec, float p=0.5, bool training=True, bool inplace=False, int "
                 "dim=0, *, Tensor(a!)? out=None) -> Tensor",
       .summary =
           "Product of the matrix `input` [n, m] with the vector `vec` [m], log-softmax of these n numbers, and dropout of that "
           "(with probability p to zero, the others times 1/(1-p); nothing without training). dim is 0 or -1, which mean the "
           "same. Any good generator will do; the same seed must repeat the mask and another seed must not. inplace concerns "
           "an intermediate result only: no argument changes. Where `out` is given the result is written there and returned.",
       .math = "z = input vec, s[i] = z[i] - log(sum over j of exp(z[j])), y[i] = s[i] * m[i] / (1 - p)\n"
               "m[i] = 1 with probability 1 - p, else 0, independent",
       .reference = dropped_out,
       .contract = stochastic(Distribution::dropout),
       .chance = {.before = log_probabilities, .probability = share_dropped, .after = into_out},
       .cases =
           {
               "standard: M=1100..1400 N=9..30 input=randn[M,N] vec=randn[N]",
               "standard: M=257..500 N=33..90 input=randn[M,N] vec=randn[N]@scale(0.2) p=0.3",
               "standard: M=17..90 N=257..600 input=randn[M,N] vec=randn[N]@scale(0.1) training=false",
               "standard: N=1000..4095 input=randn[9,N] vec=randn[N]@scale(0.03) p=0.25 dim=-1",
               "boundary: input=randn[33,17] vec=randn[17] p=0",
               "boundary: input=randn[33,17] vec=randn[17] p=1",
               "boundary: input=randn[33,17] vec=randn[17] p=1 training=false",
               "boundary: input=randn[513,7] vec=randn[7] p=0.9 inplace=true",
               "boundary: input=ones[513,7] vec=ones[7] p=0.4",  // no mask made of the values
               "boundary: input=randn[33,17] vec=randn[17] training=false out=like",
               "boundary: input=randn[257,17] vec=randn[17] p=0.2 out=like",
               "boundary: input=randn[33,17] vec=randn[17] training=false dim=-1",
               "boundary: input=randn[0,5] vec=randn[5]",
               "boundary: input=randn[5,0] vec=randn[0] training=false",
               "boundary: input=randn[1,1] vec=randn[1]",
               "boundary: input=randn[33,17]@transposed vec=randn[17]@strided training=false",
               "boundary: input=randn[257,17]@strided vec=randn[17]@offset p=0.3",
               "boundary: input=randn[65,33]@scale(1e-4) vec=randn[33] training=false",
               "boundary: input=randn[65,33]@shift(100) vec=randn[33] training=false",
               "boundary: input=randn[65,33]@scale(30) vec=randn[33] training=false",
               "boundary: input=randn[65,33]:f16 vec=randn[33]:f16@scale(0.2) training=false",
               "boundary: input=randn[257,33]:f16 vec=randn[33]:f16@scale(0.2) p=0.2",
               "boundary: input=randn[16,4000]:f16@shift(1) vec=uniform(0,0.2)[4000]:f16 training=false",
               "boundary: input=randn[9,33]@poke(nan) vec=randn[33] training=false",
               "boundary: input=randn[9,33]@poke(-inf) vec=uniform(0.1,0.5)[33] training=false",
               "boundary: input=randn[257,17] vec=randn[17] p=0.25 training=true inplace=true dim=0 *",
               "boundary: * input=randn[257,17] vec=randn[17] p=0.2",
           },
       .perf = {"input=randn[4096,3073] vec=randn[3073]@scale(0.02)",
                "input=randn[1536,4096]:f16 vec=randn[4096]:f16@scale(0.02) p=0.2"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), 2 * elements(a, "input") + 20 * outputs(out)};
       },
       .deviation =
           "The published test demands the mask of one library's generator. Here the mask is read from the result, which must "
           "be right for it, and has to be independent with the stated keep rate and to follow the seed. `out` is written."},

      {.id = "fused_dropout_relu_batch_norm_conv2d",
       .category = Category::fusion,
       .difficulty = 3,
       .schema = "fused_dropout_relu_batch_norm_conv2d(Tensor input, Tensor weight, Tensor? bias=None, int[2] stride=1, int[2] "
                 "padding=0, int[2] dilation=1, int groups=1, float p=0.5, bool training=True, bool inplace=False) -> Tensor",
       .summary =
           "Two-dimensional convolution (cross-correlation, zero padding), batch normalisation, ReLU, and dropout (with "
           "probability p to zero, the others times 1/(1-p); nothing without training). There are no running statistics: each "
           "channel is normalised by mean and biased variance of this batch, with 1e-5 added to the variance, whatever "
           "`training` says, and has neither scale nor shift; so a finite bias makes no difference. Any good generator will do; "
           "the same seed must repeat the mask and another seed must not. inplace concerns an intermediate result only: no "
           "argument changes. float32 means float32, not TF32.",
       .math = "v = conv2d(input, weight) + bias, z = max(0, (v - mean(v)) / sqrt(var(v) + 1e-5)) over each channel\n"
               "y = z * m / (1 - p), m[i] = 1 with probability 1 - p, else 0, independent",
       .reference = dropped_out,
       .contract = stochastic(Distribution::dropout),
       .chance = {.before = rectified_map, .probability = share_dropped, .after = as_it_is},
       .cases =
           {
               "standard: H=17..21 W=17..21 input=randn[2,3,H,W] weight=randn[6,3,3,3] bias=randn[6] padding=1",
               "standard: H=9..13 W=9..13 input=randn[2,3,H,W] weight=randn[5,3,3,3] bias=randn[5] p=0.3",
               "standard: H=11..17 input=randn[3,4,H,13] weight=randn[6,2,3,3] stride=2 padding=1 groups=2 p=0.1",
               "standard: W=9..13 input=randn[2,3,9,W] weight=randn[4,3,3,3] bias=randn[4] training=false",
               "boundary: input=randn[2,3,8,9] weight=randn[4,3,3,3] p=0",
               "boundary: input=randn[2,3,8,9] weight=randn[4,3,3,3] p=1",
               "boundary: input=randn[2,3,8,9] weight=randn[4,3,3,3] p=1 training=false",
               "boundary: input=randn[2,3,13,11] weight=randn[4,3,3,3] dilation=[2,1] stride=[1,2] padding=[0,2] training=false",
               "boundary: input=randn[1,6,8,8] weight=randn[6,1,3,3] bias=randn[6] groups=6 training=false",
               "boundary: input=randn[2,3,17,17] weight=randn[6,3,3,3] p=0.9 inplace=true",
               "boundary: input=randn[1,3,8,9] weight=randn[4,3,2,3] training=false",
               "boundary: input=randn[1,1,1,2] weight=randn[1,1,1,1] training=false",
               "boundary: input=randn[0,3,8,9] weight=randn[4,3,3,3]",
               "boundary: input=full(2)[2,3,8,9] weight=ones[4,3,3,3] training=false",  // a variance of 0
               "boundary: input=randn[2,3,8,9]@scale(1e-3) weight=randn[4,3,3,3] training=false",
               "boundary: input=randn[2,3,8,9]@scale(1e-4) weight=randn[4,3,3,3] p=0.2",
               "boundary: input=randn[2,3,8,9]@shift(1000) weight=randn[4,3,3,3] training=false",
               "boundary: input=randn[2,3,8,9] weight=randn[4,3,3,3] bias=randn[4]@shift(100) training=false",
               "boundary: input=randn[2,3,8,9]@offset weight=randn[4,3,3,3]@offset bias=randn[4]@offset p=0.3",
               "boundary: input=randn[2,3,8,9]@strided weight=randn[4,3,3,3]@transposed bias=randn[4]@strided training=false",
               "boundary: input=randn[2,3,8,9]@transposed weight=randn[4,3,3,3] p=0.3",
               "boundary: input=randn[2,3,8,9]@poke(nan) weight=randn[4,3,3,3] training=false",
               "boundary: input=randn[2,3,8,9] weight=randn[4,3,3,3] bias=none stride=1 padding=[0,1] dilation=1 groups=1 p=0.25 "
               "*",
               "boundary: * input=randn[2,3,8,9] weight=randn[4,3,3,3] bias=randn[4] p=0.2 inplace=true",
           },
       .perf = {"input=randn[4,16,64,64] weight=randn[16,16,3,3] bias=randn[16] padding=1",
                "input=randn[1,3,129,129] weight=randn[32,3,3,3] bias=randn[32] p=0.1"},
       .perf_gpu = {"input=randn[32,64,64,64] weight=randn[64,64,3,3] bias=randn[64] padding=1",
                    "input=randn[4,3,513,513] weight=randn[32,3,3,3] bias=randn[32] p=0.1"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), outputs(out) * (2 * static_cast<double>(a.tensor("weight")[0].numel()) + 8), Unit::matrix};
       },
       .deviation =
           "The published test demands the mask of one library's generator. Here the mask is read from the result, which must "
           "be right for it, and has to be independent with the stated keep rate and to follow the seed. With training=False "
           "the published reference fails for want of running statistics; here the statistics are those of the batch in both "
           "modes. Padding is given as numbers only."},
  };
  return tasks;
}

}  // namespace kbx
