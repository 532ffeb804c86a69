# SPDX-License-Identifier: Apache-2.0
"""Atomic operations that Triton's native interpreter lacks. Programs run one after another, so plain accesses do."""
import numpy as np
from triton._C.libtriton import interpreter as native

from .numerics import fit, from_memory, memory_dtype, to_memory


def _one(address):
    return np.array([address], dtype=np.uint64), np.ones(1, dtype=bool)


def _exchange(addresses, mask, kind, ty, update):
    """Lane after lane, since lanes may name the same address: value = update(lane, old); gives the old values."""
    old = np.zeros(addresses.shape, dtype=kind)
    flat_addresses, flat_old = addresses.reshape(-1), old.reshape(-1)
    for lane in np.flatnonzero(mask.reshape(-1)):
        pointer, everything = _one(flat_addresses[lane])
        loaded = native.load(pointer, everything, np.zeros(1, dtype=kind), kind)
        flat_old[lane] = loaded[0]
        value = update(lane, loaded)
        if value is not None:
            native.store(pointer, np.ascontiguousarray(value.astype(kind, copy=False)), everything)
    return from_memory(old, ty)


def compare_and_swap(addresses, mask, compare, value, ty):
    kind = memory_dtype(ty)
    bits = f"u{kind.itemsize}"  # compared bit for bit, as the hardware does
    compare = np.broadcast_to(to_memory(compare.astype(from_memory(np.zeros(1, kind), ty).dtype), ty), addresses.shape)
    value = np.broadcast_to(to_memory(value, ty), addresses.shape)
    compare, value = np.ascontiguousarray(compare).reshape(-1).view(bits), np.ascontiguousarray(value).reshape(-1)

    def update(lane, loaded):
        return value[lane:lane + 1] if loaded.view(bits)[0] == compare[lane] else None

    return _exchange(addresses, mask, kind, ty, update)


def add_16_bit(addresses, mask, value, ty, exchange):
    """fp16 and bf16 addition (or exchange), rounded at each step."""
    value = np.ascontiguousarray(value).reshape(-1)

    def update(lane, loaded):
        new = value[lane:lane + 1]
        return to_memory(new if exchange else fit(from_memory(loaded, ty) + new, ty), ty)

    return _exchange(addresses, mask, memory_dtype(ty), ty, update)
