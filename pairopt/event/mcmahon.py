"""McMahon attributes of Go players: start scores, scores, places and floats.

In a McMahon tournament players begin with a start score by their rank, so that equals
meet from round 1 on. The definitions are those of the program OpenGotha.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from pairopt.common.limits import parse_digits
from pairopt.errors import UsageError
from pairopt.event.arcs import IntArray
from pairopt.event.event import BYE_ROW, FORFEIT, PLAYED, Event
from pairopt.messages import Message, message
from pairopt.messages.formatting import alphabetical_key

MOST_KYU = 50
MOST_DAN = 9
RANK_ZERO = 30
"""The start score of a 1 dan, so that a 30 kyu starts with 0."""
RATING_OF_1_DAN = 2100
POINTS_PER_RANK = 100
LOWEST_FLOOR = "30k"
HIGHEST_BAR = "9d"
"""The floor and the bar of a model that names none."""
RANK_COLUMNS = ("rank", "grade")
COUNTRY_COLUMNS = ("country", "federation")
BLACK = "black"
WHITE = "white"


def parse_rank(text: str) -> int | None:
    """Return a Go rank as a number: 0 for 1 dan, 1 for 2 dan, -1 for 1 kyu.

    The text may be in any case, with or without a blank. Returns None for a text that
    is no rank, such as 0k or one above MOST_DAN or MOST_KYU.

    Examples
    --------
    >>> parse_rank("3k"), parse_rank("1d"), parse_rank("2 dan")
    (-3, 0, 1)
    """
    rank_match = re.fullmatch(r"([0-9]+) ?(k|kyu|d|dan)", text.strip().lower())
    if rank_match is None:
        return None
    is_dan = rank_match[2].startswith("d")
    rank_number = parse_digits(rank_match[1], MOST_DAN if is_dan else MOST_KYU)
    if not rank_number:
        return None
    return rank_number - 1 if is_dan else -rank_number


@dataclass(frozen=True)
class McMahonRules:
    """The rules that start scores and the order of players depend on.

    `floor` and `bar` are the lowest and the highest rank that start scores use, as
    numbers: 0 for 1 dan, -1 for 1 kyu. With `is_swiss` there are no start scores. With
    `by_rating` the rating ranks players of equal scores before their names.
    """

    floor: int
    bar: int
    is_swiss: bool
    by_rating: bool


@dataclass(frozen=True)
class McMahonScores:
    """Start scores and results of all players of an event, one entry per player.

    `score` is start score plus wins, rounded down; `wins` are in halves. `sos` and
    `sosos` sum up opponents' scores, and their `sos`. `balance` counts games with White
    less games with Black, without handicap games. `drawn_down` and `drawn_up` count the
    games against a player of a lower or higher score at that time.
    """

    start: IntArray
    score: IntArray
    wins: IntArray
    sos: IntArray
    sosos: IntArray
    balance: IntArray
    drawn_down: IntArray
    drawn_up: IntArray


@dataclass(frozen=True)
class McMahonAttributes:
    """The attributes of the players of a round, each of shape (n,).

    `start` is the start score, and `score` start score plus wins, rounded down. `wins`
    are in halves: 2 for a win. `rank` is the Go rank: 0 for 1 dan, positive for
    higher and negative for lower ranks (-1 for 1 kyu). `balance` counts games with
    White less games with Black, without handicap games. `drawn_down` and `drawn_up`
    count the games against a player of a lower or higher score at that time.

    `place` is 0 for the best of the players with the same score, `group_size` counts
    these players. `bye_order` is 0 for the player who has the bye first.
    """

    start: IntArray
    score: IntArray
    wins: IntArray
    rank: IntArray
    balance: IntArray
    drawn_down: IntArray
    drawn_up: IntArray
    place: IntArray
    group_size: IntArray
    bye_order: IntArray


def find_cells(event: Event, names: Sequence[str]) -> tuple[str, ...] | None:
    """Return the cells of the first of these columns that players.csv has.

    `names` are tried in their order; a name may be in any case, or as the list that was
    read calls the column. The result has one cell per player; it is None if there is no
    such column.
    """
    for column_name in names:
        try:
            return event.cells(column_name)
        except UsageError:
            continue
    return None


def ranks_of(event: Event) -> IntArray:
    """Return the rank of each player as a number, shape (players,).

    A player without a rank has the rank of the rating, as in the European Go
    Federation's list: 2100 is 1 dan, and 100 points are one rank. If players.csv has no
    ranks, a player without a rating has the lowest rank. Raises UsageError for a cell
    that is no rank, and for an empty cell of a player without a rating.
    """
    ranks, rank_faults = _read_ranks(event)
    if rank_faults:
        raise UsageError(rank_faults[0])
    return ranks


def _read_ranks(event: Event) -> tuple[IntArray, list[Message]]:
    """Return each player's rank as a number, and a message on each player without one.

    The ranks, shape (players,), count from 0 for 1 dan, with -1 for 1 kyu. A player
    with an empty cell has the rank of the rating. A player whose cell is no rank, or
    empty without a rating, has the lowest rank and a message. If players.csv has no
    column of ranks, there are no messages.
    """
    rating_by_player = np.where(event.rated, event.rating // event.rating_scale, 0)
    rank_by_rating = np.clip(
        (rating_by_player - RATING_OF_1_DAN + POINTS_PER_RANK // 2) // POINTS_PER_RANK,
        -RANK_ZERO,
        MOST_DAN - 1,
    )
    rank_by_player = np.where(event.rated, rank_by_rating, -RANK_ZERO)
    rank_faults = []
    for player_position, rank_cell in enumerate(find_cells(event, RANK_COLUMNS) or ()):
        if not rank_cell and event.rated[player_position]:
            continue
        parsed_rank = parse_rank(rank_cell)
        if parsed_rank is None:
            player_name = event.shown[player_position]
            rank_faults.append(
                message("rule.no_rank", player=player_name, found=rank_cell)
            )
            parsed_rank = -RANK_ZERO
        rank_by_player[player_position] = parsed_rank
    return np.asarray(rank_by_player, np.int64), rank_faults


def is_go(event: Event) -> bool:
    """Whether the first side is black, the second white, and players have Go ranks.

    At least one player has a rank, and each cell of ranks is empty or a rank.
    """
    return event.sides == (BLACK, WHITE) and bool(_filled_rank_cells(event))


def lacks_start_scores(event: Event) -> bool:
    """Whether players have different Go ranks, but no start scores.

    Then standings and files of results count wins alone, as in a Swiss tournament. An
    event folder in which all players start equal by its model lacks nothing. If some
    cell is no Go rank, the answer is False.
    """
    if event.origin.starts_equal:
        return False
    return len(_filled_rank_cells(event)) > 1 and not event.brought.any()


def _filled_rank_cells(event: Event) -> frozenset[str]:
    """Return the different texts in the cells of players' ranks, without empty cells.

    The set is empty if some cell is no Go rank, or if there is no column of ranks.
    """
    rank_texts = {
        rank_cell for rank_cell in find_cells(event, RANK_COLUMNS) or () if rank_cell
    }
    are_all_go_ranks = all(
        parse_rank(rank_text) is not None for rank_text in rank_texts
    )
    return frozenset(rank_texts if are_all_go_ranks else ())


def start_scores(event: Event, rules: McMahonRules) -> IntArray:
    """Return the start score of each player as a whole number, shape (players,).

    It is the number above 0 in the column `score` of players.csv, if the player has
    one. Otherwise it is the rank, at least the floor and at most the bar of the
    `rules`, plus 30, plus the number in the column `correction`. If the rules are those
    of a Swiss tournament, all are 0, and no cell is read. Raises UsageError for a cell
    that is no rank or no correction.
    """
    start_score_by_player, rank_and_correction_faults = _read_start_scores(event, rules)
    if rank_and_correction_faults:
        raise UsageError(rank_and_correction_faults[0])
    return start_score_by_player


def with_start_scores(event: Event, rules: McMahonRules) -> Event:
    """Return the event with the start scores as the points that players bring in.

    `rules` have the lowest and the highest rank that count. Standings and the pairing
    then count the same scores. Points above 0 that players bring in already stay. In a
    Swiss tournament nobody gets points: the event is marked as one in which all start
    equal. A player without a rank starts at the floor, and a wrong correction counts 0.
    The event gets a note on each.
    """
    if rules.is_swiss:
        return replace(event, origin=replace(event.origin, starts_equal=True))
    start_score_by_player, rank_and_correction_faults = _read_start_scores(event, rules)
    scaled_start_scores = np.where(
        event.brought > 0, event.brought, start_score_by_player * event.scale
    )
    return replace(
        event,
        brought=scaled_start_scores,
        notes=(*event.notes, *rank_and_correction_faults),
    )


def _read_start_scores(
    event: Event, rules: McMahonRules
) -> tuple[IntArray, list[Message]]:
    """Return each player's start score, and messages on wrong ranks and corrections.

    The scores, shape (players,), are whole numbers: what the player brings in, if that
    is above 0, otherwise the rank between floor and bar of the `rules`, plus 30 and the
    correction. All are 0 in a Swiss tournament. A wrong cell counts as the lowest rank
    or no correction. If all players have a start score of their own, ranks are not
    read.
    """
    if rules.is_swiss:
        return np.zeros(len(event.players), np.int64), []
    has_own_start_score = event.brought > 0
    if has_own_start_score.all():
        return event.brought // event.scale, []
    rank_by_player, rank_faults = _read_ranks(event)
    correction_by_player, correction_faults = _read_corrections(event)
    scores_by_rank = (
        np.clip(rank_by_player, rules.floor, rules.bar)
        + RANK_ZERO
        + correction_by_player
    )
    start_score_by_player = np.where(
        has_own_start_score, event.brought // event.scale, scores_by_rank
    )
    return start_score_by_player, [*rank_faults, *correction_faults]


def _read_corrections(event: Event) -> tuple[IntArray, list[Message]]:
    """Return each player's number in the column `correction`, and wrong ones.

    The numbers, shape (players,), are 0 without one. There is a message on each cell
    that is not a whole number from -99 to 99.
    """
    correction_faults = []
    corrections_by_player = np.zeros(len(event.players), np.int64)
    for player_position, correction_cell in enumerate(
        find_cells(event, ["correction"]) or ()
    ):
        if not correction_cell:
            continue
        if not re.fullmatch(r"[+-]?[0-9]{1,2}", correction_cell):
            player_name = event.shown[player_position]
            correction_faults.append(
                message("rule.no_correction", player=player_name, found=correction_cell)
            )
            continue
        corrections_by_player[player_position] = int(correction_cell)
    return corrections_by_player, correction_faults


def handicaps_of(event: Event) -> IntArray:
    """Return the handicap of each game, shape (players, rounds).

    It is positive for the player with White, who gives the stones, and negative for the
    player with Black. It is 0 without a game, and without the column `handicap`. Raises
    UsageError for a cell that is no number from 0 to 99.
    """
    handicap_by_player_and_round = np.zeros(event.turns.points.shape, np.int64)
    if "handicap" not in event.origin.cells:
        return handicap_by_player_and_round
    match_rows_before = event.before
    white_side_index = _white_side(event)
    for row_index in np.flatnonzero(match_rows_before.status == PLAYED).tolist():
        handicap_cell = event.origin.cell(
            "handicap", int(match_rows_before.row[row_index])
        )
        stone_count = parse_digits(handicap_cell, 99) if handicap_cell else 0
        if stone_count is None:
            first_player_name = event.shown[match_rows_before.first[row_index]]
            raise UsageError(
                "rule.no_handicap", player=first_player_name, found=handicap_cell
            )
        first_player_sign = (
            1 if match_rows_before.side[row_index] == white_side_index else -1
        )
        round_index = match_rows_before.round[row_index] - 1
        handicap_by_player_and_round[
            match_rows_before.first[row_index], round_index
        ] = first_player_sign * stone_count
        handicap_by_player_and_round[
            match_rows_before.second[row_index], round_index
        ] = -first_player_sign * stone_count
    return handicap_by_player_and_round


def _white_side(event: Event) -> int:
    """Return 1 if the event names its second side White, otherwise 0.

    0 is also returned if the game has no sides or sides with other names.
    """
    return int(event.sides is not None and event.sides[1] == WHITE)


def white_plays_first_side(event: Event) -> bool:
    """Whether the first side of a match is White.

    This is so unless the event names its second side White.
    """
    return _white_side(event) == 0


def mcmahon_scores(event: Event, rules: McMahonRules) -> McMahonScores:
    """Return the scores of an event's players before the round to pair.

    `rules` say where start scores begin and end, or that there are none. A bye is a
    win, and a forfeit counts for the score like a game. A missed round counts half a
    point in a McMahon tournament, nothing in a Swiss one. The score is rounded down. In
    `sos` and `sosos` a round without a game counts the player's own start score. Raises
    UsageError for a cell that is no rank, correction or handicap.
    """
    turns = event.turns
    start_score_by_player = start_scores(event, rules)
    opponent_points = turns.of_opponent(turns.points)
    is_played = turns.played
    is_bye = turns.status == BYE_ROW
    has_result = is_played | (turns.status == FORFEIT)
    is_win = has_result & (turns.points > opponent_points)
    is_drawn = has_result & (turns.points == opponent_points) & (turns.points > 0)
    half_points_by_round = np.where(is_win | is_bye, 2, np.where(is_drawn, 1, 0))
    is_round_missed = ~has_result & ~is_bye
    half_points_counting_missed = (
        half_points_by_round
        if rules.is_swiss
        else half_points_by_round + is_round_missed
    )

    # Column q is the score before round q + 1; the last one is that of today.
    cumulative_half_points = np.cumsum(half_points_counting_missed, axis=1)
    cumulative_half_points = np.concatenate(
        [np.zeros((len(start_score_by_player), 1), np.int64), cumulative_half_points],
        axis=1,
    )
    scores_before_rounds = start_score_by_player[:, None] + cumulative_half_points // 2
    current_scores = scores_before_rounds[:, -1]

    opponent_by_round = turns.opponent
    start_score_column = start_score_by_player[:, None]
    handicap_by_player_and_round = handicaps_of(event)
    round_count = opponent_by_round.shape[1]
    sos_by_player = np.where(
        is_played,
        current_scores[opponent_by_round] + handicap_by_player_and_round,
        start_score_column,
    ).sum(axis=1)
    sosos_by_player = np.where(
        is_played, sos_by_player[opponent_by_round], start_score_column * round_count
    ).sum(axis=1)

    own_scores_before = scores_before_rounds[:, :-1]
    opponent_scores_before = turns.of_opponent(own_scores_before)
    is_game_without_handicap = (
        is_played & (handicap_by_player_and_round == 0) & (turns.side >= 0)
    )
    plays_white_by_round = turns.side == _white_side(event)
    colour_balance_by_player = np.where(
        is_game_without_handicap, np.where(plays_white_by_round, 1, -1), 0
    ).sum(axis=1)
    return McMahonScores(
        start=start_score_by_player,
        score=current_scores,
        wins=half_points_by_round.sum(axis=1),
        sos=sos_by_player,
        sosos=sosos_by_player,
        balance=colour_balance_by_player,
        drawn_down=(is_played & (own_scores_before > opponent_scores_before)).sum(
            axis=1
        ),
        drawn_up=(is_played & (own_scores_before < opponent_scores_before)).sum(axis=1),
    )


def mcmahon_attributes(
    event: Event,
    player: IntArray,
    byes: IntArray,
    rules: McMahonRules,
) -> McMahonAttributes:
    """Return the attributes of some players before the round to pair.

    `player` has their positions in the event, `byes` how many byes each has had, both
    of shape (n,). `rules` are those of start scores. Players of a score are ordered by
    SOS, SOSOS, rating if the rules say so, and name. Players without a bye have the
    next one first, then those with low scores. Raises UsageError for a player without a
    rank, and for a cell that is no rank, correction or handicap.
    """
    scores_of_event = mcmahon_scores(event, rules)
    go_ranks = ranks_of(event)[player]
    current_scores = scores_of_event.score[player]
    alphabetical_place = _name_order(event)[player]
    rating_for_order = (
        event.rating[player] if rules.by_rating else np.zeros(len(player))
    )
    player_indices_best_first = np.lexsort(
        (
            alphabetical_place,
            -rating_for_order,
            -scores_of_event.sosos[player],
            -scores_of_event.sos[player],
            -current_scores,
        )
    )
    score_group_starts = np.searchsorted(
        -current_scores[player_indices_best_first], -current_scores, side="left"
    )
    score_group_ends = np.searchsorted(
        -current_scores[player_indices_best_first], -current_scores, side="right"
    )

    swiss_bye_weight = go_ranks + 20 * scores_of_event.wins[player]
    weight_for_bye = swiss_bye_weight if rules.is_swiss else 2 * current_scores
    weight_for_bye = weight_for_bye + 1000 * (byes > 0)
    player_indices_by_bye_weight = np.lexsort((-alphabetical_place, weight_for_bye))
    return McMahonAttributes(
        start=scores_of_event.start[player],
        score=current_scores,
        wins=scores_of_event.wins[player],
        rank=go_ranks,
        balance=scores_of_event.balance[player],
        drawn_down=scores_of_event.drawn_down[player],
        drawn_up=scores_of_event.drawn_up[player],
        place=np.argsort(player_indices_best_first) - score_group_starts,
        group_size=score_group_ends - score_group_starts,
        bye_order=np.argsort(player_indices_by_bye_weight),
    )


def _name_order(event: Event) -> IntArray:
    """Return the place of each player in the alphabetical order of names, from 0.

    The result has shape (players,), in the order of the event's players.
    """
    alphabetical_keys = [alphabetical_key(player_name) for player_name in event.names]
    positions_in_alphabetical_order = sorted(
        range(len(alphabetical_keys)), key=alphabetical_keys.__getitem__
    )
    return np.argsort(np.array(positions_in_alphabetical_order, np.int64))
