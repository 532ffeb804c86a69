# SPDX-License-Identifier: Apache-2.0
"""Matrix product in int8: quantise rows and columns, multiply with int32 accumulation, scale back.

The published test compares with the unquantised product, at an error that int8 operands cannot meet.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def quantise_kernel(x_ptr, q_ptr, scale_ptr, rows, columns, x_row, x_column, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    top = tl.zeros((ROWS,), dtype=tl.float32)
    for start in range(0, columns, COLUMNS):
        column = start + tl.arange(0, COLUMNS)
        mask = (row[:, None] < rows) & (column[None, :] < columns)
        x = tl.load(x_ptr + row[:, None] * x_row + column[None, :] * x_column, mask=mask, other=0.0).to(tl.float32)
        top = tl.maximum(top, tl.max(tl.abs(x), axis=1))
    scale = top / 127.0
    tl.store(scale_ptr + row, scale, mask=row < rows)
    divisor = tl.where(scale > 0, scale, 1.0)[:, None]
    for start in range(0, columns, COLUMNS):
        column = start + tl.arange(0, COLUMNS)
        mask = (row[:, None] < rows) & (column[None, :] < columns)
        x = tl.load(x_ptr + row[:, None] * x_row + column[None, :] * x_column, mask=mask, other=0.0).to(tl.float32)
        # Adding 1.5 * 2^23 leaves no bit behind the point: to nearest, ties to even.
        q = (x / divisor + 12582912.0) - 12582912.0
        q = tl.minimum(tl.maximum(q, -127.0), 127.0)
        tl.store(q_ptr + row[:, None] * columns + column[None, :], q.to(tl.int8), mask=mask)


@triton.jit
def product_kernel(a_ptr, b_ptr, sa_ptr, sb_ptr, y_ptr, M, N, K, TILE_M: tl.constexpr, TILE_N: tl.constexpr, DEPTH: tl.constexpr):
    row = tl.program_id(0) * TILE_M + tl.arange(0, TILE_M).to(tl.int64)
    column = tl.program_id(1) * TILE_N + tl.arange(0, TILE_N).to(tl.int64)
    sums = tl.zeros((TILE_M, TILE_N), dtype=tl.int32)
    for start in range(0, K, DEPTH):
        depth = start + tl.arange(0, DEPTH)
        a = tl.load(a_ptr + row[:, None] * K + depth[None, :], mask=(row[:, None] < M) & (depth[None, :] < K), other=0)
        b = tl.load(b_ptr + column[None, :] * K + depth[:, None], mask=(depth[:, None] < K) & (column[None, :] < N), other=0)
        sums += tl.dot(a, b, out_dtype=tl.int32)
    scale = tl.load(sa_ptr + row, mask=row < M, other=0.0)[:, None] * tl.load(sb_ptr + column, mask=column < N, other=0.0)[None, :]
    y = sums.to(tl.float32) * scale
    tl.store(y_ptr + row[:, None] * N + column[None, :], y.to(y_ptr.dtype.element_ty), mask=(row[:, None] < M) & (column[None, :] < N))


def quantise(x):
    """Rows of x in int8, and their scales."""
    q = torch.empty(x.shape, dtype=torch.int8, device=x.device)
    scale = torch.empty(x.shape[:1], dtype=torch.float32, device=x.device)
    if x.shape[0] > 0:
        rows = min(16, triton.next_power_of_2(x.shape[0]))
        columns = min(512, triton.next_power_of_2(max(x.shape[1], 1)))
        quantise_kernel[(triton.cdiv(x.shape[0], rows),)](x, q, scale, *x.shape, *x.stride(), ROWS=rows, COLUMNS=columns)
    return q, scale


def matmul_w8a8(input: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    if input.dim() != 2 or weight.dim() != 2 or input.shape[1] != weight.shape[0]:
        raise ValueError(f"shapes {tuple(input.shape)} and {tuple(weight.shape)} do not multiply")
    M, K = input.shape
    N = weight.shape[1]
    y = torch.empty((M, N), dtype=input.dtype, device=input.device)
    if y.numel() > 0:
        (a, sa), (b, sb) = quantise(input), quantise(weight.t())
        grid = (triton.cdiv(M, 64), triton.cdiv(N, 64))
        product_kernel[grid](a, b, sa, sb, y, M, N, K, TILE_M=64, TILE_N=64, DEPTH=64)
    return y
