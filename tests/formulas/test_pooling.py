# SPDX-License-Identifier: Apache-2.0
"""Two-dimensional pooling: by loops over the windows."""

import math
from fractions import Fraction

import numpy as np
import pytest
import torch


@pytest.mark.parametrize("shape", [(2, 3, 7, 9), (3, 4, 5)])
@pytest.mark.parametrize("rows, columns", [(3, 4), (1, 1), (7, 9), (9, 2)])
def test_adaptive_avg_pool2d(kbx, randn, close, shape, rows, columns):
    x, (height, width) = randn(*shape), shape[-2:]
    expected = np.zeros((*shape[:-2], rows, columns))
    for *image, i, j in np.ndindex(expected.shape):
        top, bottom = math.floor(Fraction(i * height, rows)), math.ceil(Fraction((i + 1) * height, rows))
        left, right = math.floor(Fraction(j * width, columns)), math.ceil(Fraction((j + 1) * width, columns))
        window = [x[(*image, h, w)].item() for h in range(top, bottom) for w in range(left, right)]
        expected[(*image, i, j)] = math.fsum(window) / len(window)
    close(kbx.adaptive_avg_pool2d(x, [rows, columns]), expected, rtol=1e-12)


@pytest.mark.parametrize("kernel, stride, padding", [((2, 2), None, (0, 0)), ((3, 2), (2, 1), (1, 0)), ((4, 4), (3, 5), (2, 2)),
                                                     ((1, 3), (1, 2), (0, 1))])
@pytest.mark.parametrize("eps", [1e-8, 1.5])
def test_fused_avg_pool2d_cosine_similarity(kbx, randn, close, kernel, stride, padding, eps):
    x1, x2 = randn(2, 3, 7, 8), randn(2, 3, 7, 8)
    (kh, kw), (sh, sw), (ph, pw) = kernel, stride or kernel, padding
    similarity = np.zeros((2, 7 + 2 * ph, 8 + 2 * pw))
    for n, i, j in np.ndindex(2, 7, 8):
        a, b = x1[n, :, i, j].tolist(), x2[n, :, i, j].tolist()
        lengths = [max(math.sqrt(math.fsum(v * v for v in values)), eps) for values in (a, b)]
        similarity[n, i + ph, j + pw] = math.fsum(v * w for v, w in zip(a, b)) / math.prod(lengths)
    expected = np.zeros((2, 1, (7 + 2 * ph - kh) // sh + 1, (8 + 2 * pw - kw) // sw + 1))
    for n, c, i, j in np.ndindex(expected.shape):
        window = similarity[n, i * sh:i * sh + kh, j * sw:j * sw + kw]
        expected[n, c, i, j] = math.fsum(window.flatten().tolist()) / (kh * kw)
    close(kbx.fused_avg_pool2d_cosine_similarity(x1, x2, kernel, stride, padding, eps), expected)


def possible_starts(size, kernel, outputs):
    """Where the windows of an axis may start: one tuple for each range of the random number."""
    last = size - kernel
    if outputs == 1:
        return [(last,)]
    alpha = Fraction(last, outputs - 1)
    jumps = {Fraction(0)} | {k / alpha - i for i in range(outputs) for k in range(size) if alpha and 0 <= k / alpha - i < 1}
    edges = sorted(jumps) + [Fraction(1)]
    middles = [(a + b) / 2 for a, b in zip(edges, edges[1:])]
    return sorted({tuple(math.floor((i + u) * alpha) - math.floor(u * alpha) for i in range(outputs - 1)) + (last,)
                   for u in middles})


@pytest.mark.parametrize("shape, kernel, outputs, ratio", [
    ((4, 5, 9, 11), (2, 3), (4, 5), None),
    ((6, 9, 11), (3, 2), (2, 6), None),
    ((2, 3, 9, 11), (2, 2), (4, 6), (0.5, 0.6)),
    ((2, 3, 5, 4), (3, 4), (1, 1), None),
    ((2, 3, 5, 6), (1, 1), (5, 6), None),
])
def test_fused_fractional_max_pool2d_with_relu(kbx, randn, shape, kernel, outputs, ratio):
    x = randn(*shape)
    size = dict(output_ratio=ratio) if ratio else dict(output_size=outputs)
    torch.manual_seed(7)
    maxima, indices = kbx.fused_fractional_max_pool2d_with_relu(x, kernel, **size, return_indices=True)
    assert maxima.shape == indices.shape == (*shape[:-2], *outputs)
    torch.manual_seed(7)
    again, none = kbx.fused_fractional_max_pool2d_with_relu(x, kernel, **size)
    assert torch.equal(again, maxima) and none is None

    row_starts, column_starts = (possible_starts(*axis) for axis in zip(shape[-2:], kernel, outputs))
    used = set()
    for plane in np.ndindex(*shape[:-2]):
        image, actual = np.array([[max(v, 0.0) for v in row] for row in x[plane].tolist()]), maxima[plane].numpy()
        flat, where = image.flatten(), indices[plane].numpy()
        assert (flat[where] == actual).all()

        def fits(rows, columns):
            for (i, r), (j, c) in ((a, b) for a in enumerate(rows) for b in enumerate(columns)):
                h, w = divmod(int(where[i, j]), shape[-1])
                if not (r <= h < r + kernel[0] and c <= w < c + kernel[1]):
                    return False
                if max(image[r + u, c + v] for u in range(kernel[0]) for v in range(kernel[1])) != actual[i, j]:
                    return False
            return True

        fitting = {(rows, columns) for rows in row_starts for columns in column_starts if fits(rows, columns)}
        assert fitting
        used |= {min(fitting)}
    assert len(used) > 1 or len(row_starts) * len(column_starts) == 1
