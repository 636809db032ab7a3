"""Choose the model of a round, with changes by the settings and the options."""

from dataclasses import replace

from pairopt.errors import UsageError
from pairopt.event.event import Event
from pairopt.problem.model import Model, load_model
from pairopt.problem.options import CHESS_MODEL, DEFAULT_MODEL, ModelLike, RoundOptions
from pairopt.rules.base import Criterion
from pairopt.rules.constraints.conflicts import NoConflicts
from pairopt.rules.criteria.conflicts import Conflicts
from pairopt.rules.criteria.pairing_style import PairingStyle
from pairopt.rules.repair_criteria import ChangedMatches, SwappedSides, WeightedSum

Pairs = tuple[tuple[int, int], ...]
"""Pairs of players by their positions in the event."""


def model_for(event: Event, model: ModelLike | None) -> Model:
    """Load the given model, otherwise the event's own, otherwise the default.

    Raises
    ------
    UsageError
        No model is given, and pairopt does not have the event's own system.
    """
    if model is not None:
        return load_model(model)
    return load_model(event_model(event) or default_model(event))


def event_model(event: Event) -> str | None:
    """Return the model that the event names, None if it names none.

    Raises UsageError for a system that pairopt does not have.
    """
    model = event.settings.model
    if model is not None and model.isupper():
        raise UsageError(
            "model.not_here", source=event.source, system=model, other=CHESS_MODEL
        )
    return model


def default_model(event: Event) -> str:
    """Return the model of an event that names none."""
    return CHESS_MODEL if event.origin.chess else DEFAULT_MODEL


def model_of_round(event: Event, model: Model, options: RoundOptions) -> Model:
    """Return the model with the changes of the round, the settings and the options.

    Raises UsageError if the model cannot be changed in that way.
    """
    is_last = options.last_round or event.round == event.settings.rounds
    model = model.for_round(is_last).without_constraints(options.relax)
    model = _with_settings(event, model)

    lookahead = _lookahead(event, options)
    if lookahead is not None:
        model = replace(model, lookahead=lookahead)
    if options.objective is not None:
        model = replace(model, objective=options.objective)
    return model


def _lookahead(event: Event, options: RoundOptions) -> int | None:
    """Return how many further rounds the options ask for, otherwise the settings."""
    settings = event.settings
    lookahead = settings.lookahead if options.lookahead is None else options.lookahead
    if lookahead == "all":
        return max((settings.rounds or 0) - event.round, 0)
    return lookahead


def _with_settings(event: Event, model: Model) -> Model:
    """Return the model with separating columns and the style of round 1."""
    settings = event.settings
    separating_columns = tuple(
        separation.column for separation in settings.apart if separation.place is None
    )
    if separating_columns:
        model = replace(
            model, constraints=(*model.constraints, NoConflicts(separating_columns))
        )

    added_criteria: list[tuple[int, Criterion]] = [
        (separation.place - 1, Conflicts(separation.column))
        for separation in settings.apart
        if separation.place
    ]
    if settings.first_round is not None and event.round == 1:
        added_criteria.append(
            (
                len(model.criteria) + len(added_criteria),
                PairingStyle(settings.first_round),
            )
        )
    if not added_criteria:
        return model

    if model.system is not None:
        raise UsageError("model.closed_order", model=model.name)
    if model.weights is not None:
        raise UsageError("model.closed_weights", model=model.name)
    criteria = list(model.criteria)
    for place, rule in added_criteria:
        criteria.insert(place, rule)
    return replace(model, criteria=tuple(criteria))


def with_published(model: Model, tables: Pairs) -> Model:
    """Return the model that first of all changes few of the published tables."""
    if model.system is not None:
        raise UsageError("model.no_published", model=model.name)

    criteria = model.criteria
    if model.objective == "weighted" and model.weights is not None:
        criteria = (WeightedSum(criteria, model.weights),)
        model = replace(model, objective="lexicographic", weights=None)
    return replace(
        model, criteria=(ChangedMatches(tables), SwappedSides(tables), *criteria)
    )


def require_pairable(event: Event, model: Model) -> None:
    """Raise UsageError if no round can be paired by this model with the settings."""
    round_model = model_of_round(event, model, RoundOptions())
    for separation in event.settings.apart:
        event.cells(separation.column)
    if round_model.system is not None and round_model.lookahead:
        raise UsageError("system.no_objective", system=round_model.system)
