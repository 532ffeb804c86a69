# SPDX-License-Identifier: Apache-2.0
"""A candidate's process: answers the judge's requests one after another (docs/protocol.md, "A runner's life")."""
import json
import os
import random
import signal
import sys
import time

import numpy as np
import torch

from . import binding, failure, lockdown, results, timing, triton_cache, wire
from .calls import ArgumentSet
from .memory import HostMemory, StatusPage
from .memory_cuda import CudaMemory
from .roles import make_role
from .wire import FailedAt, Timing, Type

SCRATCH = "/tmp/w"  # a tmpfs of its own, in namespaces
FOLDER = f"{SCRATCH}/candidate"
_NAMESPACES = 1  # wire.h, LayerBits
# Taken before any candidate runs.
_clock, _run_timed = time.perf_counter_ns, timing.run
_seed_host, _seed_devices, _has_context = torch.default_generator.manual_seed, torch.cuda.manual_seed_all, torch.cuda.is_initialized


class Refused(Exception):
    """A request that is answered by `failed`."""

    def __init__(self, at, kind, message="", excerpt="", line=0):
        super().__init__(message)
        self.answer = (at, kind, message, excerpt, line)


class Child:
    """`prepared`: of warmup. `library`: the lockdown library, or None. `problem`: why the process is not in the namespaces that it
    should be in, or empty. `folder`: where the candidate's files go."""

    def __init__(self, channel, prepared, library, in_namespaces, problem, folder):
        self._channel, self._prepared, self._library = channel, prepared, library
        self._in_namespaces, self._problem, self._folder = in_namespaces, problem, folder
        self._status = StatusPage()
        self._host = HostMemory()
        self._cuda = None
        self._role = None
        self._function = None
        self._random = False  # whether the seed of a call decides its result
        self._sets = {}
        self._kept = []  # (arguments, value) of each call of the last `time`
        self._source_problem = None

    def serve(self):
        """Returns at `stop` or when the judge hangs up. Malformed messages raise."""
        handlers = {
            Type.LOCKDOWN: self._lock_down, Type.SOURCE: self._take_source, Type.ATTACH: self._attach, Type.LOAD: self._load,
            Type.PREPARE: self._prepare, Type.CALL: self._call, Type.REPORT: self._report, Type.CACHE: self._take_cache,
            Type.HARVEST: self._harvest, Type.TIME: self._time, Type.DELIVER: self._hand_out,
        }
        while True:
            reader, descriptors = self._channel.receive()
            if reader is None or reader.kind == Type.STOP:
                return
            handler = handlers.get(reader.kind)
            if handler is None:
                raise wire.Malformed(f"unexpected message {reader.kind}")
            try:
                answer = handler(reader, descriptors)
            except Refused as refused:
                answer = wire.failed(*refused.answer)
            finally:
                for descriptor in descriptors:
                    os.close(descriptor)
            self._status.state(StatusPage.IDLE)
            if answer is not None:
                self._channel.send(answer)

    # Requests

    def _lock_down(self, reader, _):
        wanted = lockdown.read(reader)
        if self._problem:
            raise Refused(FailedAt.UNSUPPORTED, "lockdown", self._problem)
        os.makedirs(self._folder, exist_ok=True)
        os.chdir(self._folder)
        layers = _NAMESPACES if self._in_namespaces else 0
        if self._library is not None:
            try:
                layers |= self._library.apply(wanted)
            except OSError as error:
                raise Refused(FailedAt.UNSUPPORTED, "lockdown", str(error)) from None
        return wire.Writer(Type.READY).pack("IQ", layers, os.getpid())

    def _take_source(self, reader, descriptors):
        try:
            for path, data in _files(reader, descriptors):
                target = os.path.join(self._folder, path)
                os.makedirs(os.path.dirname(target), exist_ok=True)
                with open(target, "wb") as file:
                    file.write(data)
        except (OSError, IndexError) as error:
            self._source_problem = str(error)
        return None

    def _take_cache(self, reader, descriptors):
        for path, data in _files(reader, descriptors):
            try:
                triton_cache.put(triton_cache.folder(), path, data)
            except (OSError, ValueError, LookupError, TypeError, AttributeError):
                pass  # what is missing or broken is compiled again
        return None

    def _harvest(self, _, descriptors):
        answer, offset = wire.Writer(Type.HARVESTED), 0
        try:
            self._role.settle()
            files = triton_cache.collect(triton_cache.folder())
            answer.pack("I", len(files))
            for path, data in files:
                answer.str(path).pack("Q", len(data))
                view = memoryview(data)
                while view:
                    written = os.pwrite(descriptors[0], view, offset)
                    view, offset = view[written:], offset + written
        except Exception as error:  # a candidate's changes to what this uses may show here
            raise Refused(FailedAt.UNSUPPORTED, "harvest", f"{type(error).__name__}: {error}") from None
        return answer

    def _attach(self, reader, descriptors):
        for _ in range(reader.u32()):
            segment = reader.segment()
            try:
                if segment.device:
                    self._cuda_memory().attach(segment, descriptors[segment.fd])
                else:
                    self._host.attach(segment, descriptors[segment.fd])
            except (OSError, IndexError) as error:
                raise Refused(FailedAt.UNSUPPORTED, "attach", str(error)) from None
            if segment.id == 0 and not segment.device:
                self._status.attach(self._host.address(0, 0, StatusPage.BYTES))
        return wire.Writer(Type.PREPARED)

    def _cuda_memory(self):
        if self._cuda is None:
            self._cuda = CudaMemory()
        return self._cuda

    def _load(self, reader, _):
        role, path, entries, schema = reader.u8(), reader.str(), reader.list(), reader.str()
        flags, arch = reader.u8(), reader.u32()
        options = json.loads(reader.str() or "{}")
        self._random = bool(options.get("append_seed"))
        if self._source_problem is not None:
            raise Refused(FailedAt.UNSUPPORTED, "source", self._source_problem)
        self._role = make_role(role, self._prepared, self._status, self._folder, flags, arch, options)
        self._status.state(StatusPage.IMPORTING)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        module = None
        try:
            with self._role.importing():
                module = binding.new_module(os.path.join(self._folder, path))
                binding.execute(module)
        except BaseException as error:  # SystemExit and KeyboardInterrupt too
            # A file's own tests may fail where nothing is really launched; what it had defined by then is enough to compile.
            if module is None or not self._role.tolerates_import(error, [n for n in entries if hasattr(module, n)]):
                raise Refused(*failure.describe(error, self._folder, FailedAt.IMPORT)) from None
        finally:
            _flush()
        try:
            self._function, name, how = binding.find_entry(module, entries, schema)
        except binding.DoesNotBind as error:
            raise Refused(FailedAt.BIND, "no function", str(error)) from None
        return wire.Writer(Type.LOADED).str(name).str(how)

    def _prepare(self, reader, _):
        number = reader.u32()
        arguments = [reader.argument() for _ in range(reader.u32())]
        destinations = [reader.tensor() for _ in range(reader.u32())]
        with results.plain_torch():
            try:
                self._sets[number] = ArgumentSet(arguments, destinations, self._tensor)
            except (ValueError, KeyError, RuntimeError) as error:
                raise Refused(FailedAt.UNSUPPORTED, "prepare", str(error)) from None
        return wire.Writer(Type.PREPARED)

    def _tensor(self, t):
        return self._cuda_memory().tensor(t) if t.device else self._host.tensor(t)

    def _call(self, reader, _):
        outcomes = [self._call_once(arguments, seed) for arguments, seed in self._wanted(reader)]
        return self._returned(outcomes)

    def _time(self, reader, _):
        how = Timing(reader.u8())
        self._kept = []
        wanted = self._wanted(reader)
        claimed, values = [], []
        if self._role is not None:
            self._role.watch_launches(how == Timing.TRACED)
        if wanted:
            claimed = self._timed(how, wanted, values)
        self._kept = [(arguments, value) for (arguments, _), value in zip(wanted, values)]
        return wire.Writer(Type.TIMED).pack(f"I{len(claimed)}Q", len(claimed), *claimed)

    def _hand_out(self, *_):
        kept, self._kept = self._kept, []
        return self._returned([(0, value is not None, self._deliver(value, arguments)) for arguments, value in kept])

    def _wanted(self, reader):
        """[(arguments, seed)] of a message. Raises Refused for a call that cannot be made."""
        wanted = [reader.unpack("IQ") for _ in range(reader.u32())]
        if wanted and self._function is None:
            raise Refused(FailedAt.UNSUPPORTED, "call", "nothing is loaded")
        for number, _ in wanted:
            if number not in self._sets:
                raise Refused(FailedAt.UNSUPPORTED, "call", f"set {number} is not prepared")
        return [(self._sets[number], seed) for number, seed in wanted]

    def _returned(self, outcomes):
        answer = wire.Writer(Type.RETURNED).pack("I", len(outcomes))
        for claimed, delivered, leaves in outcomes:
            answer.pack("QBI", claimed, int(delivered), len(leaves))
            for leaf in leaves:
                answer.leaf(leaf)
        return answer.pack("I", self._role.bad_accesses() if self._role is not None else 0)

    def _check_binding(self, arguments):
        if arguments.accepted:
            return
        try:
            why = binding.accepts(self._function, arguments.args, arguments.kwargs)
        except BaseException as error:  # a signature may be code of the candidate's
            raise Refused(*failure.describe(error, self._folder, FailedAt.CALL)) from None
        if why is not None:
            seen = binding.signature_text(getattr(self._function, "__name__", "function"), self._function)
            raise Refused(FailedAt.BIND, "TypeError", f"{seen} does not accept the arguments: {why}")
        arguments.accepted = True

    def _call_once(self, arguments, seed):
        self._check_binding(arguments)
        args, kwargs = arguments.args, arguments.kwargs
        _seed_all(seed)
        self._status.state(StatusPage.HOST_CODE)
        value, error = None, None
        try:
            with self._role.calling():
                begin = _clock()
                value = self._function(*args, **kwargs)
                self._role.finish()
                claimed = _clock() - begin
        except BaseException as raised:  # whatever the candidate raises is an answer
            error = raised
        if self._failed(error):
            return 0, False, []
        return claimed, value is not None, self._deliver(value, arguments)

    def _timed(self, how, wanted, values):
        for arguments, _ in wanted:
            self._check_binding(arguments)
        calls = [(arguments.args, arguments.kwargs) for arguments, _ in wanted]
        _seed_all(wanted[0][1])
        seed = (lambda index: _seed_all(wanted[index][1])) if self._random else None
        self._status.state(StatusPage.HOST_CODE)
        claimed, error = [], None
        try:
            with self._role.timing() as watch:
                claimed = _run_timed(how, self._function, calls, values, watch, seed)
        except timing.Untraceable as why:
            raise Refused(FailedAt.UNSUPPORTED, "cupti", str(why)) from None
        except BaseException as raised:  # as in a call
            error = raised
        if self._failed(error):
            raise Refused(FailedAt.UNSUPPORTED, "time", "there is nothing to time where nothing is launched")
        return claimed

    def _failed(self, error):
        """After calls. Raises Refused if they came to nothing; True: the role can do without their results."""
        _flush()
        refusal = self._role.verdict(error)
        if refusal is not None:
            raise Refused(*refusal)
        if error is not None and not self._role.tolerates(error):
            raise Refused(*failure.describe(error, self._folder, FailedAt.CALL))
        return error is not None

    def _deliver(self, value, arguments):
        leaves, fresh = [], False
        try:
            flat = results.flatten(value)
            with results.plain_torch():
                for i, member in enumerate(flat):
                    destination = arguments.destinations[i] if i < len(arguments.destinations) else None
                    leaves.append(results.deliver(member, destination, arguments.spans))
                    self._role.note_output(member)
                    fresh |= leaves[-1].copied and not leaves[-1].aliases_argument
                # What was stored into an argument is a result only where the function works in place.
                for tensor in () if fresh else arguments.tensors:
                    self._role.note_output(tensor)
                self._role.delivered()
        except BaseException as error:  # a returned object may run code of its own when it is looked at
            raise Refused(*failure.describe(error, self._folder, FailedAt.CALL)) from None
        return leaves

    def _report(self, *_):
        report = self._role.report() if self._role is not None else {}
        report["programs"] = self._status.programs
        return wire.Writer(Type.REPORTED).str(_fitting_json(report))


def _files(reader, descriptors):
    offset = 0
    for _ in range(reader.u32()):
        path, size = reader.str(), reader.u64()
        yield path, os.pread(descriptors[0], size, offset)
        offset += size


def _seed_all(seed):
    # Not torch.manual_seed: for kinds of devices that are not there it formats the call stack, which takes longer than many a call.
    _seed_host(seed)
    if _has_context():
        _seed_devices(seed)
    np.random.seed(seed % 2**32)
    random.seed(seed)


def _flush():
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:  # the candidate may have replaced or closed them
            pass


def _fitting_json(report):
    """As JSON that fits a message; the longest lists are cut."""
    text = json.dumps(report)
    while len(text) > wire.MAX_MESSAGE - 1024:
        longest = max((k for k, v in report.items() if isinstance(v, list)), key=lambda k: len(json.dumps(report[k])))
        report[longest] = report[longest][:len(report[longest]) // 2]
        text = json.dumps(report)
    return text
