# SPDX-License-Identifier: Apache-2.0
"""Sign bits, and the bits that two int8 tensors share, in one pass.

The published reference returns int8 where its text lists operators that give a boolean for a boolean `other`.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def signbit_and_kernel(x_ptr, other_ptr, sign_ptr, and_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    other = tl.load(other_ptr + offsets, mask=mask).to(tl.int8)
    if x.dtype.is_floating():
        # The sign bit itself, which -0.0 and some NaN have without being less than zero.
        if x.dtype.primitive_bitwidth == 64:
            sign = x.to(tl.int64, bitcast=True) < 0
        elif x.dtype.primitive_bitwidth == 32:
            sign = x.to(tl.int32, bitcast=True) < 0
        else:
            sign = x.to(tl.int16, bitcast=True) < 0
        whole = x.to(tl.float32).to(tl.int32).to(tl.int8)
    else:
        sign = x < 0
        whole = x.to(tl.int8)
    tl.store(sign_ptr + offsets, sign, mask=mask)
    tl.store(and_ptr + offsets, whole & other, mask=mask)


def signbit_bitwise_and(input: torch.Tensor, other: torch.Tensor):
    if input.shape != other.shape:
        raise ValueError(f"shapes {tuple(input.shape)} and {tuple(other.shape)} differ")
    x, other = input.contiguous(), other.contiguous()
    sign = torch.empty(x.shape, dtype=torch.bool, device=x.device)
    both = torch.empty(x.shape, dtype=torch.int8, device=x.device)
    n = x.numel()
    if n > 0:
        block = 4096
        signbit_and_kernel[(triton.cdiv(n, block),)](x, other, sign, both, n, BLOCK=block)
    return sign, both
