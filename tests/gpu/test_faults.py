# SPDX-License-Identifier: Apache-2.0
"""Candidates that break on a GPU in every way that we know: each is told what it did, and the one behind it does not notice."""
import json
import pathlib
import shutil

import pytest
from conftest import ROOT, judged_submission

CANDIDATES = pathlib.Path(__file__).parent / "candidates"
# What follows each of them, judged by the same processes.
HONEST = {".cu": ROOT / "examples/gpu/add/grid_stride.cu", ".py": ROOT / "examples/gpu/gelu/blocks.py"}

# candidate: outcomes that are true for it, words (mostly patterns) of which one must be there, the kernel at fault
FAULTS = {
    "add/illegal_address.cu": (["crashed"], ["illegal_address"], "reads_far"),
    "add/misaligned.cu": (["crashed"], ["misaligned_address"], "reads_odd"),
    "add/device_assert.cu": (["crashed"], ["device_assert"], "asserts_order"),
    "add/out_of_memory.cu": (["out_of_memory"], ["out of memory"], None),
    "add/shared_memory.cu": (["crashed", "wrong"], ["shared_memory", "invalid_launch"], "wants_shared"),
    "add/launch_configuration.cu": (["crashed", "wrong"], ["invalid_launch"], "wants_threads"),
    "add/endless.cu": (["timed_out"], ["endless_kernel"], "spins"),
    "add/swallowed_error.cu": (["crashed"], ["illegal_address"], "reads_far"),
    # Where the driver maps inputs read-only, the store itself fails.
    "add/writes_input.cu": (["wrong", "crashed"], ["input_changed", "illegal_address"], None),
    "add/host_exception.cu": (["crashed"], ["no kernel for 2 dimensions"], None),
    "add/stale_pointer.cu": (["wrong"], ["stale_result"], None),
    "gelu/illegal_address.py": (["crashed"], ["illegal_address"], "reads_far"),
    "gelu/device_assert.py": (["crashed"], ["device_assert"], "asserts_order"),
    "gelu/out_of_memory.py": (["out_of_memory"], ["out of memory"], None),
    "gelu/shared_memory.py": (["build_failed", "crashed"], ["shared_memory"], "wants_shared"),
    "gelu/launch_configuration.py": (["build_failed", "crashed"], ["threads"], "wants_threads"),
    "gelu/endless.py": (["timed_out"], ["endless_kernel"], "spins"),
    "gelu/swallowed_error.py": (["crashed"], ["illegal_address"], "reads_far"),
    "gelu/writes_input.py": (["wrong", "crashed"], ["input_changed", "illegal_address"], None),
    "gelu/host_exception.py": (["crashed"], ["no kernel for 2 dimensions"], None),
    "gelu/stale_pointer.py": (["wrong"], ["stale_result"], None),
}
ALL = [str(p.relative_to(CANDIDATES)) for p in sorted(CANDIDATES.glob("*/*")) if p.suffix in HONEST]


def behind(candidate):
    """The honest one that is judged next: `.` sorts before `_`."""
    path = pathlib.Path(candidate)
    return str(path.with_name(f"{path.stem}_then{path.suffix}"))


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory):
    folder = tmp_path_factory.mktemp("faults")
    shutil.copytree(CANDIDATES, folder / "submission")
    for candidate in ALL:
        shutil.copy(HONEST[pathlib.Path(candidate).suffix], folder / "submission" / behind(candidate))
    return judged_submission(folder / "submission", folder / "out")


def said(verdict):
    """All words about what happened; not the compiler's list of kernels."""
    return json.dumps({key: verdict[key] for key in ("summary", "detail", "diagnosis", "log", "cases")})


@pytest.mark.parametrize("candidate", FAULTS)
def test_a_fault_by_another_name(verdicts, candidate):
    outcomes, words, _ = FAULTS[candidate]
    verdict = verdicts[candidate]
    assert verdict["outcome"] in outcomes, verdict
    assert any(word in said(verdict) for word in words), verdict


@pytest.mark.parametrize("candidate", [c for c, (_, _, kernel) in FAULTS.items() if kernel])
def test_a_fault_without_its_kernel(verdicts, candidate):
    assert FAULTS[candidate][2] in said(verdicts[candidate]), verdicts[candidate]


def test_results_on_a_stream_that_nobody_waits_for(verdicts):
    assert verdicts["gelu/second_stream.py"]["outcome"] == "correct", verdicts["gelu/second_stream.py"]
    # It knows operands of one shape only: the case itself and its fresh contents.
    first = verdicts["add/second_stream.cu"]["cases"][:3]
    assert len(first) == 3 and all(case["passed"] for case in first), verdicts["add/second_stream.cu"]


@pytest.mark.parametrize("candidate", ALL)
def test_a_candidate_that_spoils_the_next_one(verdicts, candidate):
    verdict = verdicts[behind(candidate)]
    assert verdict["outcome"] == "correct", verdict


def test_a_candidate_that_nobody_expects_anything_of():
    assert set(ALL) == set(FAULTS) | {"add/second_stream.cu", "gelu/second_stream.py"}
