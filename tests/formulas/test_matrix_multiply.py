# SPDX-License-Identifier: Apache-2.0
import itertools
import math

import numpy
import pytest
import torch


def product(a, b):
    """Of matrices as lists of rows."""
    return [[math.fsum(x * y for x, y in zip(row, column)) for column in zip(*b)] for row in a]


def scaled_sum(*terms):
    """Of pairs (factor, matrix)."""
    return sum(factor * numpy.array(matrix) for factor, matrix in terms)


@pytest.mark.parametrize("alpha, beta", [(1, 1), (2.0, 0.5), (-0.5, 3)])
@pytest.mark.parametrize("added", [(3, 4), (4,), (3, 1), (1, 1)])
def test_addmm(kbx, randn, close, alpha, beta, added):
    a, b, c = randn(3, 5), randn(5, 4), randn(*added)
    whole = numpy.broadcast_to(c.numpy(), (3, 4))
    expected = scaled_sum((alpha, product(a.tolist(), b.tolist())), (beta, whole))
    close(kbx.addmm(c, a, b, beta=beta, alpha=alpha), expected)
    out = torch.empty(3, 4, dtype=torch.float64)
    kbx.addmm(c, a, b, beta=beta, alpha=alpha, out=out)
    close(out, expected)


def test_addmm_does_not_read_input_with_beta_zero(kbx, randn, close):
    a, b = randn(3, 5), randn(5, 4)
    close(kbx.addmm(torch.full((3, 4), math.nan, dtype=torch.float64), a, b, beta=0), product(a.tolist(), b.tolist()))


@pytest.mark.parametrize("entry, dtype, rtol", [("matmul_bf16", torch.bfloat16, 2**-8), ("matmul_fp16", torch.float16, 2**-11)])
@pytest.mark.parametrize("left, right, subscripts", [((3, 70), (70, 4), "ik,kj->ij"), ((2, 3, 70), (2, 70, 4), "bik,bkj->bij"),
                                                     ((70,), (70, 4), "k,kj->j"), ((3, 70), (70,), "ik,k->i"),
                                                     ((70,), (70,), "k,k->"), ((3, 70), (2, 70, 4), "ik,bkj->bij")])
def test_half_matmul(kbx, randn, close, entry, dtype, rtol, left, right, subscripts):
    a, b = randn(*left).to(dtype), randn(*right).to(dtype)
    y = getattr(kbx, entry)(a, b)
    assert y.dtype == dtype
    close(y, numpy.einsum(subscripts, a.double().numpy(), b.double().numpy()), rtol=rtol)


@pytest.mark.parametrize("alpha, beta", [(1.0, 0.5), (-2, 1), (0.5, 0.0)])
def test_matrix_multiply_symmetric(kbx, randn, close, alpha, beta):
    a, b, c = randn(3, 5), randn(5, 3), randn(3, 3)
    before = c.clone()
    d = scaled_sum((alpha, product(a.tolist(), b.tolist())), (beta, c.tolist()))
    close(kbx.matrix_multiply_symmetric(a, b, c, alpha, beta), scaled_sum((alpha, product(d, d.T)), (beta, d)))
    assert torch.equal(c, before)


@pytest.mark.parametrize("alpha, beta", [(1.0, 0.5), (-2, 1), (0.5, 0.0)])
def test_symmetric_mm_and_abs_sum(kbx, randn, close, alpha, beta):
    a, c = randn(3, 5), randn(3, 3)
    rows, added = a.tolist(), c.tolist()
    expected = math.fsum(abs(alpha * math.fsum(x * y for x, y in zip(rows[i], rows[j])) + beta * added[i][j])
                         for i in range(3) for j in range(3))
    close(kbx.symmetric_mm_and_abs_sum(a, c, alpha, beta), expected)


@pytest.mark.parametrize("alpha, beta", [(1.0, 0.5), (-2, 1), (0.5, 0.0)])
def test_matrix_vector_dot(kbx, randn, close, alpha, beta):
    a, x, y = randn(5, 5), randn(5), randn(5)
    new = [alpha * math.fsum(v * w for v, w in zip(row, x.tolist())) + beta * old for row, old in zip(a.tolist(), y.tolist())]
    close(kbx.matrix_vector_dot(a, x, y, alpha, beta), math.fsum(v * w for v, w in zip(new, x.tolist())))
    close(y, new)


@pytest.mark.parametrize("alpha, beta", [(1.0, 0.5), (-2, 1), (0.5, 0.0)])
def test_matrix_multiply_and_row_dot(kbx, randn, close, alpha, beta):
    a, b, c = randn(3, 5), randn(5, 4), randn(3, 4)
    before = c.clone()
    d = scaled_sum((alpha, product(a.tolist(), b.tolist())), (beta, c.tolist()))
    close(kbx.matrix_multiply_and_row_dot(a, b, alpha, beta, c), math.fsum(d[0] * d[1]))
    assert torch.equal(c, before)


@pytest.mark.parametrize("alpha, beta", [(1.0, 0.5), (-2, 3), (0.5, 0.0)])
def test_tril_mm_and_scale(kbx, randn, close, alpha, beta):
    a, b = randn(5, 5), randn(5, 3)
    for i, j in itertools.combinations(range(5), 2):
        a[i, j] = math.nan
    rows, right = a.tolist(), b.tolist()
    expected = [[beta * alpha * math.fsum(rows[i][k] * right[k][j] for k in range(i + 1)) for j in range(3)] for i in range(5)]
    close(kbx.tril_mm_and_scale(a, b, alpha, beta), expected)


@pytest.mark.parametrize("left, right, dims, subscripts", [((3, 4), (4, 5), ([1], [0]), "ik,kj->ij"),
                                                           ((3, 4, 5), (5, 4, 2), ([2, 1], [0, 1]), "ikl,lkj->ij"),
                                                           ((3, 4, 5), (2, 3, 5), ([0, -1], [1, 2]), "kil,jkl->ij"),
                                                           ((3,), (4,), ([], []), "i,j->ij"), ((3,), (3,), ([0], [0]), "k,k->"),
                                                           ((2, 3, 4, 5), (4, 2), ([2], [0]), "abkd,kj->abdj")])
def test_tensordot_rsqrt(kbx, randn, close, left, right, dims, subscripts):
    a, b = randn(*left).abs(), randn(*right).abs()
    close(kbx.tensordot_rsqrt(a, b, *dims), numpy.einsum(subscripts, a.numpy(), b.numpy())**-0.5)


def test_tensordot_rsqrt_of_zero_and_less(kbx):
    a, b = torch.tensor([[1.0, 2.0], [1.0, -1.0], [-1.0, 0.0]]), torch.tensor([1.0, 1.0])
    y = kbx.tensordot_rsqrt(a, b, [1], [0]).tolist()
    assert math.isclose(y[0], 3**-0.5, rel_tol=1e-6) and y[1] == math.inf and math.isnan(y[2])
