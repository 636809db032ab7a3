"""Options: what is to be paired, and how; one list for the API and the command line.

Each field says in its metadata what the command line needs: `help`, and where the type does not
tell it, how the text of an option is read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal, TypeVar

from pairopt.budget import Budget
from pairopt.errors import UsageError
from pairopt.event.event import Event
from pairopt.event.points import Points, points_of_text
from pairopt.problem.model import Model, load_model
from pairopt.problem.model_file import Objective
from pairopt.problem.problem import Problem, problem_of
from pairopt.rules.base import Constraint
from pairopt.wording import decimal_text, listed

DEFAULT_MODEL = "standard"
ModelLike = str | Path | Model
Pair = tuple[str, str]
Choose = Literal["any", "uniform"]
Formulation = Literal["classes", "pairs"]
Verify = bool | Literal["small"]
"""Settle a round by a second engine, too: always, never, or where that takes a moment."""
Reading = Literal[
    "flag",
    "text",
    "name",
    "names",
    "pairs",
    "labels",
    "number",
    "seconds",
    "choice",
    "engine",
    "switch",
]
"""How the text of an option is read: `names` and `pairs` may be given several times, `name` not."""


def _option(reading: Reading, default: Any, help: str, **more: Any) -> Any:
    return field(default=default, metadata={"reading": reading, "help": help, **more})


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundOptions:
    """What is to be paired, and how: what every command that pairs a round is given.

    `objective` overrides the model's; `round` pairs an earlier round from those before it;
    `last_round` takes what the model changes in it; `lookahead` asks for room for so many more
    rounds without a rematch, whatever the model says; `force`, `forbid`, `bye`, `no_bye`,
    `request_bye` and `drop` name players; `relax` names constraints to leave out; `sides` are
    the two labels before any match is played; `points` are a
    win's, a draw's and a loss's; `seed` chooses among equal pairings; `engine`
    overrides the model's; `time_limit` is in seconds, `workers` are threads.
    """

    objective: Objective | None = _option(
        "choice", None, "Level by level, or one weighted sum. Default: the model's.",
        choices=("lexicographic", "weighted"))  # fmt: skip
    engine: str | None = _option(
        "engine", None, "What pairs the round. Default: the model's, else auto."
    )
    round: int | None = _option(
        "number", None, "Pair round N from the rounds before it.", metavar="N", least=1
    )
    last_round: bool = _option("flag", False, "With what the model changes in it.")
    lookahead: int | None = _option(
        "number", None, "Leave room for K more rounds without a rematch.", metavar="K", least=0
    )
    force: Sequence[Pair] = _option("pairs", (), "These two meet. Repeatable.", metavar="A:B")
    forbid: Sequence[Pair] = _option("pairs", (), "These two may not. Repeatable.", metavar="A:B")
    bye: str | None = _option("name", None, "This player has the bye.", metavar="A")
    no_bye: Sequence[str] = _option("names", (), "Not the bye for A. Repeatable.", metavar="A")
    request_bye: Sequence[str] = _option(
        "names", (), "A asked for a bye: out of this round. Repeatable.", metavar="A"
    )
    drop: Sequence[str] = _option("names", (), "A has left. Repeatable.", metavar="A")
    relax: Sequence[str] = _option(
        "names", (), "Leave out a constraint of the model (or: history). Repeatable.",
        metavar="CONSTRAINT")  # fmt: skip
    sides: Sequence[str] | None = _option(
        "labels", None, "Labels of the first and the second side.", metavar="A,B"
    )
    points: str | None = _option(
        "text", None, "Win, draw and loss, as 3-1-0. Default: the event's, else the model's, else "
        "what the results show.", metavar="W-D-L")  # fmt: skip
    seed: int = _option("number", 0, "Which of equally good pairings.", least=0)
    time_limit: float | None = _option(
        "seconds", None, "Stop after S seconds with the best pairing so far. A matching or a "
        "procedure that has begun is not interrupted.", metavar="S")  # fmt: skip
    workers: int = _option("number", 1, "Threads of the solver.", least=1, most=1024)

    def __post_init__(self) -> None:
        """Raises UsageError for a value out of range."""
        for each in fields(self):
            value, known = getattr(self, each.name), each.metadata
            name = each.name.replace("_", "-")
            if value is None or value == each.default:
                continue
            if "choices" in known and value not in known["choices"]:
                raise UsageError(
                    f"{name}: expected {' or '.join(known['choices'])}, found {value!r}"
                )
            least, most = known.get("least", value), known.get("most", value)
            if known["reading"] == "number" and not least <= value <= most:
                raise UsageError(f"{name}: found {value}, expected {_range(known)}")
            if known["reading"] == "seconds" and not 0 < value < float("inf"):
                raise UsageError(f"{name}: found {value}, expected seconds above 0")

    def budget(self, now: float) -> Budget:
        """Seed, threads and deadline of something that begins now."""
        limit = self.time_limit
        return Budget(self.seed, self.workers, None if limit is None else now + limit)


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareOptions(RoundOptions):
    """What `compare` and `solve` are given.

    `choose` "uniform" draws one of the optimal pairings by lot, each as likely as any other.
    """

    choose: Choose = _option(
        "choice", "any", "uniform: by lot, each optimal pairing as likely as any other.",
        choices=("any", "uniform"))  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class SolveOptions(CompareOptions):
    """What only `solve` is given.

    `formulation` "pairs" has one boolean a pair; `verify` solves with another exact engine too
    ("small": where that takes a moment); `count` asks how many optimal pairings there are, sides
    included.
    """

    formulation: Formulation = _option(
        "choice", "classes", "pairs: one boolean a pair, for study.",
        choices=("classes", "pairs"))  # fmt: skip
    count: bool = _option("flag", False, "Say how many optimal pairings there are.")
    verify: Verify = _option(
        "switch", False, "Settle the levels by another exact engine, too, and compare. Default: "
        "rounds of up to some 100 players.")  # fmt: skip


Given = TypeVar("Given", bound=RoundOptions)


def options_of(kind: type[Given], given: Mapping[str, Any], command: str) -> Given:
    """The options of a command. Raises UsageError for one that it does not have."""
    known = [each.name for each in fields(kind)]
    if strange := [name for name in given if name not in known]:
        raise UsageError(f"{command} has no option {strange[0]!r}; it has: {', '.join(known)}")
    return kind(**given)


def model_for(event: Event, model: ModelLike | None) -> Model:
    """The model that is asked for, else the event's own, else the default."""
    return load_model(event.settings.model or DEFAULT_MODEL if model is None else model)


def prepare(event: Event, model: ModelLike | None = None, **options: Any) -> Problem:
    """The problem of the round that `solve` would pair with these options."""
    chosen = options_of(RoundOptions, options, "prepare")
    return problem_for(event, model, chosen)


def problem_for(event: Event, model: ModelLike | None, options: RoundOptions) -> Problem:
    """The problem that these options describe; what they do not say, the event's settings do.

    Its notes name what the options override. Raises UsageError for players or constraints that
    are not there.
    """
    event, chosen = event.at_round(options.round), model_for(event, model)
    settings, points = event.settings, _points(options.points)
    said = [*event.notes, *_overridden(event, chosen if model else None, points, options)]
    if points is not None:
        event = replace(event, settings=replace(settings, points=points))
    chosen = chosen.for_round(options.last_round or event.round == settings.rounds)
    chosen = _by_settings(event, chosen.relaxed(options.relax))
    if options.lookahead is not None:
        chosen = replace(chosen, lookahead=options.lookahead)
    if options.objective is not None:
        chosen = replace(chosen, objective=options.objective)
    said += _not_for_good(event, options.drop)
    event = event.without(options.drop, options.request_bye)
    if options.sides is None:
        event = event.with_sides(chosen.sides)
    else:
        event = event.with_other_sides(options.sides)
        if (event.sides or ()) != tuple(options.sides):
            said.append(f"sides {_labels(event.sides)}, as in the matches played")
    if tuple(said) != event.notes:
        event = replace(event, notes=tuple(said))
    rules: list[Constraint] = []
    named = (options.force, options.forbid, options.bye is not None, options.no_bye)
    if event.forbidden or any(named):
        from pairopt.problem.additions import asked_for

        rules = asked_for(event, options)
    return problem_of(event, chosen, rules, options.seed)


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
        "points": (points and _worth(points), own.points and _worth(own.points)),
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


def _by_settings(event: Event, model: Model) -> Model:
    """The model with what the event's settings add to it."""
    settings = event.settings
    if settings.lookahead is not None:
        left = max((settings.rounds or 0) - event.round, 0)
        model = replace(
            model, lookahead=left if settings.lookahead == "all" else settings.lookahead
        )
    if not settings.apart and settings.first_round is None:
        return model
    from pairopt.problem.additions import with_settings

    return with_settings(event, model)


def active_position(event: Event, player: str) -> int:
    """Position in the event of a player who is to be paired. Raises UsageError otherwise."""
    position = event.position(player)
    if not event.active[position]:
        raise UsageError(f"{event.shown[position]!r} is not active in this round")
    return position


def _range(known: Mapping[str, Any]) -> str:
    most = known.get("most")
    return f"{known['least']} to {most}" if most else f"{known['least']} or more"
