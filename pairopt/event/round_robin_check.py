"""Compare the rounds of a round robin with its Berger table."""

from dataclasses import dataclass

import numpy as np

from pairopt.errors import UsageError
from pairopt.event.berger import (
    FEWEST,
    MOST,
    BergerComparison,
    compare_with_berger_table,
)
from pairopt.event.event import Event
from pairopt.messages import Message, message


@dataclass(frozen=True)
class RoundRobinCheck:
    """What a comparison of a round robin with its Berger table finds.

    Attributes
    ----------
    comparison : BergerComparison
        The table, and the rounds and boards that differ from it.
    notes : tuple of Message
        One message per round with other pairs, or one that all rounds agree; then one
        on games with other colours.
    """

    comparison: BergerComparison
    notes: tuple[Message, ...]

    @property
    def agrees(self) -> bool:
        """Whether all rounds have the pairs of the table."""
        return not self.comparison.differing

    def to_dict(self) -> dict[str, object]:
        """Return the check for JSON: `agrees`, `differing_rounds`, and `notes`.

        Notes are English texts.
        """
        return {
            "agrees": self.agrees,
            "differing_rounds": self.comparison.differing,
            "notes": [str(check_note) for check_note in self.notes],
        }


def check_round_robin(event: Event) -> RoundRobinCheck:
    """Compare all rounds of a round robin with the Berger table.

    The table has the settings' cycles and colours. Players are numbered from 1 in the
    order of their start numbers; the messages show the start numbers themselves. Those
    who have no match in any round are not in the table. A round of the table that the
    event lacks differs. Raises UsageError if a Berger table cannot have so many
    players.
    """
    game_rows = event.matches.take(event.matches.second >= 0)
    participant_positions = np.unique(
        np.concatenate([game_rows.first, game_rows.second])
    )
    players_by_start_number = participant_positions[
        np.argsort(event.start_numbers[participant_positions])
    ].tolist()
    if not FEWEST <= len(players_by_start_number) <= MOST:
        raise UsageError(
            "round_robin.players",
            count=len(players_by_start_number),
            fewest=FEWEST,
            most=MOST,
        )
    berger_number_by_player = {
        player_position: berger_number
        for berger_number, player_position in enumerate(players_by_start_number, 1)
    }
    start_number_by_berger_number = {
        berger_number: int(event.start_numbers[player_position])
        for player_position, berger_number in berger_number_by_player.items()
    }
    white_by_pair_by_round: dict[int, dict[frozenset[int], int]] = {}
    columns_of_games = zip(
        game_rows.round.tolist(),
        game_rows.first.tolist(),
        game_rows.second.tolist(),
        game_rows.side.tolist(),
        strict=True,
    )
    for (
        round_number,
        first_position,
        second_position,
        first_player_side,
    ) in columns_of_games:
        berger_number_pair = (
            berger_number_by_player[first_position],
            berger_number_by_player[second_position],
        )
        berger_number_of_white = (
            berger_number_pair[first_player_side] if first_player_side >= 0 else 0
        )
        white_by_pair_by_round.setdefault(round_number, {})[
            frozenset(berger_number_pair)
        ] = berger_number_of_white
    cycle_count = event.settings.cycles or 1
    white_by_pair_by_round.setdefault(
        cycle_count
        * (len(players_by_start_number) - 1 + len(players_by_start_number) % 2),
        {},
    )
    berger_comparison = compare_with_berger_table(
        white_by_pair_by_round,
        len(players_by_start_number),
        cycle_count,
        bool(event.settings.reversed),
    )

    def format_board(board: "tuple[int, ...] | list[int]") -> str:
        """Return a board as text by start numbers, such as "2-5".

        `board` has the Berger numbers of its two players. A Berger number is the
        player's place, from 1, in the order of start numbers.
        """
        return "-".join(
            str(start_number_by_berger_number[berger_number]) for berger_number in board
        )

    check_notes = []
    for round_number in berger_comparison.differing:
        boards_not_played, pairs_not_in_table = berger_comparison.list_differences(
            white_by_pair_by_round, round_number
        )
        difference_note = message(
            "checked.not_berger",
            round=round_number,
            expected=[
                format_board(board_not_played) for board_not_played in boards_not_played
            ]
            or ["none"],
            found=[
                format_board([*berger_number_pair])
                for berger_number_pair in pairs_not_in_table
            ]
            or ["none"],
        )
        check_notes.append(difference_note)
    if not check_notes:
        check_notes.append(
            message(
                "checked.berger",
                rounds=len(white_by_pair_by_round),
                count=len(players_by_start_number),
            )
        )
    if berger_comparison.exchanged:
        texts_of_exchanged_boards = [
            f"{format_board(exchanged_board)} (round {exchanged_round})"
            for exchanged_round, exchanged_board in berger_comparison.exchanged
        ]
        check_notes.append(
            message("checked.berger_colours", boards=texts_of_exchanged_boards)
        )
    return RoundRobinCheck(berger_comparison, tuple(check_notes))
