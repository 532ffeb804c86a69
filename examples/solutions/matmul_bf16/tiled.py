# SPDX-License-Identifier: Apache-2.0
"""Tiled matrix product of bfloat16 with float32 sums, rounded once.

The published tolerance is below one unit in the last place of bfloat16: sums in another order than the library's fail by luck.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def matmul_kernel(
    a_ptr, b_ptr, y_ptr, M, N, K, a_batch, a_row, a_column, b_batch, b_row, b_column,
    TILE_M: tl.constexpr, TILE_N: tl.constexpr, DEPTH: tl.constexpr,
):  # fmt: skip
    batch = tl.program_id(0).to(tl.int64)
    row = (tl.program_id(1) * TILE_M + tl.arange(0, TILE_M).to(tl.int64))[:, None]
    column = (tl.program_id(2) * TILE_N + tl.arange(0, TILE_N).to(tl.int64))[None, :]
    sums = tl.zeros((TILE_M, TILE_N), dtype=tl.float32)
    for start in range(0, K, DEPTH):
        depth = start + tl.arange(0, DEPTH).to(tl.int64)
        a_at = a_ptr + batch * a_batch + row * a_row + depth[None, :] * a_column
        b_at = b_ptr + batch * b_batch + depth[:, None] * b_row + column * b_column
        a = tl.load(a_at, mask=(row < M) & (depth[None, :] < K), other=0.0)
        b = tl.load(b_at, mask=(depth[:, None] < K) & (column < N), other=0.0)
        sums += tl.dot(a, b)
    tl.store(y_ptr + batch * M * N + row * N + column, sums.to(y_ptr.dtype.element_ty), mask=(row < M) & (column < N))


def matmul_bf16(input: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    if input.dim() == 0 or other.dim() == 0:
        raise ValueError("a number is no matrix")
    # Vectors become matrices of one row or column.
    a = input.unsqueeze(0) if input.dim() == 1 else input
    b = other.unsqueeze(1) if other.dim() == 1 else other
    M, K, N = a.shape[-2], a.shape[-1], b.shape[-1]
    if b.shape[-2] != K:
        raise ValueError(f"shapes {tuple(input.shape)} and {tuple(other.shape)} do not multiply")
    batch = torch.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    # Without copies where there is one matrix for all batches or one dimension of batches.
    a, b = (t if t.dim() == 2 else t.expand(*batch, *t.shape[-2:]).reshape(-1, *t.shape[-2:]) for t in (a, b))
    y = torch.empty((*batch, M, N), dtype=input.dtype, device=input.device)
    if y.numel() > 0:
        tile_m, tile_n = (min(64, max(16, triton.next_power_of_2(size))) for size in (M, N))
        matmul_kernel[(batch.numel(), triton.cdiv(M, tile_m), triton.cdiv(N, tile_n))](
            a, b, y, M, N, K, *(0,) * (3 - a.dim()), *a.stride(), *(0,) * (3 - b.dim()), *b.stride(),
            TILE_M=tile_m, TILE_N=tile_n, DEPTH=64,
        )  # fmt: skip
    if input.dim() == 1:
        y = y.squeeze(-2)
    if other.dim() == 1:
        y = y.squeeze(-1)
    return y
