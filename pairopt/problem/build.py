"""Build the problem of a round from an event, a model and options."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self, Unpack

from pairopt.common.budget import Budget
from pairopt.errors import InvalidValueError, UsageError
from pairopt.event.event import Event
from pairopt.event.points import Points, parse_points
from pairopt.messages import FieldValue, Message, message, with_heading
from pairopt.messages.formatting import decimal_text
from pairopt.problem.keywords import RoundKeywords
from pairopt.problem.model import Model
from pairopt.problem.options import (
    ModelLike,
    RoundOptions,
    parse_options,
    show_keywords,
)
from pairopt.problem.problem import Problem, problem_of
from pairopt.problem.round_model import Pairs, model_for, model_of_round, with_published
from pairopt.rules.base import Constraint
from pairopt.rules.constraints.requested import (
    FixedMatches,
    ForbiddenBye,
    ForbiddenPairs,
    ForcedBye,
    ForcedPairs,
    WithExceptions,
)


@show_keywords(RoundOptions)
def prepare(
    event: Event, model: ModelLike | None = None, **options: Unpack[RoundKeywords]
) -> Problem:
    """Build the problem of the round that `solve` would pair with these options.

    `model` is a name, a path or a `Model`; by default the event's own or "standard"
    (for events from chess files "fide-dutch"). Nothing is solved. Raises UsageError for
    wrong options or an unknown player, and InputError if earlier rounds are not
    finished or nobody is active.
    """
    return build_problem_with_budget(event, model, RoundOptions, options, "prepare")[0]


def build_problem_with_budget(
    event: Event,
    model: ModelLike | None,
    kind: type[RoundOptions],
    keywords: Mapping[str, Any],
    command: str,
) -> tuple[Problem, Budget]:
    """Check a command's options, then build its problem and its budget.

    The time limit of the budget counts from this call. `kind` is the class of the
    command's options, `keywords` has their values by name, and `command` is its name in
    errors. Without `model` the event's own is used, otherwise the default. Raises
    UsageError for wrong options, an unknown player or constraint, or a model that does
    not fit; InputError if earlier rounds are not finished or nobody is active.
    """
    parsed_options = parse_options(event, kind, keywords, command)
    budget = parsed_options.budget(time.monotonic())
    return build_problem(event, model, parsed_options), budget


def build_problem(
    event: Event, model: ModelLike | None, options: RoundOptions
) -> Problem:
    """Build the problem of a round from an event, a model and options.

    If `model` is None, the event's own model is used, otherwise the default model.
    `options.relax` removes constraints from it, and the event's settings add rules.
    Players whom the options drop or give a requested bye are inactive in the event of
    the problem. Notes of the problem name the settings that options override. The given
    event and model stay unchanged.

    Raises
    ------
    UsageError
        A player or a constraint in the options does not exist, the model does not fit, or
        the event is a round robin.
    InputError
        The rounds before this one are not finished, or nobody is active.
    """
    if event.settings.is_round_robin:
        raise UsageError("round_robin.model")
    event = event.at_round(options.round)
    chosen_model = model_for(event, model)
    round_model = model_of_round(event, chosen_model, options)
    named_players = NamedPlayers.of(event, options)

    given_points = None if options.points is None else _parse_points(options.points)
    given_model = None if model is None else chosen_model
    override_notes = _list_override_notes(
        event, options, given_points, given_model
    ) + _list_notes_on_dropped(event, named_players)
    if override_notes:
        event = replace(event, notes=(*event.notes, *override_notes))
    event = _prepare_event(
        event, round_model, named_players, given_points, options.sides
    )

    if named_players.published:
        round_model = with_published(round_model, named_players.published)
    requested_constraints = _list_requested_constraints(event, named_players)
    problem = problem_of(
        event, round_model, requested_constraints, options.seed or 0, options
    )
    return (
        _with_exceptions(problem, named_players)
        if named_players.has_exceptions
        else problem
    )


@dataclass(frozen=True, slots=True)
class NamedPlayers:
    """The players that options name, by their positions in the event.

    Each field has the name of its option, and is empty if that option is not given. In
    pairs of `fixed` and `published` the first player has the first side.
    """

    force: Pairs = ()
    fixed: Pairs = ()
    forbid: Pairs = ()
    allow: Pairs = ()
    published: Pairs = ()
    bye: tuple[int, ...] = ()
    no_bye: tuple[int, ...] = ()
    allow_bye: tuple[int, ...] = ()
    request_bye: tuple[int, ...] = ()
    drop: tuple[int, ...] = ()

    @classmethod
    def of(cls, event: Event, options: RoundOptions) -> Self:
        """Look up every name in the options.

        An option that is not given has no positions. Raises UsageError for a name that
        is not one player's, and for a pair of a player with themselves.
        """
        positions_by_option: dict[str, Any] = {}
        for option_name in ("force", "fixed", "forbid", "allow", "published"):
            named_pairs = getattr(options, option_name)
            if named_pairs:
                positions_by_option[option_name] = tuple(
                    (event.position(first_name), event.position(second_name))
                    for first_name, second_name in named_pairs
                )
                _require_two_players(event, positions_by_option[option_name])

        bye_names = () if options.bye is None else (options.bye,)
        names_by_option = {
            "bye": bye_names,
            "no_bye": options.no_bye,
            "allow_bye": options.allow_bye,
            "request_bye": options.request_bye,
            "drop": options.drop,
        }
        for option_name, option_names in names_by_option.items():
            if option_names:
                positions_by_option[option_name] = tuple(
                    event.position(player_name) for player_name in option_names
                )
        return cls(**positions_by_option)

    @property
    def has_exceptions(self) -> bool:
        """Whether options name matches or byes to which constraints do not apply.

        These are allowed, fixed and published matches, and allowed byes.
        """
        return bool(self.allow or self.allow_bye or self.fixed or self.published)


def _require_two_players(event: Event, pairs: Pairs) -> None:
    """Raise UsageError if a pair of positions is one player twice."""
    for player_position, opponent_position in pairs:
        if player_position == opponent_position:
            raise UsageError("player.themselves", player=event.shown[player_position])


def active_position(event: Event, player: str) -> int:
    """Return the position in the event of an active player, by a typed name.

    Raises UsageError for a name that is not one player's, or a player who is not
    active, so is not to be paired in this round.
    """
    player_position = event.position(player)
    _require_active(event, [player_position])
    return player_position


def _require_active(event: Event, positions: Sequence[int]) -> None:
    """Raise UsageError if one of these players is not active in the round to pair.

    `positions` are positions in the event. The error names the first such player.
    """
    for player_position in positions:
        if not event.active[player_position]:
            raise UsageError("player.not_active", player=event.shown[player_position])


def _list_override_notes(
    event: Event, options: RoundOptions, points: Points | None, model: Model | None
) -> list[Message]:
    """Return a note on each setting that an option or the given model overrides.

    `points` and `model` are those of the options, None if they are not given. There is
    no note on an option that equals the setting, or if the event has no such setting.
    The option for the last round overrides the setting's number of rounds if this round
    has another number.
    """
    settings = event.settings
    event_model_name = Path(settings.model).stem if settings.model else None
    values_by_kind: dict[str, tuple[FieldValue, FieldValue]] = {
        "option.other_model": (model.name if model else None, event_model_name),
        "option.other_lookahead": (options.lookahead, settings.lookahead),
    }
    if points is not None:
        values_by_kind["option.other_points"] = (
            _format_points(points),
            _format_points(settings.points),
        )
    if options.sides is not None:
        values_by_kind["option.other_sides"] = (
            _format_sides(options.sides),
            _format_sides(settings.sides),
        )
    override_notes = []
    for note_kind, (given_value, setting_value) in values_by_kind.items():
        if (
            given_value is not None
            and setting_value is not None
            and given_value != setting_value
        ):
            override_notes.append(
                Message(note_kind, {"asked": given_value, "kept": setting_value})
            )

    has_other_rounds = settings.rounds not in (None, event.round)
    if options.last_round and has_other_rounds:
        override_notes.append(
            message("option.other_rounds", asked=event.round, kept=settings.rounds)
        )
    return override_notes


def _parse_points(text: str) -> Points:
    """Read the points of the option `--points`, such as 3-1-0.

    Raises UsageError with the reason for any text that is no points.
    """
    try:
        return parse_points(text)
    except ValueError as error:
        if isinstance(error, InvalidValueError):
            reason = error.said
        else:
            reason = message(str(error))
        heading_note = message("option.points", found=text)
        raise UsageError(with_heading(heading_note, reason)) from None


def _format_points(points: Points | None) -> str | None:
    """Return points with those of the bye, such as "3-1-0 (bye 3)", None for None."""
    if points is None:
        return None
    return f"{points} (bye {decimal_text(points.allocated_bye)})"


def _format_sides(sides: Sequence[str] | None) -> str | None:
    """Return side labels as "white and black", "none" without labels, None for None."""
    if sides is None:
        return None
    return " and ".join(sides) or "none"


def _list_notes_on_dropped(event: Event, players: NamedPlayers) -> list[Message]:
    """Return a note on dropped players whom players.csv calls active, or no note.

    The note says that they are dropped from this round alone. An event without a column
    of active players has no note.
    """
    declared_active = event.declared_active
    if declared_active is None:
        return []

    dropped_positions = dict.fromkeys(players.drop)
    names_of_dropped_but_active = [
        event.shown[dropped_position]
        for dropped_position in dropped_positions
        if declared_active[dropped_position]
    ]
    return (
        [message("player.not_for_good", players=names_of_dropped_but_active)]
        if names_of_dropped_but_active
        else []
    )


def _prepare_event(
    event: Event,
    model: Model,
    players: NamedPlayers,
    points: Points | None,
    sides: Sequence[str] | None,
) -> Event:
    """Return the event with the points, players and sides of this round.

    `points` and `sides` are those of the options. If `points` is None, the event keeps
    its own. Dropped players and players with a requested bye become inactive. If
    `sides` is None, an event without sides takes the model's. Otherwise the event gets
    `sides`; but if matches have been played with other sides, those stay, and a note
    says so.
    """
    if points is not None:
        event = replace(event, settings=replace(event.settings, points=points))
    event = event.without_positions(players.drop, players.request_bye)

    if sides is None:
        return event.with_sides(model.sides)
    event = event.with_other_sides(sides)
    if (event.sides or ()) == tuple(sides):
        return event
    sides_note = message("event.sides_played", sides=_format_sides(event.sides or ()))
    return replace(event, notes=(*event.notes, sides_note))


def _list_requested_constraints(
    event: Event, players: NamedPlayers
) -> list[Constraint]:
    """Return the constraints on players that the options and the event name.

    Those of the event are its forbidden pairs in this round. Raises UsageError if a
    player with a forced match, a fixed match or a forced bye is not active.
    """
    for active_pairs in (players.fixed, players.force):
        _require_active(
            event,
            [
                player_position
                for player_pair in active_pairs
                for player_position in player_pair
            ],
        )
    _require_active(event, players.bye)

    requested_constraints: list[Constraint] = []
    if players.fixed:
        requested_constraints.append(FixedMatches(players.fixed))
    if players.force:
        requested_constraints.append(ForcedPairs(players.force))
    if event.forbidden:
        requested_constraints.append(ForbiddenPairs(event.forbidden))
    if players.forbid:
        requested_constraints.append(ForbiddenPairs(players.forbid))
    requested_constraints += [
        ForcedBye(player_position) for player_position in players.bye
    ]
    if players.no_bye:
        requested_constraints.append(ForbiddenBye(players.no_bye))
    return requested_constraints


def _with_exceptions(problem: Problem, players: NamedPlayers) -> Problem:
    """Return the problem with the exceptions from its constraints that options allow.

    Constraints of the model and forbidden pairs of the event get the exceptions.
    Constraints that other options made do not. `players` are the players whom the
    options name.
    """
    constraint_of_event = ForbiddenPairs(problem.event.forbidden)
    allowed_pairs = (*players.allow, *players.fixed)

    def with_exception(rule: Constraint) -> Constraint:
        """Return a constraint with the exceptions that apply to it, or as it is.

        Published matches are exceptions only to rules that depend on who else is in the
        round.
        """
        excepted_matches = (
            (*allowed_pairs, *players.published) if rule.of_field else allowed_pairs
        )
        is_of_option = rule.option is not None and rule != constraint_of_event
        if is_of_option or not (excepted_matches or players.allow_bye):
            return rule
        return WithExceptions(
            rule,
            ForbiddenPairs(excepted_matches) if excepted_matches else None,
            players.allow_bye,
        )

    excepted_constraints = tuple(with_exception(rule) for rule in problem.constraints)
    return replace(problem, constraints=excepted_constraints)
