"""Round robins in a TRF: which report is one, and whether it has the Berger table.

A report says that it is a round robin in record 192, as a code, or in record 092, in
words. Players who withdrew are in a comment, because TRF has no record for them.
Sources: FIDE Handbook C.02.03, TRF26, and C.05, annex 1 (Berger tables).
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import NamedTuple

import numpy as np

from pairopt.common.limits import parse_digits
from pairopt.event.berger import (
    FEWEST,
    MOST,
    BergerComparison,
    PlayedRounds,
    TableRow,
    compare_with_berger_table,
    find_bye,
)
from pairopt.event.event import Event
from pairopt.event.settings import ROUND_ROBIN, EventSettings
from pairopt.files.csv_schema import MatchRow
from pairopt.files.formats.trf.head import OTHER_TYPES
from pairopt.files.formats.trf.records import MOST_NUMBER, AssignedPoints, TrfRecords
from pairopt.messages import Message, message

CODE = re.compile(r"(FIDE|CUSTOM)_(DOUBLE)?ROUNDROBIN")
"""Codes of record 192. FIDE's are those of its Berger tables; reversed colours have none."""
WORDS = re.compile(r"round.?robin", re.IGNORECASE)
SWISS = re.compile(r"swiss.*?round.?robin", re.IGNORECASE)
"""Words of a Swiss event that names a round robin later, for example as its finals."""
DOUBLE = re.compile(r"double", re.IGNORECASE)
WITHDRAWN = "### Withdrawn:"
LETTER_OF_RESULT = {
    "1": "W",
    "W": "W",
    "=": "D",
    "D": "D",
    "0": "L",
    "L": "L",
    "+": "+",
    "-": "-",
}
"""The letter of record 299 by the result in a player's line."""


class StatedType(NamedTuple):
    """A round robin that a report names: the possible cycles, and the record's code.

    `is_custom` marks a code that is not one of FIDE's. `words` are those of record 092
    if pairopt does not write them by itself.
    """

    cycles: tuple[int, ...]
    code: str
    is_custom: bool
    words: str


@dataclass(frozen=True)
class ReportedRoundRobin:
    """What a report that names a round robin has: its matches, and notes on them.

    `is_berger` is whether the pairings are those of the Berger table. If they are,
    `rows` has all rounds of the table, White first, with table numbers. Otherwise
    `rows` are unchanged. `cycles` and `is_reversed` are those of the table, and
    `rounds` is the number of its rounds, None before round 1 is paired. `bye_points`
    are the points of a bye in the table.
    """

    is_berger: bool
    rows: list[MatchRow]
    notes: tuple[Message, ...]
    cycles: int = 1
    is_reversed: bool = False
    rounds: int | None = None
    words: str = ""
    bye_points: Decimal = Decimal(0)

    def apply_to(self, settings: EventSettings) -> EventSettings:
        """Return a copy of the settings with this round robin's format and table.

        The model is removed, and a type of the tournament that is set stays.
        """
        return replace(
            settings,
            format=ROUND_ROBIN,
            model=None,
            rounds=self.rounds,
            cycles=2 if self.cycles == 2 else None,
            reversed=self.is_reversed or None,
            numbers="start",
            tournament_type=settings.tournament_type or self.words,
        )


def parse_stated_type(records: TrfRecords) -> StatedType | None:
    """Return the round robin that a report names, None if it names none.

    A code in record 192 counts more than words in record 092. Words that name another
    system first, such as "Team Round-Robin", are not a round robin of single players.
    """
    record_texts = [record.text for record in records.iterate_records("092")]
    type_text = next(
        (
            " ".join(record_text.split())
            for record_text in record_texts
            if record_text.strip()
        ),
        "",
    )
    stated_words = (
        "" if type_text in (_choose_type_words(1), _choose_type_words(2)) else type_text
    )
    system_codes = [
        code_word.text.upper() for code_word in records.iterate_first_words("192")
    ]
    if system_codes:
        code_match = CODE.fullmatch(system_codes[0])
        if code_match is None:
            return None
        cycles = 2 if code_match[2] else 1
        return StatedType((cycles,), "192", code_match[1] == "CUSTOM", stated_words)

    named_systems = OTHER_TYPES.findall(type_text)
    if (
        not named_systems
        or not WORDS.fullmatch(named_systems[0])
        or SWISS.search(type_text)
    ):
        return None
    # Not every program says that a round robin is a double one, and "double" can be
    # about something else, such as two rounds on one day. The pairings decide.
    cycles_of_words = (2, 1) if DOUBLE.search(type_text) else (1, 2)
    return StatedType(cycles_of_words, "092", False, stated_words)


def parse_withdrawn(lines: Iterable[str], starts: Collection[int]) -> set[int]:
    """Return the starting numbers in comments of pairopt on players who withdrew.

    Other lines have none, and numbers that are not in `starts` make a comment count as
    none.
    """
    return {
        starting_number
        for line in lines
        for starting_number in parse_withdrawn_line(line, starts)
    }


def parse_withdrawn_line(line: str, starts: Collection[int]) -> set[int]:
    """Return the starting numbers in a comment on players who withdrew.

    Any other line has none. Nor has an arbiter's comment with other words or numbers,
    such as "4 after round 2": nobody can say which of its numbers are players.
    """
    if not line.startswith(WITHDRAWN):
        return set()
    number_words = line[len(WITHDRAWN) :].split()
    parsed_numbers = [
        parse_digits(number_word, MOST_NUMBER) for number_word in number_words
    ]
    known_starts = {
        starting_number
        for starting_number in parsed_numbers
        if starting_number is not None and starting_number in starts
    }
    return (
        known_starts
        if all(starting_number in known_starts for starting_number in parsed_numbers)
        else set()
    )


def find_round_robin(
    records: TrfRecords, rows: Sequence[MatchRow], withdrawn: Collection[int]
) -> ReportedRoundRobin | None:
    """Compare a report with the Berger table; None if it names no round robin.

    `rows` are all matches and byes of the report, and `withdrawn` the starting numbers
    of players who withdrew. The result says whether the report has the table. It does
    not with too few or too many players, another number of rounds or other pairings; a
    note then says why.
    """
    stated_type = parse_stated_type(records)
    if stated_type is None:
        return None

    participants = _find_participants(records, rows, withdrawn)
    if not FEWEST <= len(participants) <= MOST:
        reason_note = message(
            "trf.round_robin_players",
            code=stated_type.code,
            count=len(participants),
            fewest=FEWEST,
            most=MOST,
        )
        return ReportedRoundRobin(False, [*rows], (reason_note,))
    played_rounds = _collect_rounds(rows, participants)
    if not played_rounds:
        # No pairing says which table another program would use.
        if stated_type.is_custom:
            reason_note = message("trf.round_robin_custom", code=stated_type.code)
            return ReportedRoundRobin(False, [*rows], (reason_note,))
        cycles = _choose_cycles_of_rounds(
            stated_type, len(participants), records.rounds
        )
        reason_note = message("trf.round_robin_unpaired", code=stated_type.code)
        return ReportedRoundRobin(
            True, [*rows], (reason_note,), cycles, words=stated_type.words
        )

    # FIDE's codes are those of its own table, but the colours that were played count.
    comparisons = [
        compare_with_berger_table(played_rounds, len(participants), cycles, is_reversed)
        for cycles in stated_type.cycles
        for is_reversed in (stated_type.is_custom, not stated_type.is_custom)
    ]
    planned_rounds = records.rounds
    fitting_comparisons = [
        comparison for comparison in comparisons if not comparison.differing
    ]
    if not fitting_comparisons:
        nearest_comparison = min(
            comparisons, key=lambda comparison: len(comparison.differing)
        )
        return ReportedRoundRobin(
            False,
            [*rows],
            (
                _describe_difference(
                    stated_type, nearest_comparison, played_rounds, participants
                ),
            ),
        )
    # With several tables, the number of rounds says which one it is.
    comparisons_of_length = [
        comparison
        for comparison in fitting_comparisons
        if planned_rounds in (None, len(comparison.rounds))
    ]
    if not comparisons_of_length:
        reason_note = message(
            "trf.round_robin_rounds",
            code=stated_type.code,
            count=len(participants),
            rounds=len(fitting_comparisons[0].rounds),
            planned=planned_rounds,
        )
        return ReportedRoundRobin(False, [*rows], (reason_note,))
    comparison = min(
        comparisons_of_length, key=lambda comparison: len(comparison.exchanged)
    )
    other_rows = [
        match_row
        for match_row in rows
        if not match_row.player2 and int(match_row.player1) not in participants
    ]
    bye_points = _find_bye_points(
        match_row for match_row in rows if match_row not in other_rows
    )
    return ReportedRoundRobin(
        True,
        [*_build_rows(rows, comparison.rounds, participants, bye_points), *other_rows],
        tuple(_describe_comparison(comparison, played_rounds, participants)),
        comparison.cycles,
        comparison.is_reversed,
        len(comparison.rounds),
        stated_type.words,
        bye_points,
    )


def _find_bye_points(rows: Iterable[MatchRow]) -> Decimal:
    """Return the points of a bye in a report: those of allocated byes, if there are any.

    Otherwise they are the points that all byes give. Byes give none if they differ, and
    if there are no byes.
    """
    byes = [match_row for match_row in rows if not match_row.player2]
    allocated_byes = [match_row for match_row in byes if match_row.status == "bye"]
    distinct_points = {
        match_row.score1 or Decimal(0) for match_row in allocated_byes or byes
    }
    return distinct_points.pop() if len(distinct_points) == 1 else Decimal(0)


def _find_participants(
    records: TrfRecords, rows: Sequence[MatchRow], withdrawn: Collection[int]
) -> list[int]:
    """Return the starting numbers of the players in the table, in order.

    A player who withdrew and has no match, only byes, took no part from the start.
    """
    paired_starts = {
        int(player)
        for match_row in rows
        if match_row.player2
        for player in (match_row.player1, match_row.player2)
    }
    return sorted(paired_starts | (set(records.starts) - set(withdrawn)))


def _describe_comparison(
    comparison: BergerComparison, played: PlayedRounds, numbers: Sequence[int]
) -> Iterator[Message]:
    """Yield notes on a table that a report has: its rounds, and differences.

    These are added rounds, and boards with exchanged colours. `numbers` are the
    starting numbers of the players in the table.
    """
    message_kind = "trf.berger_reversed" if comparison.is_reversed else "trf.berger"
    yield message(message_kind, rounds=len(comparison.rounds), count=len(numbers))
    if len(played) < len(comparison.rounds):
        yield message(
            "trf.berger_filled", played=len(played), rounds=len(comparison.rounds)
        )
    if comparison.exchanged:
        shown_boards = [
            f"{_format_board(board, numbers)} (round {round_number})"
            for round_number, board in comparison.exchanged
        ]
        yield message("trf.berger_colours", boards=shown_boards)


def _choose_cycles_of_rounds(
    stated: StatedType, player_count: int, planned: int | None
) -> int:
    """Return the cycles of a round robin whose rounds are not paired yet.

    They are the stated ones with the planned number of rounds, otherwise the first
    stated ones.
    """
    rounds_of_cycle = player_count - 1 + player_count % 2
    return next(
        (cycles for cycles in stated.cycles if planned == cycles * rounds_of_cycle),
        stated.cycles[0],
    )


def _collect_rounds(rows: Sequence[MatchRow], numbers: Sequence[int]) -> PlayedRounds:
    """Return the pairs of each round with the player who has White, 0 if unknown.

    Players are numbered from 1 in the order of `numbers`, their starting numbers. Byes
    are left out.
    """
    number_by_start = {
        start: table_number for table_number, start in enumerate(numbers, 1)
    }
    rounds_of_pairs: dict[int, dict[frozenset[int], int]] = {}
    for match_row in rows:
        if not match_row.player2:
            continue
        first_number, second_number = (
            number_by_start[int(player)]
            for player in (match_row.player1, match_row.player2)
        )
        white_number = {"white": first_number, "black": second_number}.get(
            match_row.side1, 0
        )
        rounds_of_pairs.setdefault(match_row.round, {})[
            frozenset((first_number, second_number))
        ] = white_number
    return rounds_of_pairs


def _format_board(board: Iterable[int], numbers: Sequence[int]) -> str:
    """Return the two players of a board by starting numbers, such as "2-5".

    `board` has their numbers in the table, from 1.
    """
    return "-".join(str(numbers[player - 1]) for player in board)


def _describe_difference(
    stated: StatedType,
    comparison: BergerComparison,
    played: PlayedRounds,
    numbers: Sequence[int],
) -> Message:
    """Return a note on the first round in which a report differs from the table.

    It names the boards of the table that the report does not have, and those that only
    the report has, by starting numbers.
    """
    round_number = comparison.differing[0]
    missing_boards, further_boards = comparison.list_differences(played, round_number)

    def show(rows: Iterable[Iterable[int]]) -> str:
        """Return boards by starting numbers, such as "2-5, 3-4"; "none" without any."""
        return ", ".join(_format_board(row, numbers) for row in rows) or "none"

    return message(
        "trf.not_berger",
        code=stated.code,
        count=len(numbers),
        differ=len(comparison.differing),
        rounds=len(comparison.rounds),
        round=round_number,
        expected=show(missing_boards),
        found=show(further_boards),
    )


def _build_rows(
    rows: Sequence[MatchRow],
    table: Sequence[list[TableRow]],
    numbers: Sequence[int],
    bye_points: Decimal,
) -> Iterator[MatchRow]:
    """Yield the rows of all rounds of a table, with the results that a report has.

    White is the first player. A match that the report does not have has no result. A
    player without a board has a bye, which gives `bye_points`. A bye that gives other
    points in the report stays a requested bye.
    """
    row_by_pair = {
        (match_row.round, frozenset((match_row.player1, match_row.player2))): match_row
        for match_row in rows
    }
    for round_number, boards in enumerate(table, 1):
        for table_number, (white, black) in enumerate(boards, 1):
            identifiers = str(numbers[white - 1]), str(numbers[black - 1])
            match_row = row_by_pair.get((round_number, frozenset(identifiers)))
            if match_row is None:
                yield MatchRow(round_number, *identifiers, table_number, "white")
                continue
            if match_row.player1 != identifiers[0]:
                other_side = {"white": "black", "black": "white"}.get(
                    match_row.side1, ""
                )
                match_row = replace(
                    match_row,
                    player1=match_row.player2,
                    player2=match_row.player1,
                    side1=other_side,
                    score1=match_row.score2,
                    score2=match_row.score1,
                )
            yield replace(
                match_row, table=table_number, side1=match_row.side1 or "white"
            )
        bye_number = find_bye(boards, len(numbers))
        if bye_number is not None:
            player = str(numbers[bye_number - 1])
            bye_row = row_by_pair.get((round_number, frozenset((player, ""))))
            if bye_row is None:
                bye_row = MatchRow(round_number, player, score1=bye_points)
            if bye_row.score1 == bye_points:
                bye_row = replace(bye_row, status="bye")
            yield bye_row


def find_annulled_records(
    assigned: Iterable[AssignedPoints], annulled: Collection[tuple[int, int]]
) -> list[AssignedPoints]:
    """Return the records 299 that only say that an annulled result counts for nobody.

    They give 0 points for the result of one player in one round. `annulled` are pairs
    of a round and a starting number.
    """
    return [
        assigned_record
        for assigned_record in assigned
        if assigned_record.kind
        and not assigned_record.points
        and len(assigned_record.starts) == 1
        and (assigned_record.round, assigned_record.starts[0]) in annulled
    ]


def find_annulled_results(
    rows: Sequence[MatchRow], withdrawn: Collection[int]
) -> set[tuple[int, int]]:
    """Return rounds and starting numbers of players in games that count for nobody.

    These are all games of a player who withdrew before half of them were played.
    """
    games = [match_row for match_row in rows if match_row.player2]
    annulled: set[tuple[int, int]] = set()
    for start in withdrawn:
        games_of_player = [
            match_row
            for match_row in games
            if str(start) in (match_row.player1, match_row.player2)
        ]
        played_games = [
            match_row
            for match_row in games_of_player
            if match_row.score1 is not None and not match_row.status
        ]
        if 2 * len(played_games) < len(games_of_player):
            annulled |= {
                (match_row.round, int(player))
                for match_row in games_of_player
                for player in (match_row.player1, match_row.player2)
            }
    return annulled


def format_type(settings: EventSettings) -> Iterator[str]:
    """Yield the type of a round robin in words (record 092) and as a code (192).

    Nothing is yielded for other formats.
    """
    if settings.is_round_robin:
        yield f"092 {settings.tournament_type or _choose_type_words(settings.cycles)}"
        prefix = "CUSTOM" if settings.reversed else "FIDE"
        yield f"192 {prefix}_{'DOUBLE' if settings.cycles == 2 else ''}ROUNDROBIN"


def format_withdrawn(event: Event, numbers: Sequence[int]) -> Iterator[str]:
    """Yield a comment on the players who withdrew from a round robin, if there are any.

    `numbers` are the starting numbers.
    """
    if event.settings.is_round_robin and event.declared_active is not None:
        withdrawn = np.flatnonzero(~event.declared_active).tolist()
        if withdrawn:
            withdrawn_numbers = sorted(numbers[player] for player in withdrawn)
            yield f"{WITHDRAWN} {' '.join(map(str, withdrawn_numbers))}"


def _choose_type_words(cycles: int | None) -> str:
    """Return the words of record 092 that pairopt writes for a round robin."""
    return "Double Round-Robin" if cycles == 2 else "Round-Robin"
