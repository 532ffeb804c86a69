# SPDX-License-Identifier: Apache-2.0
"""Timing of C++ candidates: what is verified, what is withheld. Never which of two times is the larger."""
import json

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


def measured(kbx, statements):
    path = kbx.write("exp_sqrt.cpp", CPP % statements)
    done = kbx("judge", path, "--task", "exp_sqrt", "--json", timeout=240)
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


def test_each_perf_case_has_a_ratio_within_its_interval(kbx):
    verdict = measured(kbx, "")
    assert verdict["outcome"] == "correct", verdict
    speedup = verdict["speedup"]
    assert 0 < speedup["low"] <= speedup["value"] <= speedup["high"], verdict
    cases = verdict["efficiency"]["cases"]
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
