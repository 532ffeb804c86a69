# SPDX-License-Identifier: Apache-2.0
"""Elementwise functions of tl and tl.math, against Python's math in float64."""
import math

import pytest
import torch

from language import check, refused

F16, BF16, F32, F64 = torch.float16, torch.bfloat16, torch.float32, torch.float64
INF, NAN = math.inf, math.nan
POSITIVE = [0.25, 0.5, 1.0, 1.5, 2.0, 3.75, 10.0, 100.0]
ANY = [-10.0, -1.5, -0.25, 0.0, 0.3, 1.0, 2.5, 7.0]
# What PTX's approximate instructions guarantee is about two units in the last place of fp32; sin and cos are absolute.
TOLERANCE = {F32: 1e-6, F64: 1e-6, F16: 2e-3, BF16: 2e-2}


def table(function, values):
    return torch.tensor([function(v) for v in values], dtype=F64)


FUNCTIONS = [
    ("exp", math.exp, ANY), ("exp2", lambda v: 2.0**v, ANY), ("log", math.log, POSITIVE), ("log2", math.log2, POSITIVE),
    ("sin", math.sin, ANY), ("cos", math.cos, ANY), ("sqrt", math.sqrt, POSITIVE), ("rsqrt", lambda v: 1 / math.sqrt(v), POSITIVE),
    ("erf", math.erf, ANY), ("floor", math.floor, ANY), ("ceil", math.ceil, ANY), ("abs", abs, ANY),
]


@pytest.mark.parametrize("dtype", (F32, F64), ids=str)
@pytest.mark.parametrize("name, function, values", FUNCTIONS, ids=[f[0] for f in FUNCTIONS])
def test_functions_as_functions_as_tl_math_and_as_methods(runner, name, function, values, dtype):
    x = torch.tensor(values, dtype=dtype)
    expected = table(function, x.tolist()).to(dtype)
    body = f"r0 = tl.{name}(x)\nr1 = tl.math.{name}(x)\nr2 = x.{name}()"
    check(runner, body, expected, expected, expected, x=x, relative=TOLERANCE[dtype], absolute=2e-6)


@pytest.mark.parametrize("dtype", (F16, BF16), ids=str)
@pytest.mark.parametrize("name", ["abs"])
def test_the_absolute_value_of_16_bit_floats(runner, name, dtype):
    x = torch.tensor([-1.5, 2, -0.0, -INF], dtype=dtype)
    check(runner, f"r = tl.{name}(x)", torch.tensor([1.5, 2, 0, INF], dtype=dtype), x=x)


@pytest.mark.parametrize("dtype", (torch.int8, torch.int16, torch.int32, torch.int64), ids=str)
def test_the_absolute_value_of_integers(runner, dtype):
    check(runner, "r = tl.abs(x)", torch.tensor([3, 3, 0, 100], dtype=dtype), x=torch.tensor([-3, 3, 0, -100], dtype=dtype))


@pytest.mark.parametrize("body, x, expected", [
    ("r = tl.exp(x)", [-INF, INF, NAN, -200.0], [0, INF, NAN, 0]),
    ("r = tl.log(x)", [0.0, INF, -1.0, NAN], [-INF, INF, NAN, NAN]),
    ("r = tl.sqrt(x)", [0.0, INF, -1.0, NAN], [0, INF, NAN, NAN]),
    ("r = tl.rsqrt(x)", [0.0, INF, -1.0, NAN], [INF, 0, NAN, NAN]),
    ("r = tl.erf(x)", [-INF, INF, NAN, 0.0], [-1, 1, NAN, 0]),
    ("r = tl.floor(x)", [-0.5, -INF, 2.0**30 + 0.0, NAN], [-1, -INF, 2.0**30, NAN]),
], ids=lambda v: v[4:] if isinstance(v, str) else "")
def test_special_values(runner, body, x, expected):
    check(runner, body, torch.tensor(expected, dtype=F32), x=torch.tensor(x))


@pytest.mark.parametrize("dtype", (F32, F64), ids=str)
def test_correctly_rounded_division_and_root(runner, dtype):
    x, y = torch.tensor([1.0, 2, 10, 1e-3], dtype=dtype), torch.tensor([3.0, 7, 11, 3], dtype=dtype)
    body = "r0 = tl.div_rn(x, y)\nr1 = tl.sqrt_rn(x)\nr2 = tl.math.div_rn(x, y)\nr3 = tl.math.sqrt_rn(x)\nr4 = x.sqrt_rn()"
    quotient = table(lambda v: v, [a / b for a, b in zip(x.tolist(), y.tolist())]).to(dtype)
    root = table(math.sqrt, x.tolist()).to(dtype)
    if dtype == F64:
        body = body.replace("tl.div_rn(x, y)", "x / y").replace("tl.math.div_rn(x, y)", "x / y").replace(
            "tl.sqrt_rn(x)", "tl.sqrt(x)").replace("tl.math.sqrt_rn(x)", "tl.sqrt(x)").replace("x.sqrt_rn()", "tl.sqrt(x)")
    check(runner, body, quotient, root, quotient, root, root, x=x, y=y)


def test_fast_division(runner):
    x, y = torch.tensor([1.0, -2, 10, 0.0]), torch.tensor([3.0, 7, 0, 5])
    expected = torch.tensor([1 / 3, -2 / 7, INF, 0])
    check(runner, "r0 = tl.fdiv(x, y)\nr1 = tl.fdiv(x, y, ieee_rounding=True)\nr2 = tl.math.fdiv(x, y)", expected, expected, expected,
          x=x, y=y, relative=3e-7)


@pytest.mark.parametrize("dtype, e", [(F16, 2.0**-6), (BF16, 2.0**-5), (F32, 2.0**-13), (F64, 2.0**-30)], ids=str)
def test_fma_rounds_once(runner, dtype, e):
    # (1 + e)(1 - e) - 1 is -e*e exactly; a product that was rounded to 1 gives 0.
    x = torch.tensor([e, -e, 2 * e, e], dtype=dtype)
    expected = (-x.double() ** 2).to(dtype)
    check(runner, "r0 = tl.fma(1 + x, 1 - x, -1.0)\nr1 = tl.math.fma(1 + x, 1 - x, -1.0)", expected, expected, x=x)


def test_fma_of_fp32_does_not_round_twice(runner):
    # x*y = 2**-24 * (1 - 2**-46): the sum lies just below the middle of two fp32, in fp64 it is the middle, whose even side is above.
    x, y, z = torch.tensor([2.0**-12 * (1 + 2.0**-23)]), torch.tensor([2.0**-12 * (1 - 2.0**-23)]), torch.tensor([1 + 2.0**-23])
    check(runner, "r = tl.fma(x, y, z)", torch.tensor([1 + 2.0**-23]), x=x, y=y, z=z)


def test_sigmoid_and_softmax(runner):
    values = [-3.0, -1.0, 0.0, 0.5, 1.0, 2.0, 4.0, -100.0]
    total = sum(math.exp(v - 4) for v in values)
    soft = table(lambda v: math.exp(v - 4) / total, values).float()
    sigmoid = table(lambda v: 1 / (1 + math.exp(-v)), values).float()
    body = "r0 = tl.sigmoid(x)\nr1 = x.sigmoid()\nr2 = tl.softmax(x)\nr3 = x.softmax(0)"
    check(runner, body, sigmoid, sigmoid, soft, soft, x=torch.tensor(values), relative=1e-5, absolute=1e-30)


def test_softmax_of_rows(runner):
    x = torch.tensor([[0.0, 0.0, 0.0, 0.0], [1.0, 1.0, -1e30, -1e30]])
    expected = torch.tensor([[0.25] * 4, [0.5, 0.5, 0, 0]])
    check(runner, "r = tl.softmax(x, dim=1, keep_dims=True)", expected, x=x, relative=1e-6)


@pytest.mark.parametrize("name", ["exp", "log", "sin", "sqrt", "erf", "floor"])
def test_functions_of_fp32_only_are_an_error_for_16_bit_floats(runner, name):
    answer = refused(runner, f"r = tl.{name}(x)", torch.zeros(4, dtype=F16), x=torch.ones(4, dtype=F16))
    assert answer.kind == "ValueError" and "dtype" in answer.message


def test_ceiling_division_in_a_kernel(runner):
    x = torch.tensor([0, 1, 4, 5], dtype=torch.int32)
    check(runner, "r0 = tl.cdiv(x, 4)\nr1 = x.cdiv(4)", torch.tensor([0, 1, 1, 2], dtype=torch.int32), torch.tensor([0, 1, 1, 2], dtype=torch.int32),
          x=x)
