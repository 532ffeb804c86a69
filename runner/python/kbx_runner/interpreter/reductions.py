# SPDX-License-Identifier: Apache-2.0
"""Reductions and scans in logarithmically many block operations, rounding at each step as the type does.

Triton's interpreter walks over single elements in Python instead, or sums in a wider type."""
import numpy as np
import triton.language as tl
from triton.runtime import interpreter as stock

from .numerics import numpy_dtype

Handle = stock.TensorHandle


def _tensor(data, ty):
    scalar = ty.scalar
    data = np.asarray(data)
    if data.shape == ():
        return tl.core.tensor(Handle(data.reshape(1), scalar), scalar)
    return tl.core.tensor(Handle(data, scalar), tl.block_type(scalar, list(data.shape)))


def _combine(combine_fn, left, right, types):
    """One application of the combining function to whole blocks."""
    result = combine_fn(*(_tensor(d, t) for d, t in zip(left, types)), *(_tensor(d, t) for d, t in zip(right, types)))
    if not isinstance(result, (tuple, tl.tuple)):
        result = (result,)
    shape = left[0].shape
    return [np.broadcast_to(np.asarray(r.handle.data if isinstance(r, tl.tensor) else r), shape).astype(numpy_dtype(t), copy=False)
            for r, t in zip(result, types)]


def _tree(combine_fn, arrays, types, axis):
    """Adjacent pairs first, so that the order is kept for combining functions that do not commute."""
    arrays = [np.moveaxis(a, axis, 0) for a in arrays]
    while arrays[0].shape[0] > 1:
        even = arrays[0].shape[0] // 2 * 2
        rest = [a[even:] for a in arrays]
        pairs = _combine(combine_fn, [a[0:even:2] for a in arrays], [a[1:even:2] for a in arrays], types)
        arrays = [np.concatenate([p, r]) for p, r in zip(pairs, rest)]
    return [a[0] for a in arrays]


def _fast(combine_fn, arrays, types, axis):
    """numpy's own reduction where it gives what the combining function gives, or None."""
    standard = tl.standard
    name = types[0].scalar.name
    if combine_fn is standard._sum_combine and name not in ("fp16", "bf16"):
        return [np.sum(arrays[0], axis=axis, dtype=arrays[0].dtype if arrays[0].dtype != bool else np.int32)]
    # fmax and fmin skip NaN like the instruction does.
    if combine_fn is standard._elementwise_max:
        return [np.fmax.reduce(arrays[0], axis=axis)]
    if combine_fn is standard._elementwise_min:
        return [np.fmin.reduce(arrays[0], axis=axis)]
    return None


def reduce(input, axis, combine_fn, keep_dims=False, **_):
    if isinstance(input, tl.tensor):
        return reduce((input,), axis, combine_fn, keep_dims)[0]
    axis, keep_dims = tl.core._unwrap_if_constexpr(axis), tl.core._unwrap_if_constexpr(keep_dims)
    arrays = [t.handle.data for t in input]
    types = [t.dtype for t in input]
    rank = len(input[0].shape)
    if axis is None:
        arrays, at = [a.reshape(-1) for a in arrays], 0
    else:
        at = tl.core._wrap_axis(axis, rank)
    results = _fast(combine_fn, arrays, types, at) or _tree(combine_fn, arrays, types, at)
    if keep_dims:
        shape = [1] * rank if axis is None else list(input[0].handle.data.shape[:at]) + [1] + list(
            input[0].handle.data.shape[at + 1:])
        results = [np.asarray(r).reshape(shape) for r in results]
    return tuple(_tensor(r, t) for r, t in zip(results, types))


def scan(input, axis, combine_fn, reverse=False, **_):
    if isinstance(input, tl.tensor):
        return scan((input,), axis, combine_fn, reverse)[0]
    at = tl.core._wrap_axis(tl.core._unwrap_if_constexpr(axis), len(input[0].shape))
    reverse = tl.core._unwrap_if_constexpr(reverse)
    types = [t.dtype for t in input]
    arrays = [np.moveaxis(t.handle.data, at, 0) for t in input]
    if reverse:
        arrays = [a[::-1] for a in arrays]
    name = types[0].scalar.name
    if combine_fn is tl.standard._sum_combine and name not in ("fp16", "bf16"):
        arrays = [np.cumsum(arrays[0], axis=0, dtype=arrays[0].dtype)]
    else:
        step = 1
        while step < arrays[0].shape[0]:
            # Whole blocks, since Triton's types allow powers of two only; the first `step` results are not used.
            combined = _combine(combine_fn, [np.roll(a, step, axis=0) for a in arrays], arrays, types)
            arrays = [np.concatenate([a[:step], new[step:]]) for a, new in zip(arrays, combined)]
            step *= 2
    if reverse:
        arrays = [a[::-1] for a in arrays]
    return tuple(_tensor(np.ascontiguousarray(np.moveaxis(a, 0, at)), t) for a, t in zip(arrays, types))
