# SPDX-License-Identifier: Apache-2.0
"""libkbx_reference.so as a program finds it. Usage: pytest, with KBX_REFERENCE naming the library."""
import os
import pathlib
import shutil
import sys

import pytest
import torch

torch.ops.load_library(os.environ["KBX_REFERENCE"])


def test_an_operator_takes_the_schemas_keywords():
    x = torch.linspace(-4, 4, 101)
    assert torch.equal(torch.ops.kbx.gelu(x, approximate="tanh"), torch.nn.functional.gelu(x, approximate="tanh"))


def test_out_is_written_and_returned():
    x, out = torch.ones(3), torch.zeros(3)
    torch.ops.kbx.sigmoid(x, out=out)
    assert torch.equal(out, torch.sigmoid(x))


def test_inplace_changes_the_argument_only_when_asked():
    x = torch.tensor([-1.0, 1.0])
    torch.ops.kbx.leaky_relu(x, 0.5)
    assert x[0] == -1
    torch.ops.kbx.leaky_relu(x, 0.5, True)
    assert x[0] == -0.5


def test_a_dtype_and_an_optional_list_arrive():
    x = torch.arange(6).reshape(2, 3)
    assert torch.equal(torch.ops.kbx.mean(x, None, dtype=torch.float64), x.to(torch.float64).mean())
    assert torch.equal(torch.ops.kbx.mean(x, [0], True, dtype=torch.float32), x.float().mean(0, True))


def test_a_factory_of_the_baseline_makes_its_result_where_calls_are_timed(tmp_path, monkeypatch):
    """Made on the host and copied, it would be slower than any candidate."""
    shutil.copy(pathlib.Path(__file__).parents[2] / "runner/python/baselines/reference.py", tmp_path)
    (tmp_path / "libkbx_reference.so").symlink_to(os.environ["KBX_REFERENCE"])
    monkeypatch.syspath_prepend(tmp_path)
    from reference import operator

    assert operator("logspace")(0.0, 1.0, 5, device="cpu").device.type == "cpu"
    if torch.cuda.is_available():
        assert operator("logspace")(0.0, 1.0, 5).is_cuda
    else:
        with pytest.raises(Exception, match="NVIDIA|CUDA"):
            operator("logspace")(0.0, 1.0, 5)
    sys.modules.pop("reference")


def test_an_operator_is_seen_as_the_aten_operators_that_it_is_made_of():
    from torch.utils._python_dispatch import TorchDispatchMode

    seen = []

    class Recorder(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            seen.append(str(func))
            return func(*args, **(kwargs or {}))

    with Recorder():
        torch.ops.kbx.matmul(torch.ones(3, 4), torch.ones(4, 5))
    assert seen and not [name for name in seen if name.startswith("kbx")], seen
