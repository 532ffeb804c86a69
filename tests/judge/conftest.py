# SPDX-License-Identifier: Apache-2.0
"""The whole product, driven as a person drives it: KBX_BIN is the build's bin folder."""
import json
import os
import pathlib
import subprocess
import tempfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ["KBX_BIN"])
# What kbx keeps of this machine goes beside the build, not into the user's home.
os.environ["XDG_DATA_HOME"] = str(BIN.parent / "data")


class Kbx:
    """Runs `kbx` in a folder of its own; stdout is kept apart from stderr."""

    def __init__(self, folder):
        self.folder = folder

    def __call__(self, *arguments, timeout=120, **kwargs):
        return subprocess.run([BIN / "kbx", *map(str, arguments)], cwd=self.folder, capture_output=True, timeout=timeout,
                              text=True, errors="replace", stdin=subprocess.DEVNULL, **kwargs)

    def start(self, *arguments, **kwargs):
        return subprocess.Popen([BIN / "kbx", *map(str, arguments)], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True, errors="replace", stdin=subprocess.DEVNULL, **kwargs)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def judge(self, source, task, name="candidate.py", *more):
        """Verdict (dict) and exit status of one candidate given as text."""
        path = self.write(name, source)
        done = self("judge", path, "--task", task, "--perf", "off", "--json", *more)
        assert done.stdout, done.stderr
        return json.loads(done.stdout), done.returncode

    def run(self, submission, out, *more, **kwargs):
        return self("run", submission, "--out", out, "--perf", "off", "--seed", "7", *more, **kwargs)

    def export(self, out):
        """Verdicts of a ledger by candidate id."""
        done = self("export", out, "--format", "verdicts")
        assert done.returncode == 0, done.stderr
        return {v["candidate"]: v for v in map(json.loads, done.stdout.splitlines())}


@pytest.fixture
def kbx(tmp_path):
    return Kbx(tmp_path)


@pytest.fixture(scope="session")
def shared_kbx():
    with tempfile.TemporaryDirectory() as folder:
        yield Kbx(pathlib.Path(folder))
