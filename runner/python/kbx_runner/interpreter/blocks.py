# SPDX-License-Identifier: Apache-2.0
"""Addresses of block pointers and tensor descriptors."""
import numpy as np
from triton._C.libtriton import ir
from triton.runtime import interpreter as stock

Handle = stock.TensorHandle


def _addresses(base, shape, strides, offsets, block_shape, checked):
    """(addresses, mask): of a block at `offsets`; the mask is False outside of `shape` in the dimensions `checked`."""
    width = max(1, base.get_element_ty().primitive_bitwidth // 8)  # one byte for int1
    addresses = np.broadcast_to(base.data, block_shape)
    mask = np.ones(block_shape, dtype=bool)
    for dim, extent in enumerate(block_shape):
        along = [1] * len(block_shape)
        along[dim] = extent
        at = (offsets[dim].data.astype(np.int64) + np.arange(extent)).reshape(along)
        addresses = addresses + (width * at * strides[dim].data.astype(np.int64)).astype(np.uint64)
        if dim in checked:
            mask = mask & (at < shape[dim].data) & (at >= 0)
    return Handle(addresses, base.dtype.scalar), mask


def materialize_block_pointer(block, boundary_check):
    """Replaces BlockPointerHandle.materialize_pointers, which gives int1 elements no width."""
    return _addresses(block.base, block.shape, block.strides, block.offsets, block.block_shape, boundary_check)


def materialize_descriptor(descriptor, offsets):
    """Replaces TensorDescHandle.materialize_pointers: int1 elements, and a sentence for what faults on a GPU (seen on an H200)."""
    width = max(1, descriptor.base.get_element_ty().primitive_bitwidth // 8)
    if int(offsets[-1].data.reshape(-1)[0]) * width % 16:
        raise ValueError("the block of a tensor descriptor has to start at a multiple of 16 bytes in the last dimension")
    dims = range(len(descriptor.block_shape))
    return _addresses(descriptor.base, descriptor.shape, descriptor.strides, offsets, descriptor.block_shape, dims)


_REDUCTIONS = {
    ir.DESCRIPTOR_REDUCE_KIND.ADD: (ir.ATOMIC_OP.ADD, ir.ATOMIC_OP.ADD, ir.ATOMIC_OP.FADD),
    ir.DESCRIPTOR_REDUCE_KIND.MIN: (ir.ATOMIC_OP.MIN, ir.ATOMIC_OP.UMIN, None),
    ir.DESCRIPTOR_REDUCE_KIND.MAX: (ir.ATOMIC_OP.MAX, ir.ATOMIC_OP.UMAX, None),
    ir.DESCRIPTOR_REDUCE_KIND.AND: (ir.ATOMIC_OP.AND, ir.ATOMIC_OP.AND, None),
    ir.DESCRIPTOR_REDUCE_KIND.OR: (ir.ATOMIC_OP.OR, ir.ATOMIC_OP.OR, None),
    ir.DESCRIPTOR_REDUCE_KIND.XOR: (ir.ATOMIC_OP.XOR, ir.ATOMIC_OP.XOR, None),
}


def atomic_of(kind, ty):
    """The atomic operation that a descriptor's reduction is for this element type, or None."""
    signed, unsigned, floating = _REDUCTIONS[kind]
    return floating if ty.is_floating() else signed if ty.is_int_signed() else unsigned
