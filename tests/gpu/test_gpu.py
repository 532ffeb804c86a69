# SPDX-License-Identifier: Apache-2.0
"""Candidates on a GPU: the correct twin passes, the wrong twin is told what is wrong. Skips where there is no GPU."""
import json
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
KBX = pathlib.Path(os.environ["KBX_BIN"]) / "kbx"


def has_gpu():
    try:
        return subprocess.run(["nvidia-smi", "-L"], capture_output=True).returncode == 0
    except OSError:
        return False


pytestmark = pytest.mark.skipif(not has_gpu(), reason="no GPU on this machine")


@pytest.mark.parametrize("file, task, outcome, pattern", [
    ("gelu/blocks.py", "gelu", "correct", None),
    ("gelu/no_tail.py", "gelu", "wrong", "not_written"),
    ("add/grid_stride.cu", "add", "correct", None),
    ("add/forgets_alpha.cu", "add", "wrong", "argument_ignored"),
])
def test_twins(file, task, outcome, pattern):
    done = subprocess.run([KBX, "judge", ROOT / "examples" / "gpu" / file, "--task", task, "--device", "cuda", "--json"],
                          capture_output=True, text=True, timeout=120)
    assert done.stdout, done.stderr
    verdict = json.loads(done.stdout)
    assert verdict["outcome"] == outcome, verdict
    if pattern:
        assert pattern in [d["pattern"] for d in verdict["diagnosis"]], verdict
