# SPDX-License-Identifier: Apache-2.0
"""Launches kernels under the interpreter: replaces InterpretedFunction.run and __call__."""
import contextlib
import gc
import inspect
import types

import numpy as np
import torch
import triton
import triton.language as tl
from triton.backends.nvidia.compiler import CUDAOptions
from triton.runtime import interpreter as stock
from triton.tools.tensor_descriptor import TensorDescriptor

from .builder import Options
from .monitor import Buffers
from .rewriter import rewrite

_LAUNCH_OPTIONS = frozenset(CUDAOptions.__dataclass_fields__)
_data_ptr = torch.Tensor.data_ptr
_untyped_storage = torch.Tensor.untyped_storage


class CompiledKernel:
    """What a launch or a warmup returns. Only what programs choose their grid by is known; the rest needs the compiler."""

    n_regs, n_spills, n_max_threads = 32, 0, 1024

    def __init__(self, launcher, kernel, args, kwargs):
        self._launcher, self._kernel, self._args, self._kwargs = launcher, kernel, args, kwargs
        options = {"num_warps": 4, "num_stages": 3, "num_ctas": 1} | {k: v for k, v in kwargs.items() if k in _LAUNCH_OPTIONS}
        self.metadata = types.SimpleNamespace(name=kernel.fn.__name__, shared=1024, **options)
        self.name = self.metadata.name

    def _init_handles(self):
        return None

    def __getitem__(self, grid):
        def launch(*args):
            """Arguments that are not given are those of the warmup."""
            all_args = args + self._args[len(args):]
            kwargs = {k: v for k, v in self._kwargs.items() if k not in self._kernel.arg_names[:len(all_args)]}
            return self._launcher.run(self._kernel, all_args, kwargs, grid, False)
        return launch

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        self._launcher.builder.refuse(f"{name} of a compiled kernel")


class Launcher:
    """The interpreter of this process. `monitor` is None in the zygote; `suspended` makes a context for our own torch calls."""

    def __init__(self, builder, semantic, semantics):
        self.builder, self.semantic, self.semantics = builder, semantic, semantics
        self.monitor = None
        self.suspended = contextlib.nullcontext
        self._rewritten = {}

    def rewritten(self, function):
        found = self._rewritten.get(function)
        if found is None:
            found = self._rewritten[function] = rewrite(function, self.semantics)
        return found

    def call_device_function(self, function, args, kwargs):
        return self.rewritten(function)(*args, **kwargs)

    def run(self, kernel, args, kwargs, grid, warmup):
        compiled = CompiledKernel(self, kernel, args, kwargs)
        if warmup:
            return compiled
        function = kernel.fn
        parameters = inspect.signature(function).parameters
        for name in kwargs:
            if name not in parameters and name not in _LAUNCH_OPTIONS:
                raise KeyError(f"Keyword argument {name} was specified but unrecognised")
        self.builder.options = Options(num_warps=kwargs.get("num_warps", 4))
        kwargs = {k: v for k, v in kwargs.items() if k in parameters}
        for hook in kernel.pre_run_hooks:
            hook(*args, **kwargs)
        bound = inspect.getcallargs(function, *args, **kwargs)
        with self.suspended():
            buffers = []
            constants = {n for n, p in parameters.items() if _is_constexpr(p.annotation)}
            values = {name: _plain(value) if name in constants else self._value(name, value, buffers)
                      for name, value in bound.items()}
        grid = grid({**bound, **{n: _plain(v) for n, v in bound.items()}}) if callable(grid) else grid
        grid = _grid(grid)
        with self.suspended(), np.errstate(all="ignore"):
            self._run_programs(self.rewritten(function), function.__name__, grid, values, buffers)
        return compiled

    def _run_programs(self, function, name, grid, values, buffers):
        monitor, builder = self.monitor, self.builder
        builder.set_grid_dim(*grid)
        if monitor is None:
            builder.set_grid_idx(0, 0, 0)
            function(**values)
            return
        builder.live_buffers = _live_buffers
        monitor.begin_launch(name, grid[0] * grid[1] * grid[2], Buffers(buffers))
        try:
            for z in range(grid[2]):
                for y in range(grid[1]):
                    for x in range(grid[0]):
                        builder.set_grid_idx(x, y, z)
                        monitor.begin_program(x, y, z)
                        function(**values)
                        monitor.status.program_done()
        finally:
            monitor.end_launch()

    def _value(self, name, value, buffers):
        """An argument as the kernel sees it: tensors become pointers, numbers scalars of the type that a launch gives them."""
        value = _plain(value)
        if isinstance(value, bool):
            return tl.tensor(stock.TensorHandle(np.array([value]), tl.int1), tl.int1)
        if isinstance(value, int):
            ty = tl.int32 if -2**31 <= value < 2**31 else tl.int64 if -2**63 <= value < 2**63 else tl.uint64
            return tl.tensor(stock.TensorHandle(np.array([value], dtype=ty.name), ty), ty)
        if isinstance(value, float):
            return tl.tensor(stock.TensorHandle(np.array([value], dtype=np.float32), tl.float32), tl.float32)
        if isinstance(value, torch.Tensor):
            buffers.append((name, *_extent(value)))
            return self._pointer(value, value)
        if isinstance(value, triton.runtime.jit.TensorWrapper):
            buffers.append((name, *_extent(value.base)))
            return self._pointer(value, value.base)
        if isinstance(value, tuple):
            return stock._tuple_create(value, [self._value(name, v, buffers) for v in value])
        if isinstance(value, TensorDescriptor):
            strides = [self._value(name, s, buffers) for s in value.strides]
            strides[-1] = tl.constexpr(1)
            return self.semantic.make_tensor_descriptor(
                base=self._value(name, value.base, buffers), shape=[self._value(name, s, buffers) for s in value.shape],
                strides=strides, block_shape=[tl.constexpr(b) for b in value.block_shape], padding_option=value.padding)
        return stock._implicit_cvt(value)

    @staticmethod
    def _pointer(value, tensor):
        ty = tl.str_to_ty(triton.runtime.jit.mangle_type(value), None)
        return tl.tensor(stock.TensorHandle(np.array([_data_ptr(tensor)], dtype=np.uint64), ty), ty)


def _plain(value):
    return value.value if isinstance(value, tl.constexpr) else value


def _is_constexpr(annotation):
    return annotation is tl.constexpr or (isinstance(annotation, str) and "constexpr" in annotation)


def _grid(grid):
    grid = tuple(grid) if isinstance(grid, (tuple, list)) else grid
    if not isinstance(grid, tuple) or not 1 <= len(grid) <= 3:
        raise ValueError(f"the grid must be a tuple of one to three integers, not {grid!r}")
    grid = tuple(int(_plain(n)) for n in grid) + (1,) * (3 - len(grid))
    if min(grid) < 0 or grid[0] >= 2**31 or max(grid[1:]) >= 2**16:
        raise ValueError(f"the grid {grid} exceeds the limits of a launch")
    return grid


def _extent(tensor):
    storage = _untyped_storage(tensor)
    start = storage.data_ptr()
    return start, start + storage.nbytes(), _data_ptr(tensor), tensor.element_size()


def _live_buffers():
    """Every tensor that is alive: what a pointer that was made from an integer may name."""
    tensors = [o for o in gc.get_objects() if type(o) is torch.Tensor]
    return [("", *_extent(t)) for t in tensors if t.device.type == "cpu" and t.layout == torch.strided]
