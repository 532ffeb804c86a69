# SPDX-License-Identifier: Apache-2.0
"""Rewrites a kernel's Python so that it means what the compiler makes of it, without touching its module's names."""
import ast
import builtins
import functools
import inspect
import textwrap

import triton.language as tl

_HELPER = "__triton_semantics__"


def _is_tensor(value):
    return isinstance(value, tl.tensor)


class Semantics:
    """What the rewritten code calls. `semantic` is the interpreter's TritonSemantic."""

    def __init__(self, semantic):
        self._semantic = semantic

    def assigned(self, value):
        if type(value) is tuple:
            return tuple(map(self.assigned, value))
        return value if _is_tensor(value) else self._semantic.to_tensor(value, False)

    @staticmethod
    def value_of(owner):
        """`N.value` of a constant, which reaches the kernel as a plain number here."""
        return owner if isinstance(owner, (bool, int, float, str)) else owner.value

    def every(self, *operands):
        return self._logical(operands, False, self._semantic.logical_and)

    def some(self, *operands):
        return self._logical(operands, True, self._semantic.logical_or)

    @staticmethod
    def _logical(operands, decides, combine):
        """Triton's `and` and `or`: element by element on blocks; compile-time operands decide at once."""
        tensors, value = [], None
        for operand in operands:
            value = operand()
            if _is_tensor(value):
                tensors.append(value)
            elif bool(value) is decides:
                return value
        return functools.reduce(combine, tensors) if tensors else value

    def negated(self, value):
        return self._semantic.not_(value) if _is_tensor(value) else not value

    @staticmethod
    def smallest(*values):
        return functools.reduce(tl.minimum, values) if any(map(_is_tensor, values)) else builtins.min(*values)

    @staticmethod
    def largest(*values):
        return functools.reduce(tl.maximum, values) if any(map(_is_tensor, values)) else builtins.max(*values)

    @staticmethod
    def silent(*_, **__):
        return None


class _Transformer(ast.NodeTransformer):
    def __init__(self, builtin_names):
        self._builtin_names = builtin_names

    @staticmethod
    def _call(method, *arguments):
        function = ast.Attribute(value=ast.Name(id=_HELPER, ctx=ast.Load()), attr=method, ctx=ast.Load())
        return ast.Call(func=function, args=list(arguments), keywords=[])

    def visit_Assign(self, node):
        self.generic_visit(node)
        node.value = self._call("assigned", node.value)
        return node

    def visit_AnnAssign(self, node):
        self.generic_visit(node)
        if node.value is not None and "constexpr" not in ast.unparse(node.annotation):
            node.value = self._call("assigned", node.value)
        return node

    def visit_Attribute(self, node):
        self.generic_visit(node)
        return self._call("value_of", node.value) if node.attr == "value" and isinstance(node.ctx, ast.Load) else node

    def visit_BoolOp(self, node):
        self.generic_visit(node)
        no_arguments = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
        operands = [ast.Lambda(args=no_arguments, body=value) for value in node.values]
        return self._call("every" if isinstance(node.op, ast.And) else "some", *operands)

    def visit_UnaryOp(self, node):
        self.generic_visit(node)
        return self._call("negated", node.operand) if isinstance(node.op, ast.Not) else node

    def visit_For(self, node):
        self.generic_visit(node)
        if isinstance(node.target, ast.Name) and self._is_range(node.iter):
            tensor = self._call("assigned", ast.Name(id=node.target.id, ctx=ast.Load()))
            node.body.insert(0, ast.Assign(targets=[ast.Name(id=node.target.id, ctx=ast.Store())], value=tensor))
        return node

    @staticmethod
    def _is_range(iterator):
        if not isinstance(iterator, ast.Call):
            return False
        function = iterator.func
        name = function.id if isinstance(function, ast.Name) else function.attr if isinstance(function, ast.Attribute) else ""
        return name == "range"

    def visit_Call(self, node):
        self.generic_visit(node)
        replacements = {"min": "smallest", "max": "largest", "print": "silent"}
        if isinstance(node.func, ast.Name) and node.func.id in self._builtin_names and node.func.id in replacements:
            if not node.keywords and not any(isinstance(a, ast.Starred) for a in node.args) and len(node.args) > 1 or (
                    node.func.id == "print"):
                node.func = self._call(replacements[node.func.id]).func
        return node


def rewrite(function, semantics):
    """The rewritten function; the original where there is no source."""
    try:
        lines, first = inspect.getsourcelines(function)
        tree = ast.parse(textwrap.dedent("".join(lines)))
    except (OSError, TypeError, SyntaxError):
        return function
    definition = next((n for n in tree.body if isinstance(n, ast.FunctionDef)), None)
    if definition is None:
        return function
    closure = inspect.getclosurevars(function).nonlocals
    own = set(closure) | set(function.__globals__)
    builtin_names = {n for n in ("min", "max", "print") if n not in own}
    definition.decorator_list = []
    definition = _Transformer(builtin_names).visit(definition)
    parameters = [_HELPER, *closure]
    factory = ast.FunctionDef(
        name="__factory__",
        args=ast.arguments(posonlyargs=[], args=[ast.arg(arg=p) for p in parameters], kwonlyargs=[], kw_defaults=[], defaults=[]),
        body=[definition, ast.Return(value=ast.Name(id=definition.name, ctx=ast.Load()))], decorator_list=[])
    module = ast.fix_missing_locations(ast.Module(body=[factory], type_ignores=[]))
    ast.increment_lineno(module, first - 1)
    flags = function.__code__.co_flags & _FUTURE_FLAGS
    code = compile(module, function.__code__.co_filename, "exec", flags=flags, dont_inherit=True)
    namespace = {}
    exec(code, function.__globals__, namespace)
    return namespace["__factory__"](semantics, *closure.values())


def _future_flags():
    import __future__
    flags = 0
    for name in __future__.all_feature_names:
        flags |= getattr(__future__, name).compiler_flag
    return flags


_FUTURE_FLAGS = _future_flags()
