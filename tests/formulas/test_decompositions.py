# SPDX-License-Identifier: Apache-2.0
"""Solvers and decompositions against mpmath at 30 digits, or by the identities that define them: products are einsum's loops."""

import itertools
import math

import mpmath
import numpy as np
import pytest
import torch

mpmath.mp.dps = 30


def exact(tensor):
    return mpmath.matrix(tensor.tolist())


def rounded(matrix):
    return [[float(matrix[i, j]) for j in range(matrix.cols)] for i in range(matrix.rows)]


def each(function, batch):
    """function of each matrix [m, n] of a batch [..., m, n], as nested lists."""
    return [each(function, part) for part in batch] if batch.dim() > 2 else function(batch)


def array(x):
    return np.array(x.tolist())


def product(*factors):
    """Of matrices or batches of them, from left to right, without BLAS."""
    whole = factors[0]
    for factor in factors[1:]:
        whole = np.einsum("...ik,...kj->...ij", whole, factor, optimize=False)
    return whole


def transposed(x):
    return np.swapaxes(x, -1, -2)


def positive_definite(randn, n):
    x = array(randn(n, n))
    return torch.tensor(product(x, x.T) + np.diag([1.0] * n))


def with_dominant_diagonal(randn, *sizes):
    """For elimination without exchanges; no eigenvalue is zero or negative."""
    return randn(*sizes) + 3 * sizes[-1] * torch.eye(sizes[-1], dtype=torch.float64)


@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("right, factors", [((5, 3), (5, 5)), ((2, 4, 3), (2, 4, 4)), ((2, 1, 4, 2), (3, 4, 4))])
def test_cholesky_solve(kbx, randn, close, right, factors, upper):
    # The other triangle is full too: it must not be read.
    b, factor = randn(*right), with_dominant_diagonal(randn, *factors)
    triangle = np.triu(array(factor)) if upper else np.tril(array(factor))
    a = product(transposed(triangle), triangle) if upper else product(triangle, transposed(triangle))
    batch = np.broadcast_shapes(right[:-2], factors[:-2])
    a, wide = np.broadcast_to(a, batch + a.shape[-2:]), np.broadcast_to(array(b), batch + b.shape[-2:])
    expected = np.empty_like(wide)
    for at in np.ndindex(*batch):
        expected[at] = rounded(mpmath.inverse(exact(a[at])) * exact(wide[at]))
    close(kbx.cholesky_solve(b, factor, upper), expected)
    out = torch.empty(expected.shape, dtype=torch.float64)
    assert kbx.cholesky_solve(b, factor, upper, out=out).data_ptr() == out.data_ptr()
    close(out, expected)


@pytest.mark.parametrize("pivot", [True, False])
@pytest.mark.parametrize("sizes", [(1, 1), (4, 4), (3, 5, 5), (2, 3, 6, 6)])
def test_determinant_lu(kbx, randn, close, sizes, pivot):
    a = randn(*sizes)
    expected = np.array(each(lambda m: float(mpmath.det(exact(m))), a))
    close(kbx.determinant_lu(a, pivot=pivot), expected, rtol=1e-8)
    out = torch.empty(sizes[:-2], dtype=torch.float64)
    assert kbx.determinant_lu(a, pivot=pivot, out=out).data_ptr() == out.data_ptr()
    close(out, expected, rtol=1e-8)


def test_determinant_lu_of_permutations(kbx, close):
    orders = list(itertools.permutations(range(4)))
    signs = [(-1) ** sum(p[i] > p[j] for i, j in itertools.combinations(range(4), 2)) for p in orders]
    matrices = [[[float(j == p[i]) for j in range(4)] for i in range(4)] for p in orders]
    close(kbx.determinant_lu(torch.tensor(matrices, dtype=torch.float64)), signs)


@pytest.mark.parametrize("n, k", [(1, 1), (5, 1), (7, 3)])
def test_fused_cholesky_solve(kbx, randn, close, n, k):
    a, b = positive_definite(randn, n), randn(n, k)
    close(kbx.fused_cholesky_solve(a, b), rounded(mpmath.inverse(exact(a)) * exact(b)))


def test_fused_cholesky_solve_refuses_an_indefinite_matrix(kbx):
    with pytest.raises(RuntimeError):
        kbx.fused_cholesky_solve(torch.tensor([[1.0, 2.0], [2.0, 1.0]]), torch.ones(2, 1))


@pytest.mark.parametrize("rows", [None, [[0, 1, 0], [0, 0, 1], [1, 0, 0]], [[1e-12, 1], [1, 1]]])
def test_fused_lu_solve(kbx, randn, close, rows):
    a = randn(6, 6) if rows is None else torch.tensor(rows, dtype=torch.float64)
    b = randn(len(a))
    close(kbx.fused_lu_solve(a, b), [float(v) for v in mpmath.lu_solve(exact(a), exact(b))])


def test_fused_lu_solve_refuses_a_singular_matrix(kbx):
    with pytest.raises(RuntimeError):
        kbx.fused_lu_solve(torch.tensor([[1.0, 2.0], [2.0, 4.0]]), torch.tensor([5.0, 10.0]))


@pytest.mark.parametrize("m, n, k", [(4, 4, 2), (7, 3, 1), (9, 5, 4), (6, 1, 2)])
def test_fused_qr_solve(kbx, randn, close, m, n, k):
    a, b = randn(m, n), randn(m, k)
    left, right = exact(a), exact(b)
    # The normal equations, which 30 digits can afford.
    close(kbx.fused_qr_solve(a, b), rounded(mpmath.inverse(left.T * left) * (left.T * right)))


@pytest.mark.parametrize("pivot", [True, False])
@pytest.mark.parametrize("sizes", [(1, 1), (6, 6), (3, 4, 4), (2, 2, 3, 3)])
def test_invert_matrix_lu(kbx, randn, close, sizes, pivot):
    a = with_dominant_diagonal(randn, *sizes)
    if pivot:
        a = a.roll(1, -2)  # its permutation is not its own inverse
    expected = each(lambda m: rounded(mpmath.inverse(exact(m))), a)
    close(kbx.invert_matrix_lu(a, pivot=pivot), expected)
    out = torch.empty_like(a)
    assert kbx.invert_matrix_lu(a, pivot=pivot, out=out).data_ptr() == out.data_ptr()
    close(out, expected)


def nearest_of_rank(matrix, k):
    """By the singular triples of mpmath, Jacobi's or QR's at 30 digits."""
    u, s, v = mpmath.svd_r(exact(matrix))
    entry = lambda i, j: float(sum(u[i, r] * s[r] * v[r, j] for r in range(k)))
    return [[entry(i, j) for j in range(v.cols)] for i in range(u.rows)]


@pytest.mark.parametrize("full_matrices", [True, False])
@pytest.mark.parametrize("sizes, k", [((6, 4), 1), ((6, 4), 3), ((3, 7), 2), ((5, 5), 5), ((2, 3, 5, 4), 2)])
def test_low_rank_svd_approximation(kbx, randn, close, sizes, k, full_matrices):
    a = randn(*sizes)
    expected = each(lambda m: nearest_of_rank(m, k), a)
    close(kbx.low_rank_svd_approximation(a, k, full_matrices=full_matrices), expected)
    out = torch.empty_like(a)
    assert kbx.low_rank_svd_approximation(a, k, full_matrices=full_matrices, out=out).data_ptr() == out.data_ptr()
    close(out, expected)


@pytest.mark.parametrize("pivot", [True, False])
@pytest.mark.parametrize("sizes", [(5, 5), (7, 3), (3, 6), (1, 1), (4, 5, 5), (2, 3, 4, 3)])
def test_lu(kbx, randn, close, sizes, pivot):
    a = randn(*sizes)
    p, l, u = kbx.lu(a, pivot)
    m, n, k = sizes[-2], sizes[-1], min(sizes[-2:])
    assert tuple(l.shape) == sizes[:-2] + (m, k) and tuple(u.shape) == sizes[:-2] + (k, n)
    for matrix, low, up in zip(a.reshape(-1, m, n).tolist(), l.reshape(-1, m, k).tolist(), u.reshape(-1, k, n).tolist()):
        for i in range(m):
            assert low[i][i + 1:] == [0] * len(low[i][i + 1:])
            assert i >= k or (low[i][i] == 1 and up[i][:i] == [0] * i)
            assert not pivot or max(map(abs, low[i])) <= 1
    if pivot:
        rows = array(p).reshape(-1, m)
        assert tuple(p.shape) == sizes[:-2] + (m, m)
        assert all(sorted(row) == [0] * (m - 1) + [1] for row in rows.tolist())
        assert (array(p).sum(axis=-2) == 1).all()
        close(a, product(array(p), array(l), array(u)))
    else:
        assert tuple(p.shape) == (0,)
        close(a, product(array(l), array(u)), rtol=1e-8)


def powered(matrix, k):
    """Whole powers by products, fractions as exp(k ln A): no eigenvectors."""
    a = exact(matrix)
    if k == int(k):
        a = mpmath.inverse(a) if k < 0 else a
        whole = mpmath.eye(a.rows)
        for _ in range(abs(int(k))):
            whole = whole * a
        return rounded(whole)
    whole = mpmath.expm(mpmath.logm(a) * mpmath.mpf(k))
    return [[float(mpmath.re(whole[i, j])) for j in range(a.cols)] for i in range(a.rows)]


@pytest.mark.parametrize("k", [0, 1, 2, 3.0, 5, -1, -2, 0.5, -0.5, 1.5, 0.3])
@pytest.mark.parametrize("sizes", [(3, 3), (2, 4, 4)])
def test_matrix_power_eig(kbx, randn, close, sizes, k):
    a = with_dominant_diagonal(randn, *sizes) / 9
    expected = each(lambda m: powered(m, k), a)
    close(kbx.matrix_power_eig(a, k), expected)
    out = torch.empty_like(a)
    assert kbx.matrix_power_eig(a, k, out=out).data_ptr() == out.data_ptr()
    close(out, expected)


@pytest.mark.parametrize("k", [2, 3])
def test_matrix_power_eig_of_complex_and_negative_eigenvalues(kbx, close, k):
    a = torch.tensor([[[0, -2], [3, 0]], [[-5, 1], [0, 2]]], dtype=torch.float64)
    close(kbx.matrix_power_eig(a, k), each(lambda m: powered(m, k), a))


def satisfies_penrose(close, a, inverse):
    """The four conditions, which only the pseudoinverse meets."""
    x = array(inverse)
    left, right = product(a, x), product(x, a)
    close(torch.tensor(product(left, a)), a)
    close(torch.tensor(product(right, x)), x)
    close(torch.tensor(left), transposed(left))
    close(torch.tensor(right), transposed(right))


@pytest.mark.parametrize("full_matrices", [True, False])
@pytest.mark.parametrize("sizes", [(4, 4), (6, 3), (3, 6), (1, 4), (2, 3, 5, 3)])
def test_pseudoinverse_svd(kbx, randn, close, sizes, full_matrices):
    a = randn(*sizes)
    inverse = kbx.pseudoinverse_svd(a, full_matrices)
    assert tuple(inverse.shape) == sizes[:-2] + (sizes[-1], sizes[-2])
    satisfies_penrose(close, array(a), inverse)
    out = torch.empty_like(inverse)
    assert kbx.pseudoinverse_svd(a, full_matrices, out=out).data_ptr() == out.data_ptr()
    satisfies_penrose(close, array(a), out)


@pytest.mark.parametrize("full_matrices", [True, False])
def test_pseudoinverse_svd_of_lower_rank(kbx, randn, close, full_matrices):
    a = product(array(randn(7, 2)), array(randn(2, 5)))
    satisfies_penrose(close, a, kbx.pseudoinverse_svd(torch.tensor(a), full_matrices, 1e-9))
    assert kbx.pseudoinverse_svd(torch.zeros(4, 2), full_matrices).tolist() == [[0] * 4] * 2


@pytest.mark.parametrize("rcond, kept", [(1e-15, 4), (0.05, 3), (0.2, 2), (0.7, 1)])
def test_pseudoinverse_svd_counts_small_singular_values_as_zero(kbx, randn, close, rcond, kept):
    u, v = mpmath.qr(exact(randn(6, 4)))[0], mpmath.qr(exact(randn(4, 4)))[0]
    values = [3, 1.5, 0.3, 0.03]  # 0.5, 0.1 and 0.01 of the first
    entry = lambda i, j, k: float(sum(u[i, r] * values[r] * v[j, r] for r in range(k)))
    built = lambda k: np.array([[entry(i, j, k) for j in range(4)] for i in range(6)])
    satisfies_penrose(close, built(kept), kbx.pseudoinverse_svd(torch.tensor(built(4)), rcond=rcond))


@pytest.mark.parametrize("sizes", [(2, 2), (4, 4), (3, 5, 5), (2, 2, 3, 3)])
def test_spectral_norm_eig(kbx, randn, close, sizes):
    a = randn(*sizes)
    expected = np.array(each(lambda m: float(max(abs(w) for w in mpmath.eig(exact(m), left=False, right=False))), a))
    close(kbx.spectral_norm_eig(a), expected)
    out = torch.empty(sizes[:-2], dtype=torch.float64)
    assert kbx.spectral_norm_eig(a, out=out).data_ptr() == out.data_ptr()
    close(out, expected)


def test_spectral_norm_eig_is_no_norm(kbx, close):
    rows = [[[0, 7], [0, 0]], [[0, -2], [2, 0]], [[-5, 1], [0, 2]], [[1, 2], [3, 4]]]
    close(kbx.spectral_norm_eig(torch.tensor(rows, dtype=torch.float64)), [0, 2, 5, (5 + math.sqrt(33)) / 2])
    close(kbx.spectral_norm_eig(torch.tensor([[-3.0]])), 3)


@pytest.mark.parametrize("full_matrices", [True, False])
@pytest.mark.parametrize("sizes", [(4, 4), (6, 3), (3, 6), (1, 5), (5, 1), (2, 3, 5, 4)])
def test_svd(kbx, randn, close, sizes, full_matrices):
    a = randn(*sizes)
    u, s, vh = kbx.svd(a, full_matrices)
    m, n, k = sizes[-2], sizes[-1], min(sizes[-2:])
    assert tuple(u.shape) == sizes[:-2] + (m, m if full_matrices else k)
    assert tuple(vh.shape) == sizes[:-2] + (n if full_matrices else k, n)
    close(s, each(lambda matrix: sorted(map(float, mpmath.svd_r(exact(matrix), compute_uv=False)), reverse=True), a))
    left, right = array(u), array(vh)
    rebuilt = np.einsum("...ir,...r,...rj->...ij", left[..., :k], array(s), right[..., :k, :], optimize=False)
    close(a, rebuilt)
    for basis in (transposed(left), right):
        gram = product(basis, transposed(basis)).reshape(-1, basis.shape[-2], basis.shape[-2])
        close(torch.tensor(gram), [[[float(i == j) for j in range(len(g))] for i in range(len(g))] for g in gram])
