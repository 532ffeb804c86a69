# SPDX-License-Identifier: Apache-2.0
"""Lets code written for a GPU run on the CPU: "cuda" arguments become "cpu", tensors and torch.cuda speak of one device."""
import contextlib
import re
import types

import torch
from torch.overrides import TorchFunctionMode

from . import cuda_only

_CUDA_NAME = re.compile(r"cuda(:\d+)?$")
_DEVICE = torch.device("cuda", 0)
_GETTERS = {
    torch.Tensor.device.__get__: _DEVICE,
    torch.Tensor.is_cuda.__get__: True,
    torch.Tensor.is_cpu.__get__: False,
}
_SHARED_MEMORY = {80: 166912, 86: 101376, 89: 101376, 90: 232448, 100: 232448, 120: 101376}  # bytes a block may opt in to
_PROCESSORS = {80: 108, 86: 84, 89: 128, 90: 132, 100: 148, 120: 170}
ARCHITECTURES = tuple(_PROCESSORS)


def shared_memory_limit(arch):
    """CUDA C++ programming guide, table of compute capabilities: maximum shared memory per thread block."""
    return _SHARED_MEMORY.get(arch, 101376)


def processors(arch):
    return _PROCESSORS.get(arch, 108)


def _to_cpu(value):
    if isinstance(value, torch.device):
        return torch.device("cpu") if value.type == "cuda" else value
    if isinstance(value, str) and _CUDA_NAME.match(value):
        return "cpu"
    return value


class CudaIllusion(TorchFunctionMode):
    """While it is on, every tensor claims to be on cuda:0."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        answer = _GETTERS.get(func)
        if answer is not None:
            return answer
        if func is torch.device:
            return func(*args, **(kwargs or {}))
        if func is torch.Tensor.cuda:
            return args[0]
        if func is torch.Tensor.get_device:
            return 0
        if func is torch.Tensor.pin_memory:
            return args[0]
        if kwargs and isinstance(kwargs.get("device"), int) and not isinstance(kwargs["device"], bool):
            kwargs = dict(kwargs, device="cpu")
        replacement = cuda_only.find(func, kwargs)
        if replacement is not None:
            return replacement(args[0] if args else kwargs["A"])
        args = tuple(_to_cpu(a) for a in args)
        kwargs = {k: _to_cpu(v) for k, v in kwargs.items() if k != "pin_memory"} if kwargs else {}
        return func(*args, **kwargs)


class Stream:
    cuda_stream, device, priority = 0, _DEVICE, 0

    def __init__(self, *args, **kwargs):
        pass

    def _nothing(self, *args, **kwargs):
        return None

    synchronize = wait_event = wait_stream = _nothing

    def query(self):
        return True

    def record_event(self, event=None):
        return event or Event()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None


class Event:
    cuda_event = 0

    def __init__(self, *args, **kwargs):
        pass

    def record(self, *args, **kwargs):
        return None

    synchronize = wait = record

    def query(self):
        return True

    def elapsed_time(self, other):
        return 1.0


class _Generator(torch.Generator):
    def __new__(cls, device="cpu"):
        return super().__new__(cls, device=_to_cpu(torch.device(device)))


def properties(arch, known=None):
    """As torch.cuda.get_device_properties. `known`: what is known of a real device, by torch's names."""
    return types.SimpleNamespace(**(dict(
        name=f"NVIDIA GPU (sm_{arch})", major=arch // 10, minor=arch % 10, total_memory=80 << 30,
        multi_processor_count=processors(arch), warp_size=32, max_threads_per_multi_processor=2048, max_threads_per_block=1024,
        regs_per_multiprocessor=65536, shared_memory_per_block=49152, shared_memory_per_block_optin=shared_memory_limit(arch),
        shared_memory_per_multiprocessor=shared_memory_limit(arch) + 1024, L2_cache_size=50 << 20, gcnArchName="",
        is_integrated=0, is_multi_gpu_board=0, clock_rate=1500000, memory_clock_rate=2000000, memory_bus_width=4096)
        | (known or {})))


def _nothing(answer=None):
    """A function of its own each time: torch keeps tables by identity."""
    return lambda *args, **kwargs: answer


def _no_context():
    return lambda *args, **kwargs: contextlib.nullcontext()


def create(arch, known=None):
    """Changes torch.cuda for good and turns the illusion on. `known`: as in `properties`. REQUIRES: a child's process."""
    device_properties = properties(arch, known)
    stream = Stream()
    answers = {
        "is_available": lambda: True, "is_initialized": lambda: True, "device_count": lambda: 1, "current_device": lambda: 0,
        "get_device_capability": lambda device=None: (arch // 10, arch % 10),
        "get_device_name": lambda device=None: device_properties.name,
        "get_device_properties": lambda device=None: device_properties,
        "is_bf16_supported": lambda *args, **kwargs: True, "get_arch_list": lambda: [f"sm_{arch}"],
        "mem_get_info": lambda device=None: (device_properties.total_memory, device_properties.total_memory),
        "current_stream": lambda device=None: stream, "default_stream": lambda device=None: stream,
        "Stream": Stream, "Event": Event, "stream": _no_context(), "device": _no_context(), "device_of": _no_context(),
        "manual_seed": torch.default_generator.manual_seed, "seed": torch.default_generator.seed,
        "manual_seed_all": _nothing(),  # torch.manual_seed calls it
        "get_rng_state": lambda device=None: torch.get_rng_state(),
        "set_rng_state": lambda state, device=None: torch.set_rng_state(state),
    }
    for name in """synchronize empty_cache init _lazy_init set_device set_stream reset_peak_memory_stats ipc_collect
                   reset_max_memory_allocated""".split():
        answers[name] = _nothing()
    for name in "memory_allocated max_memory_allocated memory_reserved max_memory_reserved".split():
        answers[name] = _nothing(0)
    for name, answer in answers.items():
        setattr(torch.cuda, name, answer)
    torch.Generator = _Generator
    set_default = torch.set_default_device
    torch.set_default_device = lambda device: set_default(_to_cpu(device))
    CudaIllusion().__enter__()
