#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times Triton candidates and eager baselines by triton.testing.do_bench, beside the intervals that kbx gives for the same cases.

    bench/do_bench.py [FILE.py ...] [--task TASK] [--kbx PATH] [--verdicts FILE] [--markdown]

Without FILEs: examples/solutions and examples/gpu. A file's task is its folder's name unless --task says it. Each perf case for a
GPU gives one line of JSON with do_bench's medians (its own flush of the L2 cache, its own number of calls) and their ratio; with
--verdicts (what `kbx export DIR --format verdicts` prints) also kbx's interval, and whether the ratio lies within. Inputs are drawn
by torch as the case's recipes say; a recipe that this script does not know is skipped, and says why.
"""
import argparse
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys

import torch

ROOT = pathlib.Path(__file__).resolve().parents[1]
STAGE = "measure: "
DTYPES = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64, "c64": torch.complex64,
          "c128": torch.complex128, "u8": torch.uint8, "i8": torch.int8, "i16": torch.int16, "i32": torch.int32,
          "i64": torch.int64, "bool": torch.bool}
NUMBERS = r"\(([^()]*)\)"
RECIPE = re.compile(rf"([a-z]+)(?:{NUMBERS})?(?:\[([\d,]*)\])?(?::(\w+))?((?:@\w+(?:{NUMBERS})?)*)")
MOD = re.compile(rf"@(\w+)(?:{NUMBERS})?")
# By generator: its default type, and how torch draws it. `f`: how floating numbers are made.
GENERATORS = {
    "randn": ("f32", lambda p, d, f: torch.randn(d, **f)),
    "uniform": ("f32", lambda p, d, f: torch.rand(d, **f) * ((p or [0, 1])[1] - (p or [0, 1])[0]) + (p or [0])[0]),
    "loguniform": ("f32", lambda p, d, f: p[0] * (p[1] / p[0]) ** torch.rand(d, **f)),
    "randint": ("i64", lambda p, d, f: torch.randint(int(p[0]), int(p[1]), d, device=f["device"])),
    "bernoulli": ("bool", lambda p, d, f: torch.rand(d, device=f["device"]) < p[0]),
    "zeros": ("f32", lambda p, d, f: torch.zeros(d, **f)),
    "ones": ("f32", lambda p, d, f: torch.ones(d, **f)),
    "full": ("f32", lambda p, d, f: torch.full(d, p[0], **f)),
}
MODS = {"scale": lambda t, p: t * p[0], "shift": lambda t, p: t + p[0], "fixed": lambda t, p: t, "draw": lambda t, p: t}


class Unsupported(Exception):
    """A case that cannot be made here; the text says why."""


class Recipe:
    def __init__(self, text):
        matched = RECIPE.fullmatch(text)
        if not matched or matched[3] is None:
            raise Unsupported(f"`{text[:40]}` is no recipe with sizes")
        self.generator, self.parameters = matched[1], numbers(matched[2])
        self.sizes = [int(size) for size in matched[3].split(",") if size]
        self.mods = [(name, numbers(parameters)) for name, parameters in MOD.findall(matched[5])]
        if self.generator not in GENERATORS:
            raise Unsupported(f"generator {self.generator}")
        for name, _ in self.mods:
            if name not in MODS:
                raise Unsupported(f"modifier {name}")
        self.dtype = DTYPES[matched[4] or GENERATORS[self.generator][0]]

    def draw(self, device):
        exact = self.dtype if self.dtype in (torch.float64, torch.complex64, torch.complex128) else torch.float32
        tensor = GENERATORS[self.generator][1](self.parameters, self.sizes, {"dtype": exact, "device": device})
        for name, parameters in self.mods:
            tensor = MODS[name](tensor, parameters)
        return tensor.to(self.dtype)


def numbers(text):
    return [float(number) for number in text.split(",")] if text else []


def items(text):
    """What stands between the brackets of a list, cut at its own commas."""
    found, depth, begin = [], 0, 1
    for at, letter in enumerate(text[1:-1], 1):
        depth += letter in "[(" and 1 or letter in "])" and -1
        if letter == "," and depth == 0:
            found.append(text[begin:at])
            begin = at + 1
    return found + [text[begin:-1]] if len(text) > 2 else []


def number(text):
    try:
        return int(text)
    except ValueError:
        return float(text)


def value_of(argument, text, schema):
    """What an argument's text says: a Recipe, a list of them, or a Python value."""
    kind = argument["kind"]
    if argument["out"]:
        raise Unsupported("the case gives an output")
    if text == "none":
        return None
    if kind == "tensor":
        return number(text) if re.fullmatch(r"[-+.\deinf]+", text) else Recipe(text)
    if kind == "tensors":
        return [Recipe(item) for item in items(text)]
    if kind in ("ints", "floats", "bools"):
        one = {"ints": int, "floats": float, "bools": "true".__eq__}[kind]
        if text.startswith("["):
            return [one(item) for item in items(text)]
        length = re.search(rf"\[(\d+)\]\?? {argument['name']}\b", schema)
        return [one(text)] * int(length[1] if length else 1)
    if kind == "device":
        raise Unsupported("the case names a device")
    return {"int": number, "float": number, "bool": "true".__eq__, "str": str, "dtype": DTYPES.get}[kind](text)


def parse(task, line):
    """(positional, keyword) of a perf case of `task` (an object of `kbx show --json`). Raises Unsupported."""
    words = line.removeprefix(STAGE).split()
    star = words.index("*") if "*" in words else None
    texts = dict(word.split("=", 1) for word in words if word != "*")
    before = {word.split("=", 1)[0] for word in words[:star]}
    args, kwargs, leading = [], {}, True
    for argument in task["arguments"]:
        name = argument["name"]
        required = argument["default"] is None and not argument["keyword"]
        leading = leading and name in texts and (name in before if star is not None else required)
        if name in texts:
            value = value_of(argument, texts.pop(name), task["schema"])
            if leading:
                args.append(value)
            else:
                kwargs[name] = value
    if texts:
        raise Unsupported(f"arguments {', '.join(texts)} are not in the schema")
    return args, kwargs


def drawn(value, device):
    if isinstance(value, Recipe):
        return value.draw(device)
    if isinstance(value, list):
        return [drawn(item, device) for item in value]
    return value


def load(path, entry, task):
    """The candidate's function."""
    spec = importlib.util.spec_from_file_location(f"candidate_{task}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name in (entry, task, "kernel_function"):
        if callable(getattr(module, name, None)):
            return getattr(module, name)
    raise AttributeError(f"{path} defines no {entry}")


def baseline(reference, entry, device):
    """The task's operator, from a library that has been loaded. Tensors may be numbers, as for candidates."""
    if str(reference) not in torch.ops.loaded_libraries:
        torch.ops.load_library(str(reference))
    overload = getattr(torch.ops.kbx, entry).default
    kinds = {a.name: str(a.type) for a in overload._schema.arguments}

    def tensor(kind, value):
        return torch.tensor(value) if kind == "Tensor" and isinstance(value, (int, float)) else value

    surroundings = {"device": device} if "device" in kinds else {}  # where a factory makes its result

    def call(*args, **kwargs):
        named = surroundings | {name: tensor(kinds[name], v) for name, v in kwargs.items()}
        return overload(*map(tensor, kinds.values(), args), **named)

    return call


def intervals(file):
    """kbx's ratio of each (candidate, case) in an export of verdicts."""
    known = {}
    for verdict in map(json.loads, file.read_text().splitlines()):
        for case in ((verdict["detail"] or {}).get("efficiency") or {}).get("cases", []):
            known[verdict["candidate"], case["line"].removeprefix(STAGE)] = case["speedup"]
    return known


def known_interval(known, path, line):
    for candidate in ("/".join(path.parts[-2:]), path.name):
        if (candidate, line) in known:
            return known[candidate, line]
    return None


def timed(task, path, line, options):
    from triton.testing import do_bench

    args, kwargs = parse(task, line)
    args, kwargs = drawn(args, options.device), {name: drawn(value, options.device) for name, value in kwargs.items()}
    sides = {"baseline_ms": baseline(options.library, task["entry"], options.device), "candidate_ms": load(path, task["entry"], task["id"])}
    row = {name: do_bench(lambda: function(*args, **kwargs), return_mode="median") for name, function in sides.items()}
    return {**row, "ratio": row["baseline_ms"] / row["candidate_ms"]}


def rows(options):
    known = intervals(options.verdicts) if options.verdicts else {}
    for path in options.files:
        name = options.task or path.resolve().parent.name
        shown = subprocess.run([options.kbx, "show", name, "--json"], capture_output=True, text=True, check=True)
        task = json.loads(shown.stdout)
        for line in task["perf_gpu"]:
            line = line.removeprefix(STAGE)
            row = {"task": task["id"], "candidate": path.name, "case": line}
            try:
                row |= timed(task, path, line, options)
            except Unsupported as why:
                yield {**row, "skipped": str(why)}
                continue
            except Exception as broken:  # of the candidate's making, or out of memory: the next case may do
                yield {**row, "skipped": f"{type(broken).__name__}: {broken}".splitlines()[0]}
                continue
            row["kbx"] = interval = known_interval(known, path.resolve(), line)
            row["within"] = interval["low"] <= row["ratio"] <= interval["high"] if interval else None
            yield row


def markdown(found):
    """A table for docs/results, and how many ratios lie within."""
    lines = ["| task | case | baseline, ms | candidate, ms | ratio | kbx | within |", "|---|---|---|---|---|---|---|"]
    for row in found:
        case = row["case"] if len(row["case"]) <= 60 else row["case"][:57] + "..."
        if "skipped" in row:
            lines.append(f"| {row['task']} | `{case}` | | | | | skipped: {row['skipped']} |")
            continue
        kbx = row["kbx"]
        said = f"{kbx['value']:.3f} ({kbx['low']:.3f} to {kbx['high']:.3f})" if kbx else ""
        within = {True: "yes", False: "no", None: ""}[row["within"]]
        lines.append(f"| {row['task']} | `{case}` | {row['baseline_ms']:.4f} | {row['candidate_ms']:.4f} | {row['ratio']:.3f} | {said} | {within} |")
    compared = [row["within"] for row in found if row.get("within") is not None]
    return "\n".join(lines + ["", f"{sum(compared)} of {len(compared)} ratios lie within kbx's interval."])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=pathlib.Path, metavar="FILE.py")
    parser.add_argument("--task", help="of all files (default: the name of each file's folder)")
    parser.add_argument("--kbx", type=pathlib.Path, help="executable (default: that of KBX_BIN, else build/release/bin/kbx)")
    parser.add_argument("--library", type=pathlib.Path, help="libkbx_reference.so (default: beside kbx)")
    parser.add_argument("--verdicts", type=pathlib.Path, help="what `kbx export DIR --format verdicts` printed")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--markdown", action="store_true", help="print a table in place of JSON")
    options = parser.parse_args()
    options.files = options.files or sorted([*ROOT.glob("examples/solutions/*/*.py"), *ROOT.glob("examples/gpu/*/*.py")])
    options.kbx = options.kbx or pathlib.Path(os.environ.get("KBX_BIN", ROOT / "build/release/bin")) / "kbx"
    options.library = options.library or options.kbx.resolve().parents[1] / "lib" / "libkbx_reference.so"
    if options.device == "cuda" and not torch.cuda.is_available():
        sys.exit("do_bench: no GPU on this machine")
    # As for the judge's baselines: fp32 means fp32.
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    if options.markdown:
        print(markdown(list(rows(options))))
        return
    for row in rows(options):
        print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
