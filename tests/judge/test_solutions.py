# SPDX-License-Identifier: Apache-2.0
"""Honest kernels that the published benchmark rejects, one per task: each is accepted here, and as its author's own work."""
import pytest

from conftest import ROOT

FOLDER = ROOT / "examples" / "solutions"
CANDIDATES = sorted(str(path.relative_to(FOLDER)) for path in FOLDER.glob("*/*.*"))


@pytest.fixture(scope="session")
def verdicts(shared_kbx):
    done = shared_kbx("run", FOLDER, "--out", "out", "--perf", "off", timeout=850)
    assert done.returncode == 0, done.stderr
    return shared_kbx.export("out")


@pytest.mark.parametrize("candidate", CANDIDATES)
def test_solution(verdicts, candidate):
    verdict = verdicts[candidate]
    assert verdict["outcome"] == "correct" and verdict["full_gate"], verdict
    assert verdict["authorship"] == "authored", verdict


def test_each_file_is_judged(verdicts):
    assert set(verdicts) == set(CANDIDATES)
