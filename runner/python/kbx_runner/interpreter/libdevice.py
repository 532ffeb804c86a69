# SPDX-License-Identifier: Apache-2.0
"""CUDA's device library in terms of numpy and torch: symbol -> function of numpy arrays. Names: libdevice user's guide."""
import numpy as np
import torch


def _torch(operation):
    def call(*arrays):
        tensors = [torch.from_numpy(np.ascontiguousarray(a)) for a in np.broadcast_arrays(*arrays)]
        return operation(*tensors).numpy()
    return call


def _round_half_away(x):
    return np.trunc(x + np.copysign(np.nextafter(x.dtype.type(0.5), x.dtype.type(0)), x))


def _wide(operation):
    """Through float64, rounded once at the end."""
    return lambda *arrays: operation(*(a.astype(np.float64) for a in arrays)).astype(arrays[0].dtype)


def _scale(x, n):
    return np.ldexp(x, n.astype(np.int32))


def _leading_zeros(x):
    width = x.itemsize * 8
    return np.array([width - int(v).bit_length() for v in x.reshape(-1).view(f"u{x.itemsize}")], dtype=np.int32).reshape(x.shape)


# Without the prefix "__nv_" and, for single precision, the suffix "f".
_FLOAT = {
    "fabs": np.abs, "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc, "rint": np.rint, "nearbyint": np.rint,
    "round": _round_half_away, "sqrt": np.sqrt, "rsqrt": _wide(lambda x: 1 / np.sqrt(x)), "cbrt": np.cbrt,
    "rcbrt": _wide(lambda x: 1 / np.cbrt(x)),
    "exp": np.exp, "exp2": np.exp2, "exp10": _wide(lambda x: 10.0 ** x), "expm1": np.expm1, "log": np.log, "log2": np.log2,
    "log10": np.log10, "log1p": np.log1p, "logb": _wide(lambda x: np.where(x == 0, -np.inf, np.frexp(x)[1] - 1.0)),
    "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "sinh": np.sinh,
    "cosh": np.cosh, "tanh": np.tanh, "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh, "atan2": np.arctan2,
    "sinpi": _wide(lambda x: np.sin(np.pi * np.fmod(x, 2.0))), "cospi": _wide(lambda x: np.cos(np.pi * np.fmod(x, 2.0))),
    "pow": np.power, "powi": lambda x, n: np.power(x, n.astype(x.dtype)), "hypot": np.hypot,
    "rhypot": _wide(lambda x, y: 1 / np.hypot(x, y)), "fmod": np.fmod,
    "remainder": _wide(lambda x, y: x - y * np.rint(x / y)), "copysign": np.copysign, "nextafter": np.nextafter,
    "fdim": lambda x, y: np.maximum(x - y, x.dtype.type(0)), "ldexp": _scale, "scalbn": _scale,
    "fma": _wide(lambda x, y, z: x * y + z), "saturate": lambda x: np.fmin(np.fmax(x, x.dtype.type(0)), x.dtype.type(1)),
    "erf": _torch(torch.erf), "erfc": _torch(torch.erfc), "erfinv": _torch(torch.erfinv), "erfcx": _torch(torch.special.erfcx),
    "erfcinv": _torch(lambda x: torch.erfinv(1 - x)), "normcdf": _torch(torch.special.ndtr),
    "normcdfinv": _torch(torch.special.ndtri), "lgamma": _torch(torch.lgamma),
    "tgamma": _wide(_torch(lambda x: torch.exp(torch.lgamma(x)) * torch.where((x < 0) & (torch.floor(x) % 2 != 0), -1.0, 1.0))),
    "cyl_bessel_i0": _torch(torch.special.i0), "cyl_bessel_i1": _torch(torch.special.i1), "j0": _torch(torch.special.bessel_j0),
    "j1": _torch(torch.special.bessel_j1), "y0": _torch(torch.special.bessel_y0), "y1": _torch(torch.special.bessel_y1),
    "norm3d": _wide(lambda a, b, c: np.sqrt(a * a + b * b + c * c)),
    "norm4d": _wide(lambda a, b, c, d: np.sqrt(a * a + b * b + c * c + d * d)),
}
_ROUNDED = {  # "__nv_<f or d><name>_rn": correctly rounded in numpy; the other modes are not offered
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "rcp": lambda x: 1 / x, "sqrt": np.sqrt,
    "rsqrt": _wide(lambda x: 1 / np.sqrt(x)),
}
_FAST = {"fast_exp": "exp", "fast_exp10": "exp10", "fast_log": "log", "fast_log2": "log2", "fast_log10": "log10",
         "fast_sin": "sin", "fast_cos": "cos", "fast_tan": "tan", "fast_pow": "pow"}
_OTHER = {
    "isnand": np.isnan, "isnanf": np.isnan, "isinfd": np.isinf, "isinff": np.isinf, "isfinited": np.isfinite,
    "finitef": np.isfinite, "signbitd": np.signbit, "signbitf": np.signbit, "abs": np.abs, "llabs": np.abs,
    "llrint": np.rint, "llrintf": np.rint, "llround": _round_half_away, "llroundf": _round_half_away,
    "ilogb": lambda x: np.frexp(x)[1] - 1, "ilogbf": lambda x: np.frexp(x)[1] - 1,
    "fast_fdividef": np.divide, "clz": _leading_zeros, "clzll": _leading_zeros,
    "popc": np.bitwise_count, "popcll": np.bitwise_count,
    "float_as_int": lambda x: x.view(np.int32), "float_as_uint": lambda x: x.view(np.uint32),
    "int_as_float": lambda x: x.view(np.float32), "uint_as_float": lambda x: x.view(np.float32),
    "double_as_longlong": lambda x: x.view(np.int64), "longlong_as_double": lambda x: x.view(np.float64),
}


def function(symbol):
    """The function that stands for a symbol such as __nv_tanhf, or None."""
    name = symbol.removeprefix("__nv_")
    if name in _OTHER:
        return _OTHER[name]
    if name in _FLOAT:
        return _FLOAT[name]
    if name.endswith("_rn") and name[1:-3] in _ROUNDED and name[0] in "fd":
        return _ROUNDED[name[1:-3]]
    name = name.removesuffix("f")
    return _FLOAT.get(_FAST.get(name, name))
