# SPDX-License-Identifier: Apache-2.0
"""Arithmetic under the interpreter. Expected values come from mathematics or float64, never from Triton."""
import math

import pytest
import torch

from kernels import HEADER, elementwise

BF16 = torch.bfloat16


def run(runner, source, *args, like):
    assert runner.load(source, ["f"]) == ("f", "entry")
    call = runner.call(*args, out=[like])
    assert getattr(call, "delivered", False), call
    assert call.leaves[0].copied == 1, call.leaves
    return call.destinations[0]


def test_bf16_addition_adds_values_and_not_bit_patterns(runner):
    x = torch.tensor([1.0, 1.5, -2.0, 256.0], dtype=BF16)
    y = torch.tensor([1.0, 2.5, 2.0, 0.5], dtype=BF16)
    source = elementwise("tl.store(o_ptr + i, tl.load(x_ptr + i, mask=m) + tl.load(y_ptr + i, mask=m), mask=m)", "x, y", "x, y")
    # 256.5 lies halfway between 256 and 258 (8 bits of precision) only at 257; it rounds to 256.
    assert run(runner, source, x, y, like=torch.empty(4, dtype=BF16)).tolist() == [2.0, 4.0, 0.0, 256.0]


def test_float_to_bf16_rounds_to_nearest_with_ties_to_even(runner):
    ulp = 2.0**-7  # spacing of bf16 in [1, 2)
    x = torch.tensor([1 + 0.49 * ulp, 1 + 0.5 * ulp, 1 + 0.51 * ulp, 1 + 1.5 * ulp, -(1 + 1.5 * ulp), math.inf, 3.4e38, 1e-40])
    source = elementwise("tl.store(o_ptr + i, tl.load(x_ptr + i, mask=m).to(tl.bfloat16), mask=m)",
                         result="torch.empty(x.shape, dtype=torch.bfloat16, device=x.device)")
    got = run(runner, source, x, like=torch.empty(8, dtype=BF16))
    assert got[:5].tolist() == [1.0, 1.0, 1 + ulp, 1 + 2 * ulp, -(1 + 2 * ulp)]
    assert got[5].item() == math.inf
    assert got[6].item() == math.inf  # above the largest bf16 plus half a spacing
    assert abs(got[7].item() - 1e-40) <= 2.0**-134  # half of the smallest bf16


def test_bf16_nan_stays_nan(runner):
    x = torch.tensor([math.nan, 1.0])
    source = elementwise("tl.store(o_ptr + i, tl.load(x_ptr + i, mask=m).to(tl.bfloat16), mask=m)",
                         result="torch.empty(x.shape, dtype=torch.bfloat16, device=x.device)")
    got = run(runner, source, x, like=torch.empty(2, dtype=BF16))
    assert math.isnan(got[0].item()) and got[1].item() == 1.0


@pytest.mark.parametrize("dtype, large", [(BF16, 256.0), (torch.float16, 2048.0)])
def test_a_sum_of_16_bit_floats_rounds_at_each_step(runner, dtype, large):
    # Above `large` the spacing is 2: (large + 1) and then (large + 1) again round down. One rounding at the end gives large + 2.
    x = torch.tensor([large, 1.0, 1.0, 0.0], dtype=dtype)
    source = elementwise("tl.store(o_ptr, tl.sum(tl.load(x_ptr + i), axis=0))", block=4, result="torch.empty(1, dtype=x.dtype, device=x.device)")
    assert run(runner, source, x, like=torch.empty(1, dtype=dtype)).item() == large


def test_bf16_dot_multiplies_values(runner):
    a = torch.arange(256, dtype=torch.float32).reshape(16, 16).remainder(7).to(BF16)
    b = torch.arange(256, dtype=torch.float32).reshape(16, 16).remainder(5).to(BF16)
    source = dot_source("")
    got = run(runner, source, a, b, like=torch.empty(16, 16))
    assert torch.equal(got.double(), a.double() @ b.double())  # small integers: exact in every precision


def dot_source(options):
    return f"""{HEADER}
@triton.jit
def kernel(a_ptr, b_ptr, o_ptr, N: tl.constexpr):
    r = tl.arange(0, N)
    at = r[:, None] * N + r[None, :]
    tl.store(o_ptr + at, tl.dot(tl.load(a_ptr + at), tl.load(b_ptr + at){options}))


def f(a, b):
    o = torch.empty(16, 16, dtype=torch.float32, device=a.device)
    kernel[(1,)](a, b, o, N=16)
    return o
"""


@pytest.mark.parametrize("options, exact", [("", False), (", input_precision='ieee'", True), (", input_precision='tf32x3'", True)])
def test_fp32_dot_is_tf32_unless_asked_otherwise(runner, options, exact):
    a = torch.eye(16)
    b = torch.full((16, 16), 1 + 2.0**-12)  # needs 12 bits of mantissa, TF32 has 10
    got = run(runner, dot_source(options), a, b, like=torch.empty(16, 16))
    assert torch.all(got == (1 + 2.0**-12 if exact else 1.0))


def test_int8_dot_accumulates_in_int32(runner):
    a = torch.full((16, 16), 127, dtype=torch.int8)
    source = dot_source("").replace("dtype=torch.float32", "dtype=torch.int32")
    assert torch.all(run(runner, source, a, a, like=torch.empty(16, 16, dtype=torch.int32)) == 16 * 127 * 127)


def test_boolean_arguments_and_boolean_tensors(runner):
    source = HEADER + """
@triton.jit
def kernel(x_ptr, o_ptr, flip, n, B: tl.constexpr):
    i = tl.arange(0, B)
    m = i < n
    x = tl.load(x_ptr + i, mask=m, other=0)
    if flip:
        x = x == 0
    tl.store(o_ptr + i, x, mask=m)


def f(x, flip):
    o = torch.empty_like(x)
    kernel[(1,)](x, o, flip, x.numel(), B=16)
    return o
"""
    x = torch.tensor([True, False, True])
    assert run(runner, source, x, True, like=torch.empty(3, dtype=torch.bool)).tolist() == [False, True, False]


def test_fma_rounds_once(runner):
    # (1 + e)(1 - e) - 1 = -e*e exactly; a rounded product gives 0.
    e = 2.0**-13
    source = elementwise("""
x = tl.load(x_ptr + i, mask=m)
tl.store(o_ptr + i, tl.fma(1 + x, 1 - x, -1.0), mask=m)""")
    assert run(runner, source, torch.tensor([e]), like=torch.empty(1)).item() == -e * e


def test_erf_has_full_accuracy(runner):
    x = torch.linspace(-4, 4, 33)
    got = run(runner, elementwise("tl.store(o_ptr + i, tl.erf(tl.load(x_ptr + i, mask=m)), mask=m)"), x, like=torch.empty(33))
    expected = torch.tensor([math.erf(v) for v in x.tolist()], dtype=torch.float64)
    assert torch.all((got.double() - expected).abs() <= 2.0**-23 * expected.abs() + 2.0**-60)


def test_float_to_int_saturates_and_maps_nan_to_zero(runner):
    x = torch.tensor([1.9, -1.9, 3e9, -3e9, math.nan])
    source = elementwise("tl.store(o_ptr + i, tl.load(x_ptr + i, mask=m).to(tl.int32), mask=m)",
                         result="torch.empty(x.shape, dtype=torch.int32, device=x.device)")
    assert run(runner, source, x, like=torch.empty(5, dtype=torch.int32)).tolist() == [1, -1, 2**31 - 1, -2**31, 0]


def test_float8_conversion_saturates_and_rounds_to_even(runner):
    x = torch.tensor([1.0, 1.0625, 1.1875, 1000.0, -1000.0])  # e4m3 has spacing 1/8 in [1, 2); largest 448
    source = elementwise("tl.store(o_ptr + i, tl.load(x_ptr + i, mask=m).to(tl.float8e4nv).to(tl.float32), mask=m)")
    assert run(runner, source, x, like=torch.empty(5)).tolist() == [1.0, 1.0, 1.25, 448.0, -448.0]


def test_stored_values_are_cast_to_the_pointer(runner):
    source = elementwise("tl.store(o_ptr + i, 3, mask=m)", result="torch.zeros(4, dtype=torch.float16, device=x.device)")
    assert run(runner, source, torch.zeros(4), like=torch.empty(4, dtype=torch.float16)).tolist() == [3.0] * 4


def test_minimum_ignores_nan_unless_told(runner):
    x = torch.tensor([math.nan, 1.0])
    source = elementwise("tl.store(o_ptr + i, tl.minimum(tl.load(x_ptr + i, mask=m), 5.0), mask=m)")
    assert run(runner, source, x, like=torch.empty(2)).tolist() == [5.0, 1.0]


@pytest.mark.parametrize("name, function", [
    ("tanh", math.tanh), ("expm1", math.expm1), ("log1p", math.log1p), ("atan", math.atan), ("asinh", math.asinh),
    ("erfc", math.erfc), ("cbrt", lambda v: math.copysign(abs(v) ** (1 / 3), v)), ("rint", round)])
def test_device_library(runner, name, function):
    x = torch.tensor([0.0, 0.25, 0.5, 1.5, 2.5])
    source = elementwise(f"tl.store(o_ptr + i, libdevice.{name}(tl.load(x_ptr + i, mask=m)), mask=m)").replace(
        "import triton.language as tl", "import triton.language as tl\nfrom triton.language.extra import libdevice")
    got = run(runner, source, x, like=torch.empty(5)).double()
    expected = torch.tensor([function(v) for v in x.tolist()], dtype=torch.float64)
    assert torch.allclose(got, expected, rtol=3e-7, atol=1e-12)
