# SPDX-License-Identifier: Apache-2.0
import math

import numpy as np
import pytest
import torch


@pytest.mark.parametrize("approximate", ["none", "tanh"])
def test_gelu(kbx, randn, close, approximate):
    x = randn(7, 5)

    def gelu(v):
        if approximate == "none":
            return v * math.erfc(-v / math.sqrt(2)) / 2
        return v / 2 * (1 + math.tanh(math.sqrt(2 / math.pi) * (v + 0.044715 * v**3)))

    close(kbx.gelu(x, approximate=approximate), [[gelu(v) for v in row] for row in x.tolist()])


@pytest.mark.parametrize("inplace", [False, True])
def test_selu(kbx, randn, close, inplace):
    x = randn(7, 5)
    alpha, scale = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946
    expected = [[scale * v if v > 0 else scale * alpha * math.expm1(v) for v in row] for row in x.tolist()]
    y = kbx.selu(x, inplace=inplace)
    close(y, expected)
    assert (y.data_ptr() == x.data_ptr()) is inplace


@pytest.mark.parametrize("approximate", ["none", "tanh"])
def test_gelu_int8(kbx, approximate):
    x = torch.arange(-128, 5, dtype=torch.int8)  # beyond, rounding decides

    def gelu(v):
        if approximate == "none":
            return v * math.erfc(-v / math.sqrt(2)) / 2
        return v / 2 * (1 + math.tanh(math.sqrt(2 / math.pi) * (v + 0.044715 * v**3)))

    y = kbx.gelu_int8(x, approximate=approximate)
    assert y.dtype == torch.int8
    assert y.tolist() == [math.trunc(gelu(v)) for v in x.tolist()]


@pytest.mark.parametrize("batch", [(), (2,), (2, 3)])
def test_combined_activation(kbx, randn, close, batch):
    x, weight1, weight2, bias = randn(*batch, 4, 6), randn(6, 5), randn(4, 5), randn(5)
    products = np.einsum("...mk,kn->...mn", x.numpy(), weight1.numpy())
    expected = np.tanh(1 / (1 + np.exp(-products))) * weight2.numpy() + bias.numpy()
    close(kbx.combined_activation(x, weight1, weight2, bias), expected)
    out = torch.empty(*batch, 4, 5, dtype=torch.float64)
    close(kbx.combined_activation(x, weight1, weight2, bias, out=out), expected)
    close(out, expected)
