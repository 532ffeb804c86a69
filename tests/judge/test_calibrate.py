# SPDX-License-Identifier: Apache-2.0
"""`kbx calibrate`: what it prints and what it keeps. Never whether a number is large."""
import json
import os

import pytest


@pytest.fixture(scope="module")
def kept(shared_kbx):
    """A quick calibration of the CPU: (the profile, its file, an environment in which it is found)."""
    data = shared_kbx.folder / "data"
    environment = {**os.environ, "XDG_DATA_HOME": str(data)}
    done = shared_kbx("calibrate", "--quick", "--json", env=environment)
    assert done.returncode == 0, done.stderr
    files = list((data / "kbx/devices").iterdir())
    assert len(files) == 1
    return json.loads(done.stdout), files[0], environment


def test_the_profile_is_printed_as_it_is_kept(kept):
    profile, file, _ = kept
    assert profile == json.loads(file.read_text())
    assert profile["device"].endswith(", 1 thread") and profile["gpu"] is False
    assert profile["measured"].endswith("Z") and profile["environment"].startswith("torch ")
    sizes = [row["bytes"] for row in profile["bandwidth"]]
    assert sizes == sorted(set(sizes)) and sizes[0] == 64 << 10 and sizes[-1] == 64 << 20
    assert {"fp64", "fp32"} <= set(profile["matrix"])


def test_show_prints_what_is_kept_and_measures_nothing(kept, shared_kbx):
    profile, file, environment = kept
    before = file.stat().st_mtime_ns
    done = shared_kbx("calibrate", "--show", "--json", env=environment)
    assert done.returncode == 0 and json.loads(done.stdout) == profile
    table = shared_kbx("calibrate", "--show", env=environment).stdout
    assert profile["device"] in table and "64 KiB" in table and "triad" in table and str(file) in table
    assert file.stat().st_mtime_ns == before


def test_noise_outlives_a_new_measurement(kept, kbx):
    profile, _, environment = kept
    file = kbx.write("mine.json", json.dumps({**profile, "noise": {"judge": {"process_spread": 0.0125, "pairs": 9}}}))
    done = kbx("calibrate", "--quick", "--out", file, env=environment)
    assert done.returncode == 0, done.stderr
    assert json.loads(file.read_text())["noise"] == {"judge": {"process_spread": 0.0125, "pairs": 9}}
    assert "1.2 % where judge decides, by 9 pairs" in done.stdout


def test_a_damaged_file_is_named_by_show_and_replaced_by_measuring(kept, kbx):
    profile, _, environment = kept
    file = kbx.write("data/kbx/devices/" + kept[1].name, json.dumps({**profile, "vector": "fast"}))
    environment = {**environment, "XDG_DATA_HOME": str(kbx.folder / "data")}
    shown = kbx("calibrate", "--show", env=environment)
    assert shown.returncode == 6 and str(file) in shown.stderr and "vector" in shown.stderr
    done = kbx("calibrate", "--quick", env=environment)
    assert done.returncode == 0 and "replaced" in done.stderr
    assert json.loads(file.read_text())["vector"] > 0


def test_what_cannot_be_done_is_said(kbx):
    environment = {**os.environ, "XDG_DATA_HOME": str(kbx.folder)}
    nothing = kbx("calibrate", "--show", env=environment)
    assert nothing.returncode == 6 and "nothing is kept" in nothing.stderr
    assert kbx("calibrate", "--device", "gpu", env=environment).returncode == 2
    assert kbx("calibrate", "--show", "--quick", env=environment).returncode == 2
    assert kbx("calibrate", "--threads", "0", env=environment).returncode == 2
    assert not list(kbx.folder.iterdir())
