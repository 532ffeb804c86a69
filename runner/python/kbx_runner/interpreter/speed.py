# SPDX-License-Identifier: Apache-2.0
"""Spares Triton's front end work that it repeats for every operation of every program: types of blocks, shapes, wrappers.

Nothing here changes a result; a kernel has few types and shapes, and thousands of operations."""
import math

import triton.language as tl
from triton.language.semantic import TritonSemantic
from triton.runtime import interpreter as stock


def install():
    """Once, before the builtins are bound to a builder."""
    _remember_block_types()
    _share_shapes()
    _skip_broadcasts()
    stock._patch_attr = _bind


def _remember_block_types():
    make, known, shapes = tl.block_type.__init__, {}, {}

    def init(self, element_ty, shape):
        key = (element_ty.name, getattr(element_ty, "address_space", None), tuple(shape))
        found = known.get(key)
        if found is not None:
            self.__dict__.update(found)
            return
        make(self, element_ty, shape)
        # One object for each shape: comparing is asking whether it is the same.
        sizes = tuple(self.shape)
        if sizes not in shapes:
            shapes[sizes] = (self.shape, tl.tuple([tl.constexpr(s) for s in sizes]), tl.constexpr(math.prod(sizes)))
        self.shape, self.constant_shape, self.constant_numel = shapes[sizes]
        known[key] = dict(self.__dict__)

    tl.block_type.__init__ = init


def _share_shapes():
    empty, one = tl.tuple([]), tl.constexpr(1)

    def init(self, handle, type):
        self.handle, self.type, self.dtype = handle, type, type.scalar
        if type.is_block():
            self.shape, self.numel = type.constant_shape, type.constant_numel
        else:
            self.shape, self.numel = empty, one

    tl.tensor.__init__ = init


def _skip_broadcasts():
    broadcast = TritonSemantic.broadcast_impl_value

    def same_shape_first(self, lhs, rhs):
        left = getattr(lhs.type, "shape", None)
        if left is not None and left is getattr(rhs.type, "shape", None):
            return lhs, rhs
        return broadcast(self, lhs, rhs)

    TritonSemantic.broadcast_impl_value = same_shape_first


def _bind(owner, name, member, builder, scope):
    """Replaces the stock interpreter's wrapper around Triton's wrapper around each builtin."""
    semantic, function = TritonSemantic(builder), getattr(member, "__wrapped__", member)

    def bound(*args, **kwargs):
        kwargs["_semantic"] = semantic
        return function(*args, **kwargs)

    scope.set_attr(owner, name, bound)
