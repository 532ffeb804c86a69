# SPDX-License-Identifier: Apache-2.0
"""Another baseline: each operator under its own name, the way torch.compile does it at its slowest and best."""
import torch
import torch._inductor.config
from reference import operator

torch._inductor.config.compile_threads = 1  # a pool of processes has no place in a sandbox


def __getattr__(name):  # PEP 562
    return torch.compile(operator(name), dynamic=False, mode="max-autotune-no-cudagraphs")
