"""Each rule of the verifier is left out once: one of the proofs by hand must tell.

Every statement is taken away and every comparison turned into its neighbours, one at a time, in a
copy of verify.py. What then says the same of all proofs by hand is a rule that no test needs.
"""

from __future__ import annotations

import ast
import copy
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from places import ROOT
from test_verify_by_hand import (
    BESIDE,
    BITS,
    FALSE,
    FILES,
    FORMATTED,
    HOLD,
    MALFORMED,
    NAMED,
    OTHERWISE,
    READ,
    THREE,
    THREE_WITNESS,
    TWO,
    WORK,
    Mask,
    by_rules,
)

SOURCE = (ROOT / "pairopt" / "proof" / "verify.py").read_text("utf-8")
NEAR: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.LtE: (ast.Lt,),
    ast.GtE: (ast.Gt,),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
SAME = {
    "first_level < end_level <= len(claim.levels) as first_level <= end_level": (
        "if they are equal, only a step without levels passes the comparison with the "
        "range, and `step_levels[:1] >= [0]` refuses a step without levels"
    ),
    "amount_paid < doubled_kinds[kind] as amount_paid <= doubled_kinds[kind]": (
        "the `if` before has excluded that they are equal"
    ),
    "without if not common_set_bits:": (
        "`shared` always has the sum 0 for no sets, so 0 is subtracted"
    ),
    "without if 8 * mask.bit_count() > mask.bit_length():": (
        "the loop below lists the same bits, more slowly if there are many"
    ),
    "8 * mask.bit_count() > mask.bit_length() as": (
        "it only chooses which of two equal ways lists the bits"
    ),
}
"""Changes that change nothing, and why."""


def changes() -> Iterator[tuple[str, ast.Module]]:
    """What was changed, and the module then."""
    whole = ast.parse(SOURCE)
    spots = [node for node in ast.walk(whole) if isinstance(node, ast.FunctionDef)]
    for number, function in enumerate(spots):
        inner = list(ast.walk(function))
        for k, node in enumerate(inner):
            for field in ("body", "orelse"):
                block = getattr(node, field, None)
                for at, line in enumerate(block) if isinstance(block, list) else ():
                    if isinstance(line, ast.FunctionDef | ast.Return) or _docstring(
                        line
                    ):
                        continue
                    tree, there = _copy(whole, number, k)
                    getattr(there, field)[at] = ast.copy_location(ast.Pass(), line)
                    yield f"without {ast.unparse(line)}", tree
            if isinstance(node, ast.Compare):
                for at, operation in enumerate(node.ops):
                    for other in NEAR.get(type(operation), ()):
                        tree, there = _copy(whole, number, k)
                        there.ops[at] = other()
                        yield f"{ast.unparse(node)} as {ast.unparse(there)}", tree
            if isinstance(node, ast.BoolOp):
                for at in range(len(node.values)):
                    tree, there = _copy(whole, number, k)
                    there.values[at] = ast.Constant(isinstance(there.op, ast.And))
                    yield f"{ast.unparse(node)} as {ast.unparse(there)}", tree


def _copy(whole: ast.Module, number: int, k: int) -> tuple[ast.Module, Any]:
    """A copy of the module, and in it the node of this number in a function."""
    tree = copy.deepcopy(whole)
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    return tree, list(ast.walk(functions[number]))[k]


def _docstring(line: ast.stmt) -> bool:
    return isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant)


CASES = [*HOLD.values(), *FALSE.values(), *MALFORMED.values()]
TEXTS = [json.dumps(content) for content, _ in CASES]


LARGE = 1000
BOUNDS = [
    ("MOST_BYTES", 4, "1234"),
    ("MOST_BYTES", 4, "12345"),
    ("MOST_LISTS", 2, "[[]]"),
    ("MOST_LISTS", 2, "[[],[]]"),
    ("MOST_OBJECTS", 1, "{}"),
    ("MOST_OBJECTS", 1, "[{},{}]"),
    ("MOST_PLAYERS", 6, THREE),
    ("MOST_PLAYERS", 5, THREE),
]
"""What is just small enough, and too large."""


def verdicts(module: dict[str, Any]) -> Iterator[object]:
    """What a verifier says of all proofs by hand, and of texts that it cannot read."""
    for text in TEXTS:
        yield said(lambda text=text: module["verify"](module["read"](text)))
    for text, _ in READ:
        if len(text) < LARGE:
            yield said(lambda text=text: module["read"](text))
    for how in OTHERWISE.values():
        yield said(lambda how=how: module["verify_file"](how(NAMED.encode())))
    for steps, _ in BESIDE:
        yield said(lambda steps=steps: module["verify"](TWO, by_rules(*steps)))
    for file in FILES:
        yield said(lambda file=file: module["verify_file"](file.encode()))
    for content, _ in FORMATTED:
        yield said(lambda content=content: module["format_json"](content))
    for mask, _ in BITS:
        yield said(lambda mask=mask: module["list_bits"](Mask(mask)))
    for content, numbers in WORK:
        for most in (numbers, numbers - 1):
            work = module["Work"](most)
            yield said(
                lambda content=content, work=work: module["verify"](content, None, work)
            )
            yield work.done
    yield said(lambda: module["read_duals"](THREE_WITNESS, 6, [1]).class_duals)
    for name, most, text in BOUNDS:
        before, module[name] = module[name], most
        known = module["read" if isinstance(text, str) else "verify"]
        yield said(lambda text=text, known=known: known(text))
        module[name] = before


def said(by: Callable[[], object]) -> object:
    try:
        return by()
    except Exception as error:
        return type(error).__name__, str(error)


def loaded(tree: ast.Module) -> dict[str, Any]:
    module: dict[str, Any] = {"__name__": "verifier"}
    exec(compile(tree, "verify.py", "exec"), module)  # noqa: S102 - our own file
    return module


@pytest.mark.long
@pytest.mark.slow
def test_no_rule_can_be_left_out() -> None:
    right = [*verdicts(loaded(ast.parse(SOURCE)))]
    survivors = []
    for said, tree in changes():
        found = verdicts(loaded(ast.fix_missing_locations(tree)))
        if all(one == other for one, other in zip(right, found, strict=True)):
            survivors.append(said)
    assert [said for said in survivors if not any(why in said for why in SAME)] == []
    assert [why for why in SAME if not any(why in said for said in survivors)] == []
