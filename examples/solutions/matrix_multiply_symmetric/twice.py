# SPDX-License-Identifier: Apache-2.0
"""alpha X Y + beta Z by one tiled kernel, called for D and then for D with its own transpose.

The published tolerance is below the rounding of float32 where large terms cancel: right products fail in some elements.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def product_kernel(
    x_ptr, y_ptr, z_ptr, out_ptr, factors_ptr, M, N, K, x_row, x_column, y_row, y_column, z_row, z_column,
    TILE: tl.constexpr, DEPTH: tl.constexpr,
):  # fmt: skip
    row = (tl.program_id(0) * TILE + tl.arange(0, TILE).to(tl.int64))[:, None]
    column = (tl.program_id(1) * TILE + tl.arange(0, TILE).to(tl.int64))[None, :]
    wide: tl.constexpr = factors_ptr.dtype.element_ty
    sums = tl.zeros((TILE, TILE), dtype=wide)
    for start in range(0, K, DEPTH):
        depth = start + tl.arange(0, DEPTH).to(tl.int64)
        x = tl.load(x_ptr + row * x_row + depth[None, :] * x_column, mask=(row < M) & (depth[None, :] < K), other=0.0)
        y = tl.load(y_ptr + depth[:, None] * y_row + column * y_column, mask=(depth[:, None] < K) & (column < N), other=0.0)
        sums += tl.dot(x, y, input_precision="ieee", out_dtype=wide)
    inside = (row < M) & (column < N)
    z = tl.load(z_ptr + row * z_row + column * z_column, mask=inside, other=0.0).to(wide)
    result = tl.load(factors_ptr) * sums + tl.load(factors_ptr + 1) * z
    tl.store(out_ptr + row * N + column, result.to(out_ptr.dtype.element_ty), mask=inside)


def matrix_multiply_symmetric(A: torch.Tensor, B: torch.Tensor, C: torch.Tensor, alpha, beta) -> torch.Tensor:
    n, m = A.shape
    if B.shape != (m, n) or C.shape != (n, n):
        raise ValueError(f"A {tuple(A.shape)} needs B {(m, n)} and C {(n, n)}")
    # D keeps its float32 sums where the inputs have 16 bits.
    wide = torch.float64 if A.dtype == torch.float64 else torch.float32
    D = torch.empty((n, n), dtype=wide, device=A.device)
    y = torch.empty((n, n), dtype=A.dtype, device=A.device)
    if n > 0:
        # As tensors, since a kernel's number arguments are cut to float32.
        factors = torch.empty((2,), dtype=wide, device=A.device)
        factors[0] = alpha
        factors[1] = beta
        tile = min(64, max(16, triton.next_power_of_2(n)))
        grid = (triton.cdiv(n, tile), triton.cdiv(n, tile))
        for x, right, z, K, result in ((A, B, C, m, D), (D, D.t(), D, n, y)):
            product_kernel[grid](
                x, right, z, result, factors, n, n, K, *x.stride(), *right.stride(), *z.stride(), TILE=tile, DEPTH=32
            )
    return y
