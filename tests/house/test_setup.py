# SPDX-License-Identifier: Apache-2.0
"""Set-up on machines that are not ours: other package settings, no rights, no disk."""

import os
import stat
import subprocess
import sys

import pytest
from sources import ROOT

sys.path.insert(0, str(ROOT / "tools"))
import uv_settings  # noqa: E402


def test_uv_ignores_the_mirror_that_pip_uses():
    settings = uv_settings.pip_settings("global.index-url='https://a/simple'\nglobal.extra-index-url='https://b https://c'\n")
    assert uv_settings.uv_environment(settings, {}) == {"UV_DEFAULT_INDEX": "https://a/simple", "UV_INDEX": "https://b https://c"}


def test_a_global_setting_beats_the_users_environment():
    listing = ":env:.find-links='/own /more'\nglobal.find-links='/global'\n"
    assert uv_settings.uv_environment(uv_settings.pip_settings(listing), {}) == {"UV_FIND_LINKS": "/own,/more"}


def test_pips_setting_replaces_what_was_set_for_uv():
    assert uv_settings.uv_environment({"index-url": "https://a"}, {"UV_DEFAULT_INDEX": "https://mine"}) == {}


def test_settings_of_another_pip_command_are_taken():
    assert uv_settings.pip_settings("download.index-url='https://a'\nfreeze.timeout='10'\n") == {}


@pytest.fixture
def machine(tmp_path):
    """Runs tools/setup on a pretended machine: `programs` maps names to what the shell script of that name does."""

    def run(programs, **environment):
        folder = tmp_path / "bin"
        folder.mkdir()
        for name, body in programs.items():
            (folder / name).write_text(f"#!/bin/sh\n{body}\n")
            (folder / name).chmod(0o755 | stat.S_IXUSR)
        for tool in "bash env dirname mkdir wc date sed tail head cat cut sha256sum paste fold df awk grep flock rm touch python3".split():
            target = next(p for d in os.environ["PATH"].split(":") if (p := os.path.join(d, tool)) and os.path.exists(p))
            if not (folder / tool).exists():
                (folder / tool).symlink_to(target)
        clean = {"PATH": str(folder), "HOME": str(tmp_path), "KBX_LOG": str(tmp_path / "log"), **environment}
        return subprocess.run([str(folder / "bash"), str(ROOT / "tools/setup"), "demo"], env=clean, capture_output=True, text=True)

    return run


NOTHING_INSTALLED = {"dpkg-query": "exit 1", "apt-get": 'echo "called $*" >>"$HOME/apt"; [ "$1" != update ]'}


def test_packages_are_installed_before_anybody_was_asked(machine, tmp_path):
    result = machine({**NOTHING_INSTALLED, "id": "echo 1000", "sudo": "exit 1"}, KBX_PYTHON=sys.executable)
    assert result.returncode == 1 and "sudo was refused" in result.stderr and "bubblewrap" in result.stdout
    assert " -y " not in (tmp_path / "apt").read_text()


def test_no_sudo_ends_in_a_bare_command_not_found(machine):
    result = machine({**NOTHING_INSTALLED, "id": "echo 1000"}, KBX_PYTHON=sys.executable)
    assert result.returncode == 1 and "ask an administrator for: apt-get install" in result.stderr


def test_a_full_disk_shows_after_half_an_hour(machine):
    full = "printf 'Filesystem 1024-blocks Used Available\\n/dev/x 1 1 1048576\\n'"
    result = machine({"dpkg-query": "echo installed", "apt-get": "exit 1", "df": full})
    assert result.returncode == 1 and "only 1 GB are free" in result.stderr


def test_a_machine_with_everything_is_asked_or_told_something(machine):
    result = machine({"dpkg-query": "echo installed", "apt-get": "exit 1", "sudo": "exit 1"}, KBX_PYTHON=sys.executable)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


def test_an_environment_without_torch_fails_in_the_middle_of_the_build(machine):
    empty = 'echo "kbx: torch does not import" >&2; exit 1'
    result = machine({"dpkg-query": "echo installed", "apt-get": "exit 1", "python-empty": empty}, KBX_PYTHON="python-empty")
    assert result.returncode == 1 and "torch does not import" in result.stderr and "requirements.lock" in result.stderr
