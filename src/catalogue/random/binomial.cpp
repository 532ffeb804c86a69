// SPDX-License-Identifier: Apache-2.0
#include <ATen/ExpandUtils.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/binomial.h>
#include <ATen/ops/bitwise_and.h>
#include <ATen/ops/sigmoid.h>
#include <c10/util/Exception.h>

#include <vector>

#include "catalogue/cost.h"
#include "catalogue/families.h"

namespace kbx {
namespace {

at::Tensor factor(const Args& a) { return at::bitwise_and(a.tensor("input"), a.tensor("other")); }

// Draws of their own for each element of `shape` and what the arguments broadcast to.
at::Tensor counts(const Args& a, at::IntArrayRef shape) {
  const auto probs = a.maybe_tensor("probs"), logits = a.maybe_tensor("logits");
  TORCH_CHECK(probs.has_value() != logits.has_value(), "either probs or logits");
  const at::Tensor probability = probs ? *probs : at::sigmoid(*logits);
  const at::Tensor trials = a.tensor("total_count").to(probability.scalar_type());
  const std::vector<int64_t> all = at::infer_size(at::infer_size(trials.sizes(), probability.sizes()), shape);
  return at::binomial(trials.expand(all), probability.expand(all));
}

}  // namespace

std::span<const Task> binomial_family() {
  static const Task tasks[] = {
      {.id = "bitwise_and_binomial",
       .category = Category::math,
       .difficulty = 2,
       .schema =
           "bitwise_and_binomial(Tensor input, Tensor other, Tensor total_count, Tensor? probs=None, Tensor? logits=None) -> "
           "Tensor",
       .summary =
           "Random counts times a bitwise AND: for each element the number of successes in total_count independent trials, "
           "multiplied by the integer input & other. The probability of success is given by probs, or by logits, the logarithms "
           "of its odds: p = sigmoid(logits). One of the two is given; neither or both is an error: the function raises. input "
           "and other are integers or bool, total_count whole numbers of an integer or floating type. All arguments broadcast; "
           "the result has the type of probs or logits. Any good generator will do; elements are independent, also those to "
           "which arguments broadcast, the same seed must repeat the numbers and another seed must not.",
       .math = "y[i] = (input[i] & other[i]) * s[i], s[i] ~ Binomial(total_count[i], p[i]), independent",
       .reference = [](const Args& a) -> Values {
         const at::Tensor product = factor(a);
         return {counts(a, product.sizes()) * product};
       },
       .published = [](const Args& a) -> Values { return {counts(a, {})}; },
       .contract = stochastic(Distribution::binomial),
       .chance = {.before = factor},
       .cases =
           {
               "standard: N=9001..20000 input=randint(1,256)[N]:i32 other=randint(1,256)[N]:i32 total_count=full(50)[N]:i64 "
               "probs=uniform(0.1,0.9)[N]@fixed",
               "standard: M=65..120 N=129..300 input=randint(1,8)[M,N] other=full(5)[]:i64 "
               "total_count=values(1,2,5,10,20)[N]:i32 "
               "probs=uniform[M,N]@fixed",
               "standard: N=5001..20000 input=ones[N]:i32 other=ones[N]:i32 total_count=full(10)[N]:i64 logits=randn[N]",
               "standard: N=257..1000 input=randint(0,256)[N]:i32 other=randint(0,256)[N]:i32 total_count=full(10)[N]:i64 "
               "probs=uniform(0.05,0.95)[N]@fixed",
               "boundary: N=5001..9000 input=bernoulli(0.9)[N] other=bernoulli(0.9)[N] total_count=full(1)[N]:i64 "
               "probs=uniform(0.2,0.8)[N]",
               "boundary: A=5..9 B=9..33 input=randint(1,16)[A,B,17] other=full(15)[]:i64 total_count=full(20)[] "
               "logits=randn[B,1]",
               "boundary: N=2001..5000 input=ones[N]:i16 other=ones[N]:i16 total_count=full(100)[N] probs=full(0.02)[N]",
               "boundary: N=500..900 input=values(-1,-3,6)[N]:i64 other=values(5,7,-1)[N]:i64 total_count=full(10)[N] "
               "probs=uniform(0.2,0.8)[N]",
               "boundary: input=ones[6]:i32 other=ones[6]:i32 total_count=full(5)[6] probs=values(0,1)[6]",
               "boundary: input=ones[300]:i32 other=full(3)[300]:i32 total_count=values(0,7)[300] probs=full(0.5)[300]",
               "boundary: input=values(1,0,1,0)[4]:i32 other=values(1,1,0,0)[4]:i32 total_count=full(5)[4] probs=full(0.5)[4]",
               "boundary: input=values(1,0,1,0)[4]:i32 other=values(1,1,0,0)[4]:i32 total_count=full(10)[4] logits=zeros[4]",
               "boundary: input=full(3)[]:i64 other=full(6)[]:i64 total_count=full(9)[] probs=full(0.5)[]",
               "boundary: input=zeros[0]:i32 other=zeros[0]:i32 total_count=full(5)[0] probs=full(0.5)[0]",
               "boundary: N=900..2000 input=ones[N]:i32@offset other=ones[N]:i32@strided total_count=full(10)[N]@offset "
               "probs=uniform(0.2,0.8)[N]@strided",
               "boundary: N=900..2000 input=ones[N]:i32 other=full(2)[N]:i32@poke(3) total_count=full(10)[N]:f64 * "
               "logits=randn[N]:f64@scale(2)",
               "boundary: * input=ones[999]:i32 other=ones[999]:i32 total_count=full(10)[999] probs=uniform(0.2,0.8)[999] "
               "logits=none",
               "boundary: input=ones[3]:i32 other=ones[3]:i32 total_count=full(10)[3] raises",
               "boundary: input=ones[3]:i32 other=ones[3]:i32 total_count=full(10)[3] probs=full(0.5)[3] logits=zeros[3] raises",
           },
       .perf = {"input=randint(0,2)[65536]:i32 other=randint(0,2)[65536]:i32 total_count=full(10)[]:i32 "
                "probs=uniform(0.25,0.75)[65536]",
                "input=randint(0,2)[127,769]:i32 other=randint(0,2)[127,769]:i32 total_count=full(10)[]:i32 "
                "probs=uniform(0.25,0.75)[127,769]"},
       .perf_gpu = {"input=randint(0,2)[1048576]:i32 other=randint(0,2)[1048576]:i32 total_count=full(10)[]:i32 "
                    "probs=uniform(0.25,0.75)[1048576]",
                    "input=randint(0,2)[2047,2049]:i32 other=randint(0,2)[2047,2049]:i32 total_count=full(10)[]:i32 "
                    "probs=uniform(0.25,0.75)[2047,2049]"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), 20 * outputs(out)};
       },
       .deviation =
           "The published text takes the AND for the number of trials, its list of operators multiplies the counts by it, and "
           "its reference does not use it at all. Here the counts are multiplied by it. The published test also demands the "
           "very numbers of one library's generator; here their distribution, independence and the behaviour of seeds are "
           "judged."},
  };
  return tasks;
}

}  // namespace kbx
