"""Shown: a round, its levels and the standings as people see them, in whatever medium."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from itertools import compress
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pairopt.event.event import FORFEIT, REQUESTED, Event
from pairopt.event.points import Score
from pairopt.event.score_checks import points_of
from pairopt.event.settings import PAIRING, EventSettings
from pairopt.event.standings import (
    standings_cells,
    standings_columns,
    standings_headings,
    standings_lines,
    tie_breaks_of,
)
from pairopt.messages import Note, message
from pairopt.messages.formatting import alphabetical_key, amount_text, count_noun

if TYPE_CHECKING:
    from pairopt.problem.levels import LevelValue
    from pairopt.round.check import Check, LevelComparison
    from pairopt.round.compare_models import Comparison, MeasuredLevel
    from pairopt.round.result import Match, Result

BYE, ON_REQUEST = "has the bye", "bye on request"
NAMES = ("criterion", "level", "counts")


@dataclass(frozen=True, slots=True)
class MatchView:
    """A match, the first side's player first; or a bye of one player, and `bye` says why. `players`
    are identifiers, the `points` those before the round. `plays` is where the first one's opponent
    stands: "down" or "up", "" beside them. `met` is how often they have met before.
    """

    table: str
    names: tuple[str, ...]
    players: Match = ()
    points: tuple[str, ...] = ()
    plays: str = ""
    bye: str = ""
    met: int = 0
    score: str = ""
    sentence: str = ""

    @property
    def one(self) -> str:
        return self.names[0]

    @property
    def two(self) -> str:
        """The opponent, "" for a bye."""
        return "".join(self.names[1:])

    @property
    def open(self) -> bool:
        return not (self.bye or self.score)


class SeatView(NamedTuple):
    """Where somebody plays; `side` is "" without sides, `opponent` of a bye says why. In `score`
    their own points come first; these are `gained`, an `ending` for them. `plays` is where the
    opponent stands, `other` who it is.
    """

    name: str
    table: str = ""
    side: str = ""
    opponent: str = ""
    score: str = ""
    ending: str = ""
    gained: str = ""
    plays: str = ""
    other: str = ""
    line: MatchView | None = None


@dataclass(frozen=True, slots=True)
class RoundView:
    """The matches of a round by their tables, then its byes. `sides` are headings, or "" and ""."""

    sides: tuple[str, str]
    lines: tuple[MatchView, ...]

    @property
    def matches(self) -> tuple[MatchView, ...]:
        return tuple(line for line in self.lines if not line.bye)

    @property
    def told(self) -> list[str]:
        """How many matches, rematches, floats and byes there are, in words."""
        found = (
            (len(self.matches), "table", "tables"),
            (sum(line.met > 0 for line in self.lines), "rematch", "rematches"),
            (sum(line.plays != "" for line in self.lines), "float", "floats"),
            (len(self.lines) - len(self.matches), "bye", "byes"),
        )
        return [count_noun(*each) for each in found if each[0]]

    @property
    def seats(self) -> list[SeatView]:
        made = []
        for line in self.lines:
            if line.bye:
                made.append(
                    SeatView(line.one, line.table, opponent=line.bye, line=line)
                )
                continue
            theirs = turned_score(line.score)
            turned = {"down": "up", "up": "down", "": ""}[line.plays]
            both = zip(
                line.names,
                self.sides,
                (line.score, theirs),
                (line.plays, turned),
                strict=True,
            )
            made += [
                SeatView(
                    name,
                    line.table,
                    side,
                    line.names[1 - k],
                    own,
                    ending_of(own),
                    own.split("-")[0],
                    plays,
                    line.players[1 - k],
                    line,
                )
                for k, (name, side, own, plays) in enumerate(both)
            ]
        return sorted(made, key=lambda seat: alphabetical_key(seat.name))


def ending_of(score: str) -> str:
    """What a score is for who is named first in it, "" before there is one."""
    if not score:
        return ""
    one, two = (float(points.removesuffix("F")) for points in score.split("-")[:2])
    if score.endswith("F"):
        return "won by forfeit" if one > two else "lost by forfeit"
    return "drew" if one == two else "won" if one > two else "lost"


def turned_score(score: str) -> str:
    """A score as the other player has it; games drawn stay the last."""
    return re.sub("^([^-]+)-([^-]+)", r"\2-\1", score)


def sides_of(event: Event) -> tuple[str, str]:
    one, two = event.sides or ("", "")
    return one.capitalize(), two.capitalize()


def _meetings(event: Event) -> Counter[frozenset[int]]:
    """How often two players have met before the event's round; a forfeit is no meeting."""
    rows = event.matches
    met = (rows.round < event.round) & (rows.second >= 0) & (rows.status != FORFEIT)
    return Counter(
        map(
            frozenset,
            zip(rows.first[met].tolist(), rows.second[met].tolist(), strict=True),
        )
    )


def paired_round(result: Result, sentences: Iterable[str] = ()) -> RoundView:
    """A round that was paired, with a sentence for each match as far as there are some."""
    event, said = result.event, iter(sentences)
    points, met, made = points_of(event).tolist(), _meetings(event), []
    for row in result.matches:
        players = [
            str(row[name]) for name in ("player1", "player2") if row[name] is not None
        ]
        bye = (
            ""
            if row["player2"] is not None
            else BYE
            if row["status"] == "bye"
            else ON_REQUEST
        )
        line = _line(
            event, points, met, row["table"], [event.index[p] for p in players], bye
        )
        made.append(replace(line, sentence=next(said, "")))
    return RoundView(sides_of(event), tuple(made))


def round_view(event: Event, number: int, *, listed: bool = False) -> RoundView:
    """A round that is in the event. If they are `listed`, players come in the order in which their
    scores are written down, and are headed by sides only where all first ones have the first.
    """
    rows = event.matches.take(event.matches.round == number)
    rows = rows.take(
        np.lexsort((rows.row, rows.table == 0, rows.table, rows.second < 0))
    )
    before = replace(event, round=number)
    points, met, made = points_of(before).tolist(), _meetings(before), []
    columns = (
        rows.table,
        rows.first,
        rows.second,
        rows.side,
        rows.status,
        rows.scored,
        rows.games,
        rows.score1,
        rows.score2,
    )
    every = zip(*(column.tolist() for column in columns), strict=True)
    for table, one, two, side, status, scored, games, *scores in every:
        if two < 0:
            bye = ON_REQUEST if status == REQUESTED else BYE
            made.append(_line(event, points, met, table, [one], bye))
            continue
        order = -1 if side == 1 and not listed else 1
        points1, points2 = (Fraction(score, event.scale) for score in scores)
        known = tuple(games) if games[0] >= 0 else None
        score = str(Score(points1, points2, status == FORFEIT, known)) if scored else ""
        line = _line(event, points, met, table, [one, two][::order])
        made.append(replace(line, score=score if order > 0 else turned_score(score)))
    mixed = listed and bool((rows.side[rows.second >= 0] != 0).any())
    return RoundView(("", "") if mixed else sides_of(event), tuple(made))


def _line(
    event: Event,
    points: Sequence[int],
    met: Counter[frozenset[int]],
    table: object,
    seats: Sequence[int],
    bye: str = "",
) -> MatchView:
    gap = points[seats[0]] - points[seats[-1]]
    return MatchView(
        str(table or ""),
        tuple(event.shown[p] for p in seats),
        players=tuple(event.players[p] for p in seats),
        points=tuple(event.points_text(points[p]) for p in seats),
        plays="" if gap == 0 else "down" if gap > 0 else "up",
        bye=bye,
        met=met[frozenset(seats)],
    )


@dataclass(frozen=True, slots=True)
class LevelsView:
    """A row a level: its names, then what is said of it under the `heads`; and on other levels."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    more: str


def levels_of(result: Result) -> LevelsView:
    """The levels of what was paired, with their values and whether these are proven."""
    from pairopt.problem.levels import notable_levels  # which standings do without

    levels, more = notable_levels(result.problem, result.level_values)
    rows = (
        _row(level, amount_text(level.value, level.scale), _proof(level))
        for level in levels
    )
    return LevelsView((*NAMES, "value", "proof"), tuple(rows), more)


def checked_levels(found: Check) -> LevelsView:
    """The levels of somebody's pairing, beside those of an optimal one."""
    of_system = found.problem.system is not None
    shown = [
        level
        for level in found.checked
        if not of_system or level.value or level.optimum
    ]
    rows = [
        _row(c, amount_text(c.value, c.scale), amount_text(c.optimum, c.scale))
        for c in shown
    ]
    # Standings are shown without models and problems.
    from pairopt.problem.levels import zeros_text

    more = zeros_text(len(found.checked) - len(shown))
    return LevelsView((*NAMES, "this", "optimum"), tuple(rows), more)


def compared_levels(
    found: Comparison, heads: Sequence[str], *, zeros: bool = True
) -> LevelsView:
    """The levels of all models, one column a model; without `zeros` none that all have 0 of."""
    shown = [m for m in found.notable if zeros or any(m.amounts)]
    rows = [
        _row(m, *(amount_text(value, m.scale) for value in m.amounts)) for m in shown
    ]
    # Standings are shown without models and problems.
    from pairopt.problem.levels import zeros_text

    more = zeros_text(len(found.measured) - len(found.notable))
    return LevelsView((*NAMES, *heads), tuple(rows), more)


def _row(
    level: LevelValue | LevelComparison | MeasuredLevel, *said: str
) -> tuple[str, ...]:
    return (level.criterion, str(level.level), level.words, *said)


def _proof(level: LevelValue) -> str:
    if level.proven:
        return "proven"
    if level.proven is None:
        return ""
    return (
        "not proven"
        if level.bound is None
        else f"at least {amount_text(level.bound, level.scale)}"
    )


@dataclass(frozen=True, slots=True)
class StandingsView:
    """A row a player, its columns' names and heads; notes on a lot. `players` are identifiers."""

    columns: tuple[str, ...]
    heads: tuple[str, ...]
    rows: Sequence[tuple[object, ...]]
    notes: tuple[Note, ...]
    players: Sequence[str]


def standings_of(
    event: Event,
    tie_breaks: Sequence[str] | None = None,
    cut: int | None = None,
    lot: int | None = None,
    *,
    bias: bool = True,
) -> StandingsView:
    """The standings by these tie-breaks or the event's, all or the best; see `shown`. Without
    `bias` there is no column for it where the event has no sides.
    """
    chosen = tie_breaks_of(event, tie_breaks)
    lines, notes = standings_lines(event, chosen, cut, lot)
    names = standings_columns(chosen)
    kept = [bias or event.sided or name != "side_bias" for name in names]
    return StandingsView(
        tuple(compress(names, kept)),
        tuple(compress(standings_headings(chosen), kept)),
        tuple(tuple(compress(standings_cells(event, line), kept)) for line in lines),
        notes,
        tuple(line.player for line in lines),
    )


def records(event: Event) -> Mapping[str, str]:
    """Matches won, drawn and lost by each player, as 3-1-0; a forfeit is one, a bye is none."""
    rows = event.matches
    rows = rows.take(rows.scored & (rows.second >= 0))
    found = np.zeros((len(event.players), 3), np.int64)
    for players, gap in (
        (rows.first, rows.score1 - rows.score2),
        (rows.second, rows.score2 - rows.score1),
    ):
        np.add.at(found, (players, 1 - np.sign(gap)), 1)
    told = ("-".join(map(str, own)) for own in found.tolist())
    return dict(zip(event.players, told, strict=True))


def loss_warnings(lost: Iterable[Note]) -> Iterator[Note]:
    """What who gets a file may miss in it: no numbers of tables, nor what is said for pairing."""
    ours = {
        one.name
        for one in fields(EventSettings)
        if one.metadata["settings"][0].group == PAIRING
    }
    for said in lost:
        given = said.fields.get("names", ())
        names = [
            str(name).replace("_", " ")
            for name in (given if isinstance(given, list | tuple) else ())
            if name not in {*ours, "proofs"}
        ]
        if said.kind != "lost.settings":
            yield from [said] * (said.kind != "lost.tables")
        elif names:
            yield message(said.kind, names=names)
