# SPDX-License-Identifier: Apache-2.0
"""Uniform numbers by the counter-based generator Philox: each element hashes its own place under the seed.

The published test compares with the very numbers of one library's generator.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def uniform_kernel(y_ptr, n, seed, BITS: tl.constexpr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    a, b, c, d = tl.randint4x(seed, offsets)
    # The leading BITS bits as a whole number times 2^-BITS: exact in the result's type, and never 1.
    if BITS > 32:
        whole = (a.to(tl.uint32, bitcast=True).to(tl.uint64) << 32 | b.to(tl.uint32, bitcast=True).to(tl.uint64)) >> (64 - BITS)
        y = whole.to(tl.float64) * (1.0 / (1 << BITS))
    else:
        whole = a.to(tl.uint32, bitcast=True) >> (32 - BITS)
        y = whole.to(tl.float32) * (1.0 / (1 << BITS))
    tl.store(y_ptr + offsets, y.to(y_ptr.dtype.element_ty), mask=offsets < n)


def rand(size, *, generator=None, out=None, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False):
    seed = torch.randint(2**62, (1,), generator=generator).item()
    if out is None:
        y = torch.empty(size, dtype=dtype, device=device or "cuda", pin_memory=pin_memory, layout=layout or torch.strided)
    else:
        y = out.resize_(size) if list(out.shape) != list(size) else out
    bits = {torch.float64: 53, torch.float32: 24, torch.float16: 11, torch.bfloat16: 8}[y.dtype]
    target = y if y.is_contiguous() else torch.empty(y.shape, dtype=y.dtype, device=y.device)
    n = y.numel()
    if n > 0:
        block = 4096
        uniform_kernel[(triton.cdiv(n, block),)](target, n, seed, BITS=bits, BLOCK=block)
    if target is not y:
        y.copy_(target)
    return y.requires_grad_() if requires_grad else y
