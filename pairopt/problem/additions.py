"""Additions: the rules that options and an event's settings add to those of a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pairopt.errors import UsageError
from pairopt.event.event import Event
from pairopt.problem.model import Model
from pairopt.problem.options import Pair, RoundOptions, active_position
from pairopt.rules.base import Constraint, Criterion
from pairopt.rules.constraints.conflicts import NoConflicts
from pairopt.rules.constraints.forbidden_bye import ForbiddenBye
from pairopt.rules.constraints.forbidden_pairs import ForbiddenPairs
from pairopt.rules.constraints.forced_bye import ForcedBye
from pairopt.rules.constraints.forced_pairs import ForcedPairs
from pairopt.rules.criteria.conflicts import Conflicts
from pairopt.rules.criteria.pairing_style import PairingStyle


def asked_for(event: Event, options: RoundOptions) -> list[Constraint]:
    """What this round's options and the event say of some of the players.

    Raises UsageError for players who are not there.
    """
    rules: list[Constraint] = []
    if forced := _positions(event, options.force):
        for position in {p for pair in forced for p in pair}:
            active_position(event, event.players[position])
        rules.append(ForcedPairs(forced))
    if forbidden := (*event.forbidden, *_positions(event, options.forbid)):
        rules.append(ForbiddenPairs(forbidden))
    if options.bye is not None:
        rules.append(ForcedBye(active_position(event, options.bye)))
    if barred := tuple(event.position(player) for player in options.no_bye):
        rules.append(ForbiddenBye(barred))
    return rules


def with_settings(event: Event, model: Model) -> Model:
    """The model with who is kept apart, and how players meet in the first round.

    Raises UsageError where the model's order is not one of criteria.
    """
    settings = event.settings
    never = tuple(each.column for each in settings.apart if each.place is None)
    if never:
        model = replace(model, constraints=(*model.constraints, NoConflicts(never)))
    added: list[tuple[int, Criterion]] = [
        (each.place - 1, Conflicts(each.column)) for each in settings.apart if each.place
    ]
    if settings.first_round is not None and event.round == 1:
        added.append((len(model.criteria) + len(added), PairingStyle(settings.first_round)))
    if not added:
        return model
    if model.weights is not None or model.system is not None:
        own = "is weighted" if model.system is None else "has an order of its own"
        raise UsageError(f"model {model.name} {own}: nothing can be added to its order")
    criteria = [*model.criteria]
    for place, rule in added:
        criteria.insert(place, rule)
    return replace(model, criteria=tuple(criteria))


def _positions(event: Event, pairs: Sequence[Pair]) -> tuple[tuple[int, int], ...]:
    placed = tuple((event.position(a), event.position(b)) for a, b in pairs)
    if same := [event.shown[a] for a, b in placed if a == b]:
        raise UsageError(f"{same[0]!r} cannot meet themselves")
    return placed
