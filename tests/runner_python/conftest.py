# SPDX-License-Identifier: Apache-2.0
import pytest

from device import ON_GPU, GpuRunner
from judge import ZygoteProcess


@pytest.fixture(scope="session")
def interpret_zygote():
    zygote = None if ON_GPU else ZygoteProcess("interpret")
    yield zygote
    if zygote is not None:
        zygote.close()


@pytest.fixture(scope="session")
def compile_zygote(tmp_path_factory):
    zygote = ZygoteProcess("compile")
    yield zygote
    zygote.close()


@pytest.fixture
def runner(interpret_zygote):
    """A fresh child under the interpreter."""
    runner = GpuRunner() if ON_GPU else interpret_zygote.spawn()
    yield runner
    runner.end(kill=True)


@pytest.fixture
def compiler(compile_zygote):
    """A fresh child that compiles and launches nothing."""
    runner = compile_zygote.spawn()
    yield runner
    runner.end(kill=True)
