"""Prepare a round, its levels and the standings for people, in any medium."""

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
"""The headings of a level's names."""


@dataclass(frozen=True, slots=True)
class MatchView:
    """A match with the first side's player first, or a bye of one player.

    `bye` says why there is a bye. `players` are identifiers, `points` those before the
    round. `plays` is where the opponent of the first player is in the standings: "down"
    or "up", "" for equal points. `met` counts earlier meetings.
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
        """The name of the first player."""
        return self.names[0]

    @property
    def two(self) -> str:
        """The name of the opponent, "" for a bye."""
        return "".join(self.names[1:])

    @property
    def open(self) -> bool:
        """Whether the match has no score yet."""
        return not (self.bye or self.score)


class SeatView(NamedTuple):
    """A player's seat in a round.

    `side` is "" without sides. `opponent` is a name, or why there is a bye; `other` is
    the opponent's identifier. `score` has the player's own points first; these are
    `gained`, and `ending` is the score in a word. `plays` is where the opponent is in
    the standings: "down", "up" or "".
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
    """The matches of a round by table, then its byes.

    `sides` are the headings of the players, two empty texts without sides.
    """

    sides: tuple[str, str]
    lines: tuple[MatchView, ...]

    @property
    def matches(self) -> tuple[MatchView, ...]:
        """The lines that are no byes."""
        return tuple(line for line in self.lines if not line.bye)

    @property
    def told(self) -> list[str]:
        """The numbers of matches, rematches, floats and byes in words; no zeros."""
        rematches = sum(line.met > 0 for line in self.lines)
        floats = sum(line.plays != "" for line in self.lines)
        byes = len(self.lines) - len(self.matches)
        counts = (
            (len(self.matches), "table", "tables"),
            (rematches, "rematch", "rematches"),
            (floats, "float", "floats"),
            (byes, "bye", "byes"),
        )
        return [
            count_noun(count, singular, plural)
            for count, singular, plural in counts
            if count
        ]

    @property
    def seats(self) -> list[SeatView]:
        """The seats of all players, by name."""
        seats = [seat for line in self.lines for seat in self._seats_of(line)]
        return sorted(seats, key=lambda seat: alphabetical_key(seat.name))

    def _seats_of(self, line: MatchView) -> Iterator[SeatView]:
        """Yield the seats of the players in a line."""
        if line.bye:
            yield SeatView(line.one, line.table, opponent=line.bye, line=line)
            return

        scores = (line.score, swap_score(line.score))
        opposite = {"down": "up", "up": "down", "": ""}
        directions = (line.plays, opposite[line.plays])
        for index in (0, 1):
            yield SeatView(
                line.names[index],
                line.table,
                self.sides[index],
                line.names[1 - index],
                scores[index],
                ending_of(scores[index]),
                scores[index].split("-")[0],
                directions[index],
                line.players[1 - index],
                line,
            )


def ending_of(score: str) -> str:
    """Return how a match ended for the first player of its score, "" for no score."""
    if not score:
        return ""

    points1, points2 = (
        float(points.removesuffix("F")) for points in score.split("-")[:2]
    )
    if score.endswith("F"):
        return "won by forfeit" if points1 > points2 else "lost by forfeit"
    if points1 == points2:
        return "drew"
    return "won" if points1 > points2 else "lost"


def swap_score(score: str) -> str:
    """Return a score from the opponent's view; the number of drawn games stays last."""
    return re.sub("^([^-]+)-([^-]+)", r"\2-\1", score)


def sides_of(event: Event) -> tuple[str, str]:
    """Return the two sides as headings, empty texts without sides."""
    first_side, second_side = event.sides or ("", "")
    return first_side.capitalize(), second_side.capitalize()


def _count_meetings(event: Event) -> Counter[frozenset[int]]:
    """Count how often two players met before the event's round, without forfeits."""
    rows = event.matches
    is_meeting = (
        (rows.round < event.round) & (rows.second >= 0) & (rows.status != FORFEIT)
    )
    first_players = rows.first[is_meeting].tolist()
    second_players = rows.second[is_meeting].tolist()
    return Counter(map(frozenset, zip(first_players, second_players, strict=True)))


def paired_round(result: Result, sentences: Iterable[str] = ()) -> RoundView:
    """Return the view of a paired round, with the sentence of each match if given."""
    event = result.event
    points = points_of(event).tolist()
    meetings = _count_meetings(event)
    remaining = iter(sentences)
    lines = []
    for row in result.matches:
        names = [row["player1"], row["player2"]]
        seats = [event.index[str(name)] for name in names if name is not None]
        bye = ""
        if row["player2"] is None:
            bye = BYE if row["status"] == "bye" else ON_REQUEST
        line = _match_view(event, points, meetings, row["table"], seats, bye)
        lines.append(replace(line, sentence=next(remaining, "")))
    return RoundView(sides_of(event), tuple(lines))


def round_view(event: Event, number: int, *, listed: bool = False) -> RoundView:
    """Return the view of a round that is in the event.

    With `listed`, players are in the order of their scores in the files. The sides are
    headings only if all first players have the first side then.
    """
    rows = event.matches.take(event.matches.round == number)
    # by table, then matches without a table, then byes
    order = np.lexsort((rows.row, rows.table == 0, rows.table, rows.second < 0))
    rows = rows.take(order)
    event_before = replace(event, round=number)
    points = points_of(event_before).tolist()
    meetings = _count_meetings(event_before)

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
    lines = []
    values = zip(*(column.tolist() for column in columns), strict=True)
    for (
        table,
        first_player,
        second_player,
        side,
        status,
        scored,
        games,
        score1,
        score2,
    ) in values:
        if second_player < 0:
            bye = ON_REQUEST if status == REQUESTED else BYE
            lines.append(
                _match_view(event, points, meetings, table, [first_player], bye)
            )
            continue

        score = ""
        if scored:
            points1 = Fraction(score1, event.scale)
            points2 = Fraction(score2, event.scale)
            known_games = tuple(games) if games[0] >= 0 else None
            score = str(Score(points1, points2, status == FORFEIT, known_games))
        seats = [first_player, second_player]
        if side == 1 and not listed:
            seats = [second_player, first_player]
            score = swap_score(score)
        line = _match_view(event, points, meetings, table, seats)
        lines.append(replace(line, score=score))

    has_mixed_sides = listed and bool((rows.side[rows.second >= 0] != 0).any())
    sides = ("", "") if has_mixed_sides else sides_of(event)
    return RoundView(sides, tuple(lines))


def _match_view(
    event: Event,
    points: Sequence[int],
    meetings: Counter[frozenset[int]],
    table: object,
    seats: Sequence[int],
    bye: str = "",
) -> MatchView:
    """Return the view of a match or bye without a score.

    `points` are all players' points before the round, `seats` one or two positions.
    """
    gap = points[seats[0]] - points[seats[-1]]
    plays = ""
    if gap:
        plays = "down" if gap > 0 else "up"

    names = [event.shown[p] for p in seats]
    players = [event.players[p] for p in seats]
    point_texts = [event.points_text(points[p]) for p in seats]
    return MatchView(
        str(table or ""),
        tuple(names),
        players=tuple(players),
        points=tuple(point_texts),
        plays=plays,
        bye=bye,
        met=meetings[frozenset(seats)],
    )


@dataclass(frozen=True, slots=True)
class LevelsView:
    """A table of objective levels, one row per level.

    A row has the level's names, then cells under the `heads`. `more` is a sentence on
    the levels that are not in the table.
    """

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    more: str


def levels_of(result: Result) -> LevelsView:
    """Return the levels of a result with their values and whether these are proven."""
    # Standings are shown without models and problems.
    from pairopt.problem.levels import notable_levels

    levels, summary = notable_levels(result.problem, result.level_values)
    rows = [
        _level_row(level, amount_text(level.value, level.scale), _proof_cell(level))
        for level in levels
    ]
    return LevelsView((*NAMES, "value", "proof"), tuple(rows), summary)


def checked_levels(check: Check) -> LevelsView:
    """Return the levels of a checked pairing next to those of an optimal one."""
    levels = list(check.checked)
    # A pairing system has many levels: only those that count for something are shown.
    if check.problem.system is not None:
        levels = [level for level in check.checked if level.value or level.optimum]
    rows = [
        _level_row(
            level,
            amount_text(level.value, level.scale),
            amount_text(level.optimum, level.scale),
        )
        for level in levels
    ]
    # Standings are shown without models and problems.
    from pairopt.problem.levels import zeros_text

    summary = zeros_text(len(check.checked) - len(levels))
    return LevelsView((*NAMES, "this", "optimum"), tuple(rows), summary)


def compared_levels(
    comparison: Comparison, heads: Sequence[str], *, zeros: bool = True
) -> LevelsView:
    """Return the levels of several models, with one column per pairing.

    `heads` are the columns' headings. Without `zeros`, levels with only zeros are left
    out.
    """
    levels = [level for level in comparison.notable if zeros or any(level.amounts)]
    rows = []
    for level in levels:
        amounts = [amount_text(value, level.scale) for value in level.amounts]
        rows.append(_level_row(level, *amounts))
    # Standings are shown without models and problems.
    from pairopt.problem.levels import zeros_text

    summary = zeros_text(len(comparison.measured) - len(comparison.notable))
    return LevelsView((*NAMES, *heads), tuple(rows), summary)


def _level_row(
    level: LevelValue | LevelComparison | MeasuredLevel, *cells: str
) -> tuple[str, ...]:
    """Return a row of a table of levels: the level's names, then these cells."""
    return (level.criterion, str(level.level), level.words, *cells)


def _proof_cell(level: LevelValue) -> str:
    """Return whether a level is proven, or its lower bound if it is not."""
    if level.proven:
        return "proven"
    if level.proven is None:
        return ""
    if level.bound is None:
        return "not proven"
    return f"at least {amount_text(level.bound, level.scale)}"


@dataclass(frozen=True, slots=True)
class StandingsView:
    """The standings as a table, one row per player.

    `columns` are the names of the columns, `heads` their headings, `players` the
    players' identifiers by row. `notes` tell about ties that were broken at random.
    """

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
    """Return the standings by some tie-breaks, by default the event's.

    `cut` is the number of players that are shown, by default all. `lot` seeds the
    random order of players who are still tied. Without `bias`, an event without sides
    has no column for the side bias.
    """
    keys = tie_breaks_of(event, tie_breaks)
    lines, notes = standings_lines(event, keys, cut, lot)
    names = standings_columns(keys)
    is_shown = [bias or event.sided or name != "side_bias" for name in names]
    headings = standings_headings(keys)
    rows = [tuple(compress(standings_cells(event, line), is_shown)) for line in lines]
    players = [line.player for line in lines]
    return StandingsView(
        tuple(compress(names, is_shown)),
        tuple(compress(headings, is_shown)),
        tuple(rows),
        notes,
        tuple(players),
    )


def match_records(event: Event) -> Mapping[str, str]:
    """Return each player's matches won, drawn and lost, such as "3-1-0".

    A forfeit counts as a match, a bye does not.
    """
    rows = event.matches
    rows = rows.take(rows.scored & (rows.second >= 0))
    # shape (players, 3): won, drawn, lost
    counts = np.zeros((len(event.players), 3), np.int64)
    for players, gap in (
        (rows.first, rows.score1 - rows.score2),
        (rows.second, rows.score2 - rows.score1),
    ):
        np.add.at(counts, (players, 1 - np.sign(gap)), 1)

    texts = ("-".join(map(str, row)) for row in counts.tolist())
    return dict(zip(event.players, texts, strict=True))


def loss_warnings(lost: Iterable[Note]) -> Iterator[Note]:
    """Yield what a receiver may miss in a file, of all that it does not hold.

    Numbers of tables, proofs and settings for pairing do not matter to them.
    """
    pairing_settings = {
        setting.name
        for setting in fields(EventSettings)
        if setting.metadata["settings"][0].group == PAIRING
    }
    for note in lost:
        if note.kind == "lost.tables":
            continue
        if note.kind != "lost.settings":
            yield note
            continue

        names = note.fields.get("names", ())
        if not isinstance(names, list | tuple):
            names = ()
        missed = [
            str(name).replace("_", " ")
            for name in names
            if name not in pairing_settings and name != "proofs"
        ]
        if missed:
            yield message(note.kind, names=missed)
