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

    `event` is the event before the round. `matches` are pairs of positions in it, -1
    for the bye, the first side first. `free` says for each match whether its sides are
    unknown. `extra_constraints` are those besides the model's; `engine` and `options`
    are what the round is paired with. `best` is an optimal pairing, which is computed
    once; methods return copies with other matches, players or results.
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
        """The problem of pairing the round, with the seed of the options."""
        seed = self.options.budget.seed
        return problem_of(self.event, self.model, self.extra_constraints, seed)

    @cached_property
    def arcs(self) -> Arcs:
        """The played matches as arcs between seats of the problem.

        In matches whose sides are not known, the players get the sides that are better
        for the objective.
        """
        player_positions_by_match = np.array(self.matches, np.int64)
        first_seats, second_seats = self.problem.state.seats[
            player_positions_by_match
        ].T
        has_unknown_sides = np.array(self.free, np.bool_)
        return choose_better_sides(
            self.problem, arcs_of(first_seats, second_seats), has_unknown_sides
        )

    @cached_property
    def best(self) -> set[frozenset[int]]:
        """The pairs of an optimal pairing, which is computed at the first use.

        Pairs are positions in the event, with -1 for the bye. The set is empty if the
        engine finds no pairing.
        """
        arcs = solve_by(self.engine, self.problem, self.options).arcs
        if arcs is None:
            return set()
        return {frozenset(match_pair) for match_pair in self._matches_of(arcs)}

    def alike(self, arcs: Arcs) -> bool:
        """Return whether a pairing has the same matches as the played round.

        `arcs` are the pairing, between seats of this round's problem. Sides count only
        in matches whose sides are known.
        """
        free_pairs = {
            frozenset(match_pair)
            for match_pair, has_unknown_sides in zip(
                self.matches, self.free, strict=True
            )
            if has_unknown_sides
        }
        played_pairs, compared_pairs = (
            {
                frozenset(match_pair)
                if frozenset(match_pair) in free_pairs
                else match_pair
                for match_pair in match_list
            }
            for match_list in (self.matches, self._matches_of(arcs))
        )
        return played_pairs == compared_pairs

    def _matches_of(self, arcs: Arcs) -> list[tuple[int, int]]:
        """Convert arcs to pairs of positions in the event, with -1 for the bye.

        The player of the first seat comes first.
        """
        player_of_seat = [*self.problem.state.player.tolist(), BYE]
        return [
            (player_of_seat[first_seat], player_of_seat[second_seat])
            for first_seat, second_seat in arcs.pairs
        ]

    @cached_property
    def met(self) -> set[frozenset[int]]:
        """The pairs that were played, as sets of two positions in the event.

        Sides do not count. A bye is a pair with -1.
        """
        return {frozenset(match_pair) for match_pair in self.matches}

    @cached_property
    def score(self) -> IntArray:
        """Each player's score for forming brackets, an array by position in the event.

        For a pairing system these are the scores with virtual points. The last element,
        also reached by index -1, is for the bye: the lowest score. Players who are not
        in the problem have 0.
        """
        state = self.problem.state
        scores_in_problem = state.score
        if self.problem.system is not None:
            scores_in_problem = state.fide.score
        score_by_player_position = np.zeros(len(self.event.players) + 1, np.int64)
        score_by_player_position[state.player] = scores_in_problem
        score_by_player_position[BYE] = scores_in_problem.min()
        return score_by_player_position

    @cached_property
    def suspects(self) -> dict[int, int]:
        """The players whose matches differ from the optimal pairing, with a weight.

        Players are positions in the event. The weight is 2 for players of a differing
        match in the uppermost bracket that has one, otherwise 1. A match belongs to the
        bracket of its player with the lower score. Players with the same opponent in
        both pairings are left out.
        """
        differing_pairs = self.met ^ self.best
        bracket_scores = {
            differing_pair: min(self.score[player] for player in differing_pair)
            for differing_pair in differing_pairs
        }
        uppermost_bracket_score = max(bracket_scores.values(), default=0)
        weight_of_player: dict[int, int] = {}
        for differing_pair in differing_pairs:
            pair_weight = (
                2 if bracket_scores[differing_pair] == uppermost_bracket_score else 1
            )
            for player in differing_pair - {BYE}:
                weight_of_player[player] = max(
                    weight_of_player.get(player, 0), pair_weight
                )
        return weight_of_player

    def with_matches(
        self,
        removed: Iterable[frozenset[int]],
        added: Iterable[tuple[int, int]],
    ) -> "PlayedRound":
        """Return a copy of the round without removed pairs and with added pairs.

        `removed` pairs have no order. Nobody knows the sides of the added matches; a
        bye is added as (position, -1) and has no sides.
        """
        removed_pairs = {*removed}
        matches_with_freedom = [
            (match_pair, has_unknown_sides)
            for match_pair, has_unknown_sides in zip(
                self.matches, self.free, strict=True
            )
            if frozenset(match_pair) not in removed_pairs
        ]
        matches_with_freedom += [
            (added_pair, added_pair[1] != BYE) for added_pair in added
        ]
        return replace(
            self,
            matches=tuple(match_pair for match_pair, _ in matches_with_freedom),
            free=tuple(
                has_unknown_sides for _, has_unknown_sides in matches_with_freedom
            ),
        )

    def with_presence(self, position: int, is_present: bool) -> "PlayedRound":
        """Return a copy of the round with one player marked as active, or as absent.

        `is_present` says which. `position` is the player's position in the event. The
        matches stay as they are: use `with_matches` to change them.
        """
        active_mask = self.event.active.copy()
        active_mask[position] = is_present
        return replace(self, event=replace(self.event, active=active_mask))

    def with_row(self, row: int, **values: int) -> "PlayedRound":
        """Return a copy of the round with new values in one row of the matches.

        `row` is the index of the row in the event's matches, and keywords are names of
        its columns, such as `score1=2`. Scores are scaled.
        """
        changed_columns: dict[str, Any] = {}
        for column_name, new_value in values.items():
            changed_columns[column_name] = getattr(
                self.event.matches, column_name
            ).copy()
            changed_columns[column_name][row] = new_value
        changed_matches = replace(self.event.matches, **changed_columns)
        return replace(self, event=replace(self.event, matches=changed_matches))


@dataclass(frozen=True)
class Hypothetical:
    """A change of an event's data that may explain a played round.

    `kind` is "side", "forbidden", "late", "withdrawn", "start" or "result", `sentence`
    says what is changed, and `case` is the round under the change. `players` are the
    identifiers of those that it is about, and `excused` counts matches that cannot be
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
    """Make a change from the kind, its sentence, and the round `case` under the change.

    `positions` are those of the players that it is about, and `excused` counts matches
    that cannot be compared.
    """
    players = tuple(
        case.event.players[player_position] for player_position in positions
    )
    return Hypothetical(kind, sentence, case, players, excused)


def _initial_side_change(case: PlayedRound) -> Iterator[Hypothetical]:
    """Yield the change of the event's initial side to the other one.

    `case` is the played round. Nothing is yielded for an event without sides or without
    an initial side, or for a model without a pairing system.
    """
    event = case.event
    if event.initial_side is None or not event.sides or case.problem.system is None:
        return

    other_side = 1 - event.initial_side
    change_sentence = message("change.side", side=event.sides[other_side])
    changed_round = replace(case, event=replace(event, initial_side=other_side))
    yield _make_hypothetical("side", change_sentence, changed_round)


def _forbidden_pair_changes(case: PlayedRound) -> Iterator[Hypothetical]:
    """Yield changes that forbid one pair, for each optimal pair that was not played.

    `case` is the played round. An optimal pairing stays optimal unless one of its own
    pairs is forbidden. Byes are skipped. Pairs of the highest brackets come first.
    """
    for pair_to_forbid in _by_bracket(case, case.best - case.met):
        if BYE in pair_to_forbid:
            continue
        all_constraints = (*case.extra_constraints, ForbiddenPairs((pair_to_forbid,)))
        change_sentence = message(
            "change.forbidden", pair=_pair_text(case.event, pair_to_forbid)
        )
        changed_round = replace(case, extra_constraints=all_constraints)
        yield _make_hypothetical(
            "forbidden", change_sentence, changed_round, pair_to_forbid
        )


def _late_entry_changes(case: PlayedRound) -> Iterator[Hypothetical]:
    """Yield changes that take out a player who may have been entered too late.

    `case` is the played round, which was then paired without that player. If there is a
    bye, each player with a bye may be the late one. Otherwise each player of each match
    may have been late, so that the opponent had the bye; matches of the lowest brackets
    come first. One match of each change cannot be compared.
    """
    bye_pairs = [bye_pair for bye_pair in case.met if BYE in bye_pair]
    shown_names = case.event.shown
    for bye_pair in bye_pairs:
        (player,) = bye_pair - {BYE}
        change_sentence = message("change.late", name=shown_names[player])
        changed_round = case.with_matches([bye_pair], ()).with_presence(player, False)
        yield _make_hypothetical("late", change_sentence, changed_round, (player,), 1)
    if bye_pairs:
        return

    for first_player, second_player in _by_bracket(case, case.met)[::-1]:
        for late_player, opponent in (
            (first_player, second_player),
            (second_player, first_player),
        ):
            change_sentence = message(
                "change.late_for_bye",
                name=shown_names[late_player],
                other=shown_names[opponent],
            )
            match = frozenset((first_player, second_player))
            round_with_bye = case.with_matches([match], [(opponent, BYE)])
            changed_round = round_with_bye.with_presence(late_player, False)
            yield _make_hypothetical(
                "late", change_sentence, changed_round, (late_player,), 1
            )


def _withdrawal_changes(case: PlayedRound) -> Iterator[Hypothetical]:
    """Yield changes that add an absent player who may have withdrawn too late.

    `case` is the played round. The round is paired again with each absent player. A
    change is yielded only if one played match disappears and all new matches are
    between the player, the bye and the players of that match. One match of each change
    cannot be compared.
    """
    event = case.event
    for player_position in np.flatnonzero(~event.active).tolist():
        case_with_player = case.with_presence(player_position, True)
        removed_pairs = case.met - case_with_player.best
        added_pairs = case_with_player.best - case.met
        if len(removed_pairs) != 1:
            continue
        (removed_match,) = removed_pairs
        concerned_player_positions = {player_position, BYE, *removed_match}
        if not all(
            {*added_pair} <= concerned_player_positions for added_pair in added_pairs
        ):
            continue

        change_sentence = message("change.withdrawn", name=event.shown[player_position])
        added_matches = [
            (max(added_pair), min(added_pair)) for added_pair in added_pairs
        ]
        changed_round = case_with_player.with_matches(removed_pairs, added_matches)
        yield _make_hypothetical(
            "withdrawn", change_sentence, changed_round, (player_position,), 1
        )


Move = tuple[int, int, bool]
"""A player, the player they would be listed beside, and whether after them."""


def _start_number_changes(case: PlayedRound) -> Iterator[Hypothetical]:
    """Yield changes that correct the start numbers of one or several players.

    `case` is the played round. Only corrections that may lead to the played pairs are
    yielded; the other players keep their order. Nothing is yielded for a model without
    a pairing system, which does not use start numbers.
    """
    if case.problem.system is None:
        return

    event = case.event
    starting_list = np.argsort(event.start_numbers).tolist()
    for moves in dict.fromkeys(_list_moves(case, np.argsort(starting_list))):
        changed_starting_list = [*starting_list]
        for player, neighbour, is_after in moves:
            changed_starting_list.remove(player)
            changed_starting_list.insert(
                changed_starting_list.index(neighbour) + is_after, player
            )
        if changed_starting_list == starting_list:
            continue

        start_numbers = event.start_numbers.copy()
        start_numbers[changed_starting_list] = event.start_numbers[starting_list]
        moved_players = [player for player, _, _ in moves]
        move_sentences = []
        for player in moved_players:
            move_sentence = message(
                "change.start",
                name=event.shown[player],
                number=int(start_numbers[player]),
                before=int(event.start_numbers[player]),
            )
            move_sentences.append(move_sentence)
        changed_round = replace(case, event=replace(event, start_numbers=start_numbers))
        yield _make_hypothetical(
            "start", join_notes(move_sentences), changed_round, moved_players
        )


def _list_moves(case: PlayedRound, place: IntArray) -> Iterator[tuple[Move, ...]]:
    """Yield moves of players in the starting list that may explain the played pairs.

    `case` is the played round, and `place` each player's place in the starting list, by
    position in the event. One tuple has the moves of one change, each a player, the
    player to be listed beside, and whether after that one; the same one may come twice.
    Moves of several players of a score group come first, then single players whose
    pairs fit the order least, then moves of suspects among players with the same
    points.
    """
    score_by_player_position = case.score
    suspect_weights = case.suspects
    bye_players = [max(played_pair) for played_pair in case.met if BYE in played_pair]
    # the pairs within a score group, the player listed higher first
    pairs_by_score: dict[int, list[tuple[int, int]]] = {}
    for played_pair in case.met:
        if (
            BYE not in played_pair
            and len({int(score_by_player_position[player]) for player in played_pair})
            == 1
        ):
            upper_player, lower_player = sorted(
                played_pair, key=lambda player: place[player]
            )
            pairs_by_score.setdefault(
                int(score_by_player_position[upper_player]), []
            ).append((upper_player, lower_player))

    ranked_misfits: list[tuple[int, int, list[Move]]] = []
    for score_of_group, pairs_of_group in pairs_by_score.items():
        bye_players_of_group = [
            player
            for player in bye_players
            if score_by_player_position[player] == score_of_group
        ]
        yield from _moves_of_several(pairs_of_group, bye_players_of_group, place)

        group_players = sorted(
            (player for played_pair in pairs_of_group for player in played_pair),
            key=lambda player: place[player],
        )
        upper_half = {*group_players[: len(pairs_of_group)]}
        for upper_player, lower_player in pairs_of_group:
            other_pairs = [
                played_pair
                for played_pair in pairs_of_group
                if played_pair[0] != upper_player
            ]
            crossing_count = 0
            for other_upper_player, other_lower_player in other_pairs:
                is_upper_before = bool(place[other_upper_player] < place[upper_player])
                is_lower_before = bool(place[other_lower_player] < place[lower_player])
                crossing_count += is_upper_before != is_lower_before
            is_within_half = (upper_player in upper_half) == (
                lower_player in upper_half
            )
            misfit_weight = crossing_count
            if is_within_half:
                misfit_weight += len(pairs_of_group)
            for player, opponent in (
                (lower_player, upper_player),
                (upper_player, lower_player),
            ):
                if misfit_weight or suspect_weights.get(player):
                    meeting_moves = [
                        *_moves_to_meet(player, opponent, other_pairs, place)
                    ]
                    ranked_misfits.append(
                        (-misfit_weight, -score_of_group, meeting_moves)
                    )

    for _, _, meeting_moves in sorted(ranked_misfits, key=lambda entry: entry[:2]):
        yield from ((single_move,) for single_move in meeting_moves)
    yield from ((single_move,) for single_move in _around_floats(case, place))


def _moves_of_several(
    pairs: list[tuple[int, int]], byes: list[int], place: IntArray
) -> Iterator[tuple[Move, ...]]:
    """Yield the fewest moves of one half's players that put the pairs in order.

    `pairs` are those of a score group, the player listed higher first. `byes` has the
    group's player with the bye, if any, who is listed last. A move is a player, the
    player to be listed beside, and whether after that one. `place` is each player's
    place in the starting list. At most two changes are yielded: one moves players of
    the lower half, the other those of the upper half. A half is skipped if fewer than 2
    or more than 12 (`MOST_MOVED`) of its players would move.
    """
    for fixed_half in (0, 1):
        moved_half = 1 - fixed_half
        ordered_pairs = sorted(
            pairs, key=lambda ordered_pair: place[ordered_pair[fixed_half]]
        )
        half_players = [ordered_pair[moved_half] for ordered_pair in ordered_pairs]
        if fixed_half == 0:
            half_players += byes

        kept_indices_in_half = _longest_increasing(place[half_players].tolist())
        if not 1 < len(half_players) - len(kept_indices_in_half) <= MOST_MOVED:
            continue
        moves = list[Move]()
        for index_in_half, player in enumerate(half_players):
            if index_in_half in kept_indices_in_half:
                continue
            if index_in_half:
                moves.append((player, half_players[index_in_half - 1], True))
            else:
                moves.append((player, half_players[kept_indices_in_half[0]], False))
        yield tuple(moves)


def _longest_increasing(numbers: list[int]) -> list[int]:
    """Find a longest strictly increasing subsequence, and return its numbers' indices.

    Indices ascend. The list is empty for no numbers.
    """
    # Of each length, the index of the smallest number that ends a subsequence.
    end_indices = list[int]()
    # The longest subsequence that ends at each index.
    best_subsequences = list[list[int]]()
    for number_index, next_number in enumerate(numbers):
        prefix_length = bisect_left(end_indices, next_number, key=numbers.__getitem__)
        longest_prefix = (
            best_subsequences[end_indices[prefix_length - 1]] if prefix_length else []
        )
        best_subsequences.append([*longest_prefix, number_index])
        end_indices[prefix_length : prefix_length + 1] = [number_index]
    return best_subsequences[end_indices[-1]] if end_indices else []


def _moves_to_meet(
    player: int, opponent: int, pairs: list[tuple[int, int]], place: IntArray
) -> Iterator[Move]:
    """Yield moves of a player that may lead to a match against an opponent.

    `pairs` are the other pairs of the score group, the player listed higher first.
    `place` is each player's place in the starting list. A move is the player, the one
    to be listed beside, and whether after that one. The player moves next to a member
    of the pair just above or just below the opponent's place; so at most four moves are
    yielded.
    """
    for player_half, opponent_half in ((0, 1), (1, 0)):
        ordered_pairs = sorted(
            pairs, key=lambda ordered_pair: place[ordered_pair[opponent_half]]
        )
        above_count = sum(
            place[ordered_pair[opponent_half]] < place[opponent]
            for ordered_pair in ordered_pairs
        )
        if above_count:
            yield player, ordered_pairs[above_count - 1][player_half], True
        if above_count < len(ordered_pairs):
            yield player, ordered_pairs[above_count][player_half], False


def _around_floats(case: PlayedRound, place: IntArray) -> Iterator[Move]:
    """Yield moves of suspects to other places among the players with the same points.

    `case` is the played round; suspects are players whose match differs from the
    optimal pairing. `place` is each player's place in the starting list. A move is a
    player, the one to be listed beside, and whether after that one. Each suspect moves
    to the end and the beginning of these players, then next to each suspect of weight
    2. Only active players count.
    """
    score_by_player_position = case.score
    suspect_weights = case.suspects
    active_players = np.flatnonzero(case.event.active).tolist()
    starting_list = sorted(active_players, key=lambda player: place[player])
    for player in sorted(
        suspect_weights,
        key=lambda player: (
            -suspect_weights[player],
            -score_by_player_position[player],
            place[player],
        ),
    ):
        equal_players = [
            equal_player
            for equal_player in starting_list
            if equal_player != player
            and score_by_player_position[equal_player]
            == score_by_player_position[player]
        ]
        if equal_players:
            yield player, equal_players[-1], True
            yield player, equal_players[0], False
        for equal_player in equal_players:
            if suspect_weights.get(equal_player) == 2:
                yield player, equal_player, bool(place[player] < place[equal_player])


def _result_changes(case: PlayedRound) -> Iterator[Hypothetical]:
    """Yield changes of one result of an earlier round, the likeliest first.

    `case` is the played round. First come changes that bring the players of this
    round's matches closer in points, then those of players who are suspects, then those
    of recent rounds.
    """
    event = case.event
    event_matches = event.matches
    opponent_of_player = dict(
        player_and_opponent
        for match in case.matches
        for player_and_opponent in (match, match[::-1])
    )
    possible_changes = []
    for match_row in np.flatnonzero(
        (event_matches.round < event.round) & event_matches.scored
    ).tolist():
        first_player = int(event_matches.first[match_row])
        second_player = int(event_matches.second[match_row])
        score1 = int(event_matches.score1[match_row])
        score2 = int(event_matches.score2[match_row])
        suspect_weight = sum(
            case.suspects.get(player, 0) for player in (first_player, second_player)
        )
        for new_row_values in _other_results(event, match_row):
            added_points = {first_player: new_row_values.get("score1", score1) - score1}
            if second_player >= 0:
                added_points[second_player] = (
                    new_row_values.get("score2", score2) - score2
                )
            opponent_pairs = {
                (
                    min(player, opponent_of_player[player]),
                    max(player, opponent_of_player[player]),
                )
                for player in added_points
                if player in opponent_of_player
            }
            gap_widening = _gap_widening(case.score, added_points, opponent_pairs)
            sort_key = (
                gap_widening,
                -suspect_weight,
                -int(event_matches.round[match_row]),
            )
            possible_changes.append((sort_key, match_row, new_row_values))

    for _, match_row, new_row_values in sorted(
        possible_changes, key=lambda candidate: candidate[0]
    ):
        players_of_row = (
            int(event_matches.first[match_row]),
            int(event_matches.second[match_row]),
        )
        concerned_players = [player for player in players_of_row if player >= 0]
        change_sentence = _result_sentence(event, match_row, new_row_values)
        changed_round = case.with_row(match_row, **new_row_values)
        yield _make_hypothetical(
            "result", change_sentence, changed_round, concerned_players
        )


def _gap_widening(
    score: IntArray, added: dict[int, int], pairs: set[tuple[int, int]]
) -> int:
    """Return by how much the gaps in points of some pairs would grow, in total.

    `score` has the scaled points of each player, by position. `added` are scaled points
    that players would have more or less, by position; others keep theirs. A negative
    number means that the pairs come closer.
    """
    total_widening = 0
    for player, opponent in pairs:
        points_gap = int(score[player] - score[opponent])
        gap_change = added.get(player, 0) - added.get(opponent, 0)
        total_widening += abs(points_gap + gap_change) - abs(points_gap)
    return total_widening


def _other_results(event: Event, row: int) -> Iterator[dict[str, int]]:
    """Yield the other values that a row of an earlier round could have.

    `row` is the index of the row in the event's matches. Each result is a mapping of
    columns to values: other points of a played match, or the same points with played
    and forfeited exchanged. The latter is left out if both players have equal points. A
    bye on request could be worth no points, a draw or a win; other byes yield nothing.
    Points that the event's scale cannot express are skipped.
    """
    event_matches = event.matches
    match_points = infer_points(event)
    points_scale = event.scale
    status_code = int(event_matches.status[row])
    current_scores = int(event_matches.score1[row]), int(event_matches.score2[row])
    if event_matches.second[row] < 0:
        if status_code == REQUESTED:
            for bye_points in (Fraction(0), match_points.draw, match_points.win):
                scaled_points = bye_points * points_scale
                if (
                    scaled_points != current_scores[0]
                    and scaled_points.denominator == 1
                ):
                    yield {"score1": int(scaled_points)}
        return

    for points1, points2 in sorted(match_points.results):
        scaled_result = int(points1 * points_scale), int(points2 * points_scale)
        is_scale_exact = (
            scaled_result[0] == points1 * points_scale
            and scaled_result[1] == points2 * points_scale
        )
        if scaled_result != current_scores and is_scale_exact:
            yield {
                "score1": scaled_result[0],
                "score2": scaled_result[1],
                "status": PLAYED,
            }
    if status_code in (PLAYED, FORFEIT) and current_scores[0] != current_scores[1]:
        yield {"status": FORFEIT if status_code == PLAYED else PLAYED}


def _result_sentence(event: Event, row: int, values: dict[str, int]) -> Message:
    """Return the sentence about new values in a row of the matches.

    `row` is the index of the row in the event's matches. `values` are columns with new
    values; the row keeps its other values. For a match of two players, the score is
    named only if the event has more than three possible results.
    """
    event_matches = event.matches
    shown_names = event.shown
    first_player = int(event_matches.first[row])
    second_player = int(event_matches.second[row])
    round_number = int(event_matches.round[row])
    if second_player < 0:
        bye_points = Fraction(values["score1"], event.scale)
        return message(
            "change.bye",
            points=bye_points,
            name=shown_names[first_player],
            round=round_number,
        )

    score1 = values.get("score1", int(event_matches.score1[row]))
    score2 = values.get("score2", int(event_matches.score2[row]))
    score_text = None
    if len(infer_points(event).results) > 3:
        score_text = f"{event.points_text(score1)}-{event.points_text(score2)}"
    new_status = values.get("status", event_matches.status[row])
    has_same_status = new_status == event_matches.status[row]
    pair_text = _pair_text(event, (first_player, second_player))
    if score1 == score2:
        message_kind = "change.drawn_result" if has_same_status else DRAWN[new_status]
        return message(
            message_kind, pair=pair_text, round=round_number, score=score_text
        )

    message_kind = "change.result" if has_same_status else WON[new_status]
    winner = shown_names[first_player if score1 > score2 else second_player]
    return message(
        message_kind,
        pair=pair_text,
        round=round_number,
        winner=winner,
        score=score_text,
    )


WON = {FORFEIT: "change.result_by_forfeit", PLAYED: "change.result_played"}
DRAWN = {FORFEIT: "change.drawn_by_forfeit", PLAYED: "change.drawn_played"}
"""The sentences about a result with another status."""


def _by_bracket(
    case: PlayedRound, pairs: Iterable[frozenset[int]]
) -> list[tuple[int, int]]:
    """Sort pairs of positions by bracket, the highest first.

    `case` is the played round, which has the scores. A pair belongs to the bracket of
    its player with the lower score. Returns tuples with the smaller position first. A
    bye is (-1, position).
    """
    ordered_pairs = [
        (min(unordered_pair), max(unordered_pair)) for unordered_pair in pairs
    ]

    def key(match: tuple[int, int]) -> tuple[int, tuple[int, int]]:
        """Return minus the lower score of the match, then its positions."""
        return -min(int(case.score[player]) for player in match), match

    return sorted(ordered_pairs, key=key)


def _pair_text(event: Event, pair: Iterable[int]) -> Value:
    """Return a pair of positions as a value of a message, which shows both names.

    The pair must not have a bye.
    """
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
    """Yield changes of an event's data under which its played round may be optimal.

    `case` is the played round. `kinds` are keys of `KINDS`, tried in this order. Within
    a kind the likeliest changes come first. Kinds are "side", "forbidden", "late",
    "withdrawn", "start" and "result". At most as many of a kind are yielded as `KINDS`
    says, more of them for a round with few matches, a quarter for a model without a
    pairing system. Whether a change explains the round is not checked.
    """
    size_factor = max(FEW_MATCHES // len(case.matches), 1)
    # Without a pairing system a try means pairing a whole round.
    slow_divisor = 4 if case.problem.system is None else 1
    for change_kind in kinds:
        list_changes, most_changes = KINDS[change_kind]
        yield from islice(
            list_changes(case), most_changes * size_factor // slow_divisor
        )


def apply_alone(case: PlayedRound, change: Hypothetical) -> Hypothetical | None:
    """Find the change of the played round `case` with the sentence of another one.

    `change` was made in a round that had already been changed. Return None if `case`
    has no change with the same sentence.
    """
    list_changes, _ = KINDS[change.kind]
    matching_changes = (
        possible_change
        for possible_change in list_changes(case)
        if str(possible_change.sentence) == str(change.sentence)
    )
    return next(matching_changes, None)
