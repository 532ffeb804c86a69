# SPDX-License-Identifier: Apache-2.0
"""Which configuration an autotuner takes where time means nothing."""
import os
import subprocess
import sys
import textwrap

from judge import RUNNER  # noqa: F401  (puts the runner on the path)

SCRIPT = """
import sys
import torch, triton, triton.language as tl
from kbx_runner import tuning

tuning.without_clock()
tuning.in_turn()

def refuse_32(kwargs):
    if kwargs["BLOCK"] == 32 and {refuses}:
        from triton.runtime.errors import OutOfResources
        raise OutOfResources(2, 1, "shared memory")

@triton.autotune(configs=[triton.Config({{"BLOCK": b}}, pre_hook=refuse_32) for b in (16, 32, 64)], key=["n"])
@triton.jit
def mark(out, n, BLOCK: tl.constexpr):
    tl.store(out, BLOCK)

def taken(n):
    out = torch.zeros(1, dtype=torch.int32)
    mark[(1,)](out, n)
    return int(out)

print([taken(5) for _ in range(7)], [taken(6) for _ in range(3)])
"""


def printed(**how):
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(SCRIPT).format(**how)], capture_output=True, text=True, timeout=120,
                          env=dict(os.environ, TRITON_INTERPRET="1", PYTHONPATH=os.pathsep.join(sys.path)))
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.strip()


def test_a_wrong_configuration_cannot_hide_behind_the_fastest_one():
    assert printed(refuses=False) == "[16, 32, 64, 16, 32, 64, 16] [32, 64, 16]"


def test_a_configuration_that_the_device_refuses_is_never_taken():
    assert printed(refuses=True) == "[16, 64, 16, 64, 16, 64, 16] [64, 16, 64]"
