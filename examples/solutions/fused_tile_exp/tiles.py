# SPDX-License-Identifier: Apache-2.0
"""Each element of the result looks up its element of the input, and takes its exponential.

The published reference expands where its text says tile: (3) with dims (2) becomes (2, 3) there instead of (6).
"""

import torch
import triton
import triton.language as tl


@triton.jit
def tile_exp_kernel(x_ptr, y_ptr, sizes_ptr, count, RANK: tl.constexpr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < count
    left = offsets
    source = tl.zeros((BLOCK,), dtype=tl.int64)
    # From the last dimension on: its size in the result, in the input, and the input's step.
    for d in tl.static_range(RANK):
        size = tl.load(sizes_ptr + 3 * d)
        source += left % size % tl.load(sizes_ptr + 3 * d + 1) * tl.load(sizes_ptr + 3 * d + 2)
        left //= size
    x = tl.load(x_ptr + source, mask=mask, other=0)
    if x.dtype != tl.float64:
        x = x.to(tl.float32)
    tl.store(y_ptr + offsets, tl.exp(x).to(y_ptr.dtype.element_ty), mask=mask)


def fused_tile_exp(input: torch.Tensor, dims, *, out=None) -> torch.Tensor:
    dims = [dims] if isinstance(dims, int) else list(dims)
    if any(d < 0 for d in dims):
        raise ValueError(f"repeats {dims} are not all numbers from 0 on")
    rank = max(input.dim(), len(dims))
    dims = [1] * (rank - len(dims)) + dims
    x = input.reshape([1] * (rank - input.dim()) + list(input.shape))
    shape = [d * n for d, n in zip(dims, x.shape)]
    kind = input.dtype if input.is_floating_point() else torch.get_default_dtype()
    y = torch.empty(shape, dtype=kind, device=input.device) if out is None else out
    if y.numel() > 0:
        sizes = [number for d in reversed(range(rank)) for number in (shape[d], x.shape[d], x.stride(d))]
        sizes = torch.tensor(sizes or [1], dtype=torch.int64, device=input.device)
        target = y if y.is_contiguous() else torch.empty(shape, dtype=kind, device=input.device)
        tile_exp_kernel[(triton.cdiv(y.numel(), 2048),)](x, target, sizes, y.numel(), RANK=rank, BLOCK=2048)
        if target is not y:
            y.copy_(target)
    return y
