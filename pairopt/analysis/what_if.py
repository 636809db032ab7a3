"""What if: what a file may say otherwise than the arbiter's program knew, one thing at a time.

Those that may explain a played round come first, as far as that can be told without pairing it.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np

from pairopt.engines import solve_by
from pairopt.engines.base import EngineOptions
from pairopt.event.arcs import BYE, Arcs, IntArray, arcs_of
from pairopt.event.event import FORFEIT, PLAYED, REQUESTED, Event
from pairopt.event.score_checks import infer_points
from pairopt.messages import Message, Note, Value, join_notes, message, pair_value
from pairopt.problem.model import Model
from pairopt.problem.problem import Problem, problem_of
from pairopt.round.given_pairing import better_ways
from pairopt.rules.base import Constraint
from pairopt.rules.constraints.requested import ForbiddenPairs

FEW_MATCHES, MOST_MOVED = 80, 12
"""Of half as many matches twice as many changes are tried; so many players are moved at once."""


@dataclass(frozen=True)
class PlayedRound:
    """A played round, and all that it is paired by: `matches` are positions in the event, -1 for
    the bye, of those `free` nobody knows the sides; `asked` are constraints besides the model's.
    """

    event: Event
    model: Model
    asked: tuple[Constraint, ...]
    matches: tuple[tuple[int, int], ...]
    free: tuple[bool, ...]
    engine: str
    options: EngineOptions

    @cached_property
    def problem(self) -> Problem:
        return problem_of(self.event, self.model, self.asked, self.options.budget.seed)

    @cached_property
    def arcs(self) -> Arcs:
        """The matches, those that are free the better way round."""
        first, second = self.problem.state.seats[np.array(self.matches, np.int64)].T
        return better_ways(
            self.problem, arcs_of(first, second), np.array(self.free, np.bool_)
        )

    @cached_property
    def best(self) -> set[frozenset[int]]:
        """Who meets whom in an optimal pairing, by positions in the event; -1 for the bye."""
        arcs = solve_by(self.engine, self.problem, self.options).arcs
        return (
            set() if arcs is None else {frozenset(pair) for pair in self._placed(arcs)}
        )

    def alike(self, arcs: Arcs) -> bool:
        """Whether a pairing has these matches, with their sides as far as they are known."""
        free = {
            frozenset(pair)
            for pair, free in zip(self.matches, self.free, strict=True)
            if free
        }
        own, other = (
            {frozenset(pair) if frozenset(pair) in free else pair for pair in pairs}
            for pairs in (self.matches, self._placed(arcs))
        )
        return own == other

    def _placed(self, arcs: Arcs) -> list[tuple[int, int]]:
        """Arcs as `matches`."""
        player = [*self.problem.state.player.tolist(), BYE]
        return [(player[one], player[two]) for one, two in arcs.pairs]

    @cached_property
    def met(self) -> set[frozenset[int]]:
        return {frozenset(pair) for pair in self.matches}

    @cached_property
    def score(self) -> IntArray:
        """What players are grouped by, by their positions in the event, the bye's at last."""
        state, system = self.problem.state, self.problem.system
        made = np.zeros(len(self.event.players) + 1, np.int64)
        own = state.score if system is None else state.fide.score
        made[state.player], made[BYE] = own, own.min()
        return made

    @cached_property
    def suspects(self) -> dict[int, int]:
        """Who was paired otherwise than optimally: 2 for those in the uppermost bracket, else 1."""
        differ = self.met ^ self.best
        uppermost = max(
            (min(self.score[p] for p in pair) for pair in differ), default=0
        )
        found: dict[int, int] = {}
        for pair in differ:
            weight = 2 if min(self.score[p] for p in pair) == uppermost else 1
            for p in pair - {BYE}:
                found[p] = max(found.get(p, 0), weight)
        return found

    def rematched(
        self, gone: Iterable[frozenset[int]], new: Iterable[tuple[int, int]]
    ) -> "PlayedRound":
        barred = {*gone}
        both = zip(self.matches, self.free, strict=True)
        kept = [(pair, free) for pair, free in both if frozenset(pair) not in barred]
        kept += [(pair, pair[1] != BYE) for pair in new]
        return replace(
            self,
            matches=tuple(pair for pair, _ in kept),
            free=tuple(free for _, free in kept),
        )

    def active(self, position: int, here: bool) -> "PlayedRound":
        active = self.event.active.copy()
        active[position] = here
        return replace(self, event=replace(self.event, active=active))

    def row(self, k: int, **values: int) -> "PlayedRound":
        columns: dict[str, Any] = {}
        for name, value in values.items():
            columns[name] = getattr(self.event.matches, name).copy()
            columns[name][k] = value
        matches = replace(self.event.matches, **columns)
        return replace(self, event=replace(self.event, matches=matches))


@dataclass(frozen=True)
class Hypothetical:
    """One thing that is otherwise: the case with it, and what is said of it. `players` are those
    that it is about, `excused` how many matches cannot be compared.
    """

    kind: str
    said: Note
    case: PlayedRound
    players: tuple[str, ...] = ()
    excused: int = 0


def _make_hypothetical(
    kind: str,
    said: Note,
    case: PlayedRound,
    about: Iterable[int] = (),
    excused: int = 0,
) -> Hypothetical:
    return Hypothetical(
        kind, said, case, tuple(case.event.players[p] for p in about), excused
    )


def _other_initial_side(case: PlayedRound) -> Iterator[Hypothetical]:
    event = case.event
    if (
        event.initial_side is not None
        and event.sides
        and case.problem.system is not None
    ):
        other = 1 - event.initial_side
        said = message("change.side", side=event.sides[other])
        yield _make_hypothetical(
            "side", said, replace(case, event=replace(event, initial_side=other))
        )


def _forbidden_pair_variants(case: PlayedRound) -> Iterator[Hypothetical]:
    """An optimal pairing stays optimal unless a pair of its own is forbidden."""
    for pair in _uppermost(case, case.best - case.met):
        if BYE not in pair:
            asked = (*case.asked, ForbiddenPairs((pair,)))
            said = message("change.forbidden", pair=_pair(case.event, pair))
            yield _make_hypothetical(
                "forbidden", said, replace(case, asked=asked), pair
            )


def _late(case: PlayedRound) -> Iterator[Hypothetical]:
    """Somebody came after the round was paired, and met who had the bye, or had it."""
    byes, shown = [pair for pair in case.met if BYE in pair], case.event.shown
    for pair in byes:
        (one,) = pair - {BYE}
        said = message("change.late", name=shown[one])
        yield _make_hypothetical(
            "late", said, case.rematched([pair], ()).active(one, False), (one,), 1
        )
    if byes:
        return
    for one, two in _uppermost(case, case.met)[::-1]:
        for late, other in ((one, two), (two, one)):
            said = message("change.late_for_bye", name=shown[late], other=shown[other])
            without = case.rematched([frozenset((one, two))], [(other, BYE)])
            yield _make_hypothetical(
                "late", said, without.active(late, False), (late,), 1
            )


def _withdrawal_variants(case: PlayedRound) -> Iterator[Hypothetical]:
    """Somebody left after the round was paired, their opponent met who had the bye, or had it."""
    event = case.event
    for one in np.flatnonzero(~event.active).tolist():
        there = case.active(one, True)
        gone, new = case.met - there.best, there.best - case.met
        if len(gone) != 1 or not all(
            {*pair} <= {one, BYE, *next(iter(gone))} for pair in new
        ):
            continue
        said = message("change.withdrawn", name=event.shown[one])
        matches = [(max(pair), min(pair)) for pair in new]
        yield _make_hypothetical(
            "withdrawn", said, there.rematched(gone, matches), (one,), len(gone)
        )


Move = tuple[int, int, bool]  # who would be listed beside whom, and whether after them


def _starts(case: PlayedRound) -> Iterator[Hypothetical]:
    """Start numbers that would put pairs where they were made, of one player or of several."""
    if case.problem.system is None:
        return
    event, order = case.event, np.argsort(case.event.start_numbers).tolist()
    for moves in dict.fromkeys(_places(case, np.argsort(order))):
        moved = [*order]
        for one, other, after in moves:
            moved.remove(one)
            moved.insert(moved.index(other) + after, one)
        if moved == order:
            continue
        numbers = event.start_numbers.copy()
        numbers[moved] = event.start_numbers[order]
        said = [
            message(
                "change.start",
                name=event.shown[one],
                number=int(numbers[one]),
                before=int(event.start_numbers[one]),
            )
            for one, *_ in moves
        ]
        every = join_notes(said)
        changed = replace(case, event=replace(event, start_numbers=numbers))
        yield _make_hypothetical("start", every, changed, [one for one, *_ in moves])


def _places(case: PlayedRound, place: IntArray) -> Iterator[tuple[Move, ...]]:
    score, suspects = case.score, case.suspects
    groups: dict[int, list[tuple[int, int]]] = {}
    byes = [max(pair) for pair in case.met if BYE in pair]
    for pair in case.met:
        if BYE not in pair and len({int(score[p]) for p in pair}) == 1:
            upper, lower = sorted(pair, key=lambda p: place[p])
            groups.setdefault(int(score[upper]), []).append((upper, lower))
    odd: list[tuple[int, int, list[Move]]] = []
    for points, pairs in groups.items():
        yield from _several(pairs, [one for one in byes if score[one] == points], place)
        ranked = sorted((p for pair in pairs for p in pair), key=lambda p: place[p])
        half = {*ranked[: len(pairs)]}
        for upper, lower in pairs:
            others = [pair for pair in pairs if pair[0] != upper]
            crossed = sum(
                (place[a] < place[upper]) != (place[b] < place[lower])
                for a, b in others
            )
            alike = (upper in half) == (lower in half)
            strange = crossed + len(pairs) * alike
            for one, two in ((lower, upper), (upper, lower)):
                if strange or suspects.get(one):
                    odd.append(
                        (-strange, -points, [*_list_positions(one, two, others, place)])
                    )
    for _, _, beside in sorted(odd, key=lambda each: each[:2]):
        yield from ((move,) for move in beside)
    yield from ((move,) for move in _around_floats(case, place))


def _several(
    pairs: list[tuple[int, int]], bye: list[int], place: IntArray
) -> Iterator[tuple[Move, ...]]:
    """The fewest players of a half to be moved for the halves, and the bye, to be in order."""
    for mine in (0, 1):
        ranked = [
            pair[1 - mine] for pair in sorted(pairs, key=lambda pair: place[pair[mine]])
        ]
        ranked += bye * (mine == 0)
        kept = _longest_rising(place[ranked].tolist())
        if 1 < len(ranked) - len(kept) <= MOST_MOVED:
            yield tuple(
                (one, ranked[k - 1], True) if k else (one, ranked[kept[0]], False)
                for k, one in enumerate(ranked)
                if k not in kept
            )


def _longest_rising(numbers: list[int]) -> list[int]:
    """Which ones of a longest increasing subsequence (by patience sorting)."""
    ends, before = list[int](), list[list[int]]()
    for k, number in enumerate(numbers):
        at = bisect_left(ends, number, key=numbers.__getitem__)
        before.append([*(before[ends[at - 1]] if at else []), k])
        ends[at : at + 1] = [k]
    return before[ends[-1]] if ends else []


def _list_positions(
    one: int, two: int, others: list[tuple[int, int]], place: IntArray
) -> Iterator[Move]:
    """Where a player has to be listed to meet another, as the pairs around them say."""
    for mine, theirs in ((0, 1), (1, 0)):
        ranked = sorted(others, key=lambda pair: place[pair[theirs]])
        at = sum(place[pair[theirs]] < place[two] for pair in ranked)
        yield from ((one, pair[mine], True) for pair in ranked[:at][-1:])
        yield from ((one, pair[mine], False) for pair in ranked[at : at + 1])


def _around_floats(case: PlayedRound, place: IntArray) -> Iterator[Move]:
    """Who floats, or does not, would be the last or the first of those with the same points."""
    score = case.score
    listed = sorted(np.flatnonzero(case.event.active).tolist(), key=lambda p: place[p])
    for one in sorted(
        case.suspects, key=lambda p: (-case.suspects[p], -score[p], place[p])
    ):
        mates = [p for p in listed if p != one and score[p] == score[one]]
        if mates:
            yield one, mates[-1], True
            yield one, mates[0], False
        for other in mates:
            if case.suspects.get(other) == 2:
                yield one, other, bool(place[one] < place[other])


def _results(case: PlayedRound) -> Iterator[Hypothetical]:
    """Other results of earlier rounds, first those that leave fewer matches between groups."""
    event, rows = case.event, case.event.matches
    other, found = (
        dict(pair for both in case.matches for pair in (both, both[::-1])),
        [],
    )
    for k in np.flatnonzero((rows.round < event.round) & rows.scored).tolist():
        one, two = int(rows.first[k]), int(rows.second[k])
        for values in _other_results(event, k):
            own = values.get("score1", int(rows.score1[k])) - int(rows.score1[k])
            theirs = values.get("score2", int(rows.score2[k])) - int(rows.score2[k])
            more = {one: own, two: theirs} if two >= 0 else {one: own}
            suspects = sum(case.suspects.get(p, 0) for p in (one, two))
            pairs = {(min(p, other[p]), max(p, other[p])) for p in more if p in other}
            key = _further(case.score, more, pairs), -suspects, -int(rows.round[k])
            found.append((key, k, values))
    for _, k, values in sorted(found, key=lambda each: each[0]):
        about = [p for p in (int(rows.first[k]), int(rows.second[k])) if p >= 0]
        yield _make_hypothetical(
            "result", _result_said(event, k, values), case.row(k, **values), about
        )


def _further(score: IntArray, more: dict[int, int], pairs: set[tuple[int, int]]) -> int:
    """How much further apart pairs would be in points if some players had so many more."""
    gaps = [
        (int(score[p] - score[q]), more.get(p, 0) - more.get(q, 0)) for p, q in pairs
    ]
    return sum(abs(gap + change) - abs(gap) for gap, change in gaps)


def _other_results(event: Event, k: int) -> Iterator[dict[str, int]]:
    """What a row of an earlier round may say instead: points, or that it was not played."""
    rows, points = event.matches, infer_points(event)
    scale, status = event.scale, int(rows.status[k])
    now = int(rows.score1[k]), int(rows.score2[k])
    if rows.second[k] < 0:
        if status == REQUESTED:
            for value in (Fraction(0), points.draw, points.win):
                if value * scale != now[0] and (value * scale).denominator == 1:
                    yield {"score1": int(value * scale)}
        return
    for one, two in sorted(points.results):
        new = int(one * scale), int(two * scale)
        if new != now and new[0] == one * scale and new[1] == two * scale:
            yield {"score1": new[0], "score2": new[1], "status": PLAYED}
    if status in (PLAYED, FORFEIT) and now[0] != now[1]:
        yield {"status": FORFEIT if status == PLAYED else PLAYED}


def _result_said(event: Event, k: int, values: dict[str, int]) -> Message:
    rows, shown = event.matches, event.shown
    one, two, number = int(rows.first[k]), int(rows.second[k]), int(rows.round[k])
    if two < 0:
        points = Fraction(values["score1"], event.scale)
        return message("change.bye", points=points, name=shown[one], round=number)
    score1 = values.get("score1", int(rows.score1[k]))
    score2 = values.get("score2", int(rows.score2[k]))
    score = None
    if len(infer_points(event).results) > 3:
        score = f"{event.points_text(score1)}-{event.points_text(score2)}"
    status = values.get("status", rows.status[k])
    same = status == rows.status[k]
    pair = _pair(event, (one, two))
    if score1 == score2:
        kind = "change.drawn_result" if same else DRAWN[status]
        return message(kind, pair=pair, round=number, score=score)
    kind = "change.result" if same else WON[status]
    winner = shown[one if score1 > score2 else two]
    return message(kind, pair=pair, round=number, winner=winner, score=score)


WON = {FORFEIT: "change.result_by_forfeit", PLAYED: "change.result_played"}
DRAWN = {FORFEIT: "change.drawn_by_forfeit", PLAYED: "change.drawn_played"}
"""What is said of a result that would have another status."""


def _uppermost(
    case: PlayedRound, pairs: Iterable[frozenset[int]]
) -> list[tuple[int, int]]:
    made = [(min(pair), max(pair)) for pair in pairs]
    return sorted(made, key=lambda pair: (-min(int(case.score[p]) for p in pair), pair))


def _pair(event: Event, pair: Iterable[int]) -> Value:
    one, two = (event.shown[p] for p in pair)
    return pair_value(one, two)


KINDS = {
    "side": (_other_initial_side, 1),
    "forbidden": (_forbidden_pair_variants, 60),
    "late": (_late, 60),
    "withdrawn": (_withdrawal_variants, 40),
    "start": (_starts, 60),
    "result": (_results, 120),
}
"""In the order in which they are tried, and how many, each by pairing a bracket at least."""


def what_ifs(case: PlayedRound, kinds: Iterable[str] = KINDS) -> Iterator[Hypothetical]:
    """All changes of some kinds that are tried, of each the likeliest first."""
    times = max(FEW_MATCHES // len(case.matches), 1)
    share = (
        4 if case.problem.system is None else 1
    )  # each is the pairing of a whole round
    for made, most in map(KINDS.__getitem__, kinds):
        yield from islice(made(case), most * times // share)


def by_itself(case: PlayedRound, change: Hypothetical) -> Hypothetical | None:
    """A change that was found beside another one, in a case without that."""
    made, _ = KINDS[change.kind]
    return next(
        (each for each in made(case) if str(each.said) == str(change.said)), None
    )
