"""Writes pairopt/problem/keywords.py, the options as type checkers read them:
python tests/make/make_keywords.py"""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

from pairopt.problem import keywords
from pairopt.problem.options import CompareOptions, RoundOptions, SolveOptions

FILE = Path(keywords.__file__)
HEAD = '''"""The options of functions that pair a round, as keywords for type checkers.

`python tests/make/make_keywords.py` writes this file from the fields of `RoundOptions`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from pairopt.problem.model_file import Objective
from pairopt.problem.options import Choose, Formulation, Pair, Verify
'''


def class_text(kind: type[RoundOptions], base: type[RoundOptions] | None) -> str:
    """Return the keywords of a command as a class, without those that its base class has."""
    name = keywords_name(kind)
    parent = "TypedDict" if base is None else keywords_name(base)
    inherited = {each.name for each in fields(base)} if base else set()

    lines = [
        f"class {name}({parent}, total=False):",
        f'    """The fields of `{kind.__name__}` as keywords."""',
        "",
    ]
    lines += [
        f"    {each.name}: {each.type}"
        for each in fields(kind)
        if each.name not in inherited
    ]
    return "\n".join(lines) + "\n"


def keywords_name(kind: type[RoundOptions]) -> str:
    return kind.__name__.removesuffix("Options") + "Keywords"


def text() -> str:
    """Return the whole file."""
    classes = (
        class_text(RoundOptions, None),
        class_text(CompareOptions, RoundOptions),
        class_text(SolveOptions, CompareOptions),
    )
    return "\n\n".join([HEAD, *classes])


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
