"""Exact integer weights: one objective that orders pairings as the model does."""

from __future__ import annotations

import math

from pairopt.engines.base import UnsupportedError
from pairopt.engines.columns import Columns


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


def whole_bound(bound: float) -> int:
    """An integer that is certainly no higher than a solver's floating-point bound."""
    if abs(bound) < 2**52:
        return math.ceil(bound - 1e-6)
    return math.floor(bound * (1 - 1e-15 if bound > 0 else 1 + 1e-15))
