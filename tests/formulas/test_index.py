# SPDX-License-Identifier: Apache-2.0
import itertools
import math

import numpy as np
import pytest
import torch

REDUCTIONS = {"none": lambda l: l, "sum": np.sum, "mean": np.mean}


@pytest.mark.parametrize("shape, dim, index, value", [
    ((5, 4), 0, [3, 0, 3], 2.5),
    ((5, 4), -1, [1], -1.0),
    ((3, 4, 2), 1, [], 7.0),
    ((3, 4, 2), 1, [0, 3], 0),
])
def test_index_fill_(kbx, randn, close, shape, dim, index, value):
    x = randn(*shape)
    expected = x.numpy().copy()
    for place in np.ndindex(*shape):
        if place[dim] in index:
            expected[place] = value
    y = kbx.index_fill_(dim, x, torch.tensor(index, dtype=torch.int64), value)
    close(y, expected)
    close(x, expected)


@pytest.mark.parametrize("dim, index", [(0, [3, 0, 3]), (1, [1]), (-1, [4, 2, 0, 0]), (2, [])])
def test_index_select(kbx, randn, close, dim, index):
    x = randn(4, 3, 5)
    expected = np.take(x.numpy(), np.array(index, dtype=np.int64), axis=dim)
    close(kbx.index_select(x, dim, torch.tensor(index, dtype=torch.int64)), expected)


@pytest.mark.parametrize("dim", [0, 1, -1])
def test_scatter(kbx, randn, close, dim):
    x, src = randn(6, 7), randn(3, 4)
    index = np.array([[(2 * i + 3 * j) % 5 for j in range(4)] for i in range(3)])
    before, expected = x.numpy().copy(), x.numpy().copy()
    for i, j in np.ndindex(3, 4):
        place = [i, j]
        place[dim] = index[i, j]
        expected[tuple(place)] = src[i, j].item()
    close(kbx.scatter(x, dim, torch.from_numpy(index), src), expected)
    close(x, before)


@pytest.mark.parametrize("sizes, cond", [((3, 4), (3, 1)), ((3, -1), (4,)), ((2, 3, 4), (2, 1, 4))])
def test_expand_where(kbx, randn, close, sizes, cond):
    x, other = randn(1, 4), randn(3, 4)
    mask = randn(*cond) > 0
    shape = [4 if s == -1 else s for s in sizes]
    pick, a, b = (np.broadcast_to(t.numpy(), shape) for t in (mask, x, other))
    expected = np.empty(shape)
    for place in np.ndindex(*shape):
        expected[place] = a[place] if pick[place] else b[place]
    close(kbx.expand_where(x, list(sizes), mask, other), expected)


@pytest.mark.parametrize("dims", [[0, 1, 2], [2, 0, 1], [-1, 1, 0], [1, 0, 2]])
def test_permute_copy(kbx, randn, close, dims):
    x = randn(3, 4, 5)
    y = kbx.permute_copy(x, dims)
    close(y, np.einsum("abc->" + "".join("abc"[d] for d in dims), x.numpy()))
    assert y.data_ptr() != x.data_ptr()


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("weighted", [False, True])
def test_binary_cross_entropy(kbx, randn, close, reduction, weighted):
    x, y = randn(4, 6).abs().clamp(max=1), randn(4, 6).abs().clamp(max=1)
    x[0, :2] = torch.tensor([0.0, 1.0])
    weight = randn(6).abs() if weighted else None

    def log(v):
        return max(math.log(v), -100) if v > 0 else -100

    loss = np.vectorize(lambda x, y: -(y * log(x) + (1 - y) * log(1 - x)))(x.numpy(), y.numpy())
    if weighted:
        loss = loss * weight.numpy()
    close(kbx.binary_cross_entropy(x, y, weight, reduction=reduction), REDUCTIONS[reduction](loss))


@pytest.mark.parametrize("reduction", ["none", "sum", "mean", "batchmean"])
@pytest.mark.parametrize("log_target", [False, True])
def test_kl_div(kbx, randn, close, reduction, log_target):
    x, y = randn(4, 6), randn(4, 6)
    if not log_target:
        y = y.abs()
        y[1, 2] = 0

    def divergence(x, y):
        if log_target:
            return math.exp(y) * (y - x)
        return y * (math.log(y) - x) if y > 0 else 0.0

    loss = np.vectorize(divergence)(x.numpy(), y.numpy())
    reduce = REDUCTIONS.get(reduction, lambda l: np.sum(l) / 4)
    close(kbx.kl_div(x, y, reduction=reduction, log_target=log_target), reduce(loss))
    if reduction == "batchmean":
        close(kbx.kl_div(x, y, log_target=log_target), reduce(loss))


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_mse_loss(kbx, randn, close, reduction):
    x, y = randn(4, 6), randn(4, 6)
    close(kbx.mse_loss(x, y, reduction=reduction), REDUCTIONS[reduction]((x.numpy() - y.numpy()) ** 2))


@pytest.mark.parametrize("shape", [(5,), (7, 5), (2, 5, 3), (2, 5, 3, 2)])
@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("weighted, ignored", [(False, -100), (True, -100), (True, 2)])
def test_nll_loss(kbx, randn, close, shape, reduction, weighted, ignored):
    x = randn(*shape)
    places = shape[:1] + shape[2:] if len(shape) > 1 else ()
    target = (randn(*places, 1).abs() * 3).long().clamp(max=4).reshape(places)
    weight = randn(5).abs() if weighted else None
    per_class = weight.numpy() if weighted else np.ones(5)
    losses, weights = np.zeros(places), np.zeros(places)
    for place in np.ndindex(*places):
        t = target[place].item()
        if t == ignored:
            continue
        where = place[:1] + (t,) + place[1:] if len(shape) > 1 else (t,)
        losses[place], weights[place] = -per_class[t] * x[where].item(), per_class[t]
    expected = {"none": losses, "sum": losses.sum(), "mean": np.divide(losses.sum(), weights.sum() or np.nan)}[reduction]
    close(kbx.nll_loss(x, target, weight, ignore_index=ignored, reduction=reduction), expected)


@pytest.mark.parametrize("batch", [(), (2,)])
@pytest.mark.parametrize("kernel, stride, padding", [(2, None, 0), (4, 2, 0), (3, 1, 1), (4, 3, 2), (1, 5, 0)])
def test_avg_pool1d(kbx, randn, close, batch, kernel, stride, padding):
    x = randn(*batch, 3, 17)
    step = stride or kernel
    padded = np.pad(x.numpy(), [(0, 0)] * (x.dim() - 1) + [(padding, padding)])
    count = (17 + 2 * padding - kernel) // step + 1
    expected = np.stack([padded[..., i * step:i * step + kernel].sum(-1) / kernel for i in range(count)], -1)
    close(kbx.avg_pool1d(x, [kernel], None if stride is None else [stride], [padding]), expected)


@pytest.mark.parametrize("stride, padding, output_padding, groups, dilation", [
    ((1, 1), (0, 0), (0, 0), 1, (1, 1)),
    ((2, 2), (1, 1), (1, 1), 1, (1, 1)),
    ((2, 1), (0, 1), (0, 0), 2, (1, 1)),
    ((2, 3), (1, 0), (0, 1), 2, (2, 1)),
])
def test_conv_transpose2d(kbx, randn, close, stride, padding, output_padding, groups, dilation):
    x, weight, bias = randn(2, 4, 3, 5), randn(4, 3, 3, 2), randn(3 * groups)
    full = [(n - 1) * s + d * (k - 1) + 1 for n, s, d, k in zip((3, 5), stride, dilation, (3, 2), strict=True)]
    canvas = np.zeros((2, 3 * groups, full[0] + output_padding[0], full[1] + output_padding[1]))
    places = itertools.product(range(2), range(4), range(3), range(3), range(5), range(3), range(2))
    for n, c, o, h, w, u, v in places:
        group = c // (4 // groups)
        i, j = h * stride[0] + u * dilation[0], w * stride[1] + v * dilation[1]
        canvas[n, group * 3 + o, i, j] += x[n, c, h, w].item() * weight[c, o, u, v].item()
    rows, columns = full[0] + output_padding[0] - padding[0], full[1] + output_padding[1] - padding[1]
    expected = canvas[:, :, padding[0]:rows, padding[1]:columns]
    # What lies beyond the padding at the lower right goes, but for output_padding.
    size = [f + o - 2 * p for f, o, p in zip(full, output_padding, padding, strict=True)]
    expected = expected[:, :, :size[0], :size[1]] + bias.numpy()[:, None, None]
    close(kbx.conv_transpose2d(x, weight, bias, list(stride), list(padding), list(output_padding), groups, list(dilation)),
          expected)


@pytest.mark.parametrize("dim, index, second", [(0, [3, 0, 3], (3, 3, 5)), (1, [1], (5,)), (-1, [4, 2, 0, 0], (3, 1)),
                                                (2, [], (1,)), (1, [2, 0], ())])
def test_fused_index_select_eq(kbx, randn, dim, index, second):
    x, other = (randn(4, 3, 5) * 1.5).round(), (randn(*second) * 1.5).round()
    picked = np.stack([x.select(dim, i).numpy() for i in index], dim) if index else np.zeros((4, 3, 0))
    whole = np.broadcast_to(other.numpy(), picked.shape)
    expected = np.empty(picked.shape, dtype=bool)
    for place in np.ndindex(*picked.shape):
        expected[place] = picked[place].item() == whole[place].item()
    assert not index or 0 < expected.sum() < expected.size
    y = kbx.fused_index_select_eq(x, dim, torch.tensor(index, dtype=torch.int64), other)
    assert y.dtype == torch.bool and y.tolist() == expected.tolist()
    out = torch.empty(expected.shape, dtype=torch.bool)
    y = kbx.fused_index_select_eq(x, dim, torch.tensor(index, dtype=torch.int64), other, out=out)
    assert out.tolist() == expected.tolist() and y.data_ptr() == out.data_ptr()
