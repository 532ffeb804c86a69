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
