# SPDX-License-Identifier: Apache-2.0
"""Prints, as JSON, where the packages of the interpreter that runs it lie. Imports none of them."""
import importlib.util
import json
import pathlib
import sys


def folder(module):
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        sys.exit(f"{sys.executable} has no module '{module}'")
    return pathlib.Path(spec.origin).parent


def cuda_include(site_packages):
    for header in sorted(site_packages.glob("nvidia/*/include/cuda.h")):
        return str(header.parent)
    return ""


site_packages = folder("torch").parent
tvm_ffi = folder("tvm_ffi")
print(json.dumps({
    "python": sys.executable,
    "base_prefix": sys.base_prefix,
    "site_packages": str(site_packages),
    "torch_library": str(site_packages / "torch/lib"),
    "tvm_ffi_include": str(tvm_ffi / "include"),
    "tvm_ffi_library": str(tvm_ffi / "lib"),
    "cuda_include": cuda_include(site_packages),
}, indent=2))
