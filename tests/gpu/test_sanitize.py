# SPDX-License-Identifier: Apache-2.0
"""--sanitize: each tool of compute-sanitizer finds what it is for, at its line, and nothing in candidates that are right."""
import json
import pathlib
import re
import shutil
import subprocess

import pytest
from conftest import KBX, ROOT

CANDIDATES = pathlib.Path(__file__).parent / "sanitized"
FOUND = sorted(p.relative_to(CANDIDATES).as_posix() for p in CANDIDATES.glob("*/*"))


def judge(path, *options):
    return subprocess.run([KBX, "judge", path, "--task", path.parent.name, "--device", "cuda", "--perf", "off", "--seed", "1", "--json",
                           "--sanitize", *options], capture_output=True, text=True, timeout=400)


@pytest.fixture(scope="module")
def sanitized():
    if not shutil.which("compute-sanitizer") and not pathlib.Path("/usr/local/cuda/bin/compute-sanitizer").exists():
        pytest.skip("no compute-sanitizer on this machine")
    refused = {}

    def verdict(path):
        run = judge(path, *refused.get(path.suffix, ()))
        if path.suffix not in refused and "cannot run inside the sandbox" in run.stderr:
            assert "--no-sandbox" in run.stderr
            refused[path.suffix] = ["--no-sandbox"]
            run = judge(path, "--no-sandbox")
        assert run.stdout, run.stderr
        return json.loads(run.stdout)

    return verdict


@pytest.mark.parametrize("candidate", FOUND)
def test_a_finding_without_its_line(sanitized, candidate):
    path = CANDIDATES / candidate
    lines = [f"{path.name}:{i}" for i, text in enumerate(path.read_text().splitlines(), 1) if "here" in text.split()]
    kernel = re.search(r"(?:__global__ void|def) (\w+)", path.read_text())[1]
    verdict = sanitized(path)
    found = [d["evidence"] for d in verdict["diagnosis"] if d["pattern"] == f"sanitizer_{path.stem}"]
    assert any(kernel in e and line in e for e in found for line in lines), verdict


@pytest.mark.parametrize("candidate", ["add/grid_stride.cu", "gelu/blocks.py"])
def test_a_finding_in_a_candidate_that_is_right(sanitized, candidate):
    verdict = sanitized(ROOT / "examples/gpu" / candidate)
    assert verdict["outcome"] == "correct", verdict
    assert verdict["diagnosis"] == [], verdict
    assert "gave no report" not in verdict["log"], verdict
