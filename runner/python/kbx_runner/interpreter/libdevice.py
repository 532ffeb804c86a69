# SPDX-License-Identifier: Apache-2.0
"""CUDA's device library in terms of numpy and torch: symbol -> function of numpy arrays. Names: libdevice user's guide."""
import math
import re

import numpy as np
import torch

from . import libdevice_integers
from .rounding import fma, rounded


def _wide(operation):
    """Through float64, rounded once at the end."""
    return lambda *arrays: np.asarray(operation(*(a.astype(np.float64) for a in arrays))).astype(arrays[0].dtype)


def _torch(operation):
    """A function of torch in float64."""
    def call(*arrays):
        tensors = [torch.from_numpy(np.ascontiguousarray(a)) for a in np.broadcast_arrays(*arrays)]
        return operation(*tensors).numpy()
    return _wide(call)


def _python(operation):
    """A function of Python's math, value by value; NaN where it raises."""
    def one(*values):
        try:
            return operation(*values)
        except ValueError:
            return math.nan
        except OverflowError:
            return math.inf
    return _wide(lambda *arrays: np.vectorize(one, otypes=[np.float64])(*arrays))


def _round_half_away(x):
    return np.trunc(x + np.copysign(np.nextafter(x.dtype.type(0.5), x.dtype.type(0)), x))


def _scale(x, n):
    return np.ldexp(x, n.astype(np.int32))


def _sinpi(x):
    """Exact at multiples of one half."""
    r = x - 2 * np.rint(x / 2)
    r = np.where(np.abs(r) > 0.5, np.copysign(1.0, r) - r, r)
    return np.sin(np.pi * r)


def _cospi(x):
    r = np.abs(x - 2 * np.rint(x / 2))
    return np.sin(np.pi * (0.5 - r))


def _gamma(x):
    if x == 0:
        return math.copysign(math.inf, x)
    return math.gamma(x)


def _logb(x):
    return np.where(np.isfinite(x) & (x != 0), np.frexp(x)[1] - 1.0, np.where(x == 0, -np.inf, x * x))


def _ilogb(x):
    """CUDA gives the least integer for zero and NaN, the largest for infinity."""
    limits = np.iinfo(np.int32)
    special = np.where(np.isinf(x), limits.max, limits.min)
    return np.where(np.isfinite(x) & (x != 0), np.frexp(x)[1] - 1, special).astype(np.int32)


def _bessel_j(n, x):
    """The mean of cos(n t - x sin t) over a period (Abramowitz and Stegun 9.1.21), which the trapezoid rule gives exactly."""
    n, x = n.astype(np.float64)[..., None], x.astype(np.float64)[..., None]
    points = 2 * int(np.nanmax(np.abs(np.where(np.isfinite(x), x, 0))) + np.max(np.abs(n))) + 64
    t = 2 * np.pi * np.arange(points) / points
    return np.cos(n * t - x * np.sin(t)).mean(axis=-1)


def _bessel_y(n, x):
    """Schlaefli's integrals (9.1.22) by Gauss and Legendre's rule; torch's own functions have 8 digits only."""
    def one(order, v):
        if not v > 0 or math.isinf(v):
            return math.nan if math.isnan(v) or v < 0 else -math.inf if v == 0 else 0.0
        nodes, weights = np.polynomial.legendre.leggauss(200 + int(min(v, 1000)))
        t = (nodes + 1) / 2
        near = np.sin(v * np.sin(np.pi * t) - order * np.pi * t)
        end = math.asinh(750 / v)
        far = (np.exp(order * end * t) + (-1.0) ** order * np.exp(-order * end * t)) * np.exp(-v * np.sinh(end * t))
        return (weights @ near) / 2 - (weights @ far) / 2 * end / math.pi
    return np.vectorize(one, otypes=[np.float64])(n, x.astype(np.float64))


def _of_order(bessel, order):
    return lambda x: bessel(np.full(x.shape, order), x)


def _norm(*values):
    return np.sqrt(sum(v * v for v in values))


# Without the prefix "__nv_" and, for single precision, the suffix "f".
_FLOAT = {
    "fabs": np.abs, "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc, "rint": np.rint, "nearbyint": np.rint,
    "round": _round_half_away, "sqrt": np.sqrt, "rsqrt": _wide(lambda x: 1 / np.sqrt(x)), "cbrt": np.cbrt,
    "rcbrt": _wide(lambda x: 1 / np.cbrt(x)),
    "exp": np.exp, "exp2": np.exp2, "exp10": _wide(lambda x: 10.0 ** x), "expm1": np.expm1, "log": np.log, "log2": np.log2,
    "log10": np.log10, "log1p": np.log1p, "logb": _wide(_logb),
    "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "sinh": np.sinh,
    "cosh": np.cosh, "tanh": np.tanh, "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh, "atan2": np.arctan2,
    "sinpi": _wide(_sinpi), "cospi": _wide(_cospi),
    "pow": np.power, "powi": lambda x, n: np.power(x, n.astype(x.dtype)), "hypot": np.hypot,
    "rhypot": _wide(lambda x, y: 1 / np.hypot(x, y)), "fmod": np.fmod, "remainder": _python(math.remainder),
    "copysign": np.copysign, "nextafter": np.nextafter,
    "fdim": lambda x, y: np.where(np.isnan(x) | np.isnan(y), x + y, np.where(x > y, x - y, x.dtype.type(0))),
    "ldexp": _scale, "scalbn": _scale, "fma": fma,
    "saturate": lambda x: np.fmin(np.fmax(x, x.dtype.type(0)), x.dtype.type(1)),
    "erf": _torch(torch.erf), "erfc": _torch(torch.erfc), "erfinv": _torch(torch.erfinv), "erfcx": _torch(torch.special.erfcx),
    "erfcinv": _torch(lambda x: -torch.special.ndtri(x / 2) / math.sqrt(2)), "normcdf": _torch(torch.special.ndtr),
    "normcdfinv": _torch(torch.special.ndtri), "lgamma": _torch(torch.lgamma), "tgamma": _python(_gamma),
    "cyl_bessel_i0": _torch(torch.special.i0), "cyl_bessel_i1": _torch(torch.special.i1), "j0": _of_order(_bessel_j, 0),
    "j1": _of_order(_bessel_j, 1), "y0": _of_order(_bessel_y, 0), "y1": _of_order(_bessel_y, 1), "jn": _bessel_j, "yn": _bessel_y,
    "norm3d": _wide(_norm), "norm4d": _wide(_norm), "rnorm3d": _wide(lambda *v: 1 / _norm(*v)),
    "rnorm4d": _wide(lambda *v: 1 / _norm(*v)),
}
_FAST = {"fast_exp": "exp", "fast_exp10": "exp10", "fast_log": "log", "fast_log2": "log2", "fast_log10": "log10",
         "fast_sin": "sin", "fast_cos": "cos", "fast_tan": "tan", "fast_pow": "pow"}
_OTHER = {
    "isnand": np.isnan, "isnanf": np.isnan, "isinfd": np.isinf, "isinff": np.isinf, "isfinited": np.isfinite,
    "finitef": np.isfinite, "signbitd": np.signbit, "signbitf": np.signbit,
    "llrint": np.rint, "llrintf": np.rint, "llround": _round_half_away, "llroundf": _round_half_away,
    "ilogb": _ilogb, "ilogbf": _ilogb, "fast_fdividef": np.divide, "frsqrt_rn": _FLOAT["rsqrt"],
} | libdevice_integers.FUNCTIONS
_ROUNDED = re.compile(r"(?:[fd](?P<operation>add|sub|mul|div|rcp|sqrt)|(?P<fma>fma)f?)_(?P<mode>r[nzdu])")
_CONVERSION = re.compile(r"(?:int|uint|ll|ull|double)2(?P<target>float|double)_(?P<mode>r[nzdu])")


def function(symbol):
    """The function that stands for a symbol such as __nv_tanhf, or None."""
    name = symbol.removeprefix("__nv_")
    if name in _OTHER:
        return _OTHER[name]
    if name in _FLOAT:
        return _FLOAT[name]
    if found := _ROUNDED.fullmatch(name):
        return rounded(found["operation"] or "fma", found["mode"])
    if found := _CONVERSION.fullmatch(name):
        return rounded(f"to_{found['target']}", found["mode"])
    if found := libdevice_integers.to_integer(name):
        return found
    name = name.removesuffix("f")
    return _FLOAT.get(_FAST.get(name, name))
