# SPDX-License-Identifier: Apache-2.0
"""The smallest GELU along a dimension and its place, or of all elements.

The published reference computes x * erf(x / sqrt(2)) / 2, without the 1 of the GELU that it states.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def gelu_of(x, TANH: tl.constexpr):
    if TANH:
        # 0.5 (1 + tanh u) = 1 / (1 + exp(-2u)); an overflowing exp gives 0, which is right.
        return x / (1.0 + tl.exp(-1.5957691216057308 * (x + 0.044715 * x * x * x)))
    else:
        return 0.5 * x * (1.0 + tl.erf(x * 0.7071067811865476))


@triton.jit
def min_kernel(
    x_ptr, values_ptr, indices_ptr, rows, columns,
    GELU: tl.constexpr, TANH: tl.constexpr, INDEX: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    best = tl.full((ROWS,), float("inf"), dtype=values_ptr.dtype.element_ty)
    place = tl.full((ROWS,), 0, dtype=tl.int64)
    nan_place = tl.full((ROWS,), 2**62, dtype=tl.int64)  # of the first NaN, if there is one
    for start in range(0, columns, COLUMNS):
        column = start + tl.arange(0, COLUMNS).to(tl.int64)
        inside = (row[:, None] < rows) & (column[None, :] < columns)
        y = tl.load(x_ptr + row[:, None] * columns + column[None, :], mask=inside, other=0.0)
        if GELU:
            y = gelu_of(y, TANH)
        nan_place = tl.minimum(nan_place, tl.min(tl.where(inside & (y != y), column[None, :], 2**62), axis=1))
        y = tl.where(inside & (y == y), y, float("inf"))
        least = tl.min(y, axis=1)
        least_place = tl.min(tl.where(inside & (y == least[:, None]), column[None, :], 2**62), axis=1)
        place = tl.where(least < best, least_place, place)
        best = tl.minimum(best, least)
    has_nan = nan_place < 2**62
    tl.store(values_ptr + row, tl.where(has_nan, float("nan"), best), mask=row < rows)
    if INDEX:
        tl.store(indices_ptr + row, tl.where(has_nan, nan_place, place), mask=row < rows)


def launch(x, values, indices, rows, columns, gelu, approximate):
    block_rows = min(16, triton.next_power_of_2(rows))
    block_columns = min(triton.next_power_of_2(columns), 8192 // block_rows)
    min_kernel[(triton.cdiv(rows, block_rows),)](
        x, values, indices, rows, columns,
        GELU=gelu, TANH=approximate == "tanh", INDEX=indices is not None, ROWS=block_rows, COLUMNS=block_columns,
    )  # fmt: skip


def min_gelu(input, dim=None, keepdim=False, approximate="none", *, out=None):
    if approximate not in ("none", "tanh"):
        raise ValueError(f"approximate is {approximate!r}, not 'none' or 'tanh'")
    if dim is None:
        n = input.numel()
        if n == 0:
            raise ValueError("no element has no smallest one")
        x = input.contiguous()
        y = torch.empty((), dtype=input.dtype, device=input.device) if out is None else out
        # Rows of 4096 elements and one for the rest, then the smallest of their results.
        whole, rest = divmod(n, 4096)
        if whole == 0:
            launch(x, y, None, 1, n, True, approximate)
            return y
        partial = torch.empty((whole + (rest > 0),), dtype=x.dtype, device=x.device)
        flat = x.reshape(-1)
        launch(flat, partial, None, whole, 4096, True, approximate)
        if rest > 0:
            launch(flat[whole * 4096 :], partial[whole:], None, 1, rest, True, approximate)
        launch(partial, y, None, 1, partial.numel(), False, approximate)
        return y

    if out is not None:
        raise ValueError("out goes without dim only")
    dims = max(input.dim(), 1)
    if not -dims <= dim < dims:
        raise IndexError(f"dim {dim} of a tensor with {input.dim()} dimensions")
    dim %= dims
    columns = input.shape[dim] if input.dim() > 0 else 1
    if columns == 0:
        raise ValueError(f"dimension {dim} has no element")
    x = input.movedim(dim, -1).contiguous() if input.dim() > 0 else input
    shape = list(input.shape)
    if input.dim() > 0:
        shape[dim : dim + 1] = [1] if keepdim else []
    values = torch.empty(shape, dtype=input.dtype, device=input.device)
    indices = torch.empty(shape, dtype=torch.int64, device=input.device)
    if values.numel() > 0:
        launch(x, values, indices, values.numel(), columns, True, approximate)
    return values, indices
