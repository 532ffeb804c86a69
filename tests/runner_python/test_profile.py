# SPDX-License-Identifier: Apache-2.0
"""What a profiler that waits to be told so is told to count, with a device of the test's own."""
import contextlib
import types

import pytest
import torch
import triton

import judge  # noqa: F401  (makes kbx_runner importable)
from kbx_runner import roles, wire
from kbx_runner.memory import StatusPage


@pytest.fixture
def heard(monkeypatch):
    """What happens on the device, in order."""
    heard = []

    @contextlib.contextmanager
    def profile():
        heard.append("counted from here")
        yield
        heard.append("to here")

    monkeypatch.setattr(torch.cuda.profiler, "profile", profile)
    monkeypatch.setattr(roles, "_synchronize", lambda: heard.append("waited for"))
    monkeypatch.setattr(triton.runtime.jit.JITFunction, "run", lambda kernel, *args, **kwargs: None)
    return heard


def call(role, heard):
    with role.calling():
        heard.append("called")
        role.finish()


def role(flags, folder):
    return roles.Cuda(types.SimpleNamespace(device_census=None), StatusPage(), str(folder), flags, 90, {})


def test_a_first_call_that_tunes_is_counted_too(heard, tmp_path):
    cuda = role(wire.PROFILE, tmp_path)
    call(cuda, heard)
    assert heard == ["called", "waited for"]


def test_kernels_that_run_when_the_counting_has_ended_are_missed(heard, tmp_path):
    cuda = role(wire.PROFILE, tmp_path)
    call(cuda, heard)
    heard.clear()
    call(cuda, heard)
    cuda.delivered()  # copies of the results are not the candidate's
    assert heard == ["counted from here", "called", "waited for", "to here", "waited for"]


def test_a_profiler_of_somebody_elses_is_told_nothing(heard, tmp_path):
    cuda = role(0, tmp_path)
    for _ in range(2):
        call(cuda, heard)
    assert "counted from here" not in heard
