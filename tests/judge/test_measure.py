# SPDX-License-Identifier: Apache-2.0
"""Timing of C++ candidates: what is verified, what is withheld. Never which of two times is the larger."""
import json

import pytest

CPP = """
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/function.h>
#include <cmath>
#include <cstdint>
#include <thread>
#include <chrono>
static int64_t calls = 0;
static float one(float x) { return std::sqrt(std::exp(x)); }
void exp_sqrt(tvm::ffi::TensorView x, tvm::ffi::TensorView y) {
  ++calls;
  const int64_t n = y.numel();
  if (y.dtype().bits != 32) TVM_FFI_THROW(TypeError) << "float32 only";
  const float* from = static_cast<const float*>(x.data_ptr());
  float* to = static_cast<float*>(y.data_ptr());
  const int dims = x.ndim();
  for (int64_t i = 0; i < n; ++i) {
    int64_t rest = i, at = 0;
    for (int d = dims; d-- > 0; rest /= x.shape()[d]) at += rest % x.shape()[d] * x.strides()[d];
    to[i] = one(from[at]);
  }
  %s
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(exp_sqrt, exp_sqrt)
"""


# Plain, slow and right: what every contract must let through when it is timed.
HONEST = {
    "rand": """
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/optional.h>
#include <random>
void rand_entry(tvm::ffi::Shape, tvm::ffi::Optional<DLDataType>, tvm::ffi::TensorView y, int64_t seed) {
  std::mt19937_64 random(static_cast<uint64_t>(seed));
  for (int64_t i = 0; i < y.numel(); ++i) {
    if (y.dtype().bits == 64) static_cast<double*>(y.data_ptr())[i] = (random() >> 11) * 0x1p-53;
    else if (y.dtype().bits == 32) static_cast<float*>(y.data_ptr())[i] = (random() >> 40) * 0x1p-24f;
    else if (y.dtype().code == kDLFloat) static_cast<_Float16*>(y.data_ptr())[i] = static_cast<_Float16>((random() >> 53) * 0x1p-11f);
    else TVM_FFI_THROW(TypeError) << "no such type";
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(rand, rand_entry)
""",
    "masked_select": """
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/function.h>
#include <cstring>
int64_t run(tvm::ffi::TensorView x, tvm::ffi::TensorView mask, tvm::ffi::TensorView y) {
  const int dims = std::max(x.ndim(), mask.ndim());
  int64_t sizes[8], n = 1, count = 0;
  const auto at = [&](const tvm::ffi::TensorView& t, int d) { return d - (dims - t.ndim()); };
  for (int d = 0; d < dims; ++d) {
    const int64_t a = at(x, d) < 0 ? 1 : x.shape()[at(x, d)], b = at(mask, d) < 0 ? 1 : mask.shape()[at(mask, d)];
    sizes[d] = a == 1 ? b : a;
    n *= sizes[d];
  }
  const int64_t width = x.dtype().bits / 8;
  for (int64_t i = 0; i < n; ++i) {
    int64_t rest = i, px = 0, pm = 0;
    for (int d = dims; d-- > 0; rest /= sizes[d]) {
      const int64_t index = rest % sizes[d];
      if (at(x, d) >= 0 && x.shape()[at(x, d)] != 1) px += index * x.strides()[at(x, d)];
      if (at(mask, d) >= 0 && mask.shape()[at(mask, d)] != 1) pm += index * mask.strides()[at(mask, d)];
    }
    if (static_cast<const uint8_t*>(mask.data_ptr())[pm])
      std::memcpy(static_cast<char*>(y.data_ptr()) + width * count++, static_cast<const char*>(x.data_ptr()) + width * px, width);
  }
  return count;
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(kernel_function, run)
""",
    "leaky_relu": """
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/function.h>
void run(tvm::ffi::TensorView x, double slope, bool, tvm::ffi::TensorView y) {
  for (int64_t i = 0; i < y.numel(); ++i) {
    int64_t rest = i, from = 0, to = 0;
    for (int d = x.ndim(); d-- > 0; rest /= x.shape()[d]) {
      from += rest % x.shape()[d] * x.strides()[d];
      to += rest % x.shape()[d] * y.strides()[d];
    }
    if (x.dtype().bits != 32) TVM_FFI_THROW(TypeError) << "float32 only";
    const float v = static_cast<const float*>(x.data_ptr())[from];
    static_cast<float*>(y.data_ptr())[to] = v > 0 ? v : static_cast<float>(v * slope);
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(leaky_relu, run)
""",
    "gelu_fp16": """
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/function.h>
#include <cmath>
void run(tvm::ffi::TensorView x, tvm::ffi::String approximate, tvm::ffi::TensorView y) {
  for (int64_t i = 0; i < y.numel(); ++i) {
    int64_t rest = i, p = 0;
    for (int d = x.ndim(); d-- > 0; rest /= x.shape()[d]) p += rest % x.shape()[d] * x.strides()[d];
    const double v = static_cast<double>(static_cast<const _Float16*>(x.data_ptr())[p]);
    const double u = approximate == "tanh" ? std::tanh(std::sqrt(2 / M_PI) * (v + 0.044715 * v * v * v)) : std::erf(v * M_SQRT1_2);
    // Where the factor vanishes the product does, also at infinity.
    static_cast<_Float16*>(y.data_ptr())[i] = static_cast<_Float16>(u == -1 && std::isinf(v) ? NAN : 0.5 * v * (1 + u));
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(gelu_fp16, run)
""",
}


@pytest.mark.parametrize("task", HONEST)
def test_honest_code_is_not_rejected_when_it_is_timed(kbx, task):
    done = kbx("judge", kbx.write(f"{task}.cpp", HONEST[task]), "--task", task, "--json", timeout=300)
    verdict = json.loads(done.stdout)
    assert verdict["outcome"] == "correct", verdict
    assert verdict["speedup"] or verdict["detail"]["efficiency"]["withheld"], verdict


def measured(kbx, statements):
    path = kbx.write("exp_sqrt.cpp", CPP.replace('%s', statements))
    done = kbx("judge", path, "--task", "exp_sqrt", "--json", timeout=240)
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


def test_each_perf_case_has_a_ratio_within_its_interval(kbx):
    verdict = measured(kbx, "")
    assert verdict["outcome"] == "correct", verdict
    speedup = verdict["speedup"]
    assert speedup and 0 < speedup["low"] <= speedup["value"] <= speedup["high"], verdict
    cases = verdict["detail"]["efficiency"]["cases"]
    assert len(cases) >= 2
    for case in cases:
        assert case["samples"] >= 8 and case["baseline_seconds"] > 0 and case["candidate_seconds"] > 0, case
        assert case["class"] in ("faster", "slower", "tie", "unclear"), case


def test_work_skipped_at_the_sizes_that_are_timed_is_wrong(kbx):
    verdict = measured(kbx, "if (n > 100000) to[n - 1] = 0;")
    assert (verdict["outcome"], verdict["diagnosis"][0]["pattern"]) == ("wrong", "wrong_when_timed"), verdict
    assert not verdict["full_gate"] and verdict["speedup"] is None


def test_work_skipped_after_some_timed_calls_is_wrong(kbx):
    verdict = measured(kbx, "static int64_t large = 0; if (n > 100000 && ++large > 9) to[n / 2] = 0;")
    assert (verdict["outcome"], verdict["diagnosis"][0]["pattern"]) == ("wrong", "wrong_when_timed"), verdict


def test_a_crash_when_timed_is_a_crash(kbx):
    verdict = measured(kbx, "if (n > 100000) *reinterpret_cast<volatile int*>(8) = 1;")
    assert verdict["outcome"] == "crashed", verdict


def test_work_left_to_a_thread_after_the_return_never_passes(kbx):
    verdict = measured(kbx, """
      static bool first = true;
      if (n > 100000) { for (int64_t i = 0; i < n; ++i) to[i] = 0;
        std::thread([=] { std::this_thread::sleep_for(std::chrono::milliseconds(30)); for (int64_t i = 0; i < n; ++i) to[i] = one(from[i]); }).detach(); }
      (void)first;""")
    assert verdict["outcome"] in ("wrong", "dishonest", "crashed"), verdict
