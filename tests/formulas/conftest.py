# SPDX-License-Identifier: Apache-2.0
"""Each reference against a formula that shares no operator with it. KBX_REFERENCE names libkbx_reference.so."""

import os

import pytest
import torch


@pytest.fixture(scope="session")
def kbx():
    """The references: kbx.ENTRY(arguments as in the task's schema)."""
    torch.set_num_threads(1)
    torch.ops.load_library(os.environ["KBX_REFERENCE"])
    return torch.ops.kbx


@pytest.fixture
def randn():
    """randn(*sizes): normal float64 numbers, the same in every run."""
    generator = torch.Generator().manual_seed(20260101)
    return lambda *sizes: torch.randn(sizes, dtype=torch.float64, generator=generator)


@pytest.fixture
def close():
    """close(actual, expected, rtol=1e-9): same shape (expected may be nested lists); equal up to rtol, relative and absolute."""

    def check(actual, expected, rtol=1e-9):
        expected = torch.as_tensor(expected, dtype=torch.float64)
        assert tuple(actual.shape) == tuple(expected.shape)
        torch.testing.assert_close(actual.double(), expected, rtol=rtol, atol=rtol, equal_nan=True)

    return check
