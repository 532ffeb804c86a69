# SPDX-License-Identifier: Apache-2.0
"""Registers and spilled bytes of a kernel, read from the .nv.info sections of a cubin (ELF64).

Attributes as cuobjdump -elf prints them: format u8, attribute u8, then u16 value or u16 size and data."""
import struct

_REGCOUNT, _FRAME_SIZE = 0x2F, 0x11
_SIZED = 0x04  # EIFMT_SVAL


def registers_and_frame(cubin):
    """(registers a thread, bytes of stack a thread) of the one kernel in the cubin; 0 where it does not say."""
    registers = frame = 0
    for name, data in _sections(cubin):
        if name == ".nv.info":
            for attribute, value in _attributes(data):
                if attribute == _REGCOUNT and len(value) >= 8:
                    registers = max(registers, struct.unpack_from("<I", value, 4)[0])
                elif attribute == _FRAME_SIZE and len(value) >= 8:
                    frame = max(frame, struct.unpack_from("<I", value, 4)[0])
    return registers, frame


def _sections(elf):
    if elf[:4] != b"\x7fELF" or len(elf) < 64:
        return
    offset, = struct.unpack_from("<Q", elf, 40)
    size, count, names_at = struct.unpack_from("<HHH", elf, 58)
    headers = [struct.unpack_from("<IIQQQQ", elf, offset + i * size) for i in range(count)]
    names = headers[names_at]
    for header in headers:
        start = names[4] + header[0]
        yield elf[start:elf.index(b"\0", start)].decode("ascii", "replace"), elf[header[4]:header[4] + header[5]]


def _attributes(data):
    at = 0
    while at + 4 <= len(data):
        form, attribute, value = struct.unpack_from("<BBH", data, at)
        at += 4
        if form == _SIZED:
            yield attribute, data[at:at + value]
            at += value
