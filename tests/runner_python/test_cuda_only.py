# SPDX-License-Identifier: Apache-2.0
"""What torch has on a GPU alone works for candidates on the CPU: mathematics says what it has to give."""
import pytest
import torch

from kbx_runner.cuda_illusion import CudaIllusion


@pytest.fixture(params=[(5, 5), (4, 3), (3, 4), (2, 6, 6)])
def matrix(request):
    # Diagonally dominant, so that elimination needs no pivots.
    a = torch.rand(request.param, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    a.diagonal(dim1=-2, dim2=-1).add_(10)
    return a


def unpacked(packed, rows):
    lower = packed[..., :, :rows].tril(-1) + torch.eye(packed.shape[-2], rows, dtype=packed.dtype)
    return lower, packed[..., :rows, :].triu()


def test_factors_without_pivoting_multiply_to_the_matrix(matrix):
    before, rows = matrix.clone(), min(matrix.shape[-2:])
    with CudaIllusion():
        nothing, lower, upper = torch.linalg.lu(matrix, pivot=False)
        packed, pivots = torch.linalg.lu_factor(matrix, pivot=False)
    assert nothing.numel() == 0
    assert torch.allclose(lower @ upper, matrix, rtol=0, atol=1e-12)
    assert torch.equal(lower.triu(1), torch.zeros_like(lower)) and torch.equal(upper.tril(-1), torch.zeros_like(upper))
    for mine, theirs in zip(unpacked(packed, rows), (lower, upper)):
        assert torch.equal(mine, theirs)
    assert torch.equal(pivots, torch.arange(1, rows + 1, dtype=torch.int32).expand_as(pivots))
    assert torch.equal(matrix, before)


def test_a_zero_pivot_is_reported_where_it_stands():
    a = torch.tensor([[1.0, 2.0], [2.0, 4.0]])
    with CudaIllusion():
        assert torch.linalg.lu_factor_ex(a, pivot=False).info.item() == 2


def test_pivoting_stays_torchs_own(matrix):
    with CudaIllusion():
        mine = torch.linalg.lu_factor(matrix, pivot=True)
    assert torch.equal(mine.LU, torch.linalg.lu_factor(matrix).LU)
