"""Anchor a fault to a statement, so that neither formatting nor a moved line loses it.

A statement is known by its module, by the qualified name of the function or class around it, and
by its own syntax tree. Of a compound statement (`if`, `for`, `def` and so on) only the header
counts, not the body.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

Statement = ast.stmt | ast.ExceptHandler
BODIES = ("body", "handlers", "orelse", "finalbody")
"""Fields of a compound statement that hold other statements."""
SCOPES = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


class AnchorError(ValueError):
    """The statement of a fault is not in its module, or the fault cannot be planted there."""


@dataclass(frozen=True)
class Place:
    """A statement of a module.

    `scope` is the qualified name of the class or function around it, and of a class or function
    the qualified name itself. `path` has one pair per depth: the field and the position in it.
    """

    scope: str
    path: tuple[tuple[str, int], ...]
    node: Statement

    @property
    def shape(self) -> str:
        """The syntax tree of the header as text."""
        return ast.dump(without_body(self.node))


@dataclass(frozen=True)
class Anchor:
    """A statement as the list of faults names it; `occurrence` counts equal ones from 1."""

    scope: str
    statement: str
    occurrence: int = 1


def list_places(tree: ast.AST) -> list[Place]:
    """List all statements of a module, in the order of its text."""
    return list(_walk(tree, "", ()))


def _walk(
    node: ast.AST, scope: str, path: tuple[tuple[str, int], ...]
) -> Iterator[Place]:
    for field in BODIES:
        children = getattr(node, field, [])
        if not isinstance(children, list):
            continue  # the body of a lambda is an expression

        for position, child in enumerate(children):
            inner = (
                f"{scope}.{child.name}".lstrip(".")
                if isinstance(child, SCOPES)
                else scope
            )
            here = (*path, (field, position))
            yield Place(inner, here, child)
            yield from _walk(child, inner, here)


def without_body(node: Statement) -> Statement:
    """Copy a statement without decorators and without the statements in it."""
    if not hasattr(node, "body"):
        return node

    bare = copy.copy(node)
    for field in BODIES:
        if hasattr(bare, field):
            setattr(bare, field, [])
    bare.body = [ast.Pass()]
    if hasattr(bare, "decorator_list"):
        bare.decorator_list = []
    return bare


def format_header(node: Statement) -> str:
    """Format a statement as one line of Python; a compound one ends with its colon."""
    text = ast.unparse(without_body(node)).strip()
    if hasattr(node, "body"):
        text = text.rsplit("\n", 1)[0]
    return text


def parse_header(text: str) -> Statement:
    """Parse what `format_header` returned."""
    if text == "try:":
        return ast.parse("try:\n    pass\nfinally:\n    pass").body[0]
    if text.startswith("except"):
        tried = ast.parse(f"try:\n    pass\n{text}\n    pass").body[0]
        assert isinstance(tried, ast.Try | ast.TryStar)
        return tried.handlers[0]

    try:
        return ast.parse(text).body[0]
    except SyntaxError:
        return ast.parse(f"{text}\n    pass").body[0]


@lru_cache(maxsize=400)
def list_shapes(code: str) -> tuple[tuple[Place, str], ...]:
    """List all statements of a module with their syntax trees as text."""
    return tuple((place, place.shape) for place in list_places(ast.parse(code)))


def find_place(code: str, anchor: Anchor) -> Place:
    """Find the statement of an anchor. Raises AnchorError where it is not there."""
    wanted = ast.dump(without_body(parse_header(anchor.statement)))
    equal = [
        place
        for place, shape in list_shapes(code)
        if place.scope == anchor.scope and shape == wanted
    ]
    if len(equal) < anchor.occurrence:
        raise AnchorError(
            f"{anchor.scope or 'the module'}: occurrence {anchor.occurrence} of this statement"
            f" was not found, there are {len(equal)}: {anchor.statement}"
        )
    return equal[anchor.occurrence - 1]


def make_anchor(code: str, place: Place) -> Anchor:
    """Describe a statement of a module."""
    equal = [
        other.path
        for other, shape in list_shapes(code)
        if other.scope == place.scope and shape == place.shape
    ]
    return Anchor(place.scope, format_header(place.node), equal.index(place.path) + 1)


def plant(code: str, anchor: Anchor, changed: str) -> str:
    """Replace the statement of an anchor, and nothing else, by a changed one."""
    place = find_place(code, anchor)
    start, end = _span(code, place.node)
    after = code[end:]

    text = changed
    if code[start:].startswith("elif"):
        text = f"el{text}"
    if isinstance(place.node, ast.stmt) and not hasattr(place.node, "body"):
        planted = code[:start] + text + after
    else:
        planted = code[:start] + text + _gap_before_body(code, place.node) + after

    _check_planted(code, planted, place, changed)
    return planted


def _check_planted(code: str, planted: str, place: Place, changed: str) -> None:
    try:
        places = list_places(ast.parse(planted))
    except SyntaxError as error:
        raise AnchorError(f"this is no Python: {changed}") from error

    wanted = ast.dump(without_body(parse_header(changed)))
    shapes = {other.path: other.shape for other in places}
    sound = {other.path: shape for other, shape in list_shapes(code)}
    sound[place.path] = wanted
    if shapes != sound:
        raise AnchorError(f"planting changed more than one statement: {changed}")


def _first_line(node: Statement) -> ast.expr | ast.stmt:
    first: ast.stmt = node.body[0]  # type: ignore[union-attr]
    decorators = getattr(first, "decorator_list", [])
    return decorators[0] if decorators else first


def _gap_before_body(code: str, node: Statement) -> str:
    """The white space between a header and its first statement."""
    first = _first_line(node)
    line = code.split("\n")[first.lineno - 1]
    before = line.encode()[: first.col_offset].decode().rstrip("@")
    return " " if before.strip() else f"\n{before}"


def _span(code: str, node: Statement) -> tuple[int, int]:
    """The part of the text that a statement takes, without a body and what is in front of it."""
    start = _offset(code, node.lineno, node.col_offset)
    if not hasattr(node, "body"):
        return start, find_end(code, node)

    first = _first_line(node)
    end = _offset(code, first.lineno, first.col_offset)
    while code[end - 1] == "@":
        end -= 1
    return start, end


def find_start(code: str, node: ast.expr | Statement) -> int:
    """The position of a node in the text."""
    return _offset(code, node.lineno, node.col_offset)


def find_end(code: str, node: ast.expr | Statement) -> int:
    """The position behind a node in the text."""
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    return _offset(code, node.end_lineno, node.end_col_offset)


def _offset(code: str, line: int, column: int) -> int:
    """The position in the text of a line and a column, which Python counts in bytes."""
    lines = code.split("\n")
    in_line = len(lines[line - 1].encode()[:column].decode())
    return sum(len(each) + 1 for each in lines[: line - 1]) + in_line
