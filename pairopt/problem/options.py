"""Options: what is to be paired, and how; one list for the API and the command line. Each field
says in its metadata what the command line needs: `help`, and where the type does not tell it, how
the text of an option is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from inspect import Parameter, signature
from pathlib import Path
from typing import Any, Literal, TypedDict, TypeVar

from pairopt.bounds import MOST_ROUNDS, MOST_SECONDS, MOST_SEED
from pairopt.budget import Budget
from pairopt.errors import UsageError
from pairopt.event.event import Event
from pairopt.problem.model import Model
from pairopt.problem.model_file import Objective

DEFAULT_MODEL = "standard"
CHESS_MODEL = "fide-dutch"
ModelLike = str | Path | Model
Pair = tuple[str, str]
Choose = Literal["any", "uniform"]
Formulation = Literal["classes", "pairs"]
Verify = bool | Literal["small"]
"""Settle a round by a second engine, too: always, never, or where that takes a moment."""
OptionForm = Literal["flag", "text", "name", "names", "pairs", "labels", "number", "seconds",
                     "choice", "engine", "switch"]  # fmt: skip
"""How the text of an option is read: `names` and `pairs` may be given several times, `name` not."""


def _option(reading: OptionForm, default: Any, help: str, **more: Any) -> Any:
    return field(default=default, metadata={"reading": reading, "help": help, **more})


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundOptions:
    """What is to be paired, and how: what every command that pairs a round is given.

    Players are named by identifier or name; of pairs that are `fixed` or `published` the first has
    the first side. `sides` are the labels before any match is played, `points` a win's, a draw's
    and a loss's; `time_limit` is in seconds, `workers` are threads."""

    # fmt: off
    objective: Objective | None = _option(
        "choice", None, "Level by level, or one weighted sum. Default: the model's.",
        choices=("lexicographic", "weighted"))
    engine: str | None = _option(
        "engine", None, "What pairs the round. Default: the model's, else auto.")
    round: int | None = _option(
        "number", None, "Pair round N from the rounds before it.",
        metavar="N", least=1, most=MOST_ROUNDS + 1)
    last_round: bool = _option("flag", False, "With what the model changes in it.")
    lookahead: int | None = _option(
        "number", None, "Leave room for K more rounds without a rematch.",
        metavar="K", least=0, most=MOST_ROUNDS)
    force: Sequence[Pair] = _option("pairs", (), "These two meet. Repeatable.", metavar="A:B")
    forbid: Sequence[Pair] = _option("pairs", (), "These two may not. Repeatable.", metavar="A:B")
    bye: str | None = _option("name", None, "This player has the bye.", metavar="A")
    no_bye: Sequence[str] = _option("names", (), "Not the bye for A. Repeatable.", metavar="A")
    request_bye: Sequence[str] = _option(
        "names", (), "A asked for a bye: out of this round. Repeatable.", metavar="A")
    drop: Sequence[str] = _option("names", (), "A has left. Repeatable.", metavar="A")
    relax: Sequence[str] = _option(
        "names", (), "Leave out a constraint of the model (or: history). Repeatable.",
        metavar="CONSTRAINT")
    allow: Sequence[Pair] = _option(
        "pairs", (), "These two may meet, whatever the model's constraints. Repeatable.",
        metavar="A:B")
    allow_bye: Sequence[str] = _option(
        "names", (), "A may have the bye, whatever the constraints. Repeatable.", metavar="A")
    fixed: Sequence[Pair] = _option(
        "pairs", (), "A match that stays: these two meet, A with the first side, whatever the "
        "model's constraints. Repeatable.", metavar="A:B")
    published: Sequence[Pair] = _option(
        "pairs", (), "A match that is published: as few of them change as can be, before all that "
        "the model wants. Repeatable.", metavar="A:B")
    sides: Sequence[str] | None = _option(
        "labels", None, "Labels of the first and the second side.", metavar="A,B")
    points: str | None = _option(
        "text", None, "Win, draw and loss, as 3-1-0. Default: the event's, else the model's, else "
        "what the results show.", metavar="W-D-L")
    seed: int | None = _option(
        "number", None, "Which of equally good pairings. Default: the event's, else 0.",
        metavar="N", least=0, most=MOST_SEED)
    time_limit: float | None = _option(
        "seconds", None, "Stop after S seconds with the best pairing so far. A matching or a "
        "procedure that has begun is not interrupted.", metavar="S")
    workers: int = _option("number", 1, "Threads of the solver.", least=1, most=1024)
    # fmt: on

    def __post_init__(self) -> None:
        """Raises UsageError for a value out of range."""
        for each in fields(self):
            value = getattr(self, each.name)
            if value is None or value == each.default:
                continue
            known, name = each.metadata, each.name.replace("_", "-")
            if "choices" in known and value not in known["choices"]:
                one, two = known["choices"]
                raise UsageError("option.choice", name=name, one=one, two=two, found=repr(value))
            if known["reading"] == "number" and not known["least"] <= value <= known["most"]:
                least, most = known["least"], known["most"]
                raise UsageError("option.range", name=name, found=value, least=least, most=most)
            if known["reading"] == "seconds" and not 0 < value <= MOST_SECONDS:
                raise UsageError("option.seconds", name=name, found=value)

    def budget(self, now: float) -> Budget:
        """Seed, threads and deadline of something that begins now."""
        limit = self.time_limit
        return Budget(self.seed or 0, self.workers, None if limit is None else now + limit)


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareOptions(RoundOptions):
    """What `compare` and `solve` are given.

    `choose` "uniform" draws one of the optimal pairings by lot, each as likely as any other."""

    choose: Choose = _option(
        "choice", "any", "uniform: by lot, each optimal pairing as likely as any other.",
        choices=("any", "uniform"))  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class SolveOptions(CompareOptions):
    """What only `solve` is given.

    `formulation` "pairs" has one boolean a pair; `verify` solves with another exact engine too
    ("small": where that takes a moment); `count` asks how many optimal pairings there are, sides
    included."""

    formulation: Formulation = _option(
        "choice", "classes", "pairs: one boolean a pair, for study.",
        choices=("classes", "pairs"))  # fmt: skip
    count: bool = _option("flag", False, "Say how many optimal pairings there are.")
    verify: Verify = _option(
        "switch", False, "Settle the levels by another exact engine, too, and compare. Default: "
        "rounds of up to some 100 players.")  # fmt: skip


class RoundKeywords(TypedDict, total=False):
    """The fields of `RoundOptions` as keywords."""

    objective: Objective | None
    engine: str | None
    round: int | None
    last_round: bool
    lookahead: int | None
    force: Sequence[Pair]
    forbid: Sequence[Pair]
    bye: str | None
    no_bye: Sequence[str]
    request_bye: Sequence[str]
    drop: Sequence[str]
    relax: Sequence[str]
    allow: Sequence[Pair]
    allow_bye: Sequence[str]
    fixed: Sequence[Pair]
    published: Sequence[Pair]
    sides: Sequence[str] | None
    points: str | None
    seed: int | None
    time_limit: float | None
    workers: int


class CompareKeywords(RoundKeywords, total=False):
    """The fields of `CompareOptions` as keywords."""

    choose: Choose


class SolveKeywords(CompareKeywords, total=False):
    """The fields of `SolveOptions` as keywords."""

    formulation: Formulation
    count: bool
    verify: Verify


Chosen = TypeVar("Chosen", bound=RoundOptions)
Spelled = TypeVar("Spelled", bound=Callable[..., Any])


def spelled_out(kind: type[RoundOptions]) -> Callable[[Spelled], Spelled]:
    """Show the keywords of a function one by one, with their defaults, to who asks for help."""

    def spelled(command: Spelled) -> Spelled:
        own = signature(command)
        given = [each for each in own.parameters.values() if each.kind != Parameter.VAR_KEYWORD]
        every = [
            Parameter(each.name, Parameter.KEYWORD_ONLY, default=each.default, annotation=each.type)
            for each in fields(kind)
        ]
        command.__signature__ = own.replace(parameters=[*given, *every])  # type: ignore[attr-defined]
        return command

    return spelled


def options_of(event: Event, kind: type[Chosen], given: Mapping[str, Any], command: str) -> Chosen:
    """The options of a command on an event. Raises UsageError for one that it does not have."""
    known = kind.__dataclass_fields__
    if strange := [name for name in given if name not in known]:
        raise UsageError("option.unknown", command=command, found=strange[0], known=[*known])
    return kind(**{**given, "seed": event.settings.seeded(given.get("seed"))})


FEW = 3  # so many players or pairs of an option are named


def options_text(options: Mapping[str, Any]) -> str:
    """Options as words, but for the seed, which chooses among equals."""
    return ", ".join(f"{name.replace('_', ' ')} {_words(value)}"
                     for name, value in options.items() if name != "seed")  # fmt: skip


def _words(value: object) -> str:
    if isinstance(value, tuple):
        named = [each if isinstance(each, str) else ":".join(each) for each in value]
        more = f" and {len(named) - FEW} more" if len(named) > FEW else ""
        return " ".join(named[:FEW]) + more
    return "yes" if value is True else str(value)
