# SPDX-License-Identifier: Apache-2.0
"""Triton's cache as it moves from the runner that compiled a candidate to the one that runs it.

triton.runtime.cache: KEY/FILE below the cache's folder; a kernel's folder holds NAME.json, NAME.cubin, the intermediate forms, and
__grp__NAME.json, which lists the others by absolute path. A launcher's folder holds one shared object."""
import json
import os
import re
import stat

import triton

MAX_BYTES = 64 << 20    # src/runner/handover.h
MAX_LISTING = 59 << 10  # of wire.MAX_MESSAGE
_NAME = re.compile(r"(?!\.)[A-Za-z0-9_.-]{1,255}\Z", re.ASCII)
_GROUP = "__grp__"
_NEEDED = (".json", ".cubin", ".so")  # a kernel with the rest left out runs all the same


def folder():
    return triton.knobs.cache.dir


def collect(root):
    """[(path, bytes)]: of each entry either all files that it needs to be used, or none, and the others as far as there is room."""
    needed, others = [], []
    for name, files in _entries(root):
        needed.append([f for f in files if f[0].endswith(_NEEDED)])
        others += [[f] for f in files if not f[0].endswith(_NEEDED)]
    chosen, room, listing = [], MAX_BYTES, MAX_LISTING
    for files in needed + others:
        size, names = sum(len(data) for _, data in files), sum(len(path) + 12 for path, _ in files)
        if size <= room and names <= listing:
            room, listing = room - size, listing - names
            chosen += files
    return chosen


def _entries(root):
    try:
        names = sorted(os.listdir(root))
    except OSError:
        return
    for name in names:
        path = os.path.join(root, name)
        if not _NAME.match(name) or not stat.S_ISDIR(os.lstat(path).st_mode):
            continue
        files = [(f"{name}/{file}", _read(os.path.join(path, file))) for file in sorted(os.listdir(path)) if _NAME.match(file)]
        yield name, [f for f in files if f[1] is not None]


def _read(path):
    """The bytes of a plain file; None for anything else, and for what is too large."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_BYTES:
        os.close(descriptor)
        return None
    with open(descriptor, "rb") as file:
        return file.read(MAX_BYTES)


def put(root, path, data):
    """Stores what `collect` of another process gave."""
    target = os.path.join(root, path)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    if os.path.basename(target).startswith(_GROUP):
        data = _moved(data, os.path.dirname(target))
    with open(target, "wb") as file:
        file.write(data)


def _moved(group, to):
    """A group's list with its files in folder `to`."""
    listed = json.loads(group)
    listed["child_paths"] = {name: os.path.join(to, os.path.basename(path)) for name, path in listed["child_paths"].items()}
    return json.dumps(listed).encode()
