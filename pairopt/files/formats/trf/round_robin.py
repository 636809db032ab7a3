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
    """A round robin that a report names, in a code or in words.

    `cycles` are the possible numbers of cycles, the likelier one first. `code` is the
    code of the record that names it, "192" or "092". `is_custom` marks a system code
    that is not one of FIDE's. `words` is the text of record 092, "" if pairopt writes
    the same by itself.
    """

    cycles: tuple[int, ...]
    code: str
    is_custom: bool
    words: str


@dataclass(frozen=True)
class ReportedRoundRobin:
    """What a report that names a round robin has: its matches, and notes on them.

    `is_berger` is whether the pairings are those of the Berger table, or none are made
    yet. With pairings of the table, `rows` has all its rounds, White first, with table
    numbers; otherwise it has the unchanged matches. `cycles` and `is_reversed` are
    those of the table. `rounds` is the number of its rounds, None before round 1 is
    paired. `words` is the type of the tournament in the report, "" if pairopt writes
    the same by itself. `bye_points` are the points of a bye in the table.
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

    `records` are those of the report. A code in record 192 has priority over words in
    record 092; an unknown code gives None. Words that name another system first, such
    as "Team Round-Robin", are not a round robin of single players.
    """
    record_texts = [trf_record.text for trf_record in records.iterate_records("092")]
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
        cycle_count = 2 if code_match[2] else 1
        return StatedType(
            (cycle_count,), "192", code_match[1] == "CUSTOM", stated_words
        )

    named_systems = OTHER_TYPES.findall(type_text)
    if (
        not named_systems
        or not WORDS.fullmatch(named_systems[0])
        or SWISS.search(type_text)
    ):
        return None
    # Not every program says that a round robin is a double one, and "double" can be
    # about something else, such as two rounds on one day. The pairings decide.
    possible_cycles = (2, 1) if DOUBLE.search(type_text) else (1, 2)
    return StatedType(possible_cycles, "092", False, stated_words)


def parse_withdrawn(lines: Iterable[str], starts: Collection[int]) -> set[int]:
    """Return the starting numbers in pairopt's comments on players who withdrew.

    Other lines are ignored, and so are comments with a number that is not in `starts`.
    """
    return {
        starting_number
        for comment_line in lines
        for starting_number in parse_withdrawn_line(comment_line, starts)
    }


def parse_withdrawn_line(line: str, starts: Collection[int]) -> set[int]:
    """Return the starting numbers in a comment on players who withdrew.

    Any other line gives an empty set. So does an arbiter's comment with other words, or
    with numbers that are not in `starts`, such as "4 after round 2": nobody can say
    which of its numbers are players.
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

    `records` are the report's lines besides players, `rows` all its matches and byes,
    and `withdrawn` the starting numbers of players who withdrew. `is_berger` of the
    result says whether the report has the table. It is False with too few or too many
    players, another number of rounds or other pairings; a note then says why. Before
    any match is paired it is True, but False for a system code that is not one of
    FIDE's.
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
        cycle_count = _choose_cycles_of_rounds(
            stated_type, len(participants), records.rounds
        )
        reason_note = message("trf.round_robin_unpaired", code=stated_type.code)
        return ReportedRoundRobin(
            True, [*rows], (reason_note,), cycle_count, words=stated_type.words
        )

    # FIDE's codes are those of its own table, but the colours that were played count.
    table_comparisons = [
        compare_with_berger_table(
            played_rounds, len(participants), cycle_count, is_reversed
        )
        for cycle_count in stated_type.cycles
        for is_reversed in (stated_type.is_custom, not stated_type.is_custom)
    ]
    planned_rounds = records.rounds
    equal_comparisons = [
        table_comparison
        for table_comparison in table_comparisons
        if not table_comparison.differing
    ]
    if not equal_comparisons:
        nearest_comparison = min(
            table_comparisons,
            key=lambda table_comparison: len(table_comparison.differing),
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
    comparisons_with_rounds = [
        table_comparison
        for table_comparison in equal_comparisons
        if planned_rounds in (None, len(table_comparison.rounds))
    ]
    if not comparisons_with_rounds:
        reason_note = message(
            "trf.round_robin_rounds",
            code=stated_type.code,
            count=len(participants),
            rounds=len(equal_comparisons[0].rounds),
            planned=planned_rounds,
        )
        return ReportedRoundRobin(False, [*rows], (reason_note,))
    table_comparison = min(
        comparisons_with_rounds,
        key=lambda table_comparison: len(table_comparison.exchanged),
    )
    absentee_rows = [
        match_row
        for match_row in rows
        if not match_row.player2 and int(match_row.player1) not in participants
    ]
    bye_points = _find_bye_points(
        match_row for match_row in rows if match_row not in absentee_rows
    )
    return ReportedRoundRobin(
        True,
        [
            *_build_rows(rows, table_comparison.rounds, participants, bye_points),
            *absentee_rows,
        ],
        tuple(_describe_comparison(table_comparison, played_rounds, participants)),
        table_comparison.cycles,
        table_comparison.is_reversed,
        len(table_comparison.rounds),
        stated_type.words,
        bye_points,
    )


def _find_bye_points(rows: Iterable[MatchRow]) -> Decimal:
    """Return the points of a bye in a report.

    `rows` are the matches and byes. The result is the points of pairing-allocated byes
    if there are any, otherwise those of all byes. It is 0 if these byes differ in
    points, and if there are no byes.
    """
    bye_rows = [match_row for match_row in rows if not match_row.player2]
    allocated_bye_rows = [
        match_row for match_row in bye_rows if match_row.status == "bye"
    ]
    distinct_points = {
        match_row.score1 or Decimal(0) for match_row in allocated_bye_rows or bye_rows
    }
    return distinct_points.pop() if len(distinct_points) == 1 else Decimal(0)


def _find_participants(
    records: TrfRecords, rows: Sequence[MatchRow], withdrawn: Collection[int]
) -> list[int]:
    """Return the starting numbers of the players in the table, sorted.

    `records` have the numbers of all players, and `rows` the matches and byes. A player
    in `withdrawn` who has no match is left out, because they took no part from the
    start.
    """
    paired_starts = {
        int(start_text)
        for match_row in rows
        if match_row.player2
        for start_text in (match_row.player1, match_row.player2)
    }
    return sorted(paired_starts | (set(records.starts) - set(withdrawn)))


def _describe_comparison(
    comparison: BergerComparison, played: PlayedRounds, numbers: Sequence[int]
) -> Iterator[Message]:
    """Yield notes on a table that a report has: its rounds, and differences.

    `comparison` compares the report with the table. `played` are the pairs by round,
    and `numbers` the starting numbers of the players in the table. Differences are
    rounds that the report lacks, and boards with exchanged colours; without any there
    is one note.
    """
    message_kind = "trf.berger_reversed" if comparison.is_reversed else "trf.berger"
    yield message(message_kind, rounds=len(comparison.rounds), count=len(numbers))
    if len(played) < len(comparison.rounds):
        yield message(
            "trf.berger_filled", played=len(played), rounds=len(comparison.rounds)
        )
    if comparison.exchanged:
        shown_boards = [
            f"{_format_board(exchanged_board, numbers)} (round {round_number})"
            for round_number, exchanged_board in comparison.exchanged
        ]
        yield message("trf.berger_colours", boards=shown_boards)


def _choose_cycles_of_rounds(
    stated: StatedType, player_count: int, planned: int | None
) -> int:
    """Return the number of cycles of a round robin whose rounds are not paired yet.

    `stated` has the possible numbers, and `player_count` is the number of players. The
    result is the stated one that gives the `planned` number of rounds, otherwise the
    first stated one. `planned` is None without a planned number.
    """
    rounds_of_cycle = player_count - 1 + player_count % 2
    return next(
        (
            cycle_count
            for cycle_count in stated.cycles
            if planned == cycle_count * rounds_of_cycle
        ),
        stated.cycles[0],
    )


def _collect_rounds(rows: Sequence[MatchRow], numbers: Sequence[int]) -> PlayedRounds:
    """Return the pairs of each round with the player who has White, 0 if unknown.

    `rows` are matches and byes; byes are left out. `numbers` are the starting numbers;
    the result numbers players from 1 in that order. Keys are rounds, then sets of two
    such numbers. A round without matches is missing.
    """
    number_by_start = {
        starting_number: table_number
        for table_number, starting_number in enumerate(numbers, 1)
    }
    white_by_round_and_pair: dict[int, dict[frozenset[int], int]] = {}
    for match_row in rows:
        if not match_row.player2:
            continue
        first_number, second_number = (
            number_by_start[int(start_text)]
            for start_text in (match_row.player1, match_row.player2)
        )
        white_number = {"white": first_number, "black": second_number}.get(
            match_row.side1, 0
        )
        white_by_round_and_pair.setdefault(match_row.round, {})[
            frozenset((first_number, second_number))
        ] = white_number
    return white_by_round_and_pair


def _format_board(board: Iterable[int], numbers: Sequence[int]) -> str:
    """Return the two players of a board by starting numbers, such as "2-5".

    `board` has their numbers in the table, from 1.
    """
    return "-".join(str(numbers[number_in_table - 1]) for number_in_table in board)


def _describe_difference(
    stated: StatedType,
    comparison: BergerComparison,
    played: PlayedRounds,
    numbers: Sequence[int],
) -> Message:
    """Return a note on the first round in which a report differs from the table.

    `stated` is how the report names the round robin, `comparison` has at least one
    round that differs, `played` are the pairs by round, and `numbers` the starting
    numbers of the players in the table. The note names the boards of the table that the
    report does not have, and those that only the report has, by starting numbers.
    """
    round_number = comparison.differing[0]
    missing_boards, further_boards = comparison.list_differences(played, round_number)

    def show(rows: Iterable[Iterable[int]]) -> str:
        """Return boards by starting numbers, such as "2-5, 3-4"; "none" without any.

        Each of `rows` has the two numbers of a board in the table, from 1.
        """
        return ", ".join(_format_board(board, numbers) for board in rows) or "none"

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

    `rows` are the matches and byes of the report, `table` has the boards of each round,
    and `numbers` are the starting numbers of the players in the table. White is the
    first player; a match with exchanged colours keeps its sides. A match that the
    report does not have has no result. A player without a board has a bye, which gives
    `bye_points`. A bye that gives other points in the report keeps its status there.
    """
    row_by_pair = {
        (match_row.round, frozenset((match_row.player1, match_row.player2))): match_row
        for match_row in rows
    }
    for round_number, table_rows in enumerate(table, 1):
        for table_number, (white_number, black_number) in enumerate(table_rows, 1):
            identifiers = str(numbers[white_number - 1]), str(numbers[black_number - 1])
            match_row = row_by_pair.get((round_number, frozenset(identifiers)))
            if match_row is None:
                yield MatchRow(round_number, *identifiers, table_number, "white")
                continue
            if match_row.player1 != identifiers[0]:
                swapped_side = {"white": "black", "black": "white"}.get(
                    match_row.side1, ""
                )
                match_row = replace(
                    match_row,
                    player1=match_row.player2,
                    player2=match_row.player1,
                    side1=swapped_side,
                    score1=match_row.score2,
                    score2=match_row.score1,
                )
            yield replace(
                match_row, table=table_number, side1=match_row.side1 or "white"
            )
        bye_number = find_bye(table_rows, len(numbers))
        if bye_number is not None:
            bye_player = str(numbers[bye_number - 1])
            bye_row = row_by_pair.get((round_number, frozenset((bye_player, ""))))
            if bye_row is None:
                bye_row = MatchRow(round_number, bye_player, score1=bye_points)
            if bye_row.score1 == bye_points:
                bye_row = replace(bye_row, status="bye")
            yield bye_row


def find_annulled_records(
    assigned: Iterable[AssignedPoints], annulled: Collection[tuple[int, int]]
) -> list[AssignedPoints]:
    """Return the records 299 that only say that an annulled result counts for nobody.

    `assigned` are all records 299. Such a record has a letter, and gives 0 points to
    one player in one round. `annulled` are pairs of a round and a starting number.
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

    `rows` are all matches and byes of the round robin, also those to come, and
    `withdrawn` are starting numbers. The games are all those of a player who withdrew
    before half of them were played, once for each of the two players. A forfeit is not
    played.
    """
    matches_of_two = [match_row for match_row in rows if match_row.player2]
    annulled_rounds_and_starts: set[tuple[int, int]] = set()
    for withdrawn_start in withdrawn:
        games_of_player = [
            match_row
            for match_row in matches_of_two
            if str(withdrawn_start) in (match_row.player1, match_row.player2)
        ]
        played_games = [
            match_row
            for match_row in games_of_player
            if match_row.score1 is not None and not match_row.status
        ]
        if 2 * len(played_games) < len(games_of_player):
            annulled_rounds_and_starts |= {
                (match_row.round, int(start_text))
                for match_row in games_of_player
                for start_text in (match_row.player1, match_row.player2)
            }
    return annulled_rounds_and_starts


def format_type(settings: EventSettings) -> Iterator[str]:
    """Yield the type of a round robin in words (record 092) and as a code (192).

    `settings` are those of the event; nothing is yielded for other formats.
    """
    if settings.is_round_robin:
        yield f"092 {settings.tournament_type or _choose_type_words(settings.cycles)}"
        code_prefix = "CUSTOM" if settings.reversed else "FIDE"
        yield f"192 {code_prefix}_{'DOUBLE' if settings.cycles == 2 else ''}ROUNDROBIN"


def format_withdrawn(event: Event, numbers: Sequence[int]) -> Iterator[str]:
    """Yield a comment on the players who withdrew from a round robin, or nothing.

    `numbers` are the starting numbers of all players. Other formats have no comment.
    """
    if event.settings.is_round_robin and event.declared_active is not None:
        withdrawn_players = np.flatnonzero(~event.declared_active).tolist()
        if withdrawn_players:
            withdrawn_numbers = sorted(
                numbers[withdrawn_player] for withdrawn_player in withdrawn_players
            )
            yield f"{WITHDRAWN} {' '.join(map(str, withdrawn_numbers))}"


def _choose_type_words(cycles: int | None) -> str:
    """Return the words of record 092 that pairopt writes for a round robin.

    They are "Double Round-Robin" for 2 `cycles`, otherwise "Round-Robin".
    """
    return "Double Round-Robin" if cycles == 2 else "Round-Robin"
