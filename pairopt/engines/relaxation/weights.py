"""Exact integer weights: one objective that orders pairings as the model does."""

from __future__ import annotations

from fractions import Fraction
from math import lcm

from pairopt.engines.base import UnsupportedError
from pairopt.engines.relaxation.columns import Columns
from pairopt.problem.problem import Problem


def model_weights(problem: Problem) -> tuple[tuple[int, ...], int] | None:
    """The weights of a weighted model, one a level, and what they were multiplied by.

    A level counts for its criterion's weight times its magnitude (a match three score
    groups apart counts three times). None for a lexicographic model.
    """
    if problem.model.weights is None:
        return None
    exact = [
        weight * rule.magnitude(label) / rule.scale(problem.state)
        for rule, weight, labels in zip(
            problem.criteria, problem.weights, problem.labels, strict=True
        )
        for label in labels
    ]
    scale = lcm(*(Fraction(weight).denominator for weight in exact))
    return tuple(int(weight * scale) for weight in exact), scale


def radix_weights(columns: Columns) -> tuple[int, ...]:
    """Mixed-radix weights: one unit of a level outweighs all that later levels can hold."""
    weights, unit = [], 1
    for most in reversed(columns.most()):
        weights.append(unit)
        unit *= most + 1
    return tuple(reversed(weights))


def require_fit(total: int, limit: int) -> None:
    """Raise UnsupportedError when a weighted objective may exceed an engine's integers."""
    if total > limit:
        raise UnsupportedError(
            f"the weights of this round do not fit in the engine's integers (they need "
            f"{total.bit_length()} bits, it has {limit.bit_length()}): "
            "use --objective lexicographic"
        )
