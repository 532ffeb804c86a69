# SPDX-License-Identifier: Apache-2.0
"""For `kbx calibrate --validate`: relu__5 is a relu that computes the first 5 % of its blocks once more, at the end.

By then they have left the caches, so that 5 % more blocks are 5 % more traffic, and the launch is the same.
"""
import re

import torch
import triton
import triton.language as tl

BLOCK = 1024  # as in src/validation/more_work.cpp


@triton.jit
def relu_kernel(x_ptr, y_ptr, n, blocks, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) % blocks * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(y_ptr + offsets, tl.where(x < 0, 0.0, x), mask=mask)


def __getattr__(name):  # PEP 562
    named = re.fullmatch(r"relu__(\d+)", name)
    if not named:
        raise AttributeError(name)
    more = int(named[1])

    def relu(input, inplace=False):
        result = torch.empty_like(input)
        blocks = triton.cdiv(input.numel(), BLOCK)
        relu_kernel[(blocks + triton.cdiv(blocks * more, 100),)](input, result, input.numel(), blocks, BLOCK=BLOCK)
        return result

    return relu
