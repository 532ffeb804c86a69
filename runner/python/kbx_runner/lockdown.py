# SPDX-License-Identifier: Apache-2.0
"""runner/lockdown/lockdown.h through ctypes."""
import ctypes
from dataclasses import dataclass, field

_ERROR_BYTES = 512


@dataclass
class Lockdown:
    layers: int = 0
    memory_bytes: int = 0
    file_bytes: int = 0
    open_files: int = 0
    processes: int = 0
    readable: list = field(default_factory=list)
    writable: list = field(default_factory=list)
    filter: bytes = b""


def read(reader):
    layers, memory, file, files, processes = reader.unpack("IQQII")
    return Lockdown(layers, memory, file, files, processes, reader.list(), reader.list(), reader.bytes())


def write(writer, l):
    writer.pack("IQQII", l.layers, l.memory_bytes, l.file_bytes, l.open_files, l.processes)
    return writer.list(l.readable).list(l.writable).str(l.filter)


class _Lockdown(ctypes.Structure):
    _fields_ = [("readable", ctypes.POINTER(ctypes.c_char_p)), ("writable", ctypes.POINTER(ctypes.c_char_p)),
                ("filter", ctypes.c_char_p), ("filter_bytes", ctypes.c_uint32), ("layers", ctypes.c_uint32),
                ("memory_bytes", ctypes.c_uint64), ("file_bytes", ctypes.c_uint64), ("open_files", ctypes.c_uint32),
                ("processes", ctypes.c_uint32)]


class Library:
    """The lockdown library. Its functions raise OSError with what failed."""

    def __init__(self, path):
        self._library = ctypes.CDLL(path)

    def _call(self, name, *arguments):
        error = ctypes.create_string_buffer(_ERROR_BYTES)
        result = getattr(self._library, name)(*arguments, error, ctypes.c_size_t(_ERROR_BYTES))
        if result < 0:
            raise OSError(error.value.decode("utf-8", "replace") or name)
        return result

    def apply(self, lockdown):
        """The layers in force. Cannot be undone."""
        wanted = _Lockdown(_paths(lockdown.readable), _paths(lockdown.writable), lockdown.filter, len(lockdown.filter),
                           lockdown.layers, lockdown.memory_bytes, lockdown.file_bytes, lockdown.open_files, lockdown.processes)
        return self._call("kbx_apply_lockdown", ctypes.byref(wanted))

    def unshare_pid(self):
        self._call("kbx_unshare_pid")

    def restore_pid_namespace(self, descriptor):
        self._call("kbx_restore_pid_ns", ctypes.c_int(descriptor))

    def child_mounts(self, scratch, scratch_bytes, shm_bytes):
        self._call("kbx_child_mounts", scratch.encode(), ctypes.c_uint64(scratch_bytes), ctypes.c_uint64(shm_bytes))


def _paths(paths):
    return (ctypes.c_char_p * (len(paths) + 1))(*(p.encode() for p in paths), None)
