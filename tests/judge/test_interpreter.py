# SPDX-License-Identifier: Apache-2.0
"""What Triton's interpreter cannot run is judged by nobody: a kernel is never called wrong because of it."""
import pytest

from test_bad_candidates import honest

SOURCES = {
    # One program for an eighth of an element: more programs than an interpreted call may have.
    "a huge grid": honest().replace("(triton.cdiv(x.numel(), 1024),)", "(2**20,)"),
    "a slow kernel on a large grid": honest().replace("(triton.cdiv(x.numel(), 1024),)", "(15000,)").replace(
        "    v = tl.load", "    for _ in range(1000):\n        tl.debug_barrier()\n    v = tl.load"),
    "inline assembly": honest().replace(
        "tl.where(v > 0, v, v * slope)", "tl.inline_asm_elementwise('mov.b32 $0, $1;', '=r,r', [v], dtype=tl.float32, is_pure=True, pack=1)"),
}


def test_a_kernel_that_waits_for_a_busy_machine_is_judged(kbx):
    # Waits for more than the eight seconds of processor time that a candidate has.
    slow = honest().replace("    x = input.contiguous()", "    time.sleep(0.3)\n    x = input.contiguous()").replace("import torch", "import time, torch")
    verdict, _ = kbx.judge(slow, "leaky_relu")
    assert verdict["outcome"] == "correct", verdict
    assert sum(t["seconds"] for t in verdict["times"] if t["stage"] in ("standard", "outlier", "boundary")) > 8


@pytest.mark.parametrize("name", SOURCES)
def test_what_needs_a_gpu_is_not_judged(kbx, name):
    verdict, _ = kbx.judge(SOURCES[name], "leaky_relu")
    assert verdict["outcome"] == "not_judged", verdict
