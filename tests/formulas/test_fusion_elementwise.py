# SPDX-License-Identifier: Apache-2.0
import itertools
import math

import mpmath
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


@pytest.mark.parametrize("second", [(4, 5), (3, 1, 5), ()])
@pytest.mark.parametrize("alpha", [1, -0.5])
@pytest.mark.parametrize("dim, keepdim", [(None, False), (None, True), ([1], False), ([0, -1], True)])
def test_fused_add_mean(kbx, randn, close, second, alpha, dim, keepdim):
    x, other = randn(3, 4, 5), randn(*second)
    whole = np.broadcast_to(other.numpy(), x.shape)
    axes = range(3) if dim is None else [d % 3 for d in dim]
    expected = np.zeros([1 if d in axes else n for d, n in enumerate(x.shape)])
    for place in np.ndindex(*x.shape):
        expected[tuple(0 if d in axes else i for d, i in enumerate(place))] += x[place].item() + alpha * whole[place]
    expected /= x.numel() / expected.size
    expected = expected if keepdim else expected.reshape([n for d, n in enumerate(x.shape) if d not in axes])
    close(kbx.fused_add_mean(x, other, dim, alpha, keepdim), expected)
    out = x.new_empty(expected.shape)
    y = kbx.fused_add_mean(x, other, dim, alpha, keepdim, out=out)
    close(out, expected)
    assert y.data_ptr() == out.data_ptr()


def test_fused_add_mean_of_integers(kbx, close):
    x, y = torch.tensor([[1, 2], [3, 5]]), torch.tensor([10, 20])
    close(kbx.fused_add_mean(x, y, [1], 2, dtype=torch.float64), [31.5, 34])
    with pytest.raises(RuntimeError):
        kbx.fused_add_mean(x, y, [1], 2)


def test_fused_cos_signbit(kbx, randn, close):
    x = torch.cat([randn(40) * 4, torch.tensor([0.0, 1.5, 1.6, -4.7, -4.8, 1e3], dtype=torch.float64)])
    cosine, negative = kbx.fused_cos_signbit(x)
    expected = [float(mpmath.cos(v)) for v in x.tolist()]
    close(cosine, expected, rtol=1e-13)
    assert negative.dtype == torch.bool and negative.tolist() == [v < 0 for v in expected]


@pytest.mark.parametrize("mode", [None, "floor", "trunc"])
@pytest.mark.parametrize("shapes, divisor", [([(3,), (1,), (4,)], (8,)), ([(3, 2), (3, 4)], (3, 1)), ([(2, 1, 3), (2, 3, 3)], ()),
                                             ([(3, 5)], (2, 3, 5))])
def test_fused_hstack_div(kbx, randn, close, shapes, divisor, mode):
    tensors, y = [randn(*shape) * 10 for shape in shapes], randn(*divisor)
    if len(shapes[0]) == 1:
        joined = np.array([v for t in tensors for v in t.tolist()])
    else:
        joined = np.array([[v for t in tensors for v in t[i].tolist()] for i in range(shapes[0][0])])
    rounded = {None: float, "floor": math.floor, "trunc": math.trunc}[mode]
    expected = mapped(rounded, joined / y.numpy())
    close(kbx.fused_hstack_div(tensors, y, rounding_mode=mode), expected, rtol=1e-14)
    out = y.new_empty(expected.shape)
    result = kbx.fused_hstack_div(tensors, y, rounding_mode=mode, out=out)
    close(out, expected, rtol=1e-14)
    assert result.data_ptr() == out.data_ptr()
    whole = kbx.fused_hstack_div([torch.tensor([7, -7]), torch.tensor([6])], torch.tensor([2, 2, -4]), rounding_mode=mode)
    assert whole.tolist() == {None: [3.5, -3.5, -1.5], "floor": [3, -4, -2], "trunc": [3, -3, -1]}[mode]
    assert whole.is_floating_point() == (mode is None)


@pytest.mark.parametrize("alpha", [1, -2.5, 0])
@pytest.mark.parametrize("second", [(5,), (1,), (3, 5), ()])
def test_fused_mv_sigmoid_sub(kbx, randn, close, second, alpha):
    matrix, vec, other = randn(5, 7), randn(7), randn(*second)
    products = [math.fsum(a * b for a, b in zip(row, vec.tolist())) for row in matrix.tolist()]
    expected = np.array([1 / (1 + math.exp(-v)) for v in products]) - alpha * other.numpy()
    close(kbx.fused_mv_sigmoid_sub(matrix, vec, other, alpha), expected)
    out = vec.new_empty(expected.shape)
    y = kbx.fused_mv_sigmoid_sub(matrix, vec, other, alpha, out=out)
    close(out, expected)
    assert y.data_ptr() == out.data_ptr()


@pytest.mark.parametrize("dim", [[0], [-1], [0, 2], [1, -1]])
@pytest.mark.parametrize("keepdim", [False, True])
@pytest.mark.parametrize("correction", [0, 1, 2])
def test_fused_sum_std(kbx, randn, close, dim, keepdim, correction):
    x = randn(3, 4, 5)
    axes, sums = [d % 3 for d in dim], {}
    for place in np.ndindex(*x.shape):
        kept = tuple(i for d, i in enumerate(place) if d not in axes)
        sums[kept] = sums.get(kept, 0.0) + x[place].item()
    mean = math.fsum(sums.values()) / len(sums)
    expected = math.sqrt(math.fsum((s - mean) ** 2 for s in sums.values()) / (len(sums) - correction))
    close(kbx.fused_sum_std(x, dim, keepdim, correction=correction), expected)
    close(kbx.fused_sum_std(x.float(), dim, keepdim, dtype=torch.float64, correction=correction), expected, rtol=1e-6)
    out = x.new_empty(())
    y = kbx.fused_sum_std(x, dim, keepdim, correction=correction, out=out)
    close(out, expected)
    assert y.data_ptr() == out.data_ptr()


def test_fused_sum_std_of_one_sum(kbx, randn, close):
    x = randn(3, 4)
    close(kbx.fused_sum_std(x), math.nan)
    close(kbx.fused_sum_std(x, keepdim=True), math.nan)
    close(kbx.fused_sum_std(x, correction=0), 0.0)
    close(kbx.fused_sum_std(x, [0], correction=9), math.inf)
