"""Stated: whether the points and ranks that a file states are those of its results."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import groupby
from typing import Any

import numpy as np

from pairopt.errors import UsageError
from pairopt.event.arcs import IntArray
from pairopt.event.event import Event
from pairopt.event.score_checks import points_of
from pairopt.event.source_info import StatedStandings
from pairopt.event.standings import Standing, rank_players
from pairopt.event.tie_breaks import tie_break_of
from pairopt.messages import Message, Note, join_notes, message, with_heading
from pairopt.messages.formatting import decimal_text

NONE, TENTH = Fraction(0), Fraction(1, 10)
Lines = Sequence[Standing]


@dataclass(frozen=True, slots=True)
class StandingsComparison:
    """What was found: wrong points (if points were `counted`), the first wrong rank, and what was
    not compared.
    """

    points: tuple[Message, ...] = ()
    rank: Message | None = None
    place: int | None = None
    tie_break: str | None = None
    apart: Message | None = None
    by: tuple[str, ...] = ()
    counted: bool = True

    @property
    def agrees(self) -> bool:
        return not self.points and self.rank is None

    @property
    def sentence(self) -> Note:
        if not self.counted and self.rank is None and self.apart:
            return with_heading(message("stated.neither"), self.apart)
        points: Note = message(
            "stated.points_right" if self.counted else "stated.no_points"
        )
        if self.points:
            points = with_heading(message("stated.points_wrong"), self.points[0])
        notes = [points]
        if len(self.points) > 1:
            notes.append(message("stated.points_of_several", more=len(self.points) - 1))

        if self.rank is not None:
            notes.append(
                with_heading(message("stated.rank_wrong", place=self.place), self.rank)
            )
        elif self.apart:
            notes.append(with_heading(message("stated.no_ranks"), self.apart))
        else:
            notes.append(message("stated.ranks_right", by=["points", *self.by]))
        return join_notes(notes)

    def to_dict(self) -> dict[str, Any]:
        rank, apart = (said and str(said) for said in (self.rank, self.apart))
        return {
            "agrees": self.agrees,
            "points": [*map(str, self.points)],
            "place": self.place,
            "rank": rank,
            "tie_break": self.tie_break,
            "not_compared": apart,
        }


def compare_stated_standings(event: Event) -> StandingsComparison | None:
    """What a file states of its standings beside its results; None for one that states nothing."""
    stated = event.origin.stated
    if stated is None or not (
        any(stated.ranks) or any(p is not None for p in stated.points)
    ):
        return None
    if apart := _other_time(event):
        return StandingsComparison(apart=apart, counted=False)
    wrong, plain = find_wrong_points(event)
    apart = _not_compared(event, stated, plain)
    found = (
        StandingsComparison(wrong, apart=apart)
        if apart
        else _ranks(event, stated, wrong)
    )
    return replace(found, counted=any(points is not None for points in stated.points))


def find_wrong_points(event: Event) -> tuple[tuple[Message, ...], bool]:
    """Whose points are stated wrongly; and whether those stated are the results' own. A file
    between two rounds may count byes of rounds to come, and virtual points; whichever it does, it
    does for all players.
    """
    stated = event.origin.stated
    if stated is None or _other_time(event):
        return (), True
    own = points_of(event)
    differ, more = _differ(event, stated, own), np.zeros(len(own), np.int64)
    if differ:
        every = [
            (_differ(event, stated, own + more), more)
            for more in _counted_besides(event)
        ]
        differ, more = min(every, key=lambda each: len(each[0]))
    wrong = [
        message(
            "stated.points_of",
            player=event.shown[k],
            place=str(stated.places[k][0]),
            stated=stated.points[k] or NONE,
            given=Fraction(int(own[k]), event.scale),
        )
        for k in differ
    ]
    return tuple(wrong), not more.any()


def _other_time(event: Event) -> Message | None:
    """Why what is stated is not of the event as it is, None where it is."""
    rows = event.matches
    if ((rows.round >= event.round) & (rows.second >= 0)).any():
        return message("stated.later")
    return (
        message("stated.unfinished", round=event.round - 1)
        if len(event.unscored)
        else None
    )


def _counted_besides(event: Event) -> list[IntArray]:
    """What points may hold besides those of results, the likeliest first."""
    rows, n, now = event.matches, len(event.players), event.round
    none = np.zeros(n, np.int64)
    byes, virtual = [none], [none]
    for last in (now, int(rows.round.max(initial=now))):
        later = rows.take((rows.round >= now) & (rows.round <= last))
        byes.append(np.bincount(later.first, later.score1, n).astype(np.int64))
    for turn in (now, now - 1):
        given = (
            event.acceleration[:, turn - 1 : turn]
            if turn
            else event.acceleration[:, :0]
        )
        virtual.append(given.sum(axis=1))
    return [one + two for one in byes for two in virtual]


def _differ(event: Event, stated: StatedStandings, points: IntArray) -> list[int]:
    """Where other points are stated than these; tenths stand for what is finer."""
    own = [Fraction(value, event.scale) for value in points.tolist()]
    near = [TENTH / 2 if value * 10 % 1 else 0 for value in own]
    return [
        k
        for k, said in enumerate(stated.points)
        if said is not None and abs(own[k] - said) > near[k]
    ]


def _not_compared(event: Event, stated: StatedStandings, plain: bool) -> Message | None:
    missing = sum(not rank for rank in stated.ranks)
    if 0 < missing < len(stated.ranks):
        return message("stated.missing", players=missing)
    why = {
        "stated.none": missing,
        "stated.no_round": event.round == 1,
        "stated.other_points": not plain,
        "stated.other_order": stated.tie_breaks is None,
    }
    return next((message(kind) for kind, there in why.items() if there), None)


def _ranks(
    event: Event, stated: StatedStandings, wrong: tuple[Message, ...]
) -> StandingsComparison:
    lines, by, complete = _order(event, stated)
    at = event.index
    rank = {line.player: stated.ranks[at[line.player]] or 0 for line in lines}
    groups = [[*group] for _, group in groupby(lines, key=lambda line: line.rank)]
    several = [
        (group[0].rank, sorted(rank[line.player] for line in group))
        for group in groups
        if len(group) > 1
    ]
    alike = sum(len({*ranks}) == 1 for _, ranks in several)
    shared = alike >= sum(ranks == [*range(k, k + len(ranks))] for k, ranks in several)
    for group in groups:
        ranks = sorted(rank[line.player] for line in group)
        first, size = group[0].rank, len(group)
        right = [first] * size if shared else [*range(first, first + size)]
        steps = zip(ranks, [0, *ranks], range(first, first + size), strict=False)
        possible = all(each in (before, place) for each, before, place in steps)
        if ranks == right if complete else possible:
            continue
        numbers = [*stated.ranks]
        if numbers in (event.start_numbers.tolist(), [*range(1, len(numbers) + 1)]):
            return StandingsComparison(wrong, apart=message("stated.numbers"), by=by)
        said, criterion = _first_wrong(event, stated, lines, group, rank)
        return StandingsComparison(wrong, said, first, criterion, by=by)
    return StandingsComparison(wrong, by=by)


def _order(
    event: Event, stated: StatedStandings
) -> tuple[tuple[Standing, ...], tuple[str, ...], bool]:
    """The standings by as many of the tie-breaks as can be told, these, and if they are all."""
    by = stated.tie_breaks or ()
    for many in range(len(by), -1, -1):
        try:
            return (
                rank_players(event, by[:many]),
                by[:many],
                stated.complete and many == len(by),
            )
        except UsageError:
            continue
    raise AssertionError("points alone can be told")


def _first_wrong(
    event: Event,
    stated: StatedStandings,
    lines: Lines,
    group: Lines,
    rank: dict[str, int],
) -> tuple[Message, str | None]:
    """What is wrong with the ranks of equal players, and the tie-break that says so."""
    first, last = group[0].rank, group[0].rank + len(group) - 1
    for own in group:
        found = rank[own.player]
        if not first <= found <= last:
            other = lines[min(max(found, 1), len(lines)) - 1]
            name, mine, theirs = _first_difference(own, other)
            where = stated.places[event.index[own.player]][1]
            kind = "stated.rank" if first == last else "stated.rank_between"
            return message(
                kind,
                player=own.name,
                place=str(where),
                rank=found,
                first=first,
                last=last,
                by=name,
                mine=mine,
                theirs=theirs,
                other=other.name,
            ), name
    ranks = [rank[line.player] for line in group]
    return message(
        "stated.equal", players=[line.name for line in group], ranks=ranks
    ), None


def _first_difference(own: Standing, other: Standing) -> tuple[str, str, str]:
    """What first tells two players apart, with both values; the points where nothing does."""
    for name, value in own.tie_breaks.items() if own.points == other.points else ():
        if value != other.tie_breaks[name]:
            how = tie_break_of(name)
            return name, how.shown(value), how.shown(other.tie_breaks[name])
    return "points", decimal_text(own.points), decimal_text(other.points)
