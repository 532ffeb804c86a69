# SPDX-License-Identifier: Apache-2.0
"""Writes out of bounds: the last block has no mask, so it reads and stores behind both tensors."""

import torch
import triton
import triton.language as tl


@triton.jit
def log1p_kernel(x_ptr, y_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets)
    u = 1.0 + x
    # log(u) loses the low bits of x; x - (u - 1) is what was lost (W. Kahan).
    y = tl.where(u == 1.0, x, tl.log(u) + (x - (u - 1.0)) / u)
    tl.store(y_ptr + offsets, y)


def log1p(input, out=None):
    x = input.contiguous()
    y = torch.empty_like(x) if out is None else out
    log1p_kernel[(triton.cdiv(x.numel(), 256),)](x, y, BLOCK=256)
    return y
