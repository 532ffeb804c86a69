# SPDX-License-Identifier: Apache-2.0
"""Triton's real compiler, without a GPU: the role that compiles a candidate's launches and launches nothing."""
import os
import re
import subprocess

import pytest
import torch
import triton

from judge import TRITON_CACHE, Failed, FailedAt
from kernels import HEADER, elementwise

X = torch.rand(64)
COPY = "tl.store(o_ptr + i, tl.exp(tl.load(x_ptr + i, mask=m)), mask=m)"

MATMUL = HEADER + """
@triton.jit
def matmul(a_ptr, b_ptr, o_ptr, K, N: tl.constexpr, B: tl.constexpr):
    r = tl.arange(0, N)
    acc = tl.zeros((N, N), tl.float32)
    for k in range(0, K, B):
        c = k + tl.arange(0, B)
        acc += tl.dot(tl.load(a_ptr + r[:, None] * K + c[None, :]), tl.load(b_ptr + c[:, None] * N + r[None, :]))
    tl.store(o_ptr + r[:, None] * N + r[None, :], acc)


def f(x):
    a = torch.zeros(128, 256, dtype=torch.float16, device=x.device)
    o = torch.empty(128, 128, device=x.device)
    matmul[(1,)](a, a, o, 256, N=128, B=64, num_stages=STAGES)
    return x
"""


def compiled(compiler, source, **options):
    assert compiler.load(source, ["f"], **options) == ("f", "entry")
    return compiler.call(X)


def test_a_kernel_is_compiled_for_the_architecture_asked_for(compiler):
    compiled(compiler, elementwise(COPY), arch=80)
    kernel, = compiler.report()["kernels"]
    assert kernel["name"] == "kernel" and kernel["arch"] == "sm_80" and 8 <= kernel["registers"] <= 255 and kernel["spills"] == 0


def test_registers_and_shared_memory_are_those_that_ptxas_says(compiler, tmp_path):
    compiled(compiler, MATMUL.replace("STAGES", "2"))
    kernel, = compiler.report()["kernels"]
    assert kernel["shared"] >= 2 * 128 * 64 * 2  # both operands of one step, fp16
    ptx = newest_ptx("matmul")
    ptxas = os.path.join(os.path.dirname(triton.__file__), "backends", "nvidia", "bin", "ptxas")
    said = subprocess.run([ptxas, "-v", "-lineinfo", "--gpu-name=sm_90a", ptx, "-o", str(tmp_path / "o")], capture_output=True, text=True).stderr
    assert kernel["registers"] == int(re.search(r"Used (\d+) registers", said).group(1)), said
    assert kernel["spills"] == int(re.search(r"(\d+) bytes spill stores", said).group(1)), said


def test_a_stack_frame_is_no_spill(compiler):
    # The reduction of large angles keeps a table on the stack.
    for _ in range(2):  # compiled, then from the cache
        compiled(compiler, elementwise("tl.store(o_ptr + i, tl.cos(tl.load(x_ptr + i, mask=m)), mask=m)"))
        assert [k["spills"] for k in compiler.report()["kernels"]] == [0]


def newest_ptx(name):
    cache = os.environ.get("TRITON_CACHE_DIR", TRITON_CACHE)
    found = [os.path.join(d, f) for d, _, files in os.walk(cache) for f in files if f == f"{name}.ptx"]
    return max((f for f in found if "sm_90" in open(f).read(4000)), key=os.path.getmtime)


@pytest.mark.parametrize("body, line, message", [
    ("j = tl.arange(0, 3)\n" + COPY, 9, "power of 2"),
    (COPY.replace("mask=m)), mask=m", "mask=m)), mask=nowhere"), 9, "nowhere"),
    ("y = tl.sum(tl.load(x_ptr + i, mask=m), axis=1)\n" + COPY, 9, "axis"),
    ("x = tl.load(x_ptr + i)\n\n" + COPY.replace("tl.exp(", "tl.expm1("), 11, "expm1"),
], ids=["arange", "undefined name", "error inside the library", "unknown function"])
def test_a_compile_error_names_the_line(compiler, body, line, message):
    answer = compiled(compiler, elementwise(body))
    assert isinstance(answer, Failed) and answer.at == FailedAt.COMPILE
    assert message in answer.message and answer.line == line and "^" in answer.excerpt, answer


def test_an_error_in_a_called_function_names_its_own_line(compiler):
    source = HEADER + """

@triton.jit
def inner(x):
    return x + nothing


@triton.jit
def kernel(x_ptr, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(x_ptr + i, inner(i))


def f(x):
    kernel[(1,)](x, B=16)
"""
    answer = compiled(compiler, source)
    assert answer.at == FailedAt.COMPILE and answer.line == 8 and "nothing" in answer.message


def test_a_wrong_launch_is_a_compile_failure(compiler):
    answer = compiled(compiler, elementwise(COPY).replace("B=64)", "BLOCK=64)"))
    assert isinstance(answer, Failed) and answer.at == FailedAt.COMPILE and answer.kind in ("TypeError", "KeyError") and answer.line == 14


def test_too_much_shared_memory_for_the_architecture(compiler):
    answer = compiled(compiler, MATMUL.replace("STAGES", "5"), arch=86)
    assert isinstance(answer, Failed) and answer.kind == "OutOfResources" and "shared memory" in answer.message
    assert answer.line == 5


def test_host_code_that_trips_over_garbage_is_no_failure(compiler):
    source = elementwise(COPY) + "\n\ninner = f\n\n\ndef f(x):\n    inner(x)\n    raise ValueError('not positive definite')\n"
    answer = compiled(compiler, source)
    assert not isinstance(answer, Failed) and not answer.delivered
    report = compiler.report()
    assert report["followed"] is False and "positive definite" in report["why"] and len(report["kernels"]) == 1


def test_a_failing_configuration_of_an_autotuner_is_passed_over(compiler):
    tuned = MATMUL.replace("@triton.jit", "@triton.autotune([triton.Config({'B': 128}, num_stages=5), triton.Config({'B': 16}, num_stages=2)], key=['K'])\n@triton.jit")
    answer = compiled(compiler, tuned.replace(", B=64, num_stages=STAGES", ""), arch=86)
    assert answer.delivered and [k["shared"] > 0 for k in compiler.report()["kernels"]] == [True]


def test_an_error_that_the_candidate_catches_counts_when_nothing_else_compiled(compiler):
    broken = elementwise(COPY.replace("tl.exp(", "tl.nothing(")) + "\n\ninner = f\n\n\ndef f(x):\n    try:\n        return inner(x)\n    except Exception:\n        return x\n"
    assert compiled(compiler, broken).at == FailedAt.COMPILE


def test_a_candidate_without_kernels_compiles_to_nothing(compiler):
    assert compiled(compiler, "def f(x):\n    return x * 2\n").delivered
    report = compiler.report()
    assert report["kernels"] == [] and report["launches"] == 0


CDIV = elementwise(COPY).replace("triton.cdiv(", "tl.cdiv(")


def test_a_function_of_the_language_in_host_code_is_refused_although_an_interpreter_would_run_it(compiler):
    assert "tl.cdiv(" in CDIV
    answer = compiled(compiler, CDIV)
    assert isinstance(answer, Failed) and answer.at == FailedAt.COMPILE and "outside of the scope of a kernel" in answer.message
    assert "tl.cdiv(" in answer.excerpt


def test_host_code_that_catches_the_refusal_and_goes_on_is_compiled(compiler):
    caught = "def f(x):\n    try:\n        tl.cdiv(1, 2)\n    except RuntimeError:\n        pass\n    return g(x)\n"
    answer = compiled(compiler, elementwise(COPY).replace("def f(", "def g(") + caught)
    assert not isinstance(answer, Failed), answer
