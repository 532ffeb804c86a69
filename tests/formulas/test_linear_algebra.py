# SPDX-License-Identifier: Apache-2.0
"""Linear algebra by loops over its definitions: no factorisation of a library takes part."""
import itertools
import math

import pytest
import torch


def determinant(rows):
    """Leibniz: the sum over all permutations."""
    n = len(rows)
    total = 0
    for order in itertools.permutations(range(n)):
        inversions = sum(order[i] > order[j] for i in range(n) for j in range(i + 1, n))
        total += (-1) ** inversions * math.prod(rows[i][order[i]] for i in range(n))
    return total


def cramer(rows, right):
    """x of A x = b by quotients of determinants."""
    whole = determinant(rows)
    n = len(rows)
    return [determinant([[right[i] if j == k else rows[i][j] for j in range(n)] for i in range(n)]) / whole for k in range(n)]


def product(*factors):
    """Of matrices, by loops."""
    left = factors[0].tolist()
    for factor in factors[1:]:
        right = factor.tolist()
        left = [[sum(row[k] * right[k][j] for k in range(len(right))) for j in range(len(right[0]))] for row in left]
    return tensor(left)


def tensor(rows):
    return torch.tensor(rows, dtype=torch.complex128)


def complex_randn(randn, *sizes):
    return torch.complex(randn(*sizes), randn(*sizes))


def same(actual, expected, atol=1e-9):
    """Equal up to rounding, complex or not."""
    expected = torch.as_tensor(expected, dtype=torch.complex128)
    torch.testing.assert_close(actual.to(torch.complex128), expected, rtol=0, atol=atol)


def test_det(kbx, randn, close):
    batch = randn(3, 5, 5)
    close(kbx.det(batch), [determinant(a.tolist()) for a in batch])
    z = complex_randn(randn, 4, 4)
    same(kbx.det(z), determinant(z.tolist()))


@pytest.mark.parametrize("mode", ["reduced", "complete"])
def test_determinant_via_qr(kbx, randn, close, mode):
    for n in (2, 3, 4, 5):
        batch = randn(3, n, n)
        out = torch.empty(3, dtype=torch.float64)
        close(kbx.determinant_via_qr(batch, mode=mode, out=out), [determinant(a.tolist()) for a in batch])
        close(out, [determinant(a.tolist()) for a in batch])


def test_solve(kbx, randn, close):
    a, b = randn(2, 4, 4), randn(2, 4, 3)
    expected = [[cramer(m.tolist(), column) for column in r.mT.tolist()] for m, r in zip(a, b)]
    close(kbx.solve(a, b), torch.tensor(expected, dtype=torch.float64).mT)
    close(kbx.solve(a[0], b[0, :, 0]), expected[0][0])
    with pytest.raises(RuntimeError):
        kbx.solve(torch.tensor([[1.0, 2.0], [2.0, 4.0]]), torch.tensor([5.0, 10.0]))


@pytest.mark.parametrize("alpha", [2, -0.5])
def test_solve_and_add_scaled_vector(kbx, randn, close, alpha):
    a, b, y = randn(5, 5) + 3 * torch.eye(5), randn(5, 3), randn(5, 1)
    expected = [[0.0] * 3 for _ in range(5)]
    for k in range(3):
        for i in reversed(range(5)):
            rest = sum(a[i, j].item() * expected[j][k] for j in range(i + 1, 5))
            expected[i][k] = (b[i, k].item() - rest) / a[i, i].item()
    result = [[expected[i][k] + alpha * y[i, 0].item() for k in range(3)] for i in range(5)]
    close(kbx.solve_and_add_scaled_vector(a, b, y, alpha), result)
    close(kbx.solve_and_add_scaled_vector(a, b[:, 1], y[:, 0], alpha), [row[1] for row in result])


@pytest.mark.parametrize("hermitian", [False, True])
def test_solve_symmetric_ldl(kbx, randn, close, hermitian):
    x, b = randn(5, 5), randn(5)
    a = x + x.mT
    close(kbx.solve_symmetric_ldl(a, b, hermitian=hermitian), cramer(a.tolist(), b.tolist()), 1e-8)
    z = complex_randn(randn, 4, 4)
    z = z + (z.mH if hermitian else z.mT)
    same(kbx.solve_symmetric_ldl(z, b[:4], hermitian=hermitian), cramer(z.tolist(), b[:4].tolist()), 1e-8)


@pytest.mark.parametrize("upper", [False, True])
def test_cholesky(kbx, randn, upper):
    for x in (randn(5, 5), complex_randn(randn, 4, 4)):
        a = product(x, x.mH) + torch.eye(len(x))
        a = a if x.is_complex() else a.real.contiguous()
        n = len(a)
        low = [[0j] * n for _ in range(n)]
        for i in range(n):
            for j in range(i + 1):
                rest = a[i, j].item() - sum(low[i][k] * low[j][k].conjugate() for k in range(j))
                low[i][j] = complex(math.sqrt(rest.real)) if i == j else rest / low[j][j]
        expected = tensor(low)
        same(kbx.cholesky(a, upper), expected.mH if upper else expected)
    with pytest.raises(RuntimeError):
        kbx.cholesky(torch.tensor([[1.0, 2.0], [2.0, 1.0]]), upper)


def test_eig(kbx, randn):
    for a in (randn(5, 5), complex_randn(randn, 4, 4)):
        w, v = kbx.eig(a)
        rows, n = a.to(torch.complex128).tolist(), len(a)
        for j in range(n):
            column = v[:, j].tolist()
            assert sum(abs(c) ** 2 for c in column) == pytest.approx(1)
            same(tensor([sum(rows[i][k] * column[k] for k in range(n)) for i in range(n)]), w[j] * v[:, j])
            # a root of the characteristic polynomial
            assert abs(determinant([[rows[i][k] - (w[j].item() if i == k else 0) for k in range(n)] for i in range(n)])) < 1e-9
        same(w.sum(), sum(rows[i][i] for i in range(n)))
        same(w.prod(), determinant(rows))


def unpacked(packed, pivots, star):
    """A from LAPACK's packed form: the steps undone from the last to the first."""
    n = len(pivots)
    low, d, k, steps = packed.tolist(), [[0] * n for _ in range(n)], 0, []
    while k < n:
        width = 1 if pivots[k] > 0 else 2
        steps.append((k, width, abs(pivots[k]) - 1))
        k += width
    for k, width, _ in steps:
        for i in range(k, k + width):
            d[i][i] = low[i][i]
        if width == 2:
            d[k + 1][k], d[k][k + 1] = low[k + 1][k], star(low[k + 1][k])
    for k, width, other in reversed(steps):
        step = [[float(i == j) for j in range(n)] for i in range(n)]
        for i in range(k + width, n):
            step[i][k:k + width] = low[i][k:k + width]
        own = k + width - 1
        step[own], step[other] = step[other], step[own]
        starred = [[star(step[j][i]) for j in range(n)] for i in range(n)]
        d = product(tensor(step), tensor(d), tensor(starred)).tolist()
    return tensor(d)


@pytest.mark.parametrize("hermitian", [False, True])
def test_ldl_factor(kbx, randn, hermitian):
    for x in (randn(7, 7), complex_randn(randn, 6, 6)):
        a = x + (x.mH if hermitian else x.mT)
        a.diagonal().zero_()  # so that a block of two is needed
        packed, pivots = kbx.ldl_factor(a, hermitian)
        assert pivots.dtype == torch.int32 and pivots.min() < 0
        same(packed.triu(1), torch.zeros_like(a))
        star = (lambda z: complex(z).conjugate()) if hermitian and a.is_complex() else (lambda z: z)
        same(unpacked(packed, pivots.tolist(), star), a)


@pytest.mark.parametrize("mode", ["reduced", "complete", "r"])
def test_qr(kbx, randn, mode):
    for a in (randn(6, 4), randn(3, 5), complex_randn(randn, 5, 3)):
        m, n = a.shape
        q, r = kbx.qr(a, mode)
        same(r.tril(-1), torch.zeros_like(r))
        # Gram-Schmidt: the lengths of R's diagonal.
        basis, columns = [], a.mT.to(torch.complex128).tolist()
        for j in range(min(m, n)):
            rest = columns[j]
            for b in basis:
                part = sum(x.conjugate() * y for x, y in zip(b, rest))
                rest = [y - part * x for x, y in zip(b, rest)]
            length = math.sqrt(sum(abs(y) ** 2 for y in rest))
            assert abs(r[j, j].item()) == pytest.approx(length)
            basis.append([y / length for y in rest])
        if mode == "r":
            assert tuple(q.shape) == (0,) and tuple(r.shape) == (min(m, n), n)
            same(product(r.mH, r), product(a.mH, a))
        else:
            width = m if mode == "complete" else min(m, n)
            assert tuple(q.shape) == (m, width) and tuple(r.shape) == (width, n)
            same(product(q, r), a)
            same(product(q.mH, q), torch.eye(width))


@pytest.mark.parametrize("given", ["probs", "logits"])
def test_bitwise_and_binomial(kbx, given):
    torch.manual_seed(1)
    n, trials = 200000, 7
    p = torch.tensor([0.0, 0.2, 0.7, 1.0], dtype=torch.float64).repeat(n // 4)
    value = p if given == "probs" else torch.log(p / (1 - p))
    left, right = torch.full((n,), 13), torch.tensor([7, 5]).repeat(n // 2)
    y = kbx.bitwise_and_binomial(left, right, torch.tensor(trials), **{given: value})
    assert y.dtype == torch.float64
    counts = y / torch.tensor([13 & 7, 13 & 5]).repeat(n // 2)
    assert (counts == counts.round()).all() and counts.min() >= 0 and counts.max() <= trials
    for k, chance in enumerate((0.0, 0.2, 0.7, 1.0)):
        law = [math.comb(trials, s) * chance**s * (1 - chance)**(trials - s) for s in range(trials + 1)]
        seen = torch.bincount(counts[k::4].long(), minlength=trials + 1) / (n // 4)
        for s in range(trials + 1):  # five standard deviations
            assert abs(seen[s].item() - law[s]) <= 5 * math.sqrt(law[s] * (1 - law[s]) / (n // 4)) + 1e-12
    with pytest.raises(RuntimeError):
        kbx.bitwise_and_binomial(left, right, torch.tensor(trials))
