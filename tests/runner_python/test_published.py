# SPDX-License-Identifier: Apache-2.0
"""Kernels that language models wrote, read from outside of the project; skipped where they are not to be had."""
import json
import os

import pytest
import torch

from judge import Failed, FailedAt

PATH = os.path.join(os.path.dirname(__file__), "..", "..", "..", "shared", "upstream", "llm_kernels.jsonl")
pytestmark = pytest.mark.skipif(not os.path.exists(PATH), reason="upstream/llm_kernels.jsonl is not beside the checkout")


def submission(name):
    with open(PATH, encoding="utf-8") as file:
        return next(row["predict"] for row in map(json.loads, file) if row["id"] == name)


X = torch.randn(37, 29, generator=torch.Generator().manual_seed(1))


@pytest.mark.parametrize("name, entry, oracle, x, ulps", [
    ("002a", "relu", torch.relu, X, 0), ("002b", "relu", torch.relu, X, 0),
    ("003b", "sigmoid", torch.sigmoid, X, 4), ("040b", "cos", torch.cos, X, 4), ("040a", "cos", torch.cos, X, 4),
    ("044b", "exp_sqrt", lambda v: torch.sqrt(torch.exp(v)), X, 8), ("048b", "log1p", torch.log1p, X.abs() + 0.5, 4),
    ("038b", "abs", torch.abs, X, 0), ("051b", "reciprocal", torch.reciprocal, X, 2), ("046b", "floor", torch.floor, X * 5, 0)])
def test_a_kernel_that_passed_on_a_gpu_gives_the_mathematical_result(runner, name, entry, oracle, x, ulps):
    assert runner.load(submission(name), [entry]) == (entry, "entry")
    answer = runner.call(x, out=[torch.empty_like(x)])
    assert not isinstance(answer, Failed), answer
    expected = oracle(x.double())
    assert torch.all((answer.destinations[0].double() - expected).abs() <= (ulps + 0.5) * 2.0**-23 * expected.abs() + 1e-37)
    assert answer.bad == 0


def test_the_stores_of_smooth_l1_loss_behind_its_partial_sums_are_found(runner):
    assert runner.load(submission("037b"), ["smooth_l1_loss"])[0] == "smooth_l1_loss"
    answer = runner.call(X, X.flip(0).contiguous(), out=[torch.empty(())])
    assert answer.bad == 7  # 1073 elements in blocks of 128 are 9 sums; there is room for 1073 / 1024 = 2
    access, = runner.report()["accesses"]
    assert access["kind"] == "store" and access["line"] in (67, 69) and access["buffer"] == "output_ptr"


@pytest.mark.parametrize("name", ["000a", "000b", "065a"])
def test_a_source_without_line_breaks_is_a_syntax_error(runner, name):
    answer = runner.load(submission(name), ["gelu_bf16"])
    assert (answer.at, answer.kind) == (FailedAt.IMPORT, "SyntaxError") and answer.line > 0
