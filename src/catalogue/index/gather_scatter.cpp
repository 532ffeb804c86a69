// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/index_fill.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/scatter.h>
#include <ATen/ops/where.h>

#include "catalogue/cost.h"
#include "catalogue/families.h"

namespace kbx {
namespace {

Values index_fill(const Args& a) {
  at::Tensor x = a.tensor("x");
  return {x.index_fill_(a.integer("dim"), a.tensor("index"), a.scalar("value"))};
}

Values expand_where(const Args& a) {
  return {at::where(a.tensor("cond"), a.tensor("input").expand(a.ints("target_sizes")), a.tensor("other"))};
}

}  // namespace

std::span<const Task> gather_scatter_family() {
  static const Task tasks[] = {
      {.id = "index_fill_",
       .category = Category::index,
       .difficulty = 2,
       .schema = "index_fill_(int dim, Tensor(a!) x, Tensor index, Scalar value) -> Tensor(a!)",
       .summary =
           "Puts the number `value` into the slices of x that the int64 vector `index` lists along `dim`, which may count from "
           "the end. Mind the order of the arguments: dim comes first, then x. x itself is changed and returned; its other "
           "slices stay as they are. An index may occur more than once.",
       .math = "x[.., index[k], ..] = value for each k, index[k] at dimension dim",
       .reference = index_fill,
       .contract = exact(),
       .cases =
           {
               "standard: M=33..130 N=33..200 K=5..30 dim=0 x=randn[M,N] index=randint(0,M)[K] value=3.14",
               "standard: M=17..60 N=65..300 K=17..60 dim=1 x=randn[M,N] index=randint(0,N)[K] value=-2.5",
               "standard: A=3..9 B=9..33 C=33..90 dim=1 x=randn[A,B,C] index=randint(0,B)[5] value=0",
               "boundary: dim=-1 x=randn[9,33] index=values(0,32,7,7):i64 value=1.0",
               "boundary: dim=-3 x=randn[5,6,7] index=values(4,1):i64 value=1.0",
               "boundary: dim=0 x=randint(-1000,1000)[33,17] index=randint(0,33)[9] value=7",
               "boundary: dim=1 x=randint(-100,100)[9,17]:i32 index=randint(0,17)[5] value=-7",
               "boundary: dim=0 x=randn[257]:f16 index=randint(0,257)[65] value=0.25",
               "boundary: dim=0 x=randn[1025] index=randint(0,1025)[400] value=2",
               "boundary: dim=1 x=randn[9,65]@strided index=randint(0,65)[17]@strided value=1.5",
               "boundary: dim=0 x=randn[33,17]@transposed index=randint(0,33)[9] value=1.5",
               "boundary: dim=0 x=randn[33,17]@offset index=randint(0,33)[9]@offset value=1.5",
               "boundary: dim=0 x=randn[9,17] index=randint(0,9)[0] value=1.5",
               "boundary: dim=0 x=randn[5,0] index=randint(0,5)[2] value=1.5",
               "boundary: dim=0 x=zeros[1,1] index=zeros[1]:i64 value=7",
               "boundary: dim=0 x=randn[5,5] index=values(0,1,2,3,4):i64 value=0.5",
               "boundary: dim=0 x=randn[9,17]@poke(nan,inf) index=values(2,5):i64 value=1.5",
               "boundary: dim=0 x=randn[9,17] index=values(2,5):i64 value=-1e30",
               "boundary: * dim=1 x=randn[9,17] index=values(3,8):i64 value=2.5",
               "boundary: dim=0 x=randn[9,17] index=values(3,8):i64 value=2.5 *",
           },
       .perf = {"dim=0 x=randn[32768,257] index=randint(0,32768)[16384] value=1.0",
                "dim=1 x=randn[4096,1025] index=randint(0,1025)[300] value=0"},
       // What is not filled is neither read nor written.
       .cost = [](const Args& a, const Values& out) -> Cost {
         at::Tensor index = a.tensor("index");
         const int64_t length = out.front().size(a.integer("dim"));
         const double filled = length == 0 ? 0 : bytes_of(out.front()) / static_cast<double>(length);
         return {bytes_of(index) + filled * static_cast<double>(index.numel()), 0};
       },
       .deviation =
           "The published text shows a method of x, its test a function of dim, x, index and value; this is that function. "
           "The test does not look at x; here x itself must have changed and come back."},
      {.id = "index_select",
       .category = Category::index,
       .difficulty = 3,
       .schema = "index_select(Tensor input, int dim, Tensor index) -> Tensor",
       .summary =
           "The slices of the input that the vector `index` (int64 or int32) lists along `dim`, which may count from the end, in "
           "that order. An index may occur more than once. The result is new memory of the input's type.",
       .math = "y[.., k, ..] = x[.., index[k], ..], at dimension dim",
       .reference = [](const Args& a) -> Values {
         return {at::index_select(a.tensor("input"), a.integer("dim"), a.tensor("index"))};
       },
       .contract = exact(),
       .cases =
           {
               "standard: M=33..130 N=33..200 K=17..90 input=randn[M,N] dim=0 index=randint(0,M)[K]",
               "standard: M=17..60 N=65..300 K=17..90 input=randn[M,N] dim=1 index=randint(0,N)[K]",
               "standard: A=3..9 B=9..17 C=65..200 input=randn[A,B,C] dim=2 index=randint(0,C)[33]",
               "standard: A=3..9 B=9..17 C=33..90 input=randn[A,B,C] dim=-2 index=randint(0,B)[25]",
               "boundary: input=randn[9,33] dim=-1 index=values(0,32,7,7):i64",
               "boundary: input=randn[1025] dim=0 index=randint(0,1025)[2000]",
               "boundary: input=randint(-1000,1000)[33,17] dim=0 index=randint(0,33)[9]",
               "boundary: input=randn[33,17]:f16 dim=1 index=randint(0,17)[9]",
               "boundary: input=bernoulli(0.5)[33,17] dim=0 index=randint(0,33)[9]",
               "boundary: input=randn[33,17] dim=0 index=randint(0,33)[9]:i32",
               "boundary: input=randn[33,17]@transposed dim=0 index=randint(0,33)[9]",
               "boundary: input=randn[9,65]@strided dim=1 index=randint(0,65)[33]@strided",
               "boundary: input=randn[9,65]@expanded dim=1 index=randint(0,65)[33]",
               "boundary: input=randn[33,17]@offset dim=0 index=randint(0,33)[9]@offset",
               "boundary: input=randn[33,17] dim=0 index=randint(0,33)[0]",
               "boundary: input=randn[5,0,3] dim=0 index=randint(0,5)[7]",
               "boundary: input=randn[1] dim=0 index=zeros[1]:i64",
               "boundary: input=randn[9,17] dim=0 index=full(4)[]:i64",
               "boundary: input=values(nan,inf,-inf,-0.0,1,2)[3,2] dim=0 index=values(2,0,1,0):i64",
               "boundary: * input=randn[9,17] dim=1 index=values(3,8):i64",
               "boundary: input=randn[9,17] dim=1 index=values(3,8):i64 *",
           },
       .perf = {"input=randn[32768,257] dim=0 index=randint(0,32768)[16384]",
                "input=randn[4095,1025] dim=1 index=randint(0,1025)[512]",
                "input=randn[48,256,513] dim=1 index=randint(0,256)[255]"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {2 * bytes_of(out.front()) + bytes_of(a.tensor("index")), 0};
       }},
      {.id = "scatter",
       .category = Category::index,
       .difficulty = 3,
       .schema = "scatter(Tensor input, int dim, Tensor index, Tensor src) -> Tensor",
       .summary =
           "A copy of the input in which elements of src have taken the place of others: where along `dim` each of them goes "
           "says "
           "the int64 tensor `index`, in the other dimensions it keeps its place. index has as many dimensions as the input and "
           "is at most as large as src, and as the input but for dim; what src has beyond index is not used. No place occurs "
           "twice. The input stays as it is.",
       .math = "y = copy of input; y[i, index[i, j], k] = src[i, j, k] for all (i, j, k) of index, here with dim = 1",
       .reference = [](const Args& a) -> Values {
         return {at::scatter(a.tensor("input"), a.integer("dim"), a.tensor("index"), a.tensor("src"))};
       },
       .contract = exact(),
       .cases =
           {
               "standard: M=67..130 N=65..200 input=randn[M,N] dim=0 index=randint(0,M)[1,N] src=randn[1,N]",
               "standard: M=17..60 K=33..60 input=randn[M,200] dim=1 index=arange[M,K]:i64@scale(3)@shift(2)@expanded "
               "src=randn[M,K]",
               "standard: M=17..60 input=randn[M,23] dim=1 "
               "index=values(3,17,0,9,21,5,14,22,1,11,7,19,2)[M,8]:i64 src=randn[M,8]",
               "standard: A=3..7 C=5..7 input=randn[A,65,C] dim=1 index=arange[A,9,C]:i64@expanded src=randn[A,9,C]",
               "boundary: input=randn[65,7] dim=0 index=arange[9,7]:i64 src=randn[9,7]",
               "boundary: input=randn[65,7] dim=-2 index=values(8,1,5,0,7,2,64,30,3,6,4)[9,5]:i64 src=randn[9,5]",
               "boundary: input=randn[5,6,7] dim=-1 index=values(6,2,4,0,5,1,3)[5,6,3]:i64 src=randn[5,6,3]",
               "boundary: input=randn[5,9] dim=1 index=values(6,2,8,0,5,1,3)[3,4]:i64 src=randn[5,7]",
               "boundary: input=randint(-1000,1000)[17,9] dim=0 index=randint(0,17)[1,9] src=randint(-1000,1000)[1,9]",
               "boundary: input=randn[17,9]:f16 dim=0 index=randint(0,17)[1,9] src=randn[1,9]:f16",
               "boundary: input=randn[1025] dim=0 index=arange[300]:i64@scale(-3)@shift(1000) src=randn[300]",
               "boundary: input=randn[17,9]@transposed dim=0 index=randint(0,17)[1,9] src=randn[1,9]",
               "boundary: input=randn[17,33]@strided dim=1 index=values(6,2,8,0,5,1,3)[17,4]:i64@strided "
               "src=randn[17,4]@transposed",
               "boundary: input=zeros[9,33]@expanded dim=1 index=values(6,2,8,0,5,1,3)[9,4]:i64 src=randn[9,4]",
               "boundary: input=randn[17,9]@offset dim=0 index=randint(0,17)[1,9]@offset src=randn[1,9]@offset",
               "boundary: input=randn[17,9] dim=0 index=randint(0,17)[0,9] src=randn[0,9]",
               "boundary: input=randn[0,9] dim=1 index=randint(0,9)[0,3] src=randn[0,3]",
               "boundary: input=randn[1] dim=0 index=zeros[1]:i64 src=randn[1]",
               "boundary: input=randn[2,3]@poke(nan) dim=1 index=values(2,0,1)[2,2]:i64 src=values(inf,-0.0,nan,1)[2,2]",
               "boundary: * input=randn[9,7] dim=1 index=values(6,2,4,0,5,1,3)[9,5]:i64 src=randn[9,5]",
               "boundary: input=randn[9,7] dim=1 index=values(6,2,4,0,5,1,3)[9,5]:i64 src=randn[9,5] *",
           },
       .perf = {"input=randn[32768,64] dim=1 index=values(13,50,7,32,0,61,24,45,18,56,3,29,40,11,63,36,21,5,53,47)[32768,13]:i64 "
                "src=randn[32768,13]",
                "input=randn[64,32769] dim=0 index=values(13,50,7,32,0,61,24,45,18,56,3,29,40,11,63,36,21,5,53)[17,32769]:i64 "
                "src=randn[17,32769]"},
       .perf_gpu = {"input=randn[262144,64] dim=1 "
                    "index=values(13,50,7,32,0,61,24,45,18,56,3,29,40,11,63,36,21,5,53,47)[262144,13]:i64 src=randn[262144,13]",
                    "input=randn[64,131073] dim=0 "
                    "index=values(13,50,7,32,0,61,24,45,18,56,3,29,40,11,63,36,21,5,53)[17,131073]:i64 src=randn[17,131073]"},
       // Where an element of src goes, that of the input need not be read.
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {2 * bytes_of(out.front()) + bytes_of(a.tensor("index")), 0};
       },
       .deviation = "The published timed cases let places occur more than once, where any order of writing would be right; here "
                    "each place occurs at most once, and as many elements are timed along the other dimension."},
      {.id = "expand_where",
       .category = Category::index,
       .difficulty = 3,
       .schema = "expand_where(Tensor input, int[] target_sizes, Tensor cond, Tensor other) -> Tensor",
       .summary =
           "Expands the input to target_sizes (dimensions of size 1 repeat, new ones come in front, -1 keeps a size) and takes "
           "its "
           "elements where the boolean `cond` is true, those of `other` elsewhere. cond and other broadcast with the expanded "
           "input; the result has the shape of all three and the common type.",
       .math = "y = cond ? expand(input, target_sizes) : other",
       .reference = expand_where,
       .contract = exact(),
       .cases =
           {
               "standard: M=17..70 N=65..300 input=randn[1,N] target_sizes=[M,N] cond=bernoulli(0.5)[M,1] other=randn[M,N]",
               "standard: M=17..70 N=65..300 input=randn[M,1] target_sizes=[M,N] cond=bernoulli(0.5)[M,N] other=randn[M,N]",
               "standard: N=1000..4095 input=randn[N] target_sizes=[5,N] cond=bernoulli(0.3)[5,N] other=randn[N]",
               "standard: A=3..9 B=9..17 C=33..90 input=randn[B,1] target_sizes=[A,B,C] cond=bernoulli(0.5)[A,1,C] "
               "other=randn[A,B,C]",
               "boundary: input=randn[1,33] target_sizes=[9,-1] cond=bernoulli(0.5)[33] other=randn[9,1]",
               "boundary: input=randn[9,33] target_sizes=[9,33] cond=bernoulli(0.5)[9,33] other=randn[9,33]",
               "boundary: input=randn[] target_sizes=[9,33] cond=bernoulli(0.5)[9,33] other=randn[9,33]",
               "boundary: input=randn[1,33] target_sizes=[9,33] cond=bernoulli(1)[1,1] other=randn[9,33]@poke(nan)",
               "boundary: input=randn[1,33]@poke(nan) target_sizes=[9,33] cond=bernoulli(0)[9,1] other=randn[9,33]",
               "boundary: input=randn[1,33] target_sizes=[9,33] cond=bernoulli(0.5)[5,9,1] other=randn[]",
               "boundary: input=randint(-1000,1000)[1,33] target_sizes=[9,33] cond=bernoulli(0.5)[9,1] "
               "other=randint(-1000,1000)[9,33]",
               "boundary: input=randn[1,33]:f16 target_sizes=[9,33] cond=bernoulli(0.5)[9,33] other=randn[9,33]:f16",
               "boundary: input=randn[1,33]@strided target_sizes=[9,33] cond=bernoulli(0.5)[9,33]@transposed "
               "other=randn[9,33]@strided",
               "boundary: input=randn[1,33]@offset target_sizes=[9,33] cond=bernoulli(0.5)[9,33]@offset other=randn[9,33]@offset",
               "boundary: input=randn[1,33] target_sizes=[9,33] cond=bernoulli(0.5)[9,33]@expanded other=randn[9,33]@expanded",
               "boundary: input=randn[1,3] target_sizes=[0,3] cond=bernoulli(0.5)[0,1] other=randn[0,3]",
               "boundary: input=randn[1] target_sizes=[1] cond=bernoulli(1)[1] other=randn[1]",
               "boundary: input=randn[] target_sizes=[] cond=bernoulli(0)[] other=randn[]",
               "boundary: input=values(nan,inf,-0.0,1)[1,4] target_sizes=[3,4] cond=bernoulli(0.5)[3,4] "
               "other=values(-inf,0,nan)[3,1]",
               "boundary: * input=randn[1,33] target_sizes=[9,33] cond=bernoulli(0.5)[9,1] other=randn[9,33]",
               "boundary: input=randn[1,33] target_sizes=[9,33] cond=bernoulli(0.5)[9,1] other=randn[9,33] *",
           },
       .perf = {"input=randn[1,1025] target_sizes=[4095,1025] cond=bernoulli(0.5)[4095,1] other=randn[4095,1025]",
                "input=randn[1023,1] target_sizes=[1023,1025] cond=bernoulli(0.5)[1023,1025] other=randn[1023,1025]"},
       .perf_gpu = {"input=randn[1,4097] target_sizes=[8191,4097] cond=bernoulli(0.5)[8191,1] other=randn[8191,4097]",
                    "input=randn[4096,1] target_sizes=[4096,4097] cond=bernoulli(0.5)[4096,4097] other=randn[4096,4097]"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), outputs(out)};
       }},
  };
  return tasks;
}

}  // namespace kbx
