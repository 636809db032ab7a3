"""Tables: the arcs of a round as rows of matches.csv, sorted into tables."""

import itertools
from collections.abc import Iterable, Sequence
from fractions import Fraction
from operator import itemgetter

import numpy as np

from pairopt.event.arcs import BYE, Arcs, arcs_of
from pairopt.event.column_layout import COLUMNS, NAMES, ColumnLayout
from pairopt.event.event import Event
from pairopt.event.state import State
from pairopt.messages.formatting import decimal_text

PairedRow = dict[str, int | str | None]
"""The cells of a row of matches.csv that has no result yet."""


def assign_tables(
    state: State, arcs: Arcs, *, ranked: bool = False
) -> tuple[tuple[PairedRow, ...], Arcs]:
    """Return the rows of the round by table, and their arcs in the same order.

    `arcs` are the pairing. Tables are numbered from the event's first one and skip
    fixed tables. They follow the higher score, then the sum of scores, then players.csv
    order. With `ranked` they follow FIDE's boards (C.04.2, 3.6 and C.04.7, 1.5):
    virtual points count, and start numbers decide last. Then come allocated byes, and
    last requested byes, which are no arcs. In a game without sides the player with the
    higher score is named first. A row has None for an empty cell. The returned arcs
    have the matches by table, then the byes; sides are never exchanged in a game with
    sides.
    """
    event, identifiers = state.event, state.names
    scores_by_state_position, event_position_by_state_position = (
        state.score.tolist(),
        state.player.tolist(),
    )
    fide_attributes = state.fide if ranked else None
    points_for_table_order = (
        fide_attributes.score.tolist() if fide_attributes else scores_by_state_position
    )
    tie_order_by_state_position = (
        fide_attributes.rank.tolist()
        if fide_attributes
        else event_position_by_state_position
    )

    def table_key(seated_pair: tuple[int, int]) -> tuple[int, int, int]:
        """Return the key that sorts a match into the order of tables.

        `seated_pair` are the positions of the two players in the state. The higher
        score comes first, then the higher sum.
        """
        first_position, second_position = seated_pair
        first_player_points, second_player_points = (
            points_for_table_order[first_position],
            points_for_table_order[second_position],
        )
        return (
            -max(first_player_points, second_player_points),
            -(first_player_points + second_player_points),
            min(
                tie_order_by_state_position[first_position],
                tie_order_by_state_position[second_position],
            ),
        )

    match_pairs = [seated_pair for seated_pair in arcs.pairs if seated_pair[1] != BYE]
    if not state.sided:
        rank_by_state_position = np.argsort(
            np.lexsort((event_position_by_state_position, -state.score))
        )
        match_pairs = [
            seated_pair
            if rank_by_state_position[seated_pair[0]]
            < rank_by_state_position[seated_pair[1]]
            else seated_pair[::-1]
            for seated_pair in match_pairs
        ]
    match_pairs.sort(key=table_key)

    first_table = event.settings.first_table or 1
    table_numbers: Sequence[int] = range(first_table, first_table + len(match_pairs))
    if np.count_nonzero(event.fixed_table):
        fixed_table_by_state_position = event.fixed_table[
            event_position_by_state_position
        ].tolist()
        table_numbers = _table_numbers(
            fixed_table_by_state_position, match_pairs, first_table
        )
        numbered_match_pairs = sorted(
            zip(table_numbers, match_pairs, strict=True), key=itemgetter(0)
        )
        match_pairs = [seated_pair for _, seated_pair in numbered_match_pairs]
        table_numbers = sorted(table_numbers)

    first_side = event.sides[0] if event.sides else None
    table_rows = [
        _row(
            event,
            table=table_number,
            player1=identifiers[first_position],
            player2=identifiers[second_position],
            side1=first_side,
        )
        for table_number, (first_position, second_position) in zip(
            table_numbers, match_pairs, strict=True
        )
    ]
    positions_with_bye = arcs.first[arcs.bye].tolist()
    table_rows += [
        _bye_row(state, event_position_by_state_position[bye_position], "bye")
        for bye_position in positions_with_bye
    ]
    table_rows += [
        _bye_row(state, bye_position, "requested") for bye_position in event.requested
    ]

    pairs_in_table_order = [
        *match_pairs,
        *((bye_position, BYE) for bye_position in positions_with_bye),
    ]
    pair_array = np.array(pairs_in_table_order, np.int64).reshape(-1, 2)
    return tuple(table_rows), arcs_of(pair_array[:, 0], pair_array[:, 1])


def _table_numbers(
    fixed_tables: Sequence[int], seats: Iterable[tuple[int, int]], first_table: int
) -> list[int]:
    """Return each match's table: its players' lower fixed one, or the next free one.

    `fixed_tables` has the fixed table of each position, 0 for none, and `seats` the two
    positions of each match. Free tables begin with `first_table`, and skip those that
    are fixed for anybody, also for players without a match. Two matches get the same
    table if players of both have it as their fixed table.
    """
    unfixed_tables = (
        unfixed_table
        for unfixed_table in itertools.count(first_table)
        if unfixed_table not in fixed_tables
    )
    fixed_tables_by_match = (
        [
            fixed_tables[player_position]
            for player_position in positions_of_match
            if fixed_tables[player_position]
        ]
        for positions_of_match in seats
    )
    return [
        min(fixed_tables_of_match) if fixed_tables_of_match else next(unfixed_tables)
        for fixed_tables_of_match in fixed_tables_by_match
    ]


def add_name_columns(event: Event, rows: Iterable[PairedRow]) -> list[PairedRow]:
    """Return the rows with `name1` and `name2`, if names differ from identifiers.

    If the names of all players are their identifiers, the rows stay as they are. The
    name of no opponent is None. The result is a new list. Raises KeyError for a row
    whose `player1` is no identifier of the event.
    """
    if event.names == event.players:
        return list(rows)
    name_by_player: dict[object, str] = dict(
        zip(event.players, event.names, strict=True)
    )
    return [
        {
            **paired_row,
            "name1": name_by_player[paired_row["player1"]],
            "name2": name_by_player.get(paired_row["player2"]),
        }
        for paired_row in rows
    ]


def layout_of(event: Event, rows: Iterable[PairedRow]) -> ColumnLayout:
    """Return the event's layout of matches with the columns that these rows need.

    If the layout lacks them, `side1` is added if a row fills it, and `status` if a row
    has the status "requested"; other statuses do not add it. An event without a list of
    matches yet gets all columns, with those of names if names differ from identifiers.
    """
    column_layout = event.origin.layout
    if not column_layout.columns:
        has_names = event.names != event.players
        return column_layout.with_columns(COLUMNS + NAMES if has_names else COLUMNS)

    rows = list(rows)
    needed_columns = []
    if any(paired_row["side1"] for paired_row in rows):
        needed_columns.append("side1")
    if any(paired_row["status"] == "requested" for paired_row in rows):
        needed_columns.append("status")
    return column_layout.with_columns(needed_columns)


def _row(event: Event, **cells: int | str | None) -> PairedRow:
    """Return a row of the round to pair with these cells, None in all other columns."""
    return {**dict.fromkeys(COLUMNS), "round": event.round, **cells}


def _bye_row(state: State, player: int, status: str) -> PairedRow:
    """Return the row of a bye with its points; `player` is a position in the event.

    `status` is "bye" for an allocated bye, otherwise "requested". If the event does not
    state its points, they are a win's and 0.
    """
    event, points_per_result = state.event, state.event.settings.points
    if status == "bye":
        bye_points = (
            state.win if points_per_result is None else points_per_result.allocated_bye
        )
    else:
        bye_points = (
            Fraction(0)
            if points_per_result is None
            else points_per_result.requested_bye
        )
    return _row(
        event,
        player1=event.players[player],
        score1=decimal_text(bye_points),
        status=status,
    )
