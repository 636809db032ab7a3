"""event.toml: what an event folder says of its event."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    ValidationError,
    model_validator,
)

from pairopt.bounds import LARGEST_SCORE, MOST_DECIMALS, MOST_NUMBER, MOST_ROUNDS, MOST_SEED
from pairopt.errors import Fault, InputError, JsonPath, UsageError
from pairopt.event.points import Points, doubled
from pairopt.event.prohibited import Rounds
from pairopt.event.settings import Apart, FirstRound, Settings
from pairopt.event.tie_breaks import tie_break_of
from pairopt.files.key_faults import faults_of
from pairopt.files.schema import rounds_in
from pairopt.files.source import Source, decoded, encoded

NAME = "event.toml"


def _points(value: object) -> Fraction:
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise ValueError("expected a number")
    number = Decimal(value)
    if not number.is_finite() or not 0 <= number <= LARGEST_SCORE:
        raise ValueError(f"expected a number from 0 to {LARGEST_SCORE}")
    if -int(number.as_tuple().exponent) > MOST_DECIMALS:
        raise ValueError(f"expected at most {MOST_DECIMALS} decimals")
    return Fraction(number)


Amount = Annotated[Fraction, BeforeValidator(_points)]
Filled = Annotated[str, Field(min_length=1, strict=True)]
Whole = Annotated[int, Field(ge=1, le=MOST_ROUNDS, strict=True)]
Forbidden = tuple[str, str, Rounds | None]


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", arbitrary_types_allowed=True)


def _two_labels(sides: list[str]) -> tuple[str, ...]:
    if len(sides) == 1 or len({*sides}) < len(sides):
        raise ValueError('expected [] or two labels, as ["white", "black"]')
    return tuple(map(str.lower, sides))


def _tie_break(name: str) -> str:
    try:
        return tie_break_of(name).name
    except UsageError as error:
        raise ValueError(str(error)) from None


def _kept_apart(said: object) -> Forbidden:
    """Two players, and their rounds where these are said."""
    table = said if isinstance(said, Mapping) else {"players": said}
    pair, rounds = table.get("players"), table.get("rounds")
    if not isinstance(pair, list) or len(pair) != 2 or not all(
        isinstance(player, str) and player for player in pair
    ) or pair[0] == pair[1]:  # fmt: skip
        raise ValueError('expected two players, as ["Ann", "Bob"]')
    if table.keys() - {"players", "rounds"} or not isinstance(rounds, str | None):
        raise ValueError('expected players and rounds, as {players = ["Ann", "Bob"], '
                         'rounds = "2-4"}')  # fmt: skip
    return pair[0], pair[1], None if rounds is None else rounds_in(rounds)


def _plain(value: Any) -> Any:
    """A value as JSON has it too: without dates, and numbers that are exact."""
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return value if isinstance(value, str | int) else str(value)


class _Points(_Table):
    win: Amount
    draw: Amount
    loss: Amount = Fraction(0)
    bye: Amount | None = None
    requested_bye: Amount = Fraction(0)
    absent: Amount = Fraction(0)
    games: Literal[1, 2] = 1

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if not self.win > self.loss or not self.win >= self.draw >= self.loss:
            raise ValueError("expected a win above a loss, and a draw between them")
        return self


def _made(table: _Points) -> Points:
    """The points of a match; those of a game are given where it has two."""
    given = dict(table)
    if given.pop("games") == 1:
        return Points(**given)
    match = doubled(Points(table.win, table.draw, table.loss))
    more = {name: given[name] for name in ("bye", "requested_bye", "absent")}
    return replace(match, **more)


class Bye(_Table):
    """A bye known in advance; without points it gives the event's for a requested one."""

    player: Filled
    round: Whole
    points: Amount | None = None


class _Conflict(_Table):
    column: Filled
    place: Annotated[int, Field(ge=1, le=MOST_NUMBER, strict=True)] | None = None


class _Source(_Table):
    trf: list[str] = []
    from_json: Annotated[dict[str, Any], AfterValidator(_plain)] = Field(default={}, alias="json")


class EventFile(_Table):
    """The content of an event.toml: settings, and what names players.

    `initial_side` is the side drawn for the first player of round 1, as the event calls it;
    `source` what the file it was made from says besides, to be written again; see `Origin.facts`.
    `id` is the event's own, by which its steps are known: see `identity`.
    """

    title: Annotated[str, Field(strict=True)] = ""
    model: Filled | None = None
    rounds: Whole | None = None
    sides: Annotated[list[Filled], Field(max_length=2), AfterValidator(_two_labels)] | None = None
    lookahead: Annotated[int, Field(ge=0, le=MOST_ROUNDS, strict=True)] | Literal["all"] | None = (
        None
    )
    tie_breaks: (
        Annotated[list[Annotated[Filled, AfterValidator(_tie_break)]], AfterValidator(tuple)] | None
    ) = None
    first_round: FirstRound | None = None
    initial_side: Annotated[Filled, AfterValidator(str.lower)] | None = None
    proofs: Annotated[bool, Field(strict=True)] | None = None
    seed: Annotated[int, Field(ge=0, le=MOST_SEED, strict=True)] | None = None
    id: Annotated[str, Field(strict=True)] = ""
    forbid: list[Annotated[Forbidden, PlainValidator(_kept_apart)]] = []
    points: Annotated[_Points, AfterValidator(_made)] | None = None
    byes: list[Bye] = []
    conflicts: list[_Conflict] = []
    source: _Source = _Source()

    @property
    def facts(self) -> dict[str, Any]:
        """What it says of its source."""
        return {name: said for name, said in self.source.model_dump(by_alias=True).items() if said}

    @property
    def settings(self) -> Settings:
        """What it says of all rounds."""
        own = {name: value for name, value in self if name in Settings.__slots__}
        return Settings(**own, apart=tuple(Apart(**dict(each)) for each in self.conflicts))


def identity(content: bytes) -> str:
    """The id in an event.toml, "" where it has none or cannot be read."""
    with suppress(InputError, ValueError, RecursionError):
        said = tomllib.loads(decoded(NAME, content).text).get("id")
        return said if isinstance(said, str) else ""
    return ""


def identified(content: bytes, own: str) -> bytes:
    """The same event.toml with an id in its first line; one that has one, or is none, as it is."""
    with suppress(InputError):
        source = decoded(NAME, content)
        new = encoded(f'id = "{own}"{source.newline}{source.text}', source.marked)
        if own and identity(new) == own:
            return new
    return content


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
        file = EventFile.model_validate(raw)
    except ValidationError as error:
        raise InputError(source, faults_of(error, EventFile, _TABLES)) from None
    if file.lookahead == "all" and file.rounds is None:
        said = '"all" needs rounds, the number of rounds of the event'
        raise InputError(source, [Fault(said, JsonPath("lookahead"))])
    return file


_TABLES: Mapping[str, type[_Table]] = {"points": _Points, "byes": Bye, "conflicts": _Conflict,
                                       "source": _Source}  # fmt: skip
