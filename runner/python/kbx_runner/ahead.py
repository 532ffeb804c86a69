# SPDX-License-Identifier: Apache-2.0
"""What Triton makes besides kernels before it can launch one, made early: its driver object, keys, and a launcher for each signature.

A launcher is C that triton.backends.nvidia.driver writes and the system's compiler turns into a module in Triton's cache."""
import concurrent.futures
import hashlib
import subprocess
import sysconfig
import tempfile
from pathlib import Path

import triton
from triton.backends.nvidia import compiler as nvidia_compiler
from triton.backends.nvidia import driver as nvidia_driver
from triton.runtime import build
from triton.runtime.cache import get_cache_manager, triton_key

from . import cuda_illusion

_NAME = "__triton_launcher"
_WORKERS = 4


def compute_keys():
    """What every key of the cache contains: digests of Triton's own files, versions of its tools. Most of a second."""
    triton_key()
    for arch in cuda_illusion.ARCHITECTURES:
        nvidia_compiler.get_ptxas_version(arch)
        nvidia_compiler.get_ptxas(arch)
        nvidia_compiler.CUDAOptions(arch=f"sm{arch}").hash()


def can_link():
    """Whether the driver's library is there. Triton remembers its place."""
    try:
        nvidia_driver.library_dirs()
    except (AssertionError, OSError, subprocess.SubprocessError):
        return False
    return True


def make_driver():
    """Makes Triton's driver object the one of this process and its children, without a question to CUDA, which could not be used after
    a fork any more. Its module stays loaded where the file is out of sight. False: this machine has no driver or no C compiler."""
    if not can_link():
        return False
    try:
        driver = nvidia_driver.CudaDriver()
    except (ImportError, OSError, RuntimeError, subprocess.SubprocessError):
        return False
    triton.runtime.driver._default = driver
    triton.runtime.driver.set_active(driver)
    return True


class Launchers:
    """Builds launchers into the cache, beside whatever else goes on, and loads none."""

    def __init__(self):
        self._workers = concurrent.futures.ThreadPoolExecutor(_WORKERS)
        self._builds = {}

    def want(self, signature, described=None):
        """`signature`: of a kernel's ASTSource; `described`: the metadata's tensordesc_meta."""
        try:
            source = nvidia_driver.make_launcher({}, signature, described)
        except Exception:  # the runner that needs it says why it cannot be made
            return
        key = hashlib.sha256((source + build.platform_key()).encode()).hexdigest()  # as compile_module_from_src
        if key not in self._builds:
            self._builds[key] = self._workers.submit(self._build, source, get_cache_manager(key))

    def want_early(self, signature):
        """The same before the kernel is compiled, where the launcher does not depend on that."""
        if not any(isinstance(kind, str) and kind.startswith("tensordesc") for kind in signature.values()):
            self.want(signature)

    def settle(self):
        concurrent.futures.wait(self._builds.values())

    @staticmethod
    def _build(source, cache):
        file = _NAME + sysconfig.get_config_var("EXT_SUFFIX")
        if cache.get_file(file) is not None:
            return
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, _NAME + ".c")
            path.write_text(source)
            shared = build._build(_NAME, str(path), folder, nvidia_driver.library_dirs(), nvidia_driver.include_dirs,
                                  nvidia_driver.libraries, [])
            cache.put(Path(shared).read_bytes(), file, binary=True)


class Counts:
    """How many kernels and launchers this process had to compile itself, from now on. REQUIRES: a child's process."""

    def __init__(self):
        self._kernels, self._launchers = [], []  # appending is safe in threads
        make_cubin, build_module = nvidia_compiler.CUDABackend.make_cubin, build._build

        def make_counted_cubin(*args, **kwargs):
            self._kernels.append(None)
            return make_cubin(*args, **kwargs)

        def build_counted_module(*args, **kwargs):
            self._launchers.append(None)
            return build_module(*args, **kwargs)

        nvidia_compiler.CUDABackend.make_cubin = make_counted_cubin
        build._build = build_counted_module

    def report(self):
        return {"compiled": len(self._kernels), "launchers_built": len(self._launchers)}
