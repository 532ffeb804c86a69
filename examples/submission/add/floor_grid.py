# SPDX-License-Identifier: Apache-2.0
"""Wrong only at odd sizes: the grid is rounded down, so that a last, partial block is never computed."""

import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, z_ptr, n, alpha, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(z_ptr + offsets, x + alpha * y, mask=mask)


def add(input, other, alpha=1, *, out=None):
    if not isinstance(other, torch.Tensor):
        other = torch.full_like(input, other)
    x, y = (t.contiguous() for t in torch.broadcast_tensors(input, other))
    z = torch.empty_like(x) if out is None else out
    n = x.numel()
    block = min(1024, triton.next_power_of_2(max(n, 1)))
    if n >= block:
        add_kernel[(n // block,)](x, y, z, n, float(alpha), BLOCK=block)
    return z
