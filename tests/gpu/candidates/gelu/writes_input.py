# SPDX-License-Identifier: Apache-2.0
"""Right, but leaves its input scaled."""

import torch
import triton
import triton.language as tl


@triton.jit
def scales_input(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask).to(tl.float32)
    tl.store(y_ptr + offsets, 0.5 * x * (1.0 + tl.erf(x * 0.7071067811865476)), mask=mask)
    tl.store(x_ptr + offsets, 2 * x, mask=mask)


def gelu(input: torch.Tensor, approximate: str = "none") -> torch.Tensor:
    y = torch.empty_like(input)
    scales_input[(triton.cdiv(input.numel(), 1024),)](input, y, input.numel(), BLOCK=1024)
    return y
