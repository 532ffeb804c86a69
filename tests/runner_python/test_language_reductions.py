# SPDX-License-Identifier: Apache-2.0
"""Reductions, scans, sorting, counting. Expected values are exact integers or sums that every order gives."""
import math

import pytest
import torch

from language import check

I32, F32 = torch.int32, torch.float32
X = torch.tensor([[3, -1, 4, 1], [-5, 9, 2, -6]], dtype=I32)
TYPES = (torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int8, torch.int16, torch.int32, torch.int64)
NAN = math.nan
COMBINE = """

@triton.jit
def product(a, b):
    return a * b


@triton.jit
def affine(a, b, c, d):
    return a * c, b * c + d


@triton.jit
def later(a, b):
    return b


@triton.jit
def welford(m1, s1, n1, m2, s2, n2):
    n = n1 + n2
    delta = m2 - m1
    return m1 + delta * n2 / n, s1 + s2 + delta * delta * n1 * n2 / n, n
"""


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_sums_and_extrema_along_each_axis(runner, dtype):
    x = X.to(dtype)
    body = """
r0 = tl.sum(x, axis=0).to(tl.int32)
r1 = tl.sum(x, 1).to(tl.int32)
r2 = x.sum().to(tl.int32)
r3 = tl.max(x, axis=1).to(tl.int32)
r4 = x.min(axis=0).to(tl.int32)
r5 = tl.sum(x, axis=1, keep_dims=True).to(tl.int32)
r6 = tl.max(x).to(tl.int32)
r7 = tl.min(x, axis=-1).to(tl.int32)"""
    i32 = lambda values: torch.tensor(values, dtype=I32)  # noqa: E731
    check(runner, body, i32([-2, 8, 6, -5]), i32([7, 0]), i32(7), i32([4, 9]), i32([-5, -1, 2, -6]), i32([[7], [0]]), i32(9), i32([-1, -6]),
          x=x)


@pytest.mark.parametrize("dtype", (torch.int8, torch.int16, torch.uint8, torch.bool), ids=str)
def test_narrow_integers_are_summed_in_32_bits(runner, dtype):
    top = 1 if dtype == torch.bool else torch.iinfo(dtype).max
    x = torch.full((64,), top, dtype=dtype)
    check(runner, "r = tl.sum(x, axis=0)", torch.tensor(64 * top, dtype=I32), x=x)


def test_a_sum_may_name_its_type(runner):
    check(runner, "r0 = tl.sum(x, dtype=tl.int64)\nr1 = tl.sum(y, dtype=tl.float32)", torch.tensor(2**32 - 2), torch.tensor(2049.0),
          x=torch.tensor([2**31 - 1, 2**31 - 1], dtype=I32), y=torch.tensor([2048, 1], dtype=torch.float16))


def test_32_bit_sums_wrap_around(runner):
    check(runner, "r0 = tl.sum(x, axis=0)\nr1 = tl.cumsum(x)", torch.tensor(-2, dtype=I32), torch.tensor([2**31 - 1, -2], dtype=I32),
          x=torch.tensor([2**31 - 1, 2**31 - 1], dtype=I32))


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_places_of_extrema(runner, dtype):
    x = torch.tensor([[3, 7, 7, 1], [2, 0, 5, 0]], dtype=dtype)
    body = """
r0 = tl.argmax(x, axis=1)
r1 = tl.argmin(x, 1)
v, i = tl.max(x, axis=1, return_indices=True)
r2 = v.to(tl.int32) * 10 + i
w, j = tl.min(x, axis=0, return_indices=True)
r3 = w.to(tl.int32) * 10 + j
r4 = x.argmax(1, keep_dims=True)
r5 = tl.argmin(x.to(tl.float32) + tl.arange(0, 4)[None, :] * 0.01, 1, tie_break_left=False)
r6 = x.argmin(axis=0)"""
    i32 = lambda values: torch.tensor(values, dtype=I32)  # noqa: E731
    check(runner, body, i32([1, 2]), i32([3, 1]), i32([71, 52]), i32([21, 1, 51, 1]), i32([[1], [2]]), i32([3, 1]), i32([1, 1, 1, 1]), x=x)


def test_extrema_skip_nan(runner):
    x = torch.tensor([[NAN, 2.0, 1.0, NAN], [NAN, NAN, NAN, NAN]])
    check(runner, "r0 = tl.max(x, axis=1)\nr1 = tl.min(x, axis=1)", torch.tensor([2.0, NAN]), torch.tensor([1.0, NAN]), x=x)


def test_sums_with_nan_and_infinity(runner):
    x = torch.tensor([[NAN, 2.0], [math.inf, 1.0], [math.inf, -math.inf], [1.0, 2.0]])
    check(runner, "r = tl.sum(x, axis=1)", torch.tensor([NAN, math.inf, NAN, 3.0]), x=x)


@pytest.mark.parametrize("dtype", (I32, torch.int64, torch.uint32), ids=str)
def test_bitwise_reductions(runner, dtype):
    x = torch.tensor([0b1100, 0b1010, 0b0001, 0b0001], dtype=torch.int64).to(dtype)
    body = "r0 = tl.xor_sum(x, axis=0)\nr1 = x.xor_sum(0)\nr2 = tl.reduce_or(x, 0)\nr3 = x.reduce_or(0)"
    expected = [torch.tensor(v, dtype=dtype) for v in (0b0110, 0b0110, 0b1111, 0b1111)]
    check(runner, body, *expected, x=x)


def test_reductions_by_own_functions(runner):
    x = torch.tensor([[1.0, 2, 3, 4], [5, 6, 7, 8]])
    body = """
r0 = tl.reduce(x, 1, product)
r1 = x.reduce(0, product)
r2 = tl.reduce(x, None, product)
r3 = tl.reduce(x, 1, product, keep_dims=True)
m, s, n = tl.reduce((x, tl.zeros_like(x), tl.full((2, 4), 1.0, tl.float32)), 1, welford)
r4 = m
r5 = s
r6 = n"""
    check(runner, body, torch.tensor([24.0, 1680]), torch.tensor([5.0, 12, 21, 32]), torch.tensor(40320.0), torch.tensor([[24.0], [1680]]),
          torch.tensor([2.5, 6.5]), torch.tensor([5.0, 5.0]), torch.tensor([4.0, 4.0]), extra=COMBINE, x=x, relative=1e-6)


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_running_sums_and_products(runner, dtype):
    x = torch.tensor([[1, 2, 3, 1], [2, -1, 2, 3]], dtype=dtype)
    body = """
r0 = tl.cumsum(x, axis=1).to(tl.int32)
r1 = tl.cumprod(x, axis=1).to(tl.int32)
r2 = tl.cumsum(x, axis=1, reverse=True).to(tl.int32)
r3 = x.cumprod(1, reverse=True).to(tl.int32)
r4 = x.cumsum(0).to(tl.int32)"""
    i32 = lambda values: torch.tensor(values, dtype=I32)  # noqa: E731
    check(runner, body, i32([[1, 3, 6, 7], [2, 1, 3, 6]]), i32([[1, 2, 6, 6], [2, -2, -4, -12]]), i32([[7, 6, 4, 1], [6, 4, 5, 3]]),
          i32([[6, 6, 3, 1], [-12, -6, 6, 3]]), i32([[1, 2, 3, 1], [3, 1, 5, 4]]), x=x)


def test_scans_by_own_functions_of_pairs(runner):
    # Composition of maps v -> a*v + b, which does not commute: after k steps from 0 the value is b_k + a_k * (previous).
    a, b = [2.0, 3, 1, 2], [1.0, 0, 5, 7]
    values, v = [], 0.0
    for p, q in zip(a, b):
        v = p * v + q
        values.append(v)
    backward, v = [], 0.0
    for p, q in zip(reversed(a), reversed(b)):
        v = p * v + q
        backward.append(v)
    body = """
p, q = tl.associative_scan((x, y), 0, affine)
r0 = q
u, w = tl.associative_scan((x, y), 0, affine, reverse=True)
r1 = w
r2 = x.associative_scan(0, product)
r3 = tl.associative_scan(x, 0, later)"""
    check(runner, body, torch.tensor(values), torch.tensor(list(reversed(backward))), torch.tensor([2.0, 6, 6, 12]), torch.tensor(a),
          extra=COMBINE, x=torch.tensor(a), y=torch.tensor(b))


@pytest.mark.parametrize("dtype", TYPES + (torch.uint8, torch.uint32), ids=str)
def test_sorting(runner, dtype):
    values = [[3, 1, 4, 1, 5, 9, 2, 6], [7, 7, 0, 3, 8, 1, 1, 2]]
    x = torch.tensor(values).to(dtype)
    up = torch.tensor([sorted(v) for v in values]).to(dtype)
    down = torch.tensor([sorted(v, reverse=True) for v in values]).to(dtype)
    check(runner, "r0 = tl.sort(x)\nr1 = tl.sort(x, descending=True)\nr2 = tl.sort(x, 1, 0)\nr3 = tl.topk(x, 4).to(x.dtype)", up, down, up,
          down[:, :4].contiguous(), x=x)


def test_sorting_of_negative_numbers(runner):
    x = torch.tensor([0.5, -2.0, 1e9, -1e9])
    check(runner, "r0 = tl.sort(x)\nr1 = tl.sort(x, descending=True)", torch.tensor([-1e9, -2, 0.5, 1e9]), torch.tensor([1e9, 0.5, -2, -1e9]), x=x)


def test_merging_of_a_bitonic_sequence(runner):
    x = torch.tensor([1, 4, 6, 8, 7, 5, 3, 2], dtype=I32)
    check(runner, "r0 = tl.bitonic_merge(x)\nr1 = tl.bitonic_merge(x, descending=True)", torch.arange(1, 9, dtype=I32),
          torch.arange(8, 0, -1, dtype=I32), x=x)


def test_histograms_count_and_obey_a_mask(runner):
    x = torch.tensor([0, 1, 1, 3, 3, 3, 0, 2], dtype=I32)
    check(runner, "r0 = tl.histogram(x, 4)\nr1 = x.histogram(4)\nr2 = tl.histogram(x, 4, mask=tl.arange(0, 8) < 4)",
          torch.tensor([2, 2, 1, 3], dtype=I32), torch.tensor([2, 2, 1, 3], dtype=I32), torch.tensor([1, 2, 0, 1], dtype=I32), x=x)


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_gathering_along_an_axis(runner, dtype):
    x = torch.tensor([[10, 11, 12, 13], [20, 21, 22, 23]]).to(dtype)
    i = torch.tensor([[3, 3, 0, 1], [0, 2, 2, 1]], dtype=I32)
    check(runner, "r0 = tl.gather(x, i, 1)\nr1 = x.gather(i, axis=-1)\nr2 = tl.gather(x, i % 2, 0)",
          torch.gather(x.double(), 1, i.long()).to(dtype), torch.gather(x.double(), 1, i.long()).to(dtype),
          torch.gather(x.double(), 0, (i % 2).long()).to(dtype), x=x, i=i)
