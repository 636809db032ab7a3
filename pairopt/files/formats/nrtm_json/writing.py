"""NRTM JSON, written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np

from pairopt.event.event import FORFEIT, NO_RATING, REQUESTED, Event
from pairopt.event.layout import OWN
from pairopt.event.standings import ranked
from pairopt.event.tie_breaks import SCHEDULE
from pairopt.files.formats.base import Text, lost_facts, numbers_of
from pairopt.files.formats.nrtm_json.cut import Cut, Tables, cut_of
from pairopt.files.formats.nrtm_json.words import (
    CUT,
    FORM,
    GAMES,
    IDENTITIES,
    MARKS,
    OF_EVENT,
    USUAL,
)
from pairopt.files.schema import number_in
from pairopt.files.write import json_text


def write(event: Event) -> Text:
    """The event as NRTM JSON, and what is lost."""
    numbers, notes = numbers_of(event, 10**9)
    lines = {line.player: line for line in ranked(event, SCHEDULE)}
    nobody = ("",) * len(event.players)
    identities = [event.columns.get(name, nobody) for name in IDENTITIES]
    players = [
        {
            "id": numbers[k],
            "name": event.names[k],
            "rank": line.rank,
            "corpIdentity": identities[0][k] or None,
            "runnerIdentity": identities[1][k] or None,
            "matchPoints": _number(line.points),
            "strengthOfSchedule": f"{float(line.tie_breaks['sos']):.4f}",
            "extendedStrengthOfSchedule": f"{float(line.tie_breaks['esos']):.4f}",
        }
        for k, line in enumerate(lines[player] for player in event.players)
    ]
    rows = event.matches
    rounds: list[list[dict[str, object]]] = [[] for _ in range(event.round - 1)]
    told = (rows.status != REQUESTED) | (rows.score1 != 0)
    empty = ~np.isin(rows.round, rows.round[told])  # no round is without a table
    for k in np.flatnonzero(told | empty):
        if rows.round[k] < event.round:
            rounds[rows.round[k] - 1].append(_match(event, int(k), numbers))
    own_cut = cut_of(event, numbers)
    facts, cut, unkept = _kept(event, numbers, own_cut)
    swiss = len(rounds)
    if own_cut is not None:
        cut = [*[[]] * swiss, *own_cut.rounds]
        facts = {**facts, "cutToTop": len(own_cut.players), "eliminationPlayers": own_cut.players}
        unkept = [*unkept, *own_cut.notes]
    for number, tables in enumerate(cut):
        rounds += [[]] * (number >= len(rounds))
        rounds[number] = [*rounds[number], *tables]
    own = {
        "name": event.settings.title,
        "preliminaryRounds": swiss,
        "players": players,
        "rounds": rounds,
    }
    return Text(json_text({**USUAL, **facts, **own}), [*notes, *_lost(event), *unkept])


def _kept(
    event: Event, numbers: Sequence[int], own_cut: Cut | None
) -> tuple[Mapping[str, object], list[Tables], list[str]]:
    """What the file that the event was made from says besides, its cut, and notes.

    Where players have other numbers now, what names them is lost; so is another cut than their own.
    """
    said = event.origin.facts.get(FORM, {})
    facts = {key: value for key, value in said.items() if key not in {*OF_EVENT, CUT}}
    cut = said.get(CUT, [])
    if own_cut is not None:
        before = "lost: the cut of the file before, as the folder has one of its own"
        there = "eliminationPlayers" in facts or CUT in said
        return facts, [], [before] * (there and not own_cut.begun)
    if not isinstance(cut, list) or not all(isinstance(tables, list) for tables in cut):
        return facts, [], ["lost: the cut, as it is no list of rounds"]
    if [*map(str, numbers)] == [*event.players]:
        return facts, cut, []
    named = [name for name, there in (("eliminationPlayers", "eliminationPlayers" in facts),
                                      ("the cut", any(cut))) if there]  # fmt: skip
    facts.pop("eliminationPlayers", None)
    return facts, [], [f"lost: {name}, as players have other numbers" for name in named]


def _match(event: Event, k: int, numbers: Sequence[int]) -> dict[str, object]:
    """A table; without sides the two games are not known apart, only their sum."""
    rows = event.matches
    side, scored = int(rows.side[k]), bool(rows.scored[k])
    if event.sided and rows.second[k] >= 0:
        side = max(side, 0)  # a forfeit may lack it; as a match it needs one

    def seat(player: int, score: int, side: int, names: Sequence[str]) -> dict[str, object]:
        points = _number(Fraction(score, event.scale)) if scored and player >= 0 else None
        games = dict(zip(("corpScore", "runnerScore"), _games(event, k, names, points),
                         strict=True))  # fmt: skip
        made: dict[str, object] = {"id": numbers[player] if player >= 0 else None}
        if side >= 0:
            made["role"] = ("corp", "runner")[side]
            games = {"runnerScore": points if side else None,
                     "corpScore": None if side else points}  # fmt: skip
        return made | games | {"combinedScore": points}

    return {
        "table": int(rows.table[k]) or None,
        "player1": seat(int(rows.first[k]), int(rows.score1[k]), side, GAMES[:2]),
        "player2": seat(
            int(rows.second[k]), int(rows.score2[k]), 1 - side if side >= 0 else -1, GAMES[2:]
        ),
        **{name: event.origin.cell(column, int(rows.row[k])) == "true"
           for name, column in zip(("intentionalDraw", "twoForOne"), MARKS, strict=True)},
        "eliminationGame": False,
    }  # fmt: skip


def _games(
    event: Event, k: int, names: Sequence[str], points: int | float | None
) -> list[int | float | None]:
    """The scores of the two games, as far as they are known and make up the match's.

    Old files have 0 for both besides the points of the match.
    """
    if points is None:
        return [None, None]
    try:
        games = [number_in(event.origin.cell(name, int(event.matches.row[k]))) for name in names]
    except ValueError:
        return [0, 0]
    given = [_number(Fraction(game)) for game in games if game is not None]
    return [*given] if len(given) == 2 and sum(given) == points else [0, 0]


def _number(points: Fraction) -> int | float:
    return int(points) if points.denominator == 1 else float(points)


def _lost(event: Event) -> list[str]:
    """What NRTM JSON cannot hold of an event."""
    rows = event.matches
    forfeits, asked = int((rows.status == FORFEIT).sum()), int((rows.status == REQUESTED).sum())
    known = {*event.columns}.difference(OWN, IDENTITIES)
    more = {*event.origin.cells}.difference(GAMES, MARKS)
    usual = np.argsort(-event.rating, kind="stable")
    lost = {
        f"forfeits are written as played matches ({forfeits} of them)": forfeits,
        "byes asked for are written as allocated byes where they have points, else left out "
        f"({asked} of them)": asked,
        "lost: points brought in": event.brought.any(),
        "lost: points that no result explains": event.adjusted.any(),
        "lost: ratings": (event.rating != NO_RATING).any(),
        "lost: fixed tables": event.fixed_table.any(),
        "lost: first-round byes": event.first_round_bye.any(),
        "lost: forbidden pairs (use --forbid)": event.prohibited,
        "lost: who is active": event.declared_active is not None,
        f"sides are written as corp ({(event.sides or ('', ''))[0]}) and runner":
            event.sides not in (None, ("corp", "runner")),
        "lost: start numbers": (np.argsort(event.start_numbers) != usual).any(),
        "lost: virtual points": event.acceleration.any(),
        "lost: the side drawn for round 1": event.initial_side is not None,
        f"lost: the columns {', '.join(sorted(known))}": known,
        f"lost: {', '.join(sorted(more))} of the matches": more,
    }  # fmt: skip
    told = [what for what, there in lost.items() if there]
    return [*told, *lost_facts(event, FORM, "title", "cut")]
