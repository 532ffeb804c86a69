# SPDX-License-Identifier: Apache-2.0
"""Waits for a value that never comes."""

import torch
import triton
import triton.language as tl


@triton.jit
def spins(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    turns = tl.load(x_ptr) * 0.0
    while turns < 1.0:
        turns = tl.load(x_ptr, volatile=True) * 0.0
    tl.store(y_ptr + offsets, turns, mask=mask)


def gelu(input: torch.Tensor, approximate: str = "none") -> torch.Tensor:
    y = torch.empty_like(input)
    spins[(triton.cdiv(input.numel(), 1024),)](input, y, input.numel(), BLOCK=1024)
    return y
