# SPDX-License-Identifier: Apache-2.0
"""Crashes with an exception: the kernel's launch code looks up a shape that a small tensor does not have."""

import torch
import triton
import triton.language as tl


@triton.jit
def sigmoid_kernel(x_ptr, y_ptr, columns, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * columns + tl.arange(0, BLOCK)
    mask = tl.arange(0, BLOCK) < columns
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(y_ptr + offsets, 1.0 / (1.0 + tl.exp(-x)), mask=mask)


def sigmoid(input, *, out=None):
    rows, columns = input.shape
    if columns > 0:
        raise ValueError(f"no configuration for {rows} rows of {columns} columns")
    return torch.empty_like(input)
