# SPDX-License-Identifier: Apache-2.0
"""A judge that is killed at any moment loses nothing that it recorded, and a resumed run ends where an unbroken one ends."""
import os
import random
import shutil
import signal
import time

from test_bad_candidates import body, honest

KILLS = int(os.environ.get("KBX_KILLS", "50"))

CPP = """
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/function.h>
void leaky_relu(tvm::ffi::TensorView x, double slope, bool inplace, tvm::ffi::TensorView y) { %s }
TVM_FFI_DLL_EXPORT_TYPED_FUNC(leaky_relu, leaky_relu)
"""


def submission(kbx):
    for i in range(4):
        kbx.write(f"s/leaky_relu/honest{i}.py", honest() + f"# {i}\n")
        kbx.write(f"s/leaky_relu/wrong{i}.py", body(f"return torch.zeros_like(input) + {i}"))
        kbx.write(f"s/leaky_relu/raises{i}.py", body(f"raise ValueError('{i}')"))
        kbx.write(f"s/sigmoid/torch{i}.py", f"import torch\ndef sigmoid(input, out=None): return torch.sigmoid(input, out=out) # {i}\n")
    kbx.write("s/leaky_relu/throws.cpp", CPP % 'TVM_FFI_THROW(ValueError) << "no";')
    kbx.write("s/leaky_relu/broken.py", "def leaky_relu(:\n")


def timeless(verdict):
    """What two runs have in common: all but measured times (and addresses in crash reports)."""
    return {k: v for k, v in verdict.items() if k not in ("times", "log")}


def test_fifty_kills_at_random_moments_change_nothing(kbx):
    submission(kbx)
    start = time.monotonic()
    assert kbx.run("s", "unbroken", timeout=300).returncode == 0
    whole = time.monotonic() - start
    expected = {k: timeless(v) for k, v in kbx.export("unbroken").items()}
    assert len(expected) == 18

    dice = random.Random(20260504)
    kills = 0
    while kills < KILLS:
        shutil.rmtree(kbx.folder / "broken", ignore_errors=True)
        recorded = 0
        while True:
            process = kbx.start("run", "s", "--out", "broken", "--perf", "off", "--seed", "7", start_new_session=True)
            try:
                process.communicate(timeout=dice.uniform(0.05, whole / 2 + 1) if kills < KILLS else None)
            except Exception:  # subprocess.TimeoutExpired: this is the moment
                process.send_signal(signal.SIGKILL)
                process.communicate()
                kills += 1
                if not (kbx.folder / "broken" / "ledger.sqlite").exists():
                    continue
                done = kbx("export", "broken", "--format", "verdicts")
                lines = len(done.stdout.splitlines())
                assert lines >= recorded, f"after kill {kills} the ledger lost {recorded - lines} verdicts"
                recorded = lines
                continue
            assert process.returncode == 0
            break
        assert {k: timeless(v) for k, v in kbx.export("broken").items()} == expected


def test_a_finished_run_is_not_judged_again_but_a_changed_candidate_is(kbx):
    kbx.write("s/leaky_relu/a.py", honest())
    kbx.write("s/leaky_relu/b.py", body("return torch.zeros_like(input)"))
    assert kbx.run("s", "out").returncode == 0
    before = kbx.export("out")
    kbx.write("s/leaky_relu/b.py", honest())
    assert kbx.run("s", "out").returncode == 0
    after = kbx.export("out")
    assert after["leaky_relu/a.py"] == before["leaky_relu/a.py"], "judged again without a reason"
    assert (before["leaky_relu/b.py"]["outcome"], after["leaky_relu/b.py"]["outcome"]) == ("wrong", "correct")
