# SPDX-License-Identifier: Apache-2.0
"""The files of the project, as the house tests see them."""

import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
CODE = {".cpp", ".h", ".cu", ".py", ".cmake", ".sh"}


def files():
    """Paths relative to ROOT of everything that is, or would be, in the repository."""
    listing = subprocess.run(
        ["git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    return sorted(p for name in listing.split("\0") if name and (p := pathlib.Path(name)) and (ROOT / p).is_file())


def text(path):
    """The file's text, or nothing for a binary one."""
    try:
        return (ROOT / path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return ""


def is_script(path):
    return not path.suffix and text(path).startswith("#!")


def code():
    """Sources, build files and scripts."""
    return [p for p in files() if p.suffix in CODE or p.name in ("CMakeLists.txt", "Makefile") or is_script(p)]
