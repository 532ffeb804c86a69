# SPDX-License-Identifier: Apache-2.0
"""Which GPU: CUDA_VISIBLE_DEVICES holds for the judge and for what it starts, and a GPU that is not there is named."""
import json
import os
import subprocess

from conftest import KBX, ROOT

EXAMPLE = ROOT / "examples/gpu/gelu/blocks.py"


def judged(device, visible=None):
    environment = {name: value for name, value in os.environ.items() if name != "CUDA_VISIBLE_DEVICES"}
    if visible is not None:
        environment["CUDA_VISIBLE_DEVICES"] = visible
    return subprocess.run([KBX, "judge", EXAMPLE, "--task", "gelu", "--device", device, "--gate", "paper", "--perf", "off", "--json"],
                          capture_output=True, text=True, timeout=120, env=environment)


def uuids():
    listed = subprocess.run(["nvidia-smi", "--query-gpu=uuid", "--format=csv,noheader"], capture_output=True, text=True, check=True)
    return listed.stdout.split()


def test_the_last_gpu_by_its_uuid():
    done = judged("cuda", uuids()[-1])
    assert done.stdout, done.stderr
    assert json.loads(done.stdout)["outcome"] == "correct", done.stdout


def test_a_gpu_beyond_the_visible_ones():
    done = judged("cuda:1", uuids()[0])
    assert done.returncode == 6 and "there is no GPU cuda:1; visible is cuda:0" in done.stderr, done


def test_a_gpu_beyond_all():
    done = judged(f"cuda:{len(uuids())}")
    assert done.returncode == 6 and f"there is no GPU cuda:{len(uuids())}" in done.stderr, done


def test_no_gpu_visible():
    done = judged("cuda", "")
    assert done.returncode == 6 and "CUDA_VISIBLE_DEVICES is ''" in done.stderr and "unset" in done.stderr, done
