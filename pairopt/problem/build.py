"""Ready: an event under a model and options, as the problem of its next round."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self, Unpack

from pairopt.common.budget import Budget
from pairopt.errors import UsageError
from pairopt.event.event import Event
from pairopt.event.points import Points, points_of_text
from pairopt.messages import Message, message
from pairopt.messages.formatting import decimal_text
from pairopt.problem.model import Model, load_model
from pairopt.problem.options import (
    CHESS_MODEL,
    DEFAULT_MODEL,
    ModelLike,
    Pair,
    RoundKeywords,
    RoundOptions,
    parse_options,
    spelled_out,
)
from pairopt.problem.problem import Problem, problem_of
from pairopt.rules.base import Constraint, Criterion

Places = tuple[tuple[int, int], ...]  # pairs of players by their positions in the event


def model_for(event: Event, model: ModelLike | None) -> Model:
    """The model that is asked for, else the event's own, else the default. Raises UsageError where
    nothing is asked for, and the event's own system is not here."""
    return load_model(
        event_model(event) or default_model(event) if model is None else model
    )


def event_model(event: Event) -> str | None:
    """What the event says of its model. Raises UsageError for a system that is not here."""
    if (own := event.settings.model) is not None and own.isupper():
        raise UsageError(
            "model.not_here", source=event.source, system=own, other=CHESS_MODEL
        )
    return own


def default_model(event: Event) -> str:
    return CHESS_MODEL if event.origin.chess else DEFAULT_MODEL


def active_position(event: Event, player: str) -> int:
    """Position in the event of a player who is to be paired. Raises UsageError otherwise."""
    position = event.position(player)
    if not event.active[position]:
        raise UsageError("player.not_active", player=event.shown[position])
    return position


@spelled_out(RoundOptions)
def prepare(
    event: Event, model: ModelLike | None = None, **options: Unpack[RoundKeywords]
) -> Problem:
    """The problem of the round that `solve` would pair with these options."""
    return build_problem_with_budget(event, model, RoundOptions, options, "prepare")[0]


def build_problem_with_budget(
    event: Event,
    model: ModelLike | None,
    kind: type[RoundOptions],
    given: Mapping[str, Any],
    command: str,
) -> tuple[Problem, Budget]:
    """The problem that a command is given, and the budget of it from now on."""
    options = parse_options(event, kind, given, command)
    budget = options.budget(time.monotonic())
    return problem_for(event, model, options), budget


def problem_for(
    event: Event, model: ModelLike | None, options: RoundOptions
) -> Problem:
    """The problem that these options describe, else the event's settings; its notes name what is
    overridden. Raises UsageError for players or constraints that are not there."""
    event, chosen, settings = (
        event.at_round(options.round),
        model_for(event, model),
        event.settings,
    )
    points = None if options.points is None else _points(options.points)
    said = [
        *_override_notes(event, chosen if model else None, points, options),
        *_check_reversible(event, options.drop),
    ]
    named = _NamedPlayers.of(event, options)
    chosen = _model_of_round(event, chosen, named, options)
    if points is not None:
        event = replace(event, settings=replace(settings, points=points))
    event = event.without(options.drop, options.request_bye)
    if options.sides is None:
        event = event.with_sides(chosen.sides)
    else:
        event = event.with_other_sides(options.sides)
        if (event.sides or ()) != tuple(options.sides):
            said.append(message("event.sides_played", sides=_labels(event.sides)))
    if said:
        event = replace(event, notes=(*event.notes, *said))
    asked = (
        [*_requested_constraints(event, named, options)]
        if event.forbidden or named.any
        else []
    )
    problem = problem_of(event, chosen, asked, options.seed or 0, options)
    return _with_exceptions(problem, named) if named.excepting else problem


@dataclass(frozen=True, slots=True)
class _NamedPlayers:
    """The players that options name, by their positions in the event."""

    force: Places = ()
    fixed: Places = ()
    forbid: Places = ()
    allow: Places = ()
    published: Places = ()
    bye: tuple[int, ...] = ()
    no_bye: tuple[int, ...] = ()
    allow_bye: tuple[int, ...] = ()

    @classmethod
    def of(cls, event: Event, options: RoundOptions) -> Self:
        """Raises UsageError for players who are not there."""
        lists = (
            options.force,
            options.fixed,
            options.forbid,
            options.allow,
            options.published,
        )
        byes = (
            [] if options.bye is None else [options.bye],
            options.no_bye,
            options.allow_bye,
        )
        if not any((*lists, *byes)):
            return cls()
        force, fixed, forbid, allow, published = (
            _positions(event, each) for each in lists
        )
        alone = (tuple(event.positions(each)) for each in byes)
        return cls(force, fixed, forbid, allow, published, *alone)

    @property
    def any(self) -> bool:
        """Whether some are to meet, or not, or to have the bye, or not."""
        return bool(self.force or self.fixed or self.forbid or self.bye or self.no_bye)

    @property
    def excepting(self) -> bool:
        """Whether what is named may be what constraints do not allow."""
        return bool(self.allow or self.allow_bye or self.fixed or self.published)


def _positions(event: Event, pairs: Sequence[Pair]) -> Places:
    placed = tuple((event.position(a), event.position(b)) for a, b in pairs)
    if same := [event.shown[a] for a, b in placed if a == b]:
        raise UsageError("player.themselves", player=same[0])
    return placed


def _points(text: str) -> Points:
    try:
        return points_of_text(text)
    except ValueError as error:
        why = getattr(error, "said", str(error))
        raise UsageError("option.points", found=text, why=why) from None


def _override_notes(
    event: Event, model: Model | None, points: Points | None, options: RoundOptions
) -> Iterator[Message]:
    own = event.settings
    both = {
        "option.other_model": (
            model and model.name,
            own.model and Path(own.model).stem,
        ),
        "option.other_lookahead": (options.lookahead, own.lookahead),
        "option.other_points": tuple(
            each and f"{each} (bye {decimal_text(each.allocated_bye)})"
            for each in (points, points and own.points)
        ),
        "option.other_sides": tuple(
            None if each is None else _labels(each)
            for each in (options.sides, own.sides)
        ),
    }
    for kind, (asked, kept) in both.items():
        if asked is not None and kept is not None and asked != kept:
            yield Message(kind, {"asked": asked, "kept": kept})
    if options.last_round and own.rounds is not None and own.rounds != event.round:
        yield message("option.other_rounds", asked=event.round, kept=own.rounds)


def _labels(sides: Sequence[str] | None) -> str:
    return " and ".join(sides or ()) or "none"


def _check_reversible(event: Event, dropped: Sequence[str]) -> list[Message]:
    """A note on players who are left out of this round, but are active in players.csv."""
    declared, places = event.declared_active, dict.fromkeys(event.positions(dropped))
    names = [event.shown[p] for p in places if declared is not None and declared[p]]
    return [message("player.not_for_good", players=names)] if names else []


def _model_of_round(
    event: Event, model: Model, named: _NamedPlayers, options: RoundOptions
) -> Model:
    """The model with what round, settings and options change. Raises UsageError where none can."""
    settings = event.settings
    model = model.for_round(options.last_round or event.round == settings.rounds)
    model = model.relaxed(options.relax)
    if settings.apart or settings.first_round is not None:
        model = _with_settings(event, model)
    lookahead = settings.lookahead if options.lookahead is None else options.lookahead
    if lookahead == "all":
        lookahead = max((settings.rounds or 0) - event.round, 0)
    if lookahead is not None:
        model = replace(model, lookahead=lookahead)
    if options.objective is not None:
        model = replace(model, objective=options.objective)
    return _with_repair_criteria(model, named.published) if named.published else model


def require_pairable(event: Event, model: Model) -> None:
    """Raises UsageError for settings with which no round can be paired by this model."""
    chosen = _model_of_round(event, model, _NamedPlayers(), RoundOptions())
    for each in event.settings.apart:
        event.cells(each.column)
    if chosen.system is not None and chosen.lookahead:
        raise UsageError("system.no_objective", system=chosen.system)


def _with_settings(event: Event, model: Model) -> Model:
    """The model with who is kept apart, and how players meet in the first round."""
    from pairopt.rules.constraints.conflicts import NoConflicts
    from pairopt.rules.criteria.conflicts import Conflicts
    from pairopt.rules.criteria.pairing_style import PairingStyle

    settings = event.settings
    if never := tuple(each.column for each in settings.apart if each.place is None):
        model = replace(model, constraints=(*model.constraints, NoConflicts(never)))
    added: list[tuple[int, Criterion]] = [
        (each.place - 1, Conflicts(each.column))
        for each in settings.apart
        if each.place
    ]
    if settings.first_round is not None and event.round == 1:
        added.append(
            (len(model.criteria) + len(added), PairingStyle(settings.first_round))
        )
    if added and model.system is not None:
        raise UsageError("model.closed_order", model=model.name)
    if added and model.weights is not None:
        raise UsageError("model.closed_weights", model=model.name)
    criteria = [*model.criteria]
    for place, rule in added:
        criteria.insert(place, rule)
    return replace(model, criteria=tuple(criteria))


def _with_repair_criteria(model: Model, tables: Places) -> Model:
    from pairopt.rules.repair_criteria import ChangedMatches, SwappedSides, WeightedSum

    if model.system is not None:
        raise UsageError("model.no_published", model=model.name)
    own = model.criteria
    if model.objective == "weighted" and model.weights is not None:
        own = (WeightedSum(own, model.weights),)
        model = replace(model, objective="lexicographic", weights=None)
    return replace(model, criteria=(ChangedMatches(tables), SwappedSides(tables), *own))


def _requested_constraints(
    event: Event, named: _NamedPlayers, options: RoundOptions
) -> Iterator[Constraint]:
    """What options and event say of some players. Raises UsageError for who is not to be paired."""
    from pairopt.rules.constraints import requested as rules

    for kind, pairs in (
        (rules.FixedMatches, named.fixed),
        (rules.ForcedPairs, named.force),
    ):
        for position in dict.fromkeys(p for pair in pairs for p in pair):
            active_position(event, event.players[position])
        if pairs:
            yield kind(pairs)
    for pairs in filter(None, (event.forbidden, named.forbid)):
        yield rules.ForbiddenPairs(pairs)
    if options.bye is not None:
        yield rules.ForcedBye(active_position(event, options.bye))
    if named.no_bye:
        yield rules.ForbiddenBye(named.no_bye)


def _with_exceptions(problem: Problem, named: _NamedPlayers) -> Problem:
    from pairopt.rules.constraints.requested import ForbiddenPairs, WithExceptions

    own, allowed = ForbiddenPairs(problem.event.forbidden), (*named.allow, *named.fixed)

    def excepting(rule: Constraint) -> Constraint:
        matches = (*allowed, *(named.published if rule.of_field else ()))
        if (rule.option is not None and rule != own) or not (
            matches or named.allow_bye
        ):
            return rule
        return WithExceptions(
            rule, ForbiddenPairs(matches) if matches else None, named.allow_bye
        )

    return replace(problem, constraints=tuple(map(excepting, problem.constraints)))
