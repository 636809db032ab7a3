"""The options of functions that pair a round, as keywords for type checkers.

`python tests/make/make_keywords.py` writes this file from the fields of `RoundOptions`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from pairopt.problem.model_file import Objective
from pairopt.problem.options import Choose, Formulation, Pair, Verify


class RoundKeywords(TypedDict, total=False):
    """The fields of `RoundOptions` as keywords."""

    objective: Objective | None
    engine: str | None
    round: int | None
    last_round: bool
    lookahead: int | None
    force: Sequence[Pair]
    forbid: Sequence[Pair]
    bye: str | None
    no_bye: Sequence[str]
    request_bye: Sequence[str]
    drop: Sequence[str]
    relax: Sequence[str]
    allow: Sequence[Pair]
    allow_bye: Sequence[str]
    fixed: Sequence[Pair]
    published: Sequence[Pair]
    sides: Sequence[str] | None
    points: str | None
    seed: int | None
    time_limit: float | None
    workers: int


class CompareKeywords(RoundKeywords, total=False):
    """The fields of `CompareOptions` as keywords."""

    choose: Choose


class SolveKeywords(CompareKeywords, total=False):
    """The fields of `SolveOptions` as keywords."""

    formulation: Formulation
    count: bool
    verify: Verify
