# SPDX-License-Identifier: Apache-2.0
import itertools
import math

import numpy as np
import pytest
import torch


def gelu(v, approximate):
    if approximate == "none":
        return v * math.erfc(-v / math.sqrt(2)) / 2
    return v / 2 * (1 + math.tanh(math.sqrt(2 / math.pi) * (v + 0.044715 * v**3)))


def mapped(function, array):
    return np.vectorize(function, otypes=[float])(array)


@pytest.mark.parametrize("approximate", ["none", "tanh"])
@pytest.mark.parametrize("alpha", [1, -0.5])
def test_fused_add_gelu(kbx, randn, close, alpha, approximate):
    x, other = randn(5, 7), randn(7)
    sums = x.numpy() + alpha * other.numpy()[None, :]
    close(kbx.fused_add_gelu(x, other, alpha, approximate), mapped(lambda v: gelu(v, approximate), sums))


@pytest.mark.parametrize("approximate", ["none", "tanh"])
@pytest.mark.parametrize("alpha", [1, 2.5])
def test_fused_sub_gelu(kbx, randn, close, alpha, approximate):
    x, other = randn(5, 7), randn(5, 1)
    differences = x.numpy() - alpha * other.numpy()
    close(kbx.fused_sub_gelu(x, other, alpha, approximate), mapped(lambda v: gelu(v, approximate), differences))


@pytest.mark.parametrize("alpha", [1, -0.5])
def test_fused_mul_sub(kbx, randn, close, alpha):
    x, factor, other = randn(5, 7), randn(7), randn(5, 1)
    close(kbx.fused_mul_sub(x, factor, other, alpha), x.numpy() * factor.numpy() - alpha * other.numpy())


@pytest.mark.parametrize("inplace", [False, True])
def test_fused_relu_sqrt(kbx, randn, close, inplace):
    x = randn(5, 7)
    expected = mapped(lambda v: math.sqrt(v) if v > 0 else 0, x.numpy().copy())
    before = x.clone()
    close(kbx.fused_relu_sqrt(x, inplace), expected)
    close(x, expected if inplace else before)


@pytest.mark.parametrize("dims", [[2], [2, 3], [3, 1, 2], []])
def test_fused_tile_exp(kbx, randn, close, dims):
    x = randn(3, 4)
    sizes = [1] * max(0, len(dims) - 2) + [3, 4]
    repeats = [1] * (len(sizes) - len(dims)) + dims
    block = x.numpy().reshape(sizes)
    expected = np.empty([r * n for r, n in zip(repeats, sizes)])
    for place in itertools.product(*map(range, expected.shape)):
        expected[place] = math.exp(block[tuple(i % n for i, n in zip(place, sizes))])
    close(kbx.fused_tile_exp(x, dims), expected)


@pytest.mark.parametrize("dim, keepdim", [(None, False), (None, True), ([1], False), ([0, -1], True)])
def test_fused_exp_mean(kbx, randn, close, dim, keepdim):
    x = randn(3, 4, 5)
    axis = None if dim is None else tuple(dim)
    close(kbx.fused_exp_mean(x, dim, keepdim), mapped(math.exp, x.numpy()).mean(axis=axis, keepdims=keepdim))


@pytest.mark.parametrize("approximate", ["none", "tanh"])
@pytest.mark.parametrize("dim, keepdim, correction", [(None, False, 1), ([1], True, 0), ([0, -1], False, 2)])
def test_fused_gelu_std(kbx, randn, close, dim, keepdim, correction, approximate):
    x = randn(3, 4, 5)
    activated = mapped(lambda v: gelu(v, approximate), x.numpy())
    axis = None if dim is None else tuple(dim)
    expected = np.std(activated, axis=axis, ddof=correction, keepdims=keepdim)
    close(kbx.fused_gelu_std(x, dim, keepdim, correction, approximate), expected)


@pytest.mark.parametrize("approximate", ["none", "tanh"])
@pytest.mark.parametrize("dim, keepdim", [(None, False), (1, False), (-2, True)])
def test_fused_gelu_min(kbx, randn, close, dim, keepdim, approximate):
    x = randn(5, 7)
    activated = mapped(lambda v: gelu(v, approximate), x.numpy())
    result = kbx.fused_gelu_min(x, approximate, dim, keepdim)
    values = result[0] if isinstance(result, (tuple, list)) else result
    close(values, activated.min() if dim is None else activated.min(axis=dim, keepdims=keepdim))
    if dim is not None:
        close(result[1], activated.argmin(axis=dim, keepdims=keepdim))


@pytest.mark.parametrize("max_norm, norm_type", [(None, 2.0), (2.0, 2.0), (3.0, 1.0)])
def test_fused_embedding_add_tanh(kbx, randn, close, max_norm, norm_type):
    indices, weight, other = torch.tensor([[0, 3, 3], [5, 0, 1]]), randn(6, 7), randn(7)
    rows = weight.numpy().copy()
    for row in {0, 1, 3, 5}:
        norm = sum(abs(v) ** norm_type for v in rows[row]) ** (1 / norm_type)
        if max_norm is not None and norm > max_norm:
            rows[row] *= max_norm / (norm + 1e-7)
    expected = mapped(math.tanh, rows[indices.numpy()] + other.numpy())
    close(kbx.fused_embedding_add_tanh(indices, weight, other, max_norm=max_norm, norm_type=norm_type), expected)
    close(weight, rows)


@pytest.mark.parametrize("dim", [0, 1, -1])
def test_fused_gather_masked_fill(kbx, randn, close, dim):
    x, index = randn(4, 5), torch.tensor([[0, 3, 1], [2, 2, 0]])
    mask = torch.tensor([True, False, True])
    expected = np.empty((2, 3))
    for i, j in itertools.product(range(2), range(3)):
        at = int(index[i, j])
        expected[i, j] = -1.5 if mask[j] else float(x[at, j] if dim == 0 else x[i, at])
    close(kbx.fused_gather_masked_fill(x, dim, index, mask, -1.5), expected)


@pytest.mark.parametrize("approximate", ["none", "tanh"])
@pytest.mark.parametrize("alpha", [1, -0.5])
def test_fused_masked_select_add_gelu(kbx, randn, close, alpha, approximate):
    x, mask, other = randn(3, 4), torch.tensor([True, False, True, True]), randn(9)
    chosen = [float(x[i, j]) for i in range(3) for j in range(4) if mask[j]]
    expected = [gelu(v + alpha * o, approximate) for v, o in zip(chosen, other.tolist())]
    close(kbx.fused_masked_select_add_gelu(x, mask, other, alpha=alpha, approximate=approximate), expected)


@pytest.mark.parametrize("dim, repeats", [(None, [2]), (0, [1, 0, 3]), (1, [2, 1, 0, 4]), (-1, [3])])
def test_fused_repeat_interleave_log_softmax(kbx, randn, close, dim, repeats):
    x = randn(3, 4)
    lines = [x.flatten()] if dim is None else list(x.T if dim == 0 else x)
    expected = []
    for line in (v.tolist() for v in lines):
        counts = repeats * len(line) if len(repeats) == 1 else repeats
        repeated = [v for v, count in zip(line, counts) for _ in range(count)]
        total = math.fsum(math.exp(v) for v in repeated)
        expected.append([v - math.log(total) for v in repeated])
    expected = expected[0] if dim is None else np.array(expected).T if dim == 0 else np.array(expected)
    close(kbx.fused_repeat_interleave_log_softmax(x, torch.tensor(repeats), dim), expected)
