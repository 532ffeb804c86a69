# SPDX-License-Identifier: Apache-2.0
"""Asks for blocks that no SM has the shared memory for."""

import torch
import triton
import triton.language as tl


@triton.jit
def wants_shared(x_ptr, y_ptr, n, BLOCK: tl.constexpr, INNER: tl.constexpr):
    rows, inner = tl.arange(0, BLOCK), tl.arange(0, INNER)
    at = rows[:, None] * INNER + inner[None, :]
    a = tl.load(x_ptr + at, mask=at < n, other=0.0)
    b = tl.load(x_ptr + at + 1, mask=at + 1 < n, other=0.0)
    product = tl.dot(a, tl.trans(b))
    out = rows[:, None] * BLOCK + rows[None, :]
    tl.store(y_ptr + out, product, mask=out < n)


def gelu(input: torch.Tensor, approximate: str = "none") -> torch.Tensor:
    y = torch.empty_like(input)
    wants_shared[(1,)](input, y, input.numel(), BLOCK=64, INNER=1024)
    return y
