# SPDX-License-Identifier: Apache-2.0
"""Fusions of distances, similarities, classification losses, logarithms, and the reconstruction from singular values."""

import math

import numpy as np
import pytest
import torch


def norm(values, p):
    return math.fsum(abs(v) ** p for v in values) ** (1 / p)


def pooled(x, size):
    n, c, height, width = x.shape
    y = np.zeros((n, c, *size))
    for i in range(size[0]):
        for j in range(size[1]):
            rows = slice(i * height // size[0], -(-(i + 1) * height // size[0]))
            columns = slice(j * width // size[1], -(-(j + 1) * width // size[1]))
            y[:, :, i, j] = x[:, :, rows, columns].mean(axis=(2, 3))
    return y


@pytest.mark.parametrize("p, keepdim", [(2.0, False), (1.0, True), (3.0, False)])
def test_fused_pairwise_distance_adaptive_avg_pool2d(kbx, randn, close, p, keepdim):
    x1, x2, size = randn(3, 2, 7, 9), randn(3, 2, 7, 9), [3, 4]
    d = pooled(x1.numpy(), size) - pooled(x2.numpy(), size)
    expected = np.array([norm(image.ravel(), p) + 0.25 for image in d])
    actual = kbx.fused_pairwise_distance_adaptive_avg_pool2d(x1, x2, size, p, 0.25, keepdim)
    close(actual, expected.reshape(3, 1, 1, 1) if keepdim else expected)


@pytest.mark.parametrize("p, keepdim", [(2.0, False), (1.0, True), (3.0, False)])
@pytest.mark.parametrize("eps_norm, eps_distance", [(1e-12, 1e-6), (3.0, 0.8)])
def test_fused_pairwise_distance_normalize(kbx, randn, close, p, keepdim, eps_norm, eps_distance):
    x1, x2 = randn(5, 7), randn(4, 7)

    def unit(x):
        return [[v / max(norm(row, p), eps_norm) for v in row] for row in x.tolist()]

    expected = [[max(norm([v - w for v, w in zip(a, b)], p), eps_distance) for b in unit(x2)] for a in unit(x1)]
    actual = kbx.fused_pairwise_distance_normalize(x1, x2, p, eps_norm, eps_distance, keepdim)
    close(actual, np.array(expected)[:, :, None] if keepdim else expected)


REDUCTIONS = {"none": lambda losses: losses, "sum": math.fsum, "mean": lambda losses: math.fsum(losses) / len(losses)}


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("margin", [0.0, 0.2])
def test_fused_cosine_embedding_loss_with_normalization(kbx, randn, close, reduction, margin):
    x, y, target = randn(8, 3), randn(8, 3), torch.tensor([1, -1] * 4)
    losses = []
    for a, b, t in zip(x.tolist(), y.tolist(), target.tolist()):
        cosine = math.fsum(v * w for v, w in zip(a, b)) / (norm(a, 2) * norm(b, 2))
        losses.append(1 - cosine if t == 1 else max(0.0, cosine - margin))
    actual = kbx.fused_cosine_embedding_loss_with_normalization(x, y, target, margin, reduction)
    close(actual, REDUCTIONS[reduction](losses))


def log_softmax(x, axis):
    return x - np.log(np.exp(x).sum(axis=axis, keepdims=True))


def cross_entropy(scores, targets, weight, ignored, reduction, smoothing):
    """Of scores [N, C] and indices [N] or probabilities [N, C]."""
    classes = scores.shape[1]
    weight = np.ones(classes) if weight is None else weight.numpy()
    losses, divisor = [], 0.0
    for row, target in zip(log_softmax(scores, 1), targets.tolist()):
        if target == ignored:
            losses.append(0.0)
            continue
        given = target if isinstance(target, list) else [float(c == target) for c in range(classes)]
        q = [(1 - smoothing) * v + smoothing / classes for v in given]
        losses.append(-math.fsum(weight[c] * q[c] * row[c] for c in range(classes)))
        divisor += 1 if isinstance(target, list) else weight[target]
    return {"none": losses, "sum": math.fsum(losses), "mean": math.fsum(losses) / divisor}[reduction]


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("weighted, smoothing", [(False, 0.0), (True, 0.3)])
@pytest.mark.parametrize("kind", ["indices", "probabilities"])
@pytest.mark.parametrize("dim", [1, 0])
def test_fused_cross_entropy_log_softmax(kbx, randn, close, reduction, weighted, smoothing, kind, dim):
    x, weight = randn(6, 5), randn(5).abs() if weighted else None
    targets = torch.tensor([0, 3, 2, 4, 2, 1]) if kind == "indices" else randn(6, 5).abs()
    ignored = 2 if kind == "indices" else -100
    expected = cross_entropy(log_softmax(x.numpy(), dim), targets, weight, ignored, reduction, smoothing)
    close(kbx.fused_cross_entropy_log_softmax(x, targets, dim, weight, ignored, reduction, smoothing), expected)


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("kind", ["indices", "probabilities"])
@pytest.mark.parametrize("shape, axes", [([5], -1), ([6, 5], (0, 1))])
def test_fused_cross_entropy_softmax_layernorm(kbx, randn, close, reduction, kind, shape, axes):
    x, weight = randn(6, 5), randn(5).abs()
    targets = torch.tensor([0, 3, 2, 4, 2, 1]) if kind == "indices" else randn(6, 5).abs()
    ignored = 2 if kind == "indices" else -100
    loss, output = kbx.fused_cross_entropy_softmax_layernorm(x, targets, shape, weight, ignored, reduction, 0.2, 0.01)
    close(loss, cross_entropy(x.numpy(), targets, weight, ignored, reduction, 0.2))
    p = np.exp(log_softmax(x.numpy(), 1))
    close(output, (p - p.mean(axis=axes, keepdims=True)) / np.sqrt(p.var(axis=axes, keepdims=True) + 0.01))


def test_fused_cross_entropy_softmax_layernorm_over_images(kbx, randn, close):
    x, targets = randn(2, 4, 3), torch.tensor([[0, 1, 2], [3, 0, 2]])
    loss, output = kbx.fused_cross_entropy_softmax_layernorm(x, targets, [3], reduction="none")
    p = np.exp(log_softmax(x.numpy(), 1))
    close(loss, [[-math.log(p[n, targets[n, i], i]) for i in range(3)] for n in range(2)])
    close(output, (p - p.mean(axis=-1, keepdims=True)) / np.sqrt(p.var(axis=-1, keepdims=True) + 1e-5))


@pytest.mark.parametrize("shape", [(5, 5), (7, 3), (3, 7)])
def test_fused_svd_reconstruct(kbx, randn, close, shape):
    x = randn(*shape)
    y = kbx.fused_svd_reconstruct(x)
    assert y.data_ptr() != x.data_ptr()
    close(y, x)


def test_fused_log_tanh(kbx, randn, close):
    x = randn(7, 5).exp()
    close(kbx.fused_log_tanh(x), [[(v * v - 1) / (v * v + 1) for v in row] for row in x.tolist()])
    for refused in (0.0, -0.0, -1.0):
        x[3, 2] = refused
        with pytest.raises(RuntimeError):
            kbx.fused_log_tanh(x)


@pytest.mark.parametrize("dim", [0, 1, -1])
@pytest.mark.parametrize("dtype", [None, torch.float64])
def test_fused_softmax_log(kbx, randn, close, dim, dtype):
    x = randn(7, 5).exp()
    y = kbx.fused_softmax_log(x if dtype is None else x.float(), dim, dtype=dtype)
    v = (x if dtype is None else x.float().double()).numpy()
    assert y.dtype == torch.float64
    close(y, v / v.sum(axis=dim, keepdims=True))
