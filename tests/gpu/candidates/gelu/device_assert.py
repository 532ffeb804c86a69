# SPDX-License-Identifier: Apache-2.0
"""Asserts what is not so."""

import torch
import triton
import triton.language as tl


@triton.jit(debug=True)
def asserts_order(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.device_assert(x > 1e30, "the input is not large", mask=mask)
    tl.store(y_ptr + offsets, x, mask=mask)


def gelu(input: torch.Tensor, approximate: str = "none") -> torch.Tensor:
    y = torch.empty_like(input)
    asserts_order[(triton.cdiv(input.numel(), 1024),)](input, y, input.numel(), BLOCK=1024)
    return y
