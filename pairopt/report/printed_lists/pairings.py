"""Lists of a round: its matches by board, and who plays where by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from pairopt.messages import Message, message
from pairopt.messages.formatting import alphabetical_key, with_half_signs
from pairopt.report.printed_lists.base import (
    Cell,
    ListColumn,
    ListSection,
    ListSource,
    PrintedList,
)
from pairopt.report.printed_lists.player_columns import (
    choose_columns,
    player_cell,
    titled_name,
)
from pairopt.report.views import MatchView, round_view, sides_of

USUAL = ("title", "federation", "rating")


class Seat(NamedTuple):
    """A player's seat in a match or bye: the row of a list by name.

    `is_second` says whether the player is the second one in `match`.
    """

    match: MatchView
    is_second: bool

    @property
    def player(self) -> str:
        """The identifier of the player."""
        return self.match.players[self.is_second]


def board_columns(source: ListSource) -> Sequence[ListColumn]:
    """Return the columns of a list of matches: board, both players, and the result.

    Each player has a number, name and points, and federation and rating if these are
    shown; those of the second player are in reverse order. Rows are `MatchView`.
    `source` has the event.
    """
    first_side_heading, second_side_heading = sides_of(source.event)
    second_number_column, *second_detail_columns, second_points_column = _side_columns(
        source, 1, second_side_heading or "Opponent"
    )
    return [
        _board_column(source, lambda match: match),
        *_side_columns(source, 0, first_side_heading or "Player"),
        ListColumn(
            "result", "Result", lambda match: _result_text(source, match), "result"
        ),
        second_points_column,
        *second_detail_columns,
        second_number_column,
    ]


def _side_columns(source: ListSource, index: int, head: str) -> list[ListColumn]:
    """Return the columns of the player with one side: number, name and so on, points.

    `index` is 0 for the first side and 1 for the second; `head` is the heading of the
    names, and in small letters the prefix of the keys. Rows are `MatchView`; for the
    second side of a bye the name's cell says why there is a bye, and the others are "".
    `source` has the event.
    """
    key_prefix = head.lower()
    shown_keys = choose_columns(source, USUAL)
    name_of = titled_name(source, "title" in shown_keys)
    number_of = source.event.start_numbers.tolist().__getitem__

    def of_player(cell: Callable[[int], Cell]) -> Callable[[MatchView], Cell]:
        """Return the function from a match to a cell of the player with this side.

        `cell` is a function of the player's position in the event. The cell is "" if a
        bye leaves this side empty.
        """
        return lambda match: (
            cell(source.event.index[match.players[index]])
            if index < len(match.players)
            else ""
        )

    def name(match: MatchView) -> Cell:
        """Return the player's name in `match`, or why the opponent has a bye."""
        if index < len(match.players):
            return name_of(source.event.index[match.players[index]])
        return match.bye

    columns_of_side = [
        ListColumn(
            f"{key_prefix}_start", "No.", of_player(number_of), "number", "Start number"
        ),
        ListColumn(key_prefix, head, name, "name"),
    ]
    if "federation" in shown_keys:
        federation_of = of_player(player_cell(source, "federation"))
        columns_of_side.append(
            ListColumn(
                f"{key_prefix}_federation", "FED", federation_of, meaning="Federation"
            )
        )
    if "rating" in shown_keys:
        rating_of = of_player(player_cell(source, "rating"))
        columns_of_side.append(
            ListColumn(f"{key_prefix}_rating", "Rtg", rating_of, "number", "Rating")
        )
    points_head = "Points before the round"
    columns_of_side.append(
        ListColumn(
            f"{key_prefix}_points",
            "Pts.",
            lambda match: match.points[index] if index < len(match.points) else "",
            "number",
            points_head,
        )
    )
    return columns_of_side


def _board_column(source: ListSource, match_of: Callable[..., MatchView]) -> ListColumn:
    """Return the column of the board's number, which is headed "Table" outside chess.

    `match_of` is a function from a row of the list to its match. `source` has the
    event.
    """
    is_chess = source.event.chess
    board_heading = "Bo." if is_chess else "Table"
    return ListColumn(
        "table",
        board_heading,
        lambda row: match_of(row).table,
        "number",
        "Board" if is_chess else "",
    )


def _result_text(source: ListSource, match: MatchView) -> str:
    """Return the result of a match with the sign ½, or the points of a bye.

    It is "" while there is no result, and "adjourned" for a game that is not finished.
    `source` has the event and the round.
    """
    if not match.bye and match.is_adjourned:
        return "adjourned"
    if not match.bye:
        return with_half_signs(match.score)
    player_rounds = source.event.turns
    round_index = source.round - 1
    if round_index >= player_rounds.points.shape[1]:
        return ""
    scaled_points = player_rounds.points[
        source.event.index[match.players[0]], round_index
    ]
    return half_text(source, int(scaled_points))


def half_text(source: ListSource, scaled_points: int) -> str:
    """Return scaled points as text with the sign ½: "1½", "½" or "3".

    `source` has the event.
    """
    points_text = source.event.points_text(scaled_points)
    if not points_text.endswith(".5"):
        return points_text
    whole_points = points_text.removesuffix(".5")
    return "½" if whole_points == "0" else f"{whole_points}½"


def by_board(source: ListSource) -> Sequence[ListSection]:
    """Return one section with the matches of the round by board, then its byes.

    A row is a `MatchView`. `source` has the event and the round.
    """
    return [ListSection("", round_view(source.event, source.round).lines)]


def name_columns(source: ListSource) -> Sequence[ListColumn]:
    """Return the columns of a list of players: number, name, board, side and opponent.

    Federation and side are there only if the event has them. Rows are `Seat`. `source`
    has the event.
    """
    event = source.event
    shown_keys = choose_columns(source, USUAL)
    name_of = titled_name(source, "title" in shown_keys)
    number_of = event.start_numbers.tolist()

    def opponent(seat: Seat) -> Cell:
        """Return the name of the opponent in a seat, or why there is none."""
        if seat.match.bye:
            return seat.match.bye
        return name_of(event.index[seat.match.players[1 - seat.is_second]])

    columns_of_names = [
        ListColumn(
            "start",
            "No.",
            lambda seat: number_of[event.index[seat.player]],
            "number",
            "Start number",
        ),
        ListColumn(
            "name", "Name", lambda seat: name_of(event.index[seat.player]), "name"
        ),
    ]
    if "federation" in shown_keys:
        federation_of = player_cell(source, "federation")
        columns_of_names.append(
            ListColumn(
                "federation",
                "FED",
                lambda seat: federation_of(event.index[seat.player]),
                meaning="Federation",
            )
        )
    columns_of_names.append(_board_column(source, lambda seat: seat.match))
    if event.sided:
        side_headings = sides_of(event)
        columns_of_names.append(
            ListColumn(
                "side",
                "Side",
                lambda seat: "" if seat.match.bye else side_headings[seat.is_second],
            )
        )
    return [*columns_of_names, ListColumn("opponent", "Opponent", opponent, "name")]


def by_name(source: ListSource) -> Sequence[ListSection]:
    """Return one section with the seats of all players of the round, from A to Z.

    A row is a `Seat`; players who are not in the round have none. `source` has the
    event and the round.
    """
    seats = [
        Seat(match, bool(seat_index))
        for match in round_view(source.event, source.round).lines
        for seat_index in range(len(match.players))
    ]
    name_by_player = source.event.called
    return [
        ListSection(
            "",
            sorted(
                seats, key=lambda seat: alphabetical_key(name_by_player[seat.player])
            ),
        )
    ]


def find_missing_round(source: ListSource) -> Message | None:
    """Return a message if the round of the list has not been paired.

    Otherwise return None: the list can be made. `source` has the event and the round.
    """
    last_round = source.event.round - 1
    if 1 <= source.round <= last_round:
        return None
    if last_round < 1:
        return message("list.no_round")
    return message("list.unknown_round", round=source.round, last=last_round)


LISTS = (
    PrintedList(
        "pairings",
        "Pairings and results",
        "by board, with federation, rating and points",
        board_columns,
        by_board,
        find_lack=find_missing_round,
        of_round=True,
    ),
    PrintedList(
        "pairings-by-name",
        "Pairings by name",
        "who plays where, from A to Z",
        name_columns,
        by_name,
        find_lack=find_missing_round,
        of_round=True,
        published=False,
    ),
)
