# SPDX-License-Identifier: Apache-2.0
"""What the runner for a GPU says of a call, with a device of the test's own: faults, kernels, what it must not touch after a fault."""
import types

import pytest
import torch
import triton
from triton.runtime.errors import OutOfResources

import judge  # noqa: F401  (makes kbx_runner importable)
from kbx_runner import failure, roles, wire
from kbx_runner.memory import StatusPage

ILLEGAL = "CUDA error: an illegal memory access was encountered\nCUDA kernel errors might be asynchronously reported ...\n"


class Device:
    """The census library and the driver: `fault` is what a synchronisation raises."""

    def __init__(self, problem=""):
        self.problem, self.fault, self.flushed = problem, None, []

    def start(self):
        return self.problem

    def watch(self, address):
        pass

    def mark(self):
        pass

    resume = mark

    def blame(self):
        return "in kernel k, the only one launched in this call"

    def collect(self, flush):
        self.flushed.append(flush)
        return {"kernels": [{"name": "k", "launches": 1, "nanoseconds": 5, "registers": 8, "shared": 0}], "launched": 1}

    def synchronize(self):
        if self.fault is not None:
            raise self.fault


@pytest.fixture
def device():
    return Device()


@pytest.fixture
def role(device, monkeypatch, tmp_path):
    monkeypatch.setattr(roles, "_synchronize", device.synchronize)
    # As the role finds it; restored after the test.
    monkeypatch.setattr(triton.runtime.jit.JITFunction, "run", lambda kernel, *args, **kwargs: kernel.launch(*args, **kwargs))
    prepared = types.SimpleNamespace(device_census=device)
    return roles.Cuda(prepared, StatusPage(), str(tmp_path), wire.CENSUS, 90, {})


def launch(kernel, *args, **kwargs):
    return triton.runtime.jit.JITFunction.run(kernel, *args, **kwargs)


def kernel(name, result=None, error=None):
    def run(*_, **__):
        if error is not None:
            raise error
        return types.SimpleNamespace(name=result or name)
    return types.SimpleNamespace(__name__=name, launch=run)


def test_a_fault_is_named_whatever_exception_the_candidate_made_of_it(role, device):
    device.fault = torch.AcceleratorError(ILLEGAL)
    for error in (device.fault, ValueError("something went wrong"), SystemExit(3)):
        at, kind, message, *_ = role.verdict(error)
        assert (at, kind) == (wire.FailedAt.CALL, failure.DEVICE_ERROR)
        assert message == ("CUDA error: an illegal memory access was encountered\n"
                           "in kernel k, the only one launched in this call")


def test_an_ordinary_exception_stays_one(role):
    assert role.verdict(ValueError("dim out of range")) is None
    assert role.verdict(torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB")) is None
    assert role.verdict(None) is None


def test_a_launch_that_triton_refuses_names_its_kernel_and_not_the_one_before(role):
    launch(kernel("earlier"))
    error = OutOfResources(300000, 232448, "shared memory")
    with pytest.raises(OutOfResources):
        launch(kernel("wants_shared", error=error))
    *_, = answer = role.verdict(error)
    assert "out of resource: shared memory" in answer[2] and answer[2].endswith("in kernel wants_shared")


def test_the_message_of_tritons_launcher_counts_as_the_devices(role):
    answer = role.verdict(RuntimeError("Triton Error [CUDA]: misaligned address"))
    assert answer[1] == failure.DEVICE_ERROR and answer[2].startswith("Triton Error [CUDA]: misaligned address\nin kernel k")


def test_nothing_is_flushed_on_a_broken_context(role, device):
    role.report()
    device.fault = torch.AcceleratorError(ILLEGAL)
    role.report()
    assert device.flushed == [True, False]


def test_kernels_are_the_devices_and_own_names_those_that_were_launched(role):
    launch(kernel("mine", result="mine_renamed_by_repr"))
    launch(kernel("only_compiled"), warmup=True)
    report = role.report()
    assert report["own"] == ["mine_renamed_by_repr"] and report["launches"] == 1 and report["stores_reached_output"]
    assert report["kernels"][0]["nanoseconds"] == 5 and report["why_unseen"] == ""


def test_without_cupti_the_report_says_why_and_claims_no_gpu_time(monkeypatch, tmp_path):
    monkeypatch.setattr(triton.runtime.jit.JITFunction, "run", lambda kernel, *args, **kwargs: kernel.launch(*args, **kwargs))
    monkeypatch.setattr(roles, "_synchronize", lambda: None)
    prepared = types.SimpleNamespace(device_census=Device("cuptiSubscribe: insufficient privileges"))
    role = roles.Cuda(prepared, StatusPage(), str(tmp_path), wire.CENSUS, 90, {})
    launch(kernel("mine"))
    report = role.report()
    assert report["why_unseen"] == "cuptiSubscribe: insufficient privileges" and "launched" not in report
    assert report["kernels"] == [{"name": "mine", "launches": 1}]


def test_results_that_fail_to_be_copied_are_a_failure_of_the_call(role, device):
    device.fault = torch.AcceleratorError(ILLEGAL)
    with pytest.raises(torch.AcceleratorError):
        role.delivered()


def test_the_judge_can_see_that_the_device_is_waited_for(role, monkeypatch):
    states = []
    monkeypatch.setattr(role._status, "state", states.append)
    role.finish()
    assert states == [StatusPage.WAITING]
