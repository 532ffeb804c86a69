# SPDX-License-Identifier: Apache-2.0
"""tl.dot and tl.dot_scaled: which bits of the operands the tensor cores use, and in what they add."""
import numpy as np
import triton.language as tl
from triton._C.libtriton import ir
from triton.runtime import interpreter as stock

from .numerics import as_float, truncate_to_tf32

Handle = stock.TensorHandle
# Values of the four-bit type e2m1 by code: OCP Microscaling Formats (MX) Specification 1.0, section 5.3.3.
_E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6], dtype=np.float32)


def dot(a, b, d, input_precision):
    x, y = as_float(a.data, a.dtype), as_float(b.data, b.dtype)
    if a.dtype.scalar.is_int():
        # Exact: the sums stay far below 2**53.
        product = np.matmul(x.astype(np.float64), y.astype(np.float64)).astype(np.int64).astype(np.int32)
    elif x.dtype == np.float64:
        product = np.matmul(x, y)
    else:
        x, y = x.astype(np.float32, copy=False), y.astype(np.float32, copy=False)
        if a.dtype.scalar.is_fp32() and input_precision == ir.INPUT_PRECISION.TF32:
            x, y = truncate_to_tf32(x), truncate_to_tf32(y)
        product = np.matmul(x, y)
    return Handle(product + d.data, d.dtype.scalar)


def _unpacked(bits, axis):
    """Two values of e2m1 in each byte along `axis` (negative), the lower four bits first."""
    bits = bits.view(np.uint8)
    both = np.stack([_E2M1[bits & 15], _E2M1[bits >> 4]], axis=bits.ndim + axis + 1)
    shape = list(bits.shape)
    shape[axis] *= 2
    return both.reshape(shape)


def _scaled(values, scale):
    """Rows of `values` in groups along the last axis, each times 2**(its scale - 127); the code 255 is NaN (section 5.4.1)."""
    if scale is None:
        return values
    codes = np.ascontiguousarray(scale.data).view(np.uint8)
    factors = np.where(codes == 255, np.nan, np.exp2(codes.astype(np.float64) - 127))
    return values * np.repeat(factors, values.shape[-1] // codes.shape[-1], axis=-1)


def _operand(handle, four_bits, packed_axis):
    if four_bits:
        return _unpacked(np.ascontiguousarray(handle.data), packed_axis).astype(np.float64)
    return as_float(handle.data, handle.dtype).astype(np.float64)


def dot_scaled(lhs, lhs_scale, lhs_format, rhs, rhs_scale, rhs_format, lhs_k_pack, rhs_k_pack, acc):
    e2m1 = ir.ScaleDotElemTypeTY.E2M1
    x = _operand(lhs, lhs_format == e2m1, -1 if lhs_k_pack else -2)
    y = _operand(rhs, rhs_format == e2m1, -2 if rhs_k_pack else -1)
    x = _scaled(x, lhs_scale)
    y = np.swapaxes(_scaled(np.swapaxes(y, -1, -2), rhs_scale), -1, -2)
    return Handle(np.matmul(x, y).astype(np.float32) + acc.data, tl.float32)
