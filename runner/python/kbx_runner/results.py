# SPDX-License-Identifier: Apache-2.0
"""What a candidate returned, as leaves, with the bytes copied into the judge's destinations."""
import contextlib
import numbers

import torch

from .dtypes import TO_WIRE
from .wire import Leaf, LeafKind

# Taken before any candidate runs; C functions, so that what hangs on an instance does not matter.
_base = torch._C.TensorBase
_copy, _data_ptr, _untyped_storage = _base.copy_, _base.data_ptr, _base.untyped_storage
_dtype, _shape = _base.dtype.__get__, _base.shape.__get__
_layout, _is_meta = _base.layout.__get__, _base.is_meta.__get__
_Tensor, _Parameter = torch.Tensor, torch.nn.Parameter
_no_torch_function, _no_dispatch, _no_grad = torch._C.DisableTorchFunction, torch._C._DisableTorchDispatch, torch.no_grad
MAX_LEAVES = 64
MAX_NAME = 200


@contextlib.contextmanager
def plain_torch():
    """torch without any mode, ours or the candidate's."""
    with _no_torch_function(), _no_dispatch(), _no_grad():
        yield


def flatten(value):
    """The returned values in order: members of tuples, lists and dicts, one level after another."""
    leaves = []
    _collect(value, leaves, 0)
    return leaves


def _collect(value, leaves, depth):
    if len(leaves) >= MAX_LEAVES:
        return
    if isinstance(value, (tuple, list)) and depth < 4:
        for member in value:
            _collect(member, leaves, depth + 1)
    elif isinstance(value, dict) and depth < 4:
        for member in value.values():
            _collect(member, leaves, depth + 1)
    else:
        leaves.append(value)


def deliver(value, destination, arguments):
    """The leaf for `value`; its bytes go into `destination` (or None) if dtype and shape agree.
    `arguments`: for each argument the (start, end) addresses of its tensors. Call inside plain_torch()."""
    name = _short(type(value).__name__)
    if value is None:
        return Leaf(LeafKind.NONE, type=name)
    if type(value) is _Tensor or type(value) is _Parameter:
        try:
            return _deliver_tensor(value, destination, arguments, name)
        except RuntimeError as error:  # no memory of its own: meta, or wrapped by a transform
            return Leaf(LeafKind.OTHER, type=_short(f"a tensor without data ({str(error).splitlines()[0]})"))
    if isinstance(value, (bool, numbers.Real)):
        return Leaf(LeafKind.NUMBER, value=float(value), type=name)
    if isinstance(value, str):
        return Leaf(LeafKind.TEXT, type=name)
    return Leaf(LeafKind.OTHER, type=_short(f"{type(value).__module__}.{type(value).__qualname__}"))


def _short(text):
    return text if len(text) <= MAX_NAME else text[:MAX_NAME] + "..."


def _deliver_tensor(value, destination, arguments, name):
    dtype, sizes = _dtype(value), tuple(_shape(value))
    leaf = Leaf(LeafKind.TENSOR, dtype=TO_WIRE.get(dtype, (0, 0)), sizes=sizes, type=name)
    if _layout(value) != torch.strided or dtype not in TO_WIRE or _is_meta(value):
        leaf.kind, leaf.type = LeafKind.OTHER, f"{name} of {dtype} with layout {_layout(value)}{' on meta' if _is_meta(value) else ''}"
        return leaf
    address = _data_ptr(value)
    for index, spans in enumerate(arguments):
        if any(start <= address < end for start, end in spans):
            leaf.aliases_argument = min(index + 1, 255)
            break
    if destination is not None and destination.dtype == dtype:
        if len(sizes) == destination.dim() == 1 and sizes < tuple(destination.shape):  # a length that follows from the contents
            destination = destination[:sizes[0]]
        if tuple(destination.shape) == sizes:
            _copy(destination, value)
            leaf.copied = 1
    return leaf


def storage_address(value):
    """Of a tensor with memory; None for everything else."""
    if not isinstance(value, _Tensor) or _layout(value) != torch.strided or _is_meta(value):
        return None
    try:
        return _untyped_storage(value).data_ptr()
    except RuntimeError:
        return None
