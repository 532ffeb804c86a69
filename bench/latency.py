#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures kbx itself: start-up, one candidate's correctness, the judge's memory. No GPU needed.

    bench/latency.py [--kbx PATH]... [--rounds N] [--json FILE]

Every round runs each measurement once, in random order, for each --kbx in turn (give two builds to compare them in one run);
printed are the median and the quartiles. `limit` is what the project promises for an idle 2-core machine; it is shown, not enforced.
"""

import argparse
import json
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "examples/submission"
TRITON_COPIES = 4


class Bench:
    """The measurements for one kbx executable; each method returns a number, in the unit that LIMITS states."""

    def __init__(self, kbx, folder):
        self.kbx = str(kbx)
        self.folder = pathlib.Path(folder)
        self.serial = 0

    def seconds(self, *command):
        begin = time.perf_counter()
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
        elapsed = time.perf_counter() - begin
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(command)} exited with {done.returncode}:\n{done.stderr.decode(errors='replace')[-2000:]}")
        return elapsed

    def unseen_copy(self, example):
        """A copy that no cache has seen: the digest covers the text."""
        self.serial += 1
        source = EXAMPLES / example
        copy = self.folder / f"{source.parent.name}.sample{self.serial}{source.suffix}"
        mark = "//" if source.suffix == ".cpp" else "#"
        copy.write_text(source.read_text() + f"{mark} {os.urandom(8).hex()}\n")
        return copy

    def judge(self, path, task):
        return self.seconds(self.kbx, "judge", str(path), "--task", task, "--perf", "off")

    def process(self):
        return self.seconds("/bin/true")

    def help(self):
        return self.seconds(self.kbx, "--help")

    def tasks(self):
        return self.seconds(self.kbx, "tasks")

    def judge_start(self):
        """Start-up of libtorch: every judging command pays it once."""
        return self.seconds(str(pathlib.Path(self.kbx).with_name("kbx-judge")), "--help")

    def cpp_cold(self):
        return self.judge(self.unseen_copy("exp_sqrt/fused.cpp"), "exp_sqrt")

    def cpp_cached(self):
        return self.judge(EXAMPLES / "exp_sqrt/fused.cpp", "exp_sqrt")

    def triton_single(self):
        return self.judge(EXAMPLES / "gelu/blocks.py", "gelu")

    def triton_warm(self):
        """One more Triton candidate in a running judge: (time of 1 + n candidates - time of 1) / n."""
        times = []
        for count in (1, 1 + TRITON_COPIES):
            submission = self.folder / f"submission{self.serial}-{count}"
            submission.mkdir()
            for _ in range(count):
                self.unseen_copy("gelu/blocks.py").rename(submission / f"gelu.sample{self.serial}.py")
            times.append(self.seconds(self.kbx, "run", str(submission), "--out", str(self.folder / f"run{self.serial}-{count}"), "--perf", "off"))
        return (times[1] - times[0]) / TRITON_COPIES

    def judge_memory(self):
        """Peak resident GiB of kbx-judge over a run of the sample submission's correct candidates."""
        self.serial += 1
        submission = self.folder / f"memory{self.serial}"
        for example in ("exp_sqrt/fused.cpp", "smooth_l1_loss/fused.cpp", "gelu/blocks.py", "matmul/tiled.py"):
            target = submission / example
            target.parent.mkdir(parents=True)
            shutil.copy(EXAMPLES / example, target)
        run = subprocess.Popen(
            [self.kbx, "run", str(submission), "--out", str(self.folder / f"memory-run{self.serial}")],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        peak = 0.0
        waiter = threading.Thread(target=run.wait)
        waiter.start()
        while waiter.is_alive():
            peak = max(peak, *(peak_gib(pid) for pid in family(run.pid)), 0.0)
            waiter.join(0.02)
        return peak


def family(pid):
    """The process and its descendants, as far as they can be seen from outside a sandbox."""
    members = [pid]
    for member in members:
        try:
            for task in os.listdir(f"/proc/{member}/task"):
                members += [int(child) for child in pathlib.Path(f"/proc/{member}/task/{task}/children").read_text().split()]
        except OSError:
            continue
    return members


def peak_gib(pid):
    try:
        status = dict(line.split(":", 1) for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines())
    except OSError:
        return 0.0
    return int(status["VmHWM"].split()[0]) / (1 << 20) if status["Name"].strip().startswith("kbx-judge") and "VmHWM" in status else 0.0


# name: (limit, unit, what it is, repetitions a round)
LIMITS = {
    "process": (None, "s", "the floor: start of /bin/true", 5),
    "help": (0.050, "s", "kbx --help", 5),
    "tasks": (0.100, "s", "kbx tasks", 5),
    "judge_start": (None, "s", "start of kbx-judge (libtorch), part of each line below", 2),
    "cpp_cold": (3.0, "s", "C++ candidate's correctness, compiled", 1),
    "cpp_cached": (0.7, "s", "C++ candidate's correctness, build cached", 1),
    "triton_single": (None, "s", "Triton candidate alone, zygote started", 1),
    "triton_warm": (1.0, "s", "Triton candidate more in a run, zygote warm", 1),
    "judge_memory": (1.5, "GiB", "kbx-judge, peak resident memory in a run", 1),
}


def measure(samples, rounds):
    """Appends to samples[kbx][name], so that an interrupted run leaves what it has."""
    with tempfile.TemporaryDirectory(prefix="kbx-bench-") as folder:
        benches = [Bench(kbx, folder) for kbx in samples]
        for bench in benches:  # unmeasured: fills the caches that `cached` means
            bench.cpp_cached()
        for number in range(rounds):
            plan = [(bench, name) for bench in benches for name, limit in LIMITS.items() for _ in range(limit[3])]
            random.shuffle(plan)
            for bench, name in plan:
                samples[bench.kbx][name].append(getattr(bench, name)())
            print(f"round {number + 1} of {rounds}", flush=True)


def show(samples):
    for kbx, rows in samples.items():
        print(f"\n{kbx}\n{'':55} {'median':>11} {'quartiles':>16} {'limit':>6}")
        for name, values in rows.items():
            limit, unit, title, _ = LIMITS[name]
            if not values:
                continue
            low, middle, high = statistics.quantiles(values, n=4) if len(values) > 1 else values * 3
            print(f"{title:55} {middle:7.3f} {unit:3} {low:6.3f} to {high:6.3f} {'' if limit is None else limit:>6}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kbx", action="append", type=pathlib.Path, help="executable to measure (default: build/release/bin/kbx)")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=pathlib.Path, help="write all samples to this file")
    options = parser.parse_args()
    executables = [path.resolve() for path in options.kbx or [ROOT / "build/release/bin/kbx"]]
    samples = {str(kbx): {name: [] for name in LIMITS} for kbx in executables}
    try:
        measure(samples, options.rounds)
    except KeyboardInterrupt:
        print("interrupted: the table holds what there is")
    show(samples)
    if options.json:
        # Named from the root of the checkout: where that lies is nobody's business.
        named = {os.path.relpath(kbx, ROOT): by_name for kbx, by_name in samples.items()}
        options.json.write_text(json.dumps({"samples": named, "units": {name: limit[1] for name, limit in LIMITS.items()}}, indent=1))


if __name__ == "__main__":
    main()
