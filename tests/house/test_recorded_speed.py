# SPDX-License-Identifier: Apache-2.0
"""Recorded speedups beside measured ones: two kernels b and c of one task at two sizes, of which the larger takes nine tenths."""
import importlib
import json
import subprocess
import sys

import pytest
from compared import Folder
from sources import ROOT

REASON = '[{}]\nspeed.kind = "{}"\nspeed.reason = "eager is slower there"\n'


def exactly(value, low=0.99, high=1.01):
    return {"value": value, "low": value * low, "high": value * high}


def case(size, eager_us, kernel_us, low=0.99, high=1.01):
    return {"line": f"input=randn[{size}] kernel_size=[3,3]", "baseline_seconds": eager_us * 1e-6, "candidate_seconds": kernel_us * 1e-6,
            "speedup": exactly(eager_us / kernel_us, low, high), "class": "faster", "note": "",
            "roofline": {"utilisation": 0.75, "bound": "memory"}}


def raced(*cases, **other):
    value = sum(c["baseline_seconds"] for c in cases) / sum(c["candidate_seconds"] for c in cases) if cases else 0
    return {"cases": list(cases), "speedup": exactly(1.5), "ratio_of_sums": value, "call_speedup": exactly(1.25), "withheld": "",
            "quarantined": ""} | other


@pytest.fixture
def folder(tmp_path):
    """Measured: b 100 us / 50 us = 2, c 100 us / 62.5 us = 1.6. Recorded: 2, within b's interval, and 6.4, beyond c's."""
    folder = Folder(tmp_path)
    folder.sizes = "gelu\t8,8\t0.02\ngelu\t64,64\t0.18\n"
    folder.recorded = {"b": (2.0, 0.1), "c": (6.4, 0.03125)}
    folder.raced = {"b": raced(case("8,8", 10, 5), case("64,64", 90, 45)), "c": raced(case("8,8", 10, 6.25), case("64,64", 90, 56.25))}
    folder.gpu_readings = REASON.format("c", "other_baseline")
    return folder


def test_a_difference_in_speed_that_nobody_explains(folder):
    folder.gpu_readings = ""
    page = folder.page()
    assert page.startswith("refused: c gelu: recorded | GPU | eager | kernel | sizes: 6.400 | 1.600 [1.584, 1.616] | 2.00 | 0.50 | 2/2\n")
    assert "differences in speed without a reading: ['c']; readings of no difference in speed: []" in page


@pytest.mark.parametrize("kernel", ["a", "b"])  # not timed; timed and agreeing
def test_a_reason_for_a_difference_in_speed_that_is_none(folder, kernel):
    folder.gpu_readings += REASON.format(kernel, "unstable")
    assert f"readings of no difference in speed: ['{kernel}']" in folder.page()


def test_a_reason_that_outlives_its_numbers(folder):
    folder.raced = {}
    assert "readings of no difference in speed: ['c']" in folder.page()


def test_a_kind_of_difference_in_speed_that_nobody_defines(folder):
    folder.gpu_readings = REASON.format("c", "magic")
    assert "unknown kinds: magic" in folder.page()


def test_agreement_and_difference_are_counted(folder):
    page = folder.page()
    assert ("Both speedups are known of 2 rows. In 1 the recorded one lies within kbx's interval, in 1 above it and in 0 below. "
            "Recorded / kbx is 2.50 in the median, from 1.00 to 4.00.") in page
    assert "- 1 other_baseline: " in page
    assert "| c | gelu | 6.400 | 1.600 [1.584, 1.616] | 2.00 | 0.50 | 2/2 | other_baseline | eager is slower there |" in page


def test_a_row_of_all_that_were_timed(folder):
    row = "| b | gelu | 2.000 | 2.000 [1.980, 2.020] | 2.00 | 2.00 | 2/2 | faster | 0.75 | memory | 1.250 [1.238, 1.262] |  |"
    assert row in folder.page()


def test_a_small_size_that_widens_the_interval_as_much_as_a_large_one(folder):
    # Ends: 2 * (0.1 * 0.5 + 0.9 * 0.99) = 1.882 and 2 * (0.1 * 1.5 + 0.9 * 1.01) = 2.118.
    folder.raced["b"] = raced(case("8,8", 10, 5, 0.5, 1.5), case("64,64", 90, 45))
    assert "2.000 [1.882, 2.118]" in folder.page()


def test_sizes_left_out_are_compared_with_all(folder):
    # Of the record only the times of the small size count: 20 us / 10 us; the kernel's are not known one by one.
    folder.raced["c"] = raced(case("8,8", 10, 6.25))
    assert "| c | gelu | 6.400 | 1.600 [1.584, 1.616] | 2.00 |  | 1/2 |" in folder.page()


def test_a_size_that_the_record_does_not_have(folder):
    folder.raced["c"] = raced(case("9,9", 10, 8))
    assert "c: timed at sizes without a recorded time: input=randn[9,9]" in folder.page()


def test_a_speedup_that_is_not_believed(folder):
    folder.raced["c"] |= {"speedup": None, "withheld": "the clock\ncontradicts"}
    folder.gpu_readings = ""
    page = folder.page()
    assert "| c | gelu | 6.400 |  | the clock contradicts |" in page and "Both speedups are known of 1 rows." in page


def test_recorded_speed_of_what_fails_here(folder):
    folder.gpu["c"] = ("wrong", None)
    folder.gpu_readings = '[c]\nreason = "x"\nkind = "race"\npatterns = ["strides_ignored"]\n'
    assert "| c | gelu | 6.400 |  | wrong: words |" in folder.page()


def test_fast_p_counts_what_was_never_timed_as_fast(folder):
    # Of three kernels b is at 2 in both, c at 6.4 in the record and at 1.6 here; a failed.
    page = folder.page()
    assert "| 1 | 2 (67 %) | 2 (67 %) | 0 (0 %) | 0 (0 %) |" in page
    assert "| 2 | 1 (33 %) | 0 (0 %) | 0 (0 %) | 0 (0 %) |" in page  # more than 2


def test_the_library_s_speed_counts_as_nobody_s_own(folder):
    folder.cpu["b"] = folder.gpu["b"] = ("correct", "delegated")
    folder.readings += '[b]\nreason = "calls the library"\nkind = "caught"\n'
    folder.raced_by_default = {i: raced() for i in "bc"}
    page = folder.page()
    assert "| 1 | 2 (67 %) | 2 (67 %) | 2 (67 %) | 1 (33 %) |" in page
    assert "| 1.250 [1.238, 1.262] | 1.500 [1.485, 1.515] |" in page  # beside the speed at published sizes


def test_ten_reasons_are_enough(folder, monkeypatch):
    """Beyond the ten largest a difference may have a reason, and needs none: here two differ, and one is asked for."""
    monkeypatch.syspath_prepend(ROOT / "tools")
    speed = importlib.import_module("recorded_speed")
    monkeypatch.setattr(speed, "LARGEST", 1)
    races = [speed.race_of(i, {"task": "gelu", "speedup": s, "runtime_ms": 0.1}, folder.raced["b"], {"8,8": 0.02, "64,64": 0.18})
             for i, s in (("b", 3.0), ("c", 0.5))]
    assert [r.id for r in speed.check_read(races, {"c": {}}, "GPU")] == ["c", "b"]  # |log(0.5 / 2)| > |log(3 / 2)|
    with pytest.raises(SystemExit, match=r"without a reading: \['c'\]"):
        speed.check_read(races, {"b": {}}, "GPU")


def test_nothing_timed_is_nothing_said(folder):
    folder.raced, folder.gpu_readings = {}, ""
    assert "## Speed" not in folder.page()


def recorded(tmp_path, speedup):
    """What tools/recorded writes of a kernel that took 2 ms at sizes whose stored times add to 3 ms, or its complaint."""
    kernel = {"id": "1a", "file": "Activation/gelu.py",
              "recorded": {"call_ok": True, "exe_ok": True, "speedup": speedup, "runtime_ms": 2.0}}
    (tmp_path / "kernels.jsonl").write_text(json.dumps(kernel) + "\n")
    (tmp_path / "timings.json").write_text(json.dumps({"5090": {"gelu": [[[[8, 8]], 1, 0, 0], [[4096, 0.5], 2, 0, 0]]}}))
    done = subprocess.run([sys.executable, ROOT / "tools/recorded", tmp_path / "kernels.jsonl", tmp_path / "timings.json", tmp_path, "k"],
                          capture_output=True, text=True)
    return done.stderr or [(tmp_path / name).read_text() for name in ("k_cpu_recorded.tsv", "k_recorded_sizes.tsv")]


def test_a_record_that_loses_a_size(tmp_path):
    assert recorded(tmp_path, 1.5) == ["id\ttask\tcalled\tpassed\tspeedup\truntime_ms\n1a\tgelu\tyes\tyes\t1.5\t2.0\n",
                                       "task\tsize\teager_ms\ngelu\t8,8\t1\ngelu\t4096\t2\n"]


def test_a_speedup_recorded_against_another_gpu(tmp_path):
    assert "1a: a speedup of 1.6 is recorded, by the 5090's stored times it is 1.5000" in recorded(tmp_path, 1.6)
