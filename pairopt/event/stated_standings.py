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

NO_POINTS = Fraction(0)
TENTH = Fraction(1, 10)
Lines = Sequence[Standing]


@dataclass(frozen=True, slots=True)
class StandingsComparison:
    """How a file's stated standings differ from its results.

    `points` has a message for each player whose stated points are wrong; `counted` is
    False if points were not compared. `rank` describes the first wrong rank, `place` is
    its right value, and `tie_break` what decides it. `apart` says why ranks were not
    compared, and `by` names the tie-breaks that were.
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
        """Whether no wrong points and no wrong rank were found.

        It is True also if nothing was compared.
        """
        return not self.points and self.rank is None

    @property
    def sentence(self) -> Note:
        """The outcome on points and on ranks as one note for people.

        It names the first player with wrong points, and counts the others.
        """
        if not self.counted and self.rank is None and self.apart:
            return with_heading(message("stated.neither"), self.apart)
        points_note: Note = message(
            "stated.points_right" if self.counted else "stated.no_points"
        )
        if self.points:
            points_note = with_heading(message("stated.points_wrong"), self.points[0])
        notes_of_sentence = [points_note]
        if len(self.points) > 1:
            notes_of_sentence.append(
                message("stated.points_of_several", more=len(self.points) - 1)
            )

        if self.rank is not None:
            notes_of_sentence.append(
                with_heading(message("stated.rank_wrong", place=self.place), self.rank)
            )
        elif self.apart:
            notes_of_sentence.append(
                with_heading(message("stated.no_ranks"), self.apart)
            )
        else:
            notes_of_sentence.append(
                message("stated.ranks_right", by=["points", *self.by])
            )
        return join_notes(notes_of_sentence)

    def to_dict(self) -> dict[str, Any]:
        """Return the outcome for JSON, messages as English texts.

        The keys are `agrees`, `points`, `place`, `rank`, `tie_break` and
        `not_compared`. What was not found, or not compared, is None or an empty list.
        """
        return {
            "agrees": self.agrees,
            "points": [*map(str, self.points)],
            "place": self.place,
            "rank": self.rank and str(self.rank),
            "tie_break": self.tie_break,
            "not_compared": self.apart and str(self.apart),
        }


def compare_stated_standings(event: Event) -> StandingsComparison | None:
    """Compare a file's stated points and ranks with those that its results give.

    Returns None if the file states neither. If it states them for another time than
    now, nothing is compared, and `apart` says why. It also says why if only points
    could be compared. `counted` says whether points were.
    """
    stated_standings = event.origin.stated
    if stated_standings is None:
        return None
    has_points = any(
        points_or_none is not None for points_or_none in stated_standings.points
    )
    if not has_points and not any(stated_standings.ranks):
        return None
    reason_not_compared = _reason_for_other_time(event)
    if reason_not_compared is not None:
        return StandingsComparison(apart=reason_not_compared, counted=False)

    wrong_points, are_of_results = find_wrong_points(event)
    reason_not_compared = _reason_not_compared(event, stated_standings, are_of_results)
    if reason_not_compared is not None:
        return StandingsComparison(
            wrong_points, apart=reason_not_compared, counted=has_points
        )
    return replace(
        _compare_ranks(event, stated_standings, wrong_points), counted=has_points
    )


def find_wrong_points(event: Event) -> tuple[tuple[Message, ...], bool]:
    """Return a message for each player whose stated points are wrong.

    The second value says whether stated points are those of the results alone. A file
    between two rounds may count byes of rounds to come, and virtual points, for all
    players or for none: the additions under which the fewest players are wrong are
    taken. Nothing is wrong if the file states no points, or those of another time.
    """
    stated_standings = event.origin.stated
    if stated_standings is None or _reason_for_other_time(event):
        return (), True

    scaled_result_points = points_of(event)
    point_additions = np.zeros(len(scaled_result_points), np.int64)
    wrong_players = _differing_players(event, stated_standings, scaled_result_points)
    if wrong_players:
        candidates_of_additions = [
            (
                _differing_players(
                    event, stated_standings, scaled_result_points + point_additions
                ),
                point_additions,
            )
            for point_additions in _possible_additions(event)
        ]
        wrong_players, point_additions = min(
            candidates_of_additions, key=lambda candidate: len(candidate[0])
        )

    wrong_points_messages = [
        message(
            "stated.points_of",
            player=event.shown[player_position],
            place=str(stated_standings.places[player_position][0]),
            stated=stated_standings.points[player_position] or NO_POINTS,
            given=Fraction(int(scaled_result_points[player_position]), event.scale),
        )
        for player_position in wrong_players
    ]
    return tuple(wrong_points_messages), not point_additions.any()


def _reason_for_other_time(event: Event) -> Message | None:
    """Return why stated standings are not those before the round to pair.

    They are not if matches of this round or later ones are in the file, or if scores of
    the last round are missing. Otherwise return None.
    """
    match_rows = event.matches
    if ((match_rows.round >= event.round) & (match_rows.second >= 0)).any():
        return message("stated.later")
    if len(event.unscored):
        return message("stated.unfinished", round=event.round - 1)
    return None


def _possible_additions(event: Event) -> list[IntArray]:
    """Return arrays of scaled points that stated ones may contain, likeliest first.

    Each has shape (players,). They are the sums of byes of rounds to come (none, this
    round's, all) and virtual points (none, this round's, the last round's). The first
    holds only zeros.
    """
    match_rows, player_count, current_round = (
        event.matches,
        len(event.players),
        event.round,
    )
    zeros_by_player = np.zeros(player_count, np.int64)
    bye_additions = [zeros_by_player]
    for last_round in (current_round, int(match_rows.round.max(initial=current_round))):
        is_row_of_later_round = (match_rows.round >= current_round) & (
            match_rows.round <= last_round
        )
        later_rows = match_rows.take(is_row_of_later_round)
        scaled_bye_points = np.bincount(
            later_rows.first, later_rows.score1, player_count
        )
        bye_additions.append(scaled_bye_points.astype(np.int64))

    virtual_additions = [zeros_by_player]
    for round_number in (current_round, current_round - 1):
        # The column of that round, or no column.
        round_columns = (
            slice(round_number - 1, round_number) if round_number else slice(0)
        )
        virtual_additions.append(event.acceleration[:, round_columns].sum(axis=1))
    return [
        scaled_bye_points + virtual_points
        for scaled_bye_points in bye_additions
        for virtual_points in virtual_additions
    ]


def _differing_players(
    event: Event, stated: StatedStandings, points: IntArray
) -> list[int]:
    """Return the positions of players whose stated points differ from `points`.

    `points` are scaled, shape (players,). Players without stated points are skipped. If
    a player's points are finer than tenths, stated tenths may be rounded.
    """
    exact_points_by_player = [
        Fraction(scaled_points, event.scale) for scaled_points in points.tolist()
    ]
    tolerance_by_player = [
        TENTH / 2 if scaled_points * 10 % 1 else 0
        for scaled_points in exact_points_by_player
    ]
    return [
        player_position
        for player_position, stated_points in enumerate(stated.points)
        if stated_points is not None
        and abs(exact_points_by_player[player_position] - stated_points)
        > tolerance_by_player[player_position]
    ]


def _reason_not_compared(
    event: Event, stated: StatedStandings, are_of_results: bool
) -> Message | None:
    """Return why ranks cannot be compared, None if they can.

    `stated` are the file's standings. Ranks of some or all players may be missing,
    there may be no round yet, points may not be those of the results (`are_of_results`
    is False), or the file's order of tie-breaks may be unknown.
    """
    missing_count = sum(not rank_or_none for rank_or_none in stated.ranks)
    if 0 < missing_count < len(stated.ranks):
        return message("stated.missing", players=missing_count)
    is_reason_by_message_id = {
        "stated.none": missing_count,
        "stated.no_round": event.round == 1,
        "stated.other_points": not are_of_results,
        "stated.other_order": stated.tie_breaks is None,
    }
    return next(
        (
            message(message_id)
            for message_id, is_reason in is_reason_by_message_id.items()
            if is_reason
        ),
        None,
    )


def _compare_ranks(
    event: Event, stated: StatedStandings, wrong_points: tuple[Message, ...]
) -> StandingsComparison:
    """Compare stated ranks with the standings by the file's own tie-breaks.

    `stated` are the file's standings. The result has the messages `wrong_points`, as
    they are, and a fault for the first group of equal players with a wrong rank. Such a
    group may have one shared rank or consecutive ones; if not all tie-breaks can be
    computed, any ranks that keep the order. If the wrong ranks are only start numbers
    or the order of the list, `apart` says so instead.
    """
    standing_lines, compared_tie_breaks, has_all_tie_breaks = _rank_by_stated(
        event, stated
    )
    stated_rank_by_player = {}
    for standing in standing_lines:
        stated_rank_by_player[standing.player] = (
            stated.ranks[event.index[standing.player]] or 0
        )
    equal_groups = [
        [*equal_lines]
        for _, equal_lines in groupby(
            standing_lines, key=lambda standing: standing.rank
        )
    ]
    are_shared = _are_ranks_shared(equal_groups, stated_rank_by_player)

    for equal_lines in equal_groups:
        stated_ranks_of_group = sorted(
            stated_rank_by_player[standing.player] for standing in equal_lines
        )
        first_rank, group_size = equal_lines[0].rank, len(equal_lines)
        expected_places = range(first_rank, first_rank + group_size)
        if has_all_tie_breaks:
            are_ranks_right = stated_ranks_of_group == (
                [first_rank] * group_size if are_shared else [*expected_places]
            )
        else:
            # Further tie-breaks may split the group: a rank is that of the one before,
            # or the player's place.
            ranks_and_places = zip(
                stated_ranks_of_group,
                [0, *stated_ranks_of_group],
                expected_places,
                strict=False,
            )
            are_ranks_right = all(
                player_rank in (previous_rank, expected_place)
                for player_rank, previous_rank, expected_place in ranks_and_places
            )
        if are_ranks_right:
            continue

        stated_rank_list = [*stated.ranks]
        if stated_rank_list in (
            event.start_numbers.tolist(),
            [*range(1, len(stated_rank_list) + 1)],
        ):
            return StandingsComparison(
                wrong_points, apart=message("stated.numbers"), by=compared_tie_breaks
            )
        rank_fault, deciding_tie_break = _first_wrong_rank(
            event, stated, standing_lines, equal_lines, stated_rank_by_player
        )
        return StandingsComparison(
            wrong_points,
            rank_fault,
            first_rank,
            deciding_tie_break,
            by=compared_tie_breaks,
        )
    return StandingsComparison(wrong_points, by=compared_tie_breaks)


def _are_ranks_shared(groups: Sequence[Lines], stated_rank: dict[str, int]) -> bool:
    """Whether a file gives equal players one rank, rather than ranks in a row.

    `groups` are players who are equal in everything, and `stated_rank` has the rank of
    each by identifier. The habit that more groups follow decides; if both are equally
    frequent, ranks are shared.
    """
    group_count_with_shared_rank, group_count_with_consecutive_ranks = 0, 0
    for equal_lines in groups:
        if len(equal_lines) > 1:
            stated_ranks_of_group = sorted(
                stated_rank[equal_line.player] for equal_line in equal_lines
            )
            first_rank = equal_lines[0].rank
            group_count_with_shared_rank += len(set(stated_ranks_of_group)) == 1
            group_count_with_consecutive_ranks += stated_ranks_of_group == [
                *range(first_rank, first_rank + len(stated_ranks_of_group))
            ]
    return group_count_with_shared_rank >= group_count_with_consecutive_ranks


def _rank_by_stated(
    event: Event, stated: StatedStandings
) -> tuple[tuple[Standing, ...], tuple[str, ...], bool]:
    """Rank players by as many of the stated tie-breaks as the event has data for.

    Returns the lines, the first tie-breaks that could be computed, and whether these
    are all that the file ranks by. If only points can be computed, the players are
    ranked by these.
    """
    tie_breaks = stated.tie_breaks or ()
    for tie_break_count in range(len(tie_breaks), -1, -1):
        try:
            standing_lines = rank_players(event, tie_breaks[:tie_break_count])
        except UsageError:
            continue
        has_all_tie_breaks = stated.complete and tie_break_count == len(tie_breaks)
        return standing_lines, tie_breaks[:tie_break_count], has_all_tie_breaks
    raise AssertionError("points alone can be told")


def _first_wrong_rank(
    event: Event,
    stated: StatedStandings,
    lines: Lines,
    group: Lines,
    rank: dict[str, int],
) -> tuple[Message, str | None]:
    """Return a message on a group's first wrong rank, and the tie-break behind it.

    `group` are equal players among `lines`, and `rank` has the stated rank of each by
    identifier. If each rank is one of the group's, but they do not fit together, the
    message is on the whole group and there is no tie-break.
    """
    first_rank_of_group, last_rank_of_group = (
        group[0].rank,
        group[0].rank + len(group) - 1,
    )
    for equal_line in group:
        stated_rank = rank[equal_line.player]
        if first_rank_of_group <= stated_rank <= last_rank_of_group:
            continue
        # The player whose place this rank is.
        line_at_stated_rank = lines[min(max(stated_rank, 1), len(lines)) - 1]
        tie_break_name, value_of_player, value_at_stated_rank = _first_difference(
            equal_line, line_at_stated_rank
        )
        rank_location = stated.places[event.index[equal_line.player]][1]
        message_id = (
            "stated.rank"
            if first_rank_of_group == last_rank_of_group
            else "stated.rank_between"
        )
        rank_fault = message(
            message_id,
            player=equal_line.name,
            place=str(rank_location),
            rank=stated_rank,
            first=first_rank_of_group,
            last=last_rank_of_group,
            by=tie_break_name,
            mine=value_of_player,
            theirs=value_at_stated_rank,
            other=line_at_stated_rank.name,
        )
        return rank_fault, tie_break_name

    equal_names = [equal_line.name for equal_line in group]
    stated_ranks = [rank[equal_line.player] for equal_line in group]
    return message("stated.equal", players=equal_names, ranks=stated_ranks), None


def _first_difference(line: Standing, other_line: Standing) -> tuple[str, str, str]:
    """Return what separates two players, and both their values, as three texts.

    `line` and `other_line` are their lines in the standings. What separates them is
    "points", or the first tie-break that differs if their points are equal. If nothing
    differs, it is "points".
    """
    if line.points == other_line.points:
        for tie_break_name, tie_break_value in line.tie_breaks.items():
            other_value = other_line.tie_breaks[tie_break_name]
            if tie_break_value != other_value:
                tie_break = tie_break_of(tie_break_name)
                return (
                    tie_break_name,
                    tie_break.shown(tie_break_value),
                    tie_break.shown(other_value),
                )
    return "points", decimal_text(line.points), decimal_text(other_line.points)
