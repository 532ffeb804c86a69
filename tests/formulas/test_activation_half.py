# SPDX-License-Identifier: Apache-2.0
import math

import pytest
import torch

TYPES = {"bf16": torch.bfloat16, "fp16": torch.float16}
FORMULAS = {
    "relu": lambda v: v if v > 0 else 0.0,
    "sigmoid": lambda v: 1 / (1 + math.exp(-v)),
    "tanh": lambda v: math.expm1(2 * v) / (math.expm1(2 * v) + 2),
}


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("name", FORMULAS)
def test_half_activation(kbx, randn, close, name, kind):
    entry = getattr(kbx, f"{name}_{kind}")
    x = randn(6, 9) * 3
    close(entry(x), [[FORMULAS[name](v) for v in row] for row in x.tolist()], rtol=1e-14)
    assert entry(x.to(TYPES[kind])).dtype == TYPES[kind]
    assert entry(torch.tensor([math.nan], dtype=TYPES[kind])).isnan()


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
