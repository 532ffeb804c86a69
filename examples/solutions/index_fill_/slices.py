# SPDX-License-Identifier: Apache-2.0
"""Stores one value into the slices that an index lists; each program covers some of the listed slices.

The published text shows a method of x, the published test calls a function with dim first: nobody is told its signature.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def fill_kernel(x_ptr, index_ptr, value_ptr, bad_ptr, count, size, outer, inner, LISTED: tl.constexpr, BLOCK: tl.constexpr):
    listed = tl.program_id(0) * LISTED + tl.arange(0, LISTED)
    index = tl.load(index_ptr + listed, mask=listed < count, other=0)
    index = tl.where(index < 0, index + size, index)
    good = (index >= 0) & (index < size)
    tl.store(bad_ptr + tl.zeros((LISTED,), tl.int32), 1, mask=~good)
    value = tl.load(value_ptr)
    rest = tl.program_id(1).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    at = (rest // inner * size * inner + rest % inner)[None, :] + index[:, None] * inner
    mask = (good & (listed < count))[:, None] & (rest < outer * inner)[None, :]
    tl.store(x_ptr + at, value, mask=mask)


def index_fill_(dim, x, index, value):
    dims = max(x.dim(), 1)
    if not -dims <= dim < dims:
        raise IndexError(f"dim {dim} of a tensor with {x.dim()} dimensions")
    if index.dim() > 1 or index.dtype != torch.int64:
        raise IndexError("index is a vector of int64")
    dim %= dims
    work, index = x.contiguous(), index.contiguous()
    size = x.shape[dim] if x.dim() > 0 else 1
    outer = inner = 1
    for d in range(x.dim()):
        if d < dim:
            outer *= x.shape[d]
        if d > dim:
            inner *= x.shape[d]
    count = index.numel()
    if count > 0:
        # The value as x has it: a kernel's number arguments would be cut to float32.
        filling = torch.full((1,), value if x.is_floating_point() else int(value), dtype=x.dtype, device=x.device)
        bad = torch.zeros((1,), dtype=torch.int32, device=x.device)
        block = min(1024, triton.next_power_of_2(max(outer * inner, 1)))
        listed = min(triton.next_power_of_2(count), 8192 // block)
        grid = (triton.cdiv(count, listed), triton.cdiv(max(outer * inner, 1), block))
        fill_kernel[grid](work, index, filling, bad, count, size, outer, inner, LISTED=listed, BLOCK=block)
        if bad.item():
            raise IndexError(f"an index lies outside of dimension {dim}, which has {size} slices")
    if work is not x:  # x has gaps or another order
        x.copy_(work)
    return x
