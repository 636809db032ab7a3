"""Sentences: what is said alike of levels and pairings by every system with brackets."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from pairopt.event.fide import Fide
from pairopt.event.state import State
from pairopt.fide.dutch.quality import QualityKey
from pairopt.fide.dutch.ranking import RankedPlayers
from pairopt.problem.system import Level
from pairopt.rules.constraints.allocated_sides import article_of
from pairopt.wording import counted, decimal_text, points_text

PLACES = 32
"""More than a bracket has criteria and parts."""
BYE_PLACE = -PLACES * 2**40
"""Before the levels of any bracket."""


def level_of(
    ranking: RankedPlayers, scale: int, s: int, key: QualityKey, words: Mapping[str, str]
) -> Level:
    """The level `key` in the bracket of group `s`.

    `words` has all criteria in order, {x} for the points of the key's group.
    """
    criterion, group = key
    label = bracket = _points(ranking, scale, s)
    said = words[criterion]
    if group >= 0:
        points = _points(ranking, scale, group)
        label = f"{bracket}/{points}"
        said = said.replace("{x}", points) if "{x}" in said else f"{said}, of {points}"
    place = PLACES * -ranking.scores[s] + list(words).index(criterion)
    article = criterion.removesuffix(" MDP")
    return Level(place, criterion, label, 1, 0, f"{bracket} points: {said} ({article})")


def _points(ranking: RankedPlayers, scale: int, group: int) -> str:
    return decimal_text(Fraction(ranking.scores[group], scale))


def names_of(ranking: RankedPlayers, state: State, ranks: np.ndarray) -> list[str]:
    """The names of these ranks."""
    return [state.shown[p] for p in ranking.player[ranks].tolist()]


def points(ranking: RankedPlayers, scale: int, s: int) -> str:
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
