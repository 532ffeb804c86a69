# SPDX-License-Identifier: Apache-2.0
"""Functions of triton.language that the stock interpreter leaves as they are for the compiler, or gives another meaning."""
import inspect

import numpy as np
import triton.language as tl
from triton.language.extra import cuda
from triton.language.extra import libdevice as libdevice_stub
from triton.runtime import interpreter as stock

from . import reductions
from .numerics import numpy_dtype

Handle = stock.TensorHandle


def replace(semantic):
    """Once, after Triton's builtins were bound to the builder of `semantic`."""
    scaled = tl.dot_scaled
    for module in (tl, tl.core):
        module.reduce, module.associative_scan = reductions.reduce, reductions.scan
        module.static_print = module.device_print = _nothing
        module.range = module.static_range = _range
        module.condition = _condition
        module.map_elementwise = map_elementwise
        module.dot_scaled = _with_constant_formats(scaled)
    tl.tensor.__index__ = lambda self: int(self.handle.data.reshape(-1)[0])
    tl.tensor.T = property(lambda self: semantic.permute(self, (1, 0)))
    tl.tensor.reduce, tl.tensor.associative_scan = reductions.reduce, reductions.scan
    _bind_members(semantic)
    for name, function in inspect.getmembers(cuda.libdevice, tl.core.is_builtin):
        bound = _bind(function, semantic)
        setattr(cuda.libdevice, name, bound)
        if hasattr(libdevice_stub, name):
            setattr(libdevice_stub, name, bound)
    for module in (cuda, cuda.utils, cuda.gdc):
        for name, function in inspect.getmembers(module, tl.core.is_builtin):
            # Programs of one kernel wait for nothing: kernels run one after another.
            setattr(module, name, _nothing if name.startswith("gdc_") else _bind(function, semantic))


def _nothing(*_, **__):
    return None


def _range(arg1, arg2=None, step=None, *_, **__):
    """tl.range and tl.static_range; what else they take is advice to the compiler."""
    start, end = (0, arg1) if arg2 is None else (arg1, arg2)
    return range(start, end, 1 if step is None else step)


def _condition(arg1, disable_licm=False):
    """The stock class has no truth value of its own, which makes it true for ever."""
    return arg1


def _with_constant_formats(function):
    def dot_scaled(lhs, lhs_scale, lhs_format, rhs, rhs_scale, rhs_format, *args, **kwargs):
        left, right = tl.constexpr(lhs_format), tl.constexpr(rhs_format)
        return function(lhs, lhs_scale, left, rhs, rhs_scale, right, *args, **kwargs)
    return dot_scaled


def _bind_members(semantic):
    """tensor.exp and others are not marked as builtins; the compiler passes its semantic to every method of a tensor."""
    for name, member in list(vars(tl.tensor).items()):
        if inspect.isfunction(member) and "_semantic" in inspect.signature(member).parameters and not name.startswith("__"):
            setattr(tl.tensor, name, _bind(member, semantic))


def _bind(function, semantic):
    def bound(*args, **kwargs):
        kwargs.pop("_semantic", None)
        return function(*args, **kwargs, _semantic=semantic)
    bound.__name__, bound.__triton_builtin__ = function.__name__, True
    return bound


def map_elementwise(scalar_fn, *args, pack=1, **_):
    """One call for each `pack` neighbours: first all values of the first argument, then of the next; results likewise."""
    pack = tl.core._unwrap_if_constexpr(pack)
    arrays = np.broadcast_arrays(*(a.handle.data for a in args))
    shape, columns = arrays[0].shape, [a.reshape(-1) for a in arrays]
    results, types, single = [], None, False
    for start in range(0, columns[0].size, pack):
        values = [_scalar(c[start + j], a.dtype) for c, a in zip(columns, args) for j in range(pack)]
        returned = scalar_fn(*values)
        single = isinstance(returned, tl.tensor)
        returned = (returned,) if single else tuple(returned)
        types = types or [r.dtype for r in returned[::pack]]
        results.append([r.handle.data.reshape(-1)[0] for r in returned])
    blocks = []
    for k, ty in enumerate(types):
        data = np.array([row[k * pack + j] for row in results for j in range(pack)], dtype=numpy_dtype(ty)).reshape(shape)
        blocks.append(tl.core.tensor(Handle(data, ty), tl.block_type(ty, list(shape))))
    return blocks[0] if single else tuple(blocks)


def _scalar(value, ty):
    return tl.core.tensor(Handle(np.array([value]), ty), ty)
