# SPDX-License-Identifier: Apache-2.0
"""Every public name of Triton's language has a test or a reason here: what a new version adds is looked at by somebody."""
import glob
import inspect
import os
import re

import pytest
import triton
import triton.language as tl
from triton.language.extra import cuda

TYPE = "a type or a word of annotations: what has this type is tested, the name does nothing"
HARDWARE = "a float8 format of other hardware: the compiler refuses it for every architecture that kbx judges"
REASONS = {
    "tl": {
        "TRITON_MAX_TENSOR_NUMEL": "a limit, checked by Triton's own front end before anything is interpreted", "block_type": TYPE, "const": TYPE,
        "constexpr_type": TYPE, "dtype": TYPE, "pi32_t": TYPE, "slice": TYPE, "tensor": TYPE,
        "tensor_descriptor": TYPE, "tensor_descriptor_type": TYPE, "tuple": TYPE, "tuple_type": TYPE, "void": TYPE, "str_to_ty": "of the compiler's front end, not for kernels",
        "float8e4b8": HARDWARE, "float8e5b16": HARDWARE,
    },
    "tl.math": {"List": TYPE, "T": TYPE, "wraps": "of Python"},
    "tl.tensor": {
        "logical_and": "what `and` calls", "logical_or": "what `or` calls", "sort": "has no body in Triton 3.6: it returns None on a GPU too",
        "cast": "the function that .to calls", "broadcast_to": "", "gather": "",
    },
    "cuda": {"convert_custom_float8_sm70": "of hardware before the H200; inline assembly like its sm80 sister"},
    "triton": {
        "AsyncCompileMode": "compiles in threads, nothing to interpret", "CompilationError": TYPE, "FutureKernel": TYPE, "InterpreterError": TYPE,
        "JITFunction": TYPE, "KernelInterface": TYPE, "MockTensor": "stands for a tensor when nothing is launched", "OutOfResources": TYPE,
        "TensorWrapper": TYPE, "TritonError": TYPE, "compile": "needs the compiler: the role `compile` has it",
        "must_use_result": "of Triton's own sources",
    },
}
REASONS["tl.tensor"] = {name: why for name, why in REASONS["tl.tensor"].items() if why}
PLACES = {"tl": tl, "tl.math": tl.math, "tl.tensor": tl.tensor, "cuda": cuda, "triton": triton}


def public(place):
    """Without submodules, whose names are looked at on their own."""
    return {n for n in getattr(place, "__all__", dir(place)) + dir(place) * (place is tl) if not n.startswith("_")
            and not inspect.ismodule(getattr(place, n))}


NAMES = {name: public(place) for name, place in PLACES.items()}
PATTERNS = {"tl": r"\btl\.{}\b", "tl.math": r"\btl\.math\.{}\b", "tl.tensor": r"(?<!\btl)\.{}\b(?!\.)", "cuda": r"\bcuda\.{}\b",
            "triton": r"\btriton\.{}\b"}


def texts():
    """The tests' own sources, without this file, and with the names that tables put into them."""
    folder = os.path.dirname(__file__)
    files = [f for pattern in ("test_language*.py", "test_numbers.py", "test_accesses.py", "kernels.py", "language.py")
             for f in glob.glob(os.path.join(folder, pattern)) if os.path.basename(f) != os.path.basename(__file__)]
    text = "\n".join(open(f).read() for f in files)
    from test_language_arithmetic import FLOATS, SIGNED, UNSIGNED
    from test_language_atomics import OPERATIONS
    from test_language_math import FUNCTIONS
    text += "".join(f"\ntl.{name} tl.math.{name} x.{name}" for name, _, _ in FUNCTIONS)
    text += "".join(f"\ntl.atomic_{name} p.atomic_{name}" for name in OPERATIONS)
    return text + "".join(f"\ntl.{str(dtype)[6:]}" for dtype in (*SIGNED, *UNSIGNED, *FLOATS))


@pytest.mark.parametrize("place", NAMES)
def test_every_name_has_a_test_or_a_reason(place):
    text, reasons = texts(), REASONS[place]
    tested = {n for n in NAMES[place] if re.search(PATTERNS[place].format(re.escape(n)), text)}
    assert NAMES[place] - tested - reasons.keys() == set()
    assert reasons.keys() <= NAMES[place], "a reason for a name that is gone"


@pytest.mark.parametrize("version", [triton.__version__])
def test_the_version_is_the_one_that_was_looked_at(version):
    assert version.startswith("3.6.")
