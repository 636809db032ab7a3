"""Sentences: what is said alike of a pairing by every system with brackets."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from pairopt.event.fide import Fide
from pairopt.event.state import State
from pairopt.fide.dutch.ranking import Ranking
from pairopt.rules.constraints.allocated_sides import article_of
from pairopt.wording import counted, points_text


def names(ranking: Ranking, state: State, ranks: np.ndarray) -> list[str]:
    """The names of these ranks."""
    return [state.shown[p] for p in ranking.player[ranks].tolist()]


def points(ranking: Ranking, scale: int, s: int) -> str:
    """The points of group `s`."""
    return points_text(Fraction(ranking.scores[s], scale))


def floats_said(
    upper: str, lower: str, members: int, floats: int, group: str, article: str
) -> list[str]:
    """That `upper` floats down to `lower`, and why, as far as counting says it."""
    players, least = counted(members, "player", "players"), counted(floats, "has", "have")
    return [
        f"{upper} floats down, of the {players} in the bracket of {group} {least} to ({article})",
        f"{lower} floats up",
    ]


def side_said(
    state: State, fide: Fide, one: int, two: int, because: Mapping[str, str]
) -> list[str]:
    """Why player `one` has the first side against `two`, by the article that decided."""
    if not state.sided:
        return []
    assert state.event.sides is not None
    side = state.event.sides[0].capitalize()
    return [f"{state.shown[one]} has {side} {because[article_of(fide, one, two)]}"]
