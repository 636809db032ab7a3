"""Ready: an event under a model and options, as the problem of its next round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Unpack

from pairopt.errors import UsageError
from pairopt.event.event import Event
from pairopt.event.points import Points, points_of_text
from pairopt.problem.model import Model, load_model
from pairopt.problem.options import (
    CHESS_MODEL,
    DEFAULT_MODEL,
    ModelLike,
    Pair,
    RoundKeywords,
    RoundOptions,
    options_of,
    spelled_out,
)
from pairopt.problem.problem import Problem, problem_of
from pairopt.rules.base import Constraint, Criterion
from pairopt.wording import decimal_text, listed


def model_for(event: Event, model: ModelLike | None) -> Model:
    """The model that is asked for, else the event's own, else the default.

    Raises UsageError where nothing is asked for, and the event's own system is not here.
    """
    return load_model(own_model(event) or usual_model(event) if model is None else model)


def own_model(event: Event) -> str | None:
    """What the event says of its model. Raises UsageError for a system that is not here."""
    own = event.settings.model
    if own is not None and own.isupper():
        raise UsageError(
            f"{event.source} is to be paired by {own}, which is not here: "
            f"by other rules it is with --model, as --model {CHESS_MODEL}"
        )
    return own


def usual_model(event: Event) -> str:
    """What an event is paired by that says nothing of it."""
    return CHESS_MODEL if event.origin.chess else DEFAULT_MODEL


@spelled_out(RoundOptions)
def prepare(
    event: Event, model: ModelLike | None = None, **options: Unpack[RoundKeywords]
) -> Problem:
    """The problem of the round that `solve` would pair with these options."""
    return problem_for(event, model, options_of(event, RoundOptions, options, "prepare"))


def problem_for(event: Event, model: ModelLike | None, options: RoundOptions) -> Problem:
    """The problem that these options describe; what they do not say, the event's settings do.

    Its notes name what the options override. Raises UsageError for players or constraints that
    are not there.
    """
    event, chosen = event.at_round(options.round), model_for(event, model)
    points = _points(options.points)
    said = _overridden(event, chosen if model else None, points, options)
    chosen = _model_of_round(event, chosen, options)
    event, more = _event_of_round(event, chosen, points, options)
    if said or more:
        event = replace(event, notes=(*event.notes, *said, *more))
    if options.published:
        chosen = _with_published(event, chosen, options)
    problem = problem_of(event, chosen, _asked_for(event, options), options.seed or 0)
    if options.allow or options.allow_bye or options.fixed or options.published:
        problem = replace(problem, constraints=_but_for(problem, options))
    return replace(problem, asked=options)


def _model_of_round(event: Event, model: Model, options: RoundOptions) -> Model:
    """The model with what the round, the event's settings and the options change in it."""
    settings = event.settings
    model = model.for_round(options.last_round or event.round == settings.rounds)
    model = _with_settings(event, model.relaxed(options.relax))
    lookahead = settings.lookahead if options.lookahead is None else options.lookahead
    if lookahead == "all":
        lookahead = max((settings.rounds or 0) - event.round, 0)
    if lookahead is not None:
        model = replace(model, lookahead=lookahead)
    return model if options.objective is None else replace(model, objective=options.objective)


def _event_of_round(
    event: Event, model: Model, points: Points | None, options: RoundOptions
) -> tuple[Event, list[str]]:
    """The event with its points, sides and who is here, and what there is to say of it."""
    said = _not_for_good(event, options.drop)
    if points is not None:
        event = replace(event, settings=replace(event.settings, points=points))
    event = event.without(options.drop, options.request_bye)
    if options.sides is None:
        return event.with_sides(model.sides), said
    event = event.with_other_sides(options.sides)
    if (event.sides or ()) != tuple(options.sides):
        said.append(f"sides {_labels(event.sides)}, as in the matches played")
    return event, said


def _points(text: str | None) -> Points | None:
    """The points in a text. Raises UsageError for one that says none."""
    try:
        return None if text is None else points_of_text(text)
    except ValueError as error:
        raise UsageError(f"points {text}: {error}") from None


def _overridden(
    event: Event, model: Model | None, points: Points | None, options: RoundOptions
) -> list[str]:
    """What these options override of the event's settings, in sentences."""
    own = event.settings
    both = {
        "model": (model and model.name, own.model and Path(own.model).stem),
        "lookahead": (options.lookahead, own.lookahead),
        "points": tuple(each and _worth(each) for each in (points, points and own.points)),
        "sides": (
            None if options.sides is None else _labels(options.sides),
            None if own.sides is None else _labels(own.sides),
        ),
    }
    said = [
        f"{name} {asked} instead of the event's {kept}"
        for name, (asked, kept) in both.items()
        if asked is not None and kept is not None and asked != kept
    ]
    if options.last_round and own.rounds is not None and own.rounds != event.round:
        said.append(f"round {event.round} as the last one instead of the event's {own.rounds}")
    return said


def _worth(points: Points) -> str:
    return f"{points} (bye {decimal_text(points.allocated_bye)})"


def _labels(sides: Sequence[str] | None) -> str:
    return " and ".join(sides or ()) or "none"


def _not_for_good(event: Event, dropped: Sequence[str]) -> list[str]:
    """A note on players who are left out of this round, but are active in players.csv."""
    declared, places = event.declared_active, dict.fromkeys(event.positions(dropped))
    names = [event.shown[p] for p in places if declared is not None and declared[p]]
    if not names:
        return []
    return [
        f"left out of this round only, as players.csv has them active: {listed(names)} "
        "(for good: write false there, or pairopt drop in an event folder)"
    ]


def active_position(event: Event, player: str) -> int:
    """Position in the event of a player who is to be paired. Raises UsageError otherwise."""
    position = event.position(player)
    if not event.active[position]:
        raise UsageError(f"{event.shown[position]!r} is not active in this round")
    return position


def _asked_for(event: Event, options: RoundOptions) -> list[Constraint]:
    """What this round's options and the event say of some of the players.

    Raises UsageError for players who are not there.
    """
    named = (options.force, options.fixed, options.forbid, options.bye is not None, options.no_bye)
    if not event.forbidden and not any(named):
        return []
    from pairopt.rules.constraints.asked_for import (
        FixedTables,
        ForbiddenBye,
        ForbiddenPairs,
        ForcedBye,
        ForcedPairs,
    )

    rules: list[Constraint] = []
    for kind, pairs in ((FixedTables, options.fixed), (ForcedPairs, options.force)):
        if together := _positions(event, pairs):
            for position in {p for pair in together for p in pair}:
                active_position(event, event.players[position])
            rules.append(kind(together))
    rules += [
        ForbiddenPairs(forbidden)
        for forbidden in (event.forbidden, _positions(event, options.forbid))
        if forbidden
    ]
    if options.bye is not None:
        rules.append(ForcedBye(active_position(event, options.bye)))
    if barred := tuple(event.position(player) for player in options.no_bye):
        rules.append(ForbiddenBye(barred))
    return rules


def _with_published(event: Event, model: Model, options: RoundOptions) -> Model:
    """The model with what is published first of all.

    Raises UsageError for a model whose order is not one of criteria.
    """
    from pairopt.rules.published import ChangedTables, TurnedTables, WeightedSum

    if model.system is not None:
        raise UsageError(
            f"model {model.name} has an order of its own: of what is published, --force what stays"
        )
    tables = _positions(event, options.published)
    own = model.criteria
    if model.objective == "weighted" and model.weights is not None:
        own = (WeightedSum(own, model.weights),)
        model = replace(model, objective="lexicographic", weights=None)
    return replace(model, criteria=(ChangedTables(tables), TurnedTables(tables), *own))


def _but_for(problem: Problem, options: RoundOptions) -> tuple[Constraint, ...]:
    """The constraints, the model's and the event's but for what is allowed all the same."""
    from pairopt.rules.constraints.asked_for import Excepting, ForbiddenPairs

    event = problem.event
    allowed = _positions(event, [*options.allow, *options.fixed])
    stays = _positions(event, options.published)
    byes = tuple(event.position(player) for player in options.allow_bye)

    def excepting(rule: Constraint) -> Constraint:
        matches = (*allowed, *(stays if rule.of_field else ()))
        if not matches and not byes:
            return rule
        return Excepting(rule, ForbiddenPairs(matches) if matches else None, byes)

    own = ForbiddenPairs(event.forbidden)
    return tuple(
        rule if rule.option is not None and rule != own else excepting(rule)
        for rule in problem.constraints
    )


def _with_settings(event: Event, model: Model) -> Model:
    """The model with who is kept apart, and how players meet in the first round.

    Raises UsageError where the model's order is not one of criteria.
    """
    settings = event.settings
    if not settings.apart and settings.first_round is None:
        return model
    from pairopt.rules.constraints.conflicts import NoConflicts
    from pairopt.rules.criteria.conflicts import Conflicts
    from pairopt.rules.criteria.pairing_style import PairingStyle

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
