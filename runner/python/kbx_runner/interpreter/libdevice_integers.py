# SPDX-License-Identifier: Apache-2.0
"""The integer functions of CUDA's device library, and its conversions to integers and between bits and numbers."""
import re

import numpy as np
import triton.language as tl

from .numerics import float_to_int


def _unsigned(x):
    return np.ascontiguousarray(x).view(f"u{x.itemsize}")


def _python(operation, kind):
    """`operation` of Python integers, modulo the width of `kind`."""
    kind = np.dtype(kind)
    unsigned = np.dtype(f"u{kind.itemsize}")
    mask = 2 ** (8 * kind.itemsize) - 1
    return lambda *arrays: np.asarray(np.frompyfunc(lambda *v: operation(*map(int, v)) & mask, len(arrays), 1)(*arrays)).astype(
        unsigned).view(kind)


def _leading_zeros(x):
    width = 8 * x.itemsize
    return np.frompyfunc(lambda v: width - int(v).bit_length(), 1, 1)(_unsigned(x)).astype(np.int32)


def _first_set(x):
    """One more than the place of the lowest bit that is set; 0 without one."""
    return np.frompyfunc(lambda v: (int(v) & -int(v)).bit_length(), 1, 1)(_unsigned(x)).astype(np.int32)


def _reversed_bits(x):
    width = 8 * x.itemsize
    return np.frompyfunc(lambda v: int(f"{int(v):0{width}b}"[::-1], 2), 1, 1)(_unsigned(x)).astype(f"u{x.itemsize}").view(x.dtype)


def _byte_perm(x, y, selector):
    """Byte k of the result is byte (selector >> 4k) & 7 of the eight bytes x, y."""
    def one(a, b, s):
        both = int(a) | int(b) << 32
        return sum((both >> 8 * (int(s) >> 4 * k & 7) & 255) << 8 * k for k in range(4))
    return np.frompyfunc(one, 3, 1)(_unsigned(x), _unsigned(y), _unsigned(selector)).astype(np.uint32).view(np.int32)


def _signed24(v):
    v &= 0xFFFFFF
    return v - 0x1000000 if v & 0x800000 else v


def _high_word(x, shift):
    return (np.ascontiguousarray(x).view(np.uint64) >> np.uint64(shift)).astype(np.uint32).view(np.int32)


def _join(high, low):
    return ((_unsigned(high).astype(np.uint64) << np.uint64(32)) | _unsigned(low).astype(np.uint64)).view(np.float64)


def _view(kind):
    return lambda x: np.ascontiguousarray(x).view(kind)


FUNCTIONS = {
    "abs": np.abs, "llabs": np.abs, "clz": _leading_zeros, "clzll": _leading_zeros, "ffs": _first_set, "ffsll": _first_set,
    "popc": lambda x: np.bitwise_count(_unsigned(x)), "popcll": lambda x: np.bitwise_count(_unsigned(x)),
    "brev": _reversed_bits, "brevll": _reversed_bits, "byte_perm": _byte_perm,
    "mulhi": _python(lambda a, b: a * b >> 32, np.int32), "umulhi": _python(lambda a, b: a * b >> 32, np.uint32),
    "mul64hi": _python(lambda a, b: a * b >> 64, np.int64), "umul64hi": _python(lambda a, b: a * b >> 64, np.uint64),
    "mul24": _python(lambda a, b: _signed24(a) * _signed24(b), np.int32),
    "umul24": _python(lambda a, b: (a & 0xFFFFFF) * (b & 0xFFFFFF), np.uint32),
    "sad": _python(lambda a, b, c: abs(a - b) + c, np.int32), "usad": _python(lambda a, b, c: abs(a - b) + c, np.uint32),
    "hadd": _python(lambda a, b: a + b >> 1, np.int32), "uhadd": _python(lambda a, b: a + b >> 1, np.uint32),
    "rhadd": _python(lambda a, b: a + b + 1 >> 1, np.int32), "urhadd": _python(lambda a, b: a + b + 1 >> 1, np.uint32),
    "float_as_int": _view(np.int32), "float_as_uint": _view(np.int32), "int_as_float": _view(np.float32),
    "uint_as_float": _view(np.float32), "double_as_longlong": _view(np.int64), "longlong_as_double": _view(np.float64),
    "double2hiint": lambda x: _high_word(x, 32), "double2loint": lambda x: _high_word(x, 0), "hiloint2double": _join,
}
_TO_INTEGER = re.compile(r"(?:float|double)2(?P<target>int|uint|ll|ull)_(?P<mode>r[nzdu])")
_ROUNDING = {"rn": np.rint, "rz": np.trunc, "rd": np.floor, "ru": np.ceil}
_TARGETS = {"int": tl.int32, "uint": tl.uint32, "ll": tl.int64, "ull": tl.uint64}


def to_integer(name):
    """The conversion such as float2int_rn, which saturates; None for another name. Unsigned results come as signed bits."""
    found = _TO_INTEGER.fullmatch(name)
    if found is None:
        return None
    target, round_off = _TARGETS[found["target"]], _ROUNDING[found["mode"]]

    def call(x):
        values = float_to_int(round_off(x), target)
        return np.ascontiguousarray(values).view(f"i{values.itemsize}")

    return call
