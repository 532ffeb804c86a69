# SPDX-License-Identifier: Apache-2.0
"""Log-softmax of input1 * input2 + other with dropout in one kernel, then a batched matrix product.

The published test demands the dropout mask of one library's generator.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def logsoftmax_dropout_kernel(
    a_ptr, b_ptr, c_ptr, z_ptr, rows, length, inner, seed, p, scale,
    DROP: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    # A row is what the softmax goes along: its elements lie `inner` apart.
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    base = ((row // inner) * length * inner + row % inner)[:, None]
    place = tl.arange(0, BLOCK)[None, :]
    top = tl.full((ROWS,), float("-inf"), dtype=tl.float32)
    for start in range(0, length, BLOCK):
        mask = (row[:, None] < rows) & (start + place < length)
        at = base + (start + place) * inner
        x = tl.load(a_ptr + at, mask=mask, other=0.0) * tl.load(b_ptr + at, mask=mask, other=0.0) + tl.load(c_ptr + at, mask=mask, other=0.0)
        top = tl.maximum(top, tl.max(tl.where(mask, x, float("-inf")), axis=1))
    top = tl.where(top == float("-inf"), 0.0, top)
    total = tl.zeros((ROWS,), dtype=tl.float32)
    for start in range(0, length, BLOCK):
        mask = (row[:, None] < rows) & (start + place < length)
        at = base + (start + place) * inner
        x = tl.load(a_ptr + at, mask=mask, other=0.0) * tl.load(b_ptr + at, mask=mask, other=0.0) + tl.load(c_ptr + at, mask=mask, other=0.0)
        total += tl.sum(tl.where(mask, tl.exp(x - top[:, None]), 0.0), axis=1)
    log_total = tl.log(total)
    for start in range(0, length, BLOCK):
        mask = (row[:, None] < rows) & (start + place < length)
        at = base + (start + place) * inner
        x = tl.load(a_ptr + at, mask=mask, other=0.0) * tl.load(b_ptr + at, mask=mask, other=0.0) + tl.load(c_ptr + at, mask=mask, other=0.0)
        y = x - top[:, None] - log_total[:, None]
        if DROP:
            y = tl.where(tl.rand(seed, at) >= p, y * scale, 0.0)
        tl.store(z_ptr + at, y, mask=mask)


@triton.jit
def bmm_kernel(
    a_ptr, b_ptr, y_ptr, M, N, K, b_batch, b_row, b_column, y_batch, y_row, y_column,
    TILE_M: tl.constexpr, TILE_N: tl.constexpr, DEPTH: tl.constexpr,
):  # fmt: skip
    batch = tl.program_id(0).to(tl.int64)
    row = (tl.program_id(1) * TILE_M + tl.arange(0, TILE_M))[:, None]
    column = (tl.program_id(2) * TILE_N + tl.arange(0, TILE_N))[None, :]
    sums = tl.zeros((TILE_M, TILE_N), dtype=tl.float32)
    for start in range(0, K, DEPTH):
        depth = start + tl.arange(0, DEPTH)
        a = tl.load(a_ptr + batch * M * K + row * K + depth[None, :], mask=(row < M) & (depth[None, :] < K), other=0.0)
        b = tl.load(b_ptr + batch * b_batch + depth[:, None] * b_row + column * b_column, mask=(depth[:, None] < K) & (column < N), other=0.0)
        sums += tl.dot(a, b, input_precision="ieee")
    tl.store(y_ptr + batch * y_batch + row * y_row + column * y_column, sums, mask=(row < M) & (column < N))


def fused_mul_add_logsoftmax_dropout_bmm(input1, input2, other, mat2, p=0.5, training=True, inplace=False, dim=-1, *, out=None):
    if not 0 <= p <= 1:
        raise ValueError(f"p is {p}, not a probability")
    if not isinstance(other, torch.Tensor):
        other = torch.full((), float(other), dtype=input1.dtype, device=input1.device)
    shape = torch.broadcast_shapes(input1.shape, input2.shape, other.shape)
    if len(shape) != 3 or mat2.dim() != 3 or shape[0] != mat2.shape[0] or shape[2] != mat2.shape[1]:
        raise ValueError(f"shapes {tuple(shape)} and {tuple(mat2.shape)} do not multiply")
    if not -3 <= dim < 3:
        raise IndexError(f"dim {dim} of a tensor with 3 dimensions")
    a, b, c = (t.expand(shape).contiguous() for t in (input1, input2, other))
    z = torch.empty(shape, dtype=a.dtype, device=a.device)
    if z.numel() > 0:
        dim %= 3
        length = shape[dim]
        inner = 1
        for size in shape[dim + 1 :]:
            inner *= size
        rows = z.numel() // length
        drop = training and p > 0
        seed = torch.randint(2**31, (1,)).item() if drop else 0
        block_rows = min(32, triton.next_power_of_2(rows))
        block = min(triton.next_power_of_2(length), 8192 // block_rows)
        logsoftmax_dropout_kernel[(triton.cdiv(rows, block_rows),)](
            a, b, c, z, rows, length, inner, seed, float(p), 1 / (1 - p) if p < 1 else 0.0,
            DROP=drop, ROWS=block_rows, BLOCK=block,
        )  # fmt: skip
    B, M, K = shape
    N = mat2.shape[2]
    y = torch.empty((B, M, N), dtype=z.dtype, device=z.device) if out is None else out
    if y.numel() > 0:
        tile_m, tile_n = (min(64, max(16, triton.next_power_of_2(size))) for size in (M, N))
        bmm_kernel[(B, triton.cdiv(M, tile_m), triton.cdiv(N, tile_n))](
            z, mat2, y, M, N, K, *mat2.stride(), *y.stride(), TILE_M=tile_m, TILE_N=tile_n, DEPTH=32
        )
    return y
