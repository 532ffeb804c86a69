# SPDX-License-Identifier: Apache-2.0
"""The zygote: imports everything once, then forks a child for each candidate (docs/protocol.md, "Zygotes")."""
import argparse
import faulthandler
import fcntl
import gc
import json
import os
import signal
import socket
import sys
import tempfile
import traceback
import types

CONTROL = 3
SHM_BYTES = 64 << 20


def main(argv):
    parser = argparse.ArgumentParser()
    parser.add_argument("--role", required=True, choices=["interpret", "compile", "cuda"])
    parser.add_argument("--lockdown", default="")
    parser.add_argument("--census", default="")
    options = parser.parse_args(argv)
    Zygote(options.role, options.lockdown, options.census, _adopt_socket(CONTROL)).serve()


def _adopt_socket(descriptor):
    return socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET, fileno=descriptor)


def _prepare_process(role):
    """One thread, so that a fork is safe; Triton decides at import whether it interprets."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"
    if role == "interpret":
        os.environ["TRITON_INTERPRET"] = "1"
    else:
        os.environ.pop("TRITON_INTERPRET", None)


class Zygote:
    """`sock`: the control socket. Imports torch and triton on construction."""

    def __init__(self, role, lockdown_path, census_path, sock):
        _prepare_process(role)
        from . import lockdown, wire
        self._wire = wire
        self._role = role
        self._channel = wire.Channel(sock)
        self._lockdown = lockdown.Library(lockdown_path) if lockdown_path else None
        self._own_pid_namespace = os.open("/proc/self/ns/pid", os.O_RDONLY | os.O_CLOEXEC)
        from . import child, warmup
        self._child = child
        self._roles = warmup.prepare(role, census_path)

    def serve(self):
        """Returns when the judge hangs up or says stop. In a forked child it does not return."""
        for name in [n for n in sys.modules if n == "kbx_runner" or n.startswith("kbx_runner.")]:
            del sys.modules[name]  # a candidate finds nothing of ours by name
        sys.modules["__main__"] = types.ModuleType("__main__")
        sys.argv = [""]
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        gc.collect()
        gc.freeze()
        wire = self._wire
        self._channel.send(wire.Writer(wire.Type.READY).pack("IQ", 0, os.getpid()))
        while True:
            reader, descriptors = self._channel.receive()
            if reader is None or reader.kind == wire.Type.STOP:
                return
            if reader.kind == wire.Type.SPAWN:
                self._spawn(json.loads(reader.str()), descriptors)
            elif reader.kind == wire.Type.REAP:
                _, status = os.waitpid(reader.u64(), 0)
                self._channel.send(wire.Writer(wire.Type.REAPED).pack("I", status))
            else:
                raise wire.Malformed(f"unexpected message {reader.kind}")

    def _spawn(self, options, descriptors):
        wire = self._wire
        namespaces = bool(options.get("namespaces"))
        if options.get("in_place"):
            self._answer(os.getpid())
            _run_child(self._child, self._roles, self._lockdown, options, descriptors)
        try:
            pid = self._fork(namespaces)
        except OSError as error:
            pid = None
            self._channel.send(wire.failed(wire.FailedAt.UNSUPPORTED, "spawn", str(error)))
        if pid == 0:
            _run_child(self._child, self._roles, self._lockdown, options, descriptors)
        for descriptor in descriptors:
            os.close(descriptor)
        if pid is not None:
            self._answer(pid)

    def _answer(self, pid):
        wire, pidfd = self._wire, os.pidfd_open(pid)
        self._channel.send(wire.Writer(wire.Type.SPAWNED).pack("Q", pid), [pidfd])
        os.close(pidfd)

    def _fork(self, namespaces):
        """As os.fork; the child is pid 1 of a namespace of its own where asked."""
        if not namespaces:
            return os.fork()
        if self._lockdown is None:
            raise OSError("no lockdown library was named")
        self._lockdown.unshare_pid()
        pid = None
        try:
            pid = os.fork()
        finally:
            if pid != 0:
                self._lockdown.restore_pid_namespace(self._own_pid_namespace)
        return pid


def _run_child(child, roles, lockdown, options, descriptors):
    """The candidate's side, forked or in place: takes over its descriptors, moves into its namespaces and serves until the end.
    Does not return."""
    status = 1
    try:
        _take_over(descriptors, keep=bool(options.get("in_place")))
        faulthandler.enable(all_threads=False)
        channel = child.wire.Channel(_adopt_socket(CONTROL))
        problem = ""
        try:
            if options.get("namespaces"):
                lockdown.child_mounts(child.SCRATCH, int(options.get("scratch_bytes", 1 << 30)), SHM_BYTES)
        except OSError as error:
            problem = str(error)
        folder = child.FOLDER if options.get("namespaces") else os.path.join(tempfile.mkdtemp(), "candidate")
        if options.get("own_cache"):
            os.environ["TRITON_CACHE_DIR"] = os.path.join(os.path.dirname(folder), "triton")
        child.Child(channel, roles, lockdown, bool(options.get("namespaces")), problem, folder).serve()
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        os._exit(status)


def _take_over(descriptors, keep):
    """The socket becomes 3, the output 1 and 2; 0 reads nothing; all others are closed, but for those of a tool (`keep`)."""
    control, output = (fcntl.fcntl(d, fcntl.F_DUPFD, 64) for d in descriptors)
    os.dup2(control, CONTROL, inheritable=False)
    os.dup2(output, 1)
    os.dup2(output, 2)
    nothing = os.open("/dev/null", os.O_RDONLY)
    os.dup2(nothing, 0)
    if not keep:
        os.closerange(CONTROL + 1, os.sysconf("SC_OPEN_MAX") if os.sysconf("SC_OPEN_MAX") < 1 << 16 else 1 << 16)
