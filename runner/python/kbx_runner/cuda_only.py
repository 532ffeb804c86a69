# SPDX-License-Identifier: Apache-2.0
"""Functions that torch has for a GPU but not for the CPU, computed with what the CPU has.

LU without pivoting (torch.linalg.lu_factor: "pivot=False is not supported on the CPU"): Gaussian elimination as in Golub & Van
Loan, Matrix Computations, algorithm 3.2.1. Pivots are then 1, 2, ..., as on a GPU.
"""
import torch


def _eliminate(a):
    packed = a.clone()
    for k in range(min(packed.shape[-2:])):
        below = packed[..., k + 1:, k]
        below /= packed[..., k, k].unsqueeze(-1)
        packed[..., k + 1:, k + 1:] -= below.unsqueeze(-1) * packed[..., k, k + 1:].unsqueeze(-2)
    return packed


def _pivots(a):
    rows = min(a.shape[-2:])
    return torch.arange(1, rows + 1, dtype=torch.int32).expand(*a.shape[:-2], rows).contiguous()


def _lu_factor(a):
    return torch.return_types.linalg_lu_factor((_eliminate(a), _pivots(a)))


def _lu_factor_ex(a):
    packed = _eliminate(a)
    zeros = (packed.diagonal(dim1=-2, dim2=-1) == 0)
    first = torch.where(zeros.any(-1), zeros.to(torch.int32).argmax(-1) + 1, 0).to(torch.int32)
    return torch.return_types.linalg_lu_factor_ex((packed, _pivots(a), first))


def _lu(a):
    packed, rows = _eliminate(a), min(a.shape[-2:])
    lower = packed[..., :, :rows].tril(-1) + torch.eye(a.shape[-2], rows, dtype=a.dtype)
    return torch.return_types.linalg_lu((a.new_empty(0), lower, packed[..., :rows, :].triu()))


_WITHOUT_PIVOTING = {torch.linalg.lu_factor: _lu_factor, torch.linalg.lu_factor_ex: _lu_factor_ex, torch.linalg.lu: _lu}


def find(function, kwargs):
    """What to call instead, with the first positional argument; None where the CPU's own function will do."""
    if kwargs and kwargs.get("pivot") is False and kwargs.get("out") is None:
        return _WITHOUT_PIVOTING.get(function)
    return None
