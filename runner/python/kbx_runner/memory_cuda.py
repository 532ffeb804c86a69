# SPDX-License-Identifier: Apache-2.0
"""Maps the judge's device memory, exported as POSIX descriptors, by CUDA's virtual memory functions through libcuda.

CUDA driver API reference, "Virtual Memory Management"."""
import ctypes
import os

import torch

from .dtypes import FROM_WIRE
from .memory import span

_POSIX_DESCRIPTOR = 1          # CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
_LOCATION_DEVICE = 1           # CU_MEM_LOCATION_TYPE_DEVICE
_ACCESS_READ, _ACCESS_READ_WRITE = 1, 3
_GUARD = 2 << 20  # unmapped addresses on either side, so that what runs over an end meets no other mapping
_CARRIERS = {1: "|u1", 2: "<i2", 4: "<i4", 8: "<i8", 16: "<c16"}  # a view of another type is made from these


class _Access(ctypes.Structure):
    _fields_ = [("location_type", ctypes.c_int), ("location_id", ctypes.c_int), ("flags", ctypes.c_int)]


class _Bytes:
    """What torch.as_tensor reads: CUDA array interface, version 3."""

    def __init__(self, address, count, carrier):
        self.__cuda_array_interface__ = {
            "shape": (count,), "typestr": carrier, "data": (address, False), "version": 3, "strides": None, "stream": None}


class CudaMemory:
    """The device segments that are attached, by id. Makes torch's primary context current."""

    def __init__(self):
        self._driver = ctypes.CDLL("libcuda.so.1")
        torch.cuda.init()
        torch.cuda.current_stream().synchronize()
        self._device = torch.cuda.current_device()
        self._mappings = {}

    def attach(self, segment, descriptor):
        handle, reserved, size = ctypes.c_uint64(), ctypes.c_uint64(), ctypes.c_size_t(segment.length)
        self._release(segment.id)
        self._check("cuMemImportFromShareableHandle", ctypes.byref(handle), ctypes.c_void_p(descriptor), _POSIX_DESCRIPTOR)
        self._check("cuMemAddressReserve", ctypes.byref(reserved), ctypes.c_size_t(segment.length + 2 * _GUARD),
                    ctypes.c_size_t(0), ctypes.c_uint64(0), ctypes.c_uint64(0))
        address = ctypes.c_uint64(reserved.value + _GUARD)
        self._check("cuMemMap", address, size, ctypes.c_size_t(0), handle, ctypes.c_uint64(0))
        if segment.writable or not self._allow(address, size, _ACCESS_READ):
            access = _Access(_LOCATION_DEVICE, self._device, _ACCESS_READ_WRITE)
            self._check("cuMemSetAccess", address, size, ctypes.byref(access), ctypes.c_size_t(1))
        self._check("cuMemRelease", handle)  # the mapping keeps the memory
        if segment.writable and "KBX_INITIALISE_SEGMENTS" in os.environ:
            # For initcheck: what the judge writes comes by another mapping, later.
            self._check("cuMemsetD8_v2", address, ctypes.c_ubyte(0), size)
            torch.cuda.synchronize()
        self._mappings[segment.id] = (address.value, segment.length)

    def tensor(self, t):
        """A tensor on the bytes that the wire tensor names; its storage spans exactly these."""
        dtype = FROM_WIRE[t.dtype]
        elements = span(t.sizes, t.strides)
        if elements == 0:
            return torch.empty_strided(t.sizes, t.strides, dtype=dtype, device="cuda")
        start, length = self._mappings.get(t.segment, (0, 0))
        if t.offset + elements * dtype.itemsize > length:
            raise ValueError(f"segment {t.segment} does not hold that tensor")
        raw = torch.as_tensor(_Bytes(start + t.offset, elements, _CARRIERS[dtype.itemsize]), device="cuda")
        return raw.view(dtype).as_strided(t.sizes, t.strides)

    def _release(self, number):
        address, length = self._mappings.pop(number, (0, 0))
        if length:
            torch.cuda.synchronize()
            self._check("cuMemUnmap", ctypes.c_uint64(address), ctypes.c_size_t(length))
            self._check("cuMemAddressFree", ctypes.c_uint64(address - _GUARD), ctypes.c_size_t(length + 2 * _GUARD))

    def _allow(self, address, size, flags):
        """Whether the driver gave that access. One that knows no read-only mapping refuses: the judge compares inputs anyway."""
        access = _Access(_LOCATION_DEVICE, self._device, flags)
        return self._driver.cuMemSetAccess(address, size, ctypes.byref(access), ctypes.c_size_t(1)) == 0

    def _check(self, name, *arguments):
        status = getattr(self._driver, name)(*arguments)
        if status != 0:
            text = ctypes.c_char_p()
            self._driver.cuGetErrorString(status, ctypes.byref(text))
            raise OSError(f"{name}: {(text.value or b'').decode()}")
