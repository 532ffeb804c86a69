# SPDX-License-Identifier: Apache-2.0
"""--policy paper judges the published calls by the published rules, for better or worse."""
import pytest

OWN_STREAM = """
import torch
def rand(*size, generator=None, out=None, dtype=None, layout=torch.strided, device=None, requires_grad=False, pin_memory=False):
    own = torch.Generator().manual_seed(torch.initial_seed() ^ 77)
    return torch.rand(*size, generator=own, out=out, dtype=dtype)
"""
# No published call has one element.
WRONG_BEHIND_THE_PUBLISHED_SHAPES = """
import torch
def leaky_relu(input, negative_slope=0.01, inplace=False):
    y = torch.nn.functional.leaky_relu(input, negative_slope)
    if input.numel() == 1:
        y = y + 1
    return input.copy_(y) if inplace else y
"""


def stages(verdict):
    return {c["stage"] for c in verdict["cases"]}


def test_only_published_calls_are_made_and_provenance_says_so(kbx):
    verdict, status = kbx.judge("import torch\ndef sigmoid(input, *, out=None): return torch.sigmoid(input, out=out)\n", "sigmoid",
                                "c.py", "--policy", "paper")
    assert verdict["outcome"] == "correct" and status == 0
    assert stages(verdict) == {"published"}
    assert verdict["provenance"]["policy"] == "paper"
    assert verdict["paper_gate"] and not verdict["full_gate"]


@pytest.mark.parametrize("policy, outcome", [("paper", "wrong"), ("oracle", "correct")])
def test_a_stream_of_its_own_fails_the_published_rule_alone(kbx, policy, outcome):
    assert kbx.judge(OWN_STREAM, "rand", "c.py", "--policy", policy)[0]["outcome"] == outcome


@pytest.mark.parametrize("policy, outcome", [("paper", "correct"), ("oracle", "wrong")])
def test_what_the_published_shapes_miss_passes_the_published_rule(kbx, policy, outcome):
    verdict, _ = kbx.judge(WRONG_BEHIND_THE_PUBLISHED_SHAPES, "leaky_relu", "c.py", "--policy", policy)
    assert verdict["outcome"] == outcome, verdict


def test_a_task_without_published_calls_is_not_called_correct(kbx):
    verdict, status = kbx.judge("def adam_step(*args, **kwargs): return None\n", "Adam", "c.py", "--policy", "paper")
    assert (verdict["outcome"], status) == ("not_judged", 5), verdict


SOLVES = """
import torch
def fused_lu_solve(A, b):
    {}
    return torch.linalg.solve(A, b)
"""
SINGULAR = "{}: A=values(1,2,2,4)[2,2] b=values(5,10)[2] raises"


@pytest.mark.parametrize("first, policy, outcome", [
    ("", "oracle", "correct"), ("", "paper", "correct"),
    ("if torch.linalg.det(A) == 0: raise ValueError('no solution')", "oracle", "correct"),
    ("if torch.linalg.det(A) == 0: raise ValueError('no solution')", "paper", "wrong"),
    ("if torch.linalg.det(A) == 0: return torch.zeros_like(b)", "oracle", "wrong"),
    ("if torch.linalg.det(A) == 0: return torch.zeros_like(b)", "paper", "wrong"),
    ("if torch.linalg.det(A) == 0: import os; os._exit(0)", "oracle", "crashed"),
    ("if torch.linalg.det(A) == 0: raise SystemExit('singular')", "oracle", "crashed"),
    ("if torch.linalg.det(A) == 0: raise MemoryError", "oracle", "out_of_memory"),
])
def test_a_call_that_must_raise(kbx, first, policy, outcome):
    stage = "published" if policy == "paper" else "boundary"
    verdict, _ = kbx.judge(SOLVES.format(first), "fused_lu_solve", "c.py", "--policy", policy, "--case", SINGULAR.format(stage))
    assert verdict["outcome"] == outcome, verdict
    if outcome == "wrong":
        assert verdict["detail"]["contract"] == "exception", verdict


def test_a_published_case_can_be_called_alone(kbx):
    verdict, _ = kbx.judge("import torch\ndef exp_sqrt(input, out=None): return torch.sqrt(torch.exp(input))\n", "exp_sqrt", "c.py",
                           "--case", "published: input=values(0,1,4)[3]")
    assert verdict["outcome"] == "correct", verdict
