"""The matches of a round as people see them: by table, and by name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from pairopt.event.event import FORFEIT, REQUESTED, Event
from pairopt.event.standings import cells, heads, ranked, tie_breaks_of
from pairopt.event.turns import points_of
from pairopt.proof.reasons import Reason
from pairopt.round.explain import explained
from pairopt.round.result import Result
from pairopt.wording import alphabetical

BYES = {"bye": "has the bye", "requested": "bye on request"}


@dataclass(frozen=True, slots=True)
class Line:
    """A match, the first side's player first; of a bye `two` is empty, and `bye` says why.

    `points1` and `points2` are those before the round. `plays` is where the first player's
    opponent stands: "down" or "up", "" beside them. `score` is "" before there is a result.
    """

    table: str
    one: str
    two: str
    points1: str
    points2: str
    plays: str
    bye: str
    score: str = ""
    sentence: str = ""


class Seat(NamedTuple):
    """Where somebody plays; `side` is "" without sides, `opponent` of a bye says why."""

    name: str
    table: str
    side: str
    opponent: str


def sides_of(event: Event) -> tuple[str, str]:
    """The sides as headings, "" and "" without any."""
    one, two = event.sides or ("", "")
    return one.capitalize(), two.capitalize()


def result_lines(result: Result, known: Sequence[Reason] = ()) -> list[Line]:
    """The matches that were paired, with a sentence each, then the byes.

    `known` are the reasons that a proof gives.
    """
    event = result.problem.state.event
    points = points_of(event).tolist()
    sentences = [match.sentence for match in explained(result, known)]
    sentences += [""] * (len(result.matches) - len(sentences))
    made = []
    for row, sentence in zip(result.matches, sentences, strict=True):
        two = -1 if row["player2"] is None else event.index[str(row["player2"])]
        one, bye = event.index[str(row["player1"])], BYES.get(str(row["status"]), "")
        line = _line(event, points, str(row["table"] or ""), one, two, bye)
        made.append(replace(line, sentence=sentence))
    return made


def round_lines(event: Event, number: int, player: int | None = None) -> list[Line]:
    """The matches of a round that is in the event by their tables, then its byes.

    With `player`, a position in the event, only theirs.
    """
    rows = event.matches.take(event.matches.round == number)
    if player is not None:
        rows = rows.take((rows.first == player) | (rows.second == player))
    rows = rows.take(np.lexsort((rows.row, rows.table == 0, rows.table, rows.second < 0)))
    points = points_of(replace(event, round=number)).tolist()
    made = []
    for table, one, two, side, score1, score2, status, scored in zip(
        rows.table.tolist(), rows.first.tolist(), rows.second.tolist(), rows.side.tolist(),
        rows.score1.tolist(), rows.score2.tolist(), rows.status.tolist(), rows.scored.tolist(),
        strict=True,
    ):  # fmt: skip
        mark = "F" if status == FORFEIT else ""
        halves = [f"{event.points_text(score)}{mark}" for score in (score1, score2)]
        if side == 1:
            one, two, halves = two, one, halves[::-1]
        bye = BYES["requested" if status == REQUESTED else "bye"]
        line = _line(event, points, str(table or ""), one, two, bye if two < 0 else "")
        made.append(replace(line, score="-".join(halves) if scored and two >= 0 else ""))
    return made


def seats(lines: Iterable[Line], sides: Sequence[str]) -> list[Seat]:
    """Where everybody plays, in the order of names."""
    made = []
    for line in lines:
        made.append(Seat(line.one, line.table, sides[0] * bool(line.two), line.two or line.bye))
        if line.two:
            made.append(Seat(line.two, line.table, sides[1], line.one))
    return sorted(made, key=lambda seat: alphabetical(seat.name))


def standing_table(event: Event) -> tuple[list[str], list[list[object]]]:
    """The heads and rows of the standings by the event's tie-breaks; no side bias without sides."""
    chosen = tie_breaks_of(event)
    names = [str(head) for head in heads(chosen)]
    table = [cells(event, line) for line in ranked(event, chosen)]
    if event.sided:
        return names, table
    return [*names[:-2], names[-1]], [[*row[:-2], row[-1]] for row in table]


def _line(event: Event, points: Sequence[int], table: str, one: int, two: int, bye: str) -> Line:
    gap = 0 if two < 0 else points[one] - points[two]
    return Line(
        table=table,
        one=event.shown[one],
        two="" if two < 0 else event.shown[two],
        points1=event.points_text(points[one]),
        points2="" if two < 0 else event.points_text(points[two]),
        plays="" if gap == 0 else "down" if gap > 0 else "up",
        bye=bye,
    )
