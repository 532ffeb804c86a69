# SPDX-License-Identifier: Apache-2.0
"""What happened under the interpreter in this process: launches, programs, stores, accesses outside of all buffers."""
import bisect
import os
import sys

import numpy as np

MAX_RECORDS = 32
_OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


class Unsupported(Exception):
    """The interpreter cannot run this; not the candidate's fault. Kept by the monitor, so that catching it does not help."""

    def __init__(self, kind, message=""):
        super().__init__(message or kind)
        self.kind = kind


class Buffers:
    """Address ranges that a launch may touch. Overlapping ones count as one."""

    def __init__(self, named_ranges):
        self.named = sorted(named_ranges, key=lambda item: item[1])  # (name, start, end, data, itemsize)
        starts, ends = [], []
        for _, start, end, _, _ in self.named:
            if starts and start < ends[-1]:
                ends[-1] = max(ends[-1], end)
            elif end > start:
                starts.append(start)
                ends.append(end)
        self._starts, self._ends = starts, ends
        self._starts_array = np.array(starts, dtype=np.uint64)
        self._ends_array = np.array(ends, dtype=np.uint64)

    def holds_range(self, low, high):
        i = bisect.bisect_right(self._starts, low) - 1
        return i >= 0 and high <= self._ends[i]

    def holds(self, addresses, width):
        """For each address whether `width` bytes there lie inside one buffer."""
        if not self._starts:
            return np.zeros(addresses.shape, dtype=bool)
        i = np.searchsorted(self._starts_array, addresses, side="right").astype(np.int64) - 1
        ends = self._ends_array[np.maximum(i, 0)]
        # Written without address + width, which may wrap around.
        return (i >= 0) & (addresses < ends) & (ends - addresses >= np.uint64(width))

    def nearest(self, address):
        """(buffer, distance): bytes behind its end (>= 0) or before its start (< 0)."""
        best = None
        for buffer in self.named:
            _, start, end, _, _ = buffer
            distance = address - end if address >= end else address - start if address < start else 0
            if best is None or abs(distance) < abs(best[1]):
                best = (buffer, distance)
        return best


class Monitor:
    """One per process; the interpreter reports to it."""

    def __init__(self, status):
        self.status = status
        self.candidate_folder = None
        self.max_programs = 0           # 0: no limit
        self.unsupported = None         # the first Unsupported that was raised
        self.bad_lanes = 0
        self.launches = 0
        self.kernels = {}               # name -> [launches, programs]
        self.stored = set()             # data pointers of storages that a kernel stored into
        self._records = {}
        self._programs_in_call = 0
        self._buffers = Buffers([])
        self._kernel = ""
        self._program = (0, 0, 0)
        self._stored_spans = []

    def begin_call(self):
        self._programs_in_call = 0
        self.unsupported = None
        self.stored.clear()

    def refuse(self, kind, message=""):
        error = Unsupported(kind, message)
        if self.unsupported is None:
            self.unsupported = error
        raise error

    # Launches

    def begin_launch(self, kernel, programs, buffers):
        self._programs_in_call += programs
        if self.max_programs and self._programs_in_call > self.max_programs:
            self.refuse("grid too large", f"{self._programs_in_call} program instances in one call; the interpreter runs at "
                        f"most {self.max_programs}")
        self.launches += 1
        counts = self.kernels.setdefault(kernel, [0, 0])
        counts[0] += 1
        counts[1] += programs
        self._kernel = kernel
        self._buffers = buffers
        self.status.state(self.status.IN_LAUNCH)

    def begin_program(self, x, y, z):
        self._program = (x, y, z)

    def end_launch(self):
        self._buffers = Buffers([])
        self.status.state(self.status.HOST_CODE)

    def widen(self, buffers):
        """From now on in this launch these buffers are allowed too (pointers made from integers)."""
        self._buffers = Buffers(self._buffers.named + buffers)

    # Accesses

    def check(self, addresses, mask, width, kind):
        """The mask without the lanes that would leave all buffers."""
        active = addresses[mask]
        if active.size == 0:
            return mask
        low, high = int(active.min()), int(active.max()) + width
        if self._buffers.holds_range(low, high):
            if kind != "load":
                self._note_store(low)
            return mask
        good = self._buffers.holds(addresses, width)
        bad = mask & ~good
        if bad.any():
            self._note_bad(addresses[bad], kind)
        allowed = mask & good
        if kind != "load" and allowed.any():
            for address in np.unique(addresses[allowed]):
                self._note_store(int(address))
        return allowed

    def _note_store(self, address):
        for _, start, end, _, _ in self._buffers.named:
            if start <= address < end:
                self.stored.add(start)

    def _note_bad(self, addresses, kind):
        self.bad_lanes += addresses.size
        file, line = self._candidate_line()
        found = self._buffers.nearest(int(addresses[0]))
        name = found[0][0] if found else ""
        record = self._records.get((self._kernel, file, line, kind, name))
        if record is not None:
            record["count"] += int(addresses.size)
            return
        if len(self._records) >= MAX_RECORDS:
            return
        distance, offset, elements = 0, 0, 0
        if found:
            (_, start, end, data, itemsize), distance = found
            offset, elements = (int(addresses[0]) - data) // itemsize, (end - start) // itemsize
        self._records[self._kernel, file, line, kind, name] = {
            "kind": kind, "kernel": self._kernel, "file": file, "line": line, "program": list(self._program), "buffer": name,
            "offset": offset, "elements": elements, "distance": distance, "count": int(addresses.size)}

    def _candidate_line(self):
        frame = sys._getframe(2)
        fallback = ("", 0)
        while frame is not None:
            name = frame.f_code.co_filename
            if self.candidate_folder and name.startswith(self.candidate_folder):
                return os.path.basename(name), frame.f_lineno
            if fallback == ("", 0) and not name.startswith(_OURS) and f"{os.sep}triton{os.sep}" not in name:
                fallback = (os.path.basename(name), frame.f_lineno)
            frame = frame.f_back
        return fallback

    def accesses(self):
        """The records, each with a sentence for a person."""
        return [dict(record, text=_sentence(record)) for record in self._records.values()]


def _sentence(r):
    lanes = "1 element" if r["count"] == 1 else f"{r['count']} elements"
    where = f"{r['file']}:{r['line']} ({r['kernel']}, program {tuple(r['program'])})"
    if not r["buffer"]:
        return f"{r['kind']} of {lanes} through a pointer that belongs to no argument, {where}"
    side = f"{r['distance']} bytes behind the end" if r["distance"] >= 0 else f"{-r['distance']} bytes before the start"
    return (f"{r['kind']} of {lanes} outside of {r['buffer']}, first at offset {r['offset']} of {r['elements']} elements, "
            f"{side}, {where}")
