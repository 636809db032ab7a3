"""NRTM JSON: events as Cobra, Aesop's Tables and NRTM export them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from pairopt.errors import Fault, InputError
from pairopt.event.event import FORFEIT, NO_RATING, REQUESTED, Event
from pairopt.event.standings import ranked
from pairopt.io.build import build_event
from pairopt.io.formats.numbers import numbers_of, shown_name
from pairopt.io.formats.players_csv import OWN, Roster
from pairopt.io.schema import MatchRow, Number, PlayerRow
from pairopt.io.source import Source
from pairopt.io.write import json_text

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


def text_of(event: Event) -> tuple[str, Sequence[str]]:
    """The event as NRTM JSON, and what is lost."""
    numbers, notes = numbers_of(event, 10**9)
    lines = {line.player: line for line in ranked(event)}
    players = [
        {
            "id": numbers[k],
            "name": shown_name(event, k),
            "rank": line.rank,
            "corpIdentity": None,
            "runnerIdentity": None,
            "matchPoints": _number(line.points),
            "strengthOfSchedule": f"{float(line.tie_breaks['sos']):.4f}",
            "extendedStrengthOfSchedule": f"{float(line.tie_breaks['esos']):.4f}",
        }
        for k, line in enumerate(lines[player] for player in event.players)
    ]
    rows = event.matches
    rounds: list[list[dict[str, object]]] = [[] for _ in range(event.round - 1)]
    for k in np.flatnonzero((rows.status != REQUESTED) | (rows.score1 != 0)):
        if rows.round[k] < event.round:
            rounds[rows.round[k] - 1].append(_match(event, int(k), numbers))
    content = {
        "name": "",
        "date": "",
        "cutToTop": 0,
        "preliminaryRounds": len(rounds),
        "tournamentOrganiser": {"nrdbId": "", "nrdbUsername": ""},
        "players": players,
        "eliminationPlayers": [],
        "rounds": rounds,
        "uploadedFrom": "pairopt",
        "links": [],
    }
    return json_text(content), [*notes, *_lost(event)]


def _match(event: Event, k: int, numbers: Sequence[int]) -> dict[str, object]:
    """A table; without sides the two games are not known apart, only their sum."""
    rows = event.matches
    side, scored = int(rows.side[k]), bool(rows.scored[k])
    if event.sided and rows.second[k] >= 0:
        side = max(side, 0)  # a forfeit may lack it; as a match it needs one

    def seat(player: int, score: int, side: int) -> dict[str, object]:
        points = _number(Fraction(score, event.scale)) if scored and player >= 0 else None
        games: dict[str, object] = {"runnerScore": None if points is None else 0,
                 "corpScore": None if points is None else 0}  # fmt: skip
        made: dict[str, object] = {"id": numbers[player] if player >= 0 else None}
        if side >= 0:
            made["role"] = ("corp", "runner")[side]
            games = {"runnerScore": points if side else None,
                     "corpScore": None if side else points}  # fmt: skip
        return made | games | {"combinedScore": points}

    return {
        "table": int(rows.table[k]) or None,
        "player1": seat(int(rows.first[k]), int(rows.score1[k]), side),
        "player2": seat(int(rows.second[k]), int(rows.score2[k]), 1 - side if side >= 0 else -1),
        "intentionalDraw": False,
        "twoForOne": False,
        "eliminationGame": False,
    }


def _number(points: Fraction) -> int | float:
    return int(points) if points.denominator == 1 else float(points)


def _lost(event: Event) -> list[str]:
    """What NRTM JSON cannot hold of an event."""
    rows = event.matches
    forfeits, asked = int((rows.status == FORFEIT).sum()), int((rows.status == REQUESTED).sum())
    known = set(event.columns) - {"name"}
    lost = {
        f"forfeits are written as played matches ({forfeits} of them)": forfeits,
        "byes asked for are written as allocated byes where they have points, else left out "
        f"({asked} of them)": asked,
        "lost: points brought in": event.brought.any(),
        "lost: ratings": (event.rating != NO_RATING).any(),
        "lost: fixed tables": event.fixed_table.any(),
        "lost: first-round byes": event.first_round_bye.any(),
        "lost: forbidden pairs (use --forbid)": event.forbidden,
        "lost: who is active": event.declared_active is not None,
        f"sides are written as corp ({(event.sides or ('', ''))[0]}) and runner":
            event.sides not in (None, ("corp", "runner")),
        f"lost: the columns {', '.join(sorted(known - OWN))}": known - OWN,
    }  # fmt: skip
    return [what for what, there in lost.items() if there]
