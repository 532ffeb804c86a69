# SPDX-License-Identifier: Apache-2.0
"""Who computed, on a GPU: what CUPTI saw of candidates that do it themselves, let torch do it, or a bit of both."""
import json
import os
import pathlib
import re
import subprocess
import sys

import pytest
from conftest import ROOT, judged_submission

KERNEL = '''
import torch
import triton
import triton.language as tl


@triton.jit
def own_erf(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n).to(tl.float32)
    tl.store(y + i, tl.erf(v * 0.7071067811865476), mask=i < n)


def erf(x):
    y = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    flat = x.contiguous()
    if x.numel():
        own_erf[(triton.cdiv(x.numel(), 1024),)](flat, y, x.numel(), BLOCK=1024)
    return y

'''
CANDIDATES = {
    "gelu/delegates.py": "import torch\n\n\ndef gelu(input, approximate='none'):\n"
                         "    return torch.nn.functional.gelu(input, approximate=approximate)\n",
    # A kernel whose result nobody looks at.
    "gelu/decoy.py": KERNEL + "def gelu(input, approximate='none'):\n    erf(input.flatten()[:1])\n"
                              "    return torch.nn.functional.gelu(input, approximate=approximate)\n",
    # The library's gelu, and many launches of its own beside it.
    "gelu/mixes.py": KERNEL + "def gelu(input, approximate='none'):\n    for _ in range(3):\n        erf(input)\n"
                              "    return torch.nn.functional.gelu(input, approximate=approximate)\n",
    # Its own kernel on another stream than torch's, waited for.
    "gelu/elsewhere.py": KERNEL + "side = None\n\n\ndef gelu(input, approximate='none'):\n    global side\n"
                                  "    side = side or torch.cuda.Stream()\n    side.wait_stream(torch.cuda.current_stream())\n"
                                  "    with torch.cuda.stream(side):\n        erf(input)\n"
                                  "    torch.cuda.current_stream().wait_stream(side)\n"
                                  "    return torch.nn.functional.gelu(input, approximate=approximate)\n",
}


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory):
    folder = tmp_path_factory.mktemp("census")
    for path, text in CANDIDATES.items():
        file = folder / "submission" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return judged_submission(folder / "submission", folder / "out")


def kernels(verdict, origin):
    return {k["name"]: k for k in verdict["gpu_kernels"] if k["origin"] == origin}


@pytest.mark.parametrize("candidate, kernel", [("gelu/blocks.py", None), ("add/grid_stride.cu", None)])
def test_a_kernel_of_ones_own_is_authored(examples, candidate, kernel):
    verdict = examples[candidate]
    assert verdict["authorship"] == "authored" and verdict["own_share"] >= 0.95, verdict["gpu_kernels"]
    own = kernels(verdict, "own")
    assert own and all(k["seconds"] > 0 and k["registers"] > 0 for k in own.values()), own


def test_torch_behind_a_function_is_delegated(verdicts):
    verdict = verdicts["gelu/delegates.py"]
    assert verdict["outcome"] == "correct" and verdict["authorship"] == "delegated" and verdict["own_share"] == 0, verdict
    assert any("gelu" in name.lower() for name in kernels(verdict, "library")), verdict["gpu_kernels"]


def test_a_decoy_kernel_does_not_make_it_authored(verdicts):
    verdict = verdicts["gelu/decoy.py"]
    assert verdict["outcome"] == "correct" and verdict["authorship"] in ("mixed", "delegated"), verdict
    assert set(kernels(verdict, "own")) == {"own_erf"}, verdict["gpu_kernels"]


def test_both_are_mixed_with_a_share(verdicts):
    verdict = verdicts["gelu/mixes.py"]
    assert verdict["authorship"] == "mixed" and 0.05 < verdict["own_share"] < 0.95, verdict["gpu_kernels"]


def test_kernels_of_another_stream_are_counted(verdicts):
    assert set(kernels(verdicts["gelu/elsewhere.py"], "own")) == {"own_erf"}, verdicts["gelu/elsewhere.py"]["gpu_kernels"]


def test_the_judges_poison_is_nobodys_kernel(verdicts):
    for name in kernels(verdicts["gelu/decoy.py"], "library"):
        assert not re.search("FillFunctor|copy_kernel_cuda", name), name


def test_costs_of_counting_are_printed():
    """No bound: times belong to the machine. Every launch is seen."""
    library = pathlib.Path(os.environ["KBX_BIN"]).parent / "lib" / "libkbx_census.so"
    done = subprocess.run([sys.executable, ROOT / "bench" / "gpu_census.py", library, "--launches", "2000", "--repetitions", "3"],
                          capture_output=True, text=True, timeout=300)
    print(done.stdout, done.stderr)
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    counted = [line for line in lines if line.get("counted")]
    assert counted and all(line["problem"] == "" and line["seen"] >= 4001 and line["dropped"] == 0 for line in counted), done.stdout
