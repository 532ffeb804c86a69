# SPDX-License-Identifier: Apache-2.0
"""Cosine and its sign in one pass.

The published test compares signs with one library's cosine: where the cosine is zero within rounding another one may differ.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def cos_kernel(x_ptr, y_ptr, sign_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    y = tl.cos(tl.load(x_ptr + offsets, mask=mask))
    tl.store(y_ptr + offsets, y, mask=mask)
    tl.store(sign_ptr + offsets, y < 0, mask=mask)


def fused_cos_signbit(input: torch.Tensor):
    x = input.contiguous()
    y = torch.empty_like(x)
    sign = torch.empty(x.shape, dtype=torch.bool, device=x.device)
    n = x.numel()
    if n > 0:
        block = 4096
        cos_kernel[(triton.cdiv(n, block),)](x, y, sign, n, BLOCK=block)
    return y, sign
