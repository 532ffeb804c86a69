# SPDX-License-Identifier: Apache-2.0
"""Quantised tasks: the scheme in Python integers. round() goes to even on a tie."""

import math

import numpy as np
import pytest


def integers(numbers, levels=127):
    """The integers of numbers that share a scale, and the scale."""
    largest = max(abs(v) for v in numbers)
    scale = (largest or 1) / levels
    return [round(v / scale) for v in numbers], scale


def product(left, right):
    """[m, k] x [k, n] in int8, a scale for each row on the left and each column on the right."""
    rows = [integers(row) for row in left.tolist()]
    columns = [integers(column) for column in columns_of(right)]
    return np.array([[sum(a * b for a, b in zip(q, p)) * s * t for p, t in columns] for q, s in rows])


def columns_of(matrix):
    return [list(column) for column in zip(*matrix.tolist())]


def test_bmm_w8a8(kbx, randn, close):
    x, y = randn(2, 4, 9), randn(2, 9, 3)
    close(kbx.bmm_w8a8(x, y), np.stack([product(a, b) for a, b in zip(x, y)]))


@pytest.mark.parametrize("with_bias", [False, True])
def test_linear_w4a16(kbx, randn, close, with_bias):
    x, weight, bias = randn(4, 9), randn(3, 9), randn(3) if with_bias else None
    rows = [integers(row, levels=7) for row in weight.tolist()]
    offsets = bias.tolist() if with_bias else [0] * 3
    expected = [[math.fsum(a * w * s for a, w in zip(line, q)) + b for (q, s), b in zip(rows, offsets)] for line in x.tolist()]
    close(kbx.linear_w4a16(x, weight, bias), expected)


@pytest.mark.parametrize("stride, padding", [([1, 1], [0, 0]), ([2, 1], [1, 2])])
def test_conv2d_w8a8(kbx, randn, close, stride, padding):
    x, weight, bias = randn(2, 3, 5, 6), randn(4, 3, 3, 2), randn(4)
    q, scale = integers(x.flatten().tolist())
    image = np.pad(np.array(q).reshape(2, 3, 5, 6), [(0, 0), (0, 0), (padding[0],) * 2, (padding[1],) * 2])
    height = (image.shape[2] - 3) // stride[0] + 1
    width = (image.shape[3] - 2) // stride[1] + 1
    expected = np.empty((2, 4, height, width))
    for o, channel in enumerate(weight):
        p, channel_scale = integers(channel.flatten().tolist())
        p = np.array(p).reshape(3, 3, 2)
        for i in range(height):
            for j in range(width):
                top, left = i * stride[0], j * stride[1]
                window = image[:, :, top : top + 3, left : left + 2]
                expected[:, o, i, j] = np.einsum("bcij,cij->b", window, p) * scale * channel_scale + float(bias[o])
    close(kbx.conv2d_w8a8(x, weight, bias, stride, padding), expected)


@pytest.mark.parametrize("eps", [1e-5, 0.1])
def test_layernorm_w8a8(kbx, randn, close, eps):
    x, weight, bias = randn(4, 2, 9), randn(2, 9), randn(2, 9)
    expected = []
    for group in x.reshape(4, 18).tolist():
        mean = math.fsum(group) / 18
        deviation = math.sqrt(math.fsum((v - mean) ** 2 for v in group) / 18 + eps)
        affine = zip(group, weight.flatten().tolist(), bias.flatten().tolist())
        q, scale = integers([(v - mean) / deviation * w + b for v, w, b in affine])
        expected.append([n * scale for n in q])
    close(kbx.layernorm_w8a8(x, [2, 9], weight, bias, eps), np.array(expected).reshape(4, 2, 9))


def test_attention_w8a8(kbx, randn, close):
    query, key, value = randn(2, 4, 5), randn(2, 7, 5), randn(2, 7, 3)
    expected = []
    for q, k, v in zip(query, key, value):
        scores = product(q, k.T) / math.sqrt(5)
        powers = [[math.exp(s) for s in row] for row in scores.tolist()]
        probabilities = np.array([[p / math.fsum(row) for p in row] for row in powers])
        expected.append(product(probabilities, v))
    close(kbx.attention_w8a8(query, key, value), np.stack(expected))
