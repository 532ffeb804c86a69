# SPDX-License-Identifier: Apache-2.0
"""Puts the repaired interpreter in place of Triton's, once per process."""
import inspect

import triton
import triton.language as tl
import triton.testing
from triton.language.semantic import TritonSemantic
from triton.runtime import autotuner, jit
from triton.runtime import interpreter as stock

from . import blocks, builder, library, numerics, speed
from .launch import Launcher
from .rewriter import Semantics

SUPPORTED_TRITON = "3.6."


def install():
    """The Launcher through which all kernels of this process run. REQUIRES: TRITON_INTERPRET=1 before triton's import."""
    if not triton.__version__.startswith(SUPPORTED_TRITON):
        raise RuntimeError(f"the interpreter is made for triton {SUPPORTED_TRITON}x, not {triton.__version__}")
    speed.install()
    the_builder = builder.CheckedBuilder.__new__(builder.CheckedBuilder)
    stock._get_np_dtype = numerics.numpy_dtype
    stock.TensorHandle.__post_init__ = builder.post_init
    stock.BlockPointerHandle.materialize_pointers = blocks.materialize_block_pointer
    stock.TensorDescHandle.materialize_pointers = blocks.materialize_descriptor
    the_builder.__init__()
    semantic = TritonSemantic(the_builder)
    stock.InterpreterBuilder = builder.CheckedBuilder
    stock.interpreter_builder, stock.interpreter_semantic = the_builder, semantic
    launcher = Launcher(the_builder, semantic, Semantics(semantic))
    _patch_language(the_builder, semantic)
    _patch_functions(launcher)
    _patch_tuning()
    _refuse_compiled_kernels(launcher)
    for name, function in inspect.getmembers(tl.standard, lambda o: isinstance(o, stock.InterpretedFunction)):
        launcher.rewritten(function.fn)
    return launcher


def _patch_language(the_builder, semantic):
    """Binds Triton's builtins to the builder for good; the stock interpreter does so at every launch and call."""
    scope = stock._LangPatchScope()
    for language in (tl, tl.core):
        stock._patch_builtin(language, the_builder, scope)
        stock._patch_lang_core(language, scope)
    stock._patch_builtin(tl.tensor, the_builder, scope)
    stock._patch_builtin(tl.math, the_builder, scope)
    stock._patch_builtin(tl.core.tensor_descriptor_base, the_builder, scope)
    stock._patch_lang_tensor(tl.tensor, scope)
    stock._patch_lang = lambda function: stock._LangPatchScope()
    library.replace(semantic)


def _patch_functions(launcher):
    def run(self, *args, grid, warmup, **kwargs):
        return launcher.run(self, args, kwargs, grid, warmup)

    def call(self, *args, **kwargs):
        return launcher.call_device_function(self.fn, args, kwargs)

    stock.InterpretedFunction.run = run
    stock.InterpretedFunction.__call__ = call
    stock.InterpretedFunction.rewrite = lambda self: launcher.rewritten(self.fn)


def _refuse_compiled_kernels(launcher):
    """Kernels that are not interpreted (Gluon's) need the GPU."""
    def run(self, *args, **kwargs):
        launcher.builder.refuse("a compiled kernel")

    jit.JITFunction.run = run


def _patch_tuning():
    """Nothing is timed here: an autotuner takes its first configuration, a benchmark runs once."""
    def bench(self, *args, config, **meta):
        conflicts = meta.keys() & config.kwargs.keys()
        if conflicts:
            raise ValueError(f"Conflicting meta-parameters: {', '.join(conflicts)}."
                             " Make sure that you don't re-define auto-tuned symbols.")
        return [1.0, 1.0, 1.0]

    def do_bench(fn, *args, quantiles=None, **kwargs):
        fn()
        return 1.0 if quantiles is None else [1.0] * len(quantiles) if len(quantiles) > 1 else 1.0

    autotuner.Autotuner._bench = bench
    triton.testing.do_bench = triton.testing.do_bench_cudagraph = do_bench
