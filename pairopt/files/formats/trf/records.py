"""TRF records: the lines of a TRF besides its players, of TRF26 and TRF(x).

Each kind of information is parsed once, whichever way it is written: virtual points,
for example, are 250, XXA, or 192 with _BAKU. Sources: FIDE Handbook C.02.03, TRF26;
JaVaFo's Advanced User Manual; bbpPairings' README.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import Any

from pairopt.common.limits import MOST_ROUNDS, parse_digits
from pairopt.common.serialization import read_package_toml
from pairopt.errors import Fault, InvalidValueError, TextLocation
from pairopt.event.column_layout import RATED as RATED
from pairopt.event.forbidden_pairs import ForbiddenMeeting, Rounds
from pairopt.event.points import CHESS, Points
from pairopt.event.score_checks import baku_acceleration
from pairopt.files.csv_schema import describe_unfit_cell, parse_number
from pairopt.files.formats.trf.head import OTHER_TYPES, parse_head_line
from pairopt.messages import message

MOST_NUMBER = 9999
OF_PLAYERS = re.compile(r"299|3[0-9]{2}|80[12]|013|(?!XX|BB)[A-Z]{3}")
"""Codes of lines that name players by their numbers."""
NATIONAL = re.compile(r"(?!XX|BB)[A-Z]{3} ")
"""The beginning of a record of a player's national rating: a federation's code."""
WORD = re.compile(r"\S+")
TABLES = read_package_toml(__package__, "records.toml")
PAIRED_BY, CODE_OF, POINTS, LETTERS, ASSIGNED = (
    TABLES[name] for name in ("PAIRED_BY", "CODE_OF", "POINTS", "LETTERS", "ASSIGNED")
)
COVERED_CODES, XXS, SYMBOLS, BBP = (
    TABLES[name] for name in ("SAID", "XXS", "SYMBOLS", "BBP")
)


def belongs_after_players(line: str) -> bool:
    """Return whether a line belongs after the lines of players in a TRF.

    It is False for comments, records 299 and records of the tournament, such as 012,
    which come before them.
    """
    return not re.match(r"#|[0-3][0-9]2|299", line)


def is_written_from_event(line: str) -> bool:
    """Return whether an event holds all that a line of a TRF says.

    Such a line need not be stored, because it is written from the event again. It is
    False for a line that ranks players by their place in the file, and for a head
    record whose value pairopt cannot hold.
    """
    if parse_head_line(line) is not None:
        return True
    is_for_all_players = (
        line[:3] == "299" and line[4:5].strip() and not line[19:].strip(" 0")
    )
    has_known_system = line[:3] == "192" and line[4:].strip() in CODE_OF.values()
    return bool(
        line[:3] in COVERED_CODES or is_for_all_players or has_known_system
    ) and not is_ranking_by_place(line)


def is_ranking_by_place(line: str) -> bool:
    """Return whether a line ranks players by their place in the file.

    Such a line has the code XXC and the word "rank".
    """
    return line[:3] == "XXC" and "rank" in line[3:].split()


def build_points(points: Mapping[str, Decimal]) -> Points | None:
    """Build the point system of an event from the points of each result.

    `points` are by the names of XXS. Returns None for the usual points of chess, and
    also if no point system has these points, because they are out of order.
    """
    win_points, draw_points, loss_points, bye_points = (
        Fraction(points[result_name]) for result_name in ("W", "D", "L", "PAB")
    )
    if (
        not win_points > loss_points
        or not win_points >= draw_points >= loss_points
        or min(loss_points, bye_points) < 0
    ):
        return None
    points_system = Points(win_points, draw_points, loss_points, bye=bye_points)
    return None if points_system == replace(CHESS, bye=CHESS.win) else points_system


@dataclass(frozen=True, slots=True)
class RecordField:
    """A part of a record's text, such as a number, and its location in the file.

    `text` has no blanks around it, and may be "".
    """

    text: str
    place: TextLocation


@dataclass(frozen=True, slots=True)
class TrfRecord:
    """A record: its code of three characters, its text after the code, and its line.

    `line` is the number of the line in the file. Columns are counted from 1 in the
    whole line, so the text begins with column 4.
    """

    code: str
    text: str
    line: int

    @property
    def words(self) -> list[RecordField]:
        """The words of the record, in their order, with their locations."""
        return [*map(self.locate_match, WORD.finditer(self.text))]

    def locate_match(self, match: re.Match[str]) -> RecordField:
        """Return the text that a pattern matched in the record, with its columns.

        `match` must be one in `text`. Columns are counted from 1 in the whole line.
        """
        match_location = TextLocation(
            self.line, f"{match.start() + 4}-{match.end() + 3}"
        )
        return RecordField(match[0], match_location)

    def read_columns(self, first_column: int, last_column: int) -> RecordField:
        """Return the text in columns of the line, without outer blanks, as a field.

        The first and the last column count from 1, and both are included. Text after
        the end of the line is "".
        """
        columns_location = TextLocation(self.line, f"{first_column}-{last_column}")
        return RecordField(
            self.text[first_column - 4 : last_column - 3].strip(), columns_location
        )

    def read_numbers(self, first_column: int) -> list[RecordField]:
        """Return the texts of numbers that begin at every fifth column of the line.

        Each is four columns wide, and the first one begins at `first_column`, counted
        from 1 in the whole line. Blank ones are skipped. The texts are not checked.
        """
        number_fields = [
            self.read_columns(column_number, column_number + 3)
            for column_number in range(first_column, len(self.text) + 4, 5)
        ]
        return [number_field for number_field in number_fields if number_field.text]


@dataclass(frozen=True, slots=True)
class AssignedPoints:
    """Points of a record 299, which a player gets instead of, or besides, a result's.

    With a letter in `kind` they replace the points of that result; with "" they are
    added to the score. Round 0 stands for all rounds, and no `starts` (starting
    numbers) for all players.
    """

    kind: str
    points: Decimal
    round: int
    starts: tuple[int, ...]

    @property
    def of_all(self) -> bool:
        """Whether the record says what a result is worth to all players in all rounds."""
        return bool(self.kind) and not self.round and not self.starts


@dataclass(frozen=True)
class TrfRecords:
    """The records of a TRF besides its player lines, by code.

    The methods read one kind of record each, and add a fault to `faults` for each
    record that is wrong. `starts` are the starting numbers of the players. `kept_lines`
    are the lines that an event cannot hold, and `head_lines` the lines of the report's
    head that it can.
    """

    starts: Collection[int]
    faults: list[Fault]
    by_code: dict[str, list[TrfRecord]] = field(default_factory=dict)
    kept_lines: list[str] = field(default_factory=list)
    head_lines: list[str] = field(default_factory=list)

    def add(self, line: str, number: int) -> None:
        """Add a line that is not a player's; `number` is the number of the line.

        Every line becomes a record. A line of the report's head also goes to
        `head_lines`, and one that an event cannot hold to `kept_lines`.
        """
        if parse_head_line(line) is not None:
            self.head_lines.append(line)
        elif not is_written_from_event(line):
            self.kept_lines.append(line.rstrip())
        self.by_code.setdefault(line[:3], []).append(
            TrfRecord(line[:3], line[3:], number)
        )

    def add_comment(self, line: str) -> None:
        """Add a comment line to `head_lines` or to `kept_lines`.

        `line` is the whole comment. It goes to `head_lines` if it states a fact of the
        report's head, such as the organiser. A comment is no record.
        """
        if parse_head_line(line) is not None:
            self.head_lines.append(line)
        else:
            self.kept_lines.append(line.rstrip())

    def add_fault(self, kind: str, word: RecordField, **fields: Any) -> None:
        """Add a fault at the field `word` to `faults`.

        `kind` is the id of its message, and `fields` are the fields of the message. It
        also gets the text of `word` as the field `found`.
        """
        self.faults.append(Fault(message(kind, found=word.text, **fields), word.place))

    def add_unfit_fault(self, error: InvalidValueError, word: RecordField) -> None:
        """Add a fault for the field `word` to `faults`; `error` says what was expected."""
        self.faults.append(Fault(describe_unfit_cell(word.text, error), word.place))

    def iterate_records(self, *codes: str) -> Iterator[TrfRecord]:
        """Yield the records with these codes: those of the first code, then the next."""
        for record_code in codes:
            yield from self.by_code.get(record_code, ())

    def iterate_laid_out(
        self, code: str, blank: Collection[int], first_number_column: int
    ) -> Iterator[TrfRecord]:
        """Yield the records with a code whose fields are in their columns.

        All columns in `blank` must be blank, and so must every fifth column from
        `first_number_column` on, because it is between two numbers. Columns count from
        1 in the whole line. A record with text in one of these columns is skipped, and
        a fault is added for the first such column.
        """
        for trf_record in self.iterate_records(code):
            gap_columns = range(first_number_column, len(trf_record.text) + 4, 5)
            filled_columns = [
                column_number
                for column_number in (*blank, *gap_columns)
                if trf_record.read_columns(column_number, column_number).text
            ]
            for column_number in filled_columns[:1]:
                self.add_fault(
                    "trf.no_blank",
                    trf_record.read_columns(column_number, column_number),
                )
            if not filled_columns:
                yield trf_record

    def iterate_first_words(self, *codes: str) -> Iterator[RecordField]:
        """Yield the first word of each record with these codes; skip empty records."""
        for trf_record in self.iterate_records(*codes):
            yield from trf_record.words[:1]

    def parse_start(self, word: RecordField) -> int | None:
        """Parse a starting number; `word` is its field in a record.

        If no player has it or it is no number, a fault is added and None is returned.
        """
        starting_number = parse_digits(word.text, MOST_NUMBER)
        if starting_number not in self.starts:
            self.add_fault("trf.no_start", word)
        return starting_number if starting_number in self.starts else None

    def parse_round(self, word: RecordField) -> int:
        """Parse a round from 1 to MOST_ROUNDS; `word` is its field in a record.

        For any other text a fault is added and 0 is returned.
        """
        round_number = parse_digits(word.text, MOST_ROUNDS)
        if not round_number:
            self.add_fault("trf.no_turn", word)
        return round_number or 0

    def parse_amount(self, word: RecordField) -> Decimal:
        """Parse a number of points; `word` is its field in a record.

        An empty field gives 0. If the field is not a number, a fault is added and 0 is
        returned.
        """
        try:
            return parse_number(word.text) or Decimal(0)
        except InvalidValueError as error:
            self.add_unfit_fault(error, word)
            return Decimal(0)

    @property
    def title(self) -> str:
        """The title of the tournament: record 012 with single blanks, "" without one."""
        return next(
            (
                " ".join(trf_record.text.split())
                for trf_record in self.iterate_records("012")
            ),
            "",
        )

    @cached_property
    def rounds(self) -> int | None:
        """The planned number of rounds, by record XXR or 142; None without a number.

        A record whose first word is no number is skipped. If the first number is above
        MOST_ROUNDS, the result is None, and the first access adds a fault.
        """
        round_fields = [
            round_field
            for round_field in self.iterate_first_words("XXR", "142")
            if round_field.text.strip("0").isdecimal()
        ]
        if not round_fields:
            return None
        planned_rounds = parse_digits(round_fields[0].text, MOST_ROUNDS)
        if planned_rounds is None:
            self.add_fault("trf.too_many_rounds", round_fields[0], most=MOST_ROUNDS)
        return planned_rounds

    @property
    def initial_side(self) -> int | None:
        """The side drawn for the first player: 0 for white, 1 for black.

        None if no record XXC or 152 names one.
        """
        side_words = [
            side_word.text.lower()
            for trf_record in self.iterate_records("XXC")
            for side_word in trf_record.words
        ]
        side_words += [
            side_word.text.lower() for side_word in self.iterate_first_words("152")
        ]
        side_by_word = {"white1": 0, "w": 0, "black1": 1, "b": 1}
        return next(
            (
                side_by_word[side_word]
                for side_word in side_words
                if side_word in side_by_word
            ),
            None,
        )

    @property
    def by_place(self) -> bool:
        """Whether a record XXC ranks players by their place in the file.

        If it is False, players rank by their starting numbers.
        """
        return any(
            is_ranking_by_place(f"XXC{trf_record.text}")
            for trf_record in self.iterate_records("XXC")
        )

    @property
    def system(self) -> str:
        """The code of the pairing system in capitals; "" if none is named.

        Record 192 has priority over 092, the type of the tournament, in which
        bbpPairings writes the code. In a record 092, a code that begins with FIDE_
        comes first. A type in words counts if it is another system than the Dutch one:
        its words are returned in capitals.
        """
        system_codes = [
            code_word.text.upper() for code_word in self.iterate_first_words("192")
        ]
        for trf_record in self.iterate_records("092"):
            system_codes += [
                code_word.text.upper()
                for code_word in trf_record.words
                if code_word.text[:5] == "FIDE_"
            ]
            system_codes += [
                system_type.upper()
                for system_type in OTHER_TYPES.findall(trf_record.text)
            ]
        return system_codes[0] if system_codes else ""

    @property
    def model(self) -> str | None:
        """The name of the model that pairs by the named system.

        It is the system's code, in capitals, if no model does; None if none is named.
        """
        return PAIRED_BY.get(self.system.removesuffix("_BAKU"), self.system) or None

    @property
    def order(self) -> tuple[str, ...]:
        """The codes that rank players, with PTS for points, without repeats.

        They are those of record 212, or of 202 if there is none.
        """
        codes_text = next(
            (
                trf_record.text.upper()
                for trf_record in self.iterate_records("212", "202")
            ),
            "",
        )
        ranking_codes = (
            ranking_code.removeprefix("OTHER_")
            for ranking_code in re.findall(r"[^,;\s]+", codes_text)
        )
        return tuple(dict.fromkeys(ranking_codes))

    @property
    def tie_breaks(self) -> tuple[str, ...]:
        """The codes of the tie-breaks in the order of `order`, without the points."""
        return tuple(
            tie_break_code for tie_break_code in self.order if tie_break_code != "PTS"
        )

    def collect_points(self) -> dict[str, Decimal]:
        """Return the points of each kind of result, by the names of XXS.

        Names are, for example, W, D, L, PAB and ZPB. Points are 1, 0.5 and 0, unless
        records XXS, 162, 299 or those of bbpPairings state others; records 299 have the
        highest priority. A fault is added for each field that is no result or no
        number.
        """
        points_by_kind = {
            result_name: Decimal(points_text)
            for result_name, points_text in POINTS.items()
        }
        for trf_record in self.iterate_records("XXS"):
            for points_word in trf_record.words:
                result_name, _, points_text = points_word.text.partition("=")
                self._set_points(
                    points_by_kind, XXS.get(result_name), points_text, points_word
                )
        stated_points: list[tuple[RecordField, tuple[str, ...], str]] = []
        for trf_record in self.iterate_records("162"):
            symbol_matches = re.finditer(r"([A-Z])\s*([^A-Z\s]+)", trf_record.text)
            stated_points += [
                (
                    trf_record.locate_match(symbol_match),
                    SYMBOLS.get(symbol_match[1], ()),
                    symbol_match[2],
                )
                for symbol_match in symbol_matches
            ]
        for record_code, result_names in BBP.items():
            stated_points += [
                (points_word, result_names, points_word.text)
                for points_word in self.iterate_first_words(record_code)
            ]
        # Values for several results come first: one for a single result replaces them.
        for points_word, result_names, points_text in sorted(
            stated_points, key=lambda stated_field: -len(stated_field[1])
        ):
            self._set_points(points_by_kind, result_names, points_text, points_word)
        assigned_points = {
            ASSIGNED[assigned_record.kind]: assigned_record.points
            for assigned_record in self.assigned
            if assigned_record.of_all
        }
        return points_by_kind | assigned_points

    def _set_points(
        self,
        points: dict[str, Decimal],
        names: Sequence[str] | None,
        value: str,
        word: RecordField,
    ) -> None:
        """Set the points of the results `names` in `points` to the number in `value`.

        `points` is changed. `word` is the field of the record. If `names` is None or
        `value` is empty or no number, a fault at `word` is added instead. If `names` is
        empty, nothing changes.
        """
        try:
            if names is None or (points_number := parse_number(value)) is None:
                raise InvalidValueError("trf.no_result")
            points.update(dict.fromkeys(names, points_number))
        except InvalidValueError as error:
            self.add_unfit_fault(error, word)

    def collect_virtual_points(
        self, points: Mapping[str, Decimal], round_one_players: Collection[int]
    ) -> dict[int, list[Decimal]]:
        """Return the virtual points of players by starting number, from round 1 on.

        Records XXA and 250 give them; players without any may be missing. Without these
        records, they are computed if the system is Baku Acceleration and the number of
        rounds is known; its first group is chosen among `round_one_players`, the
        starting numbers of those who take part in round 1. `points` are those of each
        result by name, of which W is used. A field that cannot be read adds a fault.
        """
        points_by_start: dict[int, list[Decimal]] = {}
        for points_record in self.iterate_records("XXA"):
            record_words = points_record.words
            if not record_words:
                continue
            starting_number = self.parse_start(record_words[0])
            points_by_round = [
                self.parse_amount(points_word) for points_word in record_words[1:]
            ]
            if len(points_by_round) > MOST_ROUNDS:
                self.add_fault("trf.too_many_rounds", record_words[0], most=MOST_ROUNDS)
            elif starting_number is not None:
                points_by_start[starting_number] = points_by_round

        for points_record in self.iterate_laid_out("250", (4, 9, 14, 18, 22, 27), 32):
            virtual_points = self.parse_amount(points_record.read_columns(10, 13))
            first_round = self.parse_round(points_record.read_columns(15, 17))
            last_round = self.parse_round(points_record.read_columns(19, 21))
            lowest_start = self.parse_start(points_record.read_columns(23, 26)) or 0
            highest_start = self.parse_start(points_record.read_columns(28, 31)) or 0
            for starting_number in self.starts:
                if not lowest_start <= starting_number <= highest_start:
                    continue
                points_by_round = points_by_start.setdefault(starting_number, [])
                points_by_round += [Decimal(0)] * (last_round - len(points_by_round))
                for round_number in range(max(first_round, 1), last_round + 1):
                    points_by_round[round_number - 1] += virtual_points

        if not points_by_start and self.system.endswith("_BAKU") and self.rounds:
            group_size, points_by_round = baku_acceleration(
                len(round_one_players), self.rounds, points["W"]
            )
            ranked_starts = list(self.starts) if self.by_place else sorted(self.starts)
            rank_positions = [
                rank_position
                for rank_position, starting_number in enumerate(ranked_starts, 1)
                if starting_number in round_one_players
            ]
            last_boosted_position = max(rank_positions[:group_size], default=0)
            points_by_start = dict.fromkeys(
                ranked_starts[:last_boosted_position], points_by_round
            )
        return points_by_start

    def collect_forbidden_pairs(self) -> list[ForbiddenMeeting]:
        """Return the pairs of players who may not meet, without repeats.

        A meeting has the two starting numbers, the lower one first, and the first and
        last round; None stands for all rounds. A record with several numbers forbids
        each pair of them. Unknown numbers, wrong rounds and a single number add a
        fault.
        """
        words_and_rounds: list[tuple[list[RecordField], Rounds | None]]
        words_and_rounds = [
            (trf_record.words, None) for trf_record in self.iterate_records("XXP")
        ]
        for trf_record in self.iterate_laid_out("260", (4, 8, 12), 17):
            first_round = self.parse_round(trf_record.read_columns(5, 7))
            last_round = self.parse_round(trf_record.read_columns(9, 11))
            if last_round < first_round:
                last_field = trf_record.read_columns(9, 11)
                self.add_fault(
                    "trf.round_before", last_field, first=first_round, last=last_round
                )
            is_all_rounds = first_round == 1 and last_round >= (
                self.rounds or MOST_ROUNDS
            )
            first_and_last_round = None if is_all_rounds else (first_round, last_round)
            words_and_rounds.append((trf_record.read_numbers(13), first_and_last_round))

        distinct_meetings: dict[ForbiddenMeeting, None] = {}
        for record_words, first_and_last_round in words_and_rounds:
            listed_starts = [
                self.parse_start(number_word) for number_word in record_words
            ]
            known_starts = {
                starting_number
                for starting_number in listed_starts
                if starting_number is not None
            }
            if len(known_starts) < 2 and record_words and None not in listed_starts:
                self.add_fault("trf.one_start", record_words[0])
            for low_start, high_start in combinations(sorted(known_starts), 2):
                distinct_meetings[
                    ForbiddenMeeting(low_start, high_start, first_and_last_round)
                ] = None
        return list(distinct_meetings)

    @cached_property
    def assigned(self) -> list[AssignedPoints]:
        """The assigned points (records 299); those that replace a result come first.

        The first access adds faults for unknown letters, rounds and players, and for
        records without points or, if they have no letter, without players; later
        accesses return the cached list. Records with an unknown letter, or with text
        between their columns, are left out. Other wrong ones stay, with 0 points, round
        0 or without the unknown players.
        """
        assigned_points = []
        for trf_record in self.iterate_laid_out("299", (4, 6, 7, 12, 18, 19, 23), 28):
            letter_field, points_field, round_field = (
                trf_record.read_columns(*column_range)
                for column_range in ((5, 5), (13, 17), (20, 22))
            )
            listed_starts = [
                self.parse_start(number_field)
                for number_field in trf_record.read_numbers(24)
            ]
            if letter_field.text and letter_field.text not in LETTERS:
                self.add_fault("trf.no_letter", letter_field, letters=" ".join(LETTERS))
                continue
            if not letter_field.text and not listed_starts:
                self.add_fault("trf.no_starts", trf_record.read_columns(24, 27))
            if not points_field.text:
                self.add_fault("trf.no_amount", points_field)
            round_number = (
                self.parse_round(round_field) if round_field.text.strip("0") else 0
            )
            known_starts = tuple(
                listed_start
                for listed_start in listed_starts
                if listed_start is not None
            )
            assigned_points.append(
                AssignedPoints(
                    letter_field.text,
                    self.parse_amount(points_field),
                    round_number,
                    known_starts,
                )
            )
        return sorted(
            assigned_points, key=lambda assigned_record: not assigned_record.kind
        )

    def collect_absences(
        self, next_round: int
    ) -> dict[tuple[int, int], tuple[RecordField, str]]:
        """Return who is absent in a round from `next_round` on.

        Keys are the round and the starting number. Values are the field of record XXZ
        or 240 that marks it, and the letter of the bye: H, F or Z. XXZ stands for Z in
        `next_round`. Records 240 of earlier rounds are ignored. Unknown letters, rounds
        and players add a fault.
        """
        marked_fields = [
            (next_round, number_field, "Z")
            for trf_record in self.iterate_records("XXZ")
            for number_field in trf_record.words
        ]
        for trf_record in self.iterate_laid_out("240", (4, 6, 10), 15):
            letter_of_bye = trf_record.read_columns(5, 5)
            if letter_of_bye.text.upper() not in ("H", "F", "Z"):
                self.add_fault("trf.no_bye", letter_of_bye)
            elif (
                round_number := self.parse_round(trf_record.read_columns(7, 9))
            ) >= next_round:
                marked_fields += [
                    (round_number, number_field, letter_of_bye.text.upper())
                    for number_field in trf_record.read_numbers(11)
                ]
        rounds_and_absentees = [
            (round_number, self.parse_start(number_field), number_field, letter_of_bye)
            for round_number, number_field, letter_of_bye in marked_fields
        ]
        return {
            (round_number, starting_number): (number_field, letter_of_bye)
            for round_number, starting_number, number_field, letter_of_bye in rounds_and_absentees
            if starting_number is not None
        }


def parse_records(lines: Iterable[str]) -> TrfRecords:
    """Parse lines of a TRF as records, without any players.

    Lines are numbered from 1. No starting number is known, so each one that is read
    later adds a fault to the records' `faults`.
    """
    records = TrfRecords((), [])
    for line_number, record_line in enumerate(lines, 1):
        records.add(record_line, line_number)
    return records
