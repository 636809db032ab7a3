"""Weights of a weighted model as exact integers."""

from __future__ import annotations

from fractions import Fraction
from math import lcm

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
