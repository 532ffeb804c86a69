# SPDX-License-Identifier: Apache-2.0
"""GELU of input - alpha * other in one pass.

The published reference leaves out the 1 of 1 + erf, so that a GELU of its own formula fails.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def sub_gelu_kernel(x_ptr, other_ptr, alpha_ptr, y_ptr, n, TANH: tl.constexpr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    wide: tl.constexpr = alpha_ptr.dtype.element_ty
    x = tl.load(x_ptr + offsets, mask=mask, other=0).to(wide)
    x -= tl.load(alpha_ptr) * tl.load(other_ptr + offsets, mask=mask, other=0).to(wide)
    if TANH:
        # 0.5 (1 + tanh u) = 1 / (1 + exp(-2u)); an overflowing exp gives 0, which is right.
        y = x / (1.0 + tl.exp(-1.5957691216057308 * (x + 0.044715 * x * x * x)))
    else:
        y = 0.5 * x * (1.0 + tl.erf(x * 0.7071067811865476))
    tl.store(y_ptr + offsets, y.to(y_ptr.dtype.element_ty), mask=mask)


def fused_sub_gelu(input, other, alpha=1, approximate="none", *, out=None):
    if approximate not in ("none", "tanh"):
        raise ValueError(f"approximate is {approximate!r}, not 'none' or 'tanh'")
    kind = torch.result_type(input, other)
    if not kind.is_floating_point:
        raise TypeError("GELU needs a floating type")
    wide = torch.float64 if kind == torch.float64 else torch.float32
    if not isinstance(other, torch.Tensor):
        other = torch.full((), other, dtype=wide, device=input.device)
    x, other = (t.contiguous() for t in torch.broadcast_tensors(input, other))
    y = torch.empty(x.shape, dtype=kind, device=input.device) if out is None else out
    n = x.numel()
    if n > 0:
        # As a tensor, since a kernel's number arguments are cut to float32.
        factor = torch.full((1,), alpha, dtype=wide, device=input.device)
        target = y if y.is_contiguous() else torch.empty(x.shape, dtype=kind, device=input.device)
        sub_gelu_kernel[(triton.cdiv(n, 4096),)](x, other, factor, target, n, TANH=approximate == "tanh", BLOCK=4096)
        if target is not y:
            y.copy_(target)
    return y
