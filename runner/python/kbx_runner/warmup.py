# SPDX-License-Identifier: Apache-2.0
"""What a zygote does once, so that its children need not: imports, patches, one tiny kernel."""
import importlib
import os
import random
from dataclasses import dataclass

import numpy as np
import torch

torch.set_num_threads(1)
import triton  # noqa: E402  (one thread first)
import triton.language as tl  # noqa: E402

from . import census, cuda_illusion, results  # noqa: E402


@dataclass
class Prepared:
    role: str
    launcher: object = None  # of the interpreter


def prepare(role):
    """REQUIRES: for interpret, TRITON_INTERPRET was set before triton's first import."""
    prepared = Prepared(role)
    for name in ("torch.nn.functional", "torch.special", "torch.linalg", "torch.fft", "triton.testing", "typing", "dataclasses"):
        importlib.import_module(name)
    if role == "interpret":
        from . import interpreter
        prepared.launcher = interpreter.install()
        _run_a_kernel()
    elif role == "compile":
        importlib.import_module("triton.backends.nvidia.compiler")
        importlib.import_module("triton.compiler.code_generator")
    _touch_torch()
    return prepared


def _run_a_kernel():
    x = torch.ones(32)
    _tiny[(1,)](x, torch.empty_like(x), 32, BLOCK=32)


@triton.jit
def _tiny(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n, other=0.0).to(tl.bfloat16).to(tl.float32)
    x = tl.where(x > 0, tl.exp(x) * 2.0, tl.sqrt(tl.abs(x)))
    total = tl.sum(x, axis=0) + tl.max(x, axis=0)
    for _ in range(0, n, BLOCK):
        total += 1.0
    tl.store(y_ptr + at, x + total, mask=at < n)


def _spare_dynamo():
    """torch.manual_seed and its like import torch._dynamo (seconds) to tell it to keep away; the functions inside do the work."""
    for name in ("manual_seed", "seed", "initial_seed"):
        function = getattr(torch.random, name)
        plain = getattr(function, "__wrapped__", function)
        setattr(torch.random, name, plain)
        setattr(torch, name, plain)


def _touch_torch():
    """First calls build tables that children then share."""
    _spare_dynamo()
    torch.default_generator.manual_seed(0)
    np.random.seed(0)
    random.seed(0)
    with census.Census(set(), True):
        x = torch.empty(4, 4).normal_()
        torch.nn.functional.softmax(x @ x + torch.zeros_like(x), dim=-1).sum()
    with cuda_illusion.CudaIllusion():
        torch.zeros(2, device="cuda").add(1)
    with results.plain_torch():
        results.deliver(x, torch.empty(4, 4), [])
    os.environ.setdefault("HOME", "/tmp/w")
