"""List single changes of an event's data that may explain a played round.

The arbiter's program may have known something else than the file says. Changes that are
likely to explain the round come first, as far as that can be told without pairing it.
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
from pairopt.round.given_pairing import choose_better_sides
from pairopt.rules.base import Constraint
from pairopt.rules.constraints.requested import ForbiddenPairs

FEW_MATCHES = 80
"""A round with half as many matches has twice as many changes tried."""
MOST_MOVED = 12
"""The most players whose start numbers one change corrects."""


@dataclass(frozen=True)
class PlayedRound:
    """A played round, and everything that decides its pairing.

    `matches` are positions in the event, -1 for the bye. The sides of `free` matches
    are not known. `extra_constraints` are those besides the model's.
    """

    event: Event
    model: Model
    extra_constraints: tuple[Constraint, ...]
    matches: tuple[tuple[int, int], ...]
    free: tuple[bool, ...]
    engine: str
    options: EngineOptions

    @cached_property
    def problem(self) -> Problem:
        """The problem of pairing the round."""
        seed = self.options.budget.seed
        return problem_of(self.event, self.model, self.extra_constraints, seed)

    @cached_property
    def arcs(self) -> Arcs:
        """The matches as arcs; free ones have their better sides."""
        matches = np.array(self.matches, np.int64)
        first_seats, second_seats = self.problem.state.seats[matches].T
        is_free = np.array(self.free, np.bool_)
        return choose_better_sides(
            self.problem, arcs_of(first_seats, second_seats), is_free
        )

    @cached_property
    def best(self) -> set[frozenset[int]]:
        """The pairs of an optimal pairing by positions in the event; -1 is the bye."""
        arcs = solve_by(self.engine, self.problem, self.options).arcs
        if arcs is None:
            return set()
        return {frozenset(pair) for pair in self._matches_of(arcs)}

    def alike(self, arcs: Arcs) -> bool:
        """Check whether a pairing has these matches, with the sides that are known."""
        free_pairs = {
            frozenset(pair)
            for pair, is_free in zip(self.matches, self.free, strict=True)
            if is_free
        }
        played, compared = (
            {
                frozenset(pair) if frozenset(pair) in free_pairs else pair
                for pair in pairs
            }
            for pairs in (self.matches, self._matches_of(arcs))
        )
        return played == compared

    def _matches_of(self, arcs: Arcs) -> list[tuple[int, int]]:
        """Return arcs as matches, with positions in the event and -1 for the bye."""
        player = [*self.problem.state.player.tolist(), BYE]
        return [
            (player[first_seat], player[second_seat])
            for first_seat, second_seat in arcs.pairs
        ]

    @cached_property
    def met(self) -> set[frozenset[int]]:
        """The pairs that were played, without sides."""
        return {frozenset(pair) for pair in self.matches}

    @cached_property
    def score(self) -> IntArray:
        """The score that groups players, by position in the event; the bye is last."""
        state = self.problem.state
        group_score = state.score
        if self.problem.system is not None:
            group_score = state.fide.score
        scores = np.zeros(len(self.event.players) + 1, np.int64)
        scores[state.player] = group_score
        scores[BYE] = group_score.min()
        return scores

    @cached_property
    def suspects(self) -> dict[int, int]:
        """The players who were not paired optimally: 2 in the top bracket, otherwise 1.

        The top bracket is the uppermost one in which the pairings differ.
        """
        different = self.met ^ self.best
        bracket_scores = {
            pair: min(self.score[player] for player in pair) for pair in different
        }
        top = max(bracket_scores.values(), default=0)
        weights: dict[int, int] = {}
        for pair in different:
            weight = 2 if bracket_scores[pair] == top else 1
            for player in pair - {BYE}:
                weights[player] = max(weights.get(player, 0), weight)
        return weights

    def with_matches(
        self,
        removed: Iterable[frozenset[int]],
        added: Iterable[tuple[int, int]],
    ) -> "PlayedRound":
        """Return the round with some matches replaced by others of unknown sides."""
        removed_pairs = {*removed}
        matches = [
            (pair, is_free)
            for pair, is_free in zip(self.matches, self.free, strict=True)
            if frozenset(pair) not in removed_pairs
        ]
        matches += [(pair, pair[1] != BYE) for pair in added]
        return replace(
            self,
            matches=tuple(pair for pair, _ in matches),
            free=tuple(is_free for _, is_free in matches),
        )

    def with_presence(self, position: int, is_present: bool) -> "PlayedRound":
        """Return the round with a player active or not."""
        active = self.event.active.copy()
        active[position] = is_present
        return replace(self, event=replace(self.event, active=active))

    def with_row(self, row: int, **values: int) -> "PlayedRound":
        """Return the round with values in columns of an earlier match, by its row."""
        columns: dict[str, Any] = {}
        for name, value in values.items():
            columns[name] = getattr(self.event.matches, name).copy()
            columns[name][row] = value
        matches = replace(self.event.matches, **columns)
        return replace(self, event=replace(self.event, matches=matches))


@dataclass(frozen=True)
class Hypothetical:
    """A change of an event's data: the round under the change, and a sentence about it.

    `players` are those that it is about, `excused` counts matches that cannot be
    compared.
    """

    kind: str
    sentence: Note
    case: PlayedRound
    players: tuple[str, ...] = ()
    excused: int = 0


def _make_hypothetical(
    kind: str,
    sentence: Note,
    case: PlayedRound,
    positions: Iterable[int] = (),
    excused: int = 0,
) -> Hypothetical:
    """Return a change about the players at some positions in the event."""
    players = tuple(case.event.players[position] for position in positions)
    return Hypothetical(kind, sentence, case, players, excused)


def _initial_side_change(case: PlayedRound) -> Iterator[Hypothetical]:
    """Yield the change of the initial side that a pairing system drew in round 1."""
    event = case.event
    if event.initial_side is None or not event.sides or case.problem.system is None:
        return

    side = 1 - event.initial_side
    sentence = message("change.side", side=event.sides[side])
    changed = replace(case, event=replace(event, initial_side=side))
    yield _make_hypothetical("side", sentence, changed)


def _forbidden_pair_changes(case: PlayedRound) -> Iterator[Hypothetical]:
    """Yield a forbidden pair for each pair of the optimal pairing that was not played.

    An optimal pairing stays optimal unless one of its own pairs is forbidden.
    """
    for pair in _by_bracket(case, case.best - case.met):
        if BYE in pair:
            continue
        constraints = (*case.extra_constraints, ForbiddenPairs((pair,)))
        sentence = message("change.forbidden", pair=_pair_text(case.event, pair))
        changed = replace(case, extra_constraints=constraints)
        yield _make_hypothetical("forbidden", sentence, changed, pair)


def _late_entry_changes(case: PlayedRound) -> Iterator[Hypothetical]:
    """Yield players who came after the round was paired.

    A late player met the player who had the bye, or got the bye.
    """
    byes = [pair for pair in case.met if BYE in pair]
    names = case.event.shown
    for pair in byes:
        (player,) = pair - {BYE}
        sentence = message("change.late", name=names[player])
        changed = case.with_matches([pair], ()).with_presence(player, False)
        yield _make_hypothetical("late", sentence, changed, (player,), 1)
    if byes:
        return

    for first_player, second_player in _by_bracket(case, case.met)[::-1]:
        for late, opponent in (
            (first_player, second_player),
            (second_player, first_player),
        ):
            sentence = message(
                "change.late_for_bye", name=names[late], other=names[opponent]
            )
            match = frozenset((first_player, second_player))
            with_bye = case.with_matches([match], [(opponent, BYE)])
            changed = with_bye.with_presence(late, False)
            yield _make_hypothetical("late", sentence, changed, (late,), 1)


def _withdrawal_changes(case: PlayedRound) -> Iterator[Hypothetical]:
    """Yield players who withdrew after the round was paired.

    The opponent then met the player who had the bye, or got the bye.
    """
    event = case.event
    for player in np.flatnonzero(~event.active).tolist():
        present = case.with_presence(player, True)
        removed = case.met - present.best
        added = present.best - case.met
        if len(removed) != 1:
            continue
        (removed_match,) = removed
        concerned = {player, BYE, *removed_match}
        if not all({*pair} <= concerned for pair in added):
            continue

        sentence = message("change.withdrawn", name=event.shown[player])
        matches = [(max(pair), min(pair)) for pair in added]
        changed = present.with_matches(removed, matches)
        yield _make_hypothetical("withdrawn", sentence, changed, (player,), 1)


Move = tuple[int, int, bool]
"""A player, the player they would be listed beside, and whether after them."""


def _start_number_changes(case: PlayedRound) -> Iterator[Hypothetical]:
    """Yield start numbers of one or several players that would lead to played pairs."""
    if case.problem.system is None:
        return

    event = case.event
    order = np.argsort(event.start_numbers).tolist()
    for moves in dict.fromkeys(_list_moves(case, np.argsort(order))):
        moved = [*order]
        for player, neighbour, is_after in moves:
            moved.remove(player)
            moved.insert(moved.index(neighbour) + is_after, player)
        if moved == order:
            continue

        numbers = event.start_numbers.copy()
        numbers[moved] = event.start_numbers[order]
        players = [player for player, _, _ in moves]
        sentences = []
        for player in players:
            sentence = message(
                "change.start",
                name=event.shown[player],
                number=int(numbers[player]),
                before=int(event.start_numbers[player]),
            )
            sentences.append(sentence)
        changed = replace(case, event=replace(event, start_numbers=numbers))
        yield _make_hypothetical("start", join_notes(sentences), changed, players)


def _list_moves(case: PlayedRound, place: IntArray) -> Iterator[tuple[Move, ...]]:
    """Yield moves of players in the starting list that may explain the played pairs.

    `place` is each player's place in the starting list. Several players of a score
    group come first, then single players whose pairs fit the order least, then
    floaters.
    """
    score = case.score
    suspects = case.suspects
    byes = [max(pair) for pair in case.met if BYE in pair]
    # the pairs within a score group, the player listed higher first
    groups: dict[int, list[tuple[int, int]]] = {}
    for pair in case.met:
        if BYE not in pair and len({int(score[player]) for player in pair}) == 1:
            upper, lower = sorted(pair, key=lambda player: place[player])
            groups.setdefault(int(score[upper]), []).append((upper, lower))

    misfits: list[tuple[int, int, list[Move]]] = []
    for points, pairs in groups.items():
        group_byes = [player for player in byes if score[player] == points]
        yield from _moves_of_several(pairs, group_byes, place)

        ranked = sorted(
            (player for pair in pairs for player in pair),
            key=lambda player: place[player],
        )
        upper_half = {*ranked[: len(pairs)]}
        for upper, lower in pairs:
            other_pairs = [pair for pair in pairs if pair[0] != upper]
            crossing_count = 0
            for other_upper, other_lower in other_pairs:
                is_upper_before = bool(place[other_upper] < place[upper])
                is_lower_before = bool(place[other_lower] < place[lower])
                crossing_count += is_upper_before != is_lower_before
            is_within_half = (upper in upper_half) == (lower in upper_half)
            misfit = crossing_count
            if is_within_half:
                misfit += len(pairs)
            for player, opponent in ((lower, upper), (upper, lower)):
                if misfit or suspects.get(player):
                    moves = [*_moves_to_meet(player, opponent, other_pairs, place)]
                    misfits.append((-misfit, -points, moves))

    for _, _, moves in sorted(misfits, key=lambda entry: entry[:2]):
        yield from ((move,) for move in moves)
    yield from ((move,) for move in _around_floats(case, place))


def _moves_of_several(
    pairs: list[tuple[int, int]], byes: list[int], place: IntArray
) -> Iterator[tuple[Move, ...]]:
    """Yield the fewest moves of one half's players that put the pairs in order.

    `pairs` are those of a score group, `byes` its player with the bye, who is listed
    last.
    """
    for fixed_half in (0, 1):
        moved_half = 1 - fixed_half
        in_order = sorted(pairs, key=lambda pair: place[pair[fixed_half]])
        ranked = [pair[moved_half] for pair in in_order]
        if fixed_half == 0:
            ranked += byes

        fixed = _longest_increasing(place[ranked].tolist())
        if not 1 < len(ranked) - len(fixed) <= MOST_MOVED:
            continue
        moves = list[Move]()
        for index, player in enumerate(ranked):
            if index in fixed:
                continue
            if index:
                moves.append((player, ranked[index - 1], True))
            else:
                moves.append((player, ranked[fixed[0]], False))
        yield tuple(moves)


def _longest_increasing(numbers: list[int]) -> list[int]:
    """Return the indices of a longest increasing subsequence, by patience sorting."""
    # Of each length, the index of the smallest number that ends a subsequence.
    ends = list[int]()
    # The longest subsequence that ends at each index.
    best = list[list[int]]()
    for index, number in enumerate(numbers):
        length = bisect_left(ends, number, key=numbers.__getitem__)
        prefix = best[ends[length - 1]] if length else []
        best.append([*prefix, index])
        ends[length : length + 1] = [index]
    return best[ends[-1]] if ends else []


def _moves_to_meet(
    player: int, opponent: int, pairs: list[tuple[int, int]], place: IntArray
) -> Iterator[Move]:
    """Yield moves after which a player meets an opponent, judging by the other pairs.

    The player moves beside a member of the pair just above or below the opponent's
    place.
    """
    for mine, theirs in ((0, 1), (1, 0)):
        ranked = sorted(pairs, key=lambda pair: place[pair[theirs]])
        above_count = sum(place[pair[theirs]] < place[opponent] for pair in ranked)
        if above_count:
            yield player, ranked[above_count - 1][mine], True
        if above_count < len(ranked):
            yield player, ranked[above_count][mine], False


def _around_floats(case: PlayedRound, place: IntArray) -> Iterator[Move]:
    """Yield moves of suspects among the players with the same points."""
    score = case.score
    suspects = case.suspects
    active = np.flatnonzero(case.event.active).tolist()
    starting_list = sorted(active, key=lambda player: place[player])
    for player in sorted(
        suspects,
        key=lambda player: (-suspects[player], -score[player], place[player]),
    ):
        equals = [
            equal_player
            for equal_player in starting_list
            if equal_player != player and score[equal_player] == score[player]
        ]
        if equals:
            yield player, equals[-1], True
            yield player, equals[0], False
        for equal_player in equals:
            if suspects.get(equal_player) == 2:
                yield player, equal_player, bool(place[player] < place[equal_player])


def _result_changes(case: PlayedRound) -> Iterator[Hypothetical]:
    """Yield other results of earlier rounds, the likeliest explanations first."""
    event = case.event
    rows = event.matches
    opponent = dict(pair for match in case.matches for pair in (match, match[::-1]))
    candidates = []
    for row in np.flatnonzero((rows.round < event.round) & rows.scored).tolist():
        first_player = int(rows.first[row])
        second_player = int(rows.second[row])
        score1 = int(rows.score1[row])
        score2 = int(rows.score2[row])
        suspects = sum(
            case.suspects.get(player, 0) for player in (first_player, second_player)
        )
        for values in _other_results(event, row):
            added = {first_player: values.get("score1", score1) - score1}
            if second_player >= 0:
                added[second_player] = values.get("score2", score2) - score2
            pairs = {
                (min(player, opponent[player]), max(player, opponent[player]))
                for player in added
                if player in opponent
            }
            widening = _gap_widening(case.score, added, pairs)
            key = widening, -suspects, -int(rows.round[row])
            candidates.append((key, row, values))

    for _, row, values in sorted(candidates, key=lambda candidate: candidate[0]):
        ends = (int(rows.first[row]), int(rows.second[row]))
        players = [player for player in ends if player >= 0]
        sentence = _result_sentence(event, row, values)
        changed = case.with_row(row, **values)
        yield _make_hypothetical("result", sentence, changed, players)


def _gap_widening(
    score: IntArray, added: dict[int, int], pairs: set[tuple[int, int]]
) -> int:
    """Return how much further apart pairs are in points if some players have more."""
    widening = 0
    for player, opponent in pairs:
        gap = int(score[player] - score[opponent])
        change = added.get(player, 0) - added.get(opponent, 0)
        widening += abs(gap + change) - abs(gap)
    return widening


def _other_results(event: Event, row: int) -> Iterator[dict[str, int]]:
    """Yield what else a row of an earlier round may say: points, or not being played.

    Each is a mapping of columns to values.
    """
    rows = event.matches
    points = infer_points(event)
    scale = event.scale
    status = int(rows.status[row])
    scores = int(rows.score1[row]), int(rows.score2[row])
    if rows.second[row] < 0:
        if status == REQUESTED:
            for value in (Fraction(0), points.draw, points.win):
                scaled = value * scale
                if scaled != scores[0] and scaled.denominator == 1:
                    yield {"score1": int(scaled)}
        return

    for points1, points2 in sorted(points.results):
        result = int(points1 * scale), int(points2 * scale)
        is_exact = result[0] == points1 * scale and result[1] == points2 * scale
        if result != scores and is_exact:
            yield {"score1": result[0], "score2": result[1], "status": PLAYED}
    if status in (PLAYED, FORFEIT) and scores[0] != scores[1]:
        yield {"status": FORFEIT if status == PLAYED else PLAYED}


def _result_sentence(event: Event, row: int, values: dict[str, int]) -> Message:
    """Return the sentence about new values in a row of the matches."""
    rows = event.matches
    names = event.shown
    first_player = int(rows.first[row])
    second_player = int(rows.second[row])
    number = int(rows.round[row])
    if second_player < 0:
        points = Fraction(values["score1"], event.scale)
        return message(
            "change.bye", points=points, name=names[first_player], round=number
        )

    score1 = values.get("score1", int(rows.score1[row]))
    score2 = values.get("score2", int(rows.score2[row]))
    score = None
    if len(infer_points(event).results) > 3:
        score = f"{event.points_text(score1)}-{event.points_text(score2)}"
    status = values.get("status", rows.status[row])
    has_same_status = status == rows.status[row]
    pair = _pair_text(event, (first_player, second_player))
    if score1 == score2:
        kind = "change.drawn_result" if has_same_status else DRAWN[status]
        return message(kind, pair=pair, round=number, score=score)

    kind = "change.result" if has_same_status else WON[status]
    winner = names[first_player if score1 > score2 else second_player]
    return message(kind, pair=pair, round=number, winner=winner, score=score)


WON = {FORFEIT: "change.result_by_forfeit", PLAYED: "change.result_played"}
DRAWN = {FORFEIT: "change.drawn_by_forfeit", PLAYED: "change.drawn_played"}
"""The sentences about a result with another status."""


def _by_bracket(
    case: PlayedRound, pairs: Iterable[frozenset[int]]
) -> list[tuple[int, int]]:
    """Return pairs as sorted positions, those of the highest brackets first."""
    matches = [(min(pair), max(pair)) for pair in pairs]

    def key(match: tuple[int, int]) -> tuple[int, tuple[int, int]]:
        """Return minus the score of the bracket, then the positions."""
        return -min(int(case.score[player]) for player in match), match

    return sorted(matches, key=key)


def _pair_text(event: Event, pair: Iterable[int]) -> Value:
    """Return a pair of positions as a value of a message."""
    first_name, second_name = (event.shown[player] for player in pair)
    return pair_value(first_name, second_name)


KINDS = {
    "side": (_initial_side_change, 1),
    "forbidden": (_forbidden_pair_changes, 60),
    "late": (_late_entry_changes, 60),
    "withdrawn": (_withdrawal_changes, 40),
    "start": (_start_number_changes, 60),
    "result": (_result_changes, 120),
}
"""The kinds of changes in the order of trying, and how many of each are tried.

Trying one means pairing at least a bracket.
"""


def what_ifs(case: PlayedRound, kinds: Iterable[str] = KINDS) -> Iterator[Hypothetical]:
    """Yield the changes of some kinds to be tried, of each kind the likeliest first."""
    factor = max(FEW_MATCHES // len(case.matches), 1)
    # Without a pairing system a try means pairing a whole round.
    divisor = 4 if case.problem.system is None else 1
    for kind in kinds:
        list_changes, most = KINDS[kind]
        yield from islice(list_changes(case), most * factor // divisor)


def apply_alone(case: PlayedRound, change: Hypothetical) -> Hypothetical | None:
    """Return a change made in a case by itself, None if it is not possible there.

    The change was made in another case, after a first change.
    """
    list_changes, _ = KINDS[change.kind]
    matching_changes = (
        candidate
        for candidate in list_changes(case)
        if str(candidate.sentence) == str(change.sentence)
    )
    return next(matching_changes, None)
