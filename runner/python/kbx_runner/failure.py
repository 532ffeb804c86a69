# SPDX-License-Identifier: Apache-2.0
"""Exceptions of a candidate as `failed` messages: kind, text, and the lines of its own file."""
import linecache
import os
import traceback

import torch
from triton.runtime.errors import OutOfResources

CONTEXT = 2
WIDTH = 160
DEVICE_ERROR = "cuda error"  # the kind of a fault of the device, whatever the exception's type


def excerpt_at(path, line):
    """The lines around `line`, numbered, with a mark; empty if there are none."""
    if not line:
        return ""
    lines = []
    for number in range(max(1, line - CONTEXT), line + CONTEXT + 1):
        text = linecache.getline(path, number).rstrip()
        if text or number == line:
            lines.append(f"{'>' if number == line else ' '} {number:4} {text}")
    return "\n".join(lines)


def describe(error, folder, at):
    """(at, kind, message, excerpt, line) for wire.failed. `folder`: where the candidate's files lie."""
    kind = "MemoryError" if isinstance(error, (MemoryError, torch.OutOfMemoryError)) or _is_allocation(error) else type(error).__name__
    message = _text(error)
    if isinstance(error, SyntaxError) and _inside(error.filename, folder):
        line = error.lineno or 0
        return at, kind, error.msg or message, _syntax_excerpt(error), line
    frames = [f for f in traceback.extract_tb(error.__traceback__) if _inside(f.filename, folder)]
    if not frames:
        return at, kind, message, "", 0
    trace = "\n".join(f"{os.path.relpath(f.filename, folder)}:{f.lineno} in {f.name}: {f.line or ''}" for f in frames[-8:])
    last = frames[-1]
    return at, kind, message, f"{trace}\n\n{excerpt_at(last.filename, last.lineno)}", last.lineno


def is_device_error(error):
    """What CUDA's runtime or driver said, passed on by torch or Triton."""
    if isinstance(error, torch.OutOfMemoryError):
        return False
    return isinstance(error, torch.AcceleratorError) or is_refusal(error) or (
        isinstance(error, RuntimeError) and _text(error).startswith(("Triton Error [CUDA]", "CUDA error", "CUDA driver error")))


def is_refusal(error):
    """Triton's own check that a kernel fits the device."""
    return type(error) is OutOfResources


def first_line(error):
    """torch adds paragraphs of advice."""
    return _text(error).partition("\n")[0]


def _syntax_excerpt(error):
    text = (error.text or "").rstrip("\n")
    if not text:
        return excerpt_at(error.filename, error.lineno)
    offset = max(0, (error.offset or 1) - 1)
    start = max(0, offset - 100)
    shown = text[start:offset + 60]
    # What is wrong often begins a line earlier.
    before = linecache.getline(error.filename, error.lineno - 1).rstrip()[:WIDTH]
    context = f"  {error.lineno - 1:4} {before}\n" if before else ""
    return f"{context}> {error.lineno:4} {shown}\n{' ' * (7 + offset - start)}^"


def _text(error):
    try:
        return str(error)
    except Exception:  # a candidate's own exception class may do anything here
        return ""


def _inside(filename, folder):
    return bool(filename) and filename.startswith(folder.rstrip(os.sep) + os.sep)


def _is_allocation(error):
    return isinstance(error, RuntimeError) and "can't allocate memory" in _text(error)
