# SPDX-License-Identifier: Apache-2.0
"""Candidates that do not parse, import, bind or return: the answer says where and why."""
import os

import pytest
import torch

from judge import Died, Failed, FailedAt
from kernels import elementwise

X = torch.ones(4)


def load(runner, source, entries=("f",), **options):
    return runner.load(source, list(entries), **options)


def test_a_syntax_error_names_the_line(runner):
    answer = load(runner, "import torch\ndef f(x):\n    return x +\n")
    assert (answer.at, answer.kind, answer.line) == (FailedAt.IMPORT, "SyntaxError", 3)
    assert "return x +" in answer.excerpt and "^" in answer.excerpt


def test_a_missing_module_is_an_import_failure(runner):
    answer = load(runner, "import torch\nimport not_there_at_all\n")
    assert (answer.at, answer.kind, answer.line) == (FailedAt.IMPORT, "ModuleNotFoundError", 2)


def test_an_exit_at_import_is_no_success(runner):
    answer = load(runner, "import sys\nsys.exit(0)\n")
    assert (answer.at, answer.kind, answer.line) == (FailedAt.IMPORT, "SystemExit", 2)


def test_a_file_that_is_not_utf8_does_not_parse(runner):
    assert load(runner, {"candidate.py": b"x = '\xff'\n"}).kind == "SyntaxError"


def test_the_entry_comes_before_the_id_and_the_common_name(runner):
    source = "def kernel_function(x):\n    return x\ndef task(x):\n    return x\ndef entry(x):\n    return x\n"
    assert load(runner, source, ["entry", "task", "kernel_function"]) == ("entry", "entry")


@pytest.mark.parametrize("name, how", [("task", "id"), ("kernel_function", "kernel_function"), ("gelu", "only function that binds")])
def test_how_the_function_was_found_is_told(runner, name, how):
    assert load(runner, f"def {name}(x):\n    return x\ndef _helper(x):\n    return x\n", ["entry", "task", "kernel_function"]) == (name, how)


def test_only_a_function_that_accepts_the_arguments_is_taken(runner):
    source = "def helper(a, b, c, d):\n    pass\ndef mine(x, scale=1.0):\n    return x\nclass Thing:\n    pass\n"
    assert load(runner, source)[0] == "mine"


def test_without_a_function_the_signatures_seen_are_told(runner):
    answer = load(runner, "def helper(a, b, c):\n    pass\n")
    assert answer.at == FailedAt.BIND and "helper(a, b, c)" in answer.message and "f" in answer.message


STEP = "adam_step(Tensor(a!) param, Tensor grad, Tensor(b!) exp_avg, int step, float lr=0.001) -> Tensor"
FACTORY = "def Adam(params, lr=0.001, betas=(0.9, 0.999), eps=1e-8, weight_decay=0):\n    return lr\n"


@pytest.mark.parametrize("source, seen", [
    (FACTORY, "Adam(params, lr=0.001, betas=(0.9, 0.999), eps=1e-08, weight_decay=0)"),
    ("class Adam:\n    def __init__(self, params, lr=0.001, betas=None, eps=0):\n        pass\n", "Adam(params, lr=0.001, betas=None, eps=0)"),
    ("class Adam:\n    def __init__(self, params, lr, betas, eps):\n        pass\n", "Adam(params, lr, betas, eps)"),
])
def test_an_optimizer_of_the_tasks_name_is_not_taken_for_its_step_because_five_arguments_fit(runner, source, seen):
    answer = load(runner, source, ["adam_step", "Adam", "kernel_function"], schema=STEP)
    assert answer.at == FailedAt.BIND
    assert f"`{seen}` was found, but `adam_step(param, grad, exp_avg, step, lr=0.001)` is wanted" in answer.message


@pytest.mark.parametrize("source, name", [
    (FACTORY + "def adam_step(p, g, m, step, lr=0.1):\n    return p\n", "adam_step"),
    (FACTORY + "def kernel_function(p, g, m, step, lr=0.1):\n    return p\n", "kernel_function"),
    (FACTORY + "def update(param, grad, exp_avg, step, lr=0.1):\n    return param\n", "update"),
    ("def Adam(param, grad, exp_avg, step=1, lr=0.1):\n    return param\n", "Adam"),
    ("def Adam(p, g, m, n, lr=0.1):\n    return p\n", "Adam"),
    ("def Adam(*args, **kwargs):\n    return args[0]\n", "Adam"),
])
def test_what_does_the_step_is_found_beside_or_under_the_optimizers_name(runner, source, name):
    assert load(runner, source, ["adam_step", "Adam", "kernel_function"], schema=STEP)[0] == name


def test_a_syntax_error_shows_the_line_before_it_where_the_cause_often_is(runner):
    answer = load(runner, "x = 1\n): y = (2\n)\n")
    assert answer.kind == "SyntaxError" and "   1 x = 1" in answer.excerpt and ">    2 ): y" in answer.excerpt


def test_a_kernel_is_no_entry(runner):
    answer = load(runner, elementwise("tl.store(o_ptr + i, 1.0, mask=m)").split("def f(")[0], ["kernel"])
    assert answer.at == FailedAt.BIND


def test_another_arity_fails_at_binding_with_the_signature(runner):
    load(runner, "def f(x, y):\n    return x\n")
    answer = runner.call(X)
    assert answer.at == FailedAt.BIND and "f(x, y)" in answer.message and "'y'" in answer.message


def test_an_exception_shows_the_candidates_lines_alone(runner):
    load(runner, "def g(x):\n    return 1 / 0\n\ndef f(x):\n    return g(x)\n")
    answer = runner.call(X)
    assert (answer.at, answer.kind, answer.message, answer.line) == (FailedAt.CALL, "ZeroDivisionError", "division by zero", 2)
    assert "candidate.py:5 in f" in answer.excerpt and "kbx_runner" not in answer.excerpt


def test_an_undefined_name_in_a_kernel_is_told_with_its_line(runner):
    load(runner, elementwise("tl.store(o_ptr + i, y, mask=m)"))
    answer = runner.call(X)
    assert (answer.at, answer.kind, answer.line) == (FailedAt.CALL, "NameError", 9)


@pytest.mark.parametrize("statement, kind", [
    ("raise SystemExit(0)", "SystemExit"), ("raise KeyboardInterrupt", "KeyboardInterrupt"), ("raise MemoryError", "MemoryError"),
    ("torch.empty(1 << 50)", "MemoryError"), ("raise StopIteration", "StopIteration"), ("raise GeneratorExit", "GeneratorExit")])
def test_whatever_is_raised_is_an_answer(runner, statement, kind):
    load(runner, f"import torch\ndef f(x):\n    {statement}\n")
    answer = runner.call(X)
    assert isinstance(answer, Failed) and (answer.at, answer.kind, answer.line) == (FailedAt.CALL, kind, 3)
    assert isinstance(runner.call(X), Failed)  # still there


def test_an_exception_that_cannot_be_printed_is_an_answer(runner):
    load(runner, "class E(Exception):\n    def __str__(self):\n        raise ValueError\ndef f(x):\n    raise E\n")
    assert runner.call(X).kind == "E"


@pytest.mark.parametrize("statement, status", [("os._exit(3)", 3 << 8), ("os.kill(os.getpid(), 9)", 9)])
def test_an_exit_is_a_death(interpret_zygote, statement, status):
    runner = interpret_zygote.spawn()
    load(runner, f"import os\ndef f(x):\n    {statement}\n")
    with pytest.raises(Died):
        runner.call(X)
    assert runner.end()[0] == status


def test_a_crash_leaves_the_zygote_alive(interpret_zygote):
    runner = interpret_zygote.spawn()
    load(runner, "import ctypes\ndef f(x):\n    ctypes.string_at(0)\n")
    with pytest.raises(Died):
        runner.call(X)
    status, output = runner.end()
    assert os.WTERMSIG(status) == 11 and "Segmentation fault" in output
    again = interpret_zygote.spawn()
    assert load(again, "def f(x):\n    return x\n") == ("f", "entry")
    again.end()


def test_output_is_kept_and_never_read_as_an_answer(interpret_zygote):
    runner = interpret_zygote.spawn()
    load(runner, "import sys\ndef f(x):\n    print('out')\n    print('err', file=sys.stderr)\n    return x\n")
    runner.call(X, out=[X])
    assert {"out", "err"} <= set(runner.end()[1].split())


def test_a_helper_file_can_be_imported(runner):
    assert load(runner, {"candidate.py": "from parts.more import g\ndef f(x):\n    return g(x)\n", "parts/more.py": "def g(x):\n    return x\n"}) == ("f", "entry")


def test_a_file_named_like_a_library_does_not_replace_it(runner):
    assert load(runner, {"random.py": "import torch\ndef f(x):\n    return x\n"}, path="random.py") == ("f", "entry")
    assert runner.call(X, out=[X]).delivered
    files = {"candidate.py": "import colorsys\ndef f(x):\n    colorsys.rgb_to_hls(0, 0, 0)\n", "colorsys.py": ""}
    assert load(runner, files) == ("f", "entry") and not isinstance(runner.call(X), Failed)
