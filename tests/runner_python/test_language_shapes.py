# SPDX-License-Identifier: Apache-2.0
"""Making blocks and changing their shapes. Expected values are index arithmetic."""
import pytest
import torch

from judge import FailedAt
from language import check, refused, run_source, source

I32 = torch.int32
M = torch.arange(32, dtype=I32).reshape(4, 8)
T = torch.arange(64, dtype=I32).reshape(2, 4, 8)
DTYPES = (torch.float32, torch.float16, torch.bfloat16, torch.float64, torch.int8, torch.int16, torch.int64, torch.uint8, torch.uint32)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_constant_blocks(runner, dtype):
    name = str(dtype)[6:]
    body = f"r0 = tl.full((4, 2), 3, tl.{name})\nr1 = tl.zeros((4,), tl.{name})\nr2 = tl.zeros_like(x)\nr3 = tl.full([2], True, tl.int1)"
    check(runner, body, torch.full((4, 2), 3).to(dtype), torch.zeros(4, dtype=dtype), torch.zeros(8, dtype=dtype), torch.tensor([True, True]),
          x=torch.ones(8).to(dtype))


def test_ranges_start_where_told(runner):
    check(runner, "r0 = tl.arange(0, 8)\nr1 = tl.arange(5, 9)", torch.arange(8, dtype=I32), torch.arange(5, 9, dtype=I32), x=M)


SHAPES = [
    ("tl.reshape(x, (8, 4))", M.reshape(8, 4)), ("x.reshape(2, 16)", M.reshape(2, 16)), ("tl.reshape(x, [32], can_reorder=False)", M.reshape(32)),
    ("tl.view(x, (8, 4))", M.reshape(8, 4)), ("x.view(8, 4)", M.reshape(8, 4)), ("tl.ravel(x)", M.reshape(32)), ("x.ravel()", M.reshape(32)),
    ("tl.trans(x)", M.T), ("x.T", M.T), ("x.trans()", M.T), ("tl.trans(x, 1, 0)", M.T), ("tl.permute(x, (1, 0))", M.T), ("x.permute(1, 0)", M.T),
    ("tl.expand_dims(x, 1)", M[:, None, :]), ("x.expand_dims(0)", M[None]), ("tl.expand_dims(x, -1)", M[:, :, None]), ("x[None, :, :]", M[None]),
    ("x[:, None, :]", M[:, None, :]), ("tl.broadcast_to(x[:, None, :], (4, 2, 8))", M[:, None, :].expand(4, 2, 8)),
    ("x[None, :, :].broadcast_to(2, 4, 8)", M[None].expand(2, 4, 8)), ("tl.flip(x, 1)", M.flip(1)), ("tl.flip(x, 0)", M.flip(0)),
    ("x.flip(-1)", M.flip(1)), ("tl.join(x, x + 1)", torch.stack([M, M + 1], -1)), ("tl.interleave(x, -x)", torch.stack([M, -M], -1).reshape(4, 16)),
    ("tl.broadcast(x, tl.full((4, 8), 0, tl.int32))[0]", M), ("tl.max_contiguous(tl.multiple_of(x, (1, 1)), (1, 1))", M),
    ("tl.max_constancy(x, (1, 1))", M),
]


@pytest.mark.parametrize("expression, expected", SHAPES, ids=[s[0] for s in SHAPES])
def test_shapes(runner, expression, expected):
    check(runner, f"r = {expression}", expected.contiguous(), x=M)


@pytest.mark.parametrize("dtype", (torch.float16, torch.bfloat16, torch.int8, torch.int64, torch.bool, torch.float8_e5m2), ids=str)
def test_shape_changes_keep_values_of_each_type(runner, dtype):
    x = (M % 3).to(torch.float32).to(dtype)
    moved = x.view(torch.uint8).T.contiguous().view(dtype) if dtype.itemsize == 1 else x.T.contiguous()
    check(runner, "r0 = tl.trans(x)\nr1 = tl.reshape(x, (2, 16))\nr2 = tl.join(x, x)", moved, x.reshape(2, 16),
          torch.stack([x.float(), x.float()], -1).to(dtype), x=x)


def test_permutations_of_three_dimensions(runner):
    check(runner, "r0 = tl.permute(x, (2, 0, 1))\nr1 = x.trans(0, 2, 1)\nr2 = tl.trans(x, (1, 2, 0))", T.permute(2, 0, 1).contiguous(),
          T.permute(0, 2, 1).contiguous(), T.permute(1, 2, 0).contiguous(), x=T)


def test_the_transpose_of_three_dimensions_is_an_error_without_an_order(runner):
    assert refused(runner, "r = x.T", torch.zeros(8, 4, 2), x=T).at == FailedAt.CALL


def test_split_undoes_join(runner):
    body = "a, b = tl.split(tl.join(x, x * 10))\nr0 = a\nr1 = b\nc, d = tl.reshape(x, (4, 4, 2)).split()\nr2 = c\nr3 = d"
    check(runner, body, M, M * 10, M[:, 0::2].contiguous(), M[:, 1::2].contiguous(), x=M)


def test_scalars_join_split_and_become_blocks(runner):
    body = """
s = tl.load(x_ptr)
a, b = tl.split(tl.join(s, s + 5))
r0 = b - a
r1 = tl.full((4,), 1, tl.int32) * (s + 2)
r2 = tl.reshape(tl.full((1, 1), 7, tl.int32), ())
r3 = tl.full((1,), 9, tl.int32).item()
r4 = tl.broadcast_to(s + 3, (2, 2))"""
    check(runner, body, torch.tensor(5, dtype=I32), torch.full((4,), 2, dtype=I32), torch.tensor(7, dtype=I32), torch.tensor(9, dtype=I32),
          torch.full((2, 2), 3, dtype=I32), x=M)


def test_concatenation_keeps_every_element(runner):
    x = torch.arange(8, dtype=I32)
    check(runner, "r = tl.sort(tl.cat(x, x + 8, can_reorder=True))", torch.arange(16, dtype=I32), x=x)


def test_broadcasting_of_operators(runner):
    body = "c = tl.arange(0, 4)\nr0 = c[:, None] * 10 + c[None, :]\na, b = tl.broadcast(c[:, None], c[None, :])\nr1 = a\nr2 = b\nr3 = x + c[:, None]"
    i = torch.arange(4, dtype=I32)
    check(runner, body, i[:, None] * 10 + i, i[:, None].expand(4, 4), i.expand(4, 4), M + i[:, None], x=M)


def test_swizzle_orders_tiles_by_columns_within_groups_of_rows(runner):
    body = "i = tl.arange(0, 4)[:, None]\nj = tl.arange(0, 4)[None, :]\na, b = tl.swizzle2d(i, j, 4, 4, 2)\nr = a * 4 + b"
    # The documentation's example, read the other way round: tile k of the matrix is visited at this place.
    expected = torch.tensor([[0, 4, 1, 5], [2, 6, 3, 7], [8, 12, 9, 13], [10, 14, 11, 15]], dtype=I32)
    check(runner, body, expected, x=M)


def test_program_ids_cover_a_grid_of_three_axes(runner):
    body = """
at = (tl.program_id(0) * tl.num_programs(1) + tl.program_id(axis=1)) * tl.num_programs(2) + tl.program_id(2)
tl.store(o0_ptr + at, at * 10 + tl.num_programs(axis=0))"""
    text_grid = "[(1,)]"
    expected = torch.arange(24, dtype=I32) * 10 + 2
    text = source(body, {"x": M}, [expected]).replace(text_grid, "[(2, 3, 4)]")
    assert run_source(runner, text, {"x": M}, [expected])[0].tolist() == expected.tolist()
