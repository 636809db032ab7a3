"""bracket.csv: read and write the elimination bracket, one row per match."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import fields
from fractions import Fraction

from pairopt.errors import Fault, InputError
from pairopt.event.column_layout import NAMES
from pairopt.event.elimination import BracketMatch, EliminationBracket
from pairopt.event.event import Event
from pairopt.event.points import Score
from pairopt.files.csv_schema import BracketRow, parse_rows
from pairopt.files.text_source import decode_text
from pairopt.files.text_tables import TextTable, parse_table
from pairopt.files.write import csv_table
from pairopt.messages import message
from pairopt.messages.formatting import decimal_text

COLUMNS = tuple(column.name for column in fields(BracketRow) if column.name != "place")
Rows = Mapping[int, BracketRow]  # the rows by the numbers of their matches


def load_bracket(event: Event) -> EliminationBracket | None:
    """Parse the bracket.csv of an event folder; None if the event has none.

    The content is in `event.origin.bracket`, so no file is read. Raises InputError with
    every fault that one stage of parsing finds.
    """
    if not event.origin.bracket:
        return None
    return parse_bracket(
        parse_table(decode_text("bracket.csv", event.origin.bracket)), event.players
    )


def format_bracket_row(
    elimination: EliminationBracket, match: BracketMatch, event: Event | None = None
) -> dict[str, str]:
    """Return the cells of a bracket match by column, as bracket.csv has them.

    `match` is a match of the bracket `elimination`. Cells for seeds, players and scores
    that are not known yet are "". If `event` is given and its names differ from the
    identifiers, columns with the names follow.
    """
    fixture = match.fixture
    match_score = match.score
    cell_by_column = {
        "match": fixture.name,
        "bracket": fixture.part,
        "round": str(fixture.round),
    }
    for seat, seed in enumerate(match.seeds, 1):
        cell_by_column[f"seed{seat}"] = str(seed or "")
        cell_by_column[f"player{seat}"] = elimination.players[seed - 1] if seed else ""
    cell_by_column["score1"] = decimal_text(match_score.one) if match_score else ""
    cell_by_column["score2"] = decimal_text(match_score.two) if match_score else ""
    cell_by_column["status"] = "forfeit" if match_score and match_score.forfeit else ""
    if event is not None and event.names != event.players:
        name_by_identifier = dict(zip(event.players, event.names, strict=True))
        cell_by_column |= {
            name_column: name_by_identifier.get(cell_by_column[f"player{seat}"], "")
            for seat, name_column in enumerate(NAMES, 1)
        }
    return cell_by_column


def format_bracket(elimination: EliminationBracket, event: Event) -> str:
    """Format an elimination bracket as the text of bracket.csv, one row per match.

    Columns with names follow if the names in `event` differ from the identifiers. No
    file is written.
    """
    cells_of_matches = [
        format_bracket_row(elimination, match, event) for match in elimination.matches
    ]
    return csv_table(
        list(cells_of_matches[0]),
        [row_cells.values() for row_cells in cells_of_matches],
    )


def parse_bracket(table: TextTable, players: Sequence[str]) -> EliminationBracket:
    """Parse the elimination bracket in a table.

    `players` are the identifiers of the players of the event. The highest seed in the
    rows decides the size of the bracket. It is a double elimination if a match is in
    another part than "main". Raises InputError with every fault that one stage of
    parsing finds.
    """
    bracket_rows = parse_rows(table, BracketRow, COLUMNS)
    rows_by_match = {bracket_row.match: bracket_row for bracket_row in bracket_rows}
    is_double = any(bracket_row.bracket != "main" for bracket_row in bracket_rows)
    seed_count = max(
        [
            2,
            *(
                seed
                for bracket_row in bracket_rows
                for seed in (bracket_row.seed1, bracket_row.seed2)
                if seed
            ),
        ]
    )
    if faults := _find_count_faults(
        bracket_rows,
        2 * seed_count - 1 if is_double else seed_count - 1,
        seed_count,
    ):
        raise InputError(table.name, faults)
    player_by_seed = [""] * seed_count
    empty_bracket = EliminationBracket(tuple(player_by_seed), is_double)
    faults = _find_placement_faults(empty_bracket, rows_by_match) + _fill_seeds(
        empty_bracket, rows_by_match, players, player_by_seed
    )
    if faults:
        raise InputError(table.name, faults)
    score_by_match = {
        match_number: Score(
            Fraction(bracket_row.score1),
            Fraction(bracket_row.score2),
            bracket_row.status == "forfeit",
        )
        for match_number, bracket_row in rows_by_match.items()
        if bracket_row.score1 is not None and bracket_row.score2 is not None
    }
    filled_bracket = EliminationBracket(
        tuple(player_by_seed), is_double, score_by_match
    )
    if faults := _find_result_faults(filled_bracket, rows_by_match):
        raise InputError(table.name, faults)
    return filled_bracket


def _find_count_faults(
    rows: Sequence[BracketRow], matches: int, size: int
) -> list[Fault]:
    """Return faults for matches without exactly one row, and for unknown matches.

    `rows` are all rows. A bracket of `size` players has the matches 1 to `matches`.
    There is one fault per repeated match, one for all missing matches and one for all
    unknown ones, none of them with a location.
    """
    row_count_by_match = Counter(bracket_row.match for bracket_row in rows)
    faults = [
        Fault(message("bracket.rows", number=match_number, rows=row_count))
        for match_number, row_count in row_count_by_match.items()
        if row_count > 1
    ]
    expected_numbers = range(1, matches + 1)
    missing_numbers = [
        match_number
        for match_number in expected_numbers
        if match_number not in row_count_by_match
    ]
    unknown_numbers = sorted(
        match_number
        for match_number in row_count_by_match
        if match_number not in expected_numbers
    )
    for message_kind, match_numbers in (
        ("bracket.no_row", missing_numbers),
        ("bracket.more_rows", unknown_numbers),
    ):
        if match_numbers:
            match_names = [f"B{match_number}" for match_number in match_numbers]
            reason = message(
                message_kind, names=match_names, seeds=size, matches=matches
            )
            faults.append(Fault(reason))
    return faults


def _find_placement_faults(empty: EliminationBracket, rows: Rows) -> list[Fault]:
    """Return faults for rows that state a wrong part of the bracket or a wrong round.

    `empty` is a bracket without results, which knows the right ones. `rows` has a row
    for each of its matches.
    """
    faults = []
    for fixture in empty.fixtures:
        bracket_row = rows[fixture.number]
        expected_value_by_column = {"bracket": fixture.part, "round": fixture.round}
        for column_name, expected_value in expected_value_by_column.items():
            stated_value = getattr(bracket_row, column_name)
            if stated_value != expected_value:
                reason = message(
                    "bracket.other",
                    found=stated_value,
                    match=fixture.name,
                    due=expected_value,
                )
                faults.append(Fault(reason, bracket_row.place.at(column_name)))
    return faults


def _fill_seeds(
    empty: EliminationBracket, rows: Rows, players: Sequence[str], seeds: list[str]
) -> list[Fault]:
    """Fill the list `seeds` with the players in the rows, and return faults.

    The player with seed s goes to position s - 1. `empty` is a bracket without results,
    `rows` has a row per match by its number, and `players` are the identifiers of the
    event. Faults are wrong seeds, and players who are unknown or seeded twice; such
    players are filled in, too.
    """
    faults = []
    known_players = {*players}
    seeded_rows = (
        (rows[match.fixture.number], seat, seed)
        for match in empty.matches
        for seat, seed in enumerate(match.seeds, 1)
        if seed
    )
    for bracket_row, seat, seed in seeded_rows:
        stated_seed = getattr(bracket_row, f"seed{seat}")
        stated_player = getattr(bracket_row, f"player{seat}")
        if stated_seed != seed:
            message_kind = (
                "bracket.no_seed" if stated_seed is None else "bracket.other_seed"
            )
            faults.append(
                Fault(
                    message(message_kind, found=stated_seed, seed=seed),
                    bracket_row.place.at(f"seed{seat}"),
                )
            )
        if stated_player not in known_players or stated_player in seeds:
            message_kind = (
                "bracket.twice" if stated_player in seeds else "bracket.no_player"
            )
            faults.append(
                Fault(
                    message(message_kind, found=stated_player),
                    bracket_row.place.at(f"player{seat}"),
                )
            )
        seeds[seed - 1] = stated_player
    return faults


def _find_result_faults(bracket: EliminationBracket, rows: Rows) -> list[Fault]:
    """Return one fault for each match whose result or players are impossible.

    `rows` has the row of each match of `bracket` by its number. Matches without a
    result are skipped, and so are all later matches that depend on a match with a
    fault.
    """
    faults = list[Fault]()
    skipped_matches = set[int]()
    for match in bracket.matches:
        match_row = rows[match.fixture.number]
        has_result = (
            match_row.score1 is not None
            or match_row.score2 is not None
            or match_row.status
        )
        if (
            has_result
            and match_row.match not in skipped_matches
            and (fault := _find_result_fault(bracket, match, match_row))
        ):
            faults.append(fault)
            skipped_matches.update(bracket.later_matches(match_row.match))
    return faults


def _find_result_fault(
    bracket: EliminationBracket, match: BracketMatch, row: BracketRow
) -> Fault | None:
    """Return the first fault of a match that has a result; None if it has none.

    `match` is a match of `bracket`, and `row` its row in the file. A row with only one
    score, or a status without scores, is a fault. So are an impossible score, and
    players in the row who are not those of the match.
    """
    if match.score is None:
        empty_column = "score1" if row.score1 is None else "score2"
        return Fault(message("bracket.one_score"), row.place.at(empty_column))
    if reason := bracket.find_fault(match):
        return Fault(reason, row.place.at("score1"))
    for column_name in ("player1", "player2"):
        stated_player = getattr(row, column_name)
        expected_player = format_bracket_row(bracket, match)[column_name]
        if stated_player != expected_player:
            return Fault(
                message("bracket.whose", found=stated_player, due=expected_player),
                row.place.at(column_name),
            )
    return None
