# SPDX-License-Identifier: Apache-2.0
"""Control flow, constants, tuples, hints, debugging aids. Expected values are small exact computations."""
import pytest
import torch

from device import ON_GPU
from judge import FailedAt
from language import check, refused

I32, F32 = torch.int32, torch.float32
X = torch.arange(8, dtype=F32)
needs_interpreter = pytest.mark.skipif(ON_GPU, reason="about the interpreter's refusals")


def total(n):
    return torch.tensor(n, dtype=I32)


LOOPS = [
    ("for k in range(5):\n    s += k", 10), ("for k in range(2, 9, 3):\n    s += k", 15), ("for k in range(5, 0, -2):\n    s += k", 9),
    ("for k in tl.range(5):\n    s += k", 10), ("for k in tl.range(0, 6, 2, num_stages=3):\n    s += k", 6),
    ("for k in tl.range(0, 6, 2, 3):\n    s += k", 6), ("for k in tl.range(0, 4, loop_unroll_factor=2, flatten=True, disallow_acc_multi_buffer=True):\n    s += k", 6),
    ("for k in tl.static_range(4):\n    s += k", 6), ("for k in tl.static_range(1, 8, step=3):\n    s += k", 12), ("for k in range(0):\n    s += 1", 0),
    ("for k in range(n, n + 3):\n    s += k", 27), ("while s < 20:\n    s += 7", 21), ("while tl.condition(s < 20, disable_licm=True):\n    s += 7", 21),
    ("for a in range(3):\n    for b in range(a):\n        s += a * b", 2), ("k = 0\nwhile k < 3 and s < 100:\n    k += 1\n    s += k", 6),
    ("for k in range(4):\n    if k == 2:\n        s += 100\n    elif k > 2:\n        s += 10\n    else:\n        s += 1", 112),
    ("for k in range(4):\n    s += k if k % 2 == 0 else -k", -2),
]


@pytest.mark.parametrize("body, expected", LOOPS, ids=[b[0].split(":")[0] + f"-{k}" for k, b in enumerate(LOOPS)])
def test_loops_and_branches(runner, body, expected):
    check(runner, "n = tl.load(x_ptr).to(tl.int32) + 8\ns = tl.load(x_ptr).to(tl.int32)\n" + body + "\nr = s", total(expected), x=X)


FUNCTIONS = """

SCALE: tl.constexpr = tl.constexpr(3)


@triton.jit
def divided(a, b=4, negate: tl.constexpr = False):
    if negate:
        return -(a // b), a % b
    return a // b, a % b


@triton.jit
def early(x):
    if x > 3:
        return x * 10
    return x


@triton.jit
def apply(function: tl.constexpr, a, b):
    return function(a, b)


@triton.jit
def summed(values):
    result = values[0]
    for k in tl.static_range(1, len(values)):
        result += values[k]
    return result


@triton.constexpr_function
def squared(n):
    return n * n
"""


def test_functions_constants_and_tuples(runner):
    body = """
n = tl.load(x_ptr + 7).to(tl.int32)
q, m = divided(n)
r0 = q * 10 + m
q, m = divided(n, b=2, negate=True)
r1 = q * 10 + m
r2 = early(n)
r3 = early(n - 5)
a, b = apply(divided, n, 3)
r4 = a * 10 + b
HALF: tl.constexpr = (SCALE + 5) // 2
r5 = tl.sum(tl.full((HALF,), SCALE, tl.int32))
r6 = summed((n, n + 1, 5))
r7 = tl.sum(tl.full((squared(2),), 2, tl.int32))
u, v = 1, n
r8 = u.to(tl.int32) + v
u, v = v, u
r9 = v * 100 + u
t = (n, 2)
r10 = t[0] * t[1]
r11 = SCALE.value + n"""
    expected = [13, -29, 70, 2, 21, 12, 20, 8, 8, 107, 14, 10]
    check(runner, body, *map(total, expected), x=X, extra=FUNCTIONS)


def test_numbers_that_are_assigned_become_tensors(runner):
    body = """
eps: tl.float32 = 0.5
k = 3
r0 = k.to(tl.float32) + eps.to(tl.float32)
acc = 0.0
for j in range(3):
    acc += tl.sum(x)
r1 = acc
low, high = min(k, 2), max(k, 7)
r2 = low * 10 + high"""
    check(runner, body, torch.tensor(3.5), torch.tensor(84.0), total(27), x=X)


def test_questions_at_compile_time(runner):
    body = """
s = 0
if x.dtype == tl.float32:
    s += 1
if x.dtype.is_floating() and x.dtype.primitive_bitwidth == 32:
    s += 10
if len(x.shape) == 1 and x.shape[0] == 8:
    s += 100
if x_ptr.dtype.element_ty == tl.float32:
    s += 1000
if x.type.is_block() and x.numel == 8:
    s += 10000
tl.static_assert(x.dtype == tl.float32, "must hold")
tl.static_print("seen", x.dtype)
r = s"""
    check(runner, body.replace("x = tl", "x = tl").replace("s = 0\nif x.dtype", "x = tl.load(x_ptr + tl.arange(0, 8))\ns = 0\nif x.dtype", 1), total(11111), x=X)


def test_a_static_assertion_that_does_not_hold_is_an_error(runner):
    answer = refused(runner, "tl.static_assert(x.dtype == tl.int32, 'integers only')\nr = x", X, x=X)
    assert answer.at == FailedAt.CALL


def test_hints_and_debugging_aids_change_nothing(runner):
    body = """
i = tl.multiple_of(tl.max_contiguous(tl.arange(0, 8), 8), 8)
tl.assume(tl.program_id(0) >= 0)
tl.device_assert(i < 4, "not checked without debug mode")
tl.device_print("values", i, hex=True)
print("python's", i)
tl.debug_barrier()
r = tl.load(x_ptr + i)"""
    check(runner, body, X, x=X)


ELEMENTWISE = """

@triton.jit
def choose(a, b):
    if a > b:
        return a * 2
    return b


@triton.jit
def both(a, b):
    return a + b, a - b


@triton.jit
def swapped(a0, a1):
    return a1, a0
"""


def test_functions_of_single_elements(runner):
    body = """
r0 = tl.map_elementwise(choose, x, 7 - x)
a, b = tl.map_elementwise(both, x, x * 2)
r1 = a
r2 = b"""
    check(runner, body, torch.tensor([7.0, 6, 5, 4, 8, 10, 12, 14]), X * 3, -X, x=X, extra=ELEMENTWISE)


@needs_interpreter  # which elements are neighbours in a pack depends on the layout there
def test_functions_of_packs_of_elements(runner):
    check(runner, "r = tl.map_elementwise(swapped, x, pack=2)[0]", torch.tensor([1.0, 0, 3, 2, 5, 4, 7, 6]), x=X, extra=ELEMENTWISE)


def test_the_number_of_warps_is_known(runner):
    body = "r0 = tl.full((1,), tl.extra.cuda.num_warps(), tl.int32)\nr1 = tl.full((1,), tl.extra.cuda.num_threads(), tl.int32)"
    check(runner, body, torch.tensor([8], dtype=I32), torch.tensor([256], dtype=I32), x=X, launch=", num_warps=8")


def test_the_target_is_known(runner):
    body = """
s = 0
if tl.target_info.is_cuda():
    s += 1
if tl.target_info.cuda_capability_geq(9, 0):
    s += 10
if tl.target_info.is_hip():
    s += 100
r = s"""
    check(runner, body, total(11), x=X)


def test_waiting_for_other_kernels_is_no_work(runner):
    check(runner, "tl.extra.cuda.gdc_wait()\ntl.extra.cuda.gdc_launch_dependents()\nr = x + 1", X + 1, x=X)


@needs_interpreter
@pytest.mark.parametrize("body", [
    "r = tl.inline_asm_elementwise('mov.b32 $0, $1;', '=r,r', [x], dtype=tl.float32, is_pure=True, pack=1)",
    "r = x + tl.extra.cuda.globaltimer().to(tl.float32)", "r = x + tl.extra.cuda.smid()", "r = libdevice.rcp64h(x.to(tl.float64)).to(tl.float32)",
    "r = tl.extra.cuda.convert_custom_float8_sm80(x.to(tl.float16), tl.float8e4b15).to(tl.float32)",
], ids=["asm", "timer", "processor", "rcp64h", "float8e4b15"])
def test_what_only_a_gpu_can_do_is_not_the_candidates_fault(runner, body):
    assert refused(runner, body, X, x=X).at == FailedAt.UNSUPPORTED
