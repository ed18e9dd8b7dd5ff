"""Generator expressions in rules: `any(s.left == k for k in range(3))`.

Numba compiles generators but not generator expressions. So a function that consumes one at once is compiled from a
source in which the expression is a call of a generator function, with the variables that it reads as arguments:

    def generator_1(items, s):
        for k in items:
            yield s.left == k

    any(generator_1(range(3), s))

A function whose source cannot be found, or differs from what runs, stays as it is.
"""

from __future__ import annotations
import __future__

import ast
import inspect
import textwrap
from types import CodeType, FunctionType
from typing import Any

CONSUMERS = {"all", "any", "list", "max", "min", "set", "sorted", "sum", "tuple"}
"""Functions that exhaust a generator before they return, like the method `extend`."""
FUTURE = sum({getattr(__future__, name).compiler_flag for name in __future__.all_feature_names})


def with_generators(function: FunctionType) -> FunctionType:
    """The function with its generator expressions as generator functions; a function without any is returned as it
    is."""
    code = function.__code__
    if all(getattr(part, "co_name", "") != "<genexpr>" for part in code.co_consts):
        return function
    try:
        lines, first = inspect.getsourcelines(function)
        tree = ast.parse(textwrap.dedent("".join(lines)))
    except (OSError, TypeError, SyntaxError):
        return function
    ast.increment_lineno(tree, first - 1)
    definition = tree.body[0]
    if not isinstance(definition, ast.FunctionDef) or not _same(_compile(definition, code), code):
        return function
    lift = _Lift(set(code.co_varnames) | set(code.co_cellvars) | set(code.co_freevars))
    definition.body = [lift.visit(statement) for statement in definition.body]
    scope = dict(function.__globals__)
    for generator in lift.generators:
        scope[generator.name] = FunctionType(_compile(generator, code), scope, generator.name)
    made = FunctionType(
        _compile(definition, code), scope, function.__name__, function.__defaults__, function.__closure__
    )
    made.__kwdefaults__, made.__qualname__, made.__module__ = (
        function.__kwdefaults__,
        function.__qualname__,
        function.__module__,
    )
    made.__wrapped__ = function  # type: ignore[attr-defined]
    return made


def _compile(definition: ast.FunctionDef, like: CodeType) -> CodeType:
    """The code of a function definition, with the free variables and the file of another."""
    definition.decorator_list, definition.returns = [], None
    for argument in ast.walk(definition.args):
        if isinstance(argument, ast.arg):
            argument.annotation = None
    inside: list[ast.stmt] = [definition]
    if like.co_freevars and definition.name == like.co_name:
        names = [ast.arg(name) for name in like.co_freevars]
        outer = ast.FunctionDef("outer", ast.arguments([], names, None, [], [], None, []), [definition], [], None)
        inside = [outer]
    module = ast.fix_missing_locations(ast.Module(inside, []))
    found = compile(module, like.co_filename, "exec", like.co_flags & FUTURE, dont_inherit=True)
    while found.co_name != definition.name:
        found = next(part for part in found.co_consts if isinstance(part, CodeType))
    return found


def _same(one: Any, other: Any) -> bool:
    """Whether two code objects do the same."""
    if not isinstance(one, CodeType) or not isinstance(other, CodeType):
        return type(one) is type(other) and bool(one == other)
    return (
        one.co_code == other.co_code
        and (one.co_names, one.co_varnames, one.co_freevars) == (other.co_names, other.co_varnames, other.co_freevars)
        and len(one.co_consts) == len(other.co_consts)
        and all(map(_same, one.co_consts, other.co_consts))
    )


class _Lift(ast.NodeTransformer):
    """Replaces each generator expression that is consumed at once with a call."""

    def __init__(self, known: set[str]) -> None:
        self.known = known  # variables of the function, and of the comprehensions around
        self.generators: list[ast.FunctionDef] = []

    def visit_Call(self, node: ast.Call) -> ast.AST:
        consumes = (isinstance(node.func, ast.Name) and node.func.id in CONSUMERS - self.known) or (
            isinstance(node.func, ast.Attribute) and node.func.attr == "extend"
        )
        if consumes and node.args and isinstance(node.args[0], ast.GeneratorExp) and _plain(node.args[0]):
            node.args[0] = self._lifted(node.args[0])  # type: ignore[assignment]
            node.args[1:] = [self.visit(each) for each in node.args[1:]]
            return node
        return self.generic_visit(node)

    def _scoped(self, node: Any) -> Any:
        """Inside a comprehension, its loop variables are known as well."""
        before = self.known
        self.known = before | _given(node)
        try:
            return self.generic_visit(node)
        finally:
            self.known = before

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _scoped  # noqa: N815 (the names of ast)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return node  # its variables are its own

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        return node

    def _lifted(self, node: ast.GeneratorExp) -> ast.Call:
        first = self.visit(node.generators[0].iter)  # Python also evaluates the first one outside
        node.generators[0].iter = ast.Name("items", ast.Load())
        node = self._scoped(node)
        names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
        read = sorted((names & self.known) - _given(node))
        body: ast.stmt = ast.Expr(ast.Yield(node.elt))
        for part in reversed(node.generators):
            for test in reversed(part.ifs):
                body = ast.If(test, [body], [])
            body = ast.For(part.target, part.iter, [body], [])
        name = f"generator_{len(self.generators) + 1}"
        arguments = ast.arguments([], [ast.arg(each) for each in ["items", *read]], None, [], [], None, [])
        self.generators.append(_at(ast.FunctionDef(name, arguments, [_at(body, node)], [], None), node))
        values = [first, *(ast.Name(each, ast.Load()) for each in read)]
        return _at(ast.Call(ast.Name(name, ast.Load()), values, []), node)


def _given(node: Any) -> set[str]:
    """The names that a comprehension's loops bind."""
    targets = [each for part in node.generators for each in ast.walk(part.target)]
    return {each.id for each in targets if isinstance(each, ast.Name)}


def _plain(node: ast.GeneratorExp) -> bool:
    """Whether it assigns nothing outside itself and uses none of our names."""
    return not any(
        isinstance(each, ast.NamedExpr) or (isinstance(each, ast.Name) and each.id == "items")
        for each in ast.walk(node)
    )


def _at(made: Any, node: ast.AST) -> Any:
    """A new node at the location of an old one."""
    return ast.fix_missing_locations(ast.copy_location(made, node))
