# SPDX-License-Identifier: Apache-2.0
"""The examples for a GPU: the correct twin passes, the wrong twin is told what is wrong."""
import pytest

OUTCOMES = {
    "gelu/blocks.py": ("correct", None),
    "gelu/no_tail.py": ("wrong", "stops_early"),
    "matmul/tl_dot.py": ("correct", None),
    "matmul/tf32.py": ("wrong", "precision"),
    "add/grid_stride.cu": ("correct", None),
    "add/forgets_alpha.cu": ("wrong", "argument_ignored"),
    "smooth_l1_loss/two_kernels": ("correct", None),
}


@pytest.mark.parametrize("candidate", OUTCOMES)
def test_twins(examples, candidate):
    outcome, pattern = OUTCOMES[candidate]
    verdict = examples[candidate]
    assert verdict["outcome"] == outcome, verdict
    if pattern:
        assert pattern in [d["pattern"] for d in verdict["diagnosis"]], verdict


def test_an_example_that_nobody_expects_anything_of(examples):
    assert set(examples) == set(OUTCOMES)
