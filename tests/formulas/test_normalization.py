# SPDX-License-Identifier: Apache-2.0
import math

import numpy
import pytest


def norm(values, p):
    magnitudes = [abs(v) for v in values]
    return max(magnitudes) if p == math.inf else math.fsum(m**p for m in magnitudes)**(1 / p)


def along(function, axis, *arrays):
    """function(lists along the axis) for each place of the other axes, kept with size 1."""
    moved = [numpy.moveaxis(a, axis, -1) for a in arrays]
    result = numpy.empty(moved[0].shape[:-1])
    for place in numpy.ndindex(*result.shape):
        result[place] = function(*[m[place].tolist() for m in moved])
    return numpy.expand_dims(result, axis)


@pytest.mark.parametrize("p_distance, eps_distance", [(2.0, 1e-6), (1.0, 0.5), (3.0, 0.0), (math.inf, 0.1)])
@pytest.mark.parametrize("keepdim, p_norm, dim_norm, eps_norm", [(False, 2, 1, 1e-12), (True, 1, 0, 1e-12), (True, 2, -1, 1e-12),
                                                                 (False, math.inf, -1, 1e-12), (False, 3, 0, 100.0)])
def test_normalize_pairwise_distance(kbx, randn, close, p_distance, eps_distance, keepdim, p_norm, dim_norm, eps_norm):
    x1, x2 = randn(3, 4, 5), randn(3, 4, 5)
    distance = along(lambda v: norm(v, p_distance) + eps_distance, 2, (x1 - x2).numpy())
    if not keepdim:
        distance = distance[..., 0]
    expected = distance / numpy.maximum(along(lambda v: norm(v, p_norm), dim_norm, distance), eps_norm)
    close(kbx.normalize_pairwise_distance(x1, x2, p_distance, eps_distance, keepdim, p_norm, dim_norm, eps_norm), expected)


@pytest.mark.parametrize("shape, other, dim", [((4, 5), (4, 5), 1), ((4, 5), (4, 5), 0), ((4, 5), (1, 5), -1),
                                               ((2, 4, 5), (2, 4, 5), 1)])
@pytest.mark.parametrize("eps_similarity, p_norm, eps_norm", [(1e-8, 2, 1e-12), (0.6, 1, 1e-12), (0.3, 3, 5.0),
                                                              (1e-8, math.inf, 1e-12)])
def test_normalized_cosine_similarity(kbx, randn, close, shape, other, dim, eps_similarity, p_norm, eps_norm):
    x1, x2 = randn(*shape), randn(*other)

    def similarity(u, v):
        u, v = ([c / max(norm(w, p_norm), eps_norm) for c in w] for w in (u, v))
        return math.fsum(a * b for a, b in zip(u, v)) / (max(norm(u, 2), eps_similarity) * max(norm(v, 2), eps_similarity))

    whole = numpy.broadcast_to(x2.numpy(), shape)
    expected = along(similarity, dim, x1.numpy(), whole).squeeze(dim)
    close(kbx.normalized_cosine_similarity(x1, x2, dim, eps_similarity, p_norm, eps_norm), expected)


@pytest.mark.parametrize("p", [1.0, 2.0, 3.0, 0.5, math.inf])
@pytest.mark.parametrize("alpha, beta", [(1.0, 0.5), (-2, 3), (0.5, 0.0)])
def test_symmetric_matrix_vector_norm(kbx, randn, close, alpha, beta, p):
    a, x = randn(5, 5), randn(5)
    a = a + a.T
    rows, vector = a.tolist(), x.tolist()
    y = [alpha * math.fsum(rows[i][j] * vector[j] for j in range(5)) + beta * vector[i] for i in range(5)]
    close(kbx.symmetric_matrix_vector_norm(a, x, alpha, beta, p), norm(y, p))
