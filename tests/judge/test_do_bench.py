# SPDX-License-Identifier: Apache-2.0
"""bench/do_bench.py: what it makes of the catalogue's perf cases, as far as that needs no GPU."""
import importlib.util
import json

import pytest
import torch
from conftest import BIN, ROOT

spec = importlib.util.spec_from_file_location("do_bench", ROOT / "bench" / "do_bench.py")
do_bench = importlib.util.module_from_spec(spec)
spec.loader.exec_module(do_bench)


@pytest.fixture(scope="module")
def tasks():
    catalogue = json.loads((BIN.parent / "share" / "kbx" / "catalogue.json").read_text())
    return {task["id"]: task for task in catalogue}


def test_most_perf_cases_of_a_gpu_can_be_made(tasks):
    made, left_out = 0, {}
    for task in tasks.values():
        for line in task["perf_gpu"]:
            try:
                do_bench.parse(task, line)
                made += 1
            except do_bench.Unsupported as why:
                left_out[task["id"], line[:80]] = str(why)
    assert made >= 0.6 * (made + len(left_out)), left_out


def test_arguments_go_where_the_line_puts_them(tasks):
    args, kwargs = do_bench.parse(tasks["gelu"], "measure: input=randn[2,3]:bf16@scale(0.5) approximate=tanh")
    assert kwargs == {"approximate": "tanh"} and len(args) == 1
    tensor = args[0].draw("cpu")
    assert tensor.shape == (2, 3) and tensor.dtype == torch.bfloat16
    args, kwargs = do_bench.parse(tasks["gelu"], "input=randn[2,3] approximate=tanh *")
    assert args[1] == "tanh" and kwargs == {}
    args, kwargs = do_bench.parse(tasks["gelu"], "* input=randn[2,3]")
    assert args == [] and list(kwargs) == ["input"]


@pytest.mark.parametrize("recipe, low, high, dtype", [("uniform(2,3)[1000]", 2, 3, torch.float32), ("randint(-3,4)[1000]:i8", -3, 3, torch.int8),
                                                      ("full(7)[4]:f64@shift(1)", 8, 8, torch.float64),
                                                      ("loguniform(0.5,2)[1000]:f64", 0.5, 2, torch.float64)])
def test_elements_lie_where_the_recipe_says(recipe, low, high, dtype):
    tensor = do_bench.Recipe(recipe).draw("cpu")
    assert tensor.dtype == dtype and tensor.min() >= low and tensor.max() <= high


@pytest.mark.parametrize("recipe", ["spd(1)[4,4]", "randn[4]@strided", "randn", "arange[4]"])
def test_what_it_does_not_know_is_skipped(recipe):
    with pytest.raises(do_bench.Unsupported):
        do_bench.Recipe(recipe)


def test_lists_are_cut_at_their_own_commas():
    assert do_bench.items("[randn[2,3],uniform(0,1)[4]]") == ["randn[2,3]", "uniform(0,1)[4]"] and do_bench.items("[]") == []


def test_a_reference_is_called_as_the_case_says(tasks):
    task = tasks["gelu"]
    args, kwargs = do_bench.parse(task, "input=randn[64] approximate=tanh")
    x = do_bench.drawn(args[0], "cpu")
    y = do_bench.baseline(BIN.parent / "lib" / "libkbx_reference.so", task["entry"], "cpu")(x, **kwargs)
    torch.testing.assert_close(y, torch.nn.functional.gelu(x, approximate="tanh"))


def test_the_table_counts_ratios_within_the_interval(tmp_path):
    file = tmp_path / "verdicts.jsonl"
    case = {"line": "measure: input=randn[4]", "speedup": {"value": 2.0, "low": 1.9, "high": 2.1}}
    file.write_text(json.dumps({"candidate": "gelu/a.py", "detail": {"efficiency": {"cases": [case]}}}) + "\n")
    interval = do_bench.known_interval(do_bench.intervals(file), tmp_path / "gelu" / "a.py", "input=randn[4]")
    assert interval == case["speedup"]
    row = {"task": "gelu", "case": "input=randn[4]", "baseline_ms": 2.0, "candidate_ms": 1.0, "ratio": 2.0, "kbx": interval, "within": True}
    text = do_bench.markdown([row, {**row, "within": False}, {"task": "gelu", "case": "x", "skipped": "generator spd"}])
    assert "1 of 2" in text and "skipped: generator spd" in text
