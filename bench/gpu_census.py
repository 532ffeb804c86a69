# SPDX-License-Identifier: Apache-2.0
"""What counting kernels costs on a GPU: starting it, the context's start beside it, each launch, and the flush of a report.

    python bench/gpu_census.py build/release/lib/libkbx_census.so

Prints a JSON line for each mode and repetition, then the medians. Each is measured in a fork of a process that has never touched CUDA, as a
zygote's children are. Note: a driver that has no other client keeps nothing loaded; run `nvidia-smi -pm 1` or hold a context
elsewhere, or the context's start is that of the driver.
"""
import argparse
import json
import os
import pathlib
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "runner" / "python"))
import torch  # noqa: E402

from kbx_runner.device_census import DeviceCensus  # noqa: E402


def milliseconds(work):
    begin = time.perf_counter()
    result = work()
    return (time.perf_counter() - begin) * 1e3, result


def measure(library, counted, launches):
    told = {"counted": counted}
    if counted:
        told["start_ms"], told["problem"] = milliseconds(library.start)
    told["context_ms"], x = milliseconds(lambda: torch.zeros(1024, device="cuda"))
    told["first_kernel_ms"], _ = milliseconds(lambda: (x.add_(1), torch.cuda.synchronize()))

    def many():
        for _ in range(launches):
            x.add_(1)
        torch.cuda.synchronize()

    many()
    told["launch_us"] = milliseconds(many)[0] * 1e3 / launches
    if counted:
        told["flush_many_ms"], seen = milliseconds(lambda: library.collect(flush=True))
        x.add_(1)
        torch.cuda.synchronize()
        told["flush_one_ms"], _ = milliseconds(lambda: library.collect(flush=True))
        told["seen"] = sum(k["launches"] for k in seen["kernels"])
        told["launched"], told["dropped"] = seen["launched"], seen["dropped"]
        told["blame_us"] = milliseconds(library.blame)[0] * 1e3
    return told


def in_fork(work):
    """What `work` returns in a process of its own."""
    read_end, write_end = os.pipe()
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            os.write(write_end, json.dumps(work()).encode())
            status = 0
        finally:
            os._exit(status)
    os.close(write_end)
    with os.fdopen(read_end) as pipe:
        text = pipe.read()
    os.waitpid(pid, 0)
    return json.loads(text or "{}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("library")
    parser.add_argument("--launches", type=int, default=10000)
    parser.add_argument("--repetitions", type=int, default=5)
    options = parser.parse_args()
    library = DeviceCensus(options.library)
    results = []
    for _ in range(options.repetitions):
        for counted in (False, True):
            results.append(in_fork(lambda: measure(library, counted, options.launches)))
            print(json.dumps(results[-1]), flush=True)
    for counted in (False, True):
        same = [r for r in results if r.get("counted") == counted]
        keys = [k for k, v in (same or [{}])[0].items() if isinstance(v, float)]
        print(f"counted: {counted}", {k: round(statistics.median(r[k] for r in same), 3) for k in keys})


if __name__ == "__main__":
    main()
