# SPDX-License-Identifier: Apache-2.0
"""Triton's interpreter, repaired where it differs from the compiled language, with every memory access checked.

Written against Triton 3.6. `install` changes triton.runtime.interpreter once, in the zygote."""
from .install import install
from .monitor import Monitor, Unsupported

__all__ = ["install", "Monitor", "Unsupported"]
