"""Measure: what makes an opponent strong."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal, get_args

from pairopt.errors import UsageError
from pairopt.event.event import NO_RATING
from pairopt.problem.problem import Problem

Measure = Literal["rating", "score"]


def measure_of(problem: Problem, by: Measure | None) -> Measure:
    """The measure that is asked for; by default the rating where everybody has one.

    Raises UsageError for another one, or ratings that are not there.
    """
    unrated = bool((problem.state.rating == NO_RATING).any())
    if by not in (None, *get_args(Measure)):
        raise UsageError(f"expected by rating or score, found {by}")
    if by == "rating" and unrated:
        raise UsageError("not every player has a rating: measure opponents by score")
    return by or ("score" if unrated else "rating")


def strengths(problem: Problem, by: Measure) -> list[Fraction]:
    """The strength of each player of the state."""
    state = problem.state
    if by == "rating":
        return [Fraction(each, state.event.rating_scale) for each in state.rating.tolist()]
    return [Fraction(score, state.scale) for score in state.score.tolist()]
