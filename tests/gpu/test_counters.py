# SPDX-License-Identifier: Apache-2.0
"""--counters: ncu's hardware counters of a candidate, against what its code has to move."""
import json
import pathlib
import shutil
import subprocess

import pytest
from conftest import KBX, ROOT

L2 = 64 << 20  # more than any GPU's so far on which this was run


@pytest.fixture(scope="module")
def counted():
    packaged = pathlib.Path("/opt/nvidia/nsight-compute").glob("*/ncu")
    if not shutil.which("ncu") and not pathlib.Path("/usr/local/cuda/bin/ncu").exists() and not list(packaged):
        pytest.skip("no ncu on this machine")

    def counters(path, *options):
        run = subprocess.run([KBX, "judge", path, "--task", path.parent.name, "--device", "cuda", "--seed", "1", "--json", "--counters",
                              "--no-sandbox", *options], capture_output=True, text=True, timeout=400)
        assert run.stdout, run.stderr
        verdict = json.loads(run.stdout)
        assert verdict["outcome"] == "correct", verdict
        entries = verdict["efficiency"]["counters"]
        assert len(entries) == 1, verdict
        return entries[0]

    return counters


@pytest.mark.parametrize("candidate", ["gelu/blocks.py", "add/grid_stride.cu"])
def test_a_kernel_that_reads_and_writes_once_moves_the_least_bytes(counted, candidate):
    """Both languages; a warm-up that counts too, or only one of several passes, would be off by a factor. What is still in the L2
    cache when a kernel ends was not written yet."""
    c = counted(ROOT / "examples/gpu" / candidate)
    assert c["least_bytes"] > 0
    assert 0.9 * c["least_bytes"] - L2 <= c["dram_bytes"] <= 1.1 * c["least_bytes"], c
    if c["least_bytes"] > 10 * L2:
        assert c["dram_bytes"] >= 0.8 * c["least_bytes"], c
    assert 0.3 < c["occupancy"] <= 1, c
    assert c["tensor_cores"] == 0, c


def test_a_product_in_bf16_uses_tensor_cores_and_one_in_full_fp32_does_not(counted, tmp_path):
    exact = ROOT / "examples/gpu/matmul/tl_dot.py"
    assert counted(exact)["tensor_cores"] == 0
    half = tmp_path / "matmul_bf16" / "dot.py"
    half.parent.mkdir()
    text = exact.read_text().replace("def matmul(", "def matmul_bf16(").replace("tensor1", "input").replace("tensor2", "other")
    half.write_text(text)
    assert 0.02 < counted(half)["tensor_cores"] <= 1


def test_in_the_sandbox_nobody_is_judged_and_the_remedy_is_told():
    path = ROOT / "examples/gpu/gelu/blocks.py"
    run = subprocess.run([KBX, "judge", path, "--task", "gelu", "--device", "cuda", "--counters"], capture_output=True, text=True,
                         timeout=100)
    assert run.returncode != 0 and "--no-sandbox" in run.stderr, run
