"""Find the statements of drawn faults again after modules and names have been renamed.

Git tells which module has become which. In it a statement is found by its structure: by its
syntax tree without any names, and by its position among the statements of its function. The names
in the fault are renamed as those in its statement are.
"""

from __future__ import annotations

import ast
import copy
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import cache

from drawn_faults import LIST, Fault, parse_faults
from fault_anchors import (
    AnchorError,
    Place,
    Statement,
    find_place,
    format_header,
    list_shapes,
    make_anchor,
    parse_header,
    without_body,
)
from nearest import ROOT, modules

NAMES = ("id", "attr", "arg", "name", "asname", "module", "names")
"""Fields of a syntax tree that hold names."""
QUOTED = re.compile(r"'(?:[^'\\]|\\.)*'" + r'|"(?:[^"\\]|\\.)*"')


@dataclass(frozen=True)
class Candidate:
    """A statement of today's package."""

    module: str
    place: Place
    shape: str
    around: tuple[str, ...]


def reanchor_faults(
    faults: list[Fault], commit: str
) -> tuple[list[Fault], list[Fault]]:
    """Describe each fault in today's names; the second list has those that are not found."""
    renamed = find_renamed_files(commit)
    found: list[Fault] = []
    lost: list[Fault] = []
    for fault in faults:
        new = None if fault.retired else reanchor_fault(fault, commit, renamed)
        if new is None and not fault.retired:
            lost.append(fault)
        found.append(new or fault)
    return found, lost


def read_old_faults(commit: str, today: list[Fault]) -> list[Fault]:
    """Read the list as it was at a commit, with today's outcomes and reasons."""
    text = _git("show", f"{commit}:{LIST.relative_to(ROOT).as_posix()}")
    return [
        replace(
            old,
            fast=new.fast,
            long=new.long,
            equivalent=new.equivalent,
            retired=new.retired,
        )
        for old, new in zip(parse_faults(text), today, strict=True)
    ]


def find_renamed_files(commit: str) -> dict[str, str]:
    """Ask git which files since a commit are others under new names."""
    lines = _git(
        "diff", "--find-renames=30%", "-l0", "--name-status", commit
    ).splitlines()
    rows = [line.split("\t") for line in lines if line.startswith("R")]
    return {old: new for _, old, new in rows}


def _git(*words: str) -> str:
    words = ("git", *words)
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout


@cache
def _code_at(commit: str, module: str) -> str:
    return _git("show", f"{commit}:{module}")


@cache
def _code_now(module: str) -> str:
    return (ROOT / module).read_text("utf-8")


def reanchor_fault(
    fault: Fault, commit: str, renamed: Mapping[str, str]
) -> Fault | None:
    """Describe a fault in today's names; None where its statement is not found for certain."""
    code = _code_at(commit, fault.module)
    try:
        place = find_place(code, fault.anchor)
    except AnchorError:
        return None

    old = _describe(fault.module, code, place)
    expected = renamed.get(fault.module, fault.module)
    new = choose_candidate(old, expected, _candidates_in(expected).get(old.shape, []))
    if new is None:
        new = choose_candidate(old, expected, _candidates().get(old.shape, []))
    if new is None:
        return None

    names = dict(_pair_names(without_body(place.node), without_body(new.place.node)))
    changed = rename_change(
        place.node, parse_header(fault.changed), new.place.node, names
    )
    anchor = make_anchor(_code_now(new.module), new.place)
    return replace(
        fault,
        module=new.module,
        scope=anchor.scope,
        statement=anchor.statement,
        occurrence=anchor.occurrence,
        changed=format_header(changed),
        fast=_rename_test(fault.fast, renamed),
        long=_rename_test(fault.long, renamed),
    )


def _rename_test(test: str, renamed: Mapping[str, str]) -> str:
    file, colons, name = test.partition("::")
    return f"{renamed.get(file, file)}{colons}{name}"


# ------------------------------------------------------------------ the statement


def _describe(module: str, code: str, place: Place) -> Candidate:
    return next(
        each for each in _statements_of(module, code) if each.place.path == place.path
    )


@cache
def _statements_of(module: str, code: str) -> list[Candidate]:
    places = [place for place, _ in list_shapes(code)]
    shapes = [erase_names(shape) for _, shape in list_shapes(code)]
    scopes: dict[str, list[str]] = defaultdict(list)
    for place, shape in zip(places, shapes, strict=True):
        scopes[place.scope].append(shape)

    around = {scope: tuple(some) for scope, some in scopes.items()}
    return [
        Candidate(module, place, shape, (*_position(place), *around[place.scope]))
        for place, shape in zip(places, shapes, strict=True)
    ]


def _position(place: Place) -> tuple[str, ...]:
    """The steps to the statement inside the top-level statement that holds it."""
    return tuple(f"{field} {position}" for field, position in place.path[1:])


@cache
def _candidates_in(module: str) -> dict[str, list[Candidate]]:
    by_shape: dict[str, list[Candidate]] = defaultdict(list)
    if (ROOT / module).is_file():
        for each in _statements_of(module, _code_now(module)):
            by_shape[each.shape].append(each)
    return by_shape


@cache
def _candidates() -> dict[str, list[Candidate]]:
    by_shape: dict[str, list[Candidate]] = defaultdict(list)
    for module in modules():
        for shape, some in _candidates_in(module).items():
            by_shape[shape] += some
    return by_shape


def choose_candidate(
    old: Candidate, expected: str, some: list[Candidate]
) -> Candidate | None:
    """Choose the statement that is most alike; None where it is not certain."""
    same_module = [each for each in some if each.module == expected]
    same_around = [each for each in some if each.around == old.around]
    same_both = [each for each in same_module if each.around == old.around]

    rows = [(rate_candidate(old, new), new) for new in same_both or same_around]
    if not rows:
        rows = [(rate_candidate(old, new), new) for new in same_module]
        rows = [(rating, new) for rating, new in rows if rating[0] > 0.5]

    rows.sort(key=lambda row: row[0], reverse=True)
    if not rows or (len(rows) > 1 and rows[0][0] == rows[1][0]):
        return None
    return rows[0][1]


def rate_candidate(old: Candidate, new: Candidate) -> tuple[float, float, float, float]:
    """Rate by the structure around, by names and by the place in the module."""
    around = SequenceMatcher(None, old.around, new.around, autojunk=False).ratio()
    scope = _alike(old.place.scope, new.place.scope)
    names = _alike(format_header(old.place.node), format_header(new.place.node))
    near = -abs(old.place.path[0][1] - new.place.path[0][1])
    return around, scope, names, near


def _alike(one: str, other: str) -> float:
    return SequenceMatcher(None, one, other, autojunk=False).ratio()


def erase_names(shape: str) -> str:
    """Erase the names and the words of strings from a syntax tree as text."""
    return QUOTED.sub("", shape)


# ------------------------------------------------------------------ the change


def rename_change(
    old: Statement, changed: Statement, new: Statement, names: Mapping[str, str]
) -> Statement:
    """Change the new statement as the old one was changed."""
    steps = find_change(without_body(old), without_body(changed))
    node: ast.AST = without_body(changed)
    for field, position in steps:
        value = getattr(node, field)
        node = value if position is None else value[position]

    part = copy.deepcopy(node)
    _rename(part, names)
    if not steps:
        assert isinstance(part, ast.stmt | ast.ExceptHandler)
        return part

    result = copy.deepcopy(without_body(new))
    holder: ast.AST = result
    for field, position in steps[:-1]:
        value = getattr(holder, field)
        holder = value if position is None else value[position]
    field, position = steps[-1]
    if position is None:
        setattr(holder, field, part)
    else:
        getattr(holder, field)[position] = part
    return result


def find_change(old: ast.AST, changed: ast.AST) -> list[tuple[str, int | None]]:
    """Find the steps to the smallest node that holds all that differs."""
    if type(old) is not type(changed):
        return []

    different: list[tuple[str, int | None, ast.AST, ast.AST]] = []
    for field in old._fields:
        one, other = getattr(old, field), getattr(changed, field)
        pairs = [(None, one, other)]
        if isinstance(one, list) and isinstance(other, list):
            if len(one) != len(other):
                return []
            pairs = [(k, *pair) for k, pair in enumerate(zip(one, other, strict=True))]
        for position, a, b in pairs:
            if _text(a) != _text(b):
                different.append((field, position, a, b))

    if len(different) != 1:
        return []
    field, position, a, b = different[0]
    if (
        not isinstance(a, ast.AST)
        or not isinstance(b, ast.AST)
        or type(a) is not type(b)
    ):
        is_node = isinstance(a, ast.AST) and isinstance(b, ast.AST)
        return [(field, position)] if is_node else []
    return [(field, position), *find_change(a, b)]


def _text(value: object) -> str:
    return ast.dump(value) if isinstance(value, ast.AST) else repr(value)


def _pair_names(old: ast.AST, new: ast.AST) -> Iterator[tuple[str, str]]:
    """Pair the names, and the words of strings, of two trees that are alike but for them."""
    for one, other in zip(ast.walk(old), ast.walk(new), strict=True):
        for field in (*NAMES, "value"):
            a, b = getattr(one, field, None), getattr(other, field, None)
            if isinstance(a, str) and isinstance(b, str):
                yield a, b


def _rename(node: ast.AST, names: Mapping[str, str]) -> None:
    for each in ast.walk(node):
        for field in NAMES:
            value = getattr(each, field, None)
            if isinstance(value, str):
                setattr(each, field, names.get(value, value))
        if isinstance(each, ast.Constant) and isinstance(each.value, str):
            each.value = rename_text(each.value, names)


def rename_text(text: str, names: Mapping[str, str]) -> str:
    """Rename a string, also where the fault put XX around it."""
    inner = text.removeprefix("XX").removesuffix("XX")
    if text == f"XX{inner}XX":
        return f"XX{names.get(inner, inner)}XX"
    return names.get(text, text)
