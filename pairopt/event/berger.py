"""Berger tables: the pairings of all rounds of a round robin.

Sources: FIDE Handbook C.05, annex 1 (details of Berger tables); for double round robins
its advice to exchange the last two rounds of the first cycle.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pairopt.common.limits import IN_FORMS

FEWEST, MOST = 3, 40
"""The fewest and the most players of a round robin."""
CYCLES = IN_FORMS["cycles"]
"""The cycles that a round robin may have: everybody meets everybody once or twice."""

TableRow = tuple[int, int]
"""A board: the start numbers of White and Black."""
PlayedRounds = Mapping[int, Mapping[frozenset[int], int]]
"""By round: pairs of start numbers, and which of the two had White, 0 if nobody knows."""


@dataclass(frozen=True)
class BergerComparison:
    """A Berger table, and how rounds that were paired differ from it.

    Attributes
    ----------
    rounds : list of list of (int, int)
        All rounds of the table, with their boards as start numbers of White and Black.
    cycles : int
        How often everybody meets everybody in it.
    is_reversed : bool
        Whether its colours are exchanged.
    differing : list of int
        The rounds with other pairs, from 1, ascending.
    exchanged : list of (int, (int, int))
        Rounds and boards of the table whose two players had the other colours.
    """

    rounds: list[list[TableRow]]
    cycles: int
    is_reversed: bool
    differing: list[int]
    exchanged: list[tuple[int, TableRow]]

    def list_differences(
        self, played: PlayedRounds, number: int
    ) -> tuple[list[TableRow], list[list[int]]]:
        """Return boards of the table that a round lacks, and pairs only in the round.

        `played` are the paired rounds by number, and `number` is the round, which may
        be missing in either. Boards are in the table's order, as (white, black). The
        pairs are ascending lists of two start numbers, in ascending order. Colours
        don't count.
        """
        played_pairs = set(played.get(number, {}))
        boards_of_table = self.rounds[number - 1] if number <= len(self.rounds) else []
        boards_not_played = [
            table_board
            for table_board in boards_of_table
            if frozenset(table_board) not in played_pairs
        ]
        pairs_not_in_table = played_pairs - set(map(frozenset, boards_of_table))
        return boards_not_played, sorted(
            sorted(pair_of_numbers) for pair_of_numbers in pairs_not_in_table
        )


def build_berger_table(
    player_count: int, *, cycles: int = 1, is_reversed: bool = False
) -> list[list[TableRow]]:
    """Return all rounds of a round robin, each with its boards in order.

    Players are start numbers from 1. If their number is odd, the opponent of the
    missing last number has the bye of the round, and no board.

    Parameters
    ----------
    player_count : int
        The number of players, from `FEWEST` to `MOST`.
    cycles : int
        How often everybody meets everybody. In the second cycle all colours are those
        of the first cycle reversed. The last two rounds of the first cycle are then
        exchanged, so that nobody has the same colour three times in a row.
    is_reversed : bool
        Exchange White and Black on every board.

    Returns
    -------
    list of list of (int, int)
        For each round the start numbers of White and Black by board.

    Raises
    ------
    ValueError
        The number of players or cycles is out of range.

    Examples
    --------
    >>> build_berger_table(4)
    [[(1, 4), (2, 3)], [(4, 3), (1, 2)], [(2, 4), (3, 1)]]
    """
    if not FEWEST <= player_count <= MOST or cycles not in CYCLES:
        raise ValueError(f"No Berger table: {player_count} players, {cycles} cycles.")

    rounds_of_first_cycle = [
        [
            table_board
            for table_board in round_boards
            if max(table_board) <= player_count
        ]
        for round_boards in _build_even_rounds(player_count + player_count % 2)
    ]
    if cycles == 1:
        boards_by_round = rounds_of_first_cycle
    else:
        rounds_of_second_cycle = [
            _reverse_colours(round_boards) for round_boards in rounds_of_first_cycle
        ]
        *rounds_before_last_two, next_to_last_round, last_round = rounds_of_first_cycle
        boards_by_round = [
            *rounds_before_last_two,
            last_round,
            next_to_last_round,
            *rounds_of_second_cycle,
        ]
    if is_reversed:
        return [_reverse_colours(round_boards) for round_boards in boards_by_round]
    return boards_by_round


def compare_with_berger_table(
    played: PlayedRounds, player_count: int, cycles: int, is_reversed: bool
) -> BergerComparison:
    """Build a Berger table, and list how paired rounds differ from it.

    The table is for `player_count` players who meet `cycles` times, with all colours
    exchanged if it `is_reversed`. `played` has each round's pairs by number, and who of
    each pair had White, 0 if nobody knows. Rounds after its last one do not differ. A
    round that the table does not have differs. Other colours do not make a round
    differ: such boards are listed in `exchanged`. Raises ValueError if the number of
    players or cycles is out of range.
    """
    table_rounds = build_berger_table(
        player_count, cycles=cycles, is_reversed=is_reversed
    )
    differing_round_numbers = [
        round_number
        for round_number in range(1, max(played, default=0) + 1)
        if round_number > len(table_rounds)
        or set(played.get(round_number, {}))
        != set(map(frozenset, table_rounds[round_number - 1]))
    ]
    boards_with_exchanged_colours = [
        (round_number, table_board)
        for round_number, round_boards in enumerate(table_rounds, 1)
        for table_board in round_boards
        if played.get(round_number, {}).get(frozenset(table_board)) == table_board[1]
    ]
    return BergerComparison(
        table_rounds,
        cycles,
        is_reversed,
        differing_round_numbers,
        boards_with_exchanged_colours,
    )


def find_bye(boards: list[TableRow], player_count: int) -> int | None:
    """Return the lowest number without a board in a round, None if nobody has a bye.

    `boards` are those of one round with start numbers from 1 to `player_count`.
    """
    seated_numbers = {
        start_number for round_board in boards for start_number in round_board
    }
    return next(
        (
            start_number
            for start_number in range(1, player_count + 1)
            if start_number not in seated_numbers
        ),
        None,
    )


def _build_even_rounds(size: int) -> Iterator[list[TableRow]]:
    """Yield the rounds of one cycle for an even number of players.

    A round is a list of boards in order, each as start numbers (white, black); there
    are `size` - 1 rounds. In round 1 number i has White against size + 1 - i. From
    round to round size / 2 is added to every number but the last one, counting in a
    circle from 1 to size - 1. The last number keeps its board and changes its colour.
    """
    circle_size = size - 1
    first_round_boards = [
        (start_number, size + 1 - start_number)
        for start_number in range(1, size // 2 + 1)
    ]
    for round_index in range(circle_size):
        number_shift = round_index * (size // 2)
        shifted_boards = [
            tuple(
                start_number
                if start_number == size
                else (start_number - 1 + number_shift) % circle_size + 1
                for start_number in first_round_board
            )
            for first_round_board in first_round_boards
        ]
        (first_board_number, changing_last_number), *boards_after_first = shifted_boards
        first_board_with_colours = (
            (first_board_number, changing_last_number)
            if round_index % 2 == 0
            else (changing_last_number, first_board_number)
        )
        yield [
            first_board_with_colours,
            *((white, black) for white, black in boards_after_first),
        ]


def _reverse_colours(boards: list[TableRow]) -> list[TableRow]:
    """Return the boards of a round, in their order, with White and Black exchanged."""
    return [(black, white) for white, black in boards]
