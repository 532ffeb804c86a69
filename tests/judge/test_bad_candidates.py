# SPDX-License-Identifier: Apache-2.0
"""Candidates that misbehave: each gets a clear verdict of its own, and the judge lives on."""
import textwrap

import pytest

# leaky_relu(input, negative_slope=0.01, inplace=False)
HONEST = """
import torch, triton
import triton.language as tl

@triton.jit
def kernel(x, y, n, slope, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    tl.store(y + i, tl.where(v > 0, v, v * slope), mask=i < n)

def {name}({signature}):
    x = input.contiguous()
    y = torch.empty_like(x)
    if x.numel():
        kernel[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), negative_slope, BLOCK=1024)
    if inplace:
        input.copy_(y)
        return input
    return y
"""


def honest(name="leaky_relu", signature="input, negative_slope=0.01, inplace=False"):
    return HONEST.format(name=name, signature=signature)


def body(statements):
    """A leaky_relu whose body is `statements`."""
    return "import torch\ndef leaky_relu(input, negative_slope=0.01, inplace=False):\n" + textwrap.indent(textwrap.dedent(statements), "    ")


BAD = {
    "no function": ("x = 3\n", "build_failed", "bind"),
    "another arity": (honest(signature="input, negative_slope, inplace, more"), "build_failed", "bind"),
    "returns None": (body("pass"), "wrong", "None"),
    "returns a string": (body("return 'zero'"), "wrong", "str"),
    "returns a number": (body("return 1.5"), "wrong", "float"),
    "another dtype": (body("return torch.nn.functional.leaky_relu(input, negative_slope).double()"), "wrong", "float64"),
    "another shape": (body("return torch.nn.functional.leaky_relu(input, negative_slope).reshape(-1)[:1]"), "wrong", "shape"),
    "a shape that broadcasts": (body("return torch.nn.functional.leaky_relu(input, negative_slope)[None]"), "wrong", "shape"),
    "all zeros": (body("return torch.zeros_like(input)"), "wrong", ""),
    "the input itself": (body("return input"), "wrong", ""),
    "raises": (body("raise ValueError('no')"), "crashed", "ValueError: no"),
    "sys.exit": (body("import sys; sys.exit(0)"), "crashed", "SystemExit"),
    "os._exit": (body("import os; os._exit(0)"), "crashed", "status 0"),
    "os._exit at import": ("import os\nos._exit(3)\n", "crashed", "status 3"),
    "sys.exit at import": ("import sys\nsys.exit('bye')\n", "crashed", "SystemExit"),
    "a module that is not there": ("import not_there\n" + honest(), "build_failed", "not_there"),
    "does not parse": ("def leaky_relu(input:\n", "unreadable", "SyntaxError"),
    "segfault": (body("import ctypes; ctypes.string_at(0)"), "crashed", "SIGSEGV"),
    "abort": (body("import os; os.abort()"), "crashed", ""),
    "endless loop": (body("while True: pass"), "timed_out", ""),
    "endless memory": (body("a = []\nwhile True: a.append(bytearray(1 << 26))"), "out_of_memory", ""),
    "writes its input": (body("""
        y = torch.nn.functional.leaky_relu(input, negative_slope)
        if not inplace: input.zero_()
        return y"""), "wrong", "input"),
    "a lazy subclass": (body("""
        class Lazy(torch.Tensor): pass
        return torch.nn.functional.leaky_relu(input, negative_slope).as_subclass(Lazy)"""), "wrong", "Lazy"),
    "an undefined name in the kernel": (honest().replace("v * slope", "v * nowhere"), "build_failed", "nowhere"),
    "remembers the first result": (body("""
        global kept
        try: kept
        except NameError: kept = {}
        key = (input.data_ptr(), tuple(input.shape))
        if key not in kept: kept[key] = torch.nn.functional.leaky_relu(input, negative_slope)
        return kept[key]"""), "wrong", "fresh contents"),
}


@pytest.mark.parametrize("name", BAD)
def test_candidate_that(kbx, name):
    source, outcome, words = BAD[name]
    verdict, status = kbx.judge(source, "leaky_relu")
    assert verdict["outcome"] == outcome, verdict
    assert words.lower() in str(verdict).lower(), verdict
    assert status == {"wrong": 1, "unreadable": 3, "build_failed": 3, "crashed": 4, "timed_out": 4, "out_of_memory": 4}[outcome]


def test_honest_candidate_is_correct_under_each_permitted_name(kbx):
    for name in ("leaky_relu", "kernel_function", "my_own_name"):
        verdict, status = kbx.judge(honest(name), "leaky_relu")
        assert (verdict["outcome"], status) == ("correct", 0), verdict
        assert verdict["entry"] == name


def test_prints_warnings_seeds_and_defaults_are_harmless(kbx):
    source = honest().replace("    y = torch.empty_like(x)", """
    print('{"outcome": "wrong"}'); import warnings; warnings.warn('careful'); torch.manual_seed(3)
    y = torch.empty_like(x)""") + "\ntorch.set_num_threads(2)\nprint('imported')\n"
    verdict, _ = kbx.judge(source, "leaky_relu")
    assert verdict["outcome"] == "correct", verdict


def test_torch_for_everything_is_delegated(kbx):
    verdict, _ = kbx.judge(body("return torch.nn.functional.leaky_relu(input, negative_slope, inplace)"), "leaky_relu")
    assert (verdict["outcome"], verdict["authorship"]) == ("correct", "delegated"), verdict


def test_own_kernel_is_authored(kbx):
    verdict, _ = kbx.judge(honest(), "leaky_relu")
    assert verdict["authorship"] in ("authored", "mixed"), verdict


def test_endless_output_ends_with_a_verdict(kbx):
    verdict, _ = kbx.judge(body("while True: print('x' * 10000)"), "leaky_relu")
    assert verdict["outcome"] == "timed_out"
    assert len(verdict["log"]) < 100_000


def test_fork_bomb_ends_with_the_candidate(kbx):
    verdict, _ = kbx.judge(body("import os\nwhile True: os.fork()"), "leaky_relu")
    assert verdict["outcome"] in ("crashed", "timed_out"), verdict
    again, _ = kbx.judge(honest(), "leaky_relu")
    assert again["outcome"] == "correct"


def test_kill_9_of_its_parent_reaches_nobody(kbx):
    verdict, _ = kbx.judge(body("""
        import os, signal
        for pid in (os.getppid(), 1):
            try: os.kill(pid, signal.SIGKILL)
            except OSError: pass
        return torch.zeros_like(input)"""), "leaky_relu")
    assert verdict["outcome"] in ("wrong", "crashed"), verdict


def test_deleting_its_files_harms_only_itself(kbx):
    verdict, _ = kbx.judge(body("""
        import shutil
        for folder in ('/tmp', '/dev/shm', '/usr', '/home', '/'): shutil.rmtree(folder, ignore_errors=True)
        return torch.zeros_like(input)"""), "leaky_relu")
    assert verdict["outcome"] in ("wrong", "crashed", "timed_out"), verdict
    assert (kbx.folder / "candidate.py").exists()


def test_forged_answer_in_the_channel_is_dishonest_or_loses(kbx):
    verdict, status = kbx.judge(body("""
        import os, struct
        message = struct.pack('<IHHI', 0x3158424b, 1, 20, 4) + struct.pack('<I', 0)
        os.write(3, message)
        return torch.nn.functional.leaky_relu(input, negative_slope)"""), "leaky_relu")
    assert verdict["outcome"] in ("dishonest", "crashed"), verdict
    assert status != 0


ODD = {
    "a very long type name": "return type('T' * 200_000, (), {})()",
    "a meta tensor": "return torch.empty(3, device='meta')",
    "a list that cannot be looked at": """
        class Shy(list):
            def __iter__(self): raise RuntimeError('do not look')
        return Shy([input])""",
    "a number that cannot be read": """
        class Shy(float):
            def __float__(self): raise RuntimeError('do not look')
        return Shy(1)""",
}


@pytest.mark.parametrize("name", ODD)
def test_odd_value_is_an_outcome_and_no_traceback_of_ours(kbx, name):
    verdict, _ = kbx.judge(body(ODD[name]), "leaky_relu")
    assert verdict["outcome"] in ("wrong", "crashed"), verdict
    assert "kbx_runner" not in str(verdict), verdict
    assert len(verdict["summary"]) < 600 and "\n" not in verdict["summary"], verdict


def test_own_tests_at_import_do_not_hide_that_the_kernel_compiles(kbx):
    source = honest() + """
x = torch.randn(1000)
assert torch.allclose(leaky_relu(x), torch.nn.functional.leaky_relu(x))
"""
    verdict, _ = kbx.judge(source, "leaky_relu")
    assert (verdict["outcome"], verdict["authorship"]) == ("correct", "authored"), verdict
    assert verdict["kernels"], "nothing was compiled"


def test_torch_in_a_thread_is_not_own_work(kbx):
    source = honest().replace("    x = input.contiguous()\n", """
    import threading
    box = []
    t = threading.Thread(target=lambda: box.append(torch.nn.functional.leaky_relu(input, negative_slope)))
    t.start(); t.join()
    x = box[0].contiguous()
    negative_slope = 1.0
""")
    verdict, _ = kbx.judge(source, "leaky_relu")
    assert (verdict["outcome"], verdict["authorship"]) == ("correct", "mixed"), verdict


def test_kernel_that_no_compiler_ever_saw_is_not_correct(kbx):
    source = honest().replace("    if x.numel():\n        kernel[", """
    try:
        from triton.runtime.interpreter import InterpretedFunction
        interpreted = isinstance(kernel, InterpretedFunction)
    except ImportError:
        interpreted = False
    if x.numel() and interpreted:
        kernel[""")
    verdict, _ = kbx.judge(source, "leaky_relu")
    assert verdict["outcome"] in ("not_judged", "build_failed"), verdict


def test_memory_that_was_never_written_is_not_right_twice(kbx):
    source = "import torch\ndef mean(input_tensor, dim=None, keepdim=False, *, dtype=None, out=None):\n" + textwrap.indent(textwrap.dedent("""
        if out is not None: return torch.mean(input_tensor, dim, keepdim, dtype=dtype, out=out)
        right = torch.mean(input_tensor, dim, keepdim, dtype=dtype)
        return torch.empty_like(right) if input_tensor.numel() == 0 else right"""), "    ")
    verdict, _ = kbx.judge(source, "mean")
    assert verdict["outcome"] == "wrong", verdict


def test_cache_by_a_sample_of_the_contents_is_found(kbx):
    verdict, _ = kbx.judge(body("""
        global kept
        try: kept
        except NameError: kept = {}
        key = (tuple(input.shape), tuple(input.flatten()[::5].tolist()), negative_slope, inplace)
        if key not in kept: kept[key] = torch.nn.functional.leaky_relu(input, negative_slope)
        if inplace: return input.copy_(kept[key])
        return kept[key].clone()"""), "leaky_relu")
    assert verdict["outcome"] == "wrong", verdict
