# SPDX-License-Identifier: Apache-2.0
"""runner/device/census.h through ctypes: the kernels that the GPU ran, and which can have caused a fault."""
import ctypes
import json
import os

import torch

from .timing import Untraceable

_BYTES = 60 << 10
# Beside torch, which has it loaded where it was built for CUDA.
_CUPTI = os.path.join(os.path.dirname(os.path.dirname(torch.__file__)), "nvidia", "cu13", "lib", "libcupti.so.13")


class DeviceCensus:
    """REQUIRES: loaded before any candidate runs. Opens nothing of CUDA until `start`."""

    def __init__(self, path):
        self._library = ctypes.CDLL(path)
        for name in ("kbx_census_collect", "kbx_census_blame"):
            getattr(self._library, name).restype = ctypes.c_size_t

    def start(self):
        """Why it cannot be done, or an empty text. Not before a fork."""
        error = ctypes.create_string_buffer(512)
        if self._library.kbx_census_start(_CUPTI.encode(), error, ctypes.c_size_t(len(error))) == 0:
            return ""
        return error.value.decode("utf-8", "replace") or "unknown"

    def watch(self, address):
        """Keeps the last launch in the status page at `address`."""
        self._library.kbx_census_watch(ctypes.c_void_p(address))

    def mark(self):
        self._library.kbx_census_mark()

    def pause(self):
        """Launches cost what they cost without CUPTI; nothing is recorded."""
        self._library.kbx_census_pause()

    def resume(self):
        self._library.kbx_census_resume()

    def begin_trace(self):
        """Of the GPU time of calls; the device is idle. Resumes. Raises Untraceable."""
        self._traced(self._library.kbx_census_trace_begin)

    def trace_call(self):
        self._library.kbx_census_trace_call()

    def end_trace(self, calls):
        """Nanoseconds of each call; the device was waited for. Raises Untraceable."""
        times = (ctypes.c_uint64 * calls)()
        self._traced(self._library.kbx_census_trace_end, times, ctypes.c_size_t(calls))
        return list(times)

    @staticmethod
    def _traced(function, *arguments):
        error = ctypes.create_string_buffer(512)
        if function(*arguments, error, ctypes.c_size_t(len(error))) != 0:
            raise Untraceable(error.value.decode("utf-8", "replace"))

    def blame(self):
        text = ctypes.create_string_buffer(8192)
        self._library.kbx_census_blame(text, ctypes.c_size_t(len(text)))
        return text.value.decode("utf-8", "replace")

    def collect(self, flush):
        """`flush`: only where the device is idle and the context not broken."""
        text = ctypes.create_string_buffer(_BYTES)
        size = self._library.kbx_census_collect(ctypes.c_int(flush), text, ctypes.c_size_t(_BYTES))
        return json.loads(text.raw[:size]) if size <= _BYTES else {}
