# SPDX-License-Identifier: Apache-2.0
"""Calls of a candidate with nothing between them but the clock.

Everything used here is taken before any candidate runs; what it claims is a claim all the same."""
import ctypes
import gc
import time

from .wire import Timing

_clock = time.perf_counter_ns
_collects, _stop_collecting, _collect_again = gc.isenabled, gc.disable, gc.enable
_library, _reference, _float, _pointer = ctypes.CDLL, ctypes.byref, ctypes.c_float, ctypes.c_void_p
_LEGACY_STREAM = _pointer(1)  # CU_STREAM_LEGACY, cuda.h


class Untraceable(Exception):
    """There is no GPU time to be had; the text says why."""


class HostWatch:
    """How calls are timed where nothing of them goes on after they came back."""

    def wait(self):
        """For what a call set going."""

    def begin_span(self):
        self._begin = _clock()

    def end_span(self):
        """Nanoseconds since begin_span()."""
        return _clock() - self._begin

    def begin_trace(self):
        raise Untraceable("nothing here runs on a GPU")


class DeviceWatch:
    """`wait`: for the device. `census`: of device_census, or None and `why_unseen`."""

    def __init__(self, wait, census, why_unseen):
        self.wait, self._census, self._why_unseen = wait, census, why_unseen
        self._driver = None

    def begin_span(self):
        if self._driver is None:
            self._make_events()
        self._check(self._driver.cuEventRecord(self._begin, _LEGACY_STREAM))

    def end_span(self):
        """Nanoseconds since begin_span() by events of the legacy default stream; waits for the device."""
        recorded = self._driver.cuEventRecord(self._end, _LEGACY_STREAM)
        self.wait()  # says more of a fault
        self._check(recorded)
        milliseconds = _float()
        self._check(self._driver.cuEventElapsedTime(_reference(milliseconds), self._begin, self._end))
        return int(milliseconds.value * 1e6)

    def begin_trace(self):
        """What is told of each call, and what gives their times after the last was waited for."""
        if self._census is None:
            raise Untraceable(self._why_unseen)
        self._census.begin_trace()
        return self._census.trace_call, self._census.end_trace

    def _make_events(self):
        self._driver = _library("libcuda.so.1")
        self._begin, self._end = _pointer(), _pointer()
        for event in (self._begin, self._end):
            self._check(self._driver.cuEventCreate(_reference(event), 0))

    @staticmethod
    def _check(status):
        if status != 0:
            raise RuntimeError(f"CUDA driver error {status} while timing by events")


def run(how, function, calls, values, watch, seed):
    """Calls `function` with each (args, kwargs) and appends what it returns to `values`; `seed` is called before each, with its
    index, and is None where no call draws random numbers. Claimed nanoseconds as in `timed` (docs/protocol.md). Raises what a
    call raises, what waiting raises, and Untraceable."""
    collected = _collects()
    _stop_collecting()
    try:
        if how == Timing.QUEUED:
            return [_queued(function, calls, values.append, watch, seed)]
        if how == Timing.EACH:
            return _each(function, calls, values.append, _nothing, watch.wait, seed)
        begin_call, end_trace = watch.begin_trace()
        _each(function, calls, values.append, begin_call, watch.wait, seed)
        return end_trace(len(calls))
    finally:
        if collected:
            _collect_again()


def _nothing():
    pass


def _each(function, calls, keep, begin_call, wait, seed):
    claimed = []
    for index, (args, kwargs) in enumerate(calls):
        if seed is not None:
            seed(index)
        begin_call()
        begin = _clock()
        keep(function(*args, **kwargs))
        wait()
        claimed.append(_clock() - begin)
    return claimed


def _queued(function, calls, keep, watch, seed):
    watch.begin_span()
    for index, (args, kwargs) in enumerate(calls):
        if seed is not None:
            seed(index)
        keep(function(*args, **kwargs))
    return watch.end_span()
