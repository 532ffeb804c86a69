# SPDX-License-Identifier: Apache-2.0
import math

import numpy as np
import pytest
import torch


@pytest.mark.parametrize("sizes, mask_sizes", [((7,), (7,)), ((4, 5), (4, 5)), ((4, 5), (5,)), ((4, 1), (3, 1, 5)),
                                               ((1,), (3, 2)), ((2, 3, 4), (3, 1))])
def test_masked_select(kbx, randn, close, sizes, mask_sizes):
    x, mask = randn(*sizes), randn(*mask_sizes) > 0
    wide, chosen = np.broadcast_arrays(np.array(x.tolist()), np.array(mask.tolist()))
    close(kbx.masked_select(x, mask), np.array([v for v, m in zip(wide.flat, chosen.flat) if m]), rtol=0)
    close(kbx.masked_select(x, torch.tensor(False)), np.array([]), rtol=0)
    close(kbx.masked_select(x, torch.tensor(True)), np.array(x.tolist()).flatten(), rtol=0)


def test_masked_select_in_row_major_order(kbx):
    x = torch.tensor([[1, 4], [2, 5], [3, 6]]).t()  # 1 2 3, then 4 5 6
    assert kbx.masked_select(x, torch.tensor([[True, False, True], [True, True, False]])).tolist() == [1, 3, 4, 5]


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
@pytest.mark.parametrize("beta", [None, 0.5, 2.0, 0.0])
def test_smooth_l1_loss(kbx, randn, close, beta, reduction):
    x, target = randn(6, 5) * 2, randn(6, 5)
    x[0, :3] = target[0, :3] + torch.tensor([0.0, 1.0, -0.5], dtype=torch.float64)  # none, and just beta
    used = 1.0 if beta is None else beta

    def loss(v, w):
        d = abs(v - w)
        return d * d / (2 * used) if d < used else d - used / 2

    rows = [[loss(v, w) for v, w in zip(p, q)] for p, q in zip(x.tolist(), target.tolist())]
    whole = math.fsum(v for row in rows for v in row)
    arguments = {"reduction": reduction} if beta is None else {"beta": beta, "reduction": reduction}
    close(kbx.smooth_l1_loss(x, target, **arguments), {"none": rows, "sum": whole, "mean": whole / 30}[reduction])
    if reduction == "mean":
        close(kbx.smooth_l1_loss(x, target, used), whole / 30)


@pytest.mark.parametrize("dtype", [None, torch.float32, torch.float64, torch.float16])
@pytest.mark.parametrize("size", [[60000], [200, 300], [3, 100, 200]])
def test_rand(kbx, size, dtype):
    def drawn(seed):
        torch.manual_seed(seed)
        return kbx.rand(size, dtype=dtype)

    y = drawn(7)
    assert list(y.shape) == size and y.dtype == (dtype or torch.float32) and not y.requires_grad
    numbers = np.array(y.tolist()).flatten()
    assert numbers.min() >= 0 and numbers.max() < 1
    n = numbers.size
    deviation = lambda p: 5 * math.sqrt(n * p * (1 - p))  # five standard deviations
    assert all(abs(count - n / 10) <= deviation(0.1) for count in np.histogram(numbers, bins=10, range=(0, 1))[0])
    pairs = np.histogram2d(numbers[:-1], numbers[1:], bins=4, range=[(0, 1), (0, 1)])[0]  # neighbours are independent
    assert all(abs(count - n / 16) <= deviation(1 / 16) for count in pairs.flat)
    assert drawn(7).tolist() == y.tolist() and drawn(8).tolist() != y.tolist()
    assert kbx.rand(size, dtype=dtype).tolist() != drawn(8).tolist()  # the generator goes on


def test_rand_into_out_and_other_sizes(kbx):
    torch.manual_seed(3)
    out = torch.full((50, 20), math.nan, dtype=torch.float64)
    assert kbx.rand([50, 20], out=out).data_ptr() == out.data_ptr()
    numbers = np.array(out.tolist())
    assert numbers.min() >= 0 and numbers.max() < 1 and abs(numbers.mean() - 0.5) < 5 / math.sqrt(12 * 1000)
    assert 0 <= kbx.rand([]).item() < 1 and tuple(kbx.rand([3, 0, 5]).shape) == (3, 0, 5)
