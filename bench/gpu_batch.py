#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures judging on a GPU: a batch of candidates, one warm candidate, the start, and how long the GPU idles meanwhile.

    bench/gpu_batch.py KERNELS --json FILE [--rounds N] [--device cuda] [--seed S] [--kbx PATH] [--singles N]
        [--ledgers FOLDER]

KERNELS is anything that `kbx run` reads. Each round judges it once into a fresh ledger, correctness only, and then one Triton
candidate again and again (--singles unseen copies of examples/gpu/gelu/blocks.py, in a run of their own). FILE gets the command, the
machine, and for each number the rounds with their median, least and largest; it is written after each round, so that an interrupted
measurement leaves what it has.

The GPU's idle share comes from NVML's utilization, asked ten times a second: the share of its last sampling period (a sixth of a
second to a second, the driver decides) in which any kernel ran. The mean over seconds is right, single samples mean little.
`--device cpu` tries the script out where there is no GPU.
"""

import argparse
import contextlib
import ctypes
import json
import os
import pathlib
import platform
import re
import resource
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
SINGLE = ROOT / "examples/gpu/gelu/blocks.py"
SAMPLES_A_SECOND = 10
VERDICT = re.compile(r"^\[(\d+)/(\d+)\] ")  # what `kbx run` prints for each into a pipe


class Utilisation(threading.Thread):
    """Samples the GPUs until stopped; `samples` holds (clock, mean busy share). Holds nothing where NVML is missing.

    All GPUs, or those that CUDA_VISIBLE_DEVICES lists by number (in NVML's order, which is that of the PCI bus)."""

    class Rates(ctypes.Structure):
        _fields_ = [("gpu", ctypes.c_uint), ("memory", ctypes.c_uint)]

    def __init__(self):
        super().__init__(daemon=True)
        self.samples = []
        self.stopped = threading.Event()
        self.devices = []
        try:
            self.nvml = ctypes.CDLL("libnvidia-ml.so.1")
        except OSError:
            return
        count = ctypes.c_uint()
        if self.nvml.nvmlInit_v2() != 0 or self.nvml.nvmlDeviceGetCount_v2(ctypes.byref(count)) != 0:
            return
        visible = [int(entry) for entry in os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",") if entry.strip().isdigit()]
        for index in visible or range(count.value):
            device = ctypes.c_void_p()
            if self.nvml.nvmlDeviceGetHandleByIndex_v2(index, ctypes.byref(device)) == 0:
                self.devices.append(device)

    def run(self):
        rates = self.Rates()
        while self.devices and not self.stopped.wait(1 / SAMPLES_A_SECOND):
            busy = [rates.gpu / 100 for d in self.devices if self.nvml.nvmlDeviceGetUtilizationRates(d, ctypes.byref(rates)) == 0]
            if busy:
                self.samples.append((time.perf_counter(), statistics.mean(busy)))

    def idle(self, begin, end):
        """Idle share between two clocks, or None."""
        busy = [share for clock, share in self.samples if begin <= clock <= end]
        return 1 - statistics.mean(busy) if busy else None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stopped.set()
        self.join()


def judged(options, submission, out):
    """Runs the judge once: clocks of its start, of each verdict and of its end; the verdicts; processor seconds."""
    command = [str(options.kbx), "run", str(submission), "--device", options.device, "--out", str(out), "--seed", str(options.seed),
               "--perf", "off"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    clocks = [time.perf_counter()]
    lines = []
    run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True)
    for line in run.stdout:
        lines.append(line)
        if VERDICT.match(line):
            clocks.append(time.perf_counter())
    if run.wait() != 0:
        raise SystemExit(f"{shlex.join(command)} exited with {run.returncode}:\n{''.join(lines)[-2000:]}")
    end = time.perf_counter()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    exported = subprocess.run([str(options.kbx), "export", str(out), "--format", "verdicts"], capture_output=True, text=True, check=True)
    verdicts = [json.loads(line) for line in exported.stdout.splitlines()]
    return clocks, end, verdicts, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def stages(verdicts):
    """Seconds by stage: over all candidates the sum, of one the median."""
    by_stage = {}
    for verdict in verdicts:
        for at in verdict["times"]:
            by_stage.setdefault(at["stage"], []).append(at["seconds"])
    return {stage: {"sum": sum(s), "median": statistics.median(s), "largest": max(s), "candidates": len(s)} for stage, s in by_stage.items()}


def counted(verdicts):
    outcomes = {}
    for verdict in verdicts:
        outcomes[verdict["outcome"]] = outcomes.get(verdict["outcome"], 0) + 1
    return outcomes


def batch(options, folder, number):
    with Utilisation() as gpu:
        clocks, end, verdicts, cpu = judged(options, options.kernels, folder / f"batch{number}")
    start, first, last = clocks[0], clocks[1], clocks[-1]
    slowest = sorted(verdicts, key=lambda v: -max((t["seconds"] for t in v["times"] if t["stage"] == "total"), default=0))[:5]
    return {
        "candidates": len(verdicts),
        "wall": end - start,
        "cold start to the first verdict": first - start,
        "wall a candidate": (end - start) / len(verdicts),
        "wall a candidate behind the first": (last - first) / max(1, len(clocks) - 2),
        "GPU idle": gpu.idle(start, end),
        "GPU idle behind the first verdict": gpu.idle(first, last),
        "processor seconds": cpu,
        "stages": stages(verdicts),
        "outcomes": counted(verdicts),
        "slowest": [{"candidate": v["candidate"], "outcome": v["outcome"], **{t["stage"]: t["seconds"] for t in v["times"]}} for v in slowest],
    }, verdicts


def singles(options, folder, number):
    """One candidate in a warm judge: what its own stages took, for each copy but the first."""
    submission = folder / f"singles{number}"
    submission.mkdir()
    for copy in range(1 + options.singles):
        (submission / f"gelu.copy{copy:02}.py").write_text(SINGLE.read_text() + f"# {os.urandom(8).hex()}\n")
    clocks, _, verdicts, _ = judged(options, submission, folder / f"singles-run{number}")
    wrong = [v["summary"] for v in verdicts if v["outcome"] != "correct"]
    if wrong:
        raise SystemExit(f"{SINGLE.relative_to(ROOT)} is not correct here: {wrong[0]}")
    total = [t["seconds"] for v in verdicts[1:] for t in v["times"] if t["stage"] == "total"]
    return {
        "cold start to the first verdict": clocks[1] - clocks[0],
        "total, median": statistics.median(total),
        "total, largest": max(total),
        "wall between verdicts, median": statistics.median(b - a for a, b in zip(clocks[1:], clocks[2:])),
        "stages": stages(verdicts[1:]),
    }


def spread(rounds):
    """Median, least and largest of every number that the rounds have, in the shape of a round."""
    first = rounds[0]
    if isinstance(first, dict):
        return {key: spread([r[key] for r in rounds]) for key in first if all(isinstance(r, dict) and key in r for r in rounds)}
    if isinstance(first, (int, float)):
        numbers = [r for r in rounds if isinstance(r, (int, float))]
        return {"median": statistics.median(numbers), "least": min(numbers), "largest": max(numbers)}
    return None


def asked(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def machine(options):
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    return {
        "gpus": asked("nvidia-smi", "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader").splitlines(),
        "cores": len(os.sched_getaffinity(0)),
        "system": platform.platform(),
        "kbx": asked(str(options.kbx), "--version"),
        "nvcc": (asked(nvcc, "--version").splitlines() or [""])[-1],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kernels", type=pathlib.Path, help="submission: folder, JSONL file or single file")
    parser.add_argument("--json", type=pathlib.Path, required=True, help="write everything to this file")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--singles", type=int, default=8, help="warm copies of one candidate in a round (0: none)")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--seed", type=int, default=4)
    parser.add_argument("--kbx", type=pathlib.Path, default=ROOT / "build/release/bin/kbx")
    parser.add_argument("--ledgers", type=pathlib.Path, help="folder that keeps the rounds' ledgers (batch0, ...), for kbx export")
    options = parser.parse_args()
    options.kbx = options.kbx.resolve()
    result = {"command": shlex.join(["bench/gpu_batch.py", *sys.argv[1:]]), "machine": machine(options), "rounds": []}
    with contextlib.ExitStack() as stack:
        folder = options.ledgers or stack.enter_context(tempfile.TemporaryDirectory(prefix="kbx-bench-"))
        for number in range(options.rounds):
            of_batch, verdicts = batch(options, pathlib.Path(folder), number)
            measured = {"batch": of_batch}
            if options.singles > 0:
                measured["one warm candidate"] = singles(options, pathlib.Path(folder), number)
            result["rounds"].append(measured)
            result["machine"]["environment"] = verdicts[0]["provenance"]["environment"]
            result["machine"]["sandbox"] = verdicts[0]["provenance"]["sandbox"]
            result["over the rounds"] = spread(result["rounds"])
            options.json.write_text(json.dumps(result, indent=1) + "\n")
            idle = of_batch["GPU idle behind the first verdict"]
            print(f"round {number + 1} of {options.rounds}: {of_batch['candidates']} candidates in {of_batch['wall']:.1f} s, "
                  f"{of_batch['wall a candidate']:.3f} s each ({of_batch['wall a candidate behind the first']:.3f} behind the first, "
                  f"which came after {of_batch['cold start to the first verdict']:.2f} s)"
                  + (f", GPU idle {100 * idle:.0f} %" if idle is not None else "")
                  + (f"; one warm candidate {measured['one warm candidate']['total, median']:.2f} s" if options.singles > 0 else ""),
                  flush=True)


if __name__ == "__main__":
    main()
