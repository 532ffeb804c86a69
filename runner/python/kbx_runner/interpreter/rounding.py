# SPDX-License-Identifier: Apache-2.0
"""Operations whose one rounding numpy does not offer: fused multiply-add, and rounding that is not to nearest."""
import math
from fractions import Fraction

import numpy as np


def _two_sum(a, b):
    """The rounded sum and its exact error (Knuth, TAOCP 2, 4.2.2)."""
    s = a + b
    v = s - a
    return s, (a - (s - v)) + (b - v)


def _two_product(a, b):
    """The rounded product and its exact error (Dekker 1971, by Veltkamp's splitting)."""
    def split(x):
        c = 134217729.0 * x  # 2**27 + 1
        high = c - (c - x)
        return high, x - high

    p = a * b
    (ah, al), (bh, bl) = split(a), split(b)
    return p, al * bl - (((p - ah * bh) - al * bh) - ah * bl)


def _odd(rounded, error):
    """float64 sums rounded to odd: where inexact, of the two neighbours the one whose last bit is set."""
    bits = np.ascontiguousarray(rounded).view(np.uint64)
    change = (error != 0) & np.isfinite(rounded) & ((bits & np.uint64(1)) == 0)
    return np.where(change, np.nextafter(rounded, np.where(error > 0, np.inf, -np.inf)), rounded)


def fma64(x, y, z):
    """x*y + z rounded once, for float64 (Boldo and Melquiond 2008, figure 4)."""
    product, product_error = _two_product(x, y)
    high, low = _two_sum(z, product_error)
    total, total_error = _two_sum(product, high)
    result = total + _odd(*_two_sum(total_error, low))
    # Splitting overflows before the product does.
    return np.where(np.isfinite(product_error) & np.isfinite(result), result, x * y + z)


def fma_odd(x, y, z):
    """x*y + z of values of at most 24 bits as a float64 rounded to odd: rounding that to a narrower type rounds once."""
    x, y, z = (np.asarray(v, dtype=np.float64) for v in (x, y, z))
    return _odd(*_two_sum(x * y, z))


def to_odd_float32(values):
    """float64 as float32 rounded to odd, for a second rounding to a narrower type."""
    nearest = values.astype(np.float32)
    error = values - nearest
    bits = np.ascontiguousarray(nearest).view(np.uint32)
    change = (error != 0) & np.isfinite(nearest) & ((bits & np.uint32(1)) == 0)
    step = np.where(error > 0, np.float32(np.inf), np.float32(-np.inf))
    return np.where(change, np.nextafter(nearest, step), nearest)


def fma(x, y, z):
    """x*y + z rounded once to the numpy dtype of z."""
    if z.dtype == np.float64:
        return fma64(x, y, z)
    return fma_odd(x, y, z).astype(z.dtype)


def _exact_sign(result, exact):
    return (exact > result) - (exact < result)


def directed(nearest, exact, mode):
    """A function rounded as `mode` says ("rd", "ru", "rz"; "rn" is `nearest` itself), value by value.

    `nearest`: numpy function, rounded to nearest. `exact`: of Fractions; its value, or a function of the result that gives the
    sign of (exact value - result)."""
    if mode == "rn":
        return nearest

    def one(result, *args):
        if math.isnan(result) or not all(math.isfinite(a) for a in args):
            return 0
        try:
            if math.isinf(result):
                exact(*map(Fraction, args))  # division by zero is exactly infinite
                return -1 if result > 0 else 1
            value = exact(*map(Fraction, args))
            return value(Fraction(result)) if callable(value) else _exact_sign(Fraction(result), value)
        except ZeroDivisionError:
            return 0

    signs = np.frompyfunc(one, 1 + exact.__code__.co_argcount, 1)

    def call(*arrays):
        result = np.asarray(nearest(*arrays))
        sign = np.asarray(signs(*(a.astype(object) for a in (result, *arrays))), dtype=np.int64)
        target = {"rd": -np.inf, "ru": np.inf}.get(mode)
        wrong = sign < 0 if mode == "rd" else sign > 0 if mode == "ru" else sign * np.sign(result) < 0
        toward = np.zeros_like(result) if target is None else np.full_like(result, target)
        return np.where(wrong, np.nextafter(result, toward), result)

    return call


def _root(x):
    return lambda result: (x > result * result) - (x < result * result)


EXACT = {
    "add": (np.add, lambda x, y: x + y), "sub": (np.subtract, lambda x, y: x - y), "mul": (np.multiply, lambda x, y: x * y),
    "div": (np.divide, lambda x, y: x / y), "rcp": (lambda x: 1 / x, lambda x: 1 / x), "sqrt": (np.sqrt, _root),
    "fma": (fma, lambda x, y, z: x * y + z), "to_float": (lambda x: x.astype(np.float32), lambda x: x),
    "to_double": (lambda x: x.astype(np.float64), lambda x: x),
}


def rounded(operation, mode):
    """The operation of EXACT in the rounding mode."""
    return directed(*EXACT[operation], mode)
