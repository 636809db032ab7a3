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

    The default is "fide-dutch" for an event from files of chess, otherwise "standard".

    Raises
    ------
    UsageError
        There is no such model, or none is given and pairopt does not have the event's own
        system.
    InputError
        The model's file cannot be read or has faults.
    """
    if model is not None:
        return load_model(model)
    return load_model(event_model(event) or default_model(event))


def event_model(event: Event) -> str | None:
    """Return the name or path of the event's own model, None if it has none.

    Raises UsageError for a name in capitals, which stands for a system that pairopt
    does not have.
    """
    model_name = event.settings.model
    if model_name is not None and model_name.isupper():
        raise UsageError(
            "model.not_here", source=event.source, system=model_name, other=CHESS_MODEL
        )
    return model_name


def default_model(event: Event) -> str:
    """Return the name of the model for an event that names none.

    It is FIDE's Dutch System for events from files of chess, otherwise "standard".
    """
    return CHESS_MODEL if event.origin.chess else DEFAULT_MODEL


def model_of_round(event: Event, model: Model, options: RoundOptions) -> Model:
    """Return the model with the changes of the round, the settings and the options.

    In the last round, by the option or by the number of rounds in the settings, it is
    the model of the last round, if `model` has one. Constraints that the options relax
    are removed and rules of the settings are added. The lookahead comes from the
    options or the settings, and the objective from the options, if they are given.
    Raises UsageError for a constraint to relax that the model does not have, and for
    settings that add criteria to a model with a fixed order or weights.
    """
    is_last = options.last_round or event.round == event.settings.rounds
    model = model.for_round(is_last).without_constraints(options.relax)
    model = _with_settings(event, model)

    chosen_lookahead = _choose_lookahead(event, options)
    if chosen_lookahead is not None:
        model = replace(model, lookahead=chosen_lookahead)
    if options.objective is not None:
        model = replace(model, objective=options.objective)
    return model


def _choose_lookahead(event: Event, options: RoundOptions) -> int | None:
    """Return how many further rounds must stay possible, None for the model's number.

    The option comes before the setting. "all" stands for the rounds that are left after
    this one, and is 0 if the settings have no number of rounds.
    """
    settings = event.settings
    further_rounds = (
        settings.lookahead if options.lookahead is None else options.lookahead
    )
    if further_rounds == "all":
        return max((settings.rounds or 0) - event.round, 0)
    return further_rounds


def _with_settings(event: Event, model: Model) -> Model:
    """Return the model with the rules that the event's settings add.

    A column that separates players becomes a constraint, or the criterion at its place
    (from 1) if the settings give one. In round 1 the pairing style of the settings
    becomes the last criterion. Raises UsageError if criteria are added to a system or
    to a weighted model.
    """
    settings = event.settings
    separating_columns = tuple(
        separation.column for separation in settings.apart if separation.place is None
    )
    if separating_columns:
        model = replace(
            model, constraints=(*model.constraints, NoConflicts(separating_columns))
        )

    positioned_criteria: list[tuple[int, Criterion]] = [
        (separation.place - 1, Conflicts(separation.column))
        for separation in settings.apart
        if separation.place
    ]
    if settings.first_round is not None and event.round == 1:
        positioned_criteria.append(
            (
                len(model.criteria) + len(positioned_criteria),
                PairingStyle(settings.first_round),
            )
        )
    if not positioned_criteria:
        return model

    if model.system is not None:
        raise UsageError("model.closed_order", model=model.name)
    if model.weights is not None:
        raise UsageError("model.closed_weights", model=model.name)
    all_criteria = list(model.criteria)
    for criterion_place, added_rule in positioned_criteria:
        all_criteria.insert(criterion_place, added_rule)
    return replace(model, criteria=tuple(all_criteria))


def with_published(model: Model, tables: Pairs) -> Model:
    """Return the model with two criteria first, which keep published matches.

    The first counts published matches that change, the second those with exchanged
    sides. `tables` are the published matches as pairs of positions in the event, the
    first side first. A weighted model becomes one level after these two. Raises
    UsageError for a system.
    """
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
    """Raise UsageError if no round can be paired by this model with the settings.

    That is so if a column that separates players does not exist, if the settings change
    a model that cannot be changed, or if a system is to have a lookahead. A round robin
    is paired without a model, and always passes. Columns come with the first player, so
    an event without players may lack any column.
    """
    if event.settings.is_round_robin:
        return
    round_model = model_of_round(event, model, RoundOptions())
    if event.players:
        for separation in event.settings.apart:
            event.cells(separation.column)
    if round_model.system is not None and round_model.lookahead:
        raise UsageError("system.no_objective", system=round_model.system)
