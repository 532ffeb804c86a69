# SPDX-License-Identifier: Apache-2.0
"""A judge for tests: starts a zygote, spawns children, speaks docs/protocol.md. Expected values are the tests' own."""
import ctypes
import json
import mmap
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass, field

import torch

RUNNER = os.path.join(os.path.dirname(__file__), "..", "..", "runner", "python")
sys.path.insert(0, RUNNER)
from kbx_runner import lockdown, wire  # noqa: E402
from kbx_runner.dtypes import FROM_WIRE, TO_WIRE  # noqa: E402
from kbx_runner.wire import FailedAt, LeafKind, Role, Tag, Type  # noqa: E402

PAGE = mmap.PAGESIZE
TRITON_CACHE = os.path.join(tempfile.gettempdir(), "kbx-test-triton")


@dataclass
class Failed:
    at: int
    kind: str
    message: str
    excerpt: str
    line: int


@dataclass
class Call:
    claimed_ns: int
    delivered: bool
    leaves: list
    bad: int = 0
    destinations: list = field(default_factory=list)


class Died(Exception):
    """The runner hung up instead of answering."""


class ZygoteProcess:
    def __init__(self, role, lockdown_path="", **environment):
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        def to_three():
            os.dup2(theirs.fileno(), 3)
        self.scratch = tempfile.mkdtemp(prefix="kbx-test-")
        environment = {"PATH": "/usr/bin:/bin", "HOME": self.scratch, "TMPDIR": self.scratch,
                       "TRITON_CACHE_DIR": os.environ.get("TRITON_CACHE_DIR", TRITON_CACHE), **environment}
        self._process = subprocess.Popen(
            [sys.executable, "-s", "-B", os.path.join(RUNNER, "zygote.py"), "--role", role, "--lockdown", lockdown_path],
            preexec_fn=to_three, close_fds=False, env=environment)
        theirs.close()
        ours.settimeout(120)
        self.role = {"interpret": Role.INTERPRET, "compile": Role.COMPILE, "cuda": Role.CUDA}[role]
        self.channel = wire.Channel(ours)
        reader, _ = self.channel.receive()
        assert reader.kind == Type.READY

    def spawn(self, namespaces=False, own_cache=False):
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        read_end, write_end = os.pipe()
        options = json.dumps({"namespaces": namespaces, "scratch_bytes": 64 << 20, "own_cache": own_cache})
        self.channel.send(wire.Writer(Type.SPAWN).str(options), [theirs.fileno(), write_end])
        theirs.close()
        os.close(write_end)
        reader, descriptors = self.channel.receive()
        if reader.kind == Type.FAILED:
            raise RuntimeError(reader.unpack("B"), reader.str(), reader.str())
        return Runner(self, reader.u64(), descriptors[0], ours, read_end)

    def close(self):
        self.channel.send(wire.Writer(Type.STOP))
        self._process.wait(30)
        shutil.rmtree(self.scratch, ignore_errors=True)


class Runner:
    """One child. Tensors given to `call` are copied into a shared arena of its own, and destinations read from it."""

    def __init__(self, zygote, pid, pidfd, sock, output):
        self.zygote, self.pid, self.pidfd = zygote, pid, pidfd
        self._text = b""
        self._drain = threading.Thread(target=self._read_output, args=(output,), daemon=True)
        self._drain.start()
        sock.settimeout(120)
        self.channel = wire.Channel(sock)
        self.arena = Arena()
        self.layers = None

    def _read_output(self, output):
        while chunk := os.read(output, 65536):
            self._text = (self._text + chunk)[-65536:]
        os.close(output)

    def request(self, writer, descriptors=()):
        self.channel.send(writer, descriptors)
        reader, _ = self.channel.receive()
        if reader is None:
            raise Died()
        if reader.kind == Type.FAILED:
            at, = reader.unpack("B")
            return Failed(FailedAt(at), reader.str(), reader.str(), reader.str(), reader.u32())
        return reader

    def lock_down(self, wanted=None):
        answer = self.request(lockdown.write(wire.Writer(Type.LOCKDOWN), wanted or lockdown.Lockdown()))
        if isinstance(answer, Failed):
            return answer
        self.layers = answer.u32()
        return self.layers

    def send_source(self, files, kind=Type.SOURCE):
        descriptor = os.memfd_create("source")
        writer = wire.Writer(kind).pack("I", len(files))
        for path, text in files.items():
            data = text if isinstance(text, bytes) else text.encode()
            os.write(descriptor, data)
            writer.str(path).pack("Q", len(data))
        self.channel.send(writer, [descriptor])
        os.close(descriptor)

    def load(self, source, entries, schema="f(Tensor input) -> Tensor", flags=wire.CENSUS, path="candidate.py", arch=90, **options):
        if self.layers is None:
            self.lock_down()
        self.send_source(source if isinstance(source, dict) else {path: source})
        answer = self.request(self.arena.attach_message(), [self.arena.descriptor])
        assert not isinstance(answer, Failed), answer
        writer = wire.Writer(Type.LOAD).pack("B", self.zygote.role).str(path).list(entries).str(schema)
        answer = self.request(writer.pack("BI", flags, arch).str(json.dumps(options)))
        return answer if isinstance(answer, Failed) else (answer.str(), answer.str())

    def call(self, *args, out=(), seed=1, set=0, **kwargs):
        """`out`: tensors like the destinations; the returned Call holds what came into them. Argument tensors are updated."""
        placed, destinations = self.prepare(*args, out=out, set=set, **kwargs)
        answer = self.request(wire.Writer(Type.CALL).pack("I", 1).pack("IQ", set, seed))
        if isinstance(answer, Failed):
            return answer
        call, = self._returned(answer)
        for original, view in placed:
            original.copy_(view)
        call.destinations = [view.clone() for view in destinations]
        return call

    def prepare(self, *args, out=(), set=0, **kwargs):
        """([(argument tensor, what the runner sees of it)], [destination]) of a set."""
        writer = wire.Writer(Type.PREPARE).pack("II", set, len(args) + len(kwargs))
        placed = []
        for name, value in [("", a) for a in args] + list(kwargs.items()):
            writer.str(name)
            self._argument(writer, value, placed)
        destinations = [self.arena.place(t) for t in out]
        writer.pack("I", len(destinations))
        for d in destinations:
            writer.tensor(d[0])
        answer = self.request(writer)
        assert not isinstance(answer, Failed), answer
        return placed, [view for _, view in destinations]

    def time(self, how, calls):
        """Claimed nanoseconds of [(set, seed)], or Failed."""
        writer = wire.Writer(Type.TIME).pack("BI", how, len(calls))
        for set, seed in calls:
            writer.pack("IQ", set, seed)
        answer = self.request(writer)
        return answer if isinstance(answer, Failed) else list(answer.unpack(f"{answer.u32()}Q"))

    def deliver(self):
        """A Call without destinations for each call of the last `time`, or Failed."""
        answer = self.request(wire.Writer(Type.DELIVER))
        return answer if isinstance(answer, Failed) else self._returned(answer)

    @staticmethod
    def _returned(answer):
        calls = []
        for _ in range(answer.u32()):
            claimed, delivered, n = answer.unpack("QBI")
            calls.append(Call(claimed, bool(delivered), [answer.leaf() for _ in range(n)]))
        bad = answer.u32()
        for call in calls:
            call.bad = bad
        return calls

    def _argument(self, writer, value, placed):
        if value is None:
            writer.pack("B", Tag.NONE)
        elif isinstance(value, bool):
            writer.pack("BB", Tag.BOOLEAN, value)
        elif isinstance(value, int):
            writer.pack("Bq", Tag.INTEGER, value)
        elif isinstance(value, float):
            writer.pack("Bd", Tag.REAL, value)
        elif isinstance(value, str):
            writer.pack("B", Tag.TEXT).str(value)
        elif isinstance(value, torch.dtype):
            writer.pack("BBB", Tag.DTYPE, *TO_WIRE[value])
        elif isinstance(value, torch.Tensor):
            described, view = self.arena.place(value)
            placed.append((value, view))
            writer.pack("B", Tag.TENSOR).tensor(described)
        elif value and isinstance(value[0], torch.Tensor):
            writer.pack("BI", Tag.TENSOR_LIST, len(value))
            for t in value:
                described, view = self.arena.place(t)
                placed.append((t, view))
                writer.tensor(described)
        else:
            writer.pack(f"BI{len(value)}q", Tag.INT_LIST, len(value), *value)

    def report(self):
        return json.loads(self.request(wire.Writer(Type.REPORTED - 16)).str())

    def harvest(self):
        """The files of its Triton cache by path."""
        descriptor = os.memfd_create("harvest")
        answer = self.request(wire.Writer(Type.HARVEST), [descriptor])
        files, offset = {}, 0
        for path, size in [] if isinstance(answer, Failed) else [(answer.str(), answer.u64()) for _ in range(answer.u32())]:
            files[path] = os.pread(descriptor, size, offset)
            assert len(files[path]) == size
            offset += size
        os.close(descriptor)
        return answer if isinstance(answer, Failed) else files

    def send_cache(self, files):
        """Before `load`: what another runner's `harvest` gave."""
        if self.layers is None:
            self.lock_down()
        self.send_source(files, Type.CACHE)

    def status(self):
        state, _, programs = struct.unpack_from("<IIQ", self.arena.memory, 0)
        return state, programs

    def end(self, kill=False):
        """Ends the child; (wait status, its output)."""
        if kill:
            signal.pidfd_send_signal(self.pidfd, signal.SIGKILL)
        self.channel.close()
        self.zygote.channel.send(wire.Writer(Type.REAP).pack("Q", self.pid))
        reader, _ = self.zygote.channel.receive()
        self._drain.join(10)
        os.close(self.pidfd)
        return reader.u32(), self._text.decode("utf-8", "replace")


class Arena:
    """Host memory: the status page (segment 0) and 32 MiB (segment 1). Tensors start on 64 bytes and end before a gap."""

    SIZE = 32 << 20

    def __init__(self):
        self.descriptor = os.memfd_create("arena")
        os.ftruncate(self.descriptor, PAGE + self.SIZE)
        self.memory = mmap.mmap(self.descriptor, PAGE + self.SIZE)
        self._next = 0

    def attach_message(self):
        writer = wire.Writer(Type.ATTACH).pack("I", 2)
        writer.segment(wire.Segment(0, 0, 0, PAGE, 0, 1))
        return writer.segment(wire.Segment(1, 0, PAGE, self.SIZE, 0, 1))

    def place(self, tensor):
        elements = 0 if tensor.numel() == 0 else 1 + sum((n - 1) * s for n, s in zip(tensor.shape, tensor.stride()))
        size = elements * tensor.element_size()
        offset = self._next
        self._next += -(-(size + 1) // PAGE) * PAGE
        described = wire.Tensor(1, offset, TO_WIRE[tensor.dtype], 0, tuple(tensor.shape), tuple(tensor.stride()))
        if elements == 0:
            return described, tensor
        raw = (ctypes.c_char * size).from_buffer(self.memory, PAGE + offset)
        view = torch.frombuffer(raw, dtype=tensor.dtype, count=elements).as_strided(tensor.shape, tensor.stride())
        view.copy_(tensor)
        return described, view


__all__ = ["Arena", "Call", "Died", "Failed", "FailedAt", "FROM_WIRE", "LeafKind", "Role", "Runner", "ZygoteProcess"]
