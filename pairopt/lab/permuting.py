"""Models with their criteria in other orders and the same constraints."""

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
    """Return one model for each order of the model's criteria, its own order first.

    The name of each returned model says its order: `excalibur/1-2-5-3-4-6-7` has the
    fifth criterion of Excalibur in third place. If a model has other criteria for the
    last round, `orderings` permutes these criteria, too.

    Parameters
    ----------
    model
        A model whose criteria have an order: one without weights and without an engine of its own.
    kinds
        The criteria to permute, by kind or place. By default all criteria.
    sample
        The largest number of orders. If there are more, this many are drawn at random,
        including the model's own order.
    seed
        The seed of that draw.

    Returns
    -------
    tuple of Model
        For each order of the criteria, a copy of `model` with its criteria in this order.

    Raises
    ------
    UsageError
        If the criteria of the model have no order, if the model lacks a criterion in
        `kinds`, or if there are too many orders.

    Examples
    --------
    >>> import pairopt
    >>> [model.name for model in orderings(pairopt.load_model("standard"), ["1", "2"])]
    ['standard', 'standard/2-1-3-4-5-6-7']
    """
    expected_text = 'a Model, for example pairopt.load_model("standard")'
    require(isinstance(model, Model), "orderings", "model", model, expected_text)
    if model.engine is not None or model.weights is not None:
        raise UsageError("study.no_order", model=model.name)
    permuted_positions = _find_places(model, kinds)
    order_count = math.factorial(len(permuted_positions))
    if sample is not None and sample < order_count:
        position_orders = [
            tuple(permuted_positions),
            *_sample_orders(permuted_positions, sample - 1, seed),
        ]
    elif order_count <= MOST:
        position_orders = list(itertools.permutations(permuted_positions))
    else:
        raise UsageError("study.many_orders", count=order_count, model=model.name)
    return tuple(
        reorder_criteria(model, permuted_positions, position_order)
        for position_order in position_orders
    )


def reordered_models(
    model: Model, orders: Mapping[str, Sequence[str]]
) -> tuple[Model, ...]:
    """Return the model, then one variant of it for each of `orders`.

    `orders` has a list of criteria by label; a variant is named `excalibur/label`. The
    listed criteria, by kind or place, share the places that they have now, in the
    listed order. Raises UsageError for a criterion that the model does not have, or
    that is listed twice.
    """
    models = [model]
    for order_label, criterion_names in orders.items():
        criterion_positions = [
            criterion_position
            for criterion_name in criterion_names
            for criterion_position in _find_places(model, [criterion_name])
        ]
        if len({*criterion_positions}) != len(criterion_positions):
            raise UsageError("study.order_unfit", order=order_label)
        reordered_model = reorder_criteria(
            model, sorted(criterion_positions), criterion_positions
        )
        models.append(replace(reordered_model, name=f"{model.name}/{order_label}"))
    return tuple(models)


def _find_places(model: Model, kinds: Sequence[str]) -> list[int]:
    """Find criteria by their kinds or places, and list their positions from 0.

    A place is a text that counts from 1. A kind that occurs twice gives two positions.
    An empty `kinds` gives all positions. Raises UsageError for a name that no criterion
    of the model has.
    """
    if not kinds:
        return list(range(len(model.criteria)))
    criterion_names = [
        (str(place_number), criterion.kind)
        for place_number, criterion in enumerate(model.criteria, 1)
    ]
    unknown_names = [
        kind_or_place
        for kind_or_place in kinds
        if not any(
            kind_or_place in place_and_kind for place_and_kind in criterion_names
        )
    ]
    if unknown_names:
        raise UsageError(
            "study.no_criterion",
            model=model.name,
            found=repr(unknown_names[0]),
            criteria=[
                f"{criterion_place} {kind_or_place}"
                for criterion_place, kind_or_place in criterion_names
            ],
        )
    return [
        criterion_position
        for criterion_position, place_and_kind in enumerate(criterion_names)
        if set(place_and_kind) & set(kinds)
    ]


def _sample_orders(
    places: Sequence[int], count: int, seed: int
) -> list[tuple[int, ...]]:
    """Draw `count` different orders of `places`, without the present order.

    The same seed gives the same orders. `count` has to be less than the number of
    orders; otherwise the function never ends.
    """
    drawn_orders: dict[tuple[int, ...], None] = {}
    draw_counter = itertools.count()
    while len(drawn_orders) < count:
        sort_keys = uniforms(seed, next(draw_counter), np.arange(len(places)))
        shuffled_places = tuple(
            places[place_position] for place_position in np.argsort(sort_keys).tolist()
        )
        if shuffled_places != tuple(places):
            drawn_orders[shuffled_places] = None
    return list(drawn_orders)
