# SPDX-License-Identifier: Apache-2.0
"""Arguments, returned values, seeds, and what a candidate may do to its own process without harm."""
import pytest
import torch

from judge import Failed, FailedAt, LeafKind

X = torch.tensor([1.0, 2.0, 3.0])


def call(runner, source, *args, out=(), **kwargs):
    loaded = runner.load("import torch\n" + source, ["f"])
    assert loaded == ("f", "entry"), loaded
    return runner.call(*args, out=out, **kwargs)


def test_arguments_come_as_the_case_spells_them(runner):
    source = """
def f(*args, **kwargs):
    assert [type(a) for a in args] == [torch.Tensor, int, float, bool, type(None), str, list, torch.dtype, list], args
    assert args[1:6] == (3, 0.5, True, None, 'tanh') and args[6] == [1, 2] and args[7] is torch.bfloat16
    assert len(args[8]) == 2 and kwargs == {'dim': -1}
    return args[8][1]
"""
    y = [X + 1, X + 2]
    answer = call(runner, source, X, 3, 0.5, True, None, "tanh", [1, 2], torch.bfloat16, y, dim=-1, out=[torch.empty(3)])
    assert answer.destinations[0].tolist() == [3.0, 4.0, 5.0]
    assert answer.leaves[0].aliases_argument == 9


@pytest.mark.parametrize("dtype", [
    torch.bfloat16, torch.float16, torch.float32, torch.float64, torch.complex32, torch.complex64, torch.complex128, torch.bool, torch.uint8, torch.int8,
    torch.int16, torch.int32, torch.int64, torch.uint16, torch.uint32, torch.uint64, torch.float8_e4m3fn, torch.float8_e5m2])
def test_every_dtype_crosses_unchanged(runner, dtype):
    x = torch.arange(48, dtype=torch.uint8).remainder(2)[:3 * dtype.itemsize].view(dtype)
    answer = call(runner, "def f(x):\n    return x.clone()", x, out=[torch.empty(3, dtype=dtype)])
    assert answer.leaves[0].copied == 1
    assert torch.equal(answer.destinations[0].view(torch.uint8), x.view(torch.uint8))


def test_strides_cross_unchanged(runner):
    x = torch.arange(12.0).as_strided((3, 2), (1, 6))
    answer = call(runner, "def f(x):\n    assert x.stride() == (1, 6), x.stride()\n    return x", x, out=[torch.empty(3, 2)])
    assert torch.equal(answer.destinations[0], x)


@pytest.mark.parametrize("expression, kinds", [
    ("(x, x + 1)", [LeafKind.TENSOR] * 2), ("[x]", [LeafKind.TENSOR]), ("{'values': x, 'indices': None}", [LeafKind.TENSOR, LeafKind.NONE]),
    ("torch.sort(x)", [LeafKind.TENSOR] * 2), ("None", [LeafKind.NONE]), ("3", [LeafKind.NUMBER]), ("True", [LeafKind.NUMBER]),
    ("'text'", [LeafKind.TEXT]), ("object()", [LeafKind.OTHER]), ("torch.nn.Parameter(x)", [LeafKind.TENSOR]),
    ("x.to_sparse()", [LeafKind.OTHER]), ("()", [])])
def test_returned_values_are_flattened(runner, expression, kinds):
    assert [leaf.kind for leaf in call(runner, f"def f(x):\n    return {expression}", X).leaves] == kinds


def test_a_lazy_tensor_subclass_is_no_tensor(runner):
    source = """
class Lazy(torch.Tensor):
    pass
def f(x):
    return x.as_subclass(Lazy)
"""
    leaf, = call(runner, source, X, out=[torch.zeros(3)]).leaves
    assert leaf.kind == LeafKind.OTHER and leaf.copied == 0 and "Lazy" in leaf.type


def test_a_method_set_on_an_instance_is_not_used(runner):
    source = """
def f(x):
    o = x + 1
    o.data_ptr = lambda: 0
    o.copy_ = o.clone = o.contiguous = o.cpu = lambda *a: torch.zeros(3)
    return o
"""
    assert call(runner, source, X, out=[torch.zeros(3)]).destinations[0].tolist() == [2.0, 3.0, 4.0]


@pytest.mark.parametrize("like", [torch.zeros(2), torch.zeros(3, 1), torch.zeros(3, dtype=torch.float64)])
def test_another_shape_or_dtype_is_told_and_not_copied(runner, like):
    answer = call(runner, "def f(x):\n    return x", X, out=[like])
    assert answer.leaves[0].copied == 0 and answer.leaves[0].sizes == (3,)
    assert torch.count_nonzero(answer.destinations[0]) == 0


# A result whose length follows from the contents: its leaf says how much of the destination it is.
def test_a_shorter_list_fills_the_first_elements(runner):
    answer = call(runner, "def f(x):\n    return x", X, out=[torch.zeros(5)])
    assert answer.leaves[0].copied == 1 and answer.leaves[0].sizes == (3,)
    assert answer.destinations[0].tolist() == [1, 2, 3, 0, 0]


def test_strided_and_expanded_results_are_copied_in_full(runner):
    answer = call(runner, "def f(x):\n    return x.expand(2, 3), torch.stack([x, x]).t()", X, out=[torch.empty(2, 3), torch.empty(3, 2)])
    assert answer.destinations[0].tolist() == [[1, 2, 3], [1, 2, 3]]
    assert answer.destinations[1].tolist() == [[1, 1], [2, 2], [3, 3]]


def test_in_place_changes_reach_the_judge(runner):
    x = X.clone()
    answer = call(runner, "def f(x):\n    x.mul_(2)", x)
    assert x.tolist() == [2.0, 4.0, 6.0] and not answer.delivered


def test_one_seed_repeats_and_two_differ(runner):
    source = """
import random
import numpy
def f(x):
    return torch.tensor([torch.rand(1).item(), random.random(), numpy.random.rand()])
"""
    first = call(runner, source, X, out=[torch.empty(3)], seed=2**63 + 5).destinations[0]
    assert torch.equal(first, runner.call(X, out=[torch.empty(3)], seed=2**63 + 5).destinations[0])
    assert torch.all(first != runner.call(X, out=[torch.empty(3)], seed=6).destinations[0])


def test_a_candidate_may_print_seed_and_set_defaults(runner):
    source = """
import sys
print('Ranked Benchmark 1.0', '{"ok": true}')
torch.manual_seed(7)
torch.set_default_dtype(torch.float64)
torch.set_num_threads(2)
torch.set_default_device('cuda')
def f(x):
    print('inside')
    sys.stdout.close()
    return x + torch.ones(3, dtype=torch.float32)
"""
    assert call(runner, source, X, out=[torch.empty(3)]).destinations[0].tolist() == [2.0, 3.0, 4.0]
    assert runner.call(X, out=[torch.empty(3)]).kind == "ValueError"  # its own print to its own closed stream


def test_code_for_a_gpu_runs_on_the_cpu(runner):
    source = """
assert torch.cuda.is_available() and torch.cuda.get_device_capability() == (9, 0)
def f(x):
    assert x.is_cuda and x.device.type == 'cuda' and x.device == torch.device('cuda:0')
    o = torch.empty(3, device='cuda')
    o.copy_(x.cuda())
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    torch.cuda.synchronize()
    with torch.cuda.device(x.device), torch.cuda.stream(torch.cuda.Stream()):
        o += torch.zeros_like(x, device=x.device)
    generator = torch.Generator(device='cuda')
    return o.to(x.device) + 0 * torch.rand(3, generator=generator, device='cuda').to('cuda:0')
"""
    assert call(runner, source, X, out=[torch.empty(3)]).destinations[0].tolist() == X.tolist()


def test_everyday_functions_do_not_import_a_compiler(runner):
    source = """
import sys
def f(x):
    torch.manual_seed(1)
    assert torch.broadcast_shapes((3, 1), 4) == (3, 4)
    torch.optim.SGD([torch.nn.Parameter(x)], lr=0.1).zero_grad()
    assert not {'torch._dynamo', 'sympy'} & set(sys.modules)
    return x
"""
    assert call(runner, source, X, out=[torch.empty(3)]).delivered


def test_nothing_of_the_runner_can_be_found_by_name(runner):
    source = """
import sys
def f(x):
    assert not [m for m in sys.modules if 'kbx' in m]
    assert not [n for n in vars(sys.modules['__main__']) if not n.startswith('__')]
    assert sys.argv == [''] and not [p for p in sys.path if 'runner' in p]
    assert __name__ == 'candidate'
    return x
"""
    assert call(runner, source, X, out=[torch.empty(3)]).delivered


def test_several_calls_of_one_message_see_fresh_contents(runner):
    call(runner, "cache = {}\ndef f(x):\n    return cache.setdefault(x.data_ptr(), x.clone())", X, out=[torch.empty(3)])
    answer = runner.call(X + 1, out=[torch.empty(3)], set=1)
    assert answer.destinations[0].tolist() == [2.0, 3.0, 4.0]


def test_a_set_that_was_not_prepared_is_refused(runner):
    from judge import wire
    call(runner, "def f(x):\n    return x", X)
    answer = runner.request(wire.Writer(wire.Type.CALL).pack("I", 1).pack("IQ", 9, 1))
    assert isinstance(answer, Failed) and answer.at == FailedAt.UNSUPPORTED


def test_a_tensor_outside_of_its_segment_is_refused(runner):
    from judge import wire
    call(runner, "def f(x):\n    return x", X)
    bad = wire.Tensor(1, runner.arena.SIZE - 4, (2, 32), 0, (2,), (1,))
    answer = runner.request(wire.Writer(wire.Type.PREPARE).pack("II", 0, 1).str("").pack("B", 6).tensor(bad).pack("I", 0))
    assert isinstance(answer, Failed) and answer.at == FailedAt.UNSUPPORTED
