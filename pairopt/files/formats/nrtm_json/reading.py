"""NRTM JSON, read; loaded, and pydantic with it, only where there is a file of it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, Field, ValidationError

from pairopt.errors import Fault, InputError, JsonPath, TextPlace
from pairopt.event.event import Event
from pairopt.files.build import Reading, Roster, build_event
from pairopt.files.schema import MatchRow, PlayerRow, number_in, row_of
from pairopt.files.source import Source, is_text
from pairopt.wording import quoted

KEYS = {"player1": "player1.id", "player2": "player2.id", "side1": "player1.role",
        "score1": "player1", "score2": "player2", "table": "table"}  # fmt: skip
"""Where a table has what a column of matches.csv holds."""


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool | dict | list) or not is_text(str(value)):
        raise ValueError("expected a text or a number")
    return str(value).strip()


Id = Annotated[str, BeforeValidator(_text)]
Number = Annotated[int, Field(ge=0, le=1_000_000)]
SeatScore = Annotated[Decimal | None, BeforeValidator(lambda value: number_in(_text(value)))]


class SeatEntry(BaseModel):
    """One player of a table; the scores of a game not played are null."""

    id: Id
    role: Literal["corp", "runner"] | None = None
    corp: SeatScore = Field(None, alias="corpScore")
    runner: SeatScore = Field(None, alias="runnerScore")
    combined: SeatScore = Field(None, alias="combinedScore")

    @property
    def score(self) -> Decimal | None:
        """Points in the match. Old files hold them only in combinedScore."""
        if self.combined is not None:
            return self.combined
        games = [score for score in (self.corp, self.runner) if score is not None]
        return sum(games, Decimal(0)) if games else None

    @property
    def side(self) -> str:
        """The side played, "" where both were or nothing says."""
        if self.role is not None:
            return self.role
        if (self.corp is None) == (self.runner is None):
            return ""
        return "runner" if self.corp is None else "corp"


class TableEntry(BaseModel):
    """A table of a round."""

    table: Number | None = None
    number: Number | None = Field(None, alias="tableNumber")
    player1: SeatEntry
    player2: SeatEntry
    elimination: bool = Field(False, alias="eliminationGame")


class PlayerEntry(BaseModel):
    """A player, by the identifier that seats have."""

    id: Annotated[Id, Field(min_length=1)]
    name: Id = ""
    corp: object = Field(None, alias="corpIdentity")
    runner: object = Field(None, alias="runnerIdentity")


class NrtmFile(BaseModel):
    """Players, and rounds of tables; `swiss` rounds come before the cut."""

    players: list[PlayerEntry]
    rounds: list[list[TableEntry]]
    swiss: int | None = Field(None, alias="preliminaryRounds", ge=0)


def read(source: Source, how: Reading) -> Event:
    """The event of the Swiss rounds; the cut is left out."""
    try:
        raw = json.loads(source.text, parse_float=str, parse_int=str)  # 1e999999999 stays short
    except json.JSONDecodeError as error:
        fault = Fault(f"not JSON: {error.msg}", TextPlace(error.lineno, str(error.colno)))
        raise InputError(source.name, [fault]) from None
    except RecursionError:
        raise InputError(source.name, "not JSON of an event: nested too deep") from None
    try:
        file = NrtmFile.model_validate(raw)
    except ValidationError as error:
        raise InputError(source.name, [_fault(each) for each in error.errors()]) from None
    matches = list(_matches(source, file))
    _require(source, file, matches)
    players = [PlayerRow(player=player.id, name=player.name) for player in file.players]
    event = build_event(source.name, matches, Roster(source.name, players), how)
    return replace(event, origin=replace(event.origin, unread=tuple(_unread(file, matches))))


def _fault(error: Any) -> Fault:
    keys = "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in error["loc"]).lstrip(".")
    if error["type"] == "missing":
        return Fault("missing", JsonPath(keys))
    why = str(error["msg"]).removeprefix("Value error, ")
    return Fault(f"found {quoted(error['input'])}, {why}", JsonPath(keys))


def _unread(file: NrtmFile, matches: Sequence[object]) -> Iterator[str]:
    """What a file says that is no part of an event."""
    seats = (seat for table in file.rounds for m in table for seat in (m.player1, m.player2))
    if any(seat.corp and seat.runner and seat.role is None for seat in seats):
        yield "the scores of the two games of a double-sided match (their sums are kept)"
    if any(player.corp or player.runner for player in file.players):
        yield "identities"
    if more := sum(map(len, file.rounds)) - len(matches):
        yield f"the cut ({more} matches)"


@dataclass(frozen=True, slots=True)
class _Table(JsonPath):
    """The place of a table; `turned` where its player2 is the one who has the bye."""

    turned: bool = False

    def at(self, column: str) -> JsonPath:
        """The key that holds a column of matches.csv."""
        key = KEYS.get(column, "")
        if self.turned:
            key = key.translate({ord("1"): "2", ord("2"): "1"})
        return JsonPath(f"{self.path}.{key}".rstrip("."))


def _matches(source: Source, file: NrtmFile) -> Iterator[MatchRow]:
    """The Swiss matches as rows."""
    swiss = file.rounds[: file.swiss] if file.swiss else file.rounds
    for number, tables in enumerate(swiss, 1):
        for k, match in enumerate(tables):
            if match.elimination:
                continue
            one, two = match.player1, match.player2
            if not one.id:
                one, two = two, one
            place = _Table(f"rounds[{number - 1}][{k}]", one is match.player2)
            row = {"round": str(number), "player1": one.id, "player2": two.id}
            row["table"] = str(match.table or match.number or "")
            row["score1"] = _cell(one.score)
            row["score2"] = _cell(two.score) if two.id else ""
            row["side1"] = one.side if two.id else ""
            row["status"] = "" if two.id else "bye"
            yield row_of(MatchRow, row, source.name, place)


def _cell(score: Decimal | None) -> str:
    return "" if score is None else str(score)


def _require(source: Source, file: NrtmFile, matches: Sequence[MatchRow]) -> None:
    """Raise InputError for players listed twice or not at all, by their place in the file."""
    known: set[str] = set()
    faults = []
    for k, player in enumerate(file.players):
        if player.id in known:
            fault = Fault(f"{quoted(player.id)} is listed twice", JsonPath(f"players[{k}].id"))
            faults.append(fault)
        known.add(player.id)
    for row in matches:
        faults += [
            Fault(f"found {quoted(name)}, expected a player of the list", row.place.at(column))
            for column, name in (("player1", row.player1), ("player2", row.player2))
            if name and name not in known
        ]
    if faults:
        raise InputError(source.name, faults)
