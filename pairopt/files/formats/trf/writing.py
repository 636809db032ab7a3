"""Write TRF26 (FIDE Handbook C.02.03), or on request TRF16 with the XX lines of JaVaFo.

TRF16 has no word for some things: rounds in which a pair may not meet, tie-breaks,
points that no result explains, comments.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import chain, groupby
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from pairopt.common.limits import parse_digits
from pairopt.errors import InputError, UsageError
from pairopt.event.chosen_ratings import parse_rating
from pairopt.event.column_layout import RATING_RESULT
from pairopt.event.event import BYE_ROW, FORFEIT, REQUESTED, Event
from pairopt.event.fide_data import COLUMNS as FIDE_COLUMNS
from pairopt.event.fide_data import find_fide_data_faults, ratings_of
from pairopt.event.forbidden_pairs import pairs_forbidden_in
from pairopt.event.points import Points, parse_rating_result
from pairopt.event.report_gaps import find_report_gaps
from pairopt.event.score_checks import points_shown_by_results
from pairopt.event.standings import rank_players, tie_breaks_of
from pairopt.event.tie_breaks import is_known, tie_break_of
from pairopt.files.build_event import ReadOptions
from pairopt.files.conversion_losses import FACTS, SEXES
from pairopt.files.formats.base import EventText, choose_player_numbers
from pairopt.files.formats.trf import records as trf
from pairopt.files.formats.trf.head import find_head_record, format_head
from pairopt.files.formats.trf.national_ratings import (
    format_national_ratings,
    official_ratings,
)
from pairopt.files.formats.trf.rating_corrections import (
    LETTER_IN_299,
    find_rating_corrections,
    format_correction,
)
from pairopt.files.formats.trf.reading import read
from pairopt.files.formats.trf.records import parse_records
from pairopt.files.formats.trf.round_robin import (
    LETTER_OF_RESULT,
    format_type,
    format_withdrawn,
)
from pairopt.files.text_source import TextSource
from pairopt.messages import message, with_heading
from pairopt.messages.formatting import decimal_text

NAME_WIDTH = 33
MOST_RATING = 9999
LETTERS = trf.TABLES["LETTER_OF"]
SYMBOLS_WRITTEN = trf.TABLES["WRITTEN"]
UNRATED = LETTERS | {"W": "W", "D": "D", "L": "L"}
WIDTHS = {name: end - begin for name, (begin, end) in trf.TABLES["COLUMNS"].items()}
"""The widths of the columns of players.csv in player lines."""
ASSIGNED = "299"
RATED_PLAYERS = "072"
"""The record of the number of rated players, which pairopt writes in FIDE mode."""
CONTROLLER, PROGRAM = "182", "pairopt"
"""The record of the program that makes the pairings, and what pairopt writes there.

Rounds of event folders are paired by pairopt, also if the event began elsewhere.
"""
ASKED = "asked"
"""The code of assigned points, and the kind of a requested bye until its points are known."""
CODES = {name: (f"W{name}", f"B{name}") for name in "WDL"}
"""The codes of points for each side. W alone would include forfeits and byes."""
OF_TRF16 = re.compile(r"0[0-9]2|1[0-3]2|013|[A-Z]{3}")
"""Codes of lines that programs for TRF16 know, or pass over."""


class _RoundEntry(NamedTuple):
    """A player's result in one round, as a TRF writes it.

    `player` and `opponent` are positions in the event. `kind` is the kind of result, a
    name of XXS. `opponent` and `side` are -1 for none. `rated` is whether the match
    counts for the rating.
    """

    player: int
    round: int
    kind: str
    points: Fraction
    opponent: int
    side: int
    rated: bool = True


def write(event: Event) -> EventText:
    """Format an event as the text of a TRF26; no file is written.

    Lines of the source file are included if they are still true. Records 299, with
    points that no result explains, are included if they still give the same points.
    Otherwise they are written again, or left out if no TRF can hold them. `missing` of
    the result has notes on what a report to FIDE needs and the event lacks. Raises
    UsageError for results that TRF cannot express, adjourned matches, impossible FIDE
    data, and too many players.
    """
    trf_content = _TrfContent(event)
    own_records = [
        *trf_content.format_records(),
        *trf_content.format_rating_corrections(),
        *trf_content.format_annulled_results(),
        *format_withdrawn(event, trf_content.numbers),
        *format_national_ratings(event, trf_content.numbers, trf_content.kept_lines),
    ]
    unassigned_lines = [
        kept_line for kept_line in trf_content.kept_lines if kept_line[:3] != ASSIGNED
    ]
    rewritten_lines = unassigned_lines + list(trf_content.format_assigned_points())
    for candidate_lines in (trf_content.kept_lines, rewritten_lines, unassigned_lines):
        trf_text = trf_content.join_lines(
            candidate_lines, own_records, trf_content.paired
        )
        if _has_same_assigned_points(trf_text, event):
            break
    return EventText(trf_text, missing=tuple(find_report_gaps(event)))


def write16(event: Event) -> EventText:
    """Format an event as the text of a TRF16, with the XX lines of JaVaFo.

    No file is written. Lines of the source file that TRF16 does not know are left out.
    Raises UsageError for results that TRF cannot express, adjourned matches, impossible
    FIDE data, and too many players.
    """
    trf_content = _TrfContent(event)
    kept_lines = [*filter(OF_TRF16.match, trf_content.kept_lines)]
    # TRF16 has the type of a round robin in words only.
    type_lines = [
        type_line for type_line in format_type(event.settings) if type_line[:3] == "092"
    ]
    return EventText(
        trf_content.join_lines(
            kept_lines, type_lines, trf.MOST_NUMBER, [*trf_content.format_xx_lines()]
        )
    )


def require_right_fide_data(event: Event) -> None:
    """Raise UsageError if FIDE data of players are impossible; name every such cell.

    FIDE data are for example titles, federations, ratings and FIDE numbers of `event`.
    """
    cells_by_column = {
        column_name: _format_column(event, column_name) for column_name in FIDE_COLUMNS
    }
    fault_notes = [
        with_heading(
            message("fide_data.of_player", player=event.shown[player_position]), reason
        )
        for player_position, _, reason in find_fide_data_faults(
            cells_by_column, ratings_of(event)
        )
    ]
    if fault_notes:
        raise UsageError("fide_data.wrong", *fault_notes)


class _TrfContent:
    """The parts of a TRF for one event: numbers and cells of players, points, lines.

    `numbers` are the starting numbers, and `cells` has each player's texts by round,
    such as " 12 w 1". `points` are those of results by the names of XXS. `paired` is
    the last round that is paired or over, and `rounds` the planned number, or so far.
    `kept_lines` are lines of the event's source file that are still true, after those
    of the head. Raises UsageError for an event that TRF cannot hold.
    """

    def __init__(self, event: Event) -> None:
        most_number = trf.MOST_NUMBER
        player_count = len(event.players)
        if player_count > most_number:
            raise UsageError(
                "trf.too_many_players", most=most_number, players=player_count
            )
        adjourned_count = len(event.adjourned)
        if adjourned_count:
            raise UsageError("trf.adjourned", count=adjourned_count)
        require_right_fide_data(event)

        self.event = event
        self.numbers = choose_starting_numbers(event)
        self.rounds = event.settings.rounds or _count_rounds(event)
        matches = event.matches
        last_paired = int(matches.round[matches.status != REQUESTED].max(initial=0))
        self.paired = max(last_paired, event.origin.rounds_over)
        source_lines = _keep_lines(event, self.numbers)
        head_settings = event.settings
        if head_settings.is_round_robin:
            # `format_type` writes the type.
            head_settings = replace(head_settings, tournament_type="")
        head_lines = chain.from_iterable(format_head(head_settings).values())
        breach_lines = dict.fromkeys(breach.line for breach in event.origin.breaches)
        self.kept_lines = [*head_lines, *source_lines] + [
            breach_line
            for breach_line in breach_lines
            if breach_line and breach_line not in source_lines
        ]

        self.points, round_entries = _find_points(event)
        self.cells: list[dict[int, str]] = [{} for _ in self.numbers]
        for round_entry in round_entries:
            opponent_text = "0000"
            if round_entry.opponent >= 0:
                opponent_text = f"{self.numbers[round_entry.opponent]:>4}"
            letter_by_kind = LETTERS if round_entry.rated else UNRATED
            result_letter = letter_by_kind.get(round_entry.kind, " ")
            side_letter = "-" if round_entry.side < 0 else "wb"[round_entry.side]
            self.cells[round_entry.player][round_entry.round] = (
                f"{opponent_text} {side_letter} {result_letter}"
            )

    def join_lines(
        self,
        kept_lines: list[str],
        own_records: list[str],
        last_round: int,
        end_lines: Sequence[str] = (),
    ) -> str:
        """Return the text of the file from its lines.

        `kept_lines` go before or after the players, as their codes demand.
        `own_records`, which pairopt writes, go before the players, and comments among
        them after the other records; but national ratings go after the players.
        `end_lines` go last. Players have rounds up to `last_round`. In FIDE mode the
        number of rated players is counted again.
        """
        kept_before: list[str] = []
        kept_comments: list[str] = []
        kept_after: list[str] = []
        for line in kept_lines:
            if trf.belongs_after_players(line):
                kept_after.append(line)
            elif line.startswith("###"):
                kept_comments.append(line)
            else:
                kept_before.append(line)
        file_lines = [f"012 {_join_lines(self.event.settings.title)}"]
        own_comments = [line for line in own_records if line.startswith("#")]
        own_ratings = [
            line
            for line in own_records
            if trf.belongs_after_players(line) and trf.NATIONAL.match(line)
        ]
        record_lines = [*kept_before, f"062 {len(self.numbers)}"]
        if self.event.settings.fide:
            record_lines = [line for line in record_lines if line[:3] != RATED_PLAYERS]
            record_lines.append(f"{RATED_PLAYERS} {_count_rated_players(self.event)}")
        record_lines += [
            line
            for line in own_records
            if line not in own_comments and line not in own_ratings
        ]
        file_lines += sorted(record_lines, key=_make_record_key)
        file_lines += own_comments
        file_lines += kept_comments
        file_lines += self.format_players(last_round)
        file_lines += kept_after
        file_lines += own_ratings
        file_lines += end_lines
        return "\n".join([*file_lines, ""])

    def format_players(self, last_round: int) -> Iterator[str]:
        """Yield the lines of the players, with rounds up to `last_round`.

        They are in the order of the event, with ranks by its tie-breaks, or by points
        alone if these cannot be computed. Points have one decimal, as programs expect,
        and are left out if they need more than four columns. A rating is left out if it
        is not a number of at most four digits. Rounds after a player's last entry are
        left out.
        """
        event = self.event
        try:
            standings = rank_players(event, tie_breaks_of(event))
        except UsageError:  # it cannot tell these
            standings = rank_players(event)
        standing_by_player = {
            standing_line.player: standing_line for standing_line in standings
        }
        cells_by_column = {
            column_name: _format_column(event, column_name) for column_name in WIDTHS
        }
        rating_cells = official_ratings(event) or event.columns.get("rating")
        for player_position, identifier in enumerate(event.players):
            rating_text = (
                str(int(event.rating[player_position]))
                if rating_cells is None
                else rating_cells[player_position].strip()
            )
            if parse_digits(rating_text, MOST_RATING) is None:
                rating_text = ""
            shown_name = _join_lines(event.names[player_position])[:NAME_WIDTH]
            sex_letter = cells_by_column["sex"][player_position]
            chess_title = cells_by_column["title"][player_position]
            federation = cells_by_column["federation"][player_position]
            fide_id = cells_by_column["fide_id"][player_position]
            birth_date = cells_by_column["birth"][player_position]
            standing = standing_by_player[identifier]
            points_text = f"{float(standing.points):.1f}"
            if len(points_text) > 4:
                points_text = ""
            text_before_rounds = (
                f"001 {self.numbers[player_position]:>4} {sex_letter:1}{chess_title:>3} {shown_name:<33} {rating_text:>4} "
                f"{federation:<3} {fide_id:>11} {birth_date:<10} {points_text:>4} {standing.rank:>4}"
            )
            round_cells = self.cells[player_position]
            rounds_with_entry = (
                round_number
                for round_number in round_cells
                if round_number <= last_round
            )
            round_numbers = range(1, max(rounds_with_entry, default=0) + 1)
            round_texts = (
                f"  {round_cells.get(round_number, ''):8}"
                for round_number in round_numbers
            )
            yield f"{text_before_rounds:<89}" + "".join(round_texts)

    def format_records(self) -> Iterator[str]:
        """Yield the records of TRF26 that pairopt writes from the event itself.

        They are the rounds, the first colour, the points, the system, the tie-breaks,
        byes in advance, virtual points and forbidden meetings. A system or tie-breaks
        that the kept lines name already are left out. Records 299 of single players are
        not among them.
        """
        event = self.event
        yield f"142 {self.rounds}"
        if event.initial_side is not None:
            yield f"152 {'WB'[event.initial_side]}"
        points_records = format_points_records(self.points)
        yield from points_records[:1]
        yield from format_type(event.settings)
        system_code = trf.CODE_OF.get(event.settings.model or "")
        if system_code and not any(
            parse_records([kept_line]).system for kept_line in self.kept_lines
        ):
            yield f"192 {system_code}"

        tie_breaks = event.settings.tie_breaks
        if tie_breaks is None and event.settings.fide:
            tie_breaks = tuple(tie_breaks_of(event))
        if tie_breaks and not _has_same_tie_breaks(self.kept_lines, tie_breaks):
            tie_break_codes = [tie_break_of(tie_break).code for tie_break in tie_breaks]
            tie_break_codes = [
                tie_break_code
                if tie_break_code.isupper()
                else f"OTHER_{tie_break_code.upper()}"
                for tie_break_code in tie_break_codes
            ]
            yield f"202 {','.join(tie_break_codes)}"
            yield f"212 {','.join(['PTS', *tie_break_codes])}"
        yield from self._format_advance_byes()
        yield from self._format_virtual_points()
        for meeting in event.prohibited:
            low_number, high_number = sorted(
                (self.numbers[meeting.one], self.numbers[meeting.two])
            )
            first_round, last_round = meeting.rounds or (1, self.rounds)
            last_round = min(last_round, max(first_round, self.rounds))
            yield f"260 {first_round:>3} {last_round:>3} {low_number:>4} {high_number:>4}"
        yield from points_records[1:]

    def _format_advance_byes(self) -> Iterator[str]:
        """Yield records 240: requested byes in rounds that are not paired yet.

        There is one record per round and letter of the bye, with all its players.
        """
        numbers_by_round_and_letter: dict[tuple[int, str], list[str]] = {}
        for starting_number, cell_by_round in zip(
            self.numbers, self.cells, strict=True
        ):
            for round_number, round_text in cell_by_round.items():
                if round_number > self.paired:
                    round_and_letter = (round_number, round_text[-1])
                    numbers_by_round_and_letter.setdefault(round_and_letter, []).append(
                        f" {starting_number:>4}"
                    )
        for (round_number, bye_letter), number_texts in sorted(
            numbers_by_round_and_letter.items()
        ):
            yield f"240 {bye_letter} {round_number:>3}{''.join(number_texts)}"

    def _format_virtual_points(self) -> Iterator[str]:
        """Yield records 250: one per round and range of players with equal points.

        Ranges are by starting numbers. Ranges without points, and points that need more
        than four columns, are left out.
        """
        event = self.event
        positions_in_number_order = np.argsort(self.numbers)
        ordered_numbers = [
            self.numbers[player_position]
            for player_position in positions_in_number_order
        ]
        scaled_points_of_rounds = event.acceleration.T[
            :, positions_in_number_order
        ].tolist()
        for round_number, scaled_points_by_player in enumerate(
            scaled_points_of_rounds, 1
        ):
            numbered_points = zip(scaled_points_by_player, ordered_numbers, strict=True)
            for scaled_points, numbered_equals in groupby(
                numbered_points, itemgetter(0)
            ):
                starting_numbers = [
                    starting_number for _, starting_number in numbered_equals
                ]
                points_text = _format_decimal(Fraction(scaled_points, event.scale))
                if scaled_points and len(points_text) <= 4:
                    yield (
                        f"250 {'':4} {points_text:>4} {round_number:>3} {round_number:>3} "
                        f"{starting_numbers[0]:>4} {starting_numbers[-1]:>4}"
                    )

    def format_assigned_points(self) -> Iterator[str]:
        """Yield a record 299 for each amount of points that a player was given.

        They are points that players brought in, in round 0, and adjusted points of a
        round. Amounts of 0 have no record.
        """
        event = self.event
        # (players, rounds + 1), with the points of all rounds first
        points_by_player_and_round = np.column_stack([event.brought, event.adjusted])
        for player_position, round_number in np.argwhere(
            points_by_player_and_round
        ).tolist():
            assigned_amount = Fraction(
                int(points_by_player_and_round[player_position, round_number]),
                event.scale,
            )
            points_text = _format_decimal(assigned_amount)
            starting_number = self.numbers[player_position]
            yield f"{ASSIGNED}{'':9}{points_text:>5}  {round_number:>3} {starting_number:>4}"

    def format_rating_corrections(self) -> Iterator[str]:
        """Yield a comment and records 299 for each result corrected for the rating.

        The players' lines have the corrected result. Records 299 give the points that
        standings and pairings count instead, for each player for whom they differ.
        """
        corrections = sorted(
            find_rating_corrections(self.event),
            key=lambda some_correction: (
                some_correction.round,
                self.numbers[some_correction.players[0]],
            ),
        )
        for correction in corrections:
            starting_numbers = [
                self.numbers[player_position] for player_position in correction.players
            ]
            yield format_correction(correction, starting_numbers)
            round_texts = [
                self.cells[player_position][correction.round]
                for player_position in correction.players
            ]
            points_and_results = zip(correction.points, correction.results, strict=True)
            for starting_number, round_text, (counted_points, rating_result) in zip(
                starting_numbers, round_texts, points_and_results, strict=True
            ):
                if counted_points != rating_result:
                    result_letter = LETTER_IN_299[round_text[-1]]
                    points_text = _format_decimal(counted_points)
                    yield (
                        f"{ASSIGNED} {result_letter}{'':7}{points_text:>5}  "
                        f"{correction.round:>3} {starting_number:>4}"
                    )

    def format_annulled_results(self) -> Iterator[str]:
        """Yield records 299 of 0 points for results that count for nobody.

        They are those of a player who withdrew. The players' lines have these results
        for the rating. Results of 0 points, and those that were corrected for the
        rating, need no record.
        """
        event = self.event
        matches = event.matches
        is_corrected = [
            bool(event.origin.cell(RATING_RESULT, file_row))
            for file_row in matches.row.tolist()
        ]
        is_annulled = event.annulled & matches.scored & (matches.second >= 0)
        for match_index in np.flatnonzero(is_annulled).tolist():
            if is_corrected[match_index]:
                continue
            round_number = int(matches.round[match_index])
            for player_position, scaled_score in (
                (int(matches.first[match_index]), int(matches.score1[match_index])),
                (int(matches.second[match_index]), int(matches.score2[match_index])),
            ):
                if scaled_score:
                    result_letter = LETTER_OF_RESULT[
                        self.cells[player_position][round_number][-1]
                    ]
                    yield (
                        f"{ASSIGNED} {result_letter}{'':7}{'0.0':>5}  "
                        f"{round_number:>3} {self.numbers[player_position]:>4}"
                    )

    def format_xx_lines(self) -> Iterator[str]:
        """Yield the XX lines of TRF16, which TRF26 has other records for.

        They are the rounds, the first colour, points, virtual points, and pairs that
        may not meet in the next round.
        """
        event = self.event
        yield f"XXR {self.rounds}"
        if event.initial_side is not None:
            yield f"XXC {('white1', 'black1')[event.initial_side]}"
        points_line = _format_xxs(self.points)
        if points_line:
            yield points_line
            points_records = format_points_records(self.points)
            if len(points_records) == 1 and points_records[0] != points_line:
                yield points_records[0]
        for starting_number, scaled_points_by_round in zip(
            self.numbers, event.acceleration.tolist(), strict=True
        ):
            if any(scaled_points_by_round):
                points_texts = (
                    _format_decimal(Fraction(scaled_points, event.scale))
                    for scaled_points in scaled_points_by_round
                )
                points_cells = (f"{points_text:>4}" for points_text in points_texts)
                yield " ".join([f"XXA {starting_number:>4}", *points_cells])
        for forbidden_pair in pairs_forbidden_in(event.prohibited, self.paired + 1):
            low_number, high_number = sorted(
                self.numbers[player_position] for player_position in forbidden_pair
            )
            yield f"XXP {low_number} {high_number}"


def _count_rounds(event: Event) -> int:
    """Return the number of rounds of an event whose settings do not say it.

    It is that of the Berger table in a round robin that is not paired yet, otherwise
    the round to pair.
    """
    player_count = int(event.present.sum())
    if event.settings.is_round_robin and not len(event.matches) and player_count:
        return (event.settings.cycles or 1) * (player_count - 1 + player_count % 2)
    return event.round


def _count_rated_players(event: Event) -> int:
    """Return the number of players with a rating of FIDE, or one that counts.

    If national ratings count for the pairing, FIDE's ratings in the column
    `fide_rating` are counted, otherwise the ratings above 0 that count.
    """
    fide_cells = official_ratings(event)
    if fide_cells is not None:
        return sum(bool(parse_rating(cell)) for cell in fide_cells)
    return int((event.rating > 0).sum())


def _make_record_key(line: str) -> str:
    """Return the sort key of a record: its code, or "XXX" for a code of letters.

    `line` is the record. So records with codes of digits come first.
    """
    return line[:3] if line[:3].isdigit() else "XXX"


def format_points_records(points: Mapping[str, Fraction]) -> list[str]:
    """Format the points of results as record 162, and as 299 for further results.

    `points` are by the names of XXS, such as W or PAB; kinds that do not occur may be
    missing. Returns a single XXS line instead if numbers are too long for the columns,
    and an empty list if all points are the usual ones.
    """
    if not (points_line := _format_xxs(points)):
        return []
    points_without_299 = {
        result_name: Fraction(points_value)
        for result_name, points_value in trf.POINTS.items()
    }
    cells_of_162 = []
    for symbol, result_name in SYMBOLS_WRITTEN.items():
        if result_name in points and (
            symbol != "A" or points[result_name]
        ):  # bbpPairings knows no A
            points_without_299 |= dict.fromkeys(
                trf.SYMBOLS[symbol], points[result_name]
            )
            cells_of_162.append(f"{symbol}{_format_decimal(points[result_name]):>4}")
    letter_by_name = {
        result_name: letter for letter, result_name in trf.ASSIGNED.items()
    }
    lines_of_299 = [
        f"{ASSIGNED} {letter_by_name[result_name]}{'':7}{_format_decimal(points_value):>5}"
        for result_name, points_value in points.items()
        if points_without_299[result_name] != points_value
    ]
    fits_columns = all(len(symbol_cell) == 5 for symbol_cell in cells_of_162) and all(
        len(record_line) == 17 for record_line in lines_of_299
    )
    return (
        ["162  " + "    ".join(cells_of_162), *lines_of_299]
        if fits_columns
        else [points_line]
    )


def _format_xxs(points: Mapping[str, Fraction]) -> str:
    """Format the points that differ from the usual ones as an XXS line.

    `points` are by the names of XXS. Returns "" if no points differ.
    """
    xxs_assignments = [
        f"{xxs_code}={_format_decimal(points_value)}"
        for result_name, points_value in points.items()
        if Fraction(trf.POINTS[result_name]) != points_value
        for xxs_code in CODES.get(result_name, (result_name,))
    ]
    return f"XXS {' '.join(xxs_assignments)}" if xxs_assignments else ""


def _has_same_assigned_points(text: str, event: Event) -> bool:
    """Return whether a TRF gives the event's points that no result explains.

    These are points that players brought in and adjusted points. `text` is the whole
    file, and is read again for that; the result is False if it cannot be read.
    """
    if f"\n{ASSIGNED}" not in text:
        return not event.brought.any() and not event.adjusted.any()
    try:
        event_again = read(TextSource(event.source, text), ReadOptions())
    except InputError:
        return False
    loss_kinds = ("lost.brought", "lost.adjusted")
    return all(
        FACTS[loss_kind](event_again) == FACTS[loss_kind](event)
        for loss_kind in loss_kinds
    )


def _is_ranked_by_place(event: Event) -> bool:
    """Return whether the source file ranks players by their place in the file.

    It is False if that is not true any more: start numbers must count from 1 in the
    order of the players. It is also False if the event did not come from a TRF.
    """
    has_ordered_starts = (
        event.start_numbers == np.arange(1, len(event.players) + 1)
    ).all()
    return bool(has_ordered_starts) and any(
        map(trf.is_ranking_by_place, event.origin.facts.get("trf", []))
    )


def _keep_lines(event: Event, numbers: list[int]) -> list[str]:
    """Return the lines of the event's source file that are still true.

    Lines that are written from the event itself are left out. Lines with numbers of
    players are included only if `numbers`, the new starting numbers, are the
    identifiers; national ratings get the new numbers. In an event folder of chess, a
    record that pairopt makes the pairings replaces that of another program.
    """
    has_same_numbers = [*map(str, numbers)] == [*event.players]
    number_by_player = dict(zip(event.players, numbers, strict=True))
    renumbered_lines = []
    for stored_line in event.origin.facts.get("trf", []):
        source_line = " ".join(stored_line.splitlines()).rstrip()
        if trf.NATIONAL.match(source_line) and not has_same_numbers:
            source_line = _renumber_national_record(source_line, number_by_player)
        if source_line:
            renumbered_lines.append(source_line)
    head_records = format_head(event.settings)
    is_paired_here = bool(event.origin.folder) and event.chess
    unwritten_lines = []
    for source_line in renumbered_lines:
        head_record = find_head_record(source_line)
        is_in_head = head_record is not None and head_record.beginning in head_records
        is_of_other_program = source_line[:3] == CONTROLLER and is_paired_here
        is_rewritten = is_in_head or is_of_other_program
        if not is_rewritten and not trf.is_written_from_event(source_line):
            unwritten_lines.append(source_line)
    if is_paired_here:
        unwritten_lines.append(f"{CONTROLLER} {PROGRAM}")
    has_tie_breaks = _has_same_tie_breaks(unwritten_lines, event.settings.tie_breaks)
    # For a system that pairopt does not have, the model is the code of record 192, and
    # record 092 may name the system in words.
    model_name = event.settings.model or ""
    has_same_type = (
        model_name.isupper() and parse_records(unwritten_lines).model == model_name
    )
    return [
        source_line
        for source_line in unwritten_lines
        if (
            has_same_numbers
            or trf.NATIONAL.match(source_line)
            or not trf.OF_PLAYERS.match(source_line)
        )
        and (not trf.is_ranking_by_place(source_line) or _is_ranked_by_place(event))
        and (
            source_line[:3] not in ("192", "092")
            or has_same_type
            or _has_same_system(source_line, event)
        )
        and (source_line[:3] not in ("202", "212") or has_tie_breaks)
    ]


def _renumber_national_record(line: str, number_by_player: Mapping[str, int]) -> str:
    """Return a record of a player's national rating with the player's present number.

    Keys of `number_by_player` are identifiers: the numbers of the source file. Returns
    "" if the player has been removed, and the line itself if its number cannot be read.
    """
    number_in_source = parse_digits(line[4:8].strip(), trf.MOST_NUMBER)
    if number_in_source is None:
        return line
    new_number = number_by_player.get(str(number_in_source))
    return "" if new_number is None else f"{line[:4]}{new_number:>4}{line[8:]}"


def _has_same_tie_breaks(
    lines: Sequence[str], tie_breaks: tuple[str, ...] | None
) -> bool:
    """Return whether lines of a TRF name these tie-breaks in this order.

    `tie_breaks` are those of the settings, and are compared with the codes as they are
    written; None stands for lines without tie-breaks. Tie-breaks in the lines that
    pairopt does not know are ignored.
    """
    known_codes = tuple(filter(is_known, parse_records(lines).tie_breaks))
    return (known_codes or None) == tie_breaks


def _has_same_system(line: str, event: Event) -> bool:
    """Return whether a line names the system of the event's model, or no system.

    It is False in a round robin, for which pairopt writes these lines itself.
    """
    if event.settings.is_round_robin:
        return False
    line_records = parse_records([line])
    return not line_records.system or line_records.model == event.settings.model


def choose_starting_numbers(event: Event) -> list[int]:
    """Return a starting number per player, by which other programs rank them.

    They are in the order of the event. They are the identifiers if all are numbers,
    otherwise numbers from 1 in the order of the event. But if these do not rank the
    players as the start numbers do, they are the start numbers, counted again from 1 if
    they are too high. Identifiers also stay if the source file ranks players by their
    place in it.
    """
    identifier_numbers = choose_player_numbers(event, trf.MOST_NUMBER)
    start_numbers = event.start_numbers
    has_same_order = (np.argsort(identifier_numbers) == np.argsort(start_numbers)).all()
    is_unique = len(set(identifier_numbers)) == len(identifier_numbers)
    if is_unique and (has_same_order or _is_ranked_by_place(event)):
        return identifier_numbers
    if start_numbers.max() > trf.MOST_NUMBER:
        start_numbers = np.argsort(np.argsort(start_numbers)) + 1
    return [*map(int, start_numbers)]


def _list_entries(event: Event) -> Iterable[_RoundEntry]:
    """Yield an entry for each player of each match or bye, and for absent players.

    A player who is declared inactive and not paired is absent from the round to pair,
    but not in a round robin. A requested bye has the kind ASKED until its points are
    known. A match without a result has the kind "". A match with a result for the
    rating alone has that result.
    """
    matches = event.matches
    points_system = event.settings.points or points_shown_by_results(event)[0]
    # A round robin has no next round.
    if event.declared_active is not None and not event.origin.all_rounds_open:
        is_paired = matches.take(matches.round == event.round).player_mask(
            len(event.players)
        )
        for player_position in np.flatnonzero(
            ~event.declared_active & ~is_paired
        ).tolist():
            yield _RoundEntry(player_position, event.round, "ZPB", Fraction(0), -1, -1)
    for match_index in range(len(matches)):
        first_player = int(matches.first[match_index])
        second_player = int(matches.second[match_index])
        round_number = int(matches.round[match_index])
        match_status = int(matches.status[match_index])
        first_side = int(matches.side[match_index])
        second_side = 1 - first_side if first_side >= 0 else -1
        first_points = Fraction(int(matches.score1[match_index]), event.scale)
        second_points = Fraction(int(matches.score2[match_index]), event.scale)
        if second_player < 0:
            bye_kind = {BYE_ROW: "PAB", REQUESTED: ASKED}[match_status]
            yield _RoundEntry(
                first_player, round_number, bye_kind, first_points, -1, -1
            )
            continue

        file_row = int(matches.row[match_index])
        is_rated = event.origin.cell(trf.RATED, file_row) != "false"
        rating_result = event.origin.cell(RATING_RESULT, file_row)
        if rating_result:
            first_points, second_points = parse_rating_result(rating_result)
        first_kind, second_kind = _find_result_kinds(
            match_status,
            bool(matches.scored[match_index]),
            first_points,
            second_points,
            points_system,
        )
        yield _RoundEntry(
            player=first_player,
            round=round_number,
            kind=first_kind,
            points=first_points,
            opponent=second_player,
            side=first_side,
            rated=is_rated,
        )
        yield _RoundEntry(
            player=second_player,
            round=round_number,
            kind=second_kind,
            points=second_points,
            opponent=first_player,
            side=second_side,
            rated=is_rated,
        )


def _find_result_kinds(
    status: int,
    scored: bool,
    first_points: Fraction,
    second_points: Fraction,
    usual_points: Points | None,
) -> tuple[str, str]:
    """Return the kind of result for both players of a match, as names of XXS.

    `status` is that of the match, and `scored` whether it has a result; without one
    both kinds are "". `first_points` and `second_points` are the players' points. Kinds
    are W, D and L, or FW and FL in a forfeit. The player with more points wins. The
    same points are a draw, but L and L if they are 0. `usual_points` is the point
    system, None without one; if an arbiter decided by it that nobody wins, the points
    of a loss are L, others D.
    """
    if not scored:
        return "", ""
    if status == FORFEIT:
        first_kind = "FW" if first_points > second_points else "FL"
        second_kind = "FW" if second_points > first_points else "FL"
        return first_kind, second_kind
    # An arbiter may decide that nobody wins and one player gets the points of a draw.
    points_of_both = (first_points, second_points)
    if (
        usual_points
        and not usual_points.game
        and points_of_both in usual_points.decided
    ):
        first_kind = "L" if first_points == usual_points.loss else "D"
        second_kind = "L" if second_points == usual_points.loss else "D"
        return first_kind, second_kind
    if first_points == second_points:
        return ("L", "L") if first_points == 0 else ("D", "D")
    return ("W", "L") if first_points > second_points else ("L", "W")


def _find_points(event: Event) -> tuple[dict[str, Fraction], list[_RoundEntry]]:
    """Return the points of each kind of result, and the entries of all players.

    Keys are names of XXS. They are those that occur, and W, D, L and PAB of the point
    system in the settings, if there is one. Entries with requested byes come last;
    these become HPB, FPB or ZPB by their points. Raises UsageError if one kind of
    result gives different points.
    """
    stated_points = event.settings.points
    resolved_entries = []
    points_by_kind: dict[str, Fraction] = {}

    def order(entry: _RoundEntry) -> Fraction:
        """Return a sort key that puts requested byes last, in the order of points.

        `entry` is a player's result in a round; the key of any other kind is 0.
        """
        return 1 + entry.points if entry.kind == ASKED else Fraction(0)

    for entry in sorted(_list_entries(event), key=order):
        result_kind = entry.kind
        entry_points = entry.points
        if result_kind == ASKED:
            result_kind = _choose_bye_kind(entry_points, points_by_kind, stated_points)
        if (
            result_kind
            and points_by_kind.setdefault(result_kind, entry_points) != entry_points
        ):
            smaller_points, larger_points = sorted(
                (points_by_kind[result_kind], entry_points)
            )
            raise UsageError("trf.two_points", one=smaller_points, two=larger_points)
        resolved_entries.append(entry._replace(kind=result_kind))
    if stated_points is not None:
        default_points = {
            "W": stated_points.win,
            "D": stated_points.draw,
            "L": stated_points.loss,
            "PAB": stated_points.allocated_bye,
        }
        points_by_kind = {**default_points, **points_by_kind}
    return points_by_kind, resolved_entries


def _choose_bye_kind(
    points: Fraction,
    points_by_kind: Mapping[str, Fraction],
    stated_points: Points | None,
) -> str:
    """Return the kind of a requested bye by its points: ZPB, HPB or FPB.

    No points are ZPB, those of a win FPB, and others HPB. If `points_by_kind`, the
    points of kinds so far, has other points for that kind, the next of HPB, FPB and ZPB
    without other points is returned; without any, the first choice. `stated_points` is
    the point system of the settings, None without one.
    """
    usual_win_points = Fraction(trf.POINTS["W"])
    if stated_points is not None:
        usual_win_points = stated_points.win
    win_points = points_by_kind.get("W", usual_win_points)
    likely_kind = {Fraction(0): "ZPB", win_points: "FPB"}.get(points, "HPB")
    for bye_kind in (likely_kind, "HPB", "FPB", "ZPB"):
        if points_by_kind.get(bye_kind, points) == points:
            return bye_kind
    return likely_kind


def _format_decimal(value: Fraction) -> str:
    """Return a number as text with at least one decimal: 1 becomes 1.0."""
    number_text = decimal_text(value)
    return number_text if "." in number_text else f"{number_text}.0"


def _format_column(event: Event, name: str) -> list[str]:
    """Return the cells of a column of players.csv in the form that a TRF has.

    `name` is the column, a key of WIDTHS. They are in the order of the players. A cell
    that is too long for its columns becomes "". All cells are "" if the event has no
    such column.
    """
    column_cells = [
        *map(_join_lines, event.columns.get(name, ("",) * len(event.players)))
    ]
    if name == "sex":
        column_cells = [SEXES.get(cell.casefold(), "") for cell in column_cells]
    if name == "birth":
        column_cells = [cell.replace("-", "/") for cell in column_cells]
    return [cell if len(cell) <= WIDTHS[name] else "" for cell in column_cells]


def _join_lines(name: str) -> str:
    """Return a text of several lines as one line, with single blanks."""
    return " ".join(name.split())
