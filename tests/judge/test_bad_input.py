# SPDX-License-Identifier: Apache-2.0
"""What people hand over by mistake: a clear message that names the thing and the remedy, and status 2."""
import ctypes
import json
import os
import shutil
import subprocess

import pytest

from test_bad_candidates import body, honest


def refused(done, *words):
    assert done.returncode == 2, done
    for word in words:
        assert word in done.stderr, done.stderr
    assert "Traceback" not in done.stderr and "terminate" not in done.stderr


def test_unknown_task_offers_the_nearest(kbx):
    refused(kbx("judge", kbx.write("a.py", honest()), "--task", "leaky_rleu"), "leaky_rleu", "leaky_relu")


def test_hardware_counters_that_cannot_be_read_here(kbx):
    path = kbx.write("a.py", honest())
    refused(kbx("judge", path, "--task", "leaky_relu", "--counters"), "--counters", "--device cuda")
    refused(kbx("judge", path, "--task", "leaky_relu", "--counters", "--device", "cuda"), "--counters", "--no-sandbox")


@pytest.mark.parametrize("option", ["--baseline", "--caches"])
def test_option_of_timing_with_an_unknown_word(kbx, option):
    done = kbx("judge", kbx.write("a.py", honest()), "--task", "leaky_relu", option, "hot")
    refused(done, option)


def test_file_that_is_not_there(kbx):
    refused(kbx("judge", "nowhere.py", "--task", "gelu"), "nowhere.py")


def test_folder_where_a_file_is_meant(kbx):
    (kbx.folder / "empty").mkdir()
    refused(kbx("judge", "empty", "--task", "gelu"), "empty")


@pytest.mark.parametrize("name, content", [("binary.py", b"\x7fELF\0\0\0\1"), ("latin.py", b"# caf\xe9\n" + honest().encode()), ("empty.py", b"")])
def test_bytes_that_are_no_source_are_unreadable(kbx, name, content):
    done = kbx("judge", kbx.write(name, content), "--task", "leaky_relu", "--json")
    assert json.loads(done.stdout)["outcome"] == "unreadable"
    assert done.returncode == 3


def test_hundred_megabytes_are_refused_at_once(kbx):
    path = kbx.folder / "big.py"
    with open(path, "wb") as f:
        f.truncate(100 << 20)
    done = kbx("judge", path, "--task", "leaky_relu", "--json", timeout=20)
    assert done.returncode in (2, 3)
    assert "MiB" in done.stdout + done.stderr


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_file_that_may_not_be_read(kbx):
    path = kbx.write("closed.py", honest())
    path.chmod(0)
    refused(kbx("judge", path, "--task", "leaky_relu"), "closed.py")


def test_broken_line_of_a_jsonl_is_reported_with_its_number_and_the_rest_is_judged(kbx):
    row = json.dumps({"id": "a", "file": "Activation/leaky_relu.py", "predict": honest()})
    path = kbx.write("s.jsonl", f'{row}\n{{"id": "b", \n{row.replace(chr(34) + "a" + chr(34), chr(34) + "c" + chr(34))}\n')
    done = kbx.run(path, "out")
    assert done.returncode == 0, done.stderr
    assert "2" in done.stdout + done.stderr
    verdicts = kbx.export("out")
    assert [verdicts[k]["outcome"] for k in ("a", "c")] == ["correct", "correct"]
    assert sum(v["outcome"] == "unreadable" for v in verdicts.values()) == 1


def test_duplicates_are_both_judged_under_names_of_their_own(kbx):
    row = json.dumps({"id": "a", "file": "Activation/leaky_relu.py", "predict": honest()})
    assert kbx.run(kbx.write("s.jsonl", row + "\n" + row + "\n"), "out").returncode == 0
    assert [v["outcome"] for v in kbx.export("out").values()] == ["correct", "correct"]


def test_read_only_output_folder(kbx):
    if os.geteuid() == 0:
        out = "/proc/kbx-out"
    else:
        (kbx.folder / "closed").mkdir(mode=0o500)
        out = kbx.folder / "closed" / "out"
    done = kbx.run(kbx.write("leaky_relu.py", honest()), out)
    assert done.returncode == 6, done
    assert str(out) in done.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small disk needs root")
def test_full_disk_is_named_and_keeps_what_was_judged(kbx):
    disk = kbx.folder / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", disk]).returncode != 0:
        pytest.skip("mount is not permitted here")
    try:
        for i in range(4):
            kbx.write(f"s/leaky_relu/{i}.py", body(f"print('x' * 30000); raise ValueError('{i}' * 60000)"))
        done = kbx.run("s", disk / "out", timeout=240)
        if done.returncode == 0:  # all fitted: fill the rest, judge one more
            (disk / "filler").write_bytes(b"x" * (512 << 10))
        first = kbx.export(disk / "out")
        assert done.returncode == 6 and "full" in done.stderr.lower(), (done.returncode, done.stderr)
        assert all(v["outcome"] == "crashed" for v in first.values())
    except OSError:
        pass
    finally:
        subprocess.run(["umount", disk])


def test_two_runs_on_one_ledger(kbx):
    kbx.write("s/leaky_relu/slow.py", body("while True: pass"))
    first = kbx.start("run", "s", "--out", "out", "--perf", "off")
    try:
        while not (kbx.folder / "out" / "ledger.sqlite").exists():
            assert first.poll() is None, first.communicate()
        done = kbx.run("s", "out")
        assert done.returncode == 6, done
        assert "another" in done.stderr.lower(), done.stderr
    finally:
        first.kill()
        first.communicate()


def test_ctrl_c_stops_cleanly_and_a_second_run_finishes(kbx):
    for i in range(3):
        kbx.write(f"s/leaky_relu/{i}.py", honest())
    kbx.write("s/leaky_relu/9.py", body("while True: pass"))
    import signal
    import time
    process = kbx.start("run", "s", "--out", "out", "--perf", "off", "--seed", "7")
    time.sleep(3)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=20)
    assert process.returncode == 130, stderr
    assert kbx.run("s", "out").returncode == 0
    assert len(kbx.export("out")) == 4


def test_case_that_does_not_bind_names_the_field(kbx):
    path = kbx.write("a.py", honest())
    refused(kbx("judge", path, "--task", "leaky_relu", "--case", "standard: inptu=randn[3]"), "inptu")


def test_output_can_be_piped_into_something_that_closes(kbx):
    path = kbx.write("leaky_relu.py", honest())
    process = kbx.start("judge", path, "--perf", "off")
    process.stdout.close()
    assert process.wait(timeout=60) >= 0, "died by SIGPIPE"
    process.stderr.close()


def has_driver():
    try:
        ctypes.CDLL("libcuda.so.1")
        return True
    except OSError:
        return False


@pytest.mark.skipif(has_driver(), reason="this machine has a driver: tests/gpu looks at it")
@pytest.mark.parametrize("device", ["cuda", "cuda:7"])
def test_a_gpu_where_there_is_none(kbx, device):
    done = kbx("judge", kbx.write("a.py", honest()), "--task", "leaky_relu", "--device", device)
    assert done.returncode == 6 and done.stdout == ""
    for word in ("no NVIDIA driver", "kbx doctor", "--device cpu"):
        assert word in done.stderr, done.stderr


def test_compute_sanitizer_without_a_gpu_to_run_it_on(kbx):
    refused(kbx("judge", kbx.write("a.py", honest()), "--task", "leaky_relu", "--sanitize"), "--sanitize", "--device cuda")


@pytest.mark.skipif(shutil.which("compute-sanitizer") is not None or os.path.exists("/usr/local/cuda/bin/compute-sanitizer"),
                    reason="it is installed")
def test_compute_sanitizer_where_there_is_none(kbx):
    done = kbx("judge", kbx.write("a.py", honest()), "--task", "leaky_relu", "--device", "cuda", "--sanitize")
    assert done.returncode == 6 and done.stdout == ""
    for word in ("compute-sanitizer", "CUDA toolkit"):
        assert word in done.stderr, done.stderr
