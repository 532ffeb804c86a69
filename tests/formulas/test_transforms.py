# SPDX-License-Identifier: Apache-2.0
"""Transforms of a tensor's elements, order or basis, against sums and loops over their definitions."""

import cmath
import itertools
import math

import mpmath
import numpy as np
import pytest
import torch

mpmath.mp.dps = 30


def apply(function, x):
    """function of each number of x, a tensor, as nested lists."""
    return [apply(function, row) for row in x] if x.dim() else function(x.item())


def doubles(*values):
    return torch.tensor(values, dtype=torch.float64)


def same(actual, expected, atol=1e-10):
    """Equal up to rounding as complex numbers."""
    assert actual.is_complex() and tuple(actual.shape) == np.shape(expected)
    assert np.abs(np.array(actual.tolist()) - expected).max() <= atol


def fourier(x, dims, sizes, norm):
    """One sum for each output; indices beyond the input are the padding."""
    shape = list(x.shape)
    for dim, size in zip(dims, sizes):
        shape[dim] = size
    y = np.zeros(shape, dtype=complex)
    for k in np.ndindex(*shape):
        for j in itertools.product(*(range(shape[d]) for d in dims)):
            at = list(k)
            for dim, index in zip(dims, j):
                at[dim] = index
            if all(i < n for i, n in zip(at, x.shape)):
                turns = sum(i * k[dim] / shape[dim] for i, dim in zip(j, dims))
                y[k] += x[tuple(at)] * cmath.exp(-2j * math.pi * turns)
    n = math.prod(shape[d] for d in dims)
    return y * {None: 1, "backward": 1, "ortho": 1 / math.sqrt(n), "forward": 1 / n}[norm]


@pytest.mark.parametrize("norm", [None, "backward", "ortho", "forward"])
@pytest.mark.parametrize("s, dim, dims, sizes", [(None, None, [0, 1, 2], [3, 4, 5]), (None, [1], [1], [4]),
                                                 (None, [-1, 0], [2, 0], [5, 3]), ([6, 2], None, [1, 2], [6, 2]),
                                                 ([7, -1], [2, 1], [2, 1], [7, 4]), ([2], [0], [0], [2])])
@pytest.mark.parametrize("kind", ["real", "complex"])
def test_fftn(kbx, randn, kind, s, dim, dims, sizes, norm):
    x = randn(3, 4, 5) if kind == "real" else torch.complex(randn(3, 4, 5), randn(3, 4, 5))
    expected = fourier(np.array(x.tolist()), dims, sizes, norm)
    same(kbx.fftn(x, s, dim, norm), expected)
    out = torch.empty(expected.shape, dtype=torch.complex128)
    assert kbx.fftn(x, s, dim, norm, out=out).data_ptr() == out.data_ptr()
    same(out, expected)


@pytest.mark.parametrize("sizes", [(5,), (6,), (3, 4), (2, 5, 3)])
@pytest.mark.parametrize("dim", [None, [0], [-1], [0, -1]])
def test_ifftshift(kbx, randn, close, sizes, dim):
    if dim == [0, -1] and len(sizes) == 1:
        dim = [0]
    x = randn(*sizes)
    moved = range(len(sizes)) if dim is None else [d % len(sizes) for d in dim]
    rows, expected = np.array(x.tolist()), np.empty(sizes)
    for i in np.ndindex(*sizes):
        source = tuple((k + n // 2) % n if d in moved else k for d, (k, n) in enumerate(zip(i, sizes)))
        expected[i] = rows[source]
    close(kbx.ifftshift(x, dim), expected, rtol=0)
    assert kbx.ifftshift(torch.tensor([-2, -1, 0, 1, 2])).tolist() == [0, 1, 2, -2, -1]


@pytest.mark.parametrize("inplace", [False, True])
@pytest.mark.parametrize("slope", [None, 0, 0.2, -1.5, 3])
def test_leaky_relu(kbx, randn, close, slope, inplace):
    x = torch.cat([randn(30) * 3, doubles(0.0, -0.0, math.inf, math.nan)])
    before = x.tolist()
    used = 0.01 if slope is None else slope
    expected = [v if v > 0 or math.isnan(v) else used * v for v in before]
    y = kbx.leaky_relu(x, inplace=inplace) if slope is None else kbx.leaky_relu(x, slope, inplace)
    close(y, expected, rtol=1e-15)
    assert (y.data_ptr() == x.data_ptr()) is inplace
    close(x, expected if inplace else before, rtol=1e-15)


def log_odds(v, eps):
    if eps is not None:
        v = min(max(v, eps), 1 - eps)
    if v in (0, 1):
        return math.inf if v else -math.inf
    return float(mpmath.log(mpmath.mpf(v) / (1 - mpmath.mpf(v)))) if 0 < v < 1 else math.nan


@pytest.mark.parametrize("eps", [None, 0.0, 1e-6, 0.1])
def test_logit(kbx, randn, close, eps):
    x = torch.cat([randn(40).abs() % 1, doubles(0, 1, -0.5, 1.5, 1e-300, 1e-7, 0.5 + 1e-6, 1 - 2**-53)])
    expected = apply(lambda v: log_odds(v, eps), x)
    close(kbx.logit(x, eps), expected, rtol=1e-13)
    out = torch.empty_like(x)
    assert kbx.logit(x, eps, out=out).data_ptr() == out.data_ptr()
    close(out, expected, rtol=1e-13)


@pytest.mark.parametrize("base", [10.0, 2.0, 0.5, math.e, 1.0])
@pytest.mark.parametrize("start, end, steps", [(0, 3, 7), (-2.5, 1.5, 100), (3, -1, 12), (1.5, 1.5, 4), (2, 9, 1), (0, 1, 2),
                                               (0, 1, 0)])
def test_logspace(kbx, close, start, end, steps, base):
    span = mpmath.mpf(end) - start
    exponents = [start + i * span / max(steps - 1, 1) for i in range(steps)]
    expected = torch.tensor([float(mpmath.mpf(base) ** e) for e in exponents], dtype=torch.float64)
    y = kbx.logspace(start, end, steps, base, dtype=torch.float64)
    assert y.dtype == torch.float64 and not y.requires_grad
    close(y / expected, [1] * steps, rtol=1e-12)
    if base == 10:
        y = kbx.logspace(start, end, steps, requires_grad=True)
        assert y.dtype == torch.float32
        close(y / expected, [1] * steps, rtol=1e-5)


@pytest.mark.parametrize("left, right, subscripts", [((7,), (7,), "k,k->"), ((3, 7), (7, 4), "ik,kj->ij"),
                                                     ((7,), (7, 4), "k,kj->j"), ((3, 7), (7,), "ik,k->i"),
                                                     ((2, 3, 7), (7, 4), "bik,kj->bij"), ((3, 0), (0, 4), "ik,kj->ij"),
                                                     ((7,), (2, 7, 4), "k,bkj->bj"), ((2, 3, 7), (7,), "bik,k->bi"),
                                                     ((5, 2, 3, 7), (2, 7, 4), "abik,bkj->abij"),
                                                     ((5, 1, 3, 7), (2, 7, 4), "aoik,bkj->abij")])
def test_matmul(kbx, randn, close, left, right, subscripts):
    a, b = randn(*left), randn(*right)
    close(kbx.matmul(a, b), np.einsum(subscripts, a.numpy(), b.numpy(), optimize=False))


def test_matmul_of_integers_and_complex_numbers(kbx):
    assert kbx.matmul(torch.tensor([[1, 2], [3, 4]]), torch.tensor([[5, 6], [7, 8]])).tolist() == [[19, 22], [43, 50]]
    assert kbx.matmul(torch.tensor([1 + 2j, 3j]), torch.tensor([2 - 1j, 1 + 1j])).item() == 1 + 6j


def quantised(numbers):
    """The integers of numbers that share a scale, and the scale. round() goes to even on a tie."""
    scale = max(map(abs, numbers)) / 127
    return [max(-127, min(127, round(v / scale))) if scale else 0 for v in numbers], scale


def quantised_product(rows, columns):
    left, right = [quantised(row) for row in rows], [quantised(column) for column in columns]
    return [[s * t * sum(a * b for a, b in zip(q, p)) for p, t in right] for q, s in left]


@pytest.mark.parametrize("m, k, n", [(1, 1, 1), (4, 9, 3), (2, 65, 5)])
def test_matmul_w8a8(kbx, randn, close, m, k, n):
    x, weight = randn(m, k), randn(k, n)
    y = kbx.matmul_w8a8(x, weight)
    close(y, quantised_product(x.tolist(), zip(*weight.tolist())))
    plain = np.einsum("ik,kj->ij", np.array(x.tolist()), np.array(weight.tolist()))
    assert k == 1 or np.abs(np.array(y.tolist()) - plain).max() > 1e-4


def test_matmul_w8a8_of_ties_and_zeros(kbx, close):
    x, weight = doubles([127, 0.5, 1.5, -2.5], [0, 0, 0, 0]), doubles([127, 0], [3.5, 0], [-0.5, 0], [4.5, 0])
    close(kbx.matmul_w8a8(x, weight), [[127 * 127 - 2 * 4, 0], [0, 0]])


def test_reciprocal(kbx, randn, close):
    x = torch.cat([randn(30) * 5, doubles(0.0, -0.0, math.inf, -math.inf, 1e-300, 3)])
    expected = [float(1 / mpmath.mpf(v)) if v else math.copysign(math.inf, v) for v in x.tolist()]
    close(kbx.reciprocal(x), expected, rtol=1e-15)
    out = torch.empty_like(x)
    assert kbx.reciprocal(x, out=out).data_ptr() == out.data_ptr()
    close(out, expected, rtol=1e-15)
    whole = kbx.reciprocal(torch.tensor([1, -2, 4, 0]))
    assert whole.dtype == torch.float32 and whole.tolist() == [1, -0.5, 0.25, math.inf]
