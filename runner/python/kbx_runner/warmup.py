# SPDX-License-Identifier: Apache-2.0
"""What a zygote does once, so that its children need not: imports, patches, one tiny kernel."""
import gc
import importlib
import os
import random
import types
from dataclasses import dataclass

import numpy as np
import torch

torch.set_num_threads(1)
import triton  # noqa: E402  (one thread first)
import triton.language as tl  # noqa: E402

from . import census, cuda_illusion, device_census, results  # noqa: E402


@dataclass
class Prepared:
    role: str
    launcher: object = None  # of the interpreter
    links_launchers: bool = False  # whether CUDA's driver library is there
    device_census: object = None  # of role cuda, where the library was named


def prepare(role, census_path=""):
    """REQUIRES: for interpret, TRITON_INTERPRET was set before triton's first import."""
    prepared = Prepared(role)
    for name in ("torch.nn.functional", "torch.special", "torch.linalg", "torch.fft", "triton.testing", "typing", "dataclasses"):
        importlib.import_module(name)
    if role == "interpret":
        from . import interpreter
        prepared.launcher = interpreter.install()
        _run_a_kernel()
    else:
        from . import ahead
        importlib.import_module("triton.compiler.code_generator")
        ahead.compute_keys()
        prepared.links_launchers = ahead.make_driver() if role == "cuda" else ahead.can_link()
        if census_path:
            prepared.device_census = device_census.DeviceCensus(census_path)
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
    """Some everyday functions of torch import torch._dynamo or sympy at their first call, for seconds, to no end here."""
    marker = torch._disable_dynamo(lambda: None).__code__
    for function in gc.get_objects():
        if type(function) is types.FunctionType and function.__code__ is marker and hasattr(function, "__wrapped__"):
            # What torch._compile._disable_dynamo looks up before it imports anything.
            setattr(function.__wrapped__, "__dynamo_disable", function.__wrapped__)
    torch.broadcast_shapes = torch.functional.broadcast_shapes = _broadcast_shapes


def _broadcast_shapes(*shapes):
    """As torch.broadcast_shapes, for shapes of plain integers."""
    try:
        return torch.Size(np.broadcast_shapes(*((s,) if isinstance(s, int) else tuple(s) for s in shapes)))
    except ValueError as error:
        raise RuntimeError(f"Shape mismatch: objects cannot be broadcast to a single shape: {error}") from None


def _touch_torch():
    """First calls build tables that children then share."""
    _spare_dynamo()
    torch.manual_seed(0)
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
