# SPDX-License-Identifier: Apache-2.0
"""What host code asks of Triton around its launches: tuning, grids, devices, compiled kernels."""
import pytest
import torch

from device import ON_GPU
from judge import Failed, FailedAt
from kernels import HEADER
from language import run_source

X = torch.arange(16, dtype=torch.float32)
SCALE = """
@triton.jit
def kernel(x_ptr, o_ptr, n, factor, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o_ptr + i, tl.load(x_ptr + i, mask=i < n) * factor, mask=i < n)
"""


def run(runner, text, expected, **inputs):
    got, = run_source(runner, HEADER + text, inputs or {"x": X}, [expected])
    assert torch.equal(got, expected), got


CONFIGS = "[triton.Config({'B': 4}, num_warps=2, num_stages=1), triton.Config({'B': 8}, num_warps=4)]"
GRID = "    o = torch.zeros_like(x)\n    kernel[lambda meta: (triton.cdiv(meta['n'], meta['B']),)](x, o, x.numel(), 2.0)\n    return o\n"


@pytest.mark.parametrize("decorators", [
    f"@triton.autotune({CONFIGS}, key=['n'])",
    f"@triton.autotune(configs={CONFIGS}, key=[], reset_to_zero=['o_ptr'], restore_value=['x_ptr'])",
    f"@triton.autotune({CONFIGS}, key=['n'], prune_configs_by={{'early_config_prune': lambda configs, args, **kwargs: configs[1:]}})",
    f"@triton.autotune({CONFIGS}, key=['n'], prune_configs_by={{'perf_model': lambda **kwargs: kwargs['B'], 'top_k': 1}})",
    f"@triton.autotune({CONFIGS}, key=['n'], do_bench=lambda call, quantiles: (call(), [1.0, 1.0, 1.0])[1])",
    "@triton.autotune([triton.Config({'B': 4}, pre_hook=lambda args: args['o_ptr'].zero_())], key=['n'])",
    "@triton.heuristics({'B': lambda args: triton.next_power_of_2(args['n'])})",
    f"@triton.autotune([triton.Config({{}}, num_warps=1), triton.Config({{}}, num_warps=2)], key=['n'])\n@triton.heuristics({{'B': lambda args: 8}})",
], ids=["plain", "reset", "prune", "model", "bench", "hook", "heuristics", "both"])
def test_tuned_kernels(runner, decorators):
    run(runner, SCALE.replace("@triton.jit", decorators + "\n@triton.jit") + "\n\ndef f(x):\n" + GRID, X * 2)


def test_tuning_does_not_add_twice(runner):
    text = f"""
@triton.autotune({CONFIGS}, key=['n'], reset_to_zero=['o_ptr'])
@triton.jit
def kernel(x_ptr, o_ptr, n, factor, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.atomic_add(o_ptr + i, tl.load(x_ptr + i, mask=i < n) * factor, mask=i < n)


def f(x):
""" + GRID
    run(runner, text, X * 2)


def test_launches_in_every_spelling(runner):
    text = SCALE + """

def f(x):
    o = torch.zeros(4, 16, device=x.device)
    kernel[(2,)](x, o[0], 16, 2.0, 8)
    kernel[(2, 1)](x_ptr=x, o_ptr=o[1], n=16, factor=3, B=8, num_warps=8, num_stages=2, num_ctas=1)
    kernel.run(x, o[2], 16, factor=4.0, B=16, grid=(1, 1, 1), warmup=False)
    grid = (triton.cdiv(16, 8),)
    kernel[grid](x, o[3], 16, 5.0, B=triton.next_power_of_2(7), maxnreg=64)
    return o
"""
    run(runner, text, torch.stack([X * 2, X * 3, X * 4, X * 5]))


def test_the_device_can_be_asked(runner):
    text = SCALE + """

def f(x):
    properties = triton.runtime.driver.active.utils.get_device_properties(triton.runtime.driver.active.get_current_device())
    assert properties["multiprocessor_count"] > 1 and properties["max_shared_mem"] > 2**15 and properties["warpSize"] == 32
    target = triton.runtime.driver.active.get_current_target()
    assert target.backend == "cuda" and target.arch >= 80
    o = torch.zeros_like(x)
    kernel[(1,)](x, o, 16, 2.0, 16)
    return o
"""
    run(runner, text, X * 2)


def test_a_kernel_that_was_warmed_up_tells_registers_and_runs(runner):
    text = SCALE + """

def f(x):
    o = torch.zeros_like(x)
    compiled = kernel.warmup(x, o, 16, 2.0, B=16, num_warps=4, grid=(1,))
    compiled._init_handles()
    assert compiled.n_regs > 0 and compiled.metadata.shared >= 0 and compiled.metadata.num_warps == 4
    compiled[(1, 1, 1)](x, o, 16, 2.0, 16)
    return o
"""
    run(runner, text, X * 2)


@pytest.mark.skipif(ON_GPU, reason="about the interpreter's refusals")
@pytest.mark.parametrize("line", ["kernel[(1,)](x, o, 16, 2.0, 16).asm['ptx']", "gluon_kernel[(1,)](o)"], ids=["asm", "gluon"])
def test_what_only_a_compiler_knows_is_not_the_candidates_fault(runner, line):
    text = HEADER + SCALE + f"""
from triton.experimental import gluon


@gluon.jit
def gluon_kernel(o_ptr):
    pass


def f(x):
    o = torch.zeros_like(x)
    try:
        {line}
    except Exception:
        pass
    return o
"""
    runner.load(text, ["f"])
    answer = runner.call(X, out=[X])
    assert isinstance(answer, Failed) and answer.at == FailedAt.UNSUPPORTED


def test_benchmarks_run_the_function(runner):
    text = SCALE + """

def f(x):
    o = torch.zeros_like(x)
    call = lambda: kernel[(1,)](x, o, 16, 2.0, 16)
    assert triton.testing.do_bench(call, warmup=1, rep=2) > 0
    assert len(triton.testing.do_bench(call, quantiles=[0.5, 0.2, 0.8])) == 3
    assert triton.testing.do_bench(call, return_mode="median") > 0
    return o
"""
    run(runner, text, X * 2)


def test_tuples_optional_pointers_and_dtypes_as_arguments(runner):
    text = """
@triton.jit
def kernel(pointers, bias_ptr, sizes, KIND: tl.constexpr, HAS_BIAS: tl.constexpr):
    i = tl.arange(0, 16)
    value = tl.load(pointers[0] + i).to(KIND)
    if bias_ptr is not None:
        value += tl.load(bias_ptr + i)
    if HAS_BIAS:
        value += 1
    tl.store(pointers[1] + i, value * sizes[1])


def f(x):
    o = torch.zeros_like(x)
    kernel[(1,)]((x, o), None, (16, 3), tl.float32, True)
    kernel[(1,)]((o, o), x, (16, 2), KIND=tl.float32, HAS_BIAS=False)
    return o
"""
    run(runner, text, ((X + 1) * 3 + X) * 2)


def test_reinterpreted_tensors(runner):
    text = """
@triton.jit
def kernel(x_ptr, o_ptr):
    i = tl.arange(0, 16)
    tl.store(o_ptr + i, tl.load(x_ptr + i).to(tl.float32))


def f(x):
    o = torch.zeros(16, device=x.device)
    kernel[(1,)](triton.reinterpret(x, tl.float8e5), o)
    return o
"""
    values = torch.arange(16, dtype=torch.float32).to(torch.float8_e5m2)
    run(runner, text, values.float(), x=values.view(torch.uint8))


def test_integers_are_passed_with_their_width(runner):
    text = """
@triton.jit
def kernel(o_ptr, small, large, flag, real):
    tl.store(o_ptr, large + small)
    tl.store(o_ptr + 1, small.to(tl.int64) * 1000)
    if flag:
        tl.store(o_ptr + 2, (real * 4).to(tl.int64))


def f(x):
    o = torch.zeros(4, dtype=torch.int64, device=x.device)
    kernel[(1,)](o, 2**31 - 1, 2**40, True, 0.25)
    return o
"""
    run(runner, text, torch.tensor([2**40 + 2**31 - 1, (2**31 - 1) * 1000, 1, 0]))
