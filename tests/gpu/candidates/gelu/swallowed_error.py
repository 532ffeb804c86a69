# SPDX-License-Identifier: Apache-2.0
"""Meets an illegal address, forgets the error, and goes on as if all were well."""

import torch
import triton
import triton.language as tl


@triton.jit
def reads_far(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets.to(tl.int64) + (1 << 40), mask=mask)
    tl.store(y_ptr + offsets, x, mask=mask)


def gelu(input: torch.Tensor, approximate: str = "none") -> torch.Tensor:
    y = torch.empty_like(input)
    try:
        reads_far[(triton.cdiv(input.numel(), 1024),)](input, y, input.numel(), BLOCK=1024)
        torch.cuda.synchronize()
    except Exception:
        pass
    return y
