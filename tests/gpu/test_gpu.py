# SPDX-License-Identifier: Apache-2.0
"""The examples for a GPU: the correct twin passes, the wrong twin is told what is wrong."""
import pytest


@pytest.mark.parametrize("candidate, outcome, pattern", [
    ("gelu/blocks.py", "correct", None),
    ("gelu/no_tail.py", "wrong", "not_written"),
    ("add/grid_stride.cu", "correct", None),
    ("add/forgets_alpha.cu", "wrong", "argument_ignored"),
])
def test_twins(examples, candidate, outcome, pattern):
    verdict = examples[candidate]
    assert verdict["outcome"] == outcome, verdict
    if pattern:
        assert pattern in [d["pattern"] for d in verdict["diagnosis"]], verdict
