"""Labels: a bracket's level as people know it, from the words of its system."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from pairopt.fide.dutch.quality import Key
from pairopt.fide.dutch.ranking import Ranking
from pairopt.problem.system import Level
from pairopt.wording import decimal_text

PLACES = 32
"""More than a bracket has criteria and parts."""
BYE_PLACE = -PLACES * 2**40
"""Before the levels of any bracket."""


def level_of(ranking: Ranking, scale: int, s: int, key: Key, words: Mapping[str, str]) -> Level:
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


def _points(ranking: Ranking, scale: int, group: int) -> str:
    return decimal_text(Fraction(ranking.scores[group], scale))
