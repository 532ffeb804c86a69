# SPDX-License-Identifier: Apache-2.0
"""Triton's interpreting builder with its arithmetic repaired and its memory operations checked.

Overrides only what the stock one does differently from compiled code; tests/runner_python/test_numbers.py has a case for each."""
import dataclasses

import numpy as np
import torch
import triton.language as tl
from triton._C.libtriton import interpreter as native
from triton._C.libtriton import ir
from triton.runtime import interpreter as stock

from . import atomics, blocks, libdevice, products, rounding
from .numerics import (as_float, bf16_from_memory, bf16_to_memory, fit, float8_from_float, float_to_int,
                       from_memory, is_bf16, memory_dtype, numpy_dtype, to_memory, toward_zero)

Handle = stock.TensorHandle


def _comparison(operation):
    return lambda self, lhs, rhs: Handle(operation(lhs.data, rhs.data), tl.int1)


def _binary(operation):
    return lambda self, lhs, rhs: Handle(operation(lhs.data, rhs.data), lhs.dtype.scalar)


def _unary(operation):
    return lambda self, arg: Handle(operation(arg.data), arg.dtype.scalar)


def _unsigned(data):
    return data.view(f"u{data.itemsize}") if data.dtype.kind == "i" else data


def _signed(data):
    return data.view(f"i{data.itemsize}") if data.dtype.kind == "u" else data


@dataclasses.dataclass(frozen=True)
class Options(stock.InterpreterOptions):
    num_warps: int = 4
    sanitize_overflow: bool = False  # the overflow assertions exist on a GPU in debug mode only


class CheckedBuilder(stock.InterpreterBuilder):
    """`monitor` is told of every access; None outside of a child."""

    monitor = None

    def __init__(self):
        super().__init__()
        self.options = Options()

    def __getattr__(self, name):
        if name.startswith("create_"):
            return lambda *args, **kwargs: self.refuse(name[len("create_"):])
        raise AttributeError(name)

    def refuse(self, what):
        message = f"{what} is not supported by the interpreter"
        if self.monitor is None:
            raise NotImplementedError(message)
        self.monitor.refuse(what, message)

    # Constants

    def get_bf16(self, value):
        return Handle(np.array([value], dtype=np.float32), tl.bfloat16)

    def get_null_value(self, type):
        return Handle(np.zeros(1, dtype=numpy_dtype(type)), type)

    def get_all_ones_value(self, type):
        # The stock one puts -1 into unsigned types, which numpy refuses.
        return Handle(~np.zeros(1, dtype=numpy_dtype(type)), type.scalar)

    # Memory

    def _check(self, ptrs, mask, kind):
        ty = ptrs.get_element_ty()
        addresses = np.ascontiguousarray(ptrs.data)
        mask = getattr(mask, "data", mask) if not isinstance(mask, np.ndarray) else mask
        if mask.shape != addresses.shape:
            mask = np.broadcast_to(mask, addresses.shape)
        if self.monitor is not None:
            mask = self.monitor.check(addresses, mask, max(1, ty.primitive_bitwidth // 8), kind)
        return addresses, np.ascontiguousarray(mask), ty

    def create_masked_load(self, ptrs, mask, other, cache_modifier, eviction_policy, is_volatile):
        addresses, mask, ty = self._check(ptrs, mask, "load")
        kind = memory_dtype(ty)
        if other is None:
            filler = np.zeros(addresses.shape, dtype=kind)
        else:
            filler = to_memory(fit(np.broadcast_to(other.data, addresses.shape), ty), ty).astype(kind, copy=False)
        loaded = native.load(addresses, mask, np.ascontiguousarray(filler), kind)
        return Handle(from_memory(loaded, ty), ty)

    def create_masked_store(self, ptrs, value, mask, cache_modifier, eviction_policy):
        addresses, mask, ty = self._check(ptrs, mask, "store")
        data = to_memory(fit(np.broadcast_to(value.data, addresses.shape), ty), ty)
        return native.store(addresses, np.ascontiguousarray(data), mask)

    def create_atomic_cas(self, ptr, cmp, val, sem, scope):
        addresses, mask, ty = self._check(ptr, np.ones(ptr.data.shape, dtype=bool), "atomic")
        return Handle(atomics.compare_and_swap(addresses, mask, cmp.data, val.data, ty), ty)

    def create_atomic_rmw(self, rmwOp, ptr, val, mask, sem, scope):
        addresses, mask, ty = self._check(ptr, mask, "atomic")
        if rmwOp not in self.ir_rmw_op_to_interpreter_rmw_op:
            return self.refuse("atomic operation")
        value = fit(np.broadcast_to(val.data, addresses.shape), ty)
        if ty.primitive_bitwidth == 16:
            return Handle(atomics.add_16_bit(addresses, mask, value, ty, rmwOp == ir.ATOMIC_OP.XCHG), ty)
        kind = value.dtype
        if rmwOp == ir.ATOMIC_OP.XCHG:
            value = np.ascontiguousarray(value).view(f"i{kind.itemsize}")  # the native one exchanges integers only
        operation = self.ir_rmw_op_to_interpreter_rmw_op[rmwOp]
        order = self.ir_sem_to_interpreter_sem[sem]
        old = native.atomic_rmw(operation, addresses, np.ascontiguousarray(value), mask, order)
        return Handle(old.view(kind), ty)

    def create_descriptor_reduce(self, kind, descriptor, value, offsets):
        pointers, mask = descriptor.materialize_pointers(offsets)
        operation = blocks.atomic_of(kind, pointers.get_element_ty())
        if operation is None:
            return self.refuse("descriptor reduction")
        return self.create_atomic_rmw(operation, pointers, value, mask, ir.MEM_SEMANTIC.RELAXED, None)

    def create_int_to_ptr(self, src, dst_type):
        if self.monitor is not None:
            self.monitor.widen(self.live_buffers())
        return self.create_bitcast(src, dst_type)

    create_ptr_to_int = lambda self, src, dst_type: Handle(src.data.astype(numpy_dtype(dst_type)), dst_type.scalar)

    @staticmethod
    def live_buffers():
        """Replaced by the launcher: all buffers that are alive, for pointers that come from integers."""
        return []

    # Casts

    def _to_int(self, src, dst_type):
        return Handle(float_to_int(as_float(src.data, src.dtype), dst_type), dst_type.scalar)

    def _convert(self, src, dst_type, *_):
        source, target = src.dtype.scalar, dst_type.scalar
        data = as_float(src.data, source)
        if target.is_fp8():
            return Handle(float8_from_float(data, target), target)
        return Handle(fit(data, target), target)

    create_fp_to_si = create_fp_to_ui = _to_int
    create_si_to_fp = create_ui_to_fp = create_fp_ext = create_fp_trunc = create_int_cast = cast_impl = _convert

    def create_fp_to_fp(self, src, dst_type, rounding_mode):
        result = self._convert(src, dst_type)
        if rounding_mode == ir.ROUNDING_MODE.RTZ and dst_type.scalar.name in ("fp16", "bf16"):
            result.data = toward_zero(result.data, src.data, dst_type)
        return result

    def create_bitcast(self, src, dst_type):
        data = bf16_to_memory(src.data) if is_bf16(src.dtype) else np.ascontiguousarray(src.data)
        if is_bf16(dst_type):
            data = bf16_from_memory(data.view(np.uint16))
        else:
            data = data.view(numpy_dtype(dst_type))
        return Handle(data.reshape(src.data.shape), dst_type.scalar)

    # Comparisons give int1, whatever their operands are

    create_icmpSLE = create_icmpULE = create_fcmpOLE = create_fcmpULE = _comparison(np.less_equal)
    create_icmpSLT = create_icmpULT = create_fcmpOLT = create_fcmpULT = _comparison(np.less)
    create_icmpSGE = create_icmpUGE = create_fcmpOGE = create_fcmpUGE = _comparison(np.greater_equal)
    create_icmpSGT = create_icmpUGT = create_fcmpOGT = create_fcmpUGT = _comparison(np.greater)
    create_icmpEQ = create_fcmpOEQ = create_fcmpUEQ = _comparison(np.equal)
    create_icmpNE = create_fcmpONE = create_fcmpUNE = _comparison(np.not_equal)

    # Arithmetic

    create_minnumf = _binary(np.fmin)
    create_maxnumf = _binary(np.fmax)

    def binary_op(self, lhs, rhs, op):
        return Handle(op(lhs.data, rhs.data), lhs.dtype.scalar)

    def create_ashr(self, lhs, rhs):
        return Handle(np.right_shift(_signed(lhs.data), _signed(rhs.data)), lhs.dtype.scalar)

    def create_lshr(self, lhs, rhs):
        return Handle(np.right_shift(_unsigned(lhs.data), _unsigned(rhs.data)), lhs.dtype.scalar)

    def create_umulhi(self, lhs, rhs):
        a, b = Handle(_unsigned(lhs.data), lhs.dtype.scalar), Handle(_unsigned(rhs.data), rhs.dtype.scalar)
        a.data, b.data = _unsigned(lhs.data), _unsigned(rhs.data)
        return super().create_umulhi(a, b)

    def create_clampf(self, arg, lo, hi, propagate_nans):
        if propagate_nans == ir.PROPAGATE_NAN.ALL:
            data = np.minimum(np.maximum(arg.data, lo.data), hi.data)
        else:
            data = np.fmin(np.fmax(arg.data, lo.data), hi.data)
        return Handle(data, arg.dtype.scalar)

    def create_select(self, cond, lhs, rhs):
        return Handle(np.where(cond.data, lhs.data, rhs.data), rhs.dtype.scalar)

    def create_fma(self, x, y, z):
        if z.data.dtype == np.float64:
            return Handle(rounding.fma64(x.data, y.data, z.data), z.dtype.scalar)
        return Handle(rounding.fma_odd(x.data, y.data, z.data), z.dtype.scalar)

    create_fabs = _unary(np.abs)
    create_rsqrt = lambda self, arg: Handle(1 / np.sqrt(arg.data), arg.dtype.scalar)

    def create_erf(self, arg):
        values = torch.erf(torch.from_numpy(np.ascontiguousarray(arg.data))).numpy()
        return Handle(values, arg.dtype.scalar)

    def create_dot(self, a, b, d, input_precision, max_num_imprecise_acc):
        return products.dot(a, b, d, input_precision)

    def create_dot_scaled(self, lhs, lhs_scale, lhs_format, rhs, rhs_scale, rhs_format, fast_math, lhs_k_pack, rhs_k_pack, acc):
        return products.dot_scaled(lhs, lhs_scale, lhs_format, rhs, rhs_scale, rhs_format, lhs_k_pack, rhs_k_pack, acc)

    def create_splat(self, ret_ty, arg):
        value = arg.data.reshape(-1)[0]
        return Handle(np.full(ret_ty.shape, value, dtype=arg.data.dtype), arg.dtype.scalar)

    def create_unsplat(self, arg):
        return Handle(arg.data.reshape(-1)[:1], arg.dtype.scalar)

    def create_extern_elementwise(self, libName, libPath, symbol, argList, retType, isPure):
        function = libdevice.function(symbol)
        if function is None:
            return self.refuse(f"library function {symbol}")
        return Handle(function(*(np.asarray(a.data) for a in argList)), retType.scalar)

    def create_inline_asm(self, *args, **kwargs):
        return self.refuse("inline assembly")

    def create_print(self, *args, **kwargs):
        return None

    def create_histogram(self, data, bins, mask):
        values = data.data if mask is None else data.data[mask.data]
        inside = values[(values >= 0) & (values < bins)]
        return Handle(np.bincount(inside.astype(np.int64), minlength=bins).astype(np.int32), tl.int32)


def post_init(handle):
    """Replaces TensorHandle.__post_init__: casts to what holds the type instead of refusing."""
    if isinstance(handle.data, np.ndarray) or isinstance(handle.data, np.generic):
        handle.data = fit(np.asarray(handle.data), handle.dtype)
