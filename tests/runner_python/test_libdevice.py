# SPDX-License-Identifier: Apache-2.0
"""CUDA's device library, against Python's math, exact fractions and integer formulas."""
import ast
import inspect
import math
from fractions import Fraction

import pytest
import torch
from triton.language.extra.cuda import libdevice

from language import check

F32, F64, I32, I64, U32, U64 = torch.float32, torch.float64, torch.int32, torch.int64, torch.uint32, torch.uint64
ANY, POSITIVE, UNIT = [-7.5, -1.25, -0.5, 0.0, 0.3, 1.0, 2.5, 6.75], [0.125, 0.3, 0.5, 1.0, 1.5, 2.0, 5.0, 9.5], [-0.9, -0.5, -0.125, 0.0, 0.25, 0.5, 0.7, 0.99]


def series_j(n, v):
    """Abramowitz and Stegun 9.1.10."""
    return sum((-1) ** k * (v / 2) ** (2 * k + n) / (math.factorial(k) * math.factorial(k + n)) for k in range(60))


def series_i(n, v):
    """9.6.10."""
    return sum((v / 2) ** (2 * k + n) / (math.factorial(k) * math.factorial(k + n)) for k in range(60))


def series_y(n, v):
    """9.1.11."""
    def digamma(m):
        return -0.57721566490153286061 + sum(1 / k for k in range(1, m))
    finite = sum(math.factorial(n - k - 1) / math.factorial(k) * (v * v / 4) ** k for k in range(n))
    rest = sum((digamma(k + 1) + digamma(n + k + 1)) * (-v * v / 4) ** k / (math.factorial(k) * math.factorial(n + k)) for k in range(60))
    return (2 * math.log(v / 2) * series_j(n, v) - (v / 2) ** -n * finite - (v / 2) ** n * rest) / math.pi


def inverse(function, low, high):
    """By bisection."""
    def solve(v):
        a, b = low, high
        for _ in range(200):
            middle = (a + b) / 2
            a, b = (middle, b) if function(middle) < v else (a, middle)
        return a
    return solve


def normal_cdf(v):
    return math.erfc(-v / math.sqrt(2)) / 2


def half_away(v):
    return math.copysign(math.floor(abs(v) + 0.5), v)


# name: (function of floats, values, and whether fp64 exists too)
ONE = {
    "abs": (abs, ANY), "floor": (math.floor, ANY), "ceil": (math.ceil, ANY), "trunc": (math.trunc, ANY), "rint": (round, ANY),
    "nearbyint": (round, ANY), "round": (half_away, ANY), "sqrt": (math.sqrt, POSITIVE), "rsqrt": (lambda v: v**-0.5, POSITIVE),
    "cbrt": (lambda v: math.copysign(abs(v) ** (1 / 3), v), ANY), "rcbrt": (lambda v: v ** (-1 / 3), POSITIVE), "exp": (math.exp, ANY),
    "exp2": (lambda v: 2.0**v, ANY), "exp10": (lambda v: 10.0**v, ANY), "expm1": (math.expm1, ANY), "log": (math.log, POSITIVE),
    "log2": (math.log2, POSITIVE), "log10": (math.log10, POSITIVE), "log1p": (math.log1p, POSITIVE),
    "logb": (lambda v: math.frexp(v)[1] - 1, POSITIVE), "sin": (math.sin, ANY), "cos": (math.cos, ANY), "tan": (math.tan, ANY),
    "asin": (math.asin, UNIT), "acos": (math.acos, UNIT), "atan": (math.atan, ANY), "sinh": (math.sinh, ANY), "cosh": (math.cosh, ANY),
    "tanh": (math.tanh, ANY), "asinh": (math.asinh, ANY), "acosh": (lambda v: math.acosh(v + 1), POSITIVE), "atanh": (math.atanh, UNIT),
    "sinpi": (lambda v: math.sin(math.pi * math.fmod(v, 2)), ANY), "cospi": (lambda v: math.cos(math.pi * math.fmod(v, 2)), ANY),
    "erf": (math.erf, ANY), "erfc": (math.erfc, ANY), "erfinv": (inverse(math.erf, -6, 6), UNIT),
    "erfcinv": (inverse(lambda v: -math.erfc(v), -6, 6), UNIT), "erfcx": (lambda v: math.exp(v * v) * math.erfc(v), UNIT),
    "normcdf": (normal_cdf, ANY), "normcdfinv": (inverse(normal_cdf, -9, 9), UNIT), "lgamma": (math.lgamma, POSITIVE),
    "tgamma": (math.gamma, [-2.5, -1.5, -0.5, 0.5, 1.0, 3.5, 5.0, 9.0]), "j0": (lambda v: series_j(0, v), POSITIVE),
    "j1": (lambda v: series_j(1, v), POSITIVE), "y0": (lambda v: series_y(0, v), POSITIVE), "y1": (lambda v: series_y(1, v), POSITIVE),
    "cyl_bessel_i0": (lambda v: series_i(0, v), POSITIVE), "cyl_bessel_i1": (lambda v: series_i(1, v), POSITIVE),
}
ARGUMENT = {"erfcinv": lambda v: 1 - v, "normcdfinv": lambda v: (v + 1) / 2, "acosh": lambda v: v + 1}


@pytest.mark.parametrize("dtype", (F32, F64), ids=str)
@pytest.mark.parametrize("name", ONE)
def test_functions_of_one_number(runner, name, dtype):
    function, values = ONE[name]
    change = ARGUMENT.get(name, lambda v: v)
    x = torch.tensor([change(v) for v in values], dtype=F64).to(dtype)
    given = x.double().tolist()
    if name == "erfcinv":
        expected = [inverse(lambda v: -math.erfc(v), -6, 6)(-v) for v in given]
    elif name == "acosh":
        expected = [math.acosh(v) for v in given]
    else:
        expected = [function(v) for v in given]
    relative = 2e-6 if dtype == F32 else 1e-10
    check(runner, f"r = libdevice.{name}(x)", torch.tensor(expected, dtype=F64).to(dtype), x=x, relative=relative, absolute=relative / 2)


MORE = {
    "atan2": (math.atan2, 2), "pow": (lambda a, b: abs(a) ** b, 2), "hypot": (math.hypot, 2), "rhypot": (lambda a, b: 1 / math.hypot(a, b), 2),
    "fmod": (math.fmod, 2), "remainder": (math.remainder, 2), "copysign": (math.copysign, 2), "fdim": (lambda a, b: max(a - b, 0.0), 2),
    "norm3d": (math.hypot, 3), "rnorm3d": (lambda *v: 1 / math.hypot(*v), 3), "norm4d": (math.hypot, 4),
    "rnorm4d": (lambda *v: 1 / math.hypot(*v), 4),
}


@pytest.mark.parametrize("dtype", (F32, F64), ids=str)
@pytest.mark.parametrize("name", MORE)
def test_functions_of_several_numbers(runner, name, dtype):
    function, count = MORE[name]
    columns = {c: torch.tensor(v, dtype=dtype) for c, v in zip("xyzw", ([5.5, -3.25, 0.5, 7], [2, 1.5, -0.75, -3], [1, 2, -1, 0.5], [3, -1, 2, 4]))}
    columns = dict(list(columns.items())[:count])
    rows = list(zip(*(c.tolist() for c in columns.values())))
    call = f"libdevice.{name}({', '.join(columns)})".replace("pow(x,", "pow(tl.abs(x),")
    expected = torch.tensor([function(*row) for row in rows], dtype=dtype)
    check(runner, f"r = {call}", expected, **columns, relative=1e-6 if dtype == F32 else 1e-12)


def test_powers_scales_and_orders_that_are_integers(runner):
    x, n = torch.tensor([1.5, 0.75, 3.0, 2.0]), torch.tensor([3, -2, 2, 4], dtype=I32)
    orders = torch.tensor([2, 3, 4, 2], dtype=I32)
    given = list(zip(x.tolist(), n.tolist()))
    body = """
r0 = libdevice.pow(x, n)
r1 = libdevice.ldexp(x, n)
r2 = libdevice.scalbn(x, n)
r3 = libdevice.jn(k, x)
r4 = libdevice.yn(k, x)
r5 = libdevice.ilogb(x * 100)
r6 = libdevice.llround(x - 2)
r7 = libdevice.llrint(x)"""
    powers, scaled = torch.tensor([v**m for v, m in given]), torch.tensor([v * 2.0**m for v, m in given])
    check(runner, body, powers, scaled, scaled, torch.tensor([series_j(m, v) for v, m in zip(x.tolist(), orders.tolist())]),
          torch.tensor([series_y(m, v) for v, m in zip(x.tolist(), orders.tolist())]), torch.tensor([7, 6, 8, 7], dtype=I32),
          torch.tensor([-1, -1, 1, 0]), torch.tensor([2, 1, 3, 2]), x=x, n=n, k=orders, relative=2e-5)


def test_the_next_number_and_saturation(runner):
    x, y = torch.tensor([1.0, 1.0, -1.5, -2.0]), torch.tensor([2.0, 0.0, 1.0, -2.0])
    check(runner, "r0 = libdevice.nextafter(x, y)\nr1 = libdevice.saturatef(x)", torch.tensor([1 + 2.0**-23, 1 - 2.0**-24, -1.5 + 2.0**-23, -2]),
          torch.tensor([1.0, 1, 0, 0]), x=x, y=y)


def test_questions_about_numbers(runner):
    x = torch.tensor([math.nan, math.inf, -1.0, -0.0])
    body = """
r0 = libdevice.isnan(x)
r1 = libdevice.isinf(x)
r2 = libdevice.finitef(x)
r3 = libdevice.isfinited(x.to(tl.float64))
r4 = libdevice.signbit(tl.where(x == x, x, 1.0)) != 0"""
    check(runner, body,
          torch.tensor([True, False, False, False]), torch.tensor([False, True, False, False]), torch.tensor([False, False, True, True]),
          torch.tensor([False, False, True, True]), torch.tensor([False, False, True, True]), x=x)


FAST = {"fast_sinf": math.sin, "fast_cosf": math.cos, "fast_tanf": math.tan, "fast_expf": math.exp, "fast_exp10f": lambda v: 10.0**v,
        "fast_logf": math.log, "fast_log2f": math.log2, "fast_log10f": math.log10}


def test_approximate_functions(runner):
    x, y = torch.tensor([0.25, 0.5, 1.25, 1.5]), torch.tensor([3.0, 0.5, 2.0, 7.0])
    body = "\n".join(f"r{k} = libdevice.{name}(x)" for k, name in enumerate(FAST)) + "\nr8 = libdevice.fast_powf(x, y)\nr9 = libdevice.fast_dividef(x, y)"
    expected = [torch.tensor([function(v) for v in x.tolist()]) for function in FAST.values()]
    check(runner, body, *expected, x**y, x / y, x=x, y=y, relative=1e-4, absolute=1e-5)


# Rounding modes: the neighbour of the exact value on the side that the mode names.
OPERATIONS = {"add": (2, lambda x, y: x + y), "sub": (2, lambda x, y: x - y), "mul": (2, lambda x, y: x * y), "div": (2, lambda x, y: x / y),
              "rcp": (1, lambda x: 1 / x), "fma": (3, lambda x, y, z: x * y + z)}


def directed(exact, mode, dtype):
    """The float next to a fraction: rd down, ru up, rz toward zero, rn nearest with ties to even."""
    near = torch.tensor(float(exact), dtype=F64).to(dtype)
    around = sorted({Fraction(v.item()) for v in (near, torch.nextafter(near, torch.tensor(math.inf, dtype=dtype)),
                                                  torch.nextafter(near, torch.tensor(-math.inf, dtype=dtype)))})
    if mode == "rn":
        distance = min(abs(v - exact) for v in around)
        closest = [float(v) for v in around if abs(v - exact) == distance]
        return closest[0] if len(closest) == 1 else near.item()
    down, up = max(v for v in around if v <= exact), min(v for v in around if v >= exact)
    return float(down if mode == "rd" or (mode == "rz" and exact > 0) else up)


@pytest.mark.parametrize("dtype", (F32, F64), ids=str)
@pytest.mark.parametrize("mode", ("rn", "rz", "rd", "ru"))
def test_arithmetic_in_each_rounding_mode(runner, mode, dtype):
    columns = {"x": [1.0, -1.0, 2.1, 1e-3], "y": [3.0, 2.0**-30 if dtype == F32 else 2.0**-60, -0.7, 7.3], "z": [-0.1, 5.0, 2.0**-20, -1e6]}
    columns = {c: torch.tensor(v, dtype=dtype) for c, v in columns.items()}
    body, expected = "", []
    for k, (name, (count, function)) in enumerate(OPERATIONS.items()):
        names = list(columns)[:count]
        body += f"r{k} = libdevice.{name}_{mode}({', '.join(names)})\n"
        rows = zip(*(map(Fraction, columns[c].tolist()) for c in names))
        expected.append(torch.tensor([directed(function(*row), mode, dtype) for row in rows], dtype=dtype))
    body += f"r{len(OPERATIONS)} = libdevice.sqrt_{mode}(y * 0 + 2)"
    root = Fraction(math.isqrt(2 * 10**80), 10**40)  # far closer to the root of two than any float
    expected.append(torch.full((4,), directed(root, mode, dtype), dtype=dtype))
    check(runner, body, *expected, **columns)


def test_the_reciprocal_root_and_fma(runner):
    x = torch.tensor([2.0, 3.0, 0.5, 10.0])
    check(runner, "r0 = libdevice.rsqrt_rn(x)\nr1 = libdevice.fma(x, x, -1.0 + x * 0)", torch.tensor([v**-0.5 for v in x.tolist()]), x * x - 1, x=x,
          relative=1e-7)


INTEGERS = {"int": (I32, -2**31, 2**31 - 1), "uint": (U32, 0, 2**32 - 1), "ll": (I64, -2**63, 2**63 - 1), "ull": (U64, 0, 2**64 - 1)}
MODES = {"rn": round, "rz": math.trunc, "rd": math.floor, "ru": math.ceil}


@pytest.mark.parametrize("target", INTEGERS)
@pytest.mark.parametrize("start", ("float", "double"))
def test_floats_to_integers_in_each_rounding_mode(runner, start, target):
    _, low, high = INTEGERS[target]
    values = [2.5, 3.5, 0.75, -1.5, 1e30, -1e30, 100.25, 1e6] if low else [2.5, 3.5, 0.75, 0.25, 1e30, -1e30, 100.25, 1e6]
    x = torch.tensor(values, dtype=F32 if start == "float" else F64)
    signed = I64 if "ll" in target else I32
    expected, width = [], 64 if "ll" in target else 32
    for function in MODES.values():
        clamped = [min(max(function(v), low), high) for v in x.tolist()]
        expected.append(torch.tensor([v - 2**width if v >= 2 ** (width - 1) else v for v in clamped], dtype=signed))
    check(runner, "\n".join(f"r{k} = libdevice.{start}2{target}_{mode}(x)" for k, mode in enumerate(MODES)), *expected, x=x)


@pytest.mark.parametrize("start, target", [("int", "float"), ("uint", "float"), ("ll", "float"), ("ull", "float"), ("ll", "double"), ("ull", "double"),
                                           ("double", "float")])
def test_numbers_to_floats_in_each_rounding_mode(runner, start, target):
    goal = F32 if target == "float" else F64
    if start == "double":
        x = torch.tensor([0.1, -0.1, 1 + 2.0**-30, -1e-10], dtype=F64)
    else:
        dtype, _, high = INTEGERS[start]
        values = [high, high - 2**6 - 1, 2**24 + 1, 5] if start in ("uint", "ull") else [high, -high + 7, 2**24 + 1, -(2**24) - 1]
        x = torch.tensor([v - 2**64 if v >= 2**63 else v for v in values]).to(I64).view(U64) if start == "ull" else torch.tensor(values).to(dtype)
    given = [v % 2**64 for v in x.view(I64).tolist()] if start == "ull" else x.tolist()
    expected = [torch.tensor([directed(Fraction(v), mode, goal) for v in given], dtype=goal) for mode in MODES]
    check(runner, "\n".join(f"r{k} = libdevice.{start}2{target}_{mode}(x)" for k, mode in enumerate(MODES)), *expected, x=x)


def test_bits_of_numbers(runner):
    x = torch.tensor([1.0, -2.5, 0.0, 3e38])
    d = torch.tensor([1.0, -2.5, 1e300, 0.1], dtype=F64)
    body = """
r0 = libdevice.float_as_int(x)
r1 = libdevice.int_as_float(libdevice.float_as_int(x))
r2 = libdevice.float_as_uint(x)
r3 = libdevice.uint_as_float(libdevice.float_as_uint(x).to(tl.uint32))
r4 = libdevice.double_as_longlong(d)
r5 = libdevice.longlong_as_double(libdevice.double_as_longlong(d))
r6 = libdevice.double2hiint(d)
r7 = libdevice.double2loint(d)
r8 = libdevice.hiloint2double(libdevice.double2hiint(d), libdevice.double2loint(d))
r9 = libdevice.int2double_rn(libdevice.float_as_int(x))
r10 = libdevice.uint2double_rn(libdevice.float_as_uint(x).to(tl.uint32))"""
    whole = d.view(I64)
    unsigned = torch.tensor([float(v % 2**32) for v in x.view(I32).tolist()], dtype=F64)
    check(runner, body, x.view(I32), x, x.view(I32), x, whole, d, (whole >> 32).to(I32), whole.to(I32), d, x.view(I32).double(), unsigned, x=x, d=d)


def wrapped(values, bits=32):
    return torch.tensor([(v + 2 ** (bits - 1)) % 2**bits - 2 ** (bits - 1) for v in values], dtype=I32 if bits == 32 else I64)


def test_integer_functions(runner):
    a, b, c = [1, -5, 2**31 - 1, 0x12345678], [3, 7, -2, 0x0FEDCBA9], [0x0123, 0x7654, 0x3210, 0x5041]
    x, y, s = wrapped(a), wrapped(b), wrapped(c)
    low24 = [((u + 2**23) % 2**24 - 2**23, (v + 2**23) % 2**24 - 2**23) for u, v in zip(a, b)]

    def permuted(u, v, selector):
        both = (u % 2**32) | (v % 2**32) << 32
        return sum((both >> 8 * (selector >> 4 * k & 7) & 255) << 8 * k for k in range(4))

    def lowest(v):
        return (v & -v).bit_length()

    pairs = list(zip(a, b))
    results = {
        "clz(x)": [32 - (u % 2**32).bit_length() for u in a], "popc(x)": [(u % 2**32).bit_count() for u in a], "ffs(x)": [lowest(u) for u in a],
        "brev(x)": [int(f"{u % 2**32:032b}"[::-1], 2) for u in a], "byte_perm(x, y, s)": [permuted(*row) for row in zip(a, b, c)],
        "mulhi(x, y)": [u * v >> 32 for u, v in pairs], "mul24(x, y)": [u * v for u, v in low24], "abs(x)": [abs(u) for u in a],
        "hadd(x, y)": [u + v >> 1 for u, v in pairs], "rhadd(x, y)": [u + v + 1 >> 1 for u, v in pairs],
        "sad(x, y, s.to(tl.uint32))": [abs(u - v) + w for u, v, w in zip(a, b, c)],
    }
    body = "\n".join(f"r{k} = libdevice.{call}" for k, call in enumerate(results))
    check(runner, body, *(wrapped(v) for v in results.values()), x=x, y=y, s=s)


def test_integer_functions_of_64_bits(runner):
    a, b = [1, -5, 2**63 - 1, 0x123456789ABCDEF], [3, 7, -2, 0x0FEDCBA987654321]
    results = {"brev(x)": [int(f"{u % 2**64:064b}"[::-1], 2) for u in a], "mulhi(x, y)": [u * v >> 64 for u, v in zip(a, b)], "abs(x)": [abs(u) for u in a]}
    narrow = {"clz(x)": [64 - (u % 2**64).bit_length() for u in a], "popc(x)": [(u % 2**64).bit_count() for u in a],
              "ffs(x)": [(u & -u).bit_length() for u in a]}
    body = "\n".join(f"r{k} = libdevice.{call}" for k, call in enumerate([*results, *narrow]))
    check(runner, body, *(wrapped(v, 64) for v in results.values()), *(wrapped(v) for v in narrow.values()), x=wrapped(a, 64), y=wrapped(b, 64))


REASONS = {"rcp64h": "an approximation whose bits are not documented: the interpreter says that it needs a GPU"}


def test_every_function_of_the_library_is_looked_at():
    names = {n.name for n in ast.parse(inspect.getsource(libdevice)).body if isinstance(n, ast.FunctionDef)}
    with open(__file__) as file:
        text = file.read()
    generated = {f"{o}_{m}" for o in [*OPERATIONS, "sqrt"] for m in MODES} | {
        f"{s}2{t}_{m}" for s in ("float", "double") for t in INTEGERS for m in MODES} | {
        f"{s}2{t}_{m}" for s in [*INTEGERS, "double"] for t in ("float", "double") for m in MODES}
    tested = {n for n in names if f"libdevice.{n}(" in text or f'"{n}(' in text} | ONE.keys() | MORE.keys() | FAST.keys() | generated
    assert names - tested - REASONS.keys() == set()
    assert REASONS.keys() <= names and not REASONS.keys() & tested
