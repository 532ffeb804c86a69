# SPDX-License-Identifier: Apache-2.0
import itertools
import math

import numpy as np
import pytest
import torch

A = -0.75  # of the cubic convolution


def cubic(d):
    d = abs(d)
    if d <= 1:
        return (A + 2) * d**3 - (A + 3) * d**2 + 1
    return A * (d**3 - 5 * d**2 + 8 * d - 4) if d < 2 else 0.0


def kernel(mode, t):
    """{position: weight} around the coordinate t."""
    if mode == "nearest":
        return {round(t): 1.0}  # to even
    if mode == "bilinear":
        return {math.floor(t) + k: 1 - abs(t - math.floor(t) - k) for k in (0, 1)}
    return {math.floor(t) + k: cubic(t - math.floor(t) - k) for k in (-1, 0, 1, 2)}


def summed(image, rows, columns, index):
    """Weighted elements of the image at index(position, size), or nothing where that is None."""
    total = 0.0
    for (r, v), (c, w) in itertools.product(rows.items(), columns.items()):
        i, j = index(r, len(image)), index(c, len(image[0]))
        if i is not None and j is not None:
            total += v * w * image[i][j]
    return total


def clamped(position, size):
    return min(max(position, 0), size - 1)


def resized(old, new, factor, mode, align):
    """For each new position its kernel."""
    step = 1 / factor if factor else old / new
    if align:
        step = (old - 1) / (new - 1) if new > 1 else 0.0
    for i in range(new):
        if mode == "nearest":
            yield {math.floor(i * step + 1e-9): 1.0}
        else:
            t = i * step if align else (i + 0.5) * step - 0.5
            yield kernel(mode, max(t, 0.0) if mode == "bilinear" else t)


@pytest.mark.parametrize("mode, align", [("nearest", None), ("bilinear", None), ("bilinear", True), ("bicubic", False),
                                         ("bicubic", True)])
@pytest.mark.parametrize("size, factor", [([7, 11], None), ([3, 2], None), ([1, 5], None), (None, [1.7, 0.6]),
                                          (None, [2.0, 2.0])])
def test_interpolate(kbx, randn, close, mode, align, size, factor):
    x = randn(2, 2, 4, 5)
    new = size or [math.floor(old * f) for old, f in zip((4, 5), factor)]
    rows = list(resized(4, new[0], factor and factor[0], mode, align))
    columns = list(resized(5, new[1], factor and factor[1], mode, align))
    expected = [[[[summed(image, r, c, clamped) for c in columns] for r in rows] for image in images] for images in x.tolist()]
    close(kbx.interpolate(x, size=size, scale_factor=factor, mode=mode, align_corners=align), expected)


def reflected(t, low, high):
    if high <= low:
        return 0.0
    away = abs(t - low) % (2 * (high - low))
    return low + min(away, 2 * (high - low) - away)


def inside(t, size, padding, align):
    if padding == "border":
        return min(max(t, 0.0), size - 1.0)
    if padding == "reflection":
        ends = (0.0, size - 1.0) if align else (-0.5, size - 0.5)
        return min(max(reflected(t, *ends), 0.0), size - 1.0)
    return t


def weights(mode, t, size, padding, align):
    """{index or None: weight}: positions are moved one by one for the cubic kernel, the coordinate itself otherwise."""
    if mode != "bicubic":
        return {p if 0 <= p < size else None: w for p, w in kernel(mode, inside(t, size, padding, align)).items()}
    result = {}
    for p, w in kernel(mode, t).items():
        q = round(inside(float(p), size, padding, align))
        key = q if 0 <= q < size else None
        result[key] = result.get(key, 0.0) + w
    return result


@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("align", [False, True])
def test_grid_sample_with_affine(kbx, randn, close, mode, padding, align):
    n, c, h, w, h_out, w_out = 2, 2, 4, 5, 3, 6
    x, theta = randn(n, c, h, w), randn(n, 2, 3)

    def places(count):
        if not align:
            return [(2 * i + 1) / count - 1 for i in range(count)]
        return [2 * i / (count - 1) - 1 if count > 1 else 0.0 for i in range(count)]

    def pixel(v, size):
        return (v + 1) / 2 * (size - 1) if align else ((v + 1) * size - 1) / 2

    expected = []
    for images, (tx, ty) in zip(x.tolist(), theta.tolist()):
        planes = []
        for image in images:
            planes.append([])
            for gy in places(h_out):
                planes[-1].append([])
                for gx in places(w_out):
                    columns = weights(mode, pixel(tx[0] * gx + tx[1] * gy + tx[2], w), w, padding, align)
                    rows = weights(mode, pixel(ty[0] * gx + ty[1] * gy + ty[2], h), h, padding, align)
                    planes[-1][-1].append(sum(v * u * image[i][j] for i, v in rows.items() for j, u in columns.items()
                                              if i is not None and j is not None))
        expected.append(planes)
    close(kbx.grid_sample_with_affine(x, theta, [n, c, h_out, w_out], mode, padding, align), expected)


def test_grid_sample_with_affine_takes_integers(kbx, randn, close):
    x = randn(1, 2, 4, 4)
    turned = torch.tensor([[[0, -1, 0], [1, 0, 0]]])  # by a quarter
    expected = [[[[image[j][3 - i] for j in range(4)] for i in range(4)] for image in x[0].tolist()]]
    close(kbx.grid_sample_with_affine(x, turned, [1, 2, 4, 4]), expected)


def drawn(image, places):
    """Weighted elements of nested lists, with one {index or None: weight} for each dimension."""
    if not places:
        return image
    return sum(w * drawn(image[i], places[1:]) for i, w in places[0].items() if i is not None)


@pytest.mark.parametrize("mode, sizes", [("bilinear", (4, 5)), ("nearest", (4, 5)), ("bicubic", (4, 5)), ("bilinear", (3, 4, 5)),
                                         ("nearest", (3, 4, 5)), ("bilinear", (1, 5)), ("nearest", (1, 5))])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("align", [False, True])
def test_grid_sample(kbx, randn, close, mode, sizes, padding, align):
    new = (6, 3, 2)[:len(sizes)]
    x, grid = randn(2, 2, *sizes), randn(2, *new, len(sizes)) * 1.3
    grid[0, 0] = torch.tensor([-1.0, 1.0])[:, None].expand(2, len(sizes)) if len(sizes) == 3 else torch.tensor([[-1.0], [1], [0]])

    def unnormalized(v, size):
        return (v + 1) / 2 * (size - 1) if align else ((v + 1) * size - 1) / 2

    expected = np.empty((2, 2, *new))
    for place in np.ndindex(*expected.shape):
        coordinates = reversed(grid[place[:1] + place[2:]].tolist())  # x is the last dimension of the image
        places = [weights(mode, unnormalized(v, size), size, padding, align) for v, size in zip(coordinates, sizes)]
        expected[place] = drawn(x[place[:2]].tolist(), places)
    close(kbx.grid_sample(x, grid, mode, padding, align), expected)


def test_grid_sample_rounds_ties_to_even(kbx, close):
    x = torch.arange(4, dtype=torch.float64).reshape(1, 1, 1, 4)
    grid = torch.tensor([[[[v, 0.0] for v in (-0.5, 0.0, 0.5, 0.75)]]], dtype=torch.float64)  # at 0.5, 1.5, 2.5, 3
    close(kbx.grid_sample(x, grid, mode="nearest"), [[[[0, 2, 2, 3]]]])
    close(kbx.grid_sample(x, grid), [[[[0.5, 1.5, 2.5, 3]]]])
