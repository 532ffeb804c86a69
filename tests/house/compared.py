# SPDX-License-Identifier: Apache-2.0
"""A folder as tools/compare_recorded reads it, with made-up verdicts: the numbers are not the point."""
import json
import subprocess
import sys

from sources import ROOT

PATTERNS = {"a": ["overflow"], "b": [], "c": ["strides_ignored"]}


def verdict(candidate, outcome, authorship=None, efficiency=None):
    patterns = PATTERNS[candidate] if outcome == "wrong" else []
    efficiency = efficiency if outcome == "correct" else None
    return {"candidate": candidate, "task": "gelu", "outcome": outcome, "authorship": authorship, "accuracy": None, "summary": "words",
            "diagnosis": [{"pattern": p} for p in patterns], "times": [{"stage": "total", "seconds": 1.5}],
            "speedup": efficiency and efficiency["speedup"], "detail": {"efficiency": efficiency},
            "provenance": {"seed": 4, "environment": "made up", "sandbox": "none"}}


class Folder:
    """A set `k` of three kernels, judged on cpu and gpu: a fails in the record and everywhere, b and c passed and pass."""

    def __init__(self, path):
        self.path = path
        self.cpu = {"a": ("wrong", None), "b": ("correct", "authored"), "c": ("correct", "authored")}
        self.gpu = dict(self.cpu)
        self.readings = '[a]\nreason = "overflows"\npatterns = ["overflow"]\n'
        self.gpu_readings = ""
        self.raced = {}  # on the gpu by the published rules: efficiency by kernel
        self.raced_by_default = {}  # on the gpu by the default policy
        self.recorded = {}  # speedup and runtime_ms by kernel
        self.sizes = ""  # task, size, eager_ms

    def page(self, name="k_gpu"):
        for where, said in (("cpu", self.cpu), ("gpu", self.gpu)):
            self.verdicts(f"k_{where}.jsonl", said, self.raced_by_default if where == "gpu" else {})
            self.verdicts(f"k_{where}_paper.jsonl", said, self.raced if where == "gpu" else {})
        (self.path / "k_cpu_recorded.tsv").write_text("id\ttask\tcalled\tpassed\tspeedup\truntime_ms\n" + "".join(
            "\t".join([i, "gelu", "yes", "no" if i == "a" else "yes", *map(str, self.recorded.get(i, ("", "")))]) + "\n" for i in "abc"))
        (self.path / "k_recorded_sizes.tsv").write_text("task\tsize\teager_ms\n" + self.sizes)
        (self.path / "k_cpu_readings.toml").write_text(self.readings)
        (self.path / "k_gpu_readings.toml").write_text(self.gpu_readings)
        done = subprocess.run([sys.executable, ROOT / "tools/compare_recorded", self.path, name], capture_output=True, text=True)
        return done.stdout or "refused: " + done.stderr

    def verdicts(self, file, said, raced):
        lines = (json.dumps(verdict(i, *words, raced.get(i))) + "\n" for i, words in said.items())
        (self.path / file).write_text("".join(lines))
