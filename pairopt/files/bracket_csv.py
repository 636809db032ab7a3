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
    """Parse the bracket.csv of an event; None without one. Raises InputError."""
    if not event.origin.bracket:
        return None
    return parse_bracket(
        parse_table(decode_text("bracket.csv", event.origin.bracket)), event.players
    )


def format_bracket_row(
    elimination: EliminationBracket, match: BracketMatch, event: Event | None = None
) -> dict[str, str]:
    """Return the cells of a bracket match by column, as bracket.csv has them.

    With `event`, columns with the names of the players follow if they differ from the
    identifiers.
    """
    fixture = match.fixture
    score = match.score
    cells = {
        "match": fixture.name,
        "bracket": fixture.part,
        "round": str(fixture.round),
    }
    for k, seed in enumerate(match.seeds, 1):
        cells[f"seed{k}"] = str(seed or "")
        cells[f"player{k}"] = elimination.players[seed - 1] if seed else ""
    cells["score1"] = decimal_text(score.one) if score else ""
    cells["score2"] = decimal_text(score.two) if score else ""
    cells["status"] = "forfeit" if score and score.forfeit else ""
    if event is not None and event.names != event.players:
        names = dict(zip(event.players, event.names, strict=True))
        cells |= {
            name: names.get(cells[f"player{k}"], "") for k, name in enumerate(NAMES, 1)
        }
    return cells


def format_bracket(elimination: EliminationBracket, event: Event) -> str:
    """Format an elimination bracket as the text of bracket.csv."""
    rows = [
        format_bracket_row(elimination, match, event) for match in elimination.matches
    ]
    return csv_table(list(rows[0]), [row.values() for row in rows])


def parse_bracket(table: TextTable, players: Sequence[str]) -> EliminationBracket:
    """Parse the elimination bracket in a table. Raises InputError with every fault.

    `players` are the identifiers of the players of the event.
    """
    rows = parse_rows(table, BracketRow, COLUMNS)
    rows_by_match = {row.match: row for row in rows}
    double = any(row.bracket != "main" for row in rows)
    size = max([2, *(seed for row in rows for seed in (row.seed1, row.seed2) if seed)])
    if faults := _find_count_faults(rows, 2 * size - 1 if double else size - 1, size):
        raise InputError(table.name, faults)
    seeds = [""] * size
    empty_bracket = EliminationBracket(tuple(seeds), double)
    faults = _find_placement_faults(empty_bracket, rows_by_match) + _fill_seeds(
        empty_bracket, rows_by_match, players, seeds
    )
    if faults:
        raise InputError(table.name, faults)
    results = {
        number: Score(
            Fraction(row.score1), Fraction(row.score2), row.status == "forfeit"
        )
        for number, row in rows_by_match.items()
        if row.score1 is not None and row.score2 is not None
    }
    bracket = EliminationBracket(tuple(seeds), double, results)
    if faults := _find_result_faults(bracket, rows_by_match):
        raise InputError(table.name, faults)
    return bracket


def _find_count_faults(
    rows: Sequence[BracketRow], matches: int, size: int
) -> list[Fault]:
    """Return faults for matches without exactly one row, and for unknown matches."""
    row_counts = Counter(row.match for row in rows)
    faults = [
        Fault(message("bracket.rows", number=number, rows=row_count))
        for number, row_count in row_counts.items()
        if row_count > 1
    ]
    expected_numbers = range(1, matches + 1)
    missing = [number for number in expected_numbers if number not in row_counts]
    unknown = sorted(number for number in row_counts if number not in expected_numbers)
    for kind, numbers in (("bracket.no_row", missing), ("bracket.more_rows", unknown)):
        if numbers:
            names = [f"B{number}" for number in numbers]
            reason = message(kind, names=names, seeds=size, matches=matches)
            faults.append(Fault(reason))
    return faults


def _find_placement_faults(empty: EliminationBracket, rows: Rows) -> list[Fault]:
    """Return faults for rows with a wrong bracket part or round for their match."""
    faults = []
    for fixture in empty.fixtures:
        row = rows[fixture.number]
        expected_cells = {"bracket": fixture.part, "round": fixture.round}
        for column, expected in expected_cells.items():
            cell = getattr(row, column)
            if cell != expected:
                reason = message(
                    "bracket.other", found=cell, match=fixture.name, due=expected
                )
                faults.append(Fault(reason, row.place.at(column)))
    return faults


def _fill_seeds(
    empty: EliminationBracket, rows: Rows, players: Sequence[str], seeds: list[str]
) -> list[Fault]:
    """Fill `seeds` with the players of the first matches, and return faults.

    `seeds` is changed: seed s is at position s - 1. `empty` is a bracket without
    results.
    """
    faults = []
    identifiers = {*players}
    seeded_rows = (
        (rows[match.fixture.number], seat, seed)
        for match in empty.matches
        for seat, seed in enumerate(match.seeds, 1)
        if seed
    )
    for row, seat, seed in seeded_rows:
        stated_seed = getattr(row, f"seed{seat}")
        player = getattr(row, f"player{seat}")
        if stated_seed != seed:
            kind = "bracket.no_seed" if stated_seed is None else "bracket.other_seed"
            faults.append(
                Fault(
                    message(kind, found=stated_seed, seed=seed),
                    row.place.at(f"seed{seat}"),
                )
            )
        if player not in identifiers or player in seeds:
            kind = "bracket.twice" if player in seeds else "bracket.no_player"
            faults.append(
                Fault(message(kind, found=player), row.place.at(f"player{seat}"))
            )
        seeds[seed - 1] = player
    return faults


def _find_result_faults(bracket: EliminationBracket, rows: Rows) -> list[Fault]:
    """Return the faults of the results.

    Matches that follow from a bad result are skipped.
    """
    faults = list[Fault]()
    skipped = set[int]()
    for match in bracket.matches:
        row = rows[match.fixture.number]
        has_result = row.score1 is not None or row.score2 is not None or row.status
        if (
            has_result
            and row.match not in skipped
            and (fault := _find_result_fault(bracket, match, row))
        ):
            faults.append(fault)
            skipped.update(bracket.later_matches(row.match))
    return faults


def _find_result_fault(
    bracket: EliminationBracket, match: BracketMatch, row: BracketRow
) -> Fault | None:
    """Return the fault of a result or of the players in its row, or None."""
    if match.score is None:
        empty = "score1" if row.score1 is None else "score2"
        return Fault(message("bracket.one_score"), row.place.at(empty))
    if reason := bracket.find_fault(match):
        return Fault(reason, row.place.at("score1"))
    for column in ("player1", "player2"):
        stated = getattr(row, column)
        expected = format_bracket_row(bracket, match)[column]
        if stated != expected:
            return Fault(
                message("bracket.whose", found=stated, due=expected),
                row.place.at(column),
            )
    return None
