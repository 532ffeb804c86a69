# SPDX-License-Identifier: Apache-2.0
"""A candidate compiled ahead runs on the GPU without ptxas and without a C compiler."""
import pathlib
import sys

import pytest
import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "runner_python"))
from judge import Failed, ZygoteProcess  # noqa: E402

X = torch.arange(4096, dtype=torch.float32)

HEADER = """import torch
import triton
import triton.language as tl


@triton.jit
def twice(x):
    return x + x

"""

# Every call of f gives 6 * x.
PLAIN = HEADER + """
@triton.jit
def kernel(x_ptr, o_ptr, n, factor, B: tl.constexpr, TYPE: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    x = tl.load(x_ptr + i, mask=i < n).to(tl.float32)
    tl.store(o_ptr + i, (twice(x) * factor).to(TYPE), mask=i < n)


def f(x):
    x = x.cuda()
    o, half = torch.empty_like(x), torch.empty_like(x, dtype=torch.float16)
    kernel[(4,)](x, half, 4096, 1, B=1024, TYPE=tl.float16)
    kernel[(4,)](x, o, 4095, 3.0, B=1024, TYPE=tl.float32)
    kernel[(1,)](x[4095:], o[4095:], 1, 3.0, B=16, TYPE=tl.float32)
    return o
"""

TUNED = HEADER + """
@triton.autotune([triton.Config({"B": b}, num_warps=w) for b in (128, 512) for w in (2, 4)], key=["n"])
@triton.heuristics({"EVEN": lambda a: a["n"] % a["B"] == 0})
@triton.jit
def kernel(x_ptr, o_ptr, n, B: tl.constexpr, EVEN: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    x = tl.load(x_ptr + i) if EVEN else tl.load(x_ptr + i, mask=i < n)
    tl.store(o_ptr + i, twice(x) * 3, mask=i < n)


def f(x):
    x = x.cuda()
    o = torch.empty_like(x)
    kernel[lambda meta: (triton.cdiv(4096, meta["B"]),)](x, o, 4096)
    return o
"""

# The number of programs, and with it a constant of the kernel, comes from the device.
PERSISTENT = HEADER + """
@triton.jit
def kernel(x_ptr, o_ptr, n, PROGRAMS: tl.constexpr, ROOM: tl.constexpr, B: tl.constexpr):
    for start in range(tl.program_id(0) * B, n, PROGRAMS * B):
        i = start + tl.arange(0, B)
        tl.store(o_ptr + i, twice(tl.load(x_ptr + i, mask=i < n)) * 3, mask=i < n)


def f(x):
    x = x.cuda()
    o = torch.empty_like(x)
    programs = torch.cuda.get_device_properties(x.device).multi_processor_count
    utils = triton.runtime.driver.active.utils.get_device_properties(0)
    assert utils["multiprocessor_count"] == programs
    kernel[(programs,)](x, o, 4096, PROGRAMS=programs, ROOM=utils["max_shared_mem"], B=16)
    return o
"""

DOT = HEADER + """
@triton.jit
def kernel(a_ptr, o_ptr, N: tl.constexpr):
    r = tl.arange(0, N)
    i = tl.program_id(0) * N * N + r[:, None] * N + r[None, :]
    six = tl.where(r[:, None] == r[None, :], 6.0, 0.0)
    tl.store(o_ptr + i, tl.dot(tl.load(a_ptr + i), six, input_precision="ieee"))


def f(x):
    x = x.cuda()
    o = torch.empty_like(x)
    kernel[(16,)](x, o, N=16)
    return o
"""

CANDIDATES = {"plain": (PLAIN, 3), "tuned": (TUNED, 4), "persistent": (PERSISTENT, 1), "dot": (DOT, 1)}
NO_PROCESS = "\nimport subprocess\nsubprocess.Popen = None  # neither ptxas nor a C compiler can be started from here on\n"


@pytest.fixture(scope="module")
def zygotes():
    pair = ZygoteProcess("compile"), ZygoteProcess("cuda")
    yield pair
    for zygote in pair:
        zygote.close()


def device():
    p = torch.cuda.get_device_properties(0)
    names = ("name", "multi_processor_count", "total_memory", "shared_memory_per_block_optin", "regs_per_multiprocessor")
    return p.major * 10 + p.minor, {n: getattr(p, n) for n in names if hasattr(p, n)}


def harvest(zygote, source):
    runner = zygote.spawn(own_cache=True)
    arch, known = device()
    assert runner.load(source, ["f"], arch=arch, device=known, all_configurations=True) == ("f", "entry")
    answer = runner.call(X)
    assert not isinstance(answer, Failed) and answer.delivered, (answer, runner.report())
    files = runner.harvest()
    runner.end(kill=True)
    return files


def run(zygote, source, cache):
    runner = zygote.spawn(own_cache=True)
    runner.send_cache(cache)
    try:
        loaded = runner.load(source, ["f"], flags=0)
        assert loaded == ("f", "entry"), loaded
        answer = runner.call(X, out=[torch.empty_like(X)])
        assert not isinstance(answer, Failed), answer
        assert torch.equal(answer.destinations[0], 6 * X)
        return runner.report()
    finally:
        runner.end(kill=True)


@pytest.mark.parametrize("name", CANDIDATES)
def test_what_was_compiled_ahead_runs_without_a_compiler(zygotes, name):
    compiler, gpu = zygotes
    source, _ = CANDIDATES[name]
    report = run(gpu, source + NO_PROCESS, harvest(compiler, source))
    assert report["compiled"] == report["launchers_built"] == 0, report


@pytest.mark.parametrize("name", CANDIDATES)
def test_without_a_cache_the_same_candidate_compiles(zygotes, name):
    source, kernels = CANDIDATES[name]
    report = run(zygotes[1], source, {})
    assert report["compiled"] == kernels and report["launchers_built"] > 0, report


def test_a_broken_cache_costs_time_and_nothing_else(zygotes):
    compiler, gpu = zygotes
    files = {path: b"" if "__grp__" in path else data for path, data in harvest(compiler, PLAIN).items()}
    assert run(gpu, PLAIN, files)["compiled"] == 3
