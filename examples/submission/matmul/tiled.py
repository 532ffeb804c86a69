# SPDX-License-Identifier: Apache-2.0
"""An honest tiled matrix product in Triton. `input_precision="ieee"`: tl.dot would cut float32 inputs to TF32 otherwise."""

import torch
import triton
import triton.language as tl


@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, M, N, K, a_batch, b_batch, TILE: tl.constexpr, DEPTH: tl.constexpr):
    rows = tl.program_id(0) * TILE + tl.arange(0, TILE)
    columns = tl.program_id(1) * TILE + tl.arange(0, TILE)
    batch = tl.program_id(2)
    sums = tl.zeros((TILE, TILE), dtype=tl.float32)
    for start in range(0, K, DEPTH):
        depth = start + tl.arange(0, DEPTH)
        a = tl.load(
            a_ptr + batch * a_batch + rows[:, None] * K + depth[None, :],
            mask=(rows[:, None] < M) & (depth[None, :] < K),
            other=0.0,
        )
        b = tl.load(
            b_ptr + batch * b_batch + depth[:, None] * N + columns[None, :],
            mask=(depth[:, None] < K) & (columns[None, :] < N),
            other=0.0,
        )
        sums += tl.dot(a, b, input_precision="ieee")
    tl.store(
        c_ptr + batch * M * N + rows[:, None] * N + columns[None, :],
        sums.to(c_ptr.dtype.element_ty),
        mask=(rows[:, None] < M) & (columns[None, :] < N),
    )


def matmul(tensor1: torch.Tensor, tensor2: torch.Tensor) -> torch.Tensor:
    # Vectors become matrices of one row or column, as torch.matmul has it.
    a = tensor1.unsqueeze(0) if tensor1.dim() == 1 else tensor1
    b = tensor2.unsqueeze(1) if tensor2.dim() == 1 else tensor2
    M, K, N = a.shape[-2], a.shape[-1], b.shape[-1]
    batch = torch.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    if a.dim() > 2:
        a = a.expand(*batch, M, K)
    if b.dim() > 2:
        b = b.expand(*batch, K, N)
    a, b = a.contiguous(), b.contiguous()
    c = torch.zeros((*batch, M, N), dtype=a.dtype, device=a.device)
    if c.numel() > 0 and K > 0:
        tile = 64
        grid = (triton.cdiv(M, tile), triton.cdiv(N, tile), batch.numel())
        matmul_kernel[grid](a, b, c, M, N, K, M * K if a.dim() > 2 else 0, K * N if b.dim() > 2 else 0, TILE=tile, DEPTH=32)
    if tensor1.dim() == 1:
        c = c.squeeze(-2)
    if tensor2.dim() == 1:
        c = c.squeeze(-1)
    return c
