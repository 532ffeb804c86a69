# SPDX-License-Identifier: Apache-2.0
"""Operators and casts of the Triton language for each number type. Expected values are exact."""
import math

import pytest
import torch

from language import check

F16, BF16, F32, F64 = torch.float16, torch.bfloat16, torch.float32, torch.float64
I8, I16, I32, I64 = torch.int8, torch.int16, torch.int32, torch.int64
U8, U16, U32, U64 = torch.uint8, torch.uint16, torch.uint32, torch.uint64
BOOL, E4M3, E5M2 = torch.bool, torch.float8_e4m3fn, torch.float8_e5m2
SIGNED, UNSIGNED, FLOATS = (I8, I16, I32, I64), (U8, U16, U32, U64), (F16, BF16, F32, F64)
INF, NAN = math.inf, math.nan


def bits(dtype):
    return torch.iinfo(dtype).bits


def integers(values, dtype):
    """The values modulo 2**bits, as the dtype holds them."""
    width = bits(dtype)
    wrapped = [v % 2**width for v in values]
    if dtype in SIGNED or dtype == U64:
        wrapped = [v - 2**width if v >= 2 ** (width - 1) else v for v in wrapped]
    return torch.tensor(wrapped, dtype=I64).view(U64) if dtype == U64 else torch.tensor(wrapped, dtype=dtype)


@pytest.mark.parametrize("dtype", SIGNED + UNSIGNED, ids=str)
def test_integer_arithmetic_wraps_around(runner, dtype):
    high, low = (2 ** (bits(dtype) - 1) - 1, -2 ** (bits(dtype) - 1)) if dtype in SIGNED else (2 ** bits(dtype) - 1, 0)
    a, b = [high, low, 100, 7], [3, 1, 100, 2]
    body = "r0 = x + y\nr1 = x - y\nr2 = x * y\nr3 = -x\nr4 = tl.add(x, y)\nr5 = tl.sub(x, y)\nr6 = tl.mul(x, y)"
    if dtype in UNSIGNED:
        body = body.replace("-x\n", "0 - x\n")  # Triton has no unary minus there
    results = [[u + v for u, v in zip(a, b)], [u - v for u, v in zip(a, b)], [u * v for u, v in zip(a, b)], [-u for u in a]]
    expected = [integers(values, dtype) for values in results]
    check(runner, body, *expected, *expected[:3], x=integers(a, dtype), y=integers(b, dtype))


@pytest.mark.parametrize("dtype", SIGNED, ids=str)
def test_integer_division_rounds_toward_zero_as_in_c(runner, dtype):
    a, b = [7, -7, 7, -7, 6, -6, 1, 0], [2, 2, -2, -2, 3, 3, 5, 5]
    quotients = [int(u / v) for u, v in zip(a, b)]
    remainders = [u - q * v for u, v, q in zip(a, b, quotients)]
    check(runner, "r0 = x // y\nr1 = x % y", integers(quotients, dtype), integers(remainders, dtype),
          x=integers(a, dtype), y=integers(b, dtype))


def test_division_of_64_bits_is_exact(runner):
    a, b = [2**62 + 1, -(2**62) - 1, 2**63 - 1, 9007199254740993], [3, 3, 10, 1]
    quotients = [abs(u) // v * (1 if u > 0 else -1) for u, v in zip(a, b)]
    check(runner, "r0 = x // y\nr1 = x % y", torch.tensor(quotients), torch.tensor([u - q * v for u, v, q in zip(a, b, quotients)]),
          x=torch.tensor(a), y=torch.tensor(b))


@pytest.mark.parametrize("dtype", UNSIGNED, ids=str)
def test_unsigned_division_and_comparison_know_the_upper_half(runner, dtype):
    top = 2 ** bits(dtype) - 1
    a, b = [top, top - 1, 2 ** (bits(dtype) - 1), 5], [2, top, 3, 2 ** (bits(dtype) - 1)]
    x, y = integers(a, dtype), integers(b, dtype)
    check(runner, "r0 = x // y\nr1 = x % y\nr2 = x < y\nr3 = x >= y\nr4 = tl.maximum(x, y)\nr5 = tl.minimum(x, y)\nr6 = x >> 1",
          integers([u // v for u, v in zip(a, b)], dtype), integers([u % v for u, v in zip(a, b)], dtype),
          torch.tensor([u < v for u, v in zip(a, b)]), torch.tensor([u >= v for u, v in zip(a, b)]),
          integers([max(u, v) for u, v in zip(a, b)], dtype), integers([min(u, v) for u, v in zip(a, b)], dtype),
          integers([u >> 1 for u in a], dtype), x=x, y=y)


@pytest.mark.parametrize("dtype", SIGNED + UNSIGNED, ids=str)
def test_bitwise_operators_and_shifts(runner, dtype):
    a, b = [0x5A, 0x0F, -100 if dtype in SIGNED else 200, 1], [0x3C, 0x11, 6, 3]
    shifts = [1, 2, 3, bits(dtype) - 1]
    check(runner, "r0 = x & y\nr1 = x | y\nr2 = x ^ y\nr3 = ~x\nr4 = x << s\nr5 = x >> s",
          integers([u & v for u, v in zip(a, b)], dtype), integers([u | v for u, v in zip(a, b)], dtype),
          integers([u ^ v for u, v in zip(a, b)], dtype), integers([~u for u in a], dtype),
          integers([u << s for u, s in zip(a, shifts)], dtype), integers([u >> s for u, s in zip(a, shifts)], dtype),
          x=integers(a, dtype), y=integers(b, dtype), s=integers(shifts, dtype))


def test_mixed_signs_of_one_width_are_unsigned_as_in_c(runner):
    x, y = torch.tensor([-1, 1], dtype=I32), torch.tensor([1, 2], dtype=I32).view(U32)
    check(runner, "r0 = x > y\nr1 = x + y", torch.tensor([True, False]), torch.tensor([0, 3], dtype=I32).view(U32), x=x, y=y)


@pytest.mark.parametrize("narrow, wide", [(I8, I32), (I16, I64), (U8, I32), (I32, I64)], ids=str)
def test_the_wider_of_two_integer_types_holds_the_result(runner, narrow, wide):
    top = torch.iinfo(narrow).max
    check(runner, "r0 = x + y\nr1 = y * x", torch.tensor([top + 1, top + top], dtype=wide), torch.tensor([top, top * top], dtype=wide),
          x=torch.tensor([top, top], dtype=narrow), y=torch.tensor([1, top], dtype=wide))


def test_a_python_number_takes_the_type_of_the_block(runner):
    check(runner, "r0 = x + 1\nr1 = (x * 2).to(tl.int32)\nr2 = (y * 0.1)", torch.tensor([-128, 1], dtype=I8), torch.tensor([-2, 0], dtype=I32),
          torch.tensor([0.1, 0.2], dtype=F16), x=torch.tensor([127, 0], dtype=I8), y=torch.tensor([1, 2], dtype=F16))


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_floating_arithmetic_rounds_each_result_to_its_type(runner, dtype):
    e = torch.finfo(dtype).eps
    a, b = [1.0, 1.0, 1.0, 1 + e, 3.0, -0.0], [e / 2, e * 0.75, -e / 4, 1 + e, 7.0, 0.0]
    x, y = torch.tensor(a, dtype=dtype), torch.tensor(b, dtype=dtype)
    sums, products = [1.0, 1 + e, 1.0, 2 + 2 * e, 10.0, 0.0], [e / 2, e * 0.75, -e / 4, 1 + 2 * e, 21.0, -0.0]
    check(runner, "r0 = x + y\nr1 = x * y", pad(torch.tensor(sums, dtype=F64).to(dtype)), pad(torch.tensor(products, dtype=F64).to(dtype)),
          x=pad(x), y=pad(y))


def pad(tensor):
    """The last value repeated up to a power of two."""
    size = 1 << (tensor.numel() - 1).bit_length()
    return torch.cat([tensor, tensor[-1:].expand(size - tensor.numel())])


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_division_of_floats(runner, dtype):
    x, y = torch.tensor([1, -1, 0, 6], dtype=dtype), torch.tensor([3, 0, 0, 4], dtype=dtype)
    e = torch.finfo(dtype).eps
    check(runner, "r0 = x / y\nr1 = 1 / (x + 2)", torch.tensor([1 / 3, -INF, NAN, 1.5], dtype=dtype),
          torch.tensor([1 / 3, 1.0, 0.5, 0.125], dtype=dtype), x=x, y=y, relative=2 * e)


def test_division_of_integers_gives_fp32(runner):
    check(runner, "r = x / y", torch.tensor([3.5, -0.25]), x=torch.tensor([7, -1]), y=torch.tensor([2, 4]), relative=3e-7)


@pytest.mark.parametrize("dtype", (F32, F64), ids=str)
def test_the_remainder_of_floats_has_the_sign_of_the_dividend(runner, dtype):
    check(runner, "r = x % y", torch.tensor([1.5, -1.5, 1.5, -0.5], dtype=dtype), x=torch.tensor([5.5, -5.5, 5.5, -2.5], dtype=dtype),
          y=torch.tensor([2, 2, -2, 1], dtype=dtype))


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_comparisons_with_nan_are_false_but_for_unequal(runner, dtype):
    x, y = torch.tensor([NAN, 1, NAN, -0.0], dtype=dtype), torch.tensor([1, NAN, NAN, 0.0], dtype=dtype)
    no, last = torch.tensor([False] * 4), torch.tensor([False, False, False, True])
    check(runner, "r0 = x < y\nr1 = x > y\nr2 = x <= y\nr3 = x >= y\nr4 = x == y\nr5 = x != y", no, no, last, last, last, ~last, x=x, y=y)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_minimum_maximum_and_clamp_skip_nan_or_keep_it(runner, dtype):
    x, y = torch.tensor([NAN, 2, NAN, 3], dtype=dtype), torch.tensor([1, NAN, NAN, 5], dtype=dtype)
    body = """
r0 = tl.minimum(x, y)
r1 = tl.maximum(x, y)
r2 = tl.minimum(x, y, propagate_nan=tl.PropagateNan.ALL)
r3 = tl.maximum(x, y, propagate_nan=tl.PropagateNan.ALL)
r4 = tl.clamp(x, 0.0, 2.5)
r5 = tl.clamp(x, 0.0, 2.5, propagate_nan=tl.PropagateNan.ALL)"""

    def t(*values):
        return torch.tensor(values, dtype=dtype)

    check(runner, body, t(1, 2, NAN, 3), t(1, 2, NAN, 5), t(NAN, NAN, NAN, 3), t(NAN, NAN, NAN, 5), t(0, 2, 0, 2.5), t(NAN, 2, NAN, 2.5),
          x=x, y=y)


def test_where_takes_scalars_blocks_and_integers_as_conditions(runner):
    x = torch.tensor([1.0, 2.0, 3.0, 4.0])
    body = "r0 = tl.where(x > 2, x, 0.0)\nr1 = tl.where(x > 2, 1, x)\nr2 = tl.where(True, x, -1.0)\nr3 = tl.where(x.to(tl.int1) & (x < 3), 5, 6)"
    check(runner, body, torch.tensor([0.0, 0, 3, 4]), torch.tensor([1.0, 2, 1, 1]), x, torch.tensor([5, 5, 6, 6], dtype=I32), x=x)


def test_int1_is_a_bit_and_not_a_byte(runner):
    x, y = torch.tensor([True, True, False, False]), torch.tensor([True, False, True, False])
    body = "r0 = x & y\nr1 = x | y\nr2 = x ^ y\nr3 = ~x\nr4 = x.to(tl.int32) + y\nr5 = x.to(tl.float32)\nr6 = x == y\nr7 = x.to(tl.int8)"
    check(runner, body, x & y, x | y, x ^ y, ~x, torch.tensor([2, 1, 1, 0], dtype=I32), x.float(), x == y, x.to(I8), x=x, y=y)


def test_numbers_become_int1_by_comparison_with_zero(runner):
    check(runner, "r0 = x.to(tl.int1)\nr1 = y.to(tl.int1)", torch.tensor([True, False, True, True]), torch.tensor([True, False, True, True]),
          x=torch.tensor([2, 0, 256, -1], dtype=I32), y=torch.tensor([0.5, 0.0, NAN, -1.0]))


@pytest.mark.parametrize("target", SIGNED + UNSIGNED, ids=str)
@pytest.mark.parametrize("start", (I64, U64, I32, I8, U8), ids=str)
def test_integer_casts_keep_the_low_bits(runner, start, target):
    values = [-1, 300, 2**40 + 5, 127] if start in SIGNED else [2 ** bits(start) - 1, 300, 2**40 + 5, 127]
    x = integers(values, start)
    held = [v % 2 ** bits(start) for v in values]
    if start in SIGNED:
        held = [v - 2 ** bits(start) if v >= 2 ** (bits(start) - 1) else v for v in held]
    check(runner, f"r = x.to(tl.{str(target)[6:]})", integers(held, target), x=x)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_integers_become_the_nearest_float(runner, dtype):
    values = [2**24 + 1, -(2**24) - 3, 3, 70000]
    check(runner, f"r = x.to(tl.{str(dtype)[6:]})", torch.tensor(values, dtype=F64).to(dtype), x=torch.tensor(values, dtype=I32))


def test_large_unsigned_integers_become_positive_floats(runner):
    x = integers([2**64 - 1, 2**63, 5, 2**63 + 2**40], U64)
    check(runner, "r0 = x.to(tl.float32)\nr1 = x.to(tl.float64)", torch.tensor([2.0**64, 2.0**63, 5, 2.0**63 + 2.0**40]),
          torch.tensor([2.0**64, 2.0**63, 5, 2.0**63 + 2.0**40], dtype=F64), x=x)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("target", SIGNED + UNSIGNED, ids=str)
def test_floats_become_integers_by_truncation(runner, dtype, target):
    values = [1.75, 100.5, 0.99, 0.0] if target in UNSIGNED else [1.75, -1.75, -100.5, 0.99]
    check(runner, f"r = x.to(tl.{str(target)[6:]})", integers([int(v) for v in values], target), x=torch.tensor(values, dtype=dtype))


def test_fp32_above_fp16_becomes_infinite(runner):
    x = torch.tensor([65504.0, 65519.0, 65520.0, -1e9, 2.0**-24, 2.0**-25, NAN, 2.0**-25 * 1.01])
    check(runner, "r = x.to(tl.float16)", torch.tensor([65504, 65504, INF, -INF, 2.0**-24, 0, NAN, 2.0**-24], dtype=F16), x=x)


def test_rounding_toward_zero(runner):
    e = 2.0**-7
    x = torch.tensor([1 + 0.99 * e, -1 - 0.99 * e, 3.4e38, 1.0])
    body = """
r0 = x.to(tl.bfloat16, fp_downcast_rounding='rtz')
r1 = tl.cast(x, tl.bfloat16, fp_downcast_rounding='rtne')
r2 = x.to(tl.float16, fp_downcast_rounding='rtz')"""
    largest = torch.finfo(BF16).max
    check(runner, body, torch.tensor([1, -1, largest, 1], dtype=BF16), torch.tensor([1 + e, -1 - e, INF, 1], dtype=BF16),
          torch.tensor([1 + math.floor(0.99 * e * 1024) / 1024, -1 - math.floor(0.99 * e * 1024) / 1024, 65504, 1],
                       dtype=F16), x=x)


def test_fp64_to_fp32_rounds_to_nearest(runner):
    x = torch.tensor([1 + 2.0**-24, 1 + 2.0**-24 + 2.0**-40, 1e39, 2.0**-149], dtype=F64)
    check(runner, "r = x.to(tl.float32)", torch.tensor([1, 1 + 2.0**-23, INF, 2.0**-149]), x=x)


# Spacing in [1, 2) is 1/8 for e4m3 and 1/4 for e5m2; ties go to even; the conversion saturates (PTX ISA, cvt.satfinite).
@pytest.mark.parametrize("source", (F32, F16, BF16), ids=str)
@pytest.mark.parametrize("name, dtype, values, expected", [
    ("float8e4nv", E4M3, [1.0625, 1.1875, 448, 1000, -1000, 2.0**-9, 2.0**-10, NAN], [1, 1.25, 448, 448, -448, 2.0**-9, 0, NAN]),
    ("float8e5", E5M2, [1.125, 1.375, 57344, 1.0, -4.5, 2.0**-16, 2.0**-17, NAN], [1, 1.5, 57344, 1, -4, 2.0**-16, 0, NAN]),
])
def test_float8_conversions(runner, source, name, dtype, values, expected):
    check(runner, f"r0 = x.to(tl.{name})\nr1 = x.to(tl.{name}).to(tl.float32)", torch.tensor(expected).to(dtype), torch.tensor(expected),
          x=torch.tensor(values, dtype=source))


@pytest.mark.parametrize("target", (F16, BF16, F32), ids=str)
@pytest.mark.parametrize("dtype", (E4M3, E5M2), ids=str)
def test_float8_values_widen_exactly(runner, dtype, target):
    x = torch.arange(256, dtype=torch.int32).to(torch.uint8).view(dtype)
    if (dtype, target) == (E5M2, BF16):
        x = torch.where(x.float().isfinite(), x.float(), 0).to(dtype)  # there a GPU makes finite values of infinity and NaN
    check(runner, f"r = x.to(tl.{str(target)[6:]})", x.float().to(target), x=x)


def test_bitcasts_keep_the_bits(runner):
    x = torch.tensor([1.0, -0.0, INF, 2.0**-149])
    body = "r0 = x.to(tl.int32, bitcast=True)\nr1 = x.to(tl.int32, bitcast=True).to(tl.float32, bitcast=True)\n" \
           "r2 = x.to(tl.bfloat16).to(tl.uint16, bitcast=True)\nr3 = tl.cast(x.to(tl.float16), tl.int16, bitcast=True)"
    check(runner, body, torch.tensor([0x3F800000, -2**31, 0x7F800000, 1], dtype=I32), x,
          torch.tensor([0x3F80, 0x8000, 0x7F80, 0], dtype=I32).to(U16), torch.tensor([0x3C00, -2**15, 0x7C00, 0], dtype=I16), x=x)


def test_powers_and_reversed_operators_of_python_numbers(runner):
    x = torch.tensor([1, 2, 3, 5], dtype=I32)
    body = "r0 = 10 - x\nr1 = 7 // x\nr2 = 7 % x\nr3 = 1 << x\nr4 = 64 >> x\nr5 = 6 & x\nr6 = 6 | x\nr7 = 6 ^ x\nr8 = 3 < x\nr9 = 2 * x"
    i32 = lambda values: torch.tensor(values, dtype=I32)  # noqa: E731
    check(runner, body, i32([9, 8, 7, 5]), i32([7, 3, 2, 1]), i32([0, 1, 1, 2]), i32([2, 4, 8, 32]),
          i32([32, 16, 8, 2]), i32([0, 2, 2, 4]), i32([7, 6, 7, 7]), i32([7, 4, 5, 3]), torch.tensor([False, False, False, True]),
          i32([2, 4, 6, 10]), x=x)


def test_the_high_half_of_a_product(runner):
    a, b = [2**32 - 1, 2**31, 3, 0x12345678], [2**32 - 1, 2, 5, 0x9ABCDEF0]
    high = integers([u * v >> 32 for u, v in zip(a, b)], U32)
    a64, b64 = [2**64 - 1, 2**63, 3, 2**40], [2**64 - 1, 2, 5, 2**40 + 1]
    high64 = integers([u * v >> 64 for u, v in zip(a64, b64)], U64)
    check(runner, "r0 = tl.umulhi(x, y)\nr1 = tl.math.umulhi(z, w)", high, high64, x=integers(a, U32), y=integers(b, U32),
          z=integers(a64, U64), w=integers(b64, U64))
