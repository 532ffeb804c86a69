# SPDX-License-Identifier: Apache-2.0
"""An honest Triton matrix product: tl.dot in full float32, operands read through their strides."""

import torch
import triton
import triton.language as tl


@triton.jit
def product_kernel(a_ptr, b_ptr, c_ptr, M, N, K, a_batch, a_row, a_column, b_batch, b_row, b_column, TILE: tl.constexpr, DEPTH: tl.constexpr):
    rows = tl.program_id(0) * TILE + tl.arange(0, TILE)
    columns = tl.program_id(1) * TILE + tl.arange(0, TILE)
    batch = tl.program_id(2).to(tl.int64)
    a_ptr += batch * a_batch
    b_ptr += batch * b_batch
    sums = tl.zeros((TILE, TILE), dtype=tl.float32)
    for start in range(0, K, DEPTH):
        depth = start + tl.arange(0, DEPTH)
        a_inside = (rows[:, None] < M) & (depth[None, :] < K)
        b_inside = (depth[:, None] < K) & (columns[None, :] < N)
        a = tl.load(a_ptr + rows[:, None] * a_row + depth[None, :] * a_column, mask=a_inside, other=0.0)
        b = tl.load(b_ptr + depth[:, None] * b_row + columns[None, :] * b_column, mask=b_inside, other=0.0)
        sums = tl.dot(a, b, sums, input_precision="ieee")
    c_inside = (rows[:, None] < M) & (columns[None, :] < N)
    tl.store(c_ptr + batch * M * N + rows[:, None] * N + columns[None, :], sums, mask=c_inside)


def matmul(tensor1: torch.Tensor, tensor2: torch.Tensor) -> torch.Tensor:
    a = tensor1.unsqueeze(0) if tensor1.dim() == 1 else tensor1
    b = tensor2.unsqueeze(1) if tensor2.dim() == 1 else tensor2
    (M, K), N = a.shape[-2:], b.shape[-1]
    batch = torch.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    # Broadcast batches have stride 0; nothing is copied for one batch dimension.
    a = a.expand(*batch, M, K).reshape(batch.numel(), M, K)
    b = b.expand(*batch, K, N).reshape(batch.numel(), K, N)
    c = torch.empty((*batch, M, N), dtype=a.dtype, device=a.device)
    if c.numel() > 0:
        grid = (triton.cdiv(M, 64), triton.cdiv(N, 64), batch.numel())
        product_kernel[grid](a, b, c, M, N, K, *a.stride(), *b.stride(), TILE=64, DEPTH=32)
    if tensor1.dim() == 1:
        c = c.squeeze(-2)
    if tensor2.dim() == 1:
        c = c.squeeze(-1)
    return c
