# SPDX-License-Identifier: Apache-2.0
"""The section of tools/compare_recorded's page on speed: recorded speedups beside those that kbx measured at the published sizes."""
import collections
import dataclasses
import math
import re
import statistics
import sys

from verdict_words import SILENT, accepted, cell, word

LARGEST = 10  # differences that must have a reading
FAST = (0.5, 1, 1.5, 2)
# Why a recorded speedup is not the measured one.
KINDS = {
    "lost_size": "a size that ran out of memory left the kernel's recorded sum, but not eager's",
    "other_sizes": "sizes decide that only one of the two timed",
    "other_baseline": "eager's recorded times are not what the reference takes here: another composition, library, host or day",
    "other_gpu": "the two GPUs differ in what holds one of the sides back",
    "host_bound": "the host holds calls up, there or here",
    "autotuned_elsewhere": "launch parameters that suit the other GPU",
    "cold_caches": "what a timed call finds in the caches",
    "compiled_out": "work that a compiler leaves out",
    "unstable": "times that change from run to run",
}


def interval(ratio):
    return f"{ratio['value']:.3f} [{ratio['low']:.3f}, {ratio['high']:.3f}]" if ratio else ""


def ratio_of_sums(efficiency):
    """With an interval. At either end of it all sizes are at that end of their own intervals, weighted by eager's time."""
    cases, value = efficiency["cases"], efficiency["ratio_of_sums"]
    weight = sum(c["baseline_seconds"] for c in cases)
    ends = {end: value * sum(c["baseline_seconds"] * c["speedup"][end] / c["speedup"]["value"] for c in cases) / weight
            for end in ("low", "high")}
    return {"value": value, **ends}


def size_of(line):
    """The shape of a case's first tensor, as SET_recorded_sizes.tsv has it."""
    shape = re.search(r"\[([\d,]+)\]", line)
    return shape[1] if shape else ""


@dataclasses.dataclass
class Race:
    """A kernel that kbx timed at published sizes, beside its record."""
    id: str
    task: str
    recorded: float | None  # speedup
    speedup: dict  # the ratio of sums
    efficiency: dict
    sizes: int  # that the published benchmark times
    # The record's time over kbx's, at the sizes that kbx timed; the kernel's is known only where these are all.
    eager: float
    kernel: float | None

    def differs(self):
        return self.recorded is not None and not self.speedup["low"] <= self.recorded <= self.speedup["high"]

    def distance(self):
        return abs(math.log(self.recorded / self.speedup["value"]))

    def cells(self):
        """As a table has them: recorded, kbx, eager, kernel, sizes."""
        return (f"{'' if self.recorded is None else f'{self.recorded:.3f}'} | {interval(self.speedup)} | {self.eager:.2f} | "
                f"{'' if self.kernel is None else f'{self.kernel:.2f}'} | {len(self.efficiency['cases'])}/{self.sizes}")


def efficiency_of(verdict):
    return verdict["detail"].get("efficiency") if verdict["outcome"] == "correct" else None


def race_of(i, row, efficiency, eager_ms):
    unknown = [c["line"] for c in efficiency["cases"] if size_of(c["line"]) not in eager_ms]
    if unknown:
        sys.exit(f"{i}: timed at sizes without a recorded time: {'; '.join(unknown)}")
    eager = {side: sum(c[f"{side}_seconds"] for c in efficiency["cases"]) for side in ("baseline", "candidate")}
    recorded_eager = sum(eager_ms[size_of(c["line"])] for c in efficiency["cases"]) / 1e3
    complete = len(efficiency["cases"]) == len(eager_ms) and row["runtime_ms"] is not None
    return Race(i, row["task"], row["speedup"], ratio_of_sums(efficiency), efficiency, len(eager_ms),
                recorded_eager / eager["baseline"], row["runtime_ms"] / 1e3 / eager["candidate"] if complete else None)


def races_of(paper, recorded, sizes):
    """Of the kernels with a speedup that is believed."""
    return [race_of(i, row, efficiency_of(paper[i]), sizes[row["task"]]) for i, row in recorded.items() if paper[i]["speedup"]]


def why_no_speedup(verdict):
    if verdict["outcome"] != "correct":
        return f"{word(verdict)}: {verdict['summary']}"
    efficiency = efficiency_of(verdict)
    return (efficiency["withheld"] or efficiency["quarantined"]) if efficiency else "not timed"


def check_read(races, readings, where):
    """Each of the largest differences has a reading, and each reading is of a difference."""
    differing = sorted((r for r in races if r.differs()), key=Race.distance, reverse=True)
    unread = [r for r in differing[:LARGEST] if r.id not in readings]
    for r in unread:
        largest = r.efficiency["cases"][-1]
        print(f"{r.id} {r.task}: recorded | {where} | eager | kernel | sizes: {r.cells()}\n      largest: {largest['line'][:120]}: eager "
              f"{largest['baseline_seconds'] * 1e6:.1f} us, kernel {largest['candidate_seconds'] * 1e6:.1f} us {largest['note']}",
              file=sys.stderr)
    needless = readings.keys() - {r.id for r in differing}
    if unread or needless:
        sys.exit(f"differences in speed without a reading: {sorted(r.id for r in unread)}; "
                 f"readings of no difference in speed: {sorted(needless)}")
    return differing


def fast_p(races, default, recorded, answered):
    """Of the same rows for all columns: those that the published rules can be applied to."""
    measured = {r.id: r.speedup["value"] for r in races}
    columns = {
        "record": [recorded[i]["speedup"] for i in answered],
        "kbx, published sizes": [measured.get(i) for i in answered],
        "kbx, default policy": [(default[i]["speedup"] or {}).get("value") for i in answered],
        "and own work": [(default[i]["speedup"] or {}).get("value") if accepted(default[i]) else None for i in answered],
    }
    yield "| p | " + " | ".join(columns) + " |"
    yield "|---|" + "---|" * len(columns)
    for p in FAST:
        counts = [sum(s is not None and s > p for s in speedups) for speedups in columns.values()]
        yield f"| {p} | " + " | ".join(f"{n} ({100 * n / len(answered):.0f} %)" for n in counts) + " |"


def race_row(race, default):
    largest = race.efficiency["cases"][-1]
    roofline = largest["roofline"]
    placed = f"{roofline['utilisation']:.2f} | {roofline['bound']}" if roofline else " | "
    return (f"| {race.id} | {race.task} | {race.cells()} | {largest['class']} | {placed} | "
            f"{interval(race.efficiency['call_speedup'])} | {interval(default['speedup'])} |")


def section(where, paper, default, recorded, sizes, readings):
    races = races_of(paper, recorded, sizes)
    differing = check_read(races, readings, where)
    if not any(efficiency_of(v) for v in paper.values()):
        return
    yield "## Speed"
    yield ""
    yield (f"kbx races each kernel that passes the published test against eager on the same {where}, at the sizes that the published "
           "benchmark times, where a case can express them and inputs stay within 512 MiB ([how](../measuring.md)). The record "
           "divides times of eager that were stored once, on an RTX 5090, by the kernel's times on a GPU like that; both are sums "
           "over sizes, of calls on the same tensors again and again.")
    yield ""
    compared = [r for r in races if r.recorded is not None]
    if compared:
        ratios = [r.recorded / r.speedup["value"] for r in compared]
        above = sum(r.recorded > r.speedup["value"] for r in differing)
        yield (f"Both speedups are known of {len(compared)} rows. In {len(compared) - len(differing)} the recorded one lies within "
               f"kbx's interval, in {above} above it and in {len(differing) - above} below. Recorded / kbx is "
               f"{statistics.median(ratios):.2f} in the median, from {min(ratios):.2f} to {max(ratios):.2f}.")
        yield ""
    answered = [i for i in recorded if paper[i]["outcome"] not in SILENT]
    yield (f"[fast_p](../verdicts.md#efficiency), the kernels that pass and are more than p times as fast as eager, of the "
           f"{len(answered)} rows with an answer by the published rules:")
    yield ""
    yield from fast_p(races, default, recorded, answered)
    yield ""
    yield from all_races(races, default)
    yield from without_speedup(paper, default, recorded)
    if differing:
        yield from largest_differences(differing, readings, where)


def all_races(races, default):
    yield "### All that were timed"
    yield ""
    yield ("- kbx: ratio of sums, as recorded. An end of its interval has every size at that end of its own 95 % interval, weighted by "
           "eager's time: that covers what sizes share, such as the luck of a process.")
    yield ("- eager, kernel: the record's time over kbx's, at the sizes timed here. recorded / kbx is the first over the second, which "
           "is known only where no size is left out.")
    yield "- class, utilisation, bound: of the largest size. calls: the speedup of whole calls, host included, geometric mean."
    yield "- own cases: by the default policy on kbx's own perf cases, where the kernel is correct by it; geometric mean."
    yield ""
    yield ("| row | task | recorded | kbx | eager | kernel | sizes | class | utilisation | bound | calls | own cases |")
    yield "|---|---|---|---|---|---|---|---|---|---|---|---|"
    yield from (race_row(r, default[r.id]) for r in races)


def without_speedup(paper, default, recorded):
    left = [i for i, row in recorded.items() if not paper[i]["speedup"] and (row["speedup"] is not None or efficiency_of(paper[i]))]
    if not left:
        return
    yield ""
    yield "### No speedup at published sizes"
    yield ""
    yield "| row | task | recorded | own cases | why |"
    yield "|---|---|---|---|---|"
    for i in left:
        speedup = recorded[i]["speedup"]
        yield (f"| {i} | {recorded[i]['task']} | {'' if speedup is None else f'{speedup:.3f}'} | {interval(default[i]['speedup'])} | "
               f"{cell(why_no_speedup(paper[i]))} |")


def largest_differences(differing, readings, where):
    count = collections.Counter(readings[r.id]["kind"] for r in differing if r.id in readings)
    yield ""
    yield "### The largest differences"
    yield ""
    yield from (f"- {count[kind]} {kind}: {meaning}" for kind, meaning in KINDS.items() if count[kind])
    yield ""
    yield f"| row | task | recorded | {where} | eager | kernel | sizes | kind | why |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for r in differing:
        if r.id in readings:
            yield f"| {r.id} | {r.task} | {r.cells()} | {readings[r.id]['kind']} | {cell(readings[r.id]['reason'])} |"
