# SPDX-License-Identifier: Apache-2.0
"""Everything here needs a GPU; without one it is skipped."""
import json
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
KBX = pathlib.Path(os.environ["KBX_BIN"]) / "kbx"
# What kbx keeps of this machine goes beside the build, not into the user's home.
os.environ["XDG_DATA_HOME"] = str(KBX.parent.parent / "data")


def has_gpu():
    try:
        return subprocess.run(["nvidia-smi", "-L"], capture_output=True).returncode == 0
    except OSError:
        return False


def pytest_collection_modifyitems(items):
    if not has_gpu():
        for item in items:
            item.add_marker(pytest.mark.skip(reason="no GPU on this machine"))


def judged_submission(submission, out, *options, perf="off"):
    """Verdicts by candidate, in the order of judging, of one `kbx run` on the GPU."""
    run = subprocess.run([KBX, "run", submission, "--device", "cuda", "--out", out, "--seed", "1", "--perf", perf, *options],
                         capture_output=True, text=True, timeout=400)
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr[-3000:]
    exported = subprocess.run([KBX, "export", out, "--format", "verdicts"], capture_output=True, text=True, check=True)
    return {verdict["candidate"]: verdict for verdict in map(json.loads, exported.stdout.splitlines())}


@pytest.fixture(scope="session")
def examples(tmp_path_factory):
    """Verdicts on examples/gpu."""
    return judged_submission(ROOT / "examples/gpu", tmp_path_factory.mktemp("examples") / "out")
