# SPDX-License-Identifier: Apache-2.0
"""Atomic operations: what they leave in memory and what they return. Expected values are exact."""
import pytest
import torch

from judge import Failed
from language import check, refused, run_source, source

I32, I64, F32 = torch.int32, torch.int64, torch.float32
A, B = [12, 5, -7, 3], [10, 6, -9, -3]


def in_place(call):
    """Each lane's cell of o0 starts as x; the old value goes to o1."""
    return f"""
i = tl.arange(0, 4)
tl.store(o0_ptr + i, tl.load(x_ptr + i))
tl.debug_barrier()
y = tl.load(y_ptr + i)
r1 = {call}
tl.debug_barrier()
p = o0_ptr"""


OPERATIONS = {
    "add": lambda a, b: a + b, "max": max, "min": min, "xchg": lambda a, b: b, "and": lambda a, b: a & b, "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
}


@pytest.mark.parametrize("name, dtype", [(n, t) for n in OPERATIONS for t in (I32, I64, torch.uint32, F32, torch.float64)
                                         if t not in (F32, torch.float64) or n in ("add", "max", "min", "xchg")], ids=str)
def test_results_and_old_values(runner, name, dtype):
    a, b = ([abs(v) for v in A], [abs(v) for v in B]) if dtype == torch.uint32 else (A, B)
    x, y = torch.tensor(a, dtype=I64).to(dtype), torch.tensor(b, dtype=I64).to(dtype)
    expected = torch.tensor([OPERATIONS[name](u, v) for u, v in zip(a, b)], dtype=I64).to(dtype)
    check(runner, in_place(f"tl.atomic_{name}(o0_ptr + i, y)"), expected, x, x=x, y=y)


@pytest.mark.parametrize("name", OPERATIONS)
def test_the_mask_the_scope_and_the_order(runner, name):
    x, y = torch.tensor(A, dtype=I32), torch.tensor(B, dtype=I32)
    expected = torch.tensor([OPERATIONS[name](u, v) if k != 1 else u for k, (u, v) in enumerate(zip(A, B))], dtype=I32)
    body = in_place(f"tl.where(i != 1, (o0_ptr + i).atomic_{name}(y, mask=i != 1, sem='relaxed', scope='cta'), x_old)").replace(
        "y = tl.load", "x_old = tl.load(x_ptr + i)\ny = tl.load")
    check(runner, body, expected, x, x=x, y=y)


@pytest.mark.parametrize("dtype, big", [(torch.float16, 2048.0), (torch.bfloat16, 256.0)], ids=str)
def test_16_bit_floats_round_at_each_addition(runner, dtype, big):
    body = "tl.store(o0_ptr, tl.load(x_ptr))\ntl.debug_barrier()\nr1 = tl.atomic_add(o0_ptr, 1.0)\nr2 = tl.atomic_add(o0_ptr, 3.0)"
    # Above `big` the spacing is 2: +1 is a tie that goes to even, +3 gives a tie that goes to +4.
    check(runner, body, torch.tensor(big + 4, dtype=dtype), torch.tensor(big, dtype=dtype),
          torch.tensor(big, dtype=dtype), x=torch.tensor(big, dtype=dtype))


def test_lanes_that_share_a_cell_are_all_counted(runner):
    body = """
i = tl.arange(0, 32)
tl.atomic_add(o0_ptr + i % 2, x)
tl.atomic_max(o1_ptr + i % 4, i)
tl.atomic_or(o2_ptr + 0 * i, 1 << i)"""
    check(runner, body, torch.tensor([16.0, 16.0]), torch.tensor([28, 29, 30, 31], dtype=I32), torch.tensor(-1, dtype=I32), x=torch.ones(32))


@pytest.mark.parametrize("dtype", (I32, I64, torch.uint32, F32, torch.int16), ids=str)
def test_compare_and_swap(runner, dtype):
    x = torch.tensor([1, 2, 3, 4]).to(dtype)
    y = torch.tensor([1, 0, 3, 0]).to(dtype)
    z = torch.tensor([10, 20, 30, 40]).to(dtype)
    body = in_place("(o0_ptr + i).atomic_cas(y, tl.load(z_ptr + i))")
    if dtype == F32:
        y, body = y.view(I32), body.replace("tl.load(y_ptr + i)", "tl.load(y_ptr + i).to(tl.float32, bitcast=True)")
    check(runner, body, torch.tensor([10, 2, 30, 4]).to(dtype), x, x=x, y=y, z=z)


def test_a_lock_of_compare_and_exchange(runner):
    body = """
while tl.atomic_cas(o0_ptr, 0, 1, sem='acquire', scope='gpu') == 1:
    pass
tl.store(o1_ptr, tl.load(o1_ptr) + tl.load(x_ptr))
tl.debug_barrier()
tl.atomic_xchg(o0_ptr, 0, sem='release')"""
    outputs = [torch.tensor(0, dtype=I32), torch.tensor(30.0)]
    x = torch.tensor(3.0)
    text = source(body, {"x": x}, outputs).replace("[(1,)]", "[(10,)]")
    assert [o.item() for o in run_source(runner, text, {"x": x}, outputs)] == [0, 30.0]


@pytest.mark.parametrize("dtype, name", [(torch.float16, "max"), (torch.bfloat16, "xchg"), (torch.int8, "add"), (torch.int16, "max")],
                         ids=str)
def test_what_the_language_does_not_allow_is_an_error(runner, dtype, name):
    answer = refused(runner, f"tl.atomic_{name}(o0_ptr, tl.load(x_ptr))", torch.tensor(0).to(dtype), x=torch.tensor(1).to(dtype))
    assert isinstance(answer, Failed) and answer.kind != "unsupported"
