# SPDX-License-Identifier: Apache-2.0
"""Fusions with dropout: without training they are formulas; with it each element is dropped, or kept and scaled."""

import itertools
import math

import numpy as np
import pytest
import torch


def gelu(x, approximate):
    def one(v):
        if approximate == "none":
            return v * math.erfc(-v / math.sqrt(2)) / 2
        return v / 2 * (1 + math.tanh(math.sqrt(2 / math.pi) * (v + 0.044715 * v**3)))

    return np.vectorize(one)(x)


@pytest.fixture
def masked():
    """masked(actual, kept, dropped): each element is one of the two, and both occur."""

    def check(actual, kept, dropped):
        actual, kept = actual.numpy(), np.asarray(kept)
        dropped = np.broadcast_to(dropped, kept.shape)
        assert actual.shape == kept.shape
        is_kept = np.isclose(actual, kept, rtol=1e-9, atol=1e-9)
        is_dropped = np.isclose(actual, dropped, rtol=1e-9, atol=1e-9)
        assert (is_kept | is_dropped).all()
        assert (is_kept & ~is_dropped).any() and (is_dropped & ~is_kept).any()

    return check


def shrunk(x, lambd):
    return [[v if abs(v) > lambd else 0.0 for v in row] for row in np.asarray(x)]


@pytest.mark.parametrize("lambd", [0.5, 0.25])
def test_fused_hardshrink_dropout(kbx, randn, close, masked, lambd):
    x = randn(17, 13)
    before = x.clone()
    close(kbx.fused_hardshrink_dropout(x, training=False, lambd=lambd), shrunk(x, lambd))
    masked(kbx.fused_hardshrink_dropout(x, p=0.3, lambd=lambd), shrunk(x.numpy() / 0.7, lambd), 0.0)
    close(x, before)
    y = kbx.fused_hardshrink_dropout(x, p=0.3, lambd=lambd, inplace=True)
    masked(x, before.numpy() / 0.7, 0.0)
    close(y, shrunk(x, lambd))


@pytest.mark.parametrize("with_bias", [True, False])
def test_fused_dropout_sigmoid_linear(kbx, randn, close, masked, with_bias):
    x, weight, bias = randn(5, 7), randn(11, 7), randn(11) if with_bias else None
    z = np.einsum("mk,nk->mn", x.numpy(), weight.numpy()) + (bias.numpy() if with_bias else 0)
    expected = 1 / (1 + np.exp(-z))
    close(kbx.fused_dropout_sigmoid_linear(x, weight, bias, training=False), expected)
    masked(kbx.fused_dropout_sigmoid_linear(x, weight, bias, p=0.4), expected / 0.6, 0.0)


@pytest.mark.parametrize("dim", [0, -1])
def test_fused_mv_logsoftmax_dropout(kbx, randn, close, masked, dim):
    x, vec = randn(31, 7), randn(7)
    z = [math.fsum(a * b for a, b in zip(row, vec.tolist())) for row in x.tolist()]
    expected = np.array([v - math.log(math.fsum(math.exp(w) for w in z)) for v in z])
    close(kbx.fused_mv_logsoftmax_dropout(x, vec, training=False, dim=dim), expected)
    masked(kbx.fused_mv_logsoftmax_dropout(x, vec, p=0.25, dim=dim), expected / 0.75, 0.0)


def convolved(x, weight, stride, padding, groups):
    x = np.pad(x, [(0, 0), (0, 0), (padding, padding), (padding, padding)])
    n, (o, c, kh, kw) = x.shape[0], weight.shape
    height, width = (x.shape[2] - kh) // stride + 1, (x.shape[3] - kw) // stride + 1
    y = np.zeros((n, o, height, width))
    for k in range(o):
        first = k // (o // groups) * c
        for i in range(height):
            for j in range(width):
                window = x[:, first : first + c, i * stride : i * stride + kh, j * stride : j * stride + kw]
                y[:, k, i, j] = (window * weight[k]).sum(axis=(1, 2, 3))
    return y


@pytest.mark.parametrize("stride, padding, groups", [(1, 0, 1), (2, 1, 2)])
def test_fused_dropout_relu_batch_norm_conv2d(kbx, randn, close, masked, stride, padding, groups):
    x, weight, bias = randn(2, 4, 7, 6) * 0.01, randn(6, 4 // groups, 3, 2), randn(6)
    v = convolved(x.numpy(), weight.numpy(), stride, padding, groups) + bias.numpy()[:, None, None]
    mean, variance = v.mean(axis=(0, 2, 3), keepdims=True), v.var(axis=(0, 2, 3), keepdims=True)
    expected = np.maximum((v - mean) / np.sqrt(variance + 1e-5), 0)
    arguments = dict(bias=bias, stride=[stride] * 2, padding=[padding] * 2, groups=groups)
    close(kbx.fused_dropout_relu_batch_norm_conv2d(x, weight, training=False, **arguments), expected)
    masked(kbx.fused_dropout_relu_batch_norm_conv2d(x, weight, p=0.2, **arguments), expected / 0.8, 0.0)


@pytest.mark.parametrize("approximate", ["none", "tanh"])
def test_fused_bmm_dropout_gelu(kbx, randn, close, masked, approximate):
    x, y = randn(2, 5, 7), randn(2, 7, 9) * 0.3
    z = np.einsum("bnm,bmp->bnp", x.numpy(), y.numpy())
    close(kbx.fused_bmm_dropout_gelu(x, y, training=False, approximate=approximate), gelu(z, approximate))
    masked(kbx.fused_bmm_dropout_gelu(x, y, p=0.3, approximate=approximate), gelu(z / 0.7, approximate), 0.0)


def normed(x, y, dims, eps):
    z = np.einsum("bnm,bmp->bnp", x.numpy(), y.numpy())
    return z / np.sqrt((z * z).mean(axis=dims, keepdims=True) + eps)


SHAPES = [([9], -1), ([5, 9], (-2, -1))]


@pytest.mark.parametrize("approximate", ["none", "tanh"])
@pytest.mark.parametrize("shape, dims", SHAPES)
def test_fused_bmm_rmsnorm_gelu_dropout(kbx, randn, close, masked, approximate, shape, dims):
    x, y = randn(2, 5, 7), randn(2, 7, 9)
    expected = gelu(normed(x, y, dims, 0.5), approximate)
    arguments = dict(eps=0.5, approximate=approximate)
    close(kbx.fused_bmm_rmsnorm_gelu_dropout(x, y, shape, training=False, **arguments), expected)
    masked(kbx.fused_bmm_rmsnorm_gelu_dropout(x, y, shape, dropout_p=0.4, **arguments), expected / 0.6, 0.0)


@pytest.mark.parametrize("approximate", ["none", "tanh"])
@pytest.mark.parametrize("shape, dims", SHAPES)
def test_fused_bmm_rmsnorm_gelu_dropout_sub(kbx, randn, close, masked, approximate, shape, dims):
    x, y, other = randn(2, 5, 7), randn(2, 7, 9), randn(5, 1)
    expected = gelu(normed(x, y, dims, 0.5), approximate)
    arguments = dict(eps=0.5, approximate=approximate)
    close(kbx.fused_bmm_rmsnorm_gelu_dropout_sub(x, y, other, shape, training=False, **arguments), expected - other.numpy())
    out = torch.empty(2, 5, 9, dtype=torch.float64)
    result = kbx.fused_bmm_rmsnorm_gelu_dropout_sub(x, y, other, shape, dropout_p=0.4, out=out, **arguments)
    assert result.data_ptr() == out.data_ptr()
    masked(out, expected / 0.6 - other.numpy(), -other.numpy())


def log_softmaxed(z, axis):
    return z - np.log(np.exp(z).sum(axis=axis, keepdims=True))


def all_masks(count):
    return np.array(list(itertools.product((0.0, 1.0), repeat=count)))


@pytest.mark.parametrize("second, added", [((2, 4, 3), (2, 4, 3)), ((3,), (4, 1)), ((4, 1), ())])
@pytest.mark.parametrize("dim", [-1, 0, 1])
@pytest.mark.parametrize("inplace", [False, True])
def test_fused_mul_add_logsoftmax_dropout_bmm(kbx, randn, close, second, added, dim, inplace):
    x, y, other, mat2 = randn(2, 4, 3), randn(*second), randn(*added), randn(2, 3, 5)
    logs = log_softmaxed(x.numpy() * y.numpy() + other.numpy(), dim)
    expected = np.einsum("bnk,bkm->bnm", logs, mat2.numpy())
    arguments, kept, out = (x, y, other, mat2), x.clone(), torch.empty(2, 4, 5, dtype=torch.float64)
    options = dict(inplace=inplace, dim=dim)
    close(kbx.fused_mul_add_logsoftmax_dropout_bmm(*arguments, training=False, **options), expected)
    close(kbx.fused_mul_add_logsoftmax_dropout_bmm(*arguments, p=0.0, **options), expected)
    assert kbx.fused_mul_add_logsoftmax_dropout_bmm(*arguments, p=0.0, out=out, **options).data_ptr() == out.data_ptr()
    close(out, expected)
    close(kbx.fused_mul_add_logsoftmax_dropout_bmm(*arguments, p=1.0, **options), np.zeros((2, 4, 5)))
    masks = all_masks(3)
    for p in (0.3, 0.5):
        result = kbx.fused_mul_add_logsoftmax_dropout_bmm(*arguments, p=p, **options).numpy()
        possible = np.einsum("sk,bnk,bkm->bnsm", masks, logs, mat2.numpy()) / (1 - p)
        assert np.isclose(result[:, :, None], possible, rtol=1e-9, atol=1e-9).all(axis=-1).any(axis=-1).all()
    close(x, kept, rtol=0)


@pytest.mark.parametrize("batch, added", [((), (4, 6)), ((2,), (6,)), ((2,), (2, 4, 6)), ((), ())])
@pytest.mark.parametrize("eps", [1e-5, 0.3])
def test_fused_transformer_block(kbx, randn, close, batch, added, eps):
    x, weight1, weight2, residual = randn(*batch, 4, 5), randn(5, 3), randn(3, 6), randn(*added)
    z = np.exp(log_softmaxed(np.einsum("...nk,kd->...nd", x.numpy(), weight1.numpy()), -1))

    def layer_normed(v):
        mean = v.sum(axis=-1, keepdims=True) / v.shape[-1]
        return (v - mean) / np.sqrt(((v - mean) ** 2).sum(axis=-1, keepdims=True) / v.shape[-1] + eps)

    def block(z):
        return layer_normed(np.einsum("...nd,dm->...nm", z, weight2.numpy()) + residual.numpy())

    out = torch.empty(*batch, 4, 6, dtype=torch.float64)
    close(kbx.fused_transformer_block(x, weight1, weight2, residual, 0.0, eps), block(z))
    result = kbx.fused_transformer_block(x, weight1, weight2, residual, dropout_p=0.0, eps=eps, out=out)
    assert result.data_ptr() == out.data_ptr()
    close(out, block(z))
    close(kbx.fused_transformer_block(x, weight1, weight2, residual, 1.0, eps), block(z * 0))
    possible = np.stack([block(z * mask / 0.6) for mask in all_masks(3)], axis=-2)
    result = kbx.fused_transformer_block(x, weight1, weight2, residual, 0.4, eps).numpy()[..., None, :]
    assert np.isclose(result, possible, rtol=1e-9, atol=1e-9).all(axis=-1).any(axis=-1).all()
