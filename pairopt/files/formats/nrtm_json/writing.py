"""NRTM JSON, written."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from pairopt.event.columns import OWN
from pairopt.event.event import FORFEIT, NO_RATING, REQUESTED, Event
from pairopt.event.standings import ranked
from pairopt.event.tie_breaks import SCHEDULE
from pairopt.files.formats.base import Text, numbers_of
from pairopt.files.write import json_text


def write(event: Event) -> Text:
    """The event as NRTM JSON, and what is lost."""
    numbers, notes = numbers_of(event, 10**9)
    lines = {line.player: line for line in ranked(event, SCHEDULE)}
    players = [
        {
            "id": numbers[k],
            "name": event.names[k],
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
        f"lost: the columns {', '.join(sorted(known.difference(OWN)))}": known.difference(OWN),
    }  # fmt: skip
    return [what for what, there in lost.items() if there]
