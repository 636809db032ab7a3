"""Read TRF.

Fixed columns, counted from 1: starting number 5-8, sex 10, title 11-13, name 15-47,
rating 49-52, federation 54-56, FIDE's number 58-68, birth 70-79, then from column 92
every ten columns a round: opponent, side, result.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from itertools import product, takewhile

from pairopt.common.limits import MOST_ROUNDS, parse_digits
from pairopt.errors import Fault, InputError, TextLocation
from pairopt.event.column_layout import RATING_RESULT
from pairopt.event.event import Event
from pairopt.event.forbidden_pairs import ForbiddenMeeting
from pairopt.event.source_info import StatedStandings
from pairopt.event.stated_standings import find_wrong_points
from pairopt.event.tie_breaks import is_known
from pairopt.files.build_event import PlayerTable, ReadOptions, build_event
from pairopt.files.csv_schema import MatchRow, PlayerRow, parse_row
from pairopt.files.formats.trf import records as trf
from pairopt.files.formats.trf.head import find_repeated_codes, with_head
from pairopt.files.formats.trf.national_ratings import (
    parse_national_ratings,
    with_national_ratings,
)
from pairopt.files.formats.trf.rating_corrections import (
    LETTER_IN_299,
    RatingCorrection,
    parse_correction,
)
from pairopt.files.formats.trf.records import MOST_NUMBER, AssignedPoints, TrfRecords
from pairopt.files.formats.trf.round_robin import (
    ReportedRoundRobin,
    find_annulled_records,
    find_annulled_results,
    find_round_robin,
    parse_withdrawn,
    parse_withdrawn_line,
)
from pairopt.files.text_source import TextSource
from pairopt.messages import Message, Note, Value, message, with_heading
from pairopt.messages.formatting import MOST_NAMES, decimal_text

FIRST_ROUND = 91
ROUND_WIDTH = 10
SIDES = {"w": "white", "b": "black"}
OTHER_SIDES = {"w": "black", "b": "white"}
FIELDS, COLUMNS, KINDS, REQUESTED = (
    trf.TABLES[name] for name in ("FIELDS", "COLUMNS", "KINDS", "REQUESTED")
)
OTHER_CODES = {
    "013",
    "240",
    "250",
    "260",
    "299",
    "300",
    "310",
    "320",
    "330",
    "801",
    "802",
}
CODES = re.compile(r"[0-9][0-9]2|[A-Z]{3}")
"""Codes of the tournament, and codes of letters for ratings and for additions of other programs."""
PLAYED = "10=WLD"
UNRATED = "WLD"
OTHER_SYSTEM = "trf.other_system"
OTHER_POINTS = "trf.other_points"
"""Message ids of notes that a program without a user to ask treats as errors."""


@dataclass(frozen=True)
class _RoundCell:
    """A player's entry for a round: the opponent, and the letters of side and result.

    `place` is the location of the entry. `opponent` is a starting number, 0 for none.
    `side` and `result` may be blank or "".
    """

    place: TextLocation
    opponent: int
    side: str
    result: str


NAME = (14, 47)
"""The beginning and the end of a player's name in a line."""


class _PlayerLine(TextLocation):
    """The location of a player line, which knows the text columns of its cells."""

    __slots__ = ()

    def at(self, column: str) -> TextLocation:
        """Return the location of a column of players.csv in the line.

        Unknown columns have the location of the name.
        """
        begin_index, end_index = {"rating": FIELDS["rating"][:2], **COLUMNS}.get(
            column, NAME
        )
        return TextLocation(self.line, f"{begin_index + 1}-{end_index}")


@dataclass(frozen=True)
class _TrfPlayer:
    """A player line of a TRF as it was read.

    `line` is its number in the file. `row` is the player as in players.csv, and
    `columns` are further cells by column. `stated` and `rank` are the points and the
    rank that the line states; None without. `cells` are the entries by round.
    """

    line: int
    row: PlayerRow
    columns: Mapping[str, str]
    stated: Decimal | None
    rank: int | None
    cells: Mapping[int, _RoundCell]


Players = Mapping[int, _TrfPlayer]  # by starting number
Points = Mapping[str, Decimal]  # of each result, by its name in XXS


def read(source: TextSource, how: ReadOptions) -> Event:
    """Read a TRF as an event, seen as before the round in `how`.

    `source` is the text of the file. Of the options in `how`, only the round and
    whether results may be missing in all rounds count. Rounds of a player without an
    entry become requested byes if that is necessary. A round robin with the Berger
    table gets all rounds of the table. Lines that the event cannot hold are stored in
    `origin.facts`. Raises InputError with every fault that one stage of reading finds.
    """
    faults: list[Fault] = []
    players, records = _parse_lines(source, faults)
    points_by_result = records.collect_points()
    if not faults and not players:
        faults.append(Fault("trf.nobody"))

    match_rows: list[MatchRow] = []
    if not faults:
        match_rows += _build_match_rows(players, points_by_result, faults)
    corrections = _find_true_corrections(records, players, match_rows)
    match_rows = [
        _with_counted_points(match_row, corrections) for match_row in match_rows
    ]
    withdrawn_starts = parse_withdrawn(records.kept_lines, players)
    stated_round_robin = (
        None if faults else find_round_robin(records, match_rows, withdrawn_starts)
    )
    round_robin = (
        stated_round_robin
        if stated_round_robin and stated_round_robin.is_berger
        else None
    )
    if round_robin is not None:
        match_rows = round_robin.rows
        points_by_result = {**points_by_result, "PAB": round_robin.bye_points}
    paired_rounds = (
        match_row.round for match_row in match_rows if match_row.status != "requested"
    )
    last_paired_round = max(paired_rounds, default=0)
    rounds_over = _count_rounds_over(players, last_paired_round)
    next_round = rounds_over + 1

    absences: Mapping[tuple[int, int], tuple[trf.RecordField, str]] = {}
    returned_players: list[int] = []
    if not faults and round_robin is None:
        absences = records.collect_absences(next_round)
    if not faults and round_robin is None:
        returned_players = _find_unmarked_absentees(players, rounds_over, absences)
        match_rows += _build_missed_rows(
            players, points_by_result, rounds_over, returned_players
        )
        match_rows += _build_absence_rows(players, points_by_result, absences)

    forbidden_pairs = records.collect_forbidden_pairs()
    virtual_points = records.collect_virtual_points(
        points_by_result, _find_round_one_players(players, match_rows)
    )
    assigned_records = _without_corrections(records, corrections)
    if round_robin is not None:
        annulled_results = find_annulled_results(match_rows, withdrawn_starts)
        assigned_records = _without_annulled(
            records, assigned_records, annulled_results
        )
        _drop_lines_of_round_robin(records, players)
    adjusted_points = _sum_assigned_points(assigned_records, players, match_rows)
    # This adds a fault if there are too many.
    planned_rounds = records.rounds
    if faults:
        raise InputError(source.name, faults)

    player_table = _build_player_table(
        source, players, records, virtual_points, adjusted_points
    )
    if round_robin is not None:
        player_table = _with_withdrawn(player_table, withdrawn_starts)
    national_ratings = parse_national_ratings(records.kept_lines)
    player_table = with_national_ratings(player_table, national_ratings)
    read_options = ReadOptions(
        round=how.round,
        rounds_over=rounds_over if rounds_over > last_paired_round else 0,
        all_rounds_open=how.all_rounds_open or round_robin is not None,
        any_results=True,
        penalties=True,
        fide_data="errors",
    )
    try:
        event = build_event(source.name, match_rows, player_table, read_options)
    except InputError as error:
        # Missing results are no fault in a round robin, so the reason belongs there.
        round_robin_reason = (
            stated_round_robin.notes[0]
            if stated_round_robin and not stated_round_robin.is_berger
            else None
        )
        raise InputError(source.name, error.faults, round_robin_reason) from None
    event = event.with_sides(("white", "black"))

    settings = replace(
        event.settings,
        title=records.title,
        rounds=planned_rounds,
        model=records.model,
        points=trf.build_points(points_by_result),
        tie_breaks=tuple(filter(is_known, records.tie_breaks)) or None,
        rating_choice=national_ratings and national_ratings.choice,
    )
    settings = with_head(settings, records.head_lines)
    if round_robin is not None:
        settings = round_robin.apply_to(settings)
    # The facts mark a chess event, also if the settings hold all of the lines.
    has_further_lines = bool(records.kept_lines or records.head_lines)
    source_info = replace(
        event.origin,
        cells=_build_unrated_column(players, match_rows)
        | _build_rating_column(match_rows, corrections),
        chess=True,
        facts={"trf": records.kept_lines} if has_further_lines else {},
        stated=_collect_stated_standings(players, records),
    )
    position_by_start = {
        starting_number: player_position
        for player_position, starting_number in enumerate(players)
    }
    forbidden_meetings = (
        ForbiddenMeeting(
            position_by_start[forbidden_pair.one],
            position_by_start[forbidden_pair.two],
            forbidden_pair.rounds,
        )
        for forbidden_pair in forbidden_pairs
    )
    event = replace(
        event,
        settings=settings,
        initial_side=records.initial_side,
        origin=source_info,
        prohibited=tuple(forbidden_meetings),
    )
    notes = [
        *event.notes,
        *_list_notes_on_type(records, stated_round_robin),
        *_list_notes(event, players, records, returned_players, assigned_records),
    ]
    if rounds_over > last_paired_round:
        notes.append(message("trf.nobody_paired", round=rounds_over, next=next_round))
    return replace(event, notes=tuple(notes))


Corrections = Mapping[tuple[int, frozenset[int]], RatingCorrection]
"""Corrections for the rating alone, by round and starting numbers of both players."""


def _find_true_corrections(
    records: TrfRecords, players: Players, rows: Sequence[MatchRow]
) -> Corrections:
    """Return the corrections for the rating alone that comments of the file state.

    Keys are the round and both starting numbers. `players` are the player lines by
    starting number, and `rows` the matches of the file. A comment counts if the
    players' lines have its result, and records 299 give its points. Comments that
    count, and their records, are removed from `records.kept_lines`.
    """
    row_by_match = {
        (
            match_row.round,
            frozenset((int(match_row.player1), int(match_row.player2))),
        ): match_row
        for match_row in rows
        if match_row.player2
    }
    correction_by_match = {}
    for comment_line in [*records.kept_lines]:
        correction = parse_correction(comment_line)
        if correction is None:
            continue
        match_key = (correction.round, frozenset(correction.players))
        match_row = row_by_match.get(match_key)
        if (
            match_row is None
            or _order_points(match_row, correction) != correction.results
        ):
            continue
        lines_of_records = _find_records_of(records, players, correction)
        if lines_of_records is None:
            continue
        correction_by_match[match_key] = correction
        for kept_line in (comment_line, *lines_of_records):
            if kept_line in records.kept_lines:
                records.kept_lines.remove(kept_line)
    return correction_by_match


def _order_points(row: MatchRow, correction: RatingCorrection) -> tuple[object, object]:
    """Return both scores of a match in the order of the correction's players.

    Players of `row` are starting numbers as texts. A score may be None.
    """
    row_points = (row.score1, row.score2)
    is_same_order = int(row.player1) == correction.players[0]
    return row_points if is_same_order else row_points[::-1]


def _find_records_of(
    records: TrfRecords, players: Players, correction: RatingCorrection
) -> list[str] | None:
    """Return the lines 299 that give a correction's points; None if one is missing.

    A player whose points are those of the result needs no line; the list may be empty.
    `records` are those of the file, and `players` the player lines by starting number.
    """
    lines_of_records = []
    for starting_number, counted_points, rating_result in zip(
        correction.players, correction.points, correction.results, strict=True
    ):
        letter_in_299 = LETTER_IN_299.get(
            players[starting_number].cells[correction.round].result
        )
        if counted_points == rating_result:
            continue
        if letter_in_299 is None or not any(
            _is_of_correction(
                assigned_record, correction, starting_number, letter_in_299
            )
            for assigned_record in records.assigned
        ):
            return None
        lines_of_records += [
            f"299{record.text}".rstrip()
            for record in records.iterate_records("299")
            if _is_line_of(record, correction, starting_number, letter_in_299)
        ]
    return lines_of_records


def _is_of_correction(
    entry: AssignedPoints, correction: RatingCorrection, start: int, letter: str
) -> bool:
    """Return whether a record 299 gives a player the points of a correction.

    `entry` is the record, and `start` the player's starting number, which must be in
    the correction. The record must name only this player and the correction's round,
    and the `letter` of the result.
    """
    points_of_player = correction.points[correction.players.index(start)]
    return entry == AssignedPoints(
        letter,
        Decimal(points_of_player.numerator) / points_of_player.denominator,
        correction.round,
        (start,),
    )


def _is_line_of(
    record: trf.TrfRecord, correction: RatingCorrection, start: int, letter: str
) -> bool:
    """Return whether a line 299 is about one player's result in a round.

    `record` is the line. It must have the `letter` of the result, the round of the
    correction, and only the starting number `start`. Its points are not compared.
    """
    return (
        record.read_columns(5, 5).text == letter
        and record.read_columns(20, 22).text.lstrip("0") == str(correction.round)
        and [number_field.text.lstrip("0") for number_field in record.read_numbers(24)]
        == [str(start)]
    )


def _with_counted_points(row: MatchRow, corrections: Corrections) -> MatchRow:
    """Return a match with the points that count in standings and pairings.

    `row` is the match, and `corrections` those for the rating alone, by round and
    players. A match without a correction is returned unchanged, and so is a bye.
    """
    correction = _correction_of(row, corrections)
    if correction is None:
        return row
    counted_points = correction.points
    if int(row.player1) != correction.players[0]:
        counted_points = counted_points[::-1]
    first_points, second_points = (
        Decimal(point_value.numerator) / point_value.denominator
        for point_value in counted_points
    )
    return replace(row, score1=first_points, score2=second_points)


def _correction_of(row: MatchRow, corrections: Corrections) -> RatingCorrection | None:
    """Return the correction for the rating alone of a match, None without one.

    `row` is a match or a bye, with starting numbers as players; a bye has none.
    `corrections` are by round and both players.
    """
    if not row.player2:
        return None
    match_key = (row.round, frozenset((int(row.player1), int(row.player2))))
    return corrections.get(match_key)


def _without_corrections(
    records: TrfRecords, corrections: Corrections
) -> list[AssignedPoints]:
    """Return the records 299 that are not about a correction for the rating alone.

    A record of `records.assigned` is about one if it has a letter, and the round and
    one player of an entry in `corrections`.
    """
    corrected_rounds = {
        (correction.round, (starting_number,))
        for correction in corrections.values()
        for starting_number in correction.players
    }
    return [
        assigned_record
        for assigned_record in records.assigned
        if not assigned_record.kind
        or (assigned_record.round, assigned_record.starts) not in corrected_rounds
    ]


def _without_annulled(
    records: TrfRecords,
    assigned: Sequence[AssignedPoints],
    annulled: Collection[tuple[int, int]],
) -> list[AssignedPoints]:
    """Return the records 299 in `assigned` without those on annulled results.

    Their lines are removed from `records.kept_lines`. `annulled` are pairs of a round
    and a starting number.
    """
    annulled_records = find_annulled_records(assigned, annulled)
    for record in [*records.iterate_records("299")]:
        start_fields = record.read_numbers(24)
        kind_round_and_starts = (
            record.read_columns(5, 5).text,
            record.read_columns(20, 22).text.lstrip("0"),
            [number_field.text.lstrip("0") for number_field in start_fields],
        )
        record_line = f"299{record.text}".rstrip()
        is_on_annulled = any(
            kind_round_and_starts
            == (
                assigned_record.kind,
                str(assigned_record.round),
                [str(assigned_record.starts[0])],
            )
            for assigned_record in annulled_records
        )
        if is_on_annulled and record_line in records.kept_lines:
            records.kept_lines.remove(record_line)
    return [
        assigned_record
        for assigned_record in assigned
        if assigned_record not in annulled_records
    ]


def _drop_lines_of_round_robin(records: TrfRecords, players: Players) -> None:
    """Remove lines from `records.kept_lines` that the event holds otherwise.

    They state the type of the tournament (092 and 192), and who withdrew. `players` are
    the player lines by starting number.
    """
    for kept_line in [*records.kept_lines]:
        if kept_line[:3] in ("092", "192") or parse_withdrawn_line(kept_line, players):
            records.kept_lines.remove(kept_line)


def _with_withdrawn(roster: PlayerTable, withdrawn: Collection[int]) -> PlayerTable:
    """Return the players with a column `active`, which is "false" for `withdrawn`.

    `roster` has the players, whose identifiers are starting numbers, as are those in
    `withdrawn`. If `withdrawn` is empty, the players are returned unchanged.
    """
    if not withdrawn:
        return roster
    player_rows = [
        replace(player_row, active=int(player_row.player) not in withdrawn)
        for player_row in roster.players
    ]
    active_cells = [
        "true" if player_row.active else "false" for player_row in player_rows
    ]
    return replace(
        roster, players=player_rows, columns={**roster.columns, "active": active_cells}
    )


def _build_rating_column(
    rows: Sequence[MatchRow], corrections: Corrections
) -> dict[str, list[str]]:
    """Return the column with scores for the rating alone by its name.

    There is one cell per row of `rows`, such as "1-0", or "" without a correction.
    `corrections` are by round and both players. Returns an empty dict if there are no
    corrections.
    """
    if not corrections:
        return {}
    rating_cells = []
    for match_row in rows:
        correction = _correction_of(match_row, corrections)
        rating_results: Sequence[Fraction] = (
            () if correction is None else correction.results
        )
        if correction is not None and int(match_row.player1) != correction.players[0]:
            rating_results = rating_results[::-1]
        rating_cells.append("-".join(map(decimal_text, rating_results)))
    return {RATING_RESULT: rating_cells}


def _build_missed_rows(
    players: Players,
    points: Points,
    rounds_over: int,
    returned_players: Collection[int],
) -> Iterator[MatchRow]:
    """Yield requested byes for rounds that are over and have no entry for a player.

    If a missed round gives no points, only one row is necessary: in the last round, for
    players in `returned_players`, who are taken to be back. `points` are by kind of
    result, with ZPB for a missed round. `rounds_over` is the last round that is over.
    Starting numbers are the keys of `players`.
    """
    missed_points = points["ZPB"]
    row_template = MatchRow(1, "", score1=missed_points, status="requested")
    for starting_number, trf_player in players.items():
        line_location = TextLocation(trf_player.line)
        for round_number in range(1, rounds_over + 1):
            is_last_of_returned = (
                starting_number in returned_players and round_number == rounds_over
            )
            has_entry = round_number in trf_player.cells
            if not has_entry and (missed_points or is_last_of_returned):
                yield replace(
                    row_template,
                    round=round_number,
                    player1=str(starting_number),
                    place=line_location,
                )


def _build_absence_rows(
    players: Players,
    points: Points,
    absences: Mapping[tuple[int, int], tuple[trf.RecordField, str]],
) -> Iterator[MatchRow]:
    """Yield requested byes for players who are marked absent in rounds to come.

    Keys of `absences` are the round and the starting number; values are the field that
    marks it, and the letter of the bye (H, F or Z). A player who has an entry in that
    round gets none. `points` are by kind of result, and `players` by starting number.
    """
    for (round_number, starting_number), (
        absence_field,
        bye_letter,
    ) in absences.items():
        if round_number not in players[starting_number].cells:
            yield MatchRow(
                round_number,
                str(starting_number),
                score1=points[REQUESTED[bye_letter]],
                status="requested",
                place=absence_field.place,
            )


def _build_player_table(
    source: TextSource,
    players: Players,
    records: TrfRecords,
    virtual: Mapping[int, Sequence[Decimal]],
    adjusted: Mapping[int, Sequence[Decimal]],
) -> PlayerTable:
    """Build the table of players from their lines, with virtual and adjusted points.

    `source` gives the name of the file, and `players` are the player lines by starting
    number. `records` say whether players rank by their place in the file; `start` is
    then this place, from 1. Keys of `virtual` and `adjusted` are starting numbers. A
    list in `virtual` has the points of each round. A list in `adjusted` begins with the
    points that belong to no round, and those of each round follow. Empty columns are
    left out, but not the federation.
    """
    player_rows = []
    for file_position, (starting_number, trf_player) in enumerate(players.items(), 1):
        adjusted_points = adjusted.get(starting_number, ())
        player_row = replace(
            trf_player.row,
            start=file_position if records.by_place else starting_number,
            virtual=tuple(virtual.get(starting_number, ())),
            score=adjusted_points[0] if adjusted_points else None,
            adjusted=tuple(adjusted_points[1:]),
        )
        player_rows.append(player_row)

    cells_by_column: dict[str, list[str]] = {}
    for column_name in COLUMNS:
        column_cells = [
            trf_player.columns[column_name] for trf_player in players.values()
        ]
        if column_name == "federation" or any(column_cells):
            cells_by_column[column_name] = column_cells
    cells_by_column["start"] = [str(player_row.start) for player_row in player_rows]
    return PlayerTable(source.name, player_rows, cells_by_column)


def _collect_stated_standings(players: Players, records: TrfRecords) -> StatedStandings:
    """Collect the points and ranks that the file states, with their locations.

    They are in the order of `players`; None where a line states none. `records` have
    the tie-breaks, of which those before the first unknown one are taken. They are None
    if the file ranks players by a tie-break before their points.
    """
    stated_points: list[Fraction | None] = []
    point_and_rank_places: list[tuple[TextLocation, TextLocation]] = []
    for trf_player in players.values():
        stated_points.append(
            None if trf_player.stated is None else Fraction(trf_player.stated)
        )
        points_place = TextLocation(trf_player.line, "81-84")
        rank_place = TextLocation(trf_player.line, "86-89")
        point_and_rank_places.append((points_place, rank_place))
    stated_ranks = tuple(trf_player.rank for trf_player in players.values())
    tie_break_codes = records.tie_breaks
    known_codes = tuple(takewhile(is_known, tie_break_codes))
    has_late_points = "PTS" in records.order[1:]
    are_all_codes_known = bool(tie_break_codes) and len(known_codes) == len(
        tie_break_codes
    )
    return StatedStandings(
        tuple(stated_points),
        stated_ranks,
        tuple(point_and_rank_places),
        None if has_late_points else known_codes,
        are_all_codes_known,
    )


def _sum_assigned_points(
    assigned: Iterable[AssignedPoints], players: Players, rows: Iterable[MatchRow]
) -> dict[int, list[Decimal]]:
    """Sum the points of records 299 by starting number: [of no round, round 1, …].

    `assigned` are the records. One without a letter adds points to its round, or to no
    round. One with a letter replaces the points of a result, so the difference counts.
    If it names players and a round, it replaces the result that they have there.
    Otherwise it replaces every result with its letter, of its players or of all.
    Records on all players in all rounds do not count. Players without a sum are left
    out. `rows` are the matches with the points that are replaced.
    """
    score_by_round_and_start = {
        (match_row.round, int(start_text)): match_score or Decimal(0)
        for match_row in rows
        for start_text, match_score in (
            (match_row.player1, match_row.score1),
            (match_row.player2, match_row.score2),
        )
        if start_text
    }
    replaced_by_round_and_start: dict[tuple[int, int], Decimal] = {}
    added_by_round_and_start: dict[tuple[int, int], Decimal] = defaultdict(Decimal)
    for assigned_record in assigned:
        for starting_number in assigned_record.starts or (
            () if assigned_record.of_all else players
        ):
            if not assigned_record.kind:
                added_by_round_and_start[assigned_record.round, starting_number] += (
                    assigned_record.points
                )
            elif assigned_record.round and assigned_record.starts:
                replaced_by_round_and_start[assigned_record.round, starting_number] = (
                    assigned_record.points
                )
            else:
                replaced_by_round_and_start |= {
                    (round_number, starting_number): assigned_record.points
                    for round_number, cell in players[starting_number].cells.items()
                    if cell.result
                    and cell.result in trf.LETTERS[assigned_record.kind]
                    and assigned_record.round in (0, round_number)
                }
    for round_and_start, points_to_add in replaced_by_round_and_start.items():
        added_by_round_and_start[round_and_start] += (
            points_to_add - score_by_round_and_start.get(round_and_start, 0)
        )
    points_by_start: dict[int, list[Decimal]] = {}
    for (
        round_number,
        starting_number,
    ), points_to_add in added_by_round_and_start.items():
        player_points = points_by_start.setdefault(starting_number, [])
        player_points += [Decimal(0)] * (round_number + 1 - len(player_points))
        player_points[round_number] += points_to_add
    return points_by_start


def _build_unrated_column(
    players: Players, rows: list[MatchRow]
) -> dict[str, list[str]]:
    """Return the column `rated` by its name, with "false" for unrated matches.

    `players` are the player lines by starting number. There is one cell per row of
    `rows`; those of other matches and of byes are empty. Returns an empty dict if no
    match is unrated.
    """
    first_player_cells = (
        players[int(match_row.player1)].cells.get(match_row.round) for match_row in rows
    )
    rated_cells = [
        "false"
        if round_cell and round_cell.result and round_cell.result in UNRATED
        else ""
        for round_cell in first_player_cells
    ]
    return {trf.RATED: rated_cells} if any(rated_cells) else {}


def _list_notes_on_head(records: TrfRecords) -> Iterator[Note]:
    """Yield a note for each record of the head that has several values in the file."""
    for record_code in find_repeated_codes(records.head_lines):
        yield message("trf.record_twice", code=record_code)


def _list_notes_on_type(
    records: TrfRecords, round_robin: ReportedRoundRobin | None
) -> Iterator[Note]:
    """Yield notes on a type of tournament that pairopt cannot pair, or a round robin.

    `records` name the type. `round_robin` is the round robin that the report names,
    None if it names none. If it is one that pairopt can pair, only its own notes are
    yielded. Nothing is yielded for a system that pairopt pairs, or without a type.
    """
    if round_robin is not None:
        yield from round_robin.notes
        if round_robin.is_berger:
            return
    if records.model and records.model.isupper():
        record_code = "192" if [*records.iterate_first_words("192")] else "092"
        yield message("trf.other_system", system=records.system, code=record_code)


def _list_notes(
    event: Event,
    players: Players,
    records: TrfRecords,
    back: list[int],
    assigned: Sequence[AssignedPoints],
) -> Iterator[Note]:
    """Yield notes on what the file leaves unclear or pairopt ignores.

    They are on players who are back, repeated records, unknown tie-breaks, one-sided
    forfeits, assigned points, wrong points and a wrong number of players. `event` is
    what was read from the `players`, by starting number, and the `records`. `back` are
    the starting numbers of players who are taken to be there again, and `assigned` the
    records 299 without those of corrections for the rating alone.
    """
    if back:
        returned_names = [
            event.called[str(starting_number)] for starting_number in back
        ]
        yield message("trf.back", round=event.round - 1, players=returned_names)
    yield from _list_notes_on_head(records)
    if unknown_codes := [
        tie_break_code
        for tie_break_code in records.tie_breaks
        if not is_known(tie_break_code)
    ]:
        yield message("trf.unknown_tie_breaks", names=unknown_codes)
    for starting_number, trf_player in players.items():
        for round_number, cell in trf_player.cells.items():
            opponent_result = (
                players[cell.opponent].cells[round_number].result
                if cell.opponent in players
                else "-"
            )
            if cell.result in REQUESTED and opponent_result in PLAYED:
                player_name, opponent_name = (
                    event.called[str(shown_start)]
                    for shown_start in (starting_number, cell.opponent)
                )
                yield message(
                    "trf.half_forfeit",
                    one=player_name,
                    two=opponent_name,
                    round=round_number,
                    result=cell.result,
                    other=opponent_result,
                )
    for assigned_record in assigned:
        if not assigned_record.of_all:
            yield _describe_assigned(event, assigned_record)
    point_notes, _ = find_wrong_points(event)
    if point_notes:
        yield _note_other_points(point_notes)
    for count_field in [*records.iterate_first_words("062")][:1]:
        if count_field.text != str(len(players)):
            yield message(
                "trf.other_number", found=count_field.text, players=len(players)
            )


def _note_other_points(point_notes: Sequence[Note]) -> Note:
    """Join notes on stated points that are not those of the results into one note.

    `point_notes` has one note per player, and is not empty. If there are more than
    MOST_NAMES, only the first ones are given, and the others are counted. The kind says
    whether there are more; JSON then has the first ones as `said`, as in version 1.0.
    """
    heading_message = message("trf.other_points")
    named_notes = point_notes[:MOST_NAMES]
    unnamed_count = len(point_notes) - MOST_NAMES
    if unnamed_count <= 0:
        return with_heading(heading_message, *named_notes)
    more_note = message(
        "trf.other_points_of_many",
        said=[*map(str, named_notes)],
        more=unnamed_count,
    )
    return with_heading(heading_message, *named_notes, more_note, name=more_note.kind)


def _describe_assigned(event: Event, record: AssignedPoints) -> Message:
    """Return a note on assigned points: the players, the points and the round.

    `record` is a record 299; without a round the note names none. With a letter the
    note says that the points are those of a result.
    """
    player_names = [
        event.called[str(starting_number)] for starting_number in record.starts
    ]
    message_kind = "trf.assigned_as" if record.kind else "trf.assigned"
    assigned_amount = Fraction(record.points)
    round_note = (
        Value("trf.in_round", {"round": record.round}) if record.round else None
    )
    return message(
        message_kind,
        points=assigned_amount,
        letter=record.kind,
        players=player_names,
        when=round_note,
    )


def _parse_lines(
    source: TextSource, faults: list[Fault]
) -> tuple[dict[int, _TrfPlayer], TrfRecords]:
    """Parse all lines of a TRF: players by starting number, and other records.

    `source` is the text of the file. Faults are added to `faults`, for example for a
    number that two players have; the later one then counts. But if lines of players are
    shifted by some columns, this raises an InputError that reports only the shift.
    """
    players: dict[int, _TrfPlayer] = {}
    records = TrfRecords(players, faults)
    numbered_lines = [*enumerate(source.text.splitlines(), 1)]
    player_lines = {
        line_number: text_line
        for line_number, text_line in numbered_lines
        if text_line.lstrip()[:3] == "001"
    }
    first_column, shift_columns, shifted_count = _detect_shift(player_lines.values())
    if shifted_count:
        message_kind = "trf.shifted_right" if shift_columns > 0 else "trf.shifted_left"
        reason = message(
            message_kind,
            columns=abs(shift_columns),
            column=first_column,
            lines=shifted_count,
            all=len(player_lines),
        )
        raise InputError(source.name, [Fault(reason)])
    for line_number, text_line in numbered_lines:
        if line_number in player_lines:
            if trf_player := _parse_player(text_line, line_number, faults):
                starting_number = int(trf_player.row.player)
                if starting_number in players:
                    reason = message(
                        "trf.start_twice",
                        start=starting_number,
                        line=players[starting_number].line,
                    )
                    faults.append(Fault(reason, TextLocation(line_number, "5-8")))
                players[starting_number] = trf_player
        elif text_line.startswith("#"):
            records.add_comment(text_line)
        elif CODES.fullmatch(text_line[:3]) or text_line[:3] in OTHER_CODES:
            records.add(text_line, line_number)
        elif text_line.strip():
            faults.append(
                Fault(
                    message("trf.no_code", found=text_line[:3]),
                    TextLocation(line_number, "1-3"),
                )
            )
    records.kept_lines.sort(key=trf.belongs_after_players)
    return players, records


BLANKS = (4, 9, 14, 48, 53, 57, 69, 80, 85, 90, 91)
OF_ROUND = (96, 98, 100, 101)
"""The blank columns between fields of a player line, and within round 1."""


def _find_field_fault(line: str) -> tuple[Message, str] | None:
    """Return the first fault in a player line as a message, and its columns as text.

    A fault is a field with the wrong form, or text in a column that must be blank.
    Columns count from 1, for example "49-52" or "48". Returns None if there is none.
    Entries of rounds are not checked, only the blanks between them.
    """
    for (
        field_begin,
        field_end,
        shown_columns,
        message_kind,
        field_pattern,
    ) in FIELDS.values():
        if not re.fullmatch(
            field_pattern, field_text := line[field_begin:field_end].strip()
        ):
            return message(message_kind, found=field_text), shown_columns
    round_offsets = range(0, max(len(line) - FIRST_ROUND, 0), ROUND_WIDTH)
    blank_columns = (
        *BLANKS,
        *(
            column_number + round_offset
            for round_offset in round_offsets
            for column_number in OF_ROUND
        ),
    )
    return next(
        (
            (message("trf.no_blank", found=line[column_number - 1]), str(column_number))
            for column_number in blank_columns
            if line[column_number - 1 : column_number].strip()
        ),
        None,
    )


def _is_well_formed(line: str) -> bool:
    """Return whether all fields and rounds of a player line are in their columns.

    Rounds need an opponent of digits and a letter of a side at the right places; both
    may be blank. Results of rounds are not checked.
    """
    round_texts = (
        line[round_begin : round_begin + 6]
        for round_begin in range(FIRST_ROUND, len(line), ROUND_WIDTH)
    )
    return not _find_field_fault(line) and all(
        re.fullmatch("[ 0-9]{0,4} ?[wbWB -]?", round_text) for round_text in round_texts
    )


def _realign_line(line: str, begin: int, shift: int) -> str:
    """Return a line whose text from column `begin` on is moved to the left.

    `shift` is by how many columns; below 0 it moves the text to the right. Columns
    count from 0. A move to the left drops the columns from `begin` on; a line with text
    in them is returned unchanged.
    """
    if shift > 0:
        is_in_the_way = bool(line[begin : begin + shift].strip())
        return line if is_in_the_way else line[:begin] + line[begin + shift :]
    unmoved_column_count = max(begin + shift, 0)
    return line[:unmoved_column_count] + " " * -shift + line[unmoved_column_count:]


def _detect_shift(lines: Collection[str]) -> tuple[int, int, int]:
    """Detect whether player lines are shifted from some column on.

    Returns the column (counted from 1), the shift in columns (positive to the right),
    and how many malformed lines are well-formed after they are moved back. That number
    is 0 if no lines are shifted; the other two then mean nothing. Shifts of up to three
    columns are tried on the first 20 malformed lines.
    """
    malformed_lines = [
        player_line for player_line in lines if not _is_well_formed(player_line)
    ]

    def count_fitting(sample: Sequence[str], move: tuple[int, int]) -> int:
        """Count the lines of a sample that are well-formed after a move back.

        `move` is the first column, from 0, and the shift to the left.
        """
        return sum(
            _is_well_formed(_realign_line(player_line, *move)) for player_line in sample
        )

    possible_first_columns = (FIRST_ROUND, *BLANKS[-3::-1], 0)
    possible_moves = product(possible_first_columns, (1, -1, 2, -2, 3, -3))
    best_move = max(
        possible_moves, key=lambda move: count_fitting(malformed_lines[:20], move)
    )
    first_shifted_column, best_shift = best_move
    return (
        first_shifted_column + 1,
        best_shift,
        count_fitting(malformed_lines, best_move),
    )


def _parse_player(line: str, number: int, faults: list[Fault]) -> _TrfPlayer | None:
    """Parse the line of a player; `number` is the number of the line.

    Returns None if a field has a fault. Faults, also those of rounds, are added to
    `faults`. A round with a fault is left out.
    """
    if field_fault := _find_field_fault(line):
        faults.append(Fault(field_fault[0], TextLocation(number, field_fault[1])))
        return None
    field_texts = {
        field_name: line[field_begin:field_end].strip()
        for field_name, (field_begin, field_end, *_) in FIELDS.items()
    }
    player_row = parse_row(
        PlayerRow,
        {
            "player": str(int(field_texts["start"])),
            "name": line[slice(*NAME)].strip(),
            "rating": field_texts["rating"],
        },
        place=_PlayerLine(number),
    )
    stated_points = (
        Decimal(field_texts["stated"].replace(",", "."))
        if field_texts["stated"]
        else None
    )
    cells_by_column = {
        field_name: line[field_begin:field_end].strip()
        for field_name, (field_begin, field_end) in COLUMNS.items()
    }
    round_cells = _parse_round_entries(line.rstrip(), number, faults)
    return _TrfPlayer(
        number,
        player_row,
        cells_by_column,
        stated_points,
        int(field_texts["rank"] or 0) or None,
        round_cells,
    )


def _parse_round_entries(
    line: str, number: int, faults: list[Fault]
) -> dict[int, _RoundCell]:
    """Parse the games and byes in the line of a player; return them by round, from 1.

    `number` is the number of the line. A round with a blank entry is left out. So is an
    entry with a fault, which is added to `faults`. After round MOST_ROUNDS, the first
    entry is a fault, and all others are ignored.
    """
    cell_by_round = {}
    for round_number, round_begin in enumerate(
        range(FIRST_ROUND, len(line), ROUND_WIDTH), 1
    ):
        round_text = line[round_begin : round_begin + ROUND_WIDTH - 2]
        entry_location = TextLocation(number, f"{round_begin + 1}-{round_begin + 8}")
        if round_text.strip() and round_number > MOST_ROUNDS:
            faults.append(
                Fault(message("trf.too_many_rounds", most=MOST_ROUNDS), entry_location)
            )
            break
        if round_text.strip() and (
            cell := _parse_round_entry(round_text, entry_location, faults)
        ):
            cell_by_round[round_number] = cell
    return cell_by_round


def _parse_round_entry(
    text: str, place: TextLocation, faults: list[Fault]
) -> _RoundCell | None:
    """Parse a player's entry in a round: opponent, side and result.

    `text` is the entry, of at most 8 characters, and `place` its location. Returns None
    if the entry has a fault, which is added to `faults`. Whether the opponent exists is
    not checked.
    """
    text = text.ljust(8)
    opponent_text = text[:4].strip() or "0"
    side_letter = text[5].lower()
    result_letter = text[7].upper()
    opponent_start = parse_digits(opponent_text, MOST_NUMBER)
    text_and_fault_by_kind = {
        "trf.no_opponent": (opponent_text, opponent_start is None),
        "trf.no_side": (side_letter, side_letter not in "wb- "),
        "trf.no_game": (
            result_letter,
            bool(opponent_start) and result_letter not in PLAYED + "+- ",
        ),
        "trf.no_result_of_bye": (
            result_letter,
            not opponent_start and result_letter not in "HFZU+- ",
        ),
    }
    for message_kind, (checked_text, is_wrong) in text_and_fault_by_kind.items():
        if is_wrong:
            faults.append(Fault(message(message_kind, found=checked_text), place))
            return None
    return _RoundCell(place, opponent_start or 0, side_letter, result_letter.strip())


def _build_match_rows(
    players: Players, points: Points, faults: list[Fault]
) -> Iterator[MatchRow]:
    """Yield matches.csv rows for all entries, and add faults if entries contradict.

    `players` are by starting number, and `points` by kind of result. The player with
    the lower starting number comes first in a match, which is yielded once. An entry
    with a fault gives no row, and neither does one without opponent and result. The
    faults, also of an opponent without the same match, are added to `faults`.
    """
    for player_start, trf_player in players.items():
        for round_number, cell in trf_player.cells.items():
            if not cell.opponent:
                if cell.result:
                    bye_points = points[REQUESTED.get(cell.result, "PAB")]
                    match_status = "bye" if cell.result == "U" else "requested"
                    yield MatchRow(
                        round_number,
                        str(player_start),
                        score1=bye_points,
                        status=match_status,
                        place=cell.place,
                    )
                continue
            trf_opponent = players.get(cell.opponent)
            opponent_cell = (
                trf_opponent.cells.get(round_number) if trf_opponent else None
            )
            if (
                opponent_cell is None
                or opponent_cell.opponent != player_start
                or cell.opponent == player_start
            ):
                reason = message(
                    "trf.one_sided",
                    opponent=cell.opponent,
                    start=player_start,
                    round=round_number,
                )
                faults.append(Fault(reason, cell.place))
            elif player_start < cell.opponent:
                if fault := _find_contradiction(round_number, cell, opponent_cell):
                    faults.append(fault)
                    continue
                first_side = SIDES.get(cell.side) or OTHER_SIDES.get(
                    opponent_cell.side, ""
                )
                first_points, second_points = (
                    points[KINDS[round_cell.result]] if round_cell.result else None
                    for round_cell in (cell, opponent_cell)
                )
                match_status = (
                    "forfeit"
                    if {cell.result, opponent_cell.result} & {"+", "-"}
                    else ""
                )
                yield MatchRow(
                    round_number,
                    str(player_start),
                    str(cell.opponent),
                    None,
                    first_side,
                    first_points,
                    second_points,
                    match_status,
                    place=cell.place,
                )


def _find_contradiction(
    round_number: int, cell: _RoundCell, opponent_cell: _RoundCell
) -> Fault | None:
    """Return a fault if two players' entries for a match contradict each other.

    `cell` and `opponent_cell` are the entries, and `round_number` is for the message.
    They contradict if both have the same side, only one has a result, or the results do
    not go together, such as two wins or a win and a draw. Returns None if they agree.
    """
    if cell.side == opponent_cell.side and cell.side in SIDES:
        return Fault(
            message("trf.same_side", round=round_number, side=SIDES[cell.side]),
            cell.place,
        )
    if bool(cell.result) != bool(opponent_cell.result):
        return Fault(
            message("trf.half_result", round=round_number),
            (opponent_cell if cell.result else cell).place,
        )
    result_kinds = {KINDS.get(cell.result, ""), KINDS.get(opponent_cell.result, "")}
    if result_kinds in ({"W"}, {"FW"}, {"W", "D"}, {"W", "FW"}):
        reason = message(
            "trf.clash", one=cell.result, two=opponent_cell.result, round=round_number
        )
        return Fault(reason, cell.place)
    return None


def _find_round_one_players(players: Players, rows: list[MatchRow]) -> set[int]:
    """Return the starting numbers of the players who take part in round 1.

    `rows` are the matches and byes of the file. A player with the pairing-allocated bye
    takes part. If round 1 is not paired yet, these are all of `players` without a
    requested bye in it.
    """
    first_rows = [match_row for match_row in rows if match_row.round == 1]
    paired_rows = [
        match_row for match_row in first_rows if match_row.status != "requested"
    ]
    if paired_rows:
        return {
            int(start_text)
            for match_row in paired_rows
            for start_text in (match_row.player1, match_row.player2)
            if start_text
        }
    return set(players) - {int(match_row.player1) for match_row in first_rows}


def _count_rounds_over(players: Players, paired: int) -> int:
    """Count the rounds that are over.

    `paired` is the last round that was paired, 0 if none was. A round after it is over,
    too, if every player has a result in it: nobody is left to be paired, so other
    programs pair the next one.
    """
    rounds_over = paired
    while players and all(
        _has_result(trf_player, rounds_over + 1) for trf_player in players.values()
    ):
        rounds_over += 1
    return rounds_over


def _has_result(player: _TrfPlayer, round_number: int) -> bool:
    """Return whether a player has a result in a round, also that of a bye.

    `round_number` counts from 1, and may be a round without an entry.
    """
    return round_number in player.cells and bool(player.cells[round_number].result)


def _find_unmarked_absentees(
    players: Players, last_round: int, absences: Collection[tuple[int, int]]
) -> list[int]:
    """Return starting numbers of players who missed the last round and are back.

    They have no entry in `last_round` or the next round, and are not marked absent in
    the next one: `absences` has rounds with starting numbers. By the rules of the
    format they are there again: a blank stands for Z, and Z for one round. Players
    without any entry do not count, and nobody does if `last_round` is 0.
    """
    return [
        starting_number
        for starting_number, trf_player in players.items()
        if trf_player.cells
        and last_round >= 1
        and not {last_round, last_round + 1} & set(trf_player.cells)
        and (last_round + 1, starting_number) not in absences
    ]
