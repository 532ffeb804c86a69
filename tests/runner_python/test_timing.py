# SPDX-License-Identifier: Apache-2.0
"""The requests `time` and `deliver`, and what a runner that is only there to be timed leaves as it is."""
import gc
import os
import subprocess
import sys
import textwrap
import types

import pytest
import torch
import triton

from judge import Failed, FailedAt, wire
from kbx_runner import roles, timing
from kbx_runner.memory import StatusPage
from kbx_runner.wire import Timing

ADD = "def f(x, y):\n    return x + y\n"
X = torch.tensor([1.0, 2.0, 3.0])


def start(runner, source, sets=3, flags=wire.TIME, out=True):
    """Loads `source` and prepares sets of x + 10 * set and 1; the destinations of each."""
    loaded = runner.load("import torch\n" + source, ["f"], flags=flags)
    assert loaded == ("f", "entry"), loaded
    return [runner.prepare(X + 10 * s, torch.ones(3), out=[torch.zeros(3)] if out else [], set=s)[1] for s in range(sets)]


@pytest.mark.parametrize("how, claims", [(Timing.EACH, 3), (Timing.QUEUED, 1)])
def test_results_reach_the_judge_when_they_are_asked_for_and_not_before(runner, how, claims):
    destinations = start(runner, ADD)
    claimed = runner.time(how, [(0, 1), (2, 1), (1, 1)])
    assert len(claimed) == claims and all(c > 0 for c in claimed)
    assert all(d.tolist() == [0.0, 0.0, 0.0] for d, in destinations)
    calls = runner.deliver()
    assert [(c.claimed_ns, c.delivered, c.leaves[0].copied) for c in calls] == [(0, True, 1)] * 3
    assert [d.tolist() for d, in destinations] == [[2.0, 3.0, 4.0], [12.0, 13.0, 14.0], [22.0, 23.0, 24.0]]


@pytest.mark.parametrize("how", list(Timing))
def test_no_calls_are_an_empty_exchange(runner, how):
    start(runner, ADD)
    runner.time(Timing.EACH, [(0, 1)])
    assert runner.time(how, []) == [] and runner.deliver() == []


def test_another_time_forgets_the_results_of_the_one_before_and_deliver_hands_them_out_once(runner):
    source = """
import weakref
alive = weakref.WeakSet()
def f(x, y):
    result = (x + y).clone().fill_(len(alive))
    alive.add(result)
    return result
"""
    destination, = start(runner, source, sets=1)[0]
    runner.time(Timing.EACH, [(0, 1)] * 3)
    runner.time(Timing.EACH, [(0, 1)] * 2)
    assert len(runner.deliver()) == 2
    assert destination.tolist() == [1.0, 1.0, 1.0]  # the second of two; had the three been kept, 4
    assert runner.deliver() == []


def test_a_seed_is_set_once_before_all_calls(runner):
    destinations = start(runner, "def f(x, y):\n    return torch.rand(3)\n", sets=2)
    runner.time(Timing.EACH, [(0, 5), (1, 5)])
    runner.deliver()
    torch.manual_seed(5)
    assert [d.tolist() for d, in destinations] == [torch.rand(3).tolist(), torch.rand(3).tolist()]


def test_an_error_in_one_of_the_calls_is_answered_as_in_a_call_and_nothing_is_kept(runner):
    source = """
calls = 0
def f(x, y):
    global calls
    calls += 1
    if calls == 2:
        raise ValueError("the second")
    return x
"""
    start(runner, source)
    answer = runner.time(Timing.EACH, [(0, 1), (1, 1), (2, 1)])
    assert isinstance(answer, Failed) and (answer.at, answer.kind, answer.message) == (FailedAt.CALL, "ValueError", "the second")
    assert answer.line == 8 and runner.deliver() == []
    assert len(runner.time(Timing.EACH, [(0, 1)])) == 1


def test_arguments_that_do_not_bind_are_told_before_anything_runs(runner):
    start(runner, "def f(x):\n    print('ran')\n")
    answer = runner.time(Timing.EACH, [(0, 1)])
    assert isinstance(answer, Failed) and answer.at == FailedAt.BIND and "f(x) does not accept" in answer.message


def test_a_set_that_was_not_prepared_is_refused_before_anything_runs(runner):
    destination, = start(runner, "def f(x, y):\n    y.fill_(7)\n    return y\n", sets=1)[0]
    answer = runner.time(Timing.EACH, [(0, 1), (9, 1)])
    assert isinstance(answer, Failed) and answer.at == FailedAt.UNSUPPORTED
    assert runner.deliver() == [] and destination.tolist() == [0.0] * 3


def test_gpu_time_is_refused_where_nothing_runs_on_a_gpu(runner):
    start(runner, ADD)
    answer = runner.time(Timing.TRACED, [(0, 1)])
    assert isinstance(answer, Failed) and (answer.at, answer.kind) == (FailedAt.UNSUPPORTED, "cupti")


@pytest.mark.parametrize("how, during", [(Timing.EACH, False), (Timing.QUEUED, False)])
def test_nothing_is_collected_while_calls_are_timed_and_afterwards_all_is_as_before(how, during):
    seen = []
    for before in (True, False):
        (gc.enable if before else gc.disable)()
        try:
            timing.run(how, lambda: seen.append(gc.isenabled()), [((), {})] * 2, [], timing.HostWatch(), None)
            assert seen == [during] * 2 and gc.isenabled() == before
            with pytest.raises(ZeroDivisionError):
                timing.run(how, lambda: 1 // 0, [((), {})], [], timing.HostWatch(), None)
            assert gc.isenabled() == before
        finally:
            gc.enable()
        seen.clear()


def test_a_candidate_that_patches_the_clock_is_timed_by_the_real_one(runner):
    source = """
import gc, time
time.perf_counter_ns = lambda: 0
gc.disable = None
def f(x, y):
    time.sleep(0.002)
    return x
"""
    start(runner, source)
    assert runner.time(Timing.EACH, [(0, 1)])[0] >= 2_000_000


class Census:
    """Of a device: what it was told, in order."""

    def __init__(self, problem=""):
        self.problem, self.told = problem, []

    def start(self):
        return self.problem

    def end_trace(self, calls):
        self.told.append("end_trace")
        return [7] * calls

    def __getattr__(self, name):
        return lambda *_: self.told.append(name)


def cuda_role(monkeypatch, census, flags, tmp_path):
    monkeypatch.setattr(roles, "_synchronize", lambda: census.told.append("wait"))
    for name in ("run", "_do_compile"):
        monkeypatch.setattr(triton.runtime.jit.JITFunction, name, getattr(triton.runtime.jit.JITFunction, name))
    return roles.Cuda(types.SimpleNamespace(device_census=census), StatusPage(), str(tmp_path), flags, 90, {})


def timed(role, how, calls=2):
    role.watch_launches(how == Timing.TRACED)
    with role.timing() as watch:
        return timing.run(how, lambda: None, [((), {})] * calls, [], watch, None)


def test_gpu_time_is_what_the_census_says_and_every_call_is_marked_and_waited_for(monkeypatch, tmp_path):
    census = Census()
    role = cuda_role(monkeypatch, census, wire.TIME, tmp_path)
    assert timed(role, Timing.TRACED) == [7, 7]
    assert census.told == ["resume", "begin_trace", "trace_call", "wait", "trace_call", "wait", "end_trace"]


def test_the_census_rests_while_calls_are_timed_by_the_clock_and_goes_on_with_the_next_call(monkeypatch, tmp_path):
    census = Census()
    role = cuda_role(monkeypatch, census, wire.TIME, tmp_path)
    assert len(timed(role, Timing.EACH)) == 2
    with role.calling():
        pass
    assert census.told == ["pause", "wait", "wait", "resume", "mark"]


def test_without_cupti_gpu_time_is_refused_with_the_reason(monkeypatch, tmp_path):
    census = Census("insufficient privileges")
    role = cuda_role(monkeypatch, census, wire.TIME, tmp_path)
    with pytest.raises(timing.Untraceable, match="insufficient privileges"):
        timed(role, Timing.TRACED)


UNTOUCHED = """
import sys, types
import triton, triton.testing
from triton.runtime import autotuner, jit
from kbx_runner import roles, wire
from kbx_runner.memory import StatusPage

parts = [(jit.JITFunction, "run"), (autotuner.Autotuner, "run"), (autotuner.Autotuner, "_bench"),
         (autotuner.Autotuner, "check_disk_cache"), (triton.testing, "do_bench"), (triton.testing, "do_bench_cudagraph")]
before = [getattr(*p) for p in parts]
role = roles.Cuda(types.SimpleNamespace(device_census=None), StatusPage(), "", {flags}, 90, {{}})
print([n for (o, n), b in zip(parts, before) if getattr(o, n) is not b], role._census)
"""


@pytest.mark.parametrize("flags, changed", [(wire.TIME, "[] None"), (wire.TIME | wire.CENSUS | wire.POISON, "[] None")])
def test_a_runner_for_timing_leaves_launches_and_autotuners_alone(flags, changed):
    assert printed(UNTOUCHED.format(flags=flags)) == changed


def test_any_other_runner_for_a_gpu_counts_launches_and_tunes_by_turns():
    assert printed(UNTOUCHED.format(flags=wire.CENSUS)).startswith("['run', 'run', '_bench', 'check_disk_cache', 'do_bench', 'do_bench_cudagraph'] <")


def printed(script):
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, timeout=120,
                          env=dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path)))
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.strip()


@pytest.mark.parametrize("how", [Timing.EACH, Timing.QUEUED])
def test_a_random_call_is_seeded_just_before_it(how):
    steps = []
    timing.run(how, lambda i: steps.append(f"call {i}"), [((i,), {}) for i in range(2)], [], timing.HostWatch(),
               lambda i: steps.append(f"seed {i}"))
    assert steps == ["seed 0", "call 0", "seed 1", "call 1"]
