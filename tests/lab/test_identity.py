"""Digests of code don't depend on the version of Python that computes them."""

from __future__ import annotations

import ast
import hashlib
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

from pairopt.lab.identity import digest, identity, syntax_text

# each line is one that some version of Python writes in its own way
CODE = r'''
import math
class Empty:
    pass
def plain():
    return []
def full(a, /, b: int = 1, *c, d=None, **e) -> None:
    """A text."""
    return print(), {}, [x for x in a if x], lambda: None
async def waits(): await plain()
NAMES = f"{CODE!r:>{10}} {{}}" "" f"{1}" ""
match NAMES:
    case Empty(): pass
    case [1, *_] | {"a": 2}: pass
'''
OF_CODE = "09f4bc7f370438e2feff0dc10de946ea35728a788ef47667978847492b180147"
OF_VALUES = "24cbaf4c1c61332251a1e3412f09c707"


def test_the_text_of_code_is_the_same_on_each_python() -> None:
    assert syntax_text(ast.parse("def plain(): pass").body[0]) == (
        "FunctionDef(name='plain', args=arguments(posonlyargs=[], args=[], kwonlyargs=[], "
        "kw_defaults=[], defaults=[]), body=[Pass()], decorator_list=[])"
    )
    text = syntax_text(ast.parse(CODE))
    assert hashlib.sha256(text.encode()).hexdigest() == OF_CODE


def test_values_of_pythons_own_classes_are_known_by_the_name_of_the_class() -> None:
    """The library that comes with Python has other code in each version."""
    assert identity(Fraction(1, 2)) == ["fractions:Fraction", None, [["1", "2"]]]
    assert identity(Path("a") / "b") == ["path", "a/b"]
    assert digest([Fraction(1, 2), Decimal("0.5"), Path("a")]) == OF_VALUES
