# SPDX-License-Identifier: Apache-2.0
"""Which ATen operators the candidate ran, and poison in its fresh allocations. A claim: the candidate can pop the mode."""
import threading

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_iter

_ALLOCATIONS = frozenset("""empty empty_strided empty_like empty_quantized new_empty new_empty_strided
    empty_permuted""".split())
# Allocation, initialisation with a constant, views and copies: not what a task is about.
_NEUTRAL = _ALLOCATIONS | frozenset("""zeros zeros_like new_zeros zero_ ones ones_like new_ones full full_like new_full fill_ fill eye
    view reshape _unsafe_view _reshape_alias expand expand_as permute transpose t numpy_T select slice narrow split
    split_with_sizes unbind chunk squeeze unsqueeze squeeze_ unsqueeze_ as_strided as_strided_ alias detach detach_ lift lift_fresh
    lift_fresh_copy flatten unflatten movedim diagonal view_as_real view_as_complex unfold _local_scalar_dense set_ resize_ resize_as_ contiguous clone copy_
    copy _to_copy to _conj _neg_view is_pinned is_same_size equal_storage record_stream _resize_output_ scalar_tensor
    _has_same_storage_numel sym_size sym_stride sym_numel sym_storage_offset is_contiguous stride size storage_offset
    dim numel _version is_non_overlapping_and_dense""".split())
# One of the judge's own patterns, so that it recognises what was never written; no NaN, which some outputs are to hold.
_POISON = 0xC3
_RANDOM = frozenset("""rand rand_like randn randn_like randint randint_like randperm normal normal_ uniform_ random_ bernoulli
    bernoulli_ binomial poisson exponential_ geometric_ cauchy_ log_normal_ multinomial native_dropout""".split())


class Census(TorchDispatchMode):
    """Counts computing operators; follows through all of them what a kernel stored (`stored`: storage addresses)."""

    def __init__(self, stored, poison):
        super().__init__()
        self._stored, self._poison = stored, poison
        self.operators, self.random = {}, {}

    def follow_threads(self):
        """A mode holds for one thread; from now on each new one enters it too."""
        run = threading.Thread._bootstrap_inner

        def counted(thread):
            with self:
                run(thread)

        threading.Thread._bootstrap_inner = counted

    @classmethod
    def _should_skip_dynamo(cls):
        return False  # else the first operator imports torch._dynamo, which takes seconds

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        result = func(*args, **kwargs)
        namespace, _, name = func._schema.name.partition("::")
        if name in _ALLOCATIONS:
            if self._poison:
                _fill_with_poison(result)
        elif name in _RANDOM:
            self._count(self.random, namespace, name)
        elif name not in _NEUTRAL:
            self._count(self.operators, namespace, name)
        self._follow(args, kwargs, result)
        return result

    @staticmethod
    def _count(table, namespace, name):
        key = f"{namespace}.{name}"
        table[key] = table.get(key, 0) + 1

    def _follow(self, args, kwargs, result):
        if not self._stored:
            return
        sources = _addresses((args, kwargs))
        tainted = not sources.isdisjoint(self._stored)
        results = _addresses(result)
        if tainted:
            self._stored |= results
        else:
            self._stored -= results - sources  # memory that was freed and taken anew


def _addresses(tree):
    return {t.untyped_storage().data_ptr() for t in tree_iter(tree)
            if isinstance(t, torch.Tensor) and t.layout == torch.strided}


def _fill_with_poison(tensor):
    if tensor.numel() == 0 or tensor.device.type == "meta":
        return
    if tensor.dtype.is_floating_point or tensor.dtype.is_complex:
        tensor.copy_(torch.tensor([_POISON] * tensor.dtype.itemsize, dtype=torch.uint8).view(tensor.dtype)[0])
    elif tensor.dtype == torch.bool:
        tensor.fill_(True)
    else:
        tensor.fill_(torch.iinfo(tensor.dtype).max)
