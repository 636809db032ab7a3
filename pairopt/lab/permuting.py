"""Permuting: a model's criteria in other orders, its constraints held."""

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from pairopt.errors import UsageError
from pairopt.lab.arguments import require
from pairopt.lab.luck import uniforms
from pairopt.problem.model import Model, reorder_criteria

MOST = 100_000


def orderings(
    model: Model, kinds: Sequence[str] = (), sample: int | None = None, seed: int = 0
) -> tuple[Model, ...]:
    """The model in every order of its criteria, or of those whose kind (or place) is named.

    Its own order comes first; with `sample` so many are chosen by the seed, that one among them.
    `excalibur/1-2-5-3-4-6-7` has Excalibur's fifth criterion in third place. A last round with an
    order of its own is permuted too. Raises UsageError for a model without an order.
    """
    expected = 'a Model, for example pairopt.load_model("standard")'
    require(isinstance(model, Model), "orderings", "model", model, expected)
    if model.engine is not None or model.weights is not None:
        raise UsageError("study.no_order", model=model.name)
    places = _places(model, kinds)
    count = math.factorial(len(places))
    if sample is not None and sample < count:
        chosen = [tuple(places), *_sample_orders(places, sample - 1, seed)]
    elif count <= MOST:
        chosen = list(itertools.permutations(places))
    else:
        raise UsageError("study.many_orders", count=count, model=model.name)
    return tuple(reorder_criteria(model, places, order) for order in chosen)


def reordered_models(
    model: Model, orders: Mapping[str, Sequence[str]]
) -> tuple[Model, ...]:
    """The model, and it in each of these orders, by their labels: `excalibur/groups first`.

    An order names criteria by their kind (or place): these take the places that they have together,
    in this order. Raises UsageError for what the model has not, or is named twice.
    """
    found = [model]
    for label, kinds in orders.items():
        order = [place for kind in kinds for place in _places(model, [kind])]
        if len({*order}) != len(order):
            raise UsageError("study.order_unfit", order=label)
        made = reorder_criteria(model, sorted(order), order)
        found.append(replace(made, name=f"{model.name}/{label}"))
    return tuple(found)


def _places(model: Model, kinds: Sequence[str]) -> list[int]:
    if not kinds:
        return list(range(len(model.criteria)))
    have = [(str(k), rule.kind) for k, rule in enumerate(model.criteria, 1)]
    if strange := [kind for kind in kinds if not any(kind in names for names in have)]:
        listed = [f"{number} {kind}" for number, kind in have]
        raise UsageError(
            "study.no_criterion",
            model=model.name,
            found=repr(strange[0]),
            criteria=listed,
        )
    return [k for k, names in enumerate(have) if set(names) & set(kinds)]


def _sample_orders(
    places: Sequence[int], count: int, seed: int
) -> list[tuple[int, ...]]:
    found: dict[tuple[int, ...], None] = {}
    draws = itertools.count()
    while len(found) < count:
        keys = uniforms(seed, next(draws), np.arange(len(places)))
        order = tuple(places[k] for k in np.argsort(keys).tolist())
        if order != tuple(places):
            found[order] = None
    return list(found)
