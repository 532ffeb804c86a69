# SPDX-License-Identifier: Apache-2.0
"""How Triton's number types are held in numpy: bfloat16 as float32 whose low 16 bits are zero, float8 as its bits."""
import numpy as np
import torch
import triton.language as tl

from .rounding import to_odd_float32

_SCALARS = {
    "int1": np.bool_, "int8": np.int8, "uint8": np.uint8, "int16": np.int16, "uint16": np.uint16, "int32": np.int32,
    "uint32": np.uint32, "int64": np.int64, "uint64": np.uint64, "fp16": np.float16, "bf16": np.float32,
    "fp32": np.float32, "fp64": np.float64, "fp8e5": np.uint8, "fp8e4nv": np.uint8, "fp8e4b8": np.uint8,
    "fp8e5b16": np.uint8, "fp8e4b15": np.uint8,
}
_SCALARS = {name: np.dtype(kind) for name, kind in _SCALARS.items()}
_POINTER = np.dtype(np.uint64)
_FLOAT8 = {"fp8e5": torch.float8_e5m2, "fp8e4nv": torch.float8_e4m3fn, "fp8e4b8": torch.float8_e4m3fnuz,
           "fp8e5b16": torch.float8_e5m2fnuz}


def numpy_dtype(ty):
    """The numpy dtype that holds values of a Triton type."""
    ty = ty.scalar
    return _POINTER if ty.is_ptr() else _SCALARS[ty.name]


def memory_dtype(ty):
    """The numpy dtype of such values in memory."""
    return np.dtype(np.uint16) if ty.scalar.name == "bf16" else numpy_dtype(ty)


def round_to_bf16(values):
    """Values rounded to bfloat16, to nearest with ties to even; NaN stays NaN."""
    if values.dtype == np.float64:
        values = to_odd_float32(values)  # else they would be rounded twice
    bits = np.ascontiguousarray(values, dtype=np.float32).view(np.uint32)
    rounded = (bits + (np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1)))) & np.uint32(0xFFFF0000)
    result = rounded.view(np.float32).reshape(np.shape(values))
    nan = np.isnan(values)
    return np.where(nan, np.float32(np.nan), result) if nan.any() else result


def truncate_to_tf32(values):
    """float32 values without the 13 last mantissa bits: the tensor cores ignore them (seen on an H200)."""
    bits = np.ascontiguousarray(values, dtype=np.float32).view(np.uint32) & np.uint32(0xFFFFE000)
    return np.where(np.isnan(values), values, bits.view(np.float32).reshape(np.shape(values)))


def bf16_from_memory(bits):
    return (bits.astype(np.uint32) << np.uint32(16)).view(np.float32)


def bf16_to_memory(values):
    return (np.ascontiguousarray(values, dtype=np.float32).view(np.uint32) >> np.uint32(16)).astype(np.uint16).reshape(
        np.shape(values))


def to_memory(values, ty):
    """Values of a Triton type as they lie in memory."""
    return bf16_to_memory(values) if ty.scalar.name == "bf16" else values


def from_memory(bits, ty):
    return bf16_from_memory(bits) if ty.scalar.name == "bf16" else bits


def fit(data, ty):
    """`data` as the numpy dtype of `ty`, rounded where the type is narrower than what holds it."""
    if ty.is_ptr():
        return data
    name = ty.scalar.name
    if name == "bf16":
        return round_to_bf16(data)
    wanted = _SCALARS.get(name)
    if wanted is None or data.dtype == wanted:
        return data
    return data != 0 if name == "int1" else data.astype(wanted)


def float8_to_float(bits, ty):
    raw = torch.from_numpy(np.ascontiguousarray(bits)).view(_FLOAT8[ty.scalar.name])
    return raw.to(torch.float32).numpy()


def float8_from_float(values, ty):
    """Saturates, as the GPU's conversion does; NaN stays NaN."""
    kind = _FLOAT8[ty.scalar.name]
    largest = torch.finfo(kind).max
    wide = torch.from_numpy(np.ascontiguousarray(values, dtype=np.float32)).clamp(-largest, largest)
    return wide.to(kind).view(torch.uint8).numpy()


def as_float(data, ty):
    """Values of a floating type in a numpy floating dtype."""
    return float8_to_float(data, ty) if ty.scalar.name in _FLOAT8 else data


def float_to_int(values, ty):
    """Saturates at 32 and 64 bits and maps NaN to 0, as the GPU's conversion does; narrower types wrap from 32 bits."""
    wanted = numpy_dtype(ty)
    wide = wanted if wanted.itemsize >= 4 else np.dtype(np.int32)
    info = np.iinfo(wide)
    values = np.asarray(values, dtype=np.float64)
    truncated = np.where(np.isnan(values), 0.0, np.trunc(values))
    inside = (truncated >= float(info.min)) & (truncated < float(info.max) + (0 if wide.itemsize == 8 else 1))
    clamped = np.where(inside, truncated, 0.0).astype(wide)
    clamped[~inside & (truncated > 0)] = info.max
    clamped[~inside & (truncated < 0)] = info.min
    return clamped.astype(wanted)


def toward_zero(rounded, exact, ty):
    """Corrects a result of rounding to nearest into one of rounding toward zero, for fp16 and bf16."""
    too_far = np.abs(rounded.astype(np.float64)) > np.abs(exact.astype(np.float64))
    if ty.scalar.name == "bf16":
        bits = np.ascontiguousarray(rounded).view(np.uint32)
        return np.where(too_far, (bits - np.uint32(0x10000)).view(np.float32), rounded)
    return np.where(too_far, np.nextafter(rounded, np.zeros_like(rounded)), rounded)


def is_bf16(ty):
    return ty.scalar is tl.bfloat16 or ty.scalar.name == "bf16"
