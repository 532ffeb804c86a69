# SPDX-License-Identifier: Apache-2.0
"""What one runner compiled, the next one of the same candidate does not compile again."""
import os
import re
import shutil
import subprocess

import pytest
import torch

from judge import Failed, ZygoteProcess
from kbx_runner import triton_cache
from kernels import HEADER

X = torch.rand(64)

SIGNATURES = HEADER + """
@triton.jit
def twice(x):
    return x + x


@triton.jit
def scale(x_ptr, o_ptr, n, factor, B: tl.constexpr, TYPE: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(o_ptr + i, twice(x).to(TYPE) * factor, mask=i < n)


def f(x):
    o = torch.empty_like(x)
    scale[(1,)](x, o, 64, 0.5, B=64, TYPE=tl.bfloat16)
    scale[(1,)](x, o, 63, 2.0, B=64, TYPE=tl.float16)          # not a multiple of 16
    scale[(1,)](x[1:], o[1:], 16, 3.0, B=64, TYPE=tl.float32)  # pointers that are not either
    scale[(1,)](x.to(torch.bfloat16), o, 1, 7, B=32, TYPE=tl.float32)
    return o
"""

CONFIGURATIONS = HEADER + """
@triton.autotune([triton.Config({"B": b}, num_warps=w) for b in (32, 64) for w in (1, 2)], key=["n"], cache_results=True)
@triton.heuristics({"EVEN": lambda a: a["n"] % a["B"] == 0})
@triton.jit
def kernel(x_ptr, o_ptr, n, B: tl.constexpr, EVEN: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    x = tl.load(x_ptr + i) if EVEN else tl.load(x_ptr + i, mask=i < n)
    tl.store(o_ptr + i, x * B, mask=i < n)


def f(x):
    o = torch.empty_like(x)
    kernel[lambda meta: (triton.cdiv(64, meta["B"]),)](x, o, 64)
    return o
"""

CANDIDATES = {"signatures": (SIGNATURES, 4), "configurations": (CONFIGURATIONS, 4)}
TUNE_ALL = {"all_configurations": True}


def compiled(zygote, source, cache=None, **options):
    """(its report, its harvest) after one call."""
    runner = zygote.spawn(own_cache=True)
    try:
        if cache is not None:
            runner.send_cache(cache)
        assert runner.load(source, ["f"], **options) == ("f", "entry")
        answer = runner.call(X)
        assert not isinstance(answer, Failed), answer
        return runner.report(), runner.harvest()
    finally:
        runner.end(kill=True)


@pytest.mark.parametrize("name", CANDIDATES)
def test_what_was_harvested_is_not_compiled_again(compile_zygote, name):
    source, kernels = CANDIDATES[name]
    first, files = compiled(compile_zygote, source, **TUNE_ALL)
    assert first["compiled"] == kernels
    second, _ = compiled(compile_zygote, source, files, **TUNE_ALL)
    assert second["compiled"] == 0 and second["launches"] == first["launches"]
    assert sorted(map(str, second["kernels"])) == sorted(map(str, first["kernels"])) != []  # registers, spills


def test_a_changed_helper_is_compiled_again(compile_zygote):
    _, files = compiled(compile_zygote, SIGNATURES)
    report, _ = compiled(compile_zygote, SIGNATURES.replace("x + x", "x + x + x"), files)
    assert report["compiled"] == 4


def test_a_constant_of_another_type_is_compiled_again(compile_zygote):
    _, files = compiled(compile_zygote, SIGNATURES)
    report, _ = compiled(compile_zygote, SIGNATURES.replace("TYPE=tl.float16", "TYPE=tl.float64"), files)
    assert report["compiled"] == 1


def test_another_architecture_is_compiled_again(compile_zygote):
    _, files = compiled(compile_zygote, SIGNATURES)
    report, _ = compiled(compile_zygote, SIGNATURES, files, arch=80)
    assert report["compiled"] == 4


def test_without_a_gpu_one_configuration_is_enough(compile_zygote):
    report, _ = compiled(compile_zygote, CONFIGURATIONS)
    assert report["compiled"] == 1


def test_times_that_nobody_measured_are_not_handed_on(compile_zygote):
    _, files = compiled(compile_zygote, CONFIGURATIONS, **TUNE_ALL)
    assert files and not [path for path in files if "autotune" in path]


def test_a_configuration_that_does_not_compile_spoils_no_other(compile_zygote):
    source = CONFIGURATIONS.replace("for b in (32, 64)", "for b in (48, 64)")  # a range has to be a power of two
    runner = compile_zygote.spawn(own_cache=True)
    assert runner.load(source, ["f"], **TUNE_ALL) == ("f", "entry")
    answer = runner.call(X)
    report = runner.report()
    runner.end(kill=True)
    # Triton lets such an error through, so the candidate fails; what compiled is there all the same.
    assert isinstance(answer, Failed) and "power of 2" in answer.message and report["compiled"] == 2


def test_host_code_sees_the_device_that_will_run_it(compile_zygote):
    source = SIGNATURES.replace("def f(x):", """def f(x):
    seen = torch.cuda.get_device_properties(0)
    utils = triton.runtime.driver.active.utils.get_device_properties(0)
    assert seen.multi_processor_count == utils["multiprocessor_count"] == 78, (seen, utils)
    assert seen.name == torch.cuda.get_device_name() == "NVIDIA H20" and utils["max_shared_mem"] == 1000
    assert seen.max_threads_per_block == 1024""")
    device = {"name": "NVIDIA H20", "multi_processor_count": 78, "shared_memory_per_block_optin": 1000}
    report, _ = compiled(compile_zygote, source, device=device)
    assert report.get("followed", True), report["why"]


# What is not a plain file of the cache

def entry(tmp_path, name="KEY"):
    folder = tmp_path / "cache" / name
    folder.mkdir(parents=True)
    return folder


def collected(tmp_path):
    return dict(triton_cache.collect(str(tmp_path / "cache")))


def test_links_pipes_and_folders_are_left_where_they_are(tmp_path):
    folder = entry(tmp_path)
    secret = tmp_path / "secret"
    secret.write_text("secret")
    (folder / "plain").write_text("plain")
    (folder / "link").symlink_to(secret)
    (folder / "folder").mkdir()
    os.mkfifo(folder / "pipe")
    (tmp_path / "cache" / "LINK").symlink_to(tmp_path)
    (tmp_path / "cache" / "loose").write_text("loose")
    assert collected(tmp_path) == {"KEY/plain": b"plain"}


def test_names_that_the_judge_refuses_are_left_out(tmp_path):
    folder = entry(tmp_path)
    entry(tmp_path, ".hidden").joinpath("k").write_text("x")
    for name in (".hidden", "a b", "k\n", "\u00e4", "ok"):
        (folder / name).write_text("x")
    assert list(collected(tmp_path)) == ["KEY/ok"]


def test_an_entry_that_does_not_fit_is_left_out_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(triton_cache, "MAX_BYTES", 100)
    for name, size in (("A", 40), ("B", 70), ("C", 40)):
        folder = entry(tmp_path, name)
        (folder / "k.json").write_bytes(b"j" * 5)
        (folder / "k.cubin").write_bytes(b"c" * size)
        (folder / "k.ptx").write_bytes(b"p" * 8)
    # A and C take 90 of 100 bytes; then the text of one of them still fits.
    assert sorted(collected(tmp_path)) == ["A/k.cubin", "A/k.json", "A/k.ptx", "C/k.cubin", "C/k.json"]


def test_more_files_than_one_message_can_list(tmp_path):
    for i in range(900):
        entry(tmp_path, f"{i:052}").joinpath("k.cubin").write_bytes(b"c")
    files = collected(tmp_path)
    assert 500 < len(files) < 900 and sum(len(path) + 12 for path in files) < 60 << 10


# With a driver library that only says that it was called

STUB = """
#include <stdio.h>
#include <stdlib.h>
{functions}
"""


@pytest.fixture(scope="module")
def stub(tmp_path_factory):
    """A folder with a libcuda.so.1 in which every function that Triton's modules need writes its name to a file and fails."""
    if shutil.which("gcc") is None:
        pytest.skip("no C compiler")
    from triton.backends.nvidia import driver
    folder = tmp_path_factory.mktemp("stub")
    text = open(os.path.join(driver.dirname, "driver.c")).read() + driver.make_launcher({}, {"x": "*fp32"}, None)
    names = sorted({"cuInit", "cuDeviceGetCount", "cuDriverGetVersion", "cuGetProcAddress_v2"} | set(re.findall(r"\bcu[A-Z]\w+", text)))
    body = "int {0}(void) {{ FILE *f = fopen(getenv(\"KBX_TEST_CALLS\"), \"a\"); fputs(\"{0}\\n\", f); fclose(f); return 100; }}"
    versioned = [f"{n}_v2" for n in names if not n.endswith("_v2") and f"{n}_v2" not in names]
    source = folder / "cuda.c"
    source.write_text(STUB.format(functions="\n".join(body.format(n) for n in names + versioned)))
    subprocess.run(["gcc", "-w", "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", "-o", folder / "libcuda.so.1", source], check=True)
    return folder


def with_stub(role, stub, calls):
    return ZygoteProcess(role, TRITON_LIBCUDA_PATH=str(stub), LD_LIBRARY_PATH=str(stub), KBX_TEST_CALLS=str(calls),
                         TRITON_CACHE_DIR=str(stub / role))


def launchers(files):
    return [path for path in files if path.split("/")[1].startswith("__triton_launcher")]


def test_launchers_are_built_beside_the_kernels_and_only_once(stub, tmp_path):
    zygote = with_stub("compile", stub, tmp_path / "calls")
    try:
        first, files = compiled(zygote, SIGNATURES)
        # fp32 and bf16 inputs; the launcher is the same for all pointers, for constants and for 1, which is a constant too.
        assert first["launchers_built"] == len(launchers(files)) > 0
        second, again = compiled(zygote, SIGNATURES, files)
        assert second["compiled"] == second["launchers_built"] == 0 and set(again) == set(files)
    finally:
        zygote.close()
    assert not (tmp_path / "calls").exists()  # and none was loaded


IN_THE_CHILD = """
import triton

def f(x):
    assert triton.runtime.driver.active is triton.runtime.driver.default
    assert triton.runtime.driver.active.utils.load_binary
    return x
"""


def test_a_zygote_for_the_gpu_makes_tritons_driver_without_touching_cuda(stub, tmp_path):
    zygote = with_stub("cuda", stub, tmp_path / "calls")
    try:
        shutil.rmtree(stub / "cuda")  # as out of sight of a child in its own namespaces
        assert not (tmp_path / "calls").exists(), (tmp_path / "calls").read_text()
        runner = zygote.spawn(own_cache=True)
        assert runner.load(IN_THE_CHILD, ["f"], flags=0) == ("f", "entry")
        assert runner.report()["launchers_built"] == 0
        runner.end(kill=True)
    finally:
        zygote.close()
