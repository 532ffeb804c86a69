# SPDX-License-Identifier: Apache-2.0
"""Runs some lines of Triton on given tensors: one program, whole tensors as blocks.

Expected values of the tests that use it come from mathematics; each was also seen on a GPU."""
import torch

from judge import Failed
from kernels import HEADER

LIBDEVICE = "from triton.language.extra import libdevice\n"


def _offsets(shape):
    """The expression for the offsets of a contiguous block of this shape."""
    if not shape:
        return "0"
    terms, stride = [], 1
    for dim in reversed(range(len(shape))):
        at = ", ".join(":" if d == dim else "None" for d in range(len(shape)))
        terms.append(f"tl.arange(0, {shape[dim]})[{at}] * {stride}")
        stride *= shape[dim]
    return " + ".join(reversed(terms))


def source(body, inputs, outputs, extra="", launch=""):
    """A candidate `f` of the inputs. In `body` each input is a block under its own name (and NAME_ptr); it sets r0, r1, ..., or r."""
    lines = [f"    {name} = tl.load({name}_ptr + {_offsets(t.shape)})" for name, t in inputs.items() if f"{name}_ptr" not in body]
    lines += ["    " + line for line in body.strip("\n").split("\n")]
    results = [f"o{k}" for k in range(len(outputs))]
    values = ["r"] if len(outputs) == 1 else [f"r{k}" for k in range(len(outputs))]
    lines += [f"    tl.store({o}_ptr + {_offsets(t.shape)}, {value})" for o, value, t in zip(results, values, outputs)
              if f"{o}_ptr" not in body]
    pointers = ", ".join(f"{name}_ptr" for name in [*inputs, *results])
    empty = "\n".join(f"    {o} = torch.zeros({tuple(t.shape)}, dtype={t.dtype}, device=x.device)" for o, t in zip(results, outputs))
    return f"""{HEADER}{LIBDEVICE}{extra}

@triton.jit
def kernel({pointers}):
{chr(10).join(lines)}


def f({', '.join(inputs)}):
{empty}
    kernel[(1,)]({', '.join([*inputs, *results])}{launch})
    return {results[0] if len(results) == 1 else '[' + ', '.join(results) + ']'}
"""


def run_source(runner, text, inputs, outputs):
    """What `f` of `text` returns for the inputs: tensors like `outputs`."""
    loaded = runner.load(text, ["f"])
    assert not isinstance(loaded, Failed), loaded
    call = runner.call(*inputs.values(), out=[torch.empty_like(t) for t in outputs])
    assert not isinstance(call, Failed), call
    assert call.delivered and call.bad == 0 and all(leaf.copied == 1 for leaf in call.leaves), call
    return call.destinations


def evaluate(runner, body, *expected, extra="", launch="", **inputs):
    """The results of `body`, of the shapes and dtypes of `expected`."""
    return run_source(runner, source(body, inputs, expected, extra, launch), inputs, expected)


def check(runner, body, *expected, relative=0.0, absolute=0.0, extra="", launch="", **inputs):
    """That the results are the expected ones, NaN for NaN, within the tolerance."""
    for got, want in zip(evaluate(runner, body, *expected, extra=extra, launch=launch, **inputs), expected, strict=True):
        near = torch.isclose(widest(got), widest(want), rtol=relative, atol=absolute, equal_nan=True)
        assert torch.all(near), f"{got.tolist()} instead of {want.tolist()}"


def widest(tensor):
    """All values of the tensor in one dtype that holds them."""
    if tensor.dtype.is_floating_point:
        return tensor.to(torch.float64)
    return tensor.view(torch.int64) if tensor.dtype == torch.uint64 else tensor.to(torch.int64)


def refused(runner, body, *expected, extra="", **inputs):
    """What the interpreter said it cannot do."""
    runner.load(source(body, inputs, expected, extra), ["f"])
    answer = runner.call(*inputs.values(), out=[torch.empty_like(t) for t in expected])
    assert isinstance(answer, Failed), answer
    return answer
