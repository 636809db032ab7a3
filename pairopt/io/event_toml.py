"""event.toml: what an event folder says of its event."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Any, Literal

from pairopt.errors import Fault, InputError, JsonPath
from pairopt.event.points import Points, doubled
from pairopt.event.settings import Apart, FirstRound, Settings
from pairopt.event.tie_breaks import TIE_BREAKS
from pairopt.io.source import Source
from pairopt.shapes import MisfitError, fitted

NAME = "event.toml"
MOST_ROUNDS = 500
MOST_POINTS = 1_000_000
MOST_DECIMALS = 6


def _points(number: Decimal) -> Decimal:
    if not 0 <= number <= MOST_POINTS:
        raise ValueError(f"expected a number from 0 to {MOST_POINTS}")
    if -int(number.as_tuple().exponent) > MOST_DECIMALS:
        raise ValueError(f"expected at most {MOST_DECIMALS} decimals")
    return number


def _filled(text: str) -> str:
    if not text:
        raise ValueError("expected a text that is not empty")
    return text


def _from(least: int, most: int | None = None) -> Callable[[int], int]:
    def check(number: int) -> int:
        if number < least or (most is not None and number > most):
            raise ValueError(f"expected {least} {'or more' if most is None else f'to {most}'}")
        return number

    return check


def _two_labels(sides: tuple[str, ...]) -> tuple[str, ...]:
    if len(sides) not in (0, 2) or len({*sides}) < len(sides):
        raise ValueError('expected [] or two labels, as ["white", "black"]')
    return tuple(side.lower() for side in sides)


def _tie_break(name: str) -> str:
    if name not in TIE_BREAKS:
        raise ValueError(f"expected {', '.join(TIE_BREAKS)}")
    return name


def _two_players(pair: tuple[str, ...]) -> tuple[str, ...]:
    if len(pair) != 2 or pair[0] == pair[1]:
        raise ValueError('expected two players, as ["Ann", "Bob"]')
    return pair


Amount = Annotated[Decimal, _points]
Text = Annotated[str, _filled]
Round = Annotated[int, _from(1, MOST_ROUNDS)]


@dataclass(frozen=True, slots=True)
class _Points:
    win: Amount
    draw: Amount
    loss: Amount = Decimal(0)
    bye: Amount | None = None
    requested_bye: Amount = Decimal(0)
    absent: Amount = Decimal(0)
    games: Literal[1, 2] = 1

    def __post_init__(self) -> None:
        if not self.win > self.loss or not self.win >= self.draw >= self.loss:
            raise ValueError("expected a win above a loss, and a draw between them")


@dataclass(frozen=True, slots=True)
class _Bye:
    player: Text
    round: Round
    points: Amount | None = None


@dataclass(frozen=True, slots=True)
class _Conflict:
    column: Text
    place: Annotated[int, _from(1)] | None = None


@dataclass(frozen=True, slots=True)
class _File:
    title: str = ""
    model: Text | None = None
    rounds: Round | None = None
    sides: Annotated[tuple[Text, ...], _two_labels] | None = None
    lookahead: Annotated[int, _from(0, MOST_ROUNDS)] | Literal["all"] | None = None
    tie_breaks: tuple[Annotated[Text, _tie_break], ...] | None = None
    first_round: FirstRound | None = None
    initial_side: Text | None = None
    forbid: list[Annotated[tuple[Text, ...], _two_players]] = field(default_factory=list)
    points: _Points | None = None
    byes: list[_Bye] = field(default_factory=list)
    conflicts: list[_Conflict] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class EventFile:
    """The content of an event.toml: settings, and what names players.

    `byes` are known in advance: player, round and points (None: the event's for a requested bye).
    `initial_side` is the side drawn for the first player of round 1, as the event calls it.
    """

    settings: Settings
    initial_side: str | None = None
    forbid: tuple[tuple[str, str], ...] = ()
    byes: tuple[tuple[str, int, Fraction | None], ...] = ()


def read_event_file(source: Source) -> EventFile:
    """The content of an event.toml. Raises InputError naming every fault by its key."""
    try:
        raw = tomllib.loads(source.text, parse_float=Decimal)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        raise InputError(source.name, f"not a TOML file: {error}") from None
    return parsed(raw, source.name)


def parsed(raw: Mapping[str, Any], source: str = NAME) -> EventFile:
    """The content as the file's keys give it. Raises InputError naming every fault by its key."""
    try:
        file: _File = fitted(_File, raw)
    except MisfitError as error:
        faults = [Fault(str(each), JsonPath(each.place())) for each in error.misfits]
        raise InputError(source, faults) from None
    if file.lookahead == "all" and file.rounds is None:
        said = '"all" needs rounds, the number of rounds of the event'
        raise InputError(source, [Fault(said, JsonPath("lookahead"))])
    settings = Settings(
        title=file.title,
        sides=file.sides,
        model=file.model,
        rounds=file.rounds,
        lookahead=file.lookahead,
        tie_breaks=file.tie_breaks,
        first_round=file.first_round,
        apart=tuple(Apart(each.column, each.place) for each in file.conflicts),
        points=None if file.points is None else _made(file.points),
    )
    return EventFile(
        settings,
        None if file.initial_side is None else file.initial_side.lower(),
        tuple((one, two) for one, two in file.forbid),
        tuple((bye.player, bye.round, _exact(bye.points)) for bye in file.byes),
    )


def _made(table: _Points) -> Points:
    """The points of a match; those of a game are given where it has two."""
    given: dict[str, Any] = {name: _exact(value) for name, value in asdict(table).items()}
    if given.pop("games") == 1:
        return Points(**given)
    game = Points(given.pop("win"), given.pop("draw"), given.pop("loss"))
    return replace(doubled(game), **given)


def _exact(number: Decimal | None) -> Fraction | None:
    return None if number is None else Fraction(number)
