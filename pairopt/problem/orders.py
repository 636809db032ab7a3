"""Orders: a model with its criteria in another order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace

from pairopt.errors import UsageError
from pairopt.problem.model import Model
from pairopt.rules.base import Criterion


def reordered(model: Model, places: Sequence[int], order: Sequence[int]) -> Model:
    """The model with its criteria `places` in another order.

    What the last round changes stays: there a criterion is replaced by the one that has taken its
    place in the other rounds, so that orders differ in the same way in every round."""
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
        last_round=None if last is None else _like(last, places, order, model.criteria),
    )


def _like(
    last: Model, places: Sequence[int], order: Sequence[int], criteria: Sequence[Criterion]
) -> Model:
    """The last round's model with those criteria permuted that it has too."""
    before, after = (
        [rule for rule in (criteria[k] for k in which) if rule in last.criteria]
        for which in (places, order)
    )
    taken = dict(zip(before, after, strict=True))
    return replace(last, criteria=tuple(taken.get(rule, rule) for rule in last.criteria))


def short(rule: Criterion) -> str:
    """A criterion in a few characters: its kind, and what it counts."""
    given = [str(getattr(rule, f.name)) for f in fields(rule)]  # type: ignore[arg-type]
    return f"{rule.kind}({', '.join(given)})" if given else rule.kind


def swapped(model: Model) -> tuple[Model, ...]:
    """The model with each neighbouring pair of its criteria exchanged, one after the other. Raises
    UsageError for a model without an order."""
    if model.engine is not None or model.weights is not None:
        raise UsageError("model.no_order", model=model.name)
    places = list(range(len(model.criteria)))
    return tuple(
        reordered(model, places, [*places[:k], k + 1, k, *places[k + 2 :]])
        for k in range(len(places) - 1)
    )
