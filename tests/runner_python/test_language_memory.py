# SPDX-License-Identifier: Apache-2.0
"""Loads, stores, block pointers, tensor descriptors. Expected values are index arithmetic."""
import math

import pytest
import torch

from device import ON_GPU
from judge import Failed
from kernels import HEADER
from language import check, refused, run_source

I32, F32, BF16 = torch.int32, torch.float32, torch.bfloat16
M = torch.arange(1, 65, dtype=F32).reshape(8, 8)
DTYPES = (torch.float16, BF16, F32, torch.float64, torch.int8, torch.int16, I32, torch.int64, torch.uint8, torch.uint32, torch.bool)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_masked_loads_give_other_and_masked_stores_leave_memory(runner, dtype):
    x = torch.tensor([1, 0, 1, 1, 0, 1, 0, 1]).to(F32).to(dtype)
    body = """
i = tl.arange(0, 8)
r0 = tl.load(x_ptr + i, mask=i < 4, other=0)
r1 = tl.load(x_ptr + i, mask=i < 4, other=1)
tl.store(o2_ptr + i, tl.load(x_ptr + i), mask=i % 2 == 0)
r3 = tl.load(x_ptr + 2)"""
    kept = x.float()
    first = torch.where(torch.arange(8) < 4, kept, 0)
    ones = torch.where(torch.arange(8) < 4, kept, 1)
    even = torch.where(torch.arange(8) % 2 == 0, kept, 0)
    check(runner, body, first.to(dtype), ones.to(dtype), even.to(dtype), torch.tensor(1.0).to(dtype), x=x)


def test_other_is_cast_to_the_type_that_is_loaded(runner):
    body = """
i = tl.arange(0, 4)
r0 = tl.load(x_ptr + i, mask=i < 1, other=2.75)
r1 = tl.load(y_ptr + i, mask=i < 1, other=-float('inf'))
r2 = tl.load(y_ptr + i, mask=i < 1, other=i)
r3 = tl.load(z_ptr + i, mask=i < 1, other=0.1)"""
    check(runner, body, torch.tensor([7, 2, 2, 2], dtype=I32), torch.tensor([1, -math.inf, -math.inf, -math.inf], dtype=torch.float16),
          torch.tensor([1, 1, 2, 3], dtype=torch.float16), torch.tensor([5, 0.1, 0.1, 0.1], dtype=BF16), x=torch.full((4,), 7, dtype=I32),
          y=torch.ones(4, dtype=torch.float16), z=torch.full((4,), 5, dtype=BF16))


def test_advice_to_the_memory_system_changes_nothing(runner):
    body = """
i = tl.arange(0, 8)
a = tl.load(x_ptr + i, cache_modifier='.cg')
b = tl.load(x_ptr + i, eviction_policy='evict_last') + tl.load(x_ptr + i, volatile=True) - tl.load(x_ptr + i, eviction_policy='evict_first')
tl.store(o0_ptr + i, a + b, cache_modifier='.wb')
tl.debug_barrier()"""
    check(runner, body, torch.arange(8, dtype=F32) * 2, x=torch.arange(8, dtype=F32))


@pytest.mark.parametrize("value, dtype, expected", [("3.75", I32, 3), ("3", torch.float16, 3), ("1.5", torch.bool, True),
                                                    ("-1.75", torch.int8, -1), ("2.0 ** -1", BF16, 0.5)], ids=str)
def test_stored_values_are_cast_to_the_type_of_the_pointer(runner, value, dtype, expected):
    check(runner, f"tl.store(o0_ptr + tl.arange(0, 4), tl.full((4,), 0, tl.float32) + {value})", torch.full((4,), expected, dtype=dtype), x=M)


def test_the_store_method_and_pointer_arithmetic(runner):
    body = """
i = tl.arange(0, 4)
p = o0_ptr + 4
p -= 4
(p + i).store(tl.load(x_ptr + 2 * i + 1), mask=i < 3)"""
    check(runner, body, torch.tensor([2.0, 4, 6, 0]), x=torch.arange(1.0, 9))


BLOCK = "p = tl.make_block_ptr(x_ptr, shape=(8, 8), strides=(8, 1), offsets=({0}, {1}), block_shape=(4, 4), order=(1, 0))\n"


def padded(top, left, filler):
    """The 4x4 block of M at (top, left); `filler` outside of the matrix."""
    return torch.tensor([[M[i, j].item() if 0 <= i < 8 and 0 <= j < 8 else filler for j in range(left, left + 4)] for i in range(top, top + 4)])


@pytest.mark.parametrize("top, left", [(0, 0), (6, 6), (-2, 5), (6, -3)])
@pytest.mark.parametrize("padding, filler", [("", 0.0), ("zero", 0.0), ("nan", math.nan)])
def test_block_pointers_at_the_boundary(runner, top, left, padding, filler):
    body = BLOCK.format(top, left) + f"r = tl.load(p, boundary_check=(0, 1), padding_option='{padding}')"
    check(runner, body, padded(top, left, filler), x=M)


def test_block_pointers_advance_and_store(runner):
    body = BLOCK.format(0, 0) + """
p = tl.advance(p, (4, 2))
q = tl.make_block_ptr(o0_ptr, (6, 6), (8, 1), (4, 4), (4, 4), (1, 0))
tl.store(q, tl.load(p), boundary_check=(0, 1))
r1 = tl.load(p.advance((-1, 0)))"""
    stored = torch.zeros(8, 8)
    stored[4:6, 4:6] = M[4:6, 2:4]
    check(runner, body, stored, M[3:7, 2:6].contiguous(), x=M)


@pytest.mark.parametrize("dtype", (torch.float16, BF16, torch.int8, torch.bool, torch.int64), ids=str)
def test_block_pointers_of_each_width_and_a_transposed_order(runner, dtype):
    x = (M.int() % 2).to(F32).to(dtype)
    body = "p = tl.make_block_ptr(x_ptr, (8, 8), (1, 8), (2, 4), (4, 4), (0, 1))\nr = tl.load(p, boundary_check=(0,))"
    check(runner, body, x.T[2:6, 4:8].contiguous(), x=x)


DESCRIPTOR = "d = tl.make_tensor_descriptor(x_ptr, shape=[8, 8], strides=[8, 1], block_shape=[4, 4])\n"
ALLOCATOR = """
triton.set_allocator(lambda size, alignment, stream: torch.empty(size, dtype=torch.int8, device="cuda"))
"""


@pytest.mark.parametrize("top, left", [(0, 0), (6, 4), (-2, 0), (5, 8), (-1, -4)])
def test_descriptors_load_zeros_outside(runner, top, left):
    body = DESCRIPTOR + f"r0 = d.load([{top}, {left}])\nr1 = tl.load_tensor_descriptor(d, [{top}, {left}])"
    check(runner, body, padded(top, left, 0.0), padded(top, left, 0.0), x=M, extra=ALLOCATOR)


@pytest.mark.skipif(ON_GPU, reason="a misaligned address ends the context")
def test_a_descriptors_block_that_starts_at_other_bytes_is_an_error(runner):
    answer = refused(runner, DESCRIPTOR + "r = d.load([2, 1])", torch.zeros(4, 4), x=M)
    assert answer.kind == "ValueError" and "16 bytes" in answer.message


def test_descriptors_pad_with_nan_if_told(runner):
    body = DESCRIPTOR.replace("block_shape=[4, 4]", "block_shape=[4, 4], padding_option='nan'") + "r = d.load([6, 4])"
    check(runner, body, padded(6, 4, math.nan), x=M, extra=ALLOCATOR)


def test_descriptors_store_inside_only(runner):
    body = """
d = tl.make_tensor_descriptor(o0_ptr, shape=[6, 6], strides=[8, 1], block_shape=[4, 4])
d.store([4, 4], tl.full((4, 4), 5.0, tl.float32))
tl.store_tensor_descriptor(d, [-2, 0], tl.full((4, 4), 7, tl.float32))"""
    stored = torch.zeros(8, 8)
    stored[4:6, 4:6] = 5
    stored[0:2, 0:4] = 7
    check(runner, body, stored, x=M, extra=ALLOCATOR)


@pytest.mark.parametrize("name, function", [("add", lambda a, b: a + b), ("min", min), ("max", max), ("and", lambda a, b: a & b),
                                            ("or", lambda a, b: a | b), ("xor", lambda a, b: a ^ b)])
def test_descriptors_reduce_into_memory(runner, name, function):
    body = f"""
i = tl.arange(0, 4)[:, None] * 4 + tl.arange(0, 4)[None, :]
tl.store(o0_ptr + i, tl.load(x_ptr + i))
tl.debug_barrier()
d = tl.make_tensor_descriptor(o0_ptr, shape=[4, 4], strides=[4, 1], block_shape=[4, 4])
d.atomic_{name}([0, 0], i + 3)"""
    x = torch.tensor([[7, 1, 9, 4], [0, 15, 2, 8], [6, 6, 6, 6], [100, 1, 2, 3]], dtype=I32)
    expected = torch.tensor([function(v, k + 3) for k, v in enumerate(x.reshape(-1).tolist())], dtype=I32).reshape(4, 4)
    check(runner, body, expected, x=x, extra=ALLOCATOR)


@pytest.mark.skipif(ON_GPU, reason="needs the tensor memory accelerator of sm_100")
def test_descriptors_gather_and_scatter_rows(runner):
    x = torch.arange(256, dtype=I32).reshape(16, 16)
    body = """
rows = (tl.arange(0, 8) * 5) % 16
d = tl.make_tensor_descriptor(x_ptr, shape=[16, 16], strides=[16, 1], block_shape=[1, 8])
r0 = d.gather(rows, 4)
e = tl.make_tensor_descriptor(o1_ptr, shape=[16, 16], strides=[16, 1], block_shape=[1, 8])
e.scatter(d.gather(rows, 4), rows, 0)"""
    rows = torch.arange(8) * 5 % 16
    scattered = torch.zeros(16, 16, dtype=I32)
    scattered[rows, :8] = x[rows, 4:12]
    check(runner, body, x[rows, 4:12].contiguous(), scattered, x=x, extra=ALLOCATOR)


def test_descriptors_that_the_host_made(runner):
    text = HEADER + """
from triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def kernel(a, b):
    b.store([4, 4], a.load([2, 4]) * 2)
    tl.static_assert(a.block_shape[0] == 4)


def f(x):
    o = torch.zeros_like(x)
    kernel[(1,)](TensorDescriptor.from_tensor(x, [4, 4]), TensorDescriptor(o, o.shape, o.stride(), [4, 4]))
    return o
"""
    expected = torch.zeros(8, 8)
    expected[4:, 4:] = M[2:6, 4:8] * 2
    got, = run_source(runner, text, {"x": M}, [expected])
    assert torch.equal(got, expected)


def test_a_pointer_of_the_wrong_kind_is_an_error(runner):
    text = HEADER + """
@triton.jit
def kernel(x_ptr, o_ptr):
    tl.store(o_ptr, tl.load(tl.load(x_ptr)))


def f(x):
    o = torch.zeros_like(x)
    kernel[(1,)](x, o)
    return o
"""
    runner.load(text, ["f"])
    answer = runner.call(M, out=[M])
    assert isinstance(answer, Failed) and answer.kind == "ValueError"
