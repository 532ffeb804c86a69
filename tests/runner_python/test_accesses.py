# SPDX-License-Identifier: Apache-2.0
"""Loads and stores outside of the arguments are dropped, counted and told with line, program and offset."""
import torch

from kernels import HEADER, elementwise


def accesses(runner):
    return runner.report()["accesses"]


def test_a_store_behind_the_end_is_dropped_and_named(runner):
    runner.load(elementwise("tl.store(o_ptr + i, tl.load(x_ptr + i, mask=m))"), ["f"])
    call = runner.call(torch.arange(100.0), out=[torch.empty(100)])
    assert call.destinations[0].tolist() == list(range(100))  # the values inside are still right
    assert call.bad == 28  # two blocks of 64
    access, = accesses(runner)
    assert (access["kind"], access["buffer"], access["line"], access["count"]) == ("store", "o_ptr", 9, 28)
    assert access["program"] == [1, 0, 0] and access["distance"] == 0 and access["offset"] == 100
    assert "candidate.py:9" in access["text"]


def test_a_load_before_the_start_gives_zero(runner):
    runner.load(elementwise("tl.store(o_ptr + i, tl.load(x_ptr + i - 2, mask=m), mask=m)"), ["f"])
    call = runner.call(torch.arange(1.0, 9.0), out=[torch.empty(8)])
    assert call.destinations[0].tolist() == [0, 0, 1, 2, 3, 4, 5, 6]
    access, = accesses(runner)
    assert access["kind"] == "load" and access["buffer"] == "x_ptr" and access["distance"] == -8 and access["count"] == 2


def test_masked_lanes_may_point_anywhere(runner):
    runner.load(elementwise("tl.store(o_ptr + i * 1000, tl.load(x_ptr - i * 1000, mask=i == 0), mask=i == 0)"), ["f"])
    call = runner.call(torch.ones(8), out=[torch.empty(8)])
    assert call.bad == 0 and accesses(runner) == []


def test_an_access_in_a_device_function_is_told_with_its_own_line(runner):
    source = HEADER + """
@triton.jit
def put(ptr, i):
    tl.store(ptr + i, 1.0)


@triton.jit
def kernel(o_ptr, B: tl.constexpr):
    put(o_ptr, tl.arange(0, B))


def f(x):
    o = torch.empty_like(x)
    kernel[(1,)](o, B=8)
    return o
"""
    runner.load(source, ["f"])
    runner.call(torch.ones(7), out=[torch.empty(7)])
    assert accesses(runner)[0]["line"] == 7


def test_an_atomic_outside_is_dropped(runner):
    runner.load(elementwise("tl.atomic_add(o_ptr + i, 1.0)", result="torch.zeros_like(x)", block=8), ["f"])
    call = runner.call(torch.ones(7), out=[torch.empty(7)])
    assert call.destinations[0].tolist() == [1.0] * 7 and accesses(runner)[0]["kind"] == "atomic"


def test_a_view_inside_a_larger_tensor_may_be_left(runner):
    source = elementwise("tl.store(o_ptr + i, tl.load(x_ptr - 1 + i, mask=m), mask=m)").replace("kernel[", "x = x[1:]\n    o = o[1:]\n    kernel[")
    runner.load(source, ["f"])
    assert runner.call(torch.ones(8), out=[torch.empty(7)]).bad == 0


def test_a_pointer_made_from_an_integer_may_name_any_live_tensor(runner):
    source = HEADER + """
@triton.jit
def kernel(table_ptr, o_ptr, B: tl.constexpr):
    i = tl.arange(0, B)
    p = tl.load(table_ptr).to(tl.pointer_type(tl.float32))
    tl.store(o_ptr + i, tl.load(p + i))


def f(x):
    o = torch.empty_like(x)
    table = torch.tensor([x.data_ptr()], device=x.device)
    kernel[(1,)](table, o, B=8)
    return o
"""
    runner.load(source, ["f"])
    call = runner.call(torch.arange(8.0), out=[torch.empty(8)])
    assert call.bad == 0 and call.destinations[0].tolist() == list(range(8))


def test_an_offset_that_wraps_around_counts_as_where_it_ends(runner):
    runner.load(elementwise("tl.store(o_ptr + i.to(tl.int64) * 4611686018427387904, 1.0, mask=i == 3)"), ["f"])
    # 3 * 2**62 elements of 4 bytes are 3 * 2**64 bytes: the address itself again.
    assert runner.call(torch.ones(8), out=[torch.empty(8)]).bad == 0


def test_the_last_bytes_of_the_address_space_are_outside(runner):
    source = HEADER + """
@triton.jit
def kernel(o_ptr, offset):
    tl.store(o_ptr + offset + tl.arange(0, 2), 1.0)


def f(x):
    o = torch.empty_like(x)
    kernel[(1,)](o, -1 - o.data_ptr() // 4)
    return o
"""
    runner.load(source, ["f"])
    # The first element would end at 2**64, which is 0 in 64 bits; the second lies at address 0.
    assert runner.call(torch.ones(8), out=[torch.empty(8)]).bad == 2
