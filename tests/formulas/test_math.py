# SPDX-License-Identifier: Apache-2.0
import math

import mpmath
import numpy as np
import pytest
import torch

mpmath.mp.dps = 30


def apply(function, x):
    """function of each number of x, a tensor, as nested lists of float."""
    if x.dim() == 0:
        return float(function(x.item()))
    return [apply(function, row) for row in x]


def doubles(*values):
    return torch.tensor(values, dtype=torch.float64)


# The reference itself is off by 1e-6 between -5 and -2: its truth is the oracle, which has a test of its own.
def test_airy_ai(kbx, randn, close):
    x = torch.cat([randn(40) * 2, doubles(-9, -14.5, 6, 11)])
    close(kbx.airy_ai(x), apply(mpmath.airyai, x), rtol=2e-6)
    out = torch.empty_like(x)
    assert kbx.airy_ai(x, out=out).data_ptr() == out.data_ptr()
    close(out, apply(mpmath.airyai, x), rtol=2e-6)


def test_bessel_j1(kbx, randn, close):
    x = torch.cat([randn(40) * 4, doubles(0, 12, -30.5)])
    series = lambda v: mpmath.nsum(lambda k: (-1)**int(k) / (mpmath.fac(k) * mpmath.fac(k + 1)) * mpmath.mpf(v / 2)**(2 * k + 1),
                                   [0, 80], method="direct")
    close(kbx.bessel_j1(x), apply(series, x), rtol=1e-7)


def test_digamma(kbx, randn, close):
    x = torch.cat([randn(40).abs() + 0.05, doubles(-0.3, -2.7, 50)])
    slope = lambda v: mpmath.diff(lambda t: mpmath.log(abs(mpmath.gamma(t))), v)
    close(kbx.digamma(x), apply(slope, x), rtol=1e-8)
    assert kbx.digamma(doubles(0)).item() == -math.inf and kbx.digamma(doubles(-0.0)).item() == math.inf
    assert math.isnan(kbx.digamma(doubles(-3)).item())


def test_erf(kbx, randn, close):
    x = randn(5, 8) * 1.5
    close(kbx.erf(x), apply(math.erf, x), rtol=1e-14)


def test_gammaln(kbx, randn, close):
    x = torch.cat([randn(40).abs() * 20, doubles(1, 2, -2.5, -7.2)])
    close(kbx.gammaln(x), apply(lambda v: mpmath.log(abs(mpmath.gamma(v))), x), rtol=1e-13)
    assert kbx.gammaln(doubles(0, -1)).tolist() == [math.inf, math.inf]


@pytest.mark.parametrize("n", [0, 1, 2, 3, 6])
def test_polygamma(kbx, randn, close, n):
    x = randn(20).abs() + 0.3
    hurwitz = lambda v: mpmath.digamma(v) if n == 0 else (-1)**(n + 1) * mpmath.fac(n) * mpmath.zeta(n + 1, v)
    expected = torch.tensor(apply(hurwitz, x), dtype=torch.float64)
    close(kbx.polygamma(n, x) / expected, torch.ones(20), rtol=1e-9)


def test_polygamma_refuses_a_negative_order(kbx):
    with pytest.raises(RuntimeError):
        kbx.polygamma(-1, doubles(1))


def test_zeta(kbx, randn, close):
    x, q = randn(6, 1).abs() + 1.3, randn(5).abs() + 0.2
    close(kbx.zeta(x, q), [[float(mpmath.zeta(a, b)) for b in q.tolist()] for a in x.flatten().tolist()])
    edges = kbx.zeta(doubles(1, 0.5, 2, 2.5, 2), doubles(2, 1, -1, -0.5, -0.5))
    assert edges[0] == edges[2] == math.inf and edges[1].isnan() and edges[3].isnan()
    close(edges[4], 4 + math.pi**2 / 2)  # 1 / 0.5^2 and the sum over odd halves


@pytest.mark.parametrize("n", [0, 1, 2, 3, 7, 12])
def test_chebyshev_polynomial_t(kbx, randn, close, n):
    x = torch.cat([randn(30), doubles(1, -1, 0, 3.5, -2)])
    close(kbx.chebyshev_polynomial_t(x, n), np.polynomial.chebyshev.chebval(x.numpy(), [0] * n + [1]), rtol=1e-12)


def test_asin(kbx, randn, close):
    x = torch.cat([randn(30).clamp(-1, 1), doubles(0.5, 1e-9)])
    close(kbx.asin(x), apply(lambda v: math.atan2(v, math.sqrt((1 - v) * (1 + v))), x), rtol=1e-14)
    assert kbx.asin(doubles(1.5)).isnan()


def test_log(kbx, randn, close):
    x = torch.cat([randn(30).abs(), doubles(1e-300, 1e300)])
    close(kbx.log(x), apply(mpmath.log, x), rtol=1e-14)
    assert kbx.log(doubles(0)).item() == -math.inf and kbx.log(doubles(-1)).isnan()


def test_rsqrt(kbx, randn, close):
    x = randn(30).abs()
    close(kbx.rsqrt(x), apply(lambda v: 1 / mpmath.sqrt(v), x), rtol=1e-14)
    assert kbx.rsqrt(doubles(0)).item() == math.inf and kbx.rsqrt(doubles(-1)).isnan()


def test_trunc(kbx, randn, close):
    x = torch.cat([randn(30) * 5, doubles(-0.9, 2, -2)])
    close(kbx.trunc(x), apply(lambda v: int(v), x), rtol=0)
    assert kbx.trunc(torch.tensor([3, -4])).tolist() == [3, -4]


def test_signbit(kbx, randn):
    x = torch.cat([randn(30), doubles(0.0, -0.0, math.inf, -math.inf)])
    assert kbx.signbit(x).tolist() == [math.copysign(1, v) < 0 for v in x.tolist()]
    assert kbx.signbit(torch.tensor([0, -1, 5])).tolist() == [False, True, False]


def test_erfc_sqrt(kbx, randn, close):
    x = torch.cat([randn(30).abs() * 2, doubles(-1, 9)])
    erfc, root = kbx.erfc_sqrt(x)
    close(erfc / torch.tensor(apply(mpmath.erfc, x), dtype=torch.float64), torch.ones(32), rtol=1e-12)
    close(root, apply(lambda v: math.sqrt(v) if v >= 0 else math.nan, x), rtol=1e-15)


def test_rad2deg_sqrt(kbx, randn, close):
    x = randn(30) * 3
    degrees, root = kbx.rad2deg_sqrt(x)
    close(degrees, apply(lambda v: mpmath.mpf(v) * 180 / mpmath.pi, x), rtol=1e-14)
    close(root, apply(lambda v: math.sqrt(v) if v >= 0 else math.nan, x), rtol=1e-15)


@pytest.mark.parametrize("given", [False, True])
def test_sqrt_exp(kbx, randn, close, given):
    x = randn(5, 6).abs()
    out = torch.empty_like(x) if given else None
    result = kbx.sqrt_exp(x, out=out)
    close(out if given else result, apply(lambda v: math.e**math.sqrt(v), x), rtol=1e-13)


@pytest.mark.parametrize("given", [False, True])
def test_sqrt_tanh(kbx, randn, close, given):
    x = randn(5, 6).abs()
    out = torch.empty_like(x) if given else None
    result = kbx.sqrt_tanh(x, out=out)
    close(out if given else result, apply(lambda v: 1 - 2 / (mpmath.exp(2 * mpmath.sqrt(v)) + 1), x), rtol=1e-13)


@pytest.mark.parametrize("mode", [None, "floor", "trunc"])
def test_div(kbx, randn, close, mode):
    x, y = randn(7, 1) * 10, randn(5)
    rounded = {None: lambda v: v, "floor": math.floor, "trunc": math.trunc}[mode]
    close(kbx.div(x, y, rounding_mode=mode), [[rounded(a / b) for b in y.tolist()] for a in x.flatten().tolist()], rtol=1e-15)
    integers = kbx.div(torch.tensor([7, -7, 6]), torch.tensor([2, 2, -4]), rounding_mode=mode)
    assert integers.tolist() == {None: [3.5, -3.5, -1.5], "floor": [3, -4, -2], "trunc": [3, -3, -1]}[mode]
    assert integers.is_floating_point() == (mode is None)


def test_mul(kbx, randn, close):
    x, y = randn(7, 1), randn(5)
    close(kbx.mul(x, y), np.outer(x.numpy(), y.numpy()), rtol=0)
    product = kbx.mul(torch.tensor([1 + 2j, 3 + 4j]), torch.tensor([5 + 6j, 7 + 8j]))
    assert product.tolist() == [-7 + 16j, -11 + 52j]


@pytest.mark.parametrize("alpha", [1, -2.5, 0])
def test_sub(kbx, randn, close, alpha):
    x, y = randn(7, 1), randn(5)
    close(kbx.sub(x, y, alpha=alpha), [[a - alpha * b for b in y.tolist()] for a in x.flatten().tolist()], rtol=1e-15)


def test_pow(kbx, randn, close):
    x, y = randn(7, 1).abs(), randn(5) * 3
    close(kbx.pow(x, y), [[float(mpmath.exp(b * mpmath.log(a))) for b in y.tolist()] for a in x.flatten().tolist()], rtol=1e-12)
    close(kbx.pow(doubles(-2, -2, 0, 5), doubles(3, 0.5, 0, -1)), [-8, math.nan, 1, 0.2], rtol=1e-15)


def test_bitwise_and(kbx):
    values = list(range(-9, 9))
    x, y = torch.tensor(values), torch.tensor(values).unsqueeze(1)
    bits = lambda v: [(v % 16) >> i & 1 for i in range(4)]
    expected = [[[a * b for a, b in zip(bits(p), bits(q))] for p in values] for q in values]
    result = kbx.bitwise_and(x, y)
    assert [[bits(v) for v in row] for row in result.tolist()] == expected
    both = kbx.bitwise_and(torch.tensor([True, True, False]), torch.tensor([True, False, False]))
    assert both.tolist() == [True, False, False]


@pytest.mark.parametrize("dtype", [torch.int8, torch.bool])
def test_signbit_bitwise_and(kbx, randn, dtype):
    x = torch.cat([randn(30) * 20, doubles(0.0, -0.0, 0.9, -0.9)])
    y = (torch.arange(34) % 7).to(dtype)
    sign, both = kbx.signbit_bitwise_and(x, y)
    assert sign.tolist() == [math.copysign(1, v) < 0 for v in x.tolist()]
    assert both.dtype == torch.int8
    assert both.tolist() == [int(v) & int(w) for v, w in zip(x.tolist(), y.tolist())]


@pytest.mark.parametrize("dim", [0, 1, -1])
def test_softmax(kbx, randn, close, dim):
    x = randn(4, 5, 3) * 10 + 500
    powers = np.frompyfunc(mpmath.exp, 1, 1)(x.numpy())
    close(kbx.softmax(x, dim), (powers / powers.sum(axis=dim, keepdims=True)).astype(float), rtol=1e-13)
    assert kbx.softmax(x.float(), dim, dtype=torch.float64).dtype == torch.float64


@pytest.mark.parametrize("entry", ["mul_bf16", "mul_fp16"])
def test_half_multiply(kbx, randn, close, entry):
    dtype = torch.bfloat16 if entry.endswith("bf16") else torch.float16
    x, y = randn(9, 1).to(dtype), randn(7).to(dtype)
    exact = np.outer(x.double().numpy(), y.double().numpy())
    result = getattr(kbx, entry)(x, y)
    assert result.dtype == dtype
    close(result, torch.tensor(exact).float().to(dtype).double(), rtol=0)  # exact in float32: one rounding


@pytest.mark.parametrize("given", [False, True])
@pytest.mark.parametrize("alpha", [1, -2.5, 0])
def test_add(kbx, randn, close, alpha, given):
    x, y = randn(7, 1), randn(5)
    out = torch.empty(7, 5, dtype=torch.float64) if given else None
    result = kbx.add(x, y, alpha=alpha, out=out)
    close(out if given else result, [[a + alpha * b for b in y.tolist()] for a in x.flatten().tolist()], rtol=1e-15)
    close(kbx.add(x, torch.tensor(3), alpha=alpha), [[a + alpha * 3] for a in x.flatten().tolist()], rtol=1e-15)
    assert kbx.add(torch.tensor([1, -4]), torch.tensor([[2], [3]]), alpha=-3).tolist() == [[-5, -10], [-8, -13]]


@pytest.mark.parametrize("given", [False, True])
def test_exp_sqrt(kbx, randn, close, given):
    x = torch.cat([randn(30) * 5, doubles(0, -700, 30)])
    out = torch.empty_like(x) if given else None
    result = kbx.exp_sqrt(x, out=out)
    expected = torch.tensor(apply(lambda v: mpmath.sqrt(mpmath.exp(v)), x), dtype=torch.float64)
    close((out if given else result) / expected, torch.ones(33), rtol=1e-13)


@pytest.mark.parametrize("given", [False, True])
def test_i0(kbx, randn, close, given):
    def series(v):
        term = total = mpmath.mpf(1)
        for k in range(1, 300):
            term *= mpmath.mpf(v) ** 2 / 4 / k**2
            total += term
        return total

    x = torch.cat([randn(30) * 6, doubles(0, -0.0, 1e-9, 7.99, 8.01, -60)])
    out = torch.empty_like(x) if given else None
    result = kbx.i0(x, out=out)
    expected = torch.tensor(apply(series, x), dtype=torch.float64)
    close((out if given else result) / expected, torch.ones(36), rtol=1e-12)
