// SPDX-License-Identifier: Apache-2.0
#include "measure/products.h"

#include <ATen/Context.h>
#include <ATen/ops/_int_mm.h>
#include <ATen/ops/_scaled_mm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/ones.h>

#include <algorithm>
#include <cmath>

namespace kbx {
namespace {

constexpr int kLeast = 3, kMost = 40;  // repetitions

// TF32 allowed or not, and afterwards as it was.
class Tf32Scope {
 public:
  explicit Tf32Scope(bool allowed) { at::globalContext().setAllowTF32CuBLAS(allowed); }
  ~Tf32Scope() { at::globalContext().setAllowTF32CuBLAS(before_); }
  Tf32Scope(const Tf32Scope&) = delete;
  Tf32Scope& operator=(const Tf32Scope&) = delete;

 private:
  bool before_ = at::globalContext().allowTF32CuBLAS();
};

at::ScalarType input_type(std::string_view type) {
  if (type == "fp64") return at::kDouble;
  if (type == "bf16") return at::kBFloat16;
  if (type == "fp16") return at::kHalf;
  if (type == "fp8") return at::kFloat8_e4m3fn;
  if (type == "int8") return at::kChar;
  return at::kFloat;
}

// Random contents: on zeros a GPU draws less power and is faster than on anything that is worth multiplying.
std::function<void(int)> product(std::string_view type, int64_t n, at::Device device) {
  const at::TensorOptions options(device);
  at::Generator random = at::globalContext().defaultGenerator(device).clone();
  const auto matrix = [&] {
    const at::Tensor values = at::empty({n, n}, options.dtype(at::kFloat));
    return (type == "int8" ? values.uniform_(-127, 127, random) : values.normal_(0, 1, random)).to(input_type(type));
  };
  const at::Tensor a = matrix(), b = matrix();
  const auto result = [&](at::ScalarType t) { return at::empty({n, n}, options.dtype(t)); };
  // Tensor cores take 8-bit inputs as rows times columns.
  if (type == "fp8")
    return [a, b = b.t(), out = result(at::kBFloat16), one = at::ones({}, options.dtype(at::kFloat))](int) mutable {
      at::_scaled_mm_out(out, a, b, one, one, std::nullopt, std::nullopt, at::kBFloat16, /*use_fast_accum=*/true);
    };
  if (type == "int8") return [a, b = b.t(), out = result(at::kInt)](int) mutable { at::_int_mm_out(out, a, b); };
  return [a, b, out = result(a.scalar_type())](int) mutable { at::mm_out(out, a, b); };
}

double rate(std::string_view type, int64_t n, at::Device device, double seconds, Stopwatch& watch) {
  const auto call = product(type, n, device);
  const double warm = watch.times(2, 1, call).back();  // the first one loads the library
  auto times = watch.times(static_cast<int>(std::clamp<double>(seconds / warm, kLeast, kMost)), 1, call);
  // Middle of the best third: a GPU lowers its clock under a long load of products, and candidates are timed in short bursts;
  // the very best of many may be the clock's error.
  std::ranges::sort(times);
  const auto size = static_cast<double>(n);
  return 2 * size * size * size / times[times.size() / 6];
}

}  // namespace

std::optional<double> product_rate(std::string_view type, int64_t n, at::Device device, double seconds, Stopwatch& watch) {
  const Tf32Scope tf32(type == "tf32");
  try {
    const double pilot = rate(type, n / 4, device, 0, watch);
    const auto size = static_cast<double>(n);
    if (2 * size * size * size / pilot > seconds) return pilot;
    return rate(type, n, device, seconds, watch);
  } catch (const c10::OutOfMemoryError&) {
    throw;
  } catch (const c10::Error&) {
    return std::nullopt;
  }
}

}  // namespace kbx
