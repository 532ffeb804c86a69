# SPDX-License-Identifier: Apache-2.0
"""Importing a candidate's module and finding the function that is called."""
import importlib.machinery
import importlib.util
import inspect
import keyword
import linecache
import os
import re
import sys

import torch


class DoesNotBind(Exception):
    """No function of the candidate accepts the arguments; the message says what was looked for and what was seen."""


def module_name(path):
    stem = os.path.splitext(os.path.basename(path))[0]
    name = re.sub(r"\W", "_", stem) or "module"
    return f"m_{name}" if name[0].isdigit() or keyword.iskeyword(name) or name in sys.modules else name


def new_module(path):
    """The empty module of a Python file, known under a name made of the file's."""
    name = module_name(path)
    folder = os.path.dirname(path)
    if folder not in sys.path:
        sys.path.append(folder)  # behind the standard library, which a candidate's file must not replace
    loader = importlib.machinery.SourceFileLoader(name, path)
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    return module


def execute(module):
    """Runs the module's file in it. Raises whatever its code raises."""
    linecache.checkcache(module.__spec__.origin)
    module.__spec__.loader.exec_module(module)


def functions_of(module):
    """Callables that the module defines itself, in order; kernels are none (they need a grid)."""
    found = {}
    for name, value in vars(module).items():
        if name.startswith("_") or not callable(value) or inspect.isclass(value) or _is_kernel(value):
            continue
        if getattr(value, "__module__", None) == module.__name__:
            found[name] = value
    return found


def _is_kernel(value):
    return type(value).__module__.startswith("triton.")


def signature_text(name, function):
    try:
        return f"{name}{inspect.signature(function)}"
    except (TypeError, ValueError):
        return f"{name}(...)"


def accepts(function, args, kwargs):
    """None if the function takes these arguments, else why not."""
    try:
        inspect.signature(function).bind(*args, **kwargs)
    except TypeError as error:
        return str(error)
    except ValueError:  # no signature to be had
        return None
    return None


def find_entry(module, names, schema):
    """(function, name, how). Raises DoesNotBind if there is none.

    The schema's own name comes first. What has the task's id instead is taken for it if it requires what the schema requires:
    a factory of optimizers is no step of one, though both accept five arguments.
    """
    arguments = _arguments(schema)
    functions = functions_of(module)
    refused = {}
    for i, name in enumerate(names):
        value = getattr(module, name, None)
        if not callable(value) or _is_kernel(value):
            continue
        how = "kernel_function" if name == "kernel_function" else "entry" if i == 0 else "id"
        if how == "id" and not _requires_the_same(value, [a.name for a in arguments if not a.has_default_value()]):
            refused[name] = signature_text(name, value)
            functions = {n: f for n, f in functions.items() if f is not value}
            continue
        return value, name, how
    fitting = _fitting(functions, arguments)
    if len(fitting) == 1:
        return functions[fitting[0]], fitting[0], "only function that binds"
    wanted = ", ".join(names)
    if fitting:
        raise DoesNotBind(f"none of {wanted} is defined, and several functions would accept the arguments: {', '.join(fitting)}")
    if refused:
        raise DoesNotBind(f"the id names something else: `{', '.join(refused.values())}` was found, but `{_call_text(names[0], arguments)}` is wanted")
    seen = ", ".join(signature_text(n, f) for n, f in functions.items()) or "no function at all"
    raise DoesNotBind(f"none of {wanted} is defined, and no function accepts the arguments of {schema}; the module has {seen}")


def _arguments(schema):
    """The schema's arguments; none if it cannot be read, which binds everything."""
    try:
        return torch._C.parse_schema(schema).arguments
    except RuntimeError:
        return []


def _requires_the_same(function, required):
    """Whether the function has parameters of these names, or is one that requires as many and calls them otherwise."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # no signature to be had
        return True
    if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters):
        return True
    own = [p.name for p in parameters if p.default is p.empty]
    return set(required) <= {p.name for p in parameters} or (len(own) == len(required) and not inspect.isclass(function))


def _call_text(name, arguments):
    """The schema's call as Python shows one, without types."""
    return f"{name}({', '.join(a.name + (f'={a.default_value}' if a.has_default_value() else '') for a in arguments)})"


def _fitting(functions, arguments):
    """Names of the functions that accept the required arguments; if several do, those that know all names."""
    if not arguments:
        return list(functions)
    required = [None for a in arguments if not a.has_default_value() and not a.kwarg_only]
    keywords = {a.name: None for a in arguments if not a.has_default_value() and a.kwarg_only}
    fitting = [n for n, f in functions.items() if accepts(f, required, keywords) is None]
    if len(fitting) > 1:
        by_name = {a.name: None for a in arguments}
        fitting = [n for n in fitting if accepts(functions[n], [], by_name) is None] or fitting
    return fitting
