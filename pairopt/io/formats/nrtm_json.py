"""NRTM JSON: events as Cobra, Aesop's Tables and NRTM export them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from pairopt.errors import Fault, InputError
from pairopt.event import Event
from pairopt.io.build import build_event
from pairopt.io.formats.players_csv import Roster
from pairopt.io.schema import MatchRow, Number, PlayerRow
from pairopt.io.source import Source

EXPECTED = "NRTM JSON (players, rounds, preliminaryRounds)"


def _text(value: object) -> str:
    if value is None or isinstance(value, bool | dict | list):
        return "" if value is None else repr(value)
    return str(value)


Id = Annotated[str, BeforeValidator(_text)]
Score = Annotated[Number, BeforeValidator(_text)]


class _Seat(BaseModel):
    """One player of a table; the scores of a game not played are null."""

    model_config = ConfigDict(extra="ignore")

    id: Id
    role: Literal["corp", "runner"] | None = None
    corp: Score = Field(None, alias="corpScore")
    runner: Score = Field(None, alias="runnerScore")
    combined: Score = Field(None, alias="combinedScore")

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


class _Match(BaseModel):
    model_config = ConfigDict(extra="ignore")

    table: Annotated[int, Field(ge=0, le=1_000_000)] | None = None
    number: Annotated[int, Field(ge=0, le=1_000_000)] | None = Field(None, alias="tableNumber")
    player1: _Seat
    player2: _Seat
    elimination: bool = Field(False, alias="eliminationGame")


class _Player(BaseModel):
    model_config = ConfigDict(extra="ignore")

    id: Annotated[Id, Field(min_length=1)]
    name: Annotated[str, BeforeValidator(_text)] = ""


class _File(BaseModel):
    model_config = ConfigDict(extra="ignore")

    players: list[_Player]
    rounds: list[list[_Match]]
    swiss: int | None = Field(None, alias="preliminaryRounds", ge=0)


def recognises(source: Source) -> bool:
    """Whether a file is JSON."""
    return source.text.lstrip()[:1] == "{"


def read(
    source: Source,
    roster: Roster | None,
    *,
    round: int | None,
    sides: tuple[str, str] | None,
    history: bool,  # noqa: ARG001 - matches are the history
) -> Event:
    """The event of the Swiss rounds; the cut is left out."""
    if roster is not None:
        raise InputError(source.name, "holds its players itself: leave out --players")
    try:
        raw = json.loads(source.text, parse_float=Decimal)
        file = _File.model_validate(raw)
    except (json.JSONDecodeError, RecursionError) as error:
        line = getattr(error, "lineno", None)
        raise InputError(source.name, [Fault(f"not JSON: {error}", line)]) from None
    except ValidationError as error:
        raise InputError(source.name, [_fault(each) for each in error.errors()]) from None
    try:
        matches = list(_matches(file))
    except ValidationError as error:
        raise InputError(source.name, [_fault(each) for each in error.errors()]) from None
    _require(source, file, matches)
    rows = [row for _, row in matches]
    players = [PlayerRow(player=player.id, name=player.name) for player in file.players]
    return build_event(
        source.name, rows, list(range(1, len(rows) + 1)), players, sides=sides, round=round
    )


def _matches(file: _File) -> Iterator[tuple[str, MatchRow]]:
    """The Swiss matches as rows, each with its place in the file."""
    swiss = file.rounds[: file.swiss] if file.swiss else file.rounds
    for number, tables in enumerate(swiss, 1):
        for k, match in enumerate(tables):
            if match.elimination:
                continue
            one, two = match.player1, match.player2
            if not one.id:
                one, two = two, one
            row: dict[str, Any] = {"round": str(number), "player1": one.id, "player2": two.id}
            row["table"] = str(match.table or match.number or "")
            row["score1"] = _text(one.score)
            row["score2"] = _text(two.score) if two.id else ""
            row["side1"] = one.side if two.id else ""
            row["status"] = "" if two.id else "bye"
            yield f"rounds[{number - 1}][{k}]", MatchRow.model_validate(row)


def _require(source: Source, file: _File, matches: list[tuple[str, MatchRow]]) -> None:
    """Raise InputError for players listed twice or not at all, by their place in the file."""
    known: set[str] = set()
    faults = []
    for k, player in enumerate(file.players):
        if player.id in known:
            faults.append(Fault(f"players[{k}]: id {player.id} is listed twice"))
        known.add(player.id)
    for place, row in matches:
        faults += [
            Fault(f"{place}: player {name} is not among the players")
            for name in (row.player1, row.player2)
            if name and name not in known
        ]
    if faults:
        raise InputError(source.name, faults)


def _fault(error: Any) -> Fault:
    place = "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in error["loc"]).lstrip(".")
    found = repr(error["input"])
    message = str(error["msg"]).removeprefix("Value error, ")
    return Fault(f"{place}: {message}" + (f" (found {found[:60]})" if found else ""))
