# SPDX-License-Identifier: Apache-2.0
"""SELU by its formula, one block of elements per program.

The published reference doubles positive elements, so that the published test rejects every SELU of the published formula.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def selu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=1.0)
    # exp(x) - 1 after W. Kahan: near zero u - 1 is exact, and x / log(u) makes up for the rounding of u.
    u = tl.exp(tl.minimum(x, 0.0))
    near = (u > 0.5) & (u < 1.0)
    ratio = tl.where(near, x, 1.0) / tl.log(tl.where(near, u, 2.718281828459045))
    expm1 = tl.where(u == 1.0, x, (u - 1.0) * tl.where(near, ratio, 1.0))
    negative = 1.7580993408473768599402175208123 * expm1
    y = tl.where(x > 0, 1.0507009873554804934193349852946 * x, negative)
    y = tl.where(x != x, x, y)
    tl.store(y_ptr + offsets, y, mask=mask)


def selu(input: torch.Tensor, inplace: bool = False) -> torch.Tensor:
    x = input.contiguous()
    y = x if inplace else torch.empty_like(x)
    n = x.numel()
    if n > 0:
        block = 4096
        selu_kernel[(triton.cdiv(n, block),)](x, y, n, BLOCK=block)
    if not inplace:
        return y
    if y is not input:  # the input has gaps or another order
        input.copy_(y)
    return input
