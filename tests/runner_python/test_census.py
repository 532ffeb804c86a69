# SPDX-License-Identifier: Apache-2.0
"""Who computed: library operators, kernels, and whether a kernel's store reached the result."""
import pytest
import torch

from judge import wire
from kernels import elementwise

X = torch.rand(8)
COPY = "tl.store(o_ptr + i, tl.load(x_ptr + i, mask=m), mask=m)"


def report(runner, source, flags=wire.CENSUS):
    assert runner.load(source, ["f"], flags=flags) == ("f", "entry")
    answer = runner.call(X, out=[torch.empty(8)])
    assert hasattr(answer, "leaves"), answer
    return runner.report()


def test_a_kernel_of_its_own_shows_no_operators(runner):
    r = report(runner, elementwise(COPY))
    assert r["operators"] == [] and r["launches"] == 1 and r["stores_reached_output"] and r["programs"] == 1
    assert r["kernels"] == [{"name": "kernel", "launches": 1, "programs": 1}]


def test_library_computation_is_named(runner):
    r = report(runner, "import torch\ndef f(x):\n    return torch.nn.functional.softmax(x @ torch.diag(x), 0)\n")
    assert {"aten._softmax", "aten.mm"} <= set(r["operators"])
    assert r["launches"] == 0 and not r["stores_reached_output"]


def test_allocation_views_and_copies_are_no_computation(runner):
    body = "x = x.reshape(2, 4).t().contiguous().clone().to(torch.float64).float()\n    o = torch.zeros(8).fill_(1)[:4].expand(2, 4)\n    return x"
    assert report(runner, f"import torch\ndef f(x):\n    {body}\n")["operators"] == []


def test_random_numbers_are_a_class_of_their_own(runner):
    r = report(runner, "import torch\ndef f(x):\n    return torch.rand(8)\n")
    assert r["operators"] == [] and r["random"] == ["aten.rand"]


def test_a_kernel_whose_result_is_thrown_away_reaches_nothing(runner):
    r = report(runner, elementwise(COPY) + "\n\ninner = f\n\n\ndef f(x):\n    inner(x)\n    return x * 2\n")
    assert r["launches"] == 1 and not r["stores_reached_output"] and r["operators"] == ["aten.mul"]


def test_a_store_is_followed_through_library_operators(runner):
    r = report(runner, elementwise(COPY) + "\n\ninner = f\n\n\ndef f(x):\n    return inner(x).double().float().clone()\n")
    assert r["stores_reached_output"]


def poison(dtype):
    """What memory full of 0xC3 reads as; integers and bool are filled with the largest value."""
    return str(torch.tensor([0xC3] * dtype.itemsize, dtype=torch.uint8).view(dtype).float().item())


@pytest.mark.parametrize("expression, expected", [
    ("torch.empty(8)", poison(torch.float32)), ("torch.empty_like(x)", poison(torch.float32)),
    ("x.new_empty(8)", poison(torch.float32)), ("torch.empty_strided((8,), (1,))", poison(torch.float32)),
    ("torch.empty(()).repeat(8)", poison(torch.float32)), ("torch.empty_strided((8,), (2,)).clone()", poison(torch.float32)),
    ("torch.empty(8, dtype=torch.int32).float()", "2147483648.0"),
    ("torch.empty(8, dtype=torch.bfloat16).float()", poison(torch.bfloat16)),
    ("torch.empty(8, dtype=torch.float8_e4m3fn).float()", poison(torch.float8_e4m3fn)),
    ("torch.empty(8, dtype=torch.bool).float()", "1.0")])
def test_fresh_allocations_are_poisoned(runner, expression, expected):
    runner.load(f"import torch\ndef f(x):\n    return {expression}\n", ["f"], flags=wire.POISON)
    answer = runner.call(X, out=[torch.zeros(8)])
    assert [str(v) for v in answer.destinations[0].tolist()] == [expected] * 8


def test_zeros_are_not_poisoned(runner):
    runner.load("import torch\ndef f(x):\n    return torch.zeros(8) + torch.zeros_like(x)\n", ["f"], flags=wire.POISON)
    assert runner.call(X, out=[torch.ones(8)]).destinations[0].tolist() == [0.0] * 8
