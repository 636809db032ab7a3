"""Options: what is to be paired, and how; one list for the API and the command line. What that
needs of each stands in options.toml: `help`, and how the text of an option is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from inspect import Parameter, signature
from pathlib import Path
from typing import Any, Literal, TypedDict, TypeVar

from pairopt.common.budget import Budget
from pairopt.common.limits import IN_FORMS, MOST_SECONDS
from pairopt.common.serialization import packaged
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
SAID = {
    name: {**known, "least": bounds[0], "most": bounds[-1]}
    for name, known in packaged("pairopt.problem", "options.toml").items()
    for bounds in [IN_FORMS.get(known.get("allowed", ""), (None,))]
}
BOUNDED = [
    name for name in SAID if SAID[name]["reading"] in ("choice", "number", "seconds")
]


def _option(name: str, default: Any = None) -> Any:
    return field(default=default, metadata=SAID[name])


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundOptions:
    """What is to be paired, and how: what every command that pairs a round is given.

    Players are named by identifier or name; of pairs that are `fixed` or `published` the first has
    the first side. `sides` are the labels before any match is played, `points` a win's, a draw's
    and a loss's; `time_limit` is in seconds, `workers` are threads."""

    objective: Objective | None = _option("objective")
    engine: str | None = _option("engine")
    round: int | None = _option("round")
    last_round: bool = _option("last_round", False)
    lookahead: int | None = _option("lookahead")
    force: Sequence[Pair] = _option("force", ())
    forbid: Sequence[Pair] = _option("forbid", ())
    bye: str | None = _option("bye")
    no_bye: Sequence[str] = _option("no_bye", ())
    request_bye: Sequence[str] = _option("request_bye", ())
    drop: Sequence[str] = _option("drop", ())
    relax: Sequence[str] = _option("relax", ())
    allow: Sequence[Pair] = _option("allow", ())
    allow_bye: Sequence[str] = _option("allow_bye", ())
    fixed: Sequence[Pair] = _option("fixed", ())
    published: Sequence[Pair] = _option("published", ())
    sides: Sequence[str] | None = _option("sides")
    points: str | None = _option("points")
    seed: int | None = _option("seed")
    time_limit: float | None = _option("time_limit")
    workers: int = _option("workers", 1)

    def __post_init__(self) -> None:
        """Raises UsageError for a value out of range."""
        for option in BOUNDED:
            if (
                value := getattr(self, option, None)
            ) is None:  # not all have every option
                continue
            known, name = SAID[option], option.replace("_", "-")
            if "choices" in known and value not in known["choices"]:
                one, two = known["choices"]
                raise UsageError(
                    "option.choice", name=name, one=one, two=two, found=repr(value)
                )
            if (
                known["reading"] == "number"
                and not known["least"] <= value <= known["most"]
            ):
                least, most = known["least"], known["most"]
                raise UsageError(
                    "option.range", name=name, found=value, least=least, most=most
                )
            if known["reading"] == "seconds" and not 0 < value <= MOST_SECONDS:
                raise UsageError("option.seconds", name=name, found=value)

    def budget(self, now: float) -> Budget:
        """Seed, threads and deadline of something that begins now."""
        limit = self.time_limit
        return Budget(
            self.seed or 0, self.workers, None if limit is None else now + limit
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareOptions(RoundOptions):
    """What `compare` and `solve` are given.

    `choose` "uniform" draws one of the optimal pairings by lot, each as likely as any other."""

    choose: Choose = _option("choose", "any")


@dataclass(frozen=True, slots=True, kw_only=True)
class SolveOptions(CompareOptions):
    """What only `solve` is given.

    `formulation` "pairs" has one boolean a pair; `verify` solves with another exact engine too
    ("small": where that takes a moment); `count` asks how many optimal pairings there are, sides
    included."""

    formulation: Formulation = _option("formulation", "classes")
    count: bool = _option("count", False)
    verify: Verify = _option("verify", False)


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
        given = [
            each
            for each in own.parameters.values()
            if each.kind != Parameter.VAR_KEYWORD
        ]
        every = [
            Parameter(
                each.name,
                Parameter.KEYWORD_ONLY,
                default=each.default,
                annotation=each.type,
            )
            for each in fields(kind)
        ]
        command.__signature__ = own.replace(parameters=[*given, *every])  # type: ignore[attr-defined]
        return command

    return spelled


def parse_options(
    event: Event, kind: type[Chosen], given: Mapping[str, Any], command: str
) -> Chosen:
    """The options of a command on an event. Raises UsageError for one that it does not have."""
    known = kind.__dataclass_fields__
    if strange := [name for name in given if name not in known]:
        raise UsageError(
            "option.unknown", command=command, found=strange[0], known=[*known]
        )
    return kind(**{**given, "seed": event.settings.seeded(given.get("seed"))})


FEW = 3  # so many players or pairs of an option are named


def options_text(options: Mapping[str, Any]) -> str:
    """Options as words, but for the seed, which chooses among equals."""
    return ", ".join(
        f"{name.replace('_', ' ')} {_format_option(value)}"
        for name, value in options.items()
        if name != "seed"
    )


def _format_option(value: object) -> str:
    if isinstance(value, tuple):
        named = [each if isinstance(each, str) else ":".join(each) for each in value]
        more = f" and {len(named) - FEW} more" if len(named) > FEW else ""
        return " ".join(named[:FEW]) + more
    return "yes" if value is True else str(value)
