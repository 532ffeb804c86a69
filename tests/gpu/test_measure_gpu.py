# SPDX-License-Identifier: Apache-2.0
"""Timing on a GPU: ways to cheat the clock, each caught or without effect. Never which of two times is the larger."""
import collections
import json
import sqlite3
import statistics

import pytest
from clock_cheats import CANDIDATES
from conftest import judged_submission

CAUGHT = ("wrong", "dishonest", "crashed", "timed_out")


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """Verdicts by candidate, and the candidates' samples: {candidate: {(line, clock): seconds}}. Prints what each came to."""
    folder = tmp_path_factory.mktemp("measured")
    for path, text in CANDIDATES.items():
        file = folder / "submission" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    verdicts = judged_submission(folder / "submission", folder / "out", perf="auto")
    samples = collections.defaultdict(lambda: collections.defaultdict(list))
    ledger = sqlite3.connect(folder / "out" / "ledger.sqlite")
    for candidate, line, clock, seconds in ledger.execute(
            "SELECT candidate, line, clock, seconds FROM sample WHERE side = 'candidate'"):
        samples[candidate][line, clock].append(seconds)
    for candidate, verdict in verdicts.items():
        print(f"\n{candidate}: {verdict['outcome']} {json.dumps(verdict['speedup'])} {verdict['summary']}")
        for (line, clock), seconds in samples[candidate].items():
            print(f"    {clock:6}{statistics.median(seconds) * 1e6:12.1f} us x {len(seconds):<4}{line}")
    return verdicts, samples


def cases(verdict):
    return verdict["detail"]["efficiency"]["cases"]


def has_no_speed(verdict):
    """Caught, or at least without a number that anybody could rank."""
    return verdict["outcome"] in CAUGHT or verdict["outcome"] == "correct" and verdict["speedup"] is None


def takes(verdict, seconds):
    """What the time of each perf case cannot be below."""
    return verdict["outcome"] == "correct" and bool(cases(verdict)) and all(c["candidate_seconds"] >= seconds for c in cases(verdict))


def both(name):
    return pytest.mark.parametrize("candidate", [c for c in CANDIDATES if c.split("/")[1].split(".")[0] == name])


@both("honest")
def test_an_honest_kernel_is_timed_by_all_clocks(measured, candidate):
    verdicts, samples = measured
    verdict = verdicts[candidate]
    assert verdict["outcome"] == "correct" and verdict["speedup"], verdict
    for case in cases(verdict):
        for clock in ("gpu", "judge", "pace"):
            assert samples[candidate][case["line"], clock], (case, clock)


@both("wrong_when_large")
def test_work_skipped_at_the_sizes_that_are_timed_is_wrong(measured, candidate):
    verdict = measured[0][candidate]
    assert verdict["outcome"] == "wrong" and verdict["diagnosis"][0]["pattern"] == "wrong_when_timed", verdict


@both("first_set_only")
def test_a_ring_of_which_one_set_is_computed_is_wrong(measured, candidate):
    verdict = measured[0][candidate]
    assert verdict["outcome"] == "wrong" and verdict["diagnosis"][0]["pattern"] == "wrong_when_timed", verdict


@both("repeats")
def test_a_result_of_equal_contents_is_never_asked_for_again(measured, candidate):
    """It is wrong whenever it sees contents again."""
    assert measured[0][candidate]["outcome"] == "correct", measured[0][candidate]


@both("slow_start")
def test_a_slow_start_does_not_count(measured, candidate):
    """Compiling and tuning are not timed: of three slow calls two are the warm-up's, and a median forgets the third."""
    verdicts, samples = measured
    assert verdicts[candidate]["outcome"] == "correct", verdicts[candidate]
    assert sum(s > 0.7 for seconds in samples[candidate].values() for s in seconds) <= 1, samples[candidate]
    assert all(case["candidate_seconds"] < 0.7 for case in cases(verdicts[candidate])), verdicts[candidate]


@both("aside")
def test_work_on_a_stream_that_nobody_joins_counts(measured, candidate):
    """The whole device is waited for, and every stream's kernels are recorded: each clock has to see all of it."""
    verdicts, samples = measured
    assert takes(verdicts[candidate], 0.004), verdicts[candidate]
    assert all(s >= 0.004 for seconds in samples[candidate].values() for s in seconds), samples[candidate]


@both("on_the_host")
def test_work_of_the_host_counts(measured, candidate):
    assert takes(measured[0][candidate], 0.004), measured[0][candidate]


@both("late")
def test_work_behind_the_answer_has_no_speed(measured, candidate):
    assert has_no_speed(measured[0][candidate]), measured[0][candidate]


def test_clocks_patched_in_python_change_nothing(measured):
    assert takes(measured[0]["gelu/patches_clocks.py"], 0.004), measured[0]["gelu/patches_clocks.py"]


def test_a_claim_that_the_judges_clock_contradicts_has_no_speed(measured):
    verdict = measured[0]["gelu/claims_nothing.py"]
    assert verdict["outcome"] == "dishonest" or verdict["outcome"] == "correct" and verdict["speedup"] is None, verdict
    assert "clock" in verdict["summary"] + json.dumps(verdict["detail"]), verdict


def test_a_false_gpu_time_is_not_taken(measured):
    """The judge's own clock around queued calls knows better."""
    verdict = measured[0]["gelu/claims_no_gpu_time.py"]
    assert has_no_speed(verdict) or takes(verdict, 0.0009), verdict


def test_work_moved_to_the_first_call_of_a_message_counts(measured):
    verdict = measured[0]["add/front_loads.cu"]
    assert has_no_speed(verdict) or takes(verdict, 18e-6), verdict


def test_a_thread_that_spins_while_others_are_timed_has_no_speed(measured):
    verdict = measured[0]["add/spins.cu"]
    assert verdict["outcome"] == "correct" and "processor" in verdict["detail"]["efficiency"]["withheld"], verdict


def test_work_done_before_the_sample_is_seen(measured):
    """GPU times hold it; the pace does not, and is audited by the messages before it."""
    verdict = measured[0]["add/works_before.cu"]
    assert has_no_speed(verdict) or takes(verdict, 18e-6), verdict


def test_lines_kept_in_the_l2_cache_are_gone_when_the_clock_starts(measured):
    """Inputs are written anew and persisting lines are reset. That it takes its time is for the printed numbers to show: they are
    those of add/honest.cu."""
    verdict = measured[0]["add/window.cu"]
    assert verdict["outcome"] == "correct" and not verdict["detail"]["efficiency"].get("quarantined"), verdict


def test_a_candidate_that_nobody_expects_anything_of(measured):
    assert set(measured[0]) == set(CANDIDATES)
