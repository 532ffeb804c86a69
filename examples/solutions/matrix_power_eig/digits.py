# SPDX-License-Identifier: Apache-2.0
"""A^k by the binary digits of k: squares for those before the point, square roots for those behind, in float64.

The published reference takes any A for symmetric and one diagonal for a whole batch: its values are not A^k.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def start_kernel(a_ptr, m_ptr, x_ptr, n, BLOCK: tl.constexpr):
    """M = A / s and X = A / sqrt(s), where s brings the eigenvalues near 1."""
    first = tl.program_id(0).to(tl.int64) * n * n
    total = tl.zeros((BLOCK,), dtype=tl.float64)
    for start in range(0, n * n, BLOCK):
        at = start + tl.arange(0, BLOCK)
        a = tl.load(a_ptr + first + at, mask=at < n * n, other=0.0)
        total += a * a
    s = tl.sqrt(tl.sum(total, axis=0) / n)
    s = tl.where(s > 0, s, 1.0)
    for start in range(0, n * n, BLOCK):
        at = start + tl.arange(0, BLOCK)
        a = tl.load(a_ptr + first + at, mask=at < n * n, other=0.0)
        tl.store(m_ptr + first + at, a / s, mask=at < n * n)
        tl.store(x_ptr + first + at, a / tl.sqrt(s), mask=at < n * n)


@triton.jit
def inverse_kernel(m_ptr, work_ptr, inverse_ptr, far_ptr, n, near, NEWTON: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """M^-1 by Gauss and Jordan on [M | I], one matrix per program. NEWTON: then M = (2 I + M + M^-1) / 4, far = M was not near I."""
    batch = tl.program_id(0).to(tl.int64)
    m_ptr += batch * n * n
    inverse_ptr += batch * n * n
    work_ptr += batch * 2 * n * n
    row = tl.arange(0, ROWS)
    column = tl.arange(0, COLUMNS)
    for start in range(0, 2 * n, COLUMNS):
        c = start + column[None, :]
        left = tl.load(m_ptr + row[:, None] * n + c, mask=(row[:, None] < n) & (c < n), other=0.0)
        both = tl.where(c < n, left, tl.where(c - n == row[:, None], 1.0, 0.0))
        tl.store(work_ptr + row[:, None] * 2 * n + c, both, mask=(row[:, None] < n) & (c < 2 * n))
    free = row < n  # rows that have not been a pivot
    place = row  # of a pivot row in the inverse
    for j in range(0, n):
        tl.debug_barrier()  # what other threads of this program have stored
        factor = tl.load(work_ptr + row * 2 * n + j, mask=row < n, other=0.0)
        pivot_row = tl.argmax(tl.where(free, tl.abs(factor), -1.0), axis=0)
        is_pivot = row == pivot_row
        pivot = tl.load(work_ptr + pivot_row * 2 * n + j)
        tl.debug_barrier()
        for start in range(0, 2 * n, COLUMNS):
            c = start + column
            scaled = tl.load(work_ptr + pivot_row * 2 * n + c, mask=c < 2 * n, other=0.0) / pivot
            at = work_ptr + row[:, None] * 2 * n + c[None, :]
            inside = (row[:, None] < n) & (c[None, :] < 2 * n)
            tile = tl.load(at, mask=inside, other=0.0)
            tile = tl.where(is_pivot[:, None], scaled[None, :], tile - factor[:, None] * scaled[None, :])
            tl.debug_barrier()
            tl.store(at, tile, mask=inside)
        free = free & (row != pivot_row)
        place = tl.where(is_pivot, j, place)
    tl.debug_barrier()
    for start in range(0, n, COLUMNS):
        c = start + column[None, :]
        inside = (row[:, None] < n) & (c < n)
        y = tl.load(work_ptr + row[:, None] * 2 * n + n + c, mask=inside, other=0.0)
        tl.store(inverse_ptr + place[:, None] * n + c, y, mask=inside)
    if NEWTON:
        tl.debug_barrier()
        far = tl.zeros((ROWS,), dtype=tl.float64)
        for start in range(0, n, COLUMNS):
            c = start + column[None, :]
            inside = (row[:, None] < n) & (c < n)
            one = tl.where(c == row[:, None], 1.0, 0.0)
            m = tl.load(m_ptr + row[:, None] * n + c, mask=inside, other=0.0)
            y = tl.load(inverse_ptr + row[:, None] * n + c, mask=inside, other=0.0)
            far += tl.sum(tl.where(inside, tl.abs(m - one), 0.0), axis=1)
            tl.store(m_ptr + row[:, None] * n + c, (2.0 * one + m + y) * 0.25, mask=inside)
        tl.store(far_ptr, 1, mask=tl.sum(far, axis=0) > near)


@triton.jit
def product_kernel(a_ptr, b_ptr, y_ptr, n, HALF: tl.constexpr, TILE: tl.constexpr):
    """y = a b, or (a + a b) / 2."""
    first = tl.program_id(0).to(tl.int64) * n * n
    row = (tl.program_id(1) * TILE + tl.arange(0, TILE))[:, None]
    column = (tl.program_id(2) * TILE + tl.arange(0, TILE))[None, :]
    inside = (row < n) & (column < n)
    sums = tl.zeros((TILE, TILE), dtype=tl.float64)
    for start in range(0, n, TILE):
        depth = start + tl.arange(0, TILE)
        a = tl.load(a_ptr + first + row * n + depth[None, :], mask=(row < n) & (depth[None, :] < n), other=0.0)
        b = tl.load(b_ptr + first + depth[:, None] * n + column, mask=(depth[:, None] < n) & (column < n), other=0.0)
        sums += tl.dot(a, b, input_precision="ieee", out_dtype=tl.float64)
    if HALF:
        sums = 0.5 * (sums + tl.load(a_ptr + first + row * n + column, mask=inside, other=0.0))
    tl.store(y_ptr + first + row * n + column, sums, mask=inside)


@triton.jit
def round_kernel(x_ptr, y_ptr, count, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + at, tl.load(x_ptr + at, mask=at < count, other=0.0).to(y_ptr.dtype.element_ty), mask=at < count)


def product(a, b, half=False):
    batch, n, _ = a.shape
    y = torch.empty_like(a)
    tile = 32 if n > 16 else 16
    product_kernel[(batch, triton.cdiv(n, tile), triton.cdiv(n, tile))](a, b, y, n, HALF=half, TILE=tile)
    return y


def inverse(m, far=None, near=0.0):
    batch, n, _ = m.shape
    work = torch.empty((batch, n, 2 * n), dtype=torch.float64, device=m.device)
    y = torch.empty_like(m)
    rows = triton.next_power_of_2(n)
    columns = min(triton.next_power_of_2(2 * n), max(8, 8192 // rows))
    inverse_kernel[(batch,)](m, work, y, far, n, near, NEWTON=far is not None, ROWS=rows, COLUMNS=columns)
    return y


def square_root(a, near):
    """The principal one, by Newton's iteration in its product form: M tends to I, X to the root. Within `near`
    of I, the next step has the square of that for an error."""
    batch, n, _ = a.shape
    m, x = torch.empty_like(a), torch.empty_like(a)
    start_kernel[(batch,)](a, m, x, n, BLOCK=1024)
    for _ in range(100):
        far = torch.zeros((1,), dtype=torch.int32, device=a.device)
        x = product(x, inverse(m, far, near), half=True)
        if not far.item():
            break
    return x


def matrix_power_eig(A: torch.Tensor, k, *, out=None) -> torch.Tensor:
    n = A.shape[-1]
    if A.dim() < 2 or A.shape[-2] != n:
        raise ValueError(f"A of shape {tuple(A.shape)} is not square")
    y = torch.empty(A.shape, dtype=A.dtype, device=A.device) if out is None else out
    if A.numel() == 0:
        return y
    a = A.to(torch.float64).reshape(-1, n, n).contiguous()
    if k < 0:
        a, k = inverse(a), -k
    whole, rest = int(k), k - int(k)
    power = torch.eye(n, dtype=torch.float64, device=A.device).expand(a.shape).contiguous()
    square = a
    while whole > 0:
        if whole & 1:
            power = product(power, square)
        whole >>= 1
        if whole > 0:
            square = product(square, square)
    root, digits = a, 0
    while rest > 0 and digits < 48:  # roots of that order are 1 within rounding
        root = square_root(root, 1e-8 if A.dtype == torch.float64 else 1e-5)
        digits += 1
        rest *= 2
        if rest >= 1:
            power = product(power, root)
            rest -= 1
    target = y if y.is_contiguous() else torch.empty(A.shape, dtype=A.dtype, device=A.device)
    round_kernel[(triton.cdiv(power.numel(), 1024),)](power, target, power.numel(), BLOCK=1024)
    if target is not y:
        y.copy_(target)
    return y
