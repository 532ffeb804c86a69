# SPDX-License-Identifier: Apache-2.0
"""Stores far behind the end of its own buffer, where torch's cached memory hides it."""
import torch
import triton
import triton.language as tl


@triton.jit
def stores_behind(y_ptr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(y_ptr + 20000 + offsets, 1.0)  # here


def gelu(input: torch.Tensor, approximate: str = "none") -> torch.Tensor:
    stores_behind[(1,)](torch.empty(100, device=input.device), BLOCK=128)
    return torch.zeros_like(input)
