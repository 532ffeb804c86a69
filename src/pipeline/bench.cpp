// SPDX-License-Identifier: Apache-2.0
#include "pipeline/bench.h"

#include <ATen/TensorOperators.h>
#include <c10/util/Exception.h>

#include "core/clock.h"
#include "oracle/published.h"

namespace kbx {
namespace {

uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

// Symmetric or triangular: another element off the diagonal would make a matrix of another kind of it.
bool has_form(const at::Tensor& t) {
  if (t.dim() < 2 || t.size(-1) != t.size(-2) || t.size(-1) < 2) return false;
  return t.equal(t.mT()) || t.equal(t.tril()) || t.equal(t.triu());
}

// Changes one element of the first floating input that has any. Of a matrix with a form it is one of the diagonal, which
// grows, so that the form stays, and a definite matrix definite.
void change_one_element(Call& call, uint64_t seed) {
  for (Argument& a : call.arguments) {
    if (a.kind != ArgumentKind::tensor || a.is_out || a.number_for_tensor) continue;
    const at::Tensor t = a.value.toTensor();
    if (!t.is_floating_point() || t.numel() == 0) continue;
    const bool form = has_form(t);
    int64_t flat = static_cast<int64_t>(mix(seed) % static_cast<uint64_t>(t.numel()));
    if (form) flat -= flat % t.size(-1) - flat / t.size(-1) % t.size(-1);
    at::Tensor element = t;
    for (int64_t d = t.dim(); d-- > 0;) {
      element = element.select(d, flat % t.size(d));
      flat /= t.size(d);
    }
    if (form)
      element.add_(element.sign().mul(0.25)).mul_(1.5);
    else
      element.mul_(0.5).add_(0.25);
    return;
  }
}

}  // namespace

uint64_t derive_seed(uint64_t seed, std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325ull;
  for (char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return mix(seed ^ mix(hash)) >> 1;  // 63 bits: generators and SQLite take signed integers
}

Result<TaskBench> TaskBench::open(const Task& task, Policy policy, uint64_t seed, at::Device device,
                                  const std::optional<std::string>& only_case) {
  TaskBench bench(task, policy, derive_seed(seed, task.id), device);
  if (only_case) {
    auto one = parse_case(task, *only_case);
    if (!one) return one.error();
    bench.cases_ = {*one};
    auto call = bench.host_inputs(0);
    if (!call) return call.error();
  } else {
    bench.cases_ = policy == Policy::paper ? published_cases_of(task) : cases_of(task, bench.seed_);
  }
  return bench;
}

Result<Call> TaskBench::host_inputs(size_t index) const {
  return bind(*task_, cases_[index], derive_seed(seed_, cases_[index].line), at::kCPU);
}

const PreparedCase& TaskBench::at(size_t index, uint64_t contents) {
  auto& slot = prepared_[{index, contents}];
  if (!slot) slot = std::make_unique<PreparedCase>(prepare(index, contents));
  return *slot;
}

PreparedCase TaskBench::prepare(size_t index, uint64_t contents) {
  const auto start = Clock::now();
  PreparedCase p{cases_[index], {}, {}, ""};
  const uint64_t seed = derive_seed(seed_, p.c.line);
  auto call = bind(*task_, p.c, seed, device_, contents == kOneElement ? 0 : contents);
  if (!call) {
    p.invalid = call.error().text();
    return p;
  }
  p.call = *std::move(call);
  if (contents == kOneElement) change_one_element(p.call, seed);
  try {
    p.expected = policy_ == Policy::paper ? consult_published(p.call) : consult_oracle(p.call);
    if (p.c.raises) p.invalid = "it returns where it is to raise";
  } catch (const c10::Error& e) {
    if (p.c.raises)
      p.expected.raises = e.what_without_backtrace();
    else
      p.invalid = e.what_without_backtrace();
  }
  oracle_seconds_ += seconds_since(start);
  return p;
}

}  // namespace kbx
