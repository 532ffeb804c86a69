# SPDX-License-Identifier: Apache-2.0
"""Builds candidates for tests: one kernel over a one-dimensional block, and the function around it."""

HEADER = """import torch
import triton
import triton.language as tl
"""


def elementwise(body, arguments="x", names="x", result="torch.empty_like(x)", block=64):
    """A candidate `f` whose kernel runs `body` with i = 0..block-1, m = i < n, and pointers <name>_ptr and o_ptr."""
    pointers = ", ".join(f"{n.strip()}_ptr" for n in names.split(","))
    lines = "\n".join("    " + line for line in body.strip("\n").split("\n"))
    return f"""{HEADER}
@triton.jit
def kernel({pointers}, o_ptr, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    m = i < n
{lines}


def f({arguments}):
    o = {result}
    kernel[(triton.cdiv(o.numel(), {block}),)]({names}, o, o.numel(), B={block})
    return o
"""
