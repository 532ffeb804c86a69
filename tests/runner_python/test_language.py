# SPDX-License-Identifier: Apache-2.0
"""What Triton's compiler makes of Python and its interpreter does not."""
import pytest
import torch

from judge import Failed, FailedAt
from kernels import HEADER, elementwise
from test_numbers import run

N = 8
X = torch.arange(N, dtype=torch.float32)


@pytest.mark.parametrize("body, expected", [
    ("tl.store(o_ptr + i, tl.where((i > 1) and (i < 4), 1.0, 0.0), mask=m)", [0, 0, 1, 1, 0, 0, 0, 0]),
    ("tl.store(o_ptr + i, tl.where((i < 1) or (i > 5), 1.0, 0.0), mask=m)", [1, 0, 0, 0, 0, 0, 1, 1]),
    ("tl.store(o_ptr + i, tl.where(not (i < 4), 1.0, 0.0), mask=m)", [0, 0, 0, 0, 1, 1, 1, 1]),
    ("tl.store(o_ptr + i, min(tl.load(x_ptr + i, mask=m), 3.0), mask=m)", [0, 1, 2, 3, 3, 3, 3, 3]),
    ("tl.store(o_ptr + i, max(tl.load(x_ptr + i, mask=m), 3.0), mask=m)", [3, 3, 3, 3, 4, 5, 6, 7]),
], ids=["and", "or", "not", "min", "max"])
def test_python_words_work_element_by_element(runner, body, expected):
    assert run(runner, elementwise(body, block=N), X, like=torch.empty(N)).tolist() == expected


def test_a_loop_variable_is_a_tensor(runner):
    body = """
total = tl.load(x_ptr + i, mask=m)
for k in range(3):
    total += k.to(tl.float32)
tl.store(o_ptr + i, total, mask=m)"""
    assert run(runner, elementwise(body), X, like=torch.empty(N)).tolist() == (X + 3).tolist()


def test_a_static_loop_variable_is_a_constant(runner):
    body = """
total = tl.load(x_ptr + i, mask=m)
for k in tl.static_range(1, 4):
    total += tl.sum(tl.full((4 * 2,), k, tl.float32), axis=0)
tl.store(o_ptr + i, total, mask=m)"""
    assert run(runner, elementwise(body), X, like=torch.empty(N)).tolist() == (X + 48).tolist()


def test_a_kernel_in_a_function_sees_its_variables(runner):
    source = HEADER + """
def f(x):
    STEP: tl.constexpr = tl.constexpr(3)

    @triton.jit
    def kernel(x_ptr, o_ptr, n, B: tl.constexpr):
        i = tl.arange(0, B)
        tl.store(o_ptr + i, tl.load(x_ptr + i, mask=i < n) + STEP, mask=i < n)

    o = torch.empty_like(x)
    kernel[(1,)](x, o, x.numel(), B=8)
    return o
"""
    assert run(runner, source, X, like=torch.empty(N)).tolist() == (X + 3).tolist()


def test_the_interpreter_adds_no_names_to_the_module(runner):
    source = elementwise("tl.store(o_ptr + i, tl.load(x_ptr + i, mask=m), mask=m)") + """
    

before = None
inner = f


def f(x):
    names = set(globals())
    o = inner(x)
    assert set(globals()) == names, set(globals()) - names
    return o
"""
    assert run(runner, source, X, like=torch.empty(N)).tolist() == X.tolist()


def test_a_scan_with_an_own_function_keeps_the_order(runner):
    source = HEADER + """
@triton.jit
def last(a, b):
    return tl.where(b != 0, b, a)


@triton.jit
def kernel(x_ptr, o_ptr, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(o_ptr + i, tl.associative_scan(tl.load(x_ptr + i), 0, last))


def f(x):
    o = torch.empty_like(x)
    kernel[(1,)](x, o, B=8)
    return o
"""
    x = torch.tensor([0.0, 3, 0, 0, 5, 0, 1, 0])
    assert run(runner, source, x, like=torch.empty(N)).tolist() == [0, 3, 3, 3, 5, 5, 1, 1]


def test_a_reduction_with_an_own_function_of_two_values(runner):
    source = HEADER + """
@triton.jit
def first_and_last(a, b, c, d):
    return a, d


@triton.jit
def kernel(x_ptr, o_ptr, B: tl.constexpr):
    i = tl.arange(0, B)
    x = tl.load(x_ptr + i)
    a, d = tl.reduce((x, x), 0, first_and_last)
    tl.store(o_ptr, a)
    tl.store(o_ptr + 1, d)


def f(x):
    o = torch.empty(2, device=x.device)
    kernel[(1,)](x, o, B=8)
    return o
"""
    assert run(runner, source, X + 1, like=torch.empty(2)).tolist() == [1.0, 8.0]


def test_argmax_takes_the_first_of_equals(runner):
    source = elementwise("tl.store(o_ptr, tl.argmax(tl.load(x_ptr + i), axis=0))", block=N,
                         result="torch.empty(1, dtype=torch.int32, device=x.device)")
    x = torch.tensor([0.0, 7, 1, 7, 0, 7, 2, 3])
    assert run(runner, source, x, like=torch.empty(1, dtype=torch.int32)).item() == 1


def test_a_block_pointer_masks_at_its_boundary(runner):
    source = HEADER + """
@triton.jit
def kernel(x_ptr, o_ptr, M, N, B: tl.constexpr):
    x = tl.make_block_ptr(x_ptr, (M, N), (N, 1), (0, 0), (B, B), (1, 0))
    o = tl.make_block_ptr(o_ptr, (M, N), (N, 1), (0, 0), (B, B), (1, 0))
    tl.store(o, tl.load(x, boundary_check=(0, 1), padding_option="zero") * 2, boundary_check=(0, 1))


def f(x):
    o = torch.empty_like(x)
    kernel[(1,)](x, o, x.shape[0], x.shape[1], B=8)
    return o
"""
    x = torch.arange(15, dtype=torch.float32).reshape(3, 5)
    assert torch.equal(run(runner, source, x, like=torch.empty(3, 5)), x * 2)


def test_atomic_addition_counts_every_program(runner):
    source = HEADER + """
@triton.jit
def kernel(o_ptr):
    tl.atomic_add(o_ptr, 1.0)
    tl.atomic_add(o_ptr + 1 + tl.zeros((4,), tl.int32), tl.full((4,), 0.5, tl.float32))


def f(x):
    o = torch.zeros(2, dtype=x.dtype, device=x.device)
    kernel[(5,)](o)
    return o
"""
    assert run(runner, source, X, like=torch.empty(2)).tolist() == [5.0, 10.0]


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_atomic_addition_of_16_bit_floats(runner, dtype):
    source = HEADER + """
@triton.jit
def kernel(o_ptr):
    tl.atomic_add(o_ptr + tl.zeros((4,), tl.int32), tl.full((4,), 0.5, tl.float32))


def f(x):
    o = torch.zeros(1, dtype=x.dtype, device=x.device)
    kernel[(3,)](o)
    return o
"""
    assert run(runner, source, X.to(dtype), like=torch.empty(1, dtype=dtype)).item() == 6.0


def test_compare_and_swap_swaps_once(runner):
    source = HEADER + """
@triton.jit
def kernel(lock_ptr, o_ptr):
    seen = tl.atomic_cas(lock_ptr, 0, 7)
    tl.store(o_ptr + tl.program_id(0), seen)


def f(x):
    lock = torch.zeros(1, dtype=torch.int32, device=x.device)
    o = torch.empty(3, dtype=torch.int32, device=x.device)
    kernel[(3,)](lock, o)
    return o
"""
    assert run(runner, source, X, like=torch.empty(3, dtype=torch.int32)).tolist() == [0, 7, 7]


def test_an_autotuned_kernel_runs_once_a_call(runner):
    source = elementwise("tl.atomic_add(o_ptr + i, tl.load(x_ptr + i, mask=m), mask=m)", result="torch.zeros_like(x)").replace(
        "@triton.jit", "@triton.autotune([triton.Config({'B': 8}), triton.Config({'B': 16})], key=['n'])\n@triton.jit").replace(
        ", B=64)", ")").replace("triton.cdiv(o.numel(), 64),", "1,")
    assert run(runner, source, X, like=torch.empty(N)).tolist() == X.tolist()


def test_prints_in_a_kernel_are_dropped(runner):
    source = elementwise("print('inside', i)\ntl.device_print('inside', i)\ntl.store(o_ptr + i, tl.load(x_ptr + i, mask=m), mask=m)")
    run(runner, source, X, like=torch.empty(N))


def test_inline_assembly_is_not_the_candidates_fault(runner):
    body = """
y = tl.inline_asm_elementwise("mov.b32 $0, $1;", "=r,r", [i], dtype=tl.int32, is_pure=True, pack=1)
tl.store(o_ptr + i, y, mask=m)"""
    runner.load(elementwise(body) + "\n\ninner = f\n\n\ndef f(x):\n    try:\n        return inner(x)\n    except Exception:\n        return x\n", ["f"])
    answer = runner.call(X, out=[torch.empty(N)])
    assert isinstance(answer, Failed) and answer.at == FailedAt.UNSUPPORTED and answer.kind == "inline assembly"


def test_an_unknown_launch_option_is_an_error(runner):
    source = elementwise("tl.store(o_ptr + i, tl.load(x_ptr + i, mask=m), mask=m)").replace("B=64)", "B=64, warps=4)")
    runner.load(source, ["f"])
    answer = runner.call(X, out=[torch.empty(N)])
    assert isinstance(answer, Failed) and answer.kind == "KeyError" and "warps" in answer.message


def test_too_many_programs_are_refused_before_they_run(runner):
    source = elementwise("tl.store(o_ptr + i, tl.load(x_ptr + i, mask=m), mask=m)", block=1)
    runner.load(source, ["f"], max_programs=100)
    answer = runner.call(torch.zeros(101), out=[torch.empty(101)])
    assert isinstance(answer, Failed) and answer.at == FailedAt.UNSUPPORTED and answer.kind == "grid too large"
    assert runner.status()[1] == 0
    assert runner.call(torch.zeros(100), out=[torch.empty(100)]).delivered
    assert runner.status()[1] == 100
