# SPDX-License-Identifier: Apache-2.0
import math

import mpmath
import pytest
import torch

TYPES = {"bf16": torch.bfloat16, "fp16": torch.float16}
ROUNDING = {"bf16": (2**-8, 0), "fp16": (2**-11, 2**-25)}  # half a step: relative, and absolute where numbers are subnormal
FORMULAS = {
    "relu": lambda v: v if v > 0 else 0.0,
    "sigmoid": lambda v: 1 / (1 + mpmath.exp(-v)),
    "tanh": lambda v: mpmath.expm1(2 * v) / (mpmath.expm1(2 * v) + 2),
}
ENTRIES = {
    "relu_bf16": lambda kbx, x: kbx.relu_bf16(x),
    "relu_fp16": lambda kbx, x: kbx.relu_fp16(x),
    "sigmoid_bf16": lambda kbx, x: kbx.sigmoid_bf16(x),
    "sigmoid_fp16": lambda kbx, x: kbx.sigmoid_fp16(x),
    "tanh_bf16": lambda kbx, x: kbx.tanh_bf16(x),
    "tanh_fp16": lambda kbx, x: kbx.tanh_fp16(x),
}


@pytest.mark.parametrize("name", ENTRIES)
def test_half_activation(kbx, randn, close, name):
    function, kind = name.split("_")
    formula, call = FORMULAS[function], lambda x: ENTRIES[name](kbx, x)
    x = randn(6, 9) * 3
    close(call(x), [[float(formula(v)) for v in row] for row in x.tolist()], rtol=1e-14)
    assert call(torch.tensor([math.nan], dtype=TYPES[kind])).isnan()


@pytest.mark.parametrize("name", ENTRIES)
def test_half_activation_rounds_once(kbx, randn, name):
    function, kind = name.split("_")
    rtol, atol = ROUNDING[kind]
    x = torch.cat([randn(200) * 4, randn(20) * 1e-3, torch.tensor([0, -11, 11, -16, 30], dtype=torch.float64)]).to(TYPES[kind])
    y = ENTRIES[name](kbx, x)
    assert y.dtype == TYPES[kind]
    for v, result in zip(x.tolist(), y.tolist()):
        exact = float(FORMULAS[function](v))
        assert abs(result - exact) <= 1.001 * max(rtol * abs(exact), atol), v  # 1.001: float32 rounds first


def gelu(v, approximate):
    if approximate == "none":
        return v * math.erfc(-v / math.sqrt(2)) / 2
    return v / 2 * (1 + math.tanh(math.sqrt(2 / math.pi) * (v + 0.044715 * v**3)))


@pytest.mark.parametrize("approximate", ["none", "tanh"])
def test_gelu_bf16(kbx, randn, close, approximate):
    x = randn(6, 9) * 3
    close(kbx.gelu_bf16(x, approximate=approximate), [[gelu(v, approximate) for v in row] for row in x.tolist()])
    half = x.bfloat16()
    y = kbx.gelu_bf16(half, approximate=approximate)
    assert y.dtype == torch.bfloat16
    for v, actual in zip(half.flatten().tolist(), y.flatten().tolist()):
        assert actual == pytest.approx(gelu(v, approximate), rel=1.01 * 2**-8, abs=1e-6)


@pytest.mark.parametrize("approximate", ["none", "tanh"])
def test_gelu_fp16(kbx, randn, close, approximate):
    x = randn(6, 9) * 3
    close(kbx.gelu_fp16(x, approximate=approximate), [[gelu(v, approximate) for v in row] for row in x.tolist()])
    half = x.half()
    y = kbx.gelu_fp16(half, approximate=approximate)
    assert y.dtype == torch.float16
    for v, actual in zip(half.flatten().tolist(), y.flatten().tolist()):
        assert actual == pytest.approx(gelu(v, approximate), rel=1.01 * 2**-11, abs=1e-6)
