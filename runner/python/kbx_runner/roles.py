# SPDX-License-Identifier: Apache-2.0
"""What the three roles of a child do differently around a call: interpret, compile, cuda."""
import contextlib

import torch
import triton

from . import ahead, compile_only, cuda_illusion, failure, results, timing, tuning
from .census import Census
from .interpreter.monitor import Monitor, Unsupported
from .memory import StatusPage
from .wire import CENSUS, POISON, PROFILE, TIME, FailedAt, Role

_DEFAULT_ARCH = 90
_synchronize = getattr(torch._C, "_cuda_synchronize", None)  # taken before any candidate runs


def make_role(role, prepared, status, folder, flags, arch, options):
    """REQUIRES: the zygote was started for this role."""
    kinds = {Role.INTERPRET: Interpret, Role.COMPILE: Compile, Role.CUDA: Cuda}
    return kinds[Role(role)](prepared, status, folder, flags, arch or _DEFAULT_ARCH, options)


class _Base:
    def __init__(self, flags):
        self.stored = set()
        self._census = Census(self.stored, bool(flags & POISON)) if flags & (CENSUS | POISON) else None
        if self._census is not None:
            self._census.follow_threads()

    @contextlib.contextmanager
    def importing(self):
        yield

    @contextlib.contextmanager
    def calling(self):
        """Around a call of the candidate."""
        self.begin_call()
        if self._census is None:
            yield
            return
        with self._census:
            yield

    def begin_call(self):
        pass

    def finish(self):
        """Inside the claimed time, after the function came back."""

    def watch_launches(self, on):
        """Whether launches and kernels are recorded from now on, at a cost to each; calls that are not timed always are."""

    @contextlib.contextmanager
    def timing(self):
        """Around calls that are timed; gives what times them."""
        with self.calling():
            yield timing.HostWatch()

    def settle(self):
        """Waits for what still goes on in the background."""

    def delivered(self):
        """After the results were copied: they are there for another process when it comes back."""

    def bad_accesses(self):
        return 0

    def note_output(self, value):
        """Told of each returned value and each argument after a call."""

    def verdict(self, error):
        """Arguments of `failed` that override what the call came to, or None."""
        return None

    def tolerates(self, error):
        """Whether an exception of the candidate means nothing in this role."""
        return False

    def tolerates_import(self, error, defined):
        """The same for an exception at module level, when the entries `defined` exist already."""
        return False

    def report(self):
        census = self._census
        return {"operators": sorted(census.operators) if census else [], "random": sorted(census.random) if census else [],
                "libraries": [], "kernels": [], "accesses": [], "launches": 0, "stores_reached_output": False}


class Interpret(_Base):
    def __init__(self, prepared, status, folder, flags, arch, options):
        super().__init__(flags)
        self._monitor = Monitor(status)
        self._monitor.stored = self.stored
        self._monitor.candidate_folder = folder
        self._monitor.max_programs = int(options.get("max_programs", 0))
        launcher = prepared.launcher
        launcher.monitor = launcher.builder.monitor = self._monitor
        launcher.suspended = results.plain_torch
        self._reached = False
        cuda_illusion.create(arch)
        triton.runtime.driver.set_active(compile_only.CompileOnlyDriver(arch))  # for questions about the device

    def begin_call(self):
        self._monitor.begin_call()

    def bad_accesses(self):
        return self._monitor.bad_lanes

    def note_output(self, value):
        if results.storage_address(value) in self.stored:
            self._reached = True

    def verdict(self, error):
        refused = self._monitor.unsupported
        if refused is None and isinstance(error, Unsupported):
            refused = error
        return None if refused is None else (FailedAt.UNSUPPORTED, refused.kind, str(refused))

    def report(self):
        kernels = [{"name": name, "launches": n, "programs": programs} for name, (n, programs) in self._monitor.kernels.items()]
        return super().report() | {
            "kernels": kernels, "accesses": self._monitor.accesses(), "launches": self._monitor.launches,
            "stores_reached_output": self._reached}


class Compile(_Base):
    """Runs the candidate's host code on garbage; only what its launches compile to counts."""

    def __init__(self, prepared, status, folder, flags, arch, options):
        super().__init__(0)
        self._folder = folder
        device = options.get("device")
        self._launchers = ahead.Launchers() if prepared.links_launchers else None
        self._counts = ahead.Counts()
        cuda_illusion.create(arch, device)
        self._driver = compile_only.CompileOnlyDriver(arch, device, self._launchers)
        compile_only.install(self._driver, bool(options.get("all_configurations")))
        self._why_not_followed = ""

    def begin_call(self):
        self._driver.error = None

    def settle(self):
        if self._launchers is not None:
            self._launchers.settle()

    def verdict(self, error):
        if self._driver.error is None:
            return None
        failed, kernel = self._driver.error
        # A candidate may catch one and launch something else that compiles.
        if error is not failed and (self._driver.kernels or not isinstance(failed, compile_only.COMPILE_ERRORS)):
            return None
        if isinstance(failed, compile_only.COMPILE_ERRORS):
            return (FailedAt.COMPILE, *compile_only.describe(failed, kernel))
        return failure.describe(failed, self._folder, FailedAt.COMPILE)

    def tolerates(self, error):
        self._why_not_followed = f"{type(error).__name__}: {str(error)[:500]}"
        return True

    def tolerates_import(self, error, defined):
        return bool(defined) and isinstance(error, Exception) and self.verdict(error) is None and self.tolerates(error)

    def report(self):
        report = super().report() | self._counts.report()
        report |= {"kernels": list(self._driver.kernels.values()), "launches": self._driver.launches}
        if self._why_not_followed:
            report |= {"followed": False, "why": self._why_not_followed}
        return report


class Cuda(_Base):
    """The real driver. A context is made by the first call that needs one."""

    def __init__(self, prepared, status, folder, flags, arch, options):
        timed = bool(flags & TIME)
        super().__init__(0 if timed else flags)
        self._status, self._folder = status, folder
        self._own, self._refused, self._broken = {}, "", False
        self._device, self._why_unseen = None, "no census was asked for"
        if flags & (CENSUS | TIME):
            self._start_census(prepared.device_census)
        self._watch = timing.DeviceWatch(_synchronize, self._device, self._why_unseen)
        self._profile, self._called = bool(flags & PROFILE), False
        self._counts = ahead.Counts()
        if not timed:
            self._count_launches()
            tuning.without_clock()
            tuning.in_turn()

    def _count_launches(self):
        jit = triton.runtime.jit.JITFunction
        run = jit.run

        def counted(kernel, *args, **kwargs):
            self._refused = getattr(kernel, "__name__", "kernel")
            compiled = run(kernel, *args, **kwargs)
            if not kwargs.get("warmup"):
                name = str(getattr(compiled, "name", self._refused))  # a `repr` of the candidate's may have renamed it
                self._own[name] = self._own.get(name, 0) + 1
            self._refused = ""
            return compiled

        jit.run = counted

    def _start_census(self, library):
        self._why_unseen = library.start() if library is not None else "no census library was named"
        if not self._why_unseen:
            self._device = library
            self._status.follow(library.watch)

    @contextlib.contextmanager
    def importing(self):
        self.begin_call()
        yield
        if torch.cuda.is_initialized():
            self._wait()  # what module level launched may have failed

    @contextlib.contextmanager
    def calling(self):
        # The first call compiles and tunes: a profiler that waits to be told so has nothing to count in it.
        profiled = torch.cuda.profiler.profile() if self._profile and self._called else contextlib.nullcontext()
        self._called = True
        with super().calling(), profiled:
            yield

    def begin_call(self):
        self._refused = ""
        if self._device is not None:
            self._device.resume()
            self._device.mark()

    def watch_launches(self, on):
        if self._device is not None:
            (self._device.resume if on else self._device.pause)()

    @contextlib.contextmanager
    def timing(self):
        self._refused = ""
        with self._census or contextlib.nullcontext():
            yield self._watch

    def finish(self):
        self._wait()

    def delivered(self):
        self._wait()

    def _wait(self):
        self._status.state(StatusPage.WAITING)
        _synchronize()

    def verdict(self, error):
        """A fault of the device, whatever exception the candidate made of it."""
        if error is None:
            return None
        fault = error if failure.is_device_error(error) else self._context_fault()
        if fault is None:
            return None
        at, _, _, excerpt, line = failure.describe(error, self._folder, FailedAt.CALL)
        return at, failure.DEVICE_ERROR, f"{failure.first_line(fault)}\n{self._blame(fault)}", excerpt, line

    def _context_fault(self):
        try:
            self._wait()
        except Exception as fault:  # whatever the driver left behind
            self._broken = True
            return fault
        return None

    def _blame(self, fault):
        if self._refused and failure.is_refusal(fault):
            return f"in kernel {self._refused}"
        return self._device.blame() if self._device is not None else "which kernel it was is not known: " + self._why_unseen

    def report(self):
        launches = sum(self._own.values())
        report = super().report() | self._counts.report() | {
            "kernels": [{"name": n, "launches": c} for n, c in self._own.items()], "own": sorted(self._own),
            "launches": launches, "stores_reached_output": launches > 0, "why_unseen": self._why_unseen}
        if self._device is not None:
            report |= self._device.collect(flush=not self._broken and self._context_fault() is None)
        return report
