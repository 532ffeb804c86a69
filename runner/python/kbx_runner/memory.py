# SPDX-License-Identifier: Apache-2.0
"""Maps the judge's host memory between inaccessible pages and makes tensors of it without a copy."""
import ctypes
import mmap
import os
import struct

import torch

from .dtypes import FROM_WIRE

PAGE = mmap.PAGESIZE
_PROT_NONE, _MAP_FIXED, _FAILED = 0, 0x10, ctypes.c_void_p(-1).value
_libc = ctypes.CDLL(None, use_errno=True)
_libc.mmap.restype = ctypes.c_void_p
_libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
_libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]


def _map(address, length, protection, flags, descriptor, offset):
    result = _libc.mmap(address, length, protection, flags, descriptor, offset)
    if result == _FAILED:
        error = ctypes.get_errno()
        raise OSError(error, f"mmap: {os.strerror(error)}")
    return result


class Mapping:
    """`length` bytes of a descriptor with an inaccessible page on either side."""

    def __init__(self, segment, descriptor):
        self.length = segment.length
        self._pages = -(-segment.length // PAGE) * PAGE
        reserved = _map(None, self._pages + 2 * PAGE, _PROT_NONE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0)
        self.address = reserved + PAGE
        protection = mmap.PROT_READ | (mmap.PROT_WRITE if segment.writable else 0)
        if self._pages:
            _map(self.address, self._pages, protection, mmap.MAP_SHARED | _MAP_FIXED, descriptor, segment.offset)

    def close(self):
        _libc.munmap(self.address - PAGE, self._pages + 2 * PAGE)


class HostMemory:
    """The host segments that are attached, by id."""

    def __init__(self):
        self._mappings = {}

    def attach(self, segment, descriptor):
        old = self._mappings.pop(segment.id, None)
        if old is not None:
            old.close()
        self._mappings[segment.id] = Mapping(segment, descriptor)

    def address(self, segment, offset, size):
        """The address of `size` bytes there. Raises ValueError if the segment does not hold them."""
        mapping = self._mappings.get(segment)
        if mapping is None or offset + size > mapping.length:
            raise ValueError(f"segment {segment} does not hold bytes {offset} to {offset + size}")
        return mapping.address + offset

    def tensor(self, t):
        """A tensor on the bytes that the wire tensor names; its storage spans exactly these."""
        dtype = FROM_WIRE[t.dtype]
        elements = span(t.sizes, t.strides)
        if elements == 0:
            return torch.empty_strided(t.sizes, t.strides, dtype=dtype)
        size = elements * dtype.itemsize
        raw = (ctypes.c_char * size).from_address(self.address(t.segment, t.offset, size))
        return torch.frombuffer(raw, dtype=dtype, count=elements).as_strided(t.sizes, t.strides)


def span(sizes, strides):
    """Elements from the first to the last that the strides reach."""
    if 0 in sizes:
        return 0
    return 1 + sum((size - 1) * stride for size, stride in zip(sizes, strides))


class StatusPage:
    """Segment 0: what the judge reads when an answer is late. Before it is attached, writes go nowhere."""

    IDLE, IMPORTING, HOST_CODE, IN_LAUNCH, WAITING = range(5)
    BYTES = 512  # of wire.h's StatusPage; what follows the first 16 belongs to the device census

    def __init__(self):
        self._view = memoryview(bytearray(16))
        self._address, self._follower = None, None
        self.programs = 0

    def attach(self, address):
        self._view = memoryview((ctypes.c_char * 16).from_address(address)).cast("B")
        self._address = address
        if self._follower is not None:
            self._follower(address)

    def follow(self, follower):
        """`follower` is told the page's address, now and whenever it moves."""
        self._follower = follower
        if self._address is not None:
            follower(self._address)

    def state(self, value):
        struct.pack_into("<I", self._view, 0, value)

    def program_done(self):
        self.programs += 1
        struct.pack_into("<Q", self._view, 8, self.programs)
