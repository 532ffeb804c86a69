# SPDX-License-Identifier: Apache-2.0
"""The Triton kernels that do a known amount more of the same work, under the interpreter."""
import os
import pathlib
import sys

os.environ["TRITON_INTERPRET"] = "1"
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "runner/python/baselines"))

import more_work
import pytest
import torch

LEVELS = [0, 3, 5, 10]


@pytest.mark.parametrize("more", LEVELS)
def test_the_result_is_that_of_relu(more):
    x = torch.randn(100 * more_work.BLOCK + 17)  # the last block is not whole, and its programs are not the last
    result = getattr(more_work, f"relu__{more}")(input=x)
    assert torch.equal(result, x.relu())


@pytest.mark.parametrize("more", LEVELS)
def test_so_many_per_cent_more_programs(more, monkeypatch):
    grids = []

    class Kernel:
        def __getitem__(self, grid):
            grids.append(grid)
            return lambda *arguments, **options: None

    monkeypatch.setattr(more_work, "relu_kernel", Kernel())
    getattr(more_work, f"relu__{more}")(torch.empty(16000 * more_work.BLOCK))
    assert grids == [(16000 + 160 * more,)]


def test_other_names_are_none():
    assert not hasattr(more_work, "relu") and not hasattr(more_work, "relu__")
