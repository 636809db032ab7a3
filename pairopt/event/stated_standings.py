"""Compare the points and ranks that a file states with those of its results."""

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
    """How stated standings differ from results: points, ranks, and what is unknown.

    `points` are wrong ones, if points were `counted`; `rank` is the first wrong rank,
    with its `place` and `tie_break`; `apart` says why ranks were not compared.
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
        """Whether no wrong points and no wrong rank were found."""
        return not self.points and self.rank is None

    @property
    def sentence(self) -> Note:
        """The outcome as a note for people."""
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
        """Return the outcome as JSON has it."""
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
    """Compare a file's stated standings with its results; None if it has none."""
    stated = event.origin.stated
    if stated is None or not (
        any(stated.ranks) or any(p is not None for p in stated.points)
    ):
        return None
    if apart := _reason_for_other_time(event):
        return StandingsComparison(apart=apart, counted=False)
    wrong, plain = find_wrong_points(event)
    apart = _reason_not_compared(event, stated, plain)
    found = (
        StandingsComparison(wrong, apart=apart)
        if apart
        else _compare_ranks(event, stated, wrong)
    )
    return replace(found, counted=any(points is not None for points in stated.points))


def find_wrong_points(event: Event) -> tuple[tuple[Message, ...], bool]:
    """Return a message for each wrong number of stated points.

    The second value says whether they are those of the results alone. A file between
    two rounds may count byes of rounds to come, and virtual points; it does so for all
    players or for none.
    """
    stated = event.origin.stated
    if stated is None or _reason_for_other_time(event):
        return (), True
    own = points_of(event)
    differ, more = _differing_players(event, stated, own), np.zeros(len(own), np.int64)
    if differ:
        every = [
            (_differing_players(event, stated, own + more), more)
            for more in _possible_additions(event)
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


def _reason_for_other_time(event: Event) -> Message | None:
    """Return why stated standings are not those of the event now, None if they are."""
    rows = event.matches
    if ((rows.round >= event.round) & (rows.second >= 0)).any():
        return message("stated.later")
    return (
        message("stated.unfinished", round=event.round - 1)
        if len(event.unscored)
        else None
    )


def _possible_additions(event: Event) -> list[IntArray]:
    """Return arrays of points that stated ones may contain, likeliest first.

    Each has shape (players,): byes of rounds to come, and virtual points.
    """
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


def _differing_players(
    event: Event, stated: StatedStandings, points: IntArray
) -> list[int]:
    """Return the players whose stated points differ from these.

    If points are finer than tenths, stated tenths may be rounded.
    """
    own = [Fraction(value, event.scale) for value in points.tolist()]
    near = [TENTH / 2 if value * 10 % 1 else 0 for value in own]
    return [
        k
        for k, said in enumerate(stated.points)
        if said is not None and abs(own[k] - said) > near[k]
    ]


def _reason_not_compared(
    event: Event, stated: StatedStandings, plain: bool
) -> Message | None:
    """Return why ranks cannot be compared, None if they can."""
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


def _compare_ranks(
    event: Event, stated: StatedStandings, wrong: tuple[Message, ...]
) -> StandingsComparison:
    """Compare stated ranks with the standings by the file's own tie-breaks."""
    lines, by, complete = _rank_by_stated(event, stated)
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
        said, criterion = _first_wrong_rank(event, stated, lines, group, rank)
        return StandingsComparison(wrong, said, first, criterion, by=by)
    return StandingsComparison(wrong, by=by)


def _rank_by_stated(
    event: Event, stated: StatedStandings
) -> tuple[tuple[Standing, ...], tuple[str, ...], bool]:
    """Rank players by as many of the stated tie-breaks as the event has data for.

    Returns the lines, these tie-breaks, and whether they are all.
    """
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


def _first_wrong_rank(
    event: Event,
    stated: StatedStandings,
    lines: Lines,
    group: Lines,
    rank: dict[str, int],
) -> tuple[Message, str | None]:
    """Return a message on the first wrong rank in a group, and the tie-break behind it."""
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
    """Return the tie-break that separates two players, with both values as text.

    Without a difference it returns the points.
    """
    for name, value in own.tie_breaks.items() if own.points == other.points else ():
        if value != other.tie_breaks[name]:
            how = tie_break_of(name)
            return name, how.shown(value), how.shown(other.tie_breaks[name])
    return "points", decimal_text(own.points), decimal_text(other.points)
