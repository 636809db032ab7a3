"""NRTM JSON: events as Cobra, Aesop's Tables and NRTM export them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from pairopt.errors import Fault, InputError, JsonPath, Line
from pairopt.event.event import FORFEIT, NO_RATING, REQUESTED, Event
from pairopt.event.standings import ranked
from pairopt.io.build import build_event
from pairopt.io.formats.base import Format, Reading, Text
from pairopt.io.formats.numbers import numbers_of, shown_name
from pairopt.io.formats.players_csv import OWN
from pairopt.io.schema import MatchRow, PlayerRow, row_of
from pairopt.io.source import Source
from pairopt.io.write import json_text
from pairopt.wording import quoted

if TYPE_CHECKING:
    from pairopt.io.formats.nrtm_file import File

KEYS = {"player1": "player1.id", "player2": "player2.id", "side1": "player1.role",
        "score1": "player1", "score2": "player2", "table": "table"}  # fmt: skip
"""Where a table has what a column of matches.csv holds."""


def recognises(source: Source) -> bool:
    """Whether a file is JSON."""
    return source.text.lstrip()[:1] == "{"


def read(source: Source, how: Reading) -> Event:
    """The event of the Swiss rounds; the cut is left out."""
    from pairopt.io.formats.nrtm_file import parsed

    try:
        raw = json.loads(source.text, parse_float=str, parse_int=str)  # 1e999999999 stays short
    except json.JSONDecodeError as error:
        fault = Fault(f"not JSON: {error.msg}", Line(error.lineno, str(error.colno)))
        raise InputError(source.name, [fault]) from None
    except RecursionError:
        raise InputError(source.name, "not JSON of an event: nested too deep") from None
    file = parsed(raw, source.name)
    matches = list(_matches(source, file))
    _require(source, file, matches)
    players = [PlayerRow(player=player.id, name=player.name) for player in file.players]
    event = build_event(
        source.name, [row for _, row in matches], [place for place, _ in matches], players,
        sides=how.sides, round=how.round,
    )  # fmt: skip
    return replace(event, unread=tuple(_unread(file, matches)))


def _unread(file: File, matches: Sequence[object]) -> Iterator[str]:
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


def _matches(source: Source, file: File) -> Iterator[tuple[_Table, MatchRow]]:
    """The Swiss matches as rows, each with its place in the file."""
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
            yield place, row_of(MatchRow, row, source.name, place)


def _cell(score: Decimal | None) -> str:
    return "" if score is None else str(score)


def _require(source: Source, file: File, matches: list[tuple[_Table, MatchRow]]) -> None:
    """Raise InputError for players listed twice or not at all, by their place in the file."""
    known: set[str] = set()
    faults = []
    for k, player in enumerate(file.players):
        if player.id in known:
            fault = Fault(f"{quoted(player.id)} is listed twice", JsonPath(f"players[{k}].id"))
            faults.append(fault)
        known.add(player.id)
    for place, row in matches:
        faults += [
            Fault(f"found {quoted(name)}, expected a player of the list", place.at(column))
            for column, name in (("player1", row.player1), ("player2", row.player2))
            if name and name not in known
        ]
    if faults:
        raise InputError(source.name, faults)


def write(event: Event) -> Text:
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
    return Text(json_text(content), [*notes, *_lost(event)])


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


FORMAT = Format(
    name="json",
    expected="NRTM JSON (players, rounds, preliminaryRounds)",
    of=Source,
    recognises=recognises,
    read=read,
    write=write,
    suffixes=(".json",),
)
