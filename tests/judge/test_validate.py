# SPDX-License-Identifier: Apache-2.0
"""`kbx calibrate --validate`: what it races, keeps and prints. Never what came of it. Takes a minute: the races are real."""
import json
import math
import os

import pytest


@pytest.fixture(scope="module")
def control(shared_kbx):
    """The shortest control of the CPU there is: (finished process, raw lines, page, profile)."""
    environment = {**os.environ, "XDG_DATA_HOME": str(shared_kbx.folder / "data")}
    done = shared_kbx("calibrate", "--validate", "--pairs", "1", "--budget", "1", "--out", "results", env=environment, timeout=600)
    assert done.returncode in (0, 1), done.stderr
    raw, = (shared_kbx.folder / "results").glob("validation_*.jsonl")
    profile, = (shared_kbx.folder / "data/kbx/devices").glob("*.json")
    lines = [json.loads(line) for line in raw.read_text().splitlines()]
    return done, lines, raw, json.loads(profile.read_text())


def test_all_kinds_are_raced_and_nothing_fails(control):
    _, (conditions, *pairs), _, _ = control
    assert conditions["command"] == "kbx calibrate --validate --device cpu --pairs 1 --budget 1"
    assert [p for p in pairs if "failed" in p] == []
    same, *more = pairs
    assert same["kind"] == "aa" and same["truth"] == 0 and {b[0] for b in same["blocks"]} == set(range(5))
    assert [(p["task"], p["more"]) for p in more] == [("relu", level) for level in (0, 3, 5, 10) for _ in range(4)]
    for pair in more:
        assert pair["truth"] == pytest.approx(-math.log1p(pair["more"] / 100))
        assert len(pair["blocks"]) >= pair["least"] and {b[0] for b in pair["blocks"]} == {0}


def test_the_page_is_what_the_raw_samples_give(control, shared_kbx):
    done, _, raw, _ = control
    assert raw.with_suffix(".md").read_text() == done.stdout
    again = shared_kbx("calibrate", "--rates", raw)
    assert (again.stdout, again.returncode) == (done.stdout, done.returncode)


def test_one_pair_proves_nothing(control):
    assert control[0].returncode == 1 and "1 pairs of the same code, 200 are needed" in control[0].stdout


def undisturbed(pair):
    """How often two blocks or more of one process count, as docs/validation.md says of the noise: on a busy machine few do."""
    counted = [b for b in pair["blocks"] if not b[3]]
    if len(counted) < pair["least"]:
        counted = pair["blocks"]
    processes = [b[0] for b in counted]
    return sum(processes.count(p) >= 2 for p in set(processes))


def test_the_noise_is_kept(control):
    _, (_, same, *_), _, profile = control
    if undisturbed(same) < 2:
        assert profile["noise"] == {}
    else:
        assert profile["noise"]["judge"]["pairs"] == undisturbed(same) and profile["noise"]["judge"]["process_spread"] >= 0


def resumed(shared_kbx, raw, folder, lines):
    (shared_kbx.folder / folder).mkdir()
    copy = shared_kbx.folder / folder / raw.name
    copy.write_text("".join(json.dumps(line) + "\n" for line in lines))
    environment = {**os.environ, "XDG_DATA_HOME": str(shared_kbx.folder / "data")}
    done = shared_kbx("calibrate", "--validate", "--pairs", "1", "--budget", "0.1", "--out", folder, env=environment, timeout=600)
    return done, [json.loads(line) for line in copy.read_text().splitlines()]


def test_an_interrupted_control_goes_on(control, shared_kbx):
    """What was raced counts: the pair of equal code, and the first of four levels of more work."""
    _, lines, raw, _ = control
    done, after = resumed(shared_kbx, raw, "again", lines[:6])
    assert done.returncode in (0, 1) and "goes on from the 5 pairs" in done.stderr, done.stderr
    assert after[:6] == lines[:6]
    assert [(p["kind"], p["more"]) for p in after[6:]] == [("more", level) for level in (3, 5, 10) for _ in range(4)]


def test_races_under_other_conditions_are_not_mixed_in(control, shared_kbx):
    _, (conditions, same, *_), raw, _ = control
    other = {**conditions, "environment": conditions["environment"].replace("kbx ", "kbx 0.0.0-")}
    done, after = resumed(shared_kbx, raw, "other", [other, same])
    assert done.returncode == 2 and "under other conditions" in done.stderr and "--out" in done.stderr, done.stderr
    assert after == [other, same]


def test_what_cannot_be_done_is_said(kbx):
    assert kbx("calibrate", "--validate", "--show").returncode == 2
    assert kbx("calibrate", "--pairs", "3").returncode == 2
    missing = kbx("calibrate", "--rates", "nowhere.jsonl")
    assert missing.returncode == 2 and "nowhere.jsonl" in missing.stderr
