# SPDX-License-Identifier: Apache-2.0
"""Sums over some dimensions, then the standard deviation of the sums in two passes (mean first).

The published reference has 0.0 for the deviation of a single sum, which its own formula (division by n - 1) makes NaN.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def sum_kernel(x_ptr, sums_ptr, rows, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    total = tl.zeros((ROWS,), dtype=sums_ptr.dtype.element_ty)
    for start in range(0, columns, COLUMNS):
        column = start + tl.arange(0, COLUMNS)
        mask = (row[:, None] < rows) & (column[None, :] < columns)
        x = tl.load(x_ptr + row[:, None] * columns + column[None, :], mask=mask, other=0)
        total += tl.sum(x.to(sums_ptr.dtype.element_ty), axis=1)
    tl.store(sums_ptr + row, total, mask=row < rows)


@triton.jit
def std_kernel(sums_ptr, y_ptr, n, divisor, BLOCK: tl.constexpr):
    kind = sums_ptr.dtype.element_ty
    accumulator: tl.constexpr = tl.float64 if kind == tl.float64 else tl.float32
    total = tl.zeros((BLOCK,), dtype=accumulator)
    for start in range(0, n, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        total += tl.load(sums_ptr + offsets, mask=offsets < n, other=0).to(accumulator)
    mean = tl.sum(total, axis=0) / n
    squares = tl.zeros((BLOCK,), dtype=accumulator)
    for start in range(0, n, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        distance = tl.load(sums_ptr + offsets, mask=offsets < n, other=0).to(accumulator) - mean
        squares += tl.where(offsets < n, distance * distance, 0.0)
    tl.store(y_ptr, tl.sqrt(tl.sum(squares, axis=0) / divisor).to(y_ptr.dtype.element_ty))


def fused_sum_std(input, dim=None, keepdim=False, *, dtype=None, correction=1, out=None):
    kind = dtype or input.dtype
    if not kind.is_floating_point:
        raise TypeError("the standard deviation needs a floating type: pass dtype")
    dims = [dim] if isinstance(dim, int) else list(dim or [])
    if any(not -max(input.dim(), 1) <= d < max(input.dim(), 1) for d in dims):
        raise IndexError(f"dim {dims} of a tensor with {input.dim()} dimensions")
    dims = sorted({d % max(input.dim(), 1) for d in dims}) or list(range(input.dim()))
    dims = [d for d in dims if d < input.dim()]
    kept = [d for d in range(input.dim()) if d not in dims]
    x = input.permute(kept + dims).contiguous()
    rows = columns = 1
    for d in kept:
        rows *= input.shape[d]
    for d in dims:
        columns *= input.shape[d]

    y = torch.empty((), dtype=kind, device=input.device) if out is None else out
    # Sums of 16-bit types stay in that type, as torch.sum gives them.
    sums = torch.empty((rows,), dtype=torch.float32 if kind.itemsize < 4 else kind, device=input.device)
    if rows > 0:
        block_rows = min(16, triton.next_power_of_2(rows))
        block_columns = min(triton.next_power_of_2(max(columns, 1)), 16384 // block_rows)
        sum_kernel[(triton.cdiv(rows, block_rows),)](x, sums, rows, columns, ROWS=block_rows, COLUMNS=block_columns)
    std_kernel[(1,)](sums, y, rows, float(max(0, rows - correction)), BLOCK=min(8192, triton.next_power_of_2(max(rows, 16))))
    return y
