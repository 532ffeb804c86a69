# SPDX-License-Identifier: Apache-2.0
"""The messages of runner/protocol/wire.h in Python: docs/protocol.md. One message per datagram."""
import enum
import socket
import struct
from dataclasses import dataclass

MAGIC = 0x3158424B
VERSION = 1
MAX_MESSAGE = 60 * 1024
MAX_DESCRIPTORS = 64
_HEADER = struct.Struct("<IHHI")


class Type(enum.IntEnum):
    LOAD = 1
    ATTACH = 2
    PREPARE = 3
    CALL = 4
    REPORT = 5
    STOP = 6
    SOURCE = 7
    LOCKDOWN = 8
    HARVEST = 9
    CACHE = 10
    TIME = 11
    DELIVER = 12
    READY = 16
    LOADED = 17
    FAILED = 18
    PREPARED = 19
    RETURNED = 20
    REPORTED = 21
    FAULT = 22
    HARVESTED = 23
    TIMED = 24
    SPAWN = 32
    SPAWNED = 33
    REAP = 34
    REAPED = 35


class FailedAt(enum.IntEnum):
    IMPORT = 1
    BIND = 2
    COMPILE = 3
    CALL = 4
    UNSUPPORTED = 5


class Role(enum.IntEnum):
    INTERPRET = 2
    COMPILE = 3
    CUDA = 4


class Timing(enum.IntEnum):
    EACH = 0
    QUEUED = 1
    TRACED = 2


class Tag(enum.IntEnum):
    NONE = 0
    BOOLEAN = 1
    INTEGER = 2
    REAL = 3
    TEXT = 4
    DTYPE = 5
    TENSOR = 6
    INT_LIST = 7
    REAL_LIST = 8
    BOOL_LIST = 9
    TENSOR_LIST = 10


class LeafKind(enum.IntEnum):
    NONE = 0
    TENSOR = 1
    NUMBER = 2
    TEXT = 3
    OTHER = 4


CENSUS = 1
POISON = 2
TIME = 4
PROFILE = 8


@dataclass
class Segment:
    id: int
    fd: int
    offset: int
    length: int
    device: int
    writable: int


@dataclass
class Tensor:
    segment: int
    offset: int
    dtype: tuple  # (DLPack code, bits)
    device: int
    sizes: tuple
    strides: tuple


@dataclass
class Leaf:
    kind: int = LeafKind.NONE
    copied: int = 0
    aliases_argument: int = 0
    dtype: tuple = (0, 0)
    sizes: tuple = ()
    value: float = 0.0
    type: str = ""


class Malformed(Exception):
    """The other side sent something that is no message of this protocol."""


class Writer:
    def __init__(self, kind):
        self._kind = kind
        self._parts = []

    def pack(self, layout, *values):
        self._parts.append(struct.pack("<" + layout, *values))
        return self

    def raw(self, data):
        self._parts.append(data)
        return self

    def str(self, text):
        data = text if isinstance(text, bytes) else text.encode("utf-8", "replace")
        return self.pack("I", len(data)).raw(data)

    def list(self, texts):
        self.pack("I", len(texts))
        for text in texts:
            self.str(text)
        return self

    def tensor(self, t):
        n = len(t.sizes)
        return self.pack(f"IQBBBB{n}q{n}q", t.segment, t.offset, *t.dtype, t.device, n, *t.sizes, *t.strides)

    def segment(self, s):
        return self.pack("IIQQBB", s.id, s.fd, s.offset, s.length, s.device, s.writable)

    def leaf(self, leaf):
        n = len(leaf.sizes)
        self.pack(f"BBBBBB{n}qd", leaf.kind, leaf.copied, leaf.aliases_argument, *leaf.dtype, n, *leaf.sizes, leaf.value)
        return self.str(leaf.type)

    def finish(self):
        body = b"".join(self._parts)
        return _HEADER.pack(MAGIC, VERSION, self._kind, len(body)) + body


class Reader:
    """Reads a message; raises Malformed instead of reading past its end."""

    def __init__(self, message):
        if len(message) < _HEADER.size:
            raise Malformed("short header")
        magic, version, kind, length = _HEADER.unpack_from(message)
        if magic != MAGIC or version != VERSION or length != len(message) - _HEADER.size:
            raise Malformed("wrong magic, version or length")
        self.kind = kind
        self._message = message
        self._at = _HEADER.size

    def unpack(self, layout):
        try:
            values = struct.unpack_from("<" + layout, self._message, self._at)
        except struct.error:
            raise Malformed("message ends early") from None
        self._at += struct.calcsize("<" + layout)
        return values

    def u8(self):
        return self.unpack("B")[0]

    def u32(self):
        return self.unpack("I")[0]

    def u64(self):
        return self.unpack("Q")[0]

    def bytes(self):
        size = self.u32()
        end = self._at + size
        if end > len(self._message):
            raise Malformed("text ends early")
        data = self._message[self._at:end]
        self._at = end
        return data

    def str(self):
        return self.bytes().decode("utf-8", "replace")

    def list(self):
        return [self.str() for _ in range(self.u32())]

    def segment(self):
        return Segment(*self.unpack("IIQQBB"))

    def tensor(self):
        segment, offset, code, bits, device, n = self.unpack("IQBBBB")
        return Tensor(segment, offset, (code, bits), device, self.unpack(f"{n}q"), self.unpack(f"{n}q"))

    def leaf(self):
        kind, copied, alias, code, bits, n = self.unpack("BBBBBB")
        return Leaf(kind, copied, alias, (code, bits), self.unpack(f"{n}q"), self.unpack("d")[0], self.str())

    def argument(self):
        """(name, tag, value); tensors stay wire tensors."""
        name, tag = self.str(), self.u8()
        if tag == Tag.NONE:
            return name, tag, None
        if tag == Tag.BOOLEAN:
            return name, tag, bool(self.u8())
        if tag == Tag.INTEGER:
            return name, tag, self.unpack("q")[0]
        if tag == Tag.REAL:
            return name, tag, self.unpack("d")[0]
        if tag == Tag.TEXT:
            return name, tag, self.str()
        if tag == Tag.DTYPE:
            return name, tag, self.unpack("BB")
        if tag == Tag.TENSOR:
            return name, tag, self.tensor()
        if tag == Tag.TENSOR_LIST:
            return name, tag, [self.tensor() for _ in range(self.u32())]
        if tag in (Tag.INT_LIST, Tag.REAL_LIST, Tag.BOOL_LIST):
            code = {Tag.INT_LIST: "q", Tag.REAL_LIST: "d", Tag.BOOL_LIST: "?"}[tag]
            return name, tag, list(self.unpack(f"{self.u32()}{code}"))
        raise Malformed(f"unknown tag {tag}")


class Channel:
    """One end of the control socket."""

    def __init__(self, sock):
        self._sock = sock

    def send(self, writer, descriptors=()):
        message = writer.finish()
        if len(message) > MAX_MESSAGE:
            raise Malformed(f"message of {len(message)} bytes")
        if descriptors:
            socket.send_fds(self._sock, [message], list(descriptors))
        else:
            self._sock.send(message)

    def receive(self):
        """(Reader, descriptors), or (None, []) at the end of the stream."""
        message, descriptors, flags, _ = socket.recv_fds(self._sock, MAX_MESSAGE, MAX_DESCRIPTORS)
        if not message:
            return None, []
        if flags & (socket.MSG_TRUNC | socket.MSG_CTRUNC):
            raise Malformed("oversized message")
        return Reader(message), list(descriptors)

    def close(self):
        self._sock.close()


def failed(at, kind, message="", excerpt="", line=0):
    """A `failed` message; long texts are cut so that it fits a datagram."""
    writer = Writer(Type.FAILED).pack("B", at)
    return writer.str(kind[:200]).str(_cut(message, 16000)).str(_cut(excerpt, 16000)).pack("I", line)


def _cut(text, limit):
    data = text.encode("utf-8", "replace")
    if len(data) <= limit:
        return data
    half = limit // 2
    return data[:half] + b"\n[...]\n" + data[-half:]
