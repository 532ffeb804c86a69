# SPDX-License-Identifier: Apache-2.0
import math

import numpy as np
import pytest
import torch

DIMS = [None, [0], [-1], [0, 2]]


def axes_of(dim):
    return None if dim is None else tuple(dim)


@pytest.mark.parametrize("dim", DIMS)
@pytest.mark.parametrize("correction, keepdim", [(1, False), (0, True), (2.5, False), (None, True)])
def test_std(kbx, randn, close, dim, correction, keepdim):
    x = randn(3, 4, 5)
    axes = axes_of(dim)
    squares = (x.numpy() - x.numpy().mean(axes, keepdims=True)) ** 2
    total = squares.sum(axes, keepdims=keepdim)
    count = x.numel() // squares.sum(axes).size
    divisor = max(0, count - (1 if correction is None else correction))
    close(kbx.std(x, dim, correction=correction, keepdim=keepdim), np.sqrt(total / divisor))
    close(kbx.std(x, dim, keepdim=keepdim), np.sqrt(total / (count - 1)))


@pytest.mark.parametrize("dim", DIMS)
@pytest.mark.parametrize("keepdim", [False, True])
def test_sum(kbx, randn, close, dim, keepdim):
    x = randn(3, 4, 5)
    axes = range(3) if dim is None else [d % 3 for d in dim]
    expected = np.zeros([1 if d in axes else n for d, n in enumerate(x.shape)])
    for place in np.ndindex(*x.shape):
        expected[tuple(0 if d in axes else i for d, i in enumerate(place))] += x[place].item()
    close(kbx.sum(x, dim, keepdim), expected if keepdim else expected.reshape([n for d, n in enumerate(x.shape) if d not in axes]))
    whole = (x * 9).int()
    assert kbx.sum(whole, dim, keepdim).dtype == torch.int64
    assert kbx.sum(whole, dim, keepdim, dtype=torch.float64).dtype == torch.float64


@pytest.mark.parametrize("dim", [None, 0, 1, -1])
@pytest.mark.parametrize("keepdim", [False, True])
def test_argmax(kbx, randn, dim, keepdim):
    x = randn(3, 4, 5)
    if dim is None:
        values = x.flatten().tolist()
        expected = np.array(max(range(60), key=values.__getitem__)).reshape([1, 1, 1] if keepdim else [])
    else:
        rows = np.moveaxis(x.numpy(), dim, -1)
        expected = np.array([[max(range(len(r)), key=r.__getitem__) for r in plane] for plane in rows])
        if keepdim:
            expected = np.expand_dims(expected, dim)
    y = kbx.argmax(x, dim, keepdim)
    assert y.dtype == torch.int64
    assert y.tolist() == expected.tolist()


@pytest.mark.parametrize("dim", [None, 0, -1])
@pytest.mark.parametrize("keepdim", [False, True])
@pytest.mark.parametrize("approximate", ["none", "tanh"])
def test_min_gelu(kbx, randn, close, dim, keepdim, approximate):
    x = randn(4, 5)

    def gelu(v):
        if approximate == "none":
            return v * math.erfc(-v / math.sqrt(2)) / 2
        return v / 2 * (1 + math.tanh(math.sqrt(2 / math.pi) * (v + 0.044715 * v**3)))

    values = np.vectorize(gelu)(x.numpy())
    result = kbx.min_gelu(x, dim=dim, keepdim=keepdim, approximate=approximate)
    if dim is None:
        close(result if isinstance(result, torch.Tensor) else result[0], values.min())
        return
    close(result[0], values.min(dim, keepdims=keepdim))
    assert result[1].tolist() == np.expand_dims(values.argmin(dim), dim).tolist() if keepdim else values.argmin(dim).tolist()
