# SPDX-License-Identifier: Apache-2.0
"""Compiles a candidate's own launches for a named architecture and launches nothing: a driver object for Triton."""
import concurrent.futures
import os
import re
import threading

import torch
import triton
import triton.testing
from triton.backends.compiler import GPUTarget
from triton.backends.nvidia import compiler as nvidia_compiler
from triton.compiler.errors import CompilationError
from triton.runtime import autotuner
from triton.runtime._async_compile import AsyncCompileMode
from triton.runtime.errors import OutOfResources, PTXASError

from . import ahead, cuda_illusion, tuning
from .cubin import registers_and_frame
from .failure import excerpt_at

WARP_SIZE = 32
MAX_KERNELS = 64
MAX_CONFIGURATIONS = 64  # of one autotuner and one key of it
_COMPILERS = 4           # that work at a time for one candidate
_SPILL_KEY = "ptxas_spill_bytes"
COMPILE_ERRORS = (CompilationError, OutOfResources, PTXASError)
# Raised inside a launch these mean wrong arguments or options, whatever the values are.
LAUNCH_ERRORS = (TypeError, KeyError)


class _Utils:
    def __init__(self, driver):
        self._driver = driver

    def load_binary(self, name, kernel, shared, device):
        registers, frame = registers_and_frame(kernel)
        spills = getattr(self._driver.loading, _SPILL_KEY, frame)
        self._driver.note(name, registers, shared, spills)
        return 1, 1, registers, spills // 4, 1024

    def get_device_properties(self, device):
        p = self._driver.properties
        return {"max_shared_mem": p.shared_memory_per_block_optin, "max_num_regs": p.regs_per_multiprocessor,
                "warpSize": p.warp_size, "multiprocessor_count": p.multi_processor_count, "sm_clock_rate": p.clock_rate,
                "mem_clock_rate": p.memory_clock_rate, "mem_bus_width": p.memory_bus_width}

    def fill_tma_descriptor(self, *args):
        return None


def _launch_nothing(*args, **kwargs):
    return None


class CompileOnlyDriver:
    """Triton's active driver. Collects what was compiled, and the last compile error. `known`: as in cuda_illusion.properties.
    `launchers`: where to have launchers built, or None."""

    def __init__(self, arch, known=None, launchers=None):
        self.arch = arch
        self.properties = cuda_illusion.properties(arch, known)
        self.launchers = launchers
        self.utils = _Utils(self)
        self.kernels = {}
        self.launches = 0
        self.error = None
        self.loading = None  # metadata of the kernel that is about to be loaded

    def launcher_cls(self, src, metadata):
        self.loading = metadata
        if self.launchers is not None:
            self.launchers.want(src.signature, getattr(metadata, "tensordesc_meta", None))
        return _launch_nothing

    def note(self, name, registers, shared, spills):
        key = (name, registers, shared, spills)
        if len(self.kernels) < MAX_KERNELS:
            self.kernels[key] = {"name": name, "arch": f"sm_{self.arch}", "registers": registers, "shared": shared,
                                 "spills": spills}

    def get_current_target(self):
        return GPUTarget("cuda", self.arch, WARP_SIZE)

    def get_current_device(self):
        return 0

    def set_current_device(self, device):
        return None

    def get_current_stream(self, device=None):
        return 0

    def get_device_capability(self, device=None):
        return self.arch // 10, self.arch % 10

    def get_active_torch_device(self):
        return torch.device("cuda", 0)

    def get_device_interface(self):
        return torch.cuda

    def get_benchmarker(self):
        return triton.testing.do_bench

    def get_empty_cache_for_benchmark(self):
        return torch.empty(1)

    def clear_cache(self, cache):
        return None

    def map_python_to_cpp_type(self, ty):
        return "CUdeviceptr" if ty.startswith("*") else ty

    def assemble_tensormap_to_arg(self, tensormaps_info, args):
        return args


def install(driver, all_configurations):
    """Makes all of this process's launches compile only, for `driver`. `all_configurations`: of an autotuner, not only the first one
    that compiles. REQUIRES: a child's process; the illusion is on."""
    triton.runtime.driver.set_active(driver)
    run = triton.runtime.jit.JITFunction.run

    def noting_run(self, *args, **kwargs):
        if kwargs.get("warmup"):
            return run(self, *args, **kwargs)
        driver.launches += 1
        try:
            return run(self, *args, **kwargs)
        except (*COMPILE_ERRORS, *LAUNCH_ERRORS) as error:
            driver.error = (error, self)
            raise

    call = triton.runtime.jit.JITFunction.__call__

    def noting_call(self, *args, **kwargs):
        try:
            return call(self, *args, **kwargs)
        except RuntimeError as error:  # a function of the language in host code, which an interpreter would let pass
            driver.error = (error, self)
            raise

    compile_now = triton.runtime.jit.JITFunction._do_compile

    def compile_with_launcher(self, key, signature, *args, **kwargs):
        if driver.launchers is not None:
            driver.launchers.want_early(signature)
        return compile_now(self, key, signature, *args, **kwargs)

    triton.runtime.jit.JITFunction.run = noting_run
    triton.runtime.jit.JITFunction.__call__ = noting_call
    triton.runtime.jit.JITFunction._do_compile = compile_with_launcher
    _patch_assembler()
    _patch_tuning(all_configurations)


def _patch_assembler():
    """Keeps the bytes that ptxas spilled, which stand in its log alone, with the kernel's metadata (and so in the cache)."""
    make_cubin = nvidia_compiler.CUDABackend.make_cubin
    printed = threading.local()

    def keep(*texts, **_):
        printed.log = getattr(printed, "log", "") + " ".join(map(str, texts))

    def make_cubin_and_listen(self, src, metadata, opt, capability):
        triton.knobs.nvidia.dump_ptxas_log = True
        printed.log = ""
        cubin = make_cubin(self, src, metadata, opt, capability)
        metadata[_SPILL_KEY] = max(map(int, re.findall(r"(\d+) bytes spill stores", printed.log)), default=0)
        return cubin

    nvidia_compiler.print = keep  # of that module alone
    nvidia_compiler.CUDABackend.make_cubin = make_cubin_and_listen


def _patch_tuning(all_configurations):
    tuning.without_clock()
    if all_configurations:
        _compile_configurations_together()
    else:
        _stop_at_the_first_that_compiles()


def _stop_at_the_first_that_compiles():
    bench = autotuner.Autotuner._bench
    chosen = {}

    def bench_until_one_compiles(self, *args, config, **meta):
        if chosen.get(id(self)) is self.nargs:
            return [float("inf")] * 3
        times = bench(self, *args, config=config, **meta)
        if times[0] != float("inf"):
            chosen[id(self)] = self.nargs
        return times

    autotuner.Autotuner._bench = bench_until_one_compiles


def _compile_configurations_together():
    prune = autotuner.Autotuner.prune_configs
    workers = concurrent.futures.ThreadPoolExecutor(min(_COMPILERS, len(os.sched_getaffinity(0))))

    def prune_and_compile(self, kwargs):
        configurations = list(prune(self, kwargs))[:MAX_CONFIGURATIONS]
        with AsyncCompileMode(workers, ignore_errors=True):
            for configuration in configurations:
                try:
                    if configuration.pre_hook is not None:
                        configuration.pre_hook({**self.nargs, **kwargs, **configuration.all_kwargs()})
                    self.fn.run(*self.nargs.values(), **{**kwargs, **configuration.all_kwargs(), "warmup": True})
                except Exception:  # comes again when this configuration is benchmarked
                    pass
        return configurations

    autotuner.Autotuner.prune_configs = prune_and_compile


def describe(error, kernel):
    """(kind, message, excerpt, line) of a compile error; line and excerpt in the candidate's file."""
    kind = type(error).__name__
    if isinstance(error, CompilationError):
        return (kind, *_compilation_error(error, kernel))
    function = getattr(kernel, "fn", None)
    code = getattr(function, "__code__", None)
    line = code.co_firstlineno if code else 0
    message = re.split(r"\nRepro command:", str(error))[0]
    return kind, message, excerpt_at(code.co_filename, line) if code else "", line


def _compilation_error(error, kernel):
    """The text is that of the innermost error; the place, of the innermost one that lies in the candidate's own functions."""
    chain = [error]
    while isinstance(chain[-1].__cause__, CompilationError):
        chain.append(chain[-1].__cause__)
    last = chain[-1]
    message = last.error_message or (f"{type(last.__cause__).__name__}: {last.__cause__}" if last.__cause__ else str(last))
    for link in reversed(chain):
        owner = _owner(link.src, kernel)
        if owner is not None and hasattr(link.node, "lineno"):
            line = owner.starting_line_number + _lines_before_def(owner) + link.node.lineno - 1
            text = link.src.split("\n")[link.node.lineno - 1]
            return message, f"> {line:4} {text}\n{' ' * (7 + link.node.col_offset)}^", line
    return message, str(last), 0


def _owner(source, kernel):
    """The JIT function whose source this is, among the kernel and what its module defines."""
    if getattr(kernel, "src", None) == source:
        return kernel
    for value in getattr(getattr(kernel, "fn", None), "__globals__", {}).values():
        if isinstance(value, triton.runtime.jit.JITFunction) and value.src == source:
            return value
    return None


def _lines_before_def(function):
    for i, text in enumerate(function.raw_src):
        if re.match(r"\s*def\s", text):
            return i
    return 0
