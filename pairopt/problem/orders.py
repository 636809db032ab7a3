"""Orders: a model with its criteria in another order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace

from pairopt.errors import UsageError
from pairopt.problem.model import Model
from pairopt.rules.base import Criterion


def reordered(model: Model, places: Sequence[int], order: Sequence[int]) -> Model:
    """The model with its criteria `places` in another order, in the last round too."""
    if list(order) == list(places):
        return model
    full = list(range(len(model.criteria)))
    for place, rule in zip(places, order, strict=True):
        full[place] = rule
    criteria = tuple(model.criteria[k] for k in full)
    last = model.last_round
    return replace(
        model,
        name=f"{model.name}/{'-'.join(str(k + 1) for k in full)}",
        title=" > ".join(short(rule) for rule in criteria),
        criteria=criteria,
        last_round=None if last is None else replace(last, criteria=criteria),
    )


def short(rule: Criterion) -> str:
    """A criterion in a few characters: its kind, and what it counts."""
    given = [str(getattr(rule, f.name)) for f in fields(rule)]  # type: ignore[arg-type]
    return f"{rule.kind}({', '.join(given)})" if given else rule.kind


def swapped(model: Model) -> tuple[Model, ...]:
    """The model with each neighbouring pair of its criteria exchanged, one after the other.

    Raises UsageError for a model without an order.
    """
    if model.engine is not None or model.weights is not None:
        raise UsageError(f"model {model.name} has no order of criteria to swap")
    places = list(range(len(model.criteria)))
    return tuple(
        reordered(model, places, [*places[:k], k + 1, k, *places[k + 2 :]])
        for k in range(len(places) - 1)
    )
