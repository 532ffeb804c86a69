# SPDX-License-Identifier: Apache-2.0
"""The comparison of a second machine with the first: on made-up verdicts, for the numbers are not the point."""
import json
import subprocess
import sys

import pytest
from sources import ROOT

PATTERNS = {"a": ["overflow"], "b": [], "c": ["strides_ignored"]}


def verdict(candidate, outcome, authorship=None):
    patterns = PATTERNS[candidate] if outcome == "wrong" else []
    return {"candidate": candidate, "task": "gelu", "outcome": outcome, "authorship": authorship, "accuracy": None, "summary": "words",
            "diagnosis": [{"pattern": p} for p in patterns], "times": [{"stage": "total", "seconds": 1.5}],
            "provenance": {"seed": 4, "environment": "made up", "sandbox": "none"}}


class Folder:
    """A set `k` of three kernels, judged on cpu and gpu: a fails in the record and everywhere, b and c passed and pass."""

    def __init__(self, path):
        self.path = path
        self.cpu = {"a": ("wrong", None), "b": ("correct", "authored"), "c": ("correct", "authored")}
        self.gpu = dict(self.cpu)
        self.readings = '[a]\nreason = "overflows"\npatterns = ["overflow"]\n'
        self.gpu_readings = ""

    def page(self, name="k_gpu"):
        for where, said in (("cpu", self.cpu), ("gpu", self.gpu)):
            lines = "".join(json.dumps(verdict(i, *words)) + "\n" for i, words in said.items())
            for file in (f"k_{where}.jsonl", f"k_{where}_paper.jsonl"):
                (self.path / file).write_text(lines)
        (self.path / "k_cpu_recorded.tsv").write_text("id\ttask\tcalled\tpassed\n" + "".join(
            f"{i}\tgelu\tyes\t{'no' if i == 'a' else 'yes'}\n" for i in "abc"))
        (self.path / "k_cpu_readings.toml").write_text(self.readings)
        (self.path / "k_gpu_readings.toml").write_text(self.gpu_readings)
        done = subprocess.run([sys.executable, ROOT / "tools/compare_recorded", self.path, name], capture_output=True, text=True)
        return done.stdout or "refused: " + done.stderr


@pytest.fixture
def folder(tmp_path):
    return Folder(tmp_path)


def test_a_difference_that_nobody_explains(folder):
    folder.gpu["c"] = ("wrong", None)
    page = folder.page()
    assert page.startswith("refused: c: CPU correct, authored: words\n      GPU wrong: words\n")  # what there is to be read
    assert "differences between GPU and CPU without a reading: ['c']" in page


def test_a_change_of_authorship_that_nobody_explains(folder):
    folder.gpu["b"] = ("correct", "delegated")
    assert "without a reading: ['b']" in folder.page()


def test_an_explanation_of_no_difference(folder):
    folder.gpu_readings = '[b]\nreason = "x"\nkind = "race"\n'
    assert "readings of no difference: ['b']" in folder.page()


def test_a_kind_that_nobody_defines(folder):
    folder.gpu["c"] = ("wrong", None)
    folder.gpu_readings = '[c]\nreason = "x"\nkind = "magic"\n'
    assert "unknown kinds: magic" in folder.page()


def test_rows_that_one_machine_never_judged(folder):
    del folder.gpu["b"]
    assert "rows without a verdict: ['b']" in folder.page()


def test_three_columns_and_both_readings(folder):
    folder.gpu["c"] = ("wrong", None)
    folder.gpu_readings = '[c]\nreason = "two programs meet"\nkind = "race"\npatterns = ["strides_ignored"]\n'
    page = folder.page()
    assert "| c | gelu | passed | correct, authored | wrong | race | two programs meet |" in page  # against the CPU
    assert "| c | gelu | passed | wrong | race | two programs meet |" in page  # against the record
    assert "| a | gelu | called | wrong | wrong |  | words |" in page
    assert "2 failures, each read by eye. In 2 the first name is the one that the reader gave" in page
    assert "| CPU | 4.5 |" in page and "| GPU | 4.5 |" in page and "Environment: made up." in page


def test_a_name_that_is_false_on_the_second_machine(folder):
    folder.gpu["c"] = ("wrong", None)
    folder.gpu_readings = '[c]\nreason = "two programs meet"\nkind = "race"\n'
    assert "**strides_ignored**" in folder.page()


def test_the_first_machine_has_two_columns(folder):
    page = folder.page("k_cpu")
    assert "| a | gelu | called | wrong |  | words |" in page and "GPU |" not in page
