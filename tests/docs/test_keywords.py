"""The public functions have their keywords spelled out, with types and defaults."""

from __future__ import annotations

import inspect
from dataclasses import fields
from inspect import Parameter
from typing import get_type_hints

import make_keywords
import pytest

import pairopt
from pairopt import folder
from pairopt.problem import keywords, options
from pairopt.problem.options import RoundOptions

PUBLIC = [
    getattr(pairopt, name)
    for name in pairopt.__all__
    if name.islower() and name[0] != "_"
]
VERBS = [folder.pair, folder.repair, folder.preview, folder.publish]


@pytest.mark.parametrize("function", [*PUBLIC, *VERBS], ids=lambda f: f.__name__)
def test_each_keyword_has_a_name_a_type_and_a_default(function: object) -> None:
    assert callable(function)
    for each in inspect.signature(function).parameters.values():
        assert each.kind != Parameter.VAR_KEYWORD
        assert each.annotation is not Parameter.empty
        assert (
            each.kind != Parameter.KEYWORD_ONLY or each.default is not Parameter.empty
        )


@pytest.mark.parametrize("name", ["Round", "Compare", "Solve"])
def test_the_keywords_are_the_options(name: str) -> None:
    """What type checkers read, and what is checked when it is called."""
    kind = getattr(options, f"{name}Options")
    hints = get_type_hints(getattr(keywords, f"{name}Keywords"))
    assert issubclass(kind, RoundOptions)
    assert hints == get_type_hints(kind)
    assert list(hints) == [each.name for each in fields(kind)]


def test_the_keywords_of_type_checkers_are_current() -> None:
    assert make_keywords.FILE.read_text(encoding="utf-8") == make_keywords.text()
