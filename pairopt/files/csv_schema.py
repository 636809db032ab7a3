"""Schemas: the columns of each CSV file, and how each cell is parsed and checked."""

import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from decimal import Decimal
from functools import cache, partial
from itertools import repeat
from operator import itemgetter
from typing import Annotated, Any, TypeVar, cast, get_type_hints

from pairopt.common import limits
from pairopt.common.limits import MOST_CUT, MOST_NUMBER, MOST_ROUNDS, parse_digits
from pairopt.errors import CellLocation, Fault, InputError, InvalidValueError, Place
from pairopt.event.points import expand_half_signs
from pairopt.files.text_tables import ONE_BY_ONE, TextTable, format_columns
from pairopt.messages import FieldValue, Passage, join_notes, message, with_heading

MOST_MATCHES = 2 * MOST_CUT - 1
NUMBER = re.compile(
    r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]{1,9})?", re.IGNORECASE
)
MONTH = "(jan|feb|f[ée]v|m[aä]r|apr|avr|abr|ma[iy]|jun|jui|jul|aug|aoû|ago|sep|o[ck]t|nov|de[cz])"
DATE = re.compile(
    rf"(?=.*\d)(\d{{4}}-\d\d-\d\d|\d{{1,2}}[./]\d{{1,2}}[./](\d{{2,4}})?$|"
    rf"(\d{{1,2}}[. -]+)?{MONTH}[^\W\d]*\.?([ -]\d{{1,4}})?$)",
    re.IGNORECASE,
)
"""Dates that spreadsheets make of 1-2 and 1.5, also in other languages."""
CellParser = Callable[
    [str], Any
]  # a cell as a value; raises InvalidValueError saying what was expected
WORDS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def parse_number(cell: str) -> Decimal | None:
    """Parse a decimal number, which may have a half sign as in 2½.

    Returns None for an empty cell. The number may be below 0. Raises InvalidValueError
    if the cell is not a number, has too many decimals, or is beyond LARGEST_SCORE in
    size. The error says so if a spreadsheet has made a date of the cell.
    """
    if not cell:
        return None
    number_text = expand_half_signs(cell)
    if not NUMBER.fullmatch(number_text):
        raise InvalidValueError("cell.date" if DATE.match(cell) else "cell.no_number")
    parsed_number = Decimal(number_text)
    most_decimal_places = limits.MOST_DECIMALS
    is_beyond_digits = (
        parsed_number
        and not -most_decimal_places <= parsed_number.adjusted() <= most_decimal_places
    )
    if (
        is_beyond_digits
        or abs(parsed_number) > limits.LARGEST_SCORE
        or parsed_number % Decimal(10) ** -most_decimal_places
    ):
        raise InvalidValueError(
            "cell.large_number", most=limits.LARGEST_SCORE, decimals=most_decimal_places
        )
    return parsed_number


def parse_rounds(text: str) -> tuple[int, int]:
    """Parse a range of rounds such as 2-4 into its first and last round.

    A text with a single round gives that round twice. Raises InvalidValueError for any
    other text, and if the rounds are not from 1 to MOST_ROUNDS in order.
    """
    first_text, dash_or_nothing, last_text = (
        round_text.strip() for round_text in text.partition("-")
    )
    round_range = (
        parse_digits(first_text, MOST_ROUNDS),
        parse_digits(last_text if dash_or_nothing else first_text, MOST_ROUNDS),
    )
    if not round_range[0] or not round_range[1] or round_range[0] > round_range[1]:
        raise InvalidValueError("cell.rounds", most=MOST_ROUNDS)
    return round_range[0], round_range[1]


def _parse_whole_number(low: int, high: int, cell: str) -> int | None:
    """Parse a whole number from `low` to `high`, which may be written 3.0.

    Returns None for an empty cell. Raises InvalidValueError for any other cell.
    """
    if not cell:
        return None
    digits_before_point, _, digits_after_point = cell.partition(
        "."
    )  # tables that held a gap write 3 as 3.0
    whole_number = parse_digits(digits_before_point, high)
    if whole_number is None or whole_number < low or digits_after_point.strip("0"):
        raise InvalidValueError("cell.whole", low=low, high=high)
    return whole_number


def _parse_truth(cell: str) -> bool | None:
    """Parse yes or no, true or false, 1 or 0, in any case.

    Returns None for an empty cell. Raises InvalidValueError for any other cell.
    """
    if cell and cell.lower() not in WORDS:
        raise InvalidValueError("cell.truth")
    return WORDS.get(cell.lower())


def _parse_word(words: Sequence[str], cell: str) -> str:
    """Return a cell in small letters if it is one of `words` or empty.

    `words` are in small letters. Raises InvalidValueError for any other cell.
    """
    if cell.lower() not in ("", *words):
        raise InvalidValueError("cell.mark", words=words[:-1], last=words[-1])
    return cell.lower()


def _require_filled(cell: str) -> str:
    """Return the cell unchanged; raise InvalidValueError if it is empty."""
    if not cell:
        raise InvalidValueError("cell.empty")
    return cell


def _require_no_tab(cell: str) -> str:
    """Return the cell unchanged; raise InvalidValueError if it has a tab.

    A name with a tab may be two cells.
    """
    if "\t" in cell:
        raise InvalidValueError("cell.tab_in_name")
    return cell


def _parse_round_points(cell: str) -> tuple[Decimal, ...]:
    """Parse a list of points, one number per round, which may be below 0.

    Blanks or semicolons separate the numbers; an empty cell gives (). Raises
    InvalidValueError if there are more than MOST_ROUNDS, or one is not a number.
    """
    return tuple(
        parse_number(number_text) or Decimal(0)
        for number_text in _parse_list(cell, "cell.amounts")
    )


def _parse_amounts(cell: str) -> tuple[Decimal, ...]:
    """Parse a list of points, one number per round.

    `cell` has the numbers, separated by blanks or semicolons; an empty cell gives ().
    Raises InvalidValueError if there are more than MOST_ROUNDS, if one is not a number,
    and if one is below 0.
    """
    if min(round_points := _parse_round_points(cell), default=0) < 0:
        raise InvalidValueError("cell.amounts", most=MOST_ROUNDS)
    return round_points


def _parse_list(cell: str, kind: str = "cell.list") -> tuple[str, ...]:
    """Split a cell at blanks and semicolons into its parts; an empty cell has none.

    Raises InvalidValueError with the message `kind` if there are more than MOST_ROUNDS
    parts.
    """
    cell_parts = cell.replace(";", " ").split()
    if len(cell_parts) > MOST_ROUNDS:
        raise InvalidValueError(kind, most=MOST_ROUNDS)
    return tuple(cell_parts)


Name = Annotated[str, lambda cell: _require_no_tab(_require_filled(cell))]
NameOrNone = Annotated[str, _require_no_tab]
Round = Annotated[
    int, lambda cell: _parse_whole_number(1, MOST_ROUNDS, _require_filled(cell))
]
Number = Annotated[Decimal | None, parse_number]
Count = Annotated[int | None, partial(_parse_whole_number, 0, MOST_ROUNDS)]
Seed = Annotated[int | None, partial(_parse_whole_number, 1, MOST_MATCHES)]
TableNumber = Annotated[int | None, partial(_parse_whole_number, 0, MOST_NUMBER)]
Truth = Annotated[bool | None, _parse_truth]
Amounts = Annotated[tuple[Decimal, ...], _parse_amounts]
Signed = Annotated[tuple[Decimal, ...], _parse_round_points]
StartNumber = Annotated[int | None, partial(_parse_whole_number, 1, MOST_NUMBER)]
Names = Annotated[tuple[str, ...], _parse_list]
NOWHERE = CellLocation(0)


@dataclass(frozen=True, slots=True)
class MatchRow:
    """A row of matches.csv: a match between two players, or a bye.

    Attributes
    ----------
    round : int
        The round, from 1.
    player1, player2 : str
        The identifiers of the players; `player2` is "" in a bye.
    table : int or None
        The table; None or 0 for none.
    side1 : str
        The label of the side of `player1`; "" if not known.
    score1, score2 : Decimal or None
        The points of both players; None if there is no result.
    status : str
        "bye", "requested" (bye), "forfeit", or "".
    games1, games2, games_drawn : int or None
        Games won by each player, and drawn games.
    place : Place
        The location of the row in its file.
    """

    round: Round
    player1: Name
    player2: NameOrNone = ""
    table: TableNumber = None
    side1: Annotated[str, str.lower] = ""
    score1: Number = None
    score2: Number = None
    status: Annotated[str, partial(_parse_word, ("bye", "requested", "forfeit"))] = ""
    games1: Count = None
    games2: Count = None
    games_drawn: Count = None
    place: Place = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class PlayerRow:
    """A row of players.csv.

    Further columns of the file are in `PlayerTable.columns`.

    Attributes
    ----------
    player : str
        The identifier of the player.
    name : str
        The name; "" if it is the identifier.
    rating : Decimal or None
        The rating; None if the player is unrated.
    active : bool or None
        Whether the player is in the round to pair; None if the file does not say.
    score : Decimal or None
        Points that the player brings in.
    table : int or None
        A fixed table.
    first_round_bye : bool or None
        Whether the player has a bye in round 1 as a seed.
    start : int or None
        The start number.
    virtual : tuple[Decimal, ...]
        Virtual points, round by round.
    adjusted : tuple[Decimal, ...]
        Points that are added to those of the results, round by round.
    place : Place
        The location of the row in its file.
    """

    player: Name
    name: NameOrNone = ""
    rating: Number = None
    active: Truth = None
    score: Number = None
    table: TableNumber = None
    first_round_bye: Truth = None
    start: StartNumber = None
    virtual: Amounts = ()
    adjusted: Signed = ()
    place: Place = field(default=NOWHERE, compare=False)


def _parse_match_name(cell: str) -> int:
    """Return the number in the name of a bracket match: 5 for B5 or b5.

    Raises InvalidValueError for any other cell.
    """
    match_number = (
        parse_digits(cell[1:], MOST_MATCHES) if cell[:1] in ("B", "b") else None
    )
    if not match_number:
        raise InvalidValueError("cell.match")
    return match_number


def _parse_games(cell: str) -> Decimal | None:
    """Parse a score of a bracket match; None for an empty cell.

    Raises InvalidValueError if it is below 0 or not a number.
    """
    if (bracket_score := parse_number(cell)) is not None and bracket_score < 0:
        raise InvalidValueError("cell.below_0")
    return bracket_score


@dataclass(frozen=True, slots=True)
class BracketRow:
    """A row of bracket.csv, parsed; `match` is the number of the bracket match.

    `bracket` is the part, such as "main", and `round` the round of that part. Players
    are identifiers, "" if they are not known yet. Seeds and scores are None if the row
    does not have them. `status` is "forfeit" or "". `place` is the location of the row.
    """

    match: Annotated[int, _parse_match_name]
    bracket: Annotated[str, str.lower]
    round: Count
    seed1: Seed = None
    player1: str = ""
    seed2: Seed = None
    player2: str = ""
    score1: Annotated[Decimal | None, _parse_games] = None
    score2: Annotated[Decimal | None, _parse_games] = None
    status: Annotated[str, partial(_parse_word, ("forfeit",))] = ""
    place: Place = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class StandingsRow(PlayerRow):
    """A row of standings.csv: a player, their opponents and sides in round order.

    `opponents` has an identifier per round, or "bye" or "-". `sides` has a side per
    round, or per round with an opponent; it may be empty. `byes` is the number of
    allocated byes, None if the file does not say.
    """

    opponents: Names = ()
    sides: Names = ()
    byes: Count = None


Row = TypeVar("Row", bound=MatchRow | PlayerRow | BracketRow)


def parse_rows(table: TextTable, schema: type[Row], needed: Iterable[str]) -> list[Row]:
    """Parse the rows of a table as rows of a schema, such as MatchRow.

    Columns that the schema does not have are ignored, and columns that the table does
    not have get their defaults. `needed` are the columns that must be there. If no
    column of the table is in the schema, the list is empty. Raises InputError with
    every column of `needed` that is missing, otherwise with every cell that does not
    fit, from the first row to the last.
    """
    if missing_columns := [
        column_name for column_name in needed if column_name not in table.columns
    ]:
        reason = message("cell.missing", columns=format_columns(table))
        raise InputError(
            table.name,
            [
                Fault(reason, CellLocation(1, column_name))
                for column_name in missing_columns
            ],
        )
    parsers = _find_parsers(cast("Hashable", schema))
    read_columns = [
        column_name for column_name in parsers if column_name in table.cells
    ]
    values_by_column: dict[str, Sequence[Any]] = {"place": table.places}
    faults_with_rows: list[tuple[int, Fault]] = []
    for column_name in read_columns:
        column_cells = table.get_plain_cells(column_name)
        value_by_cell = {
            cell: _parse_or_error(parsers[column_name], cell)
            for cell in dict.fromkeys(column_cells)
        }
        values_by_column[column_name] = list(
            map(value_by_cell.__getitem__, column_cells)
        )
        faults_with_rows += _find_column_faults(
            table, column_name, column_cells, values_by_column[column_name]
        )
    if faults_with_rows:
        faults_with_rows.sort(key=itemgetter(0))
        raise InputError(table.name, [fault for _, fault in faults_with_rows])
    field_columns = (
        values_by_column.get(schema_field.name, repeat(schema_field.default))
        for schema_field in fields(schema)
    )
    return list(map(schema, *field_columns)) if read_columns else []


def _find_column_faults(
    table: TextTable, name: str, cells: Sequence[str], values: Sequence[Any]
) -> list[tuple[int, Fault]]:
    """Return a row's position and a fault for each cell that could not be parsed.

    `cells` are those of the column `name` of `table`. `values` has the parsed value of
    each cell, or the InvalidValueError. If no filled cell fits, and there are at least
    ONE_BY_ONE, one fault stands for all, at the first. Positions count from 0, below
    the heading.
    """
    unfit_positions = [
        row_position
        for row_position, parsed_value in enumerate(values)
        if isinstance(parsed_value, InvalidValueError)
    ]
    if not unfit_positions:
        return []
    # `rows`, the number of rows with a fault, is a key that JSON has had since 1.0.
    filled_count = sum(map(bool, cells))
    if len(unfit_positions) >= max(filled_count, ONE_BY_ONE):
        row_position = unfit_positions[0]
        found_cell_note = message(
            "cell.unfit_all", found=cells[row_position], rows=len(unfit_positions)
        )
        unfit_note = with_heading(found_cell_note, values[row_position].said, mark=", ")
        count_note = message("cell.unfit_rows", rows=len(unfit_positions))
        reason = join_notes([unfit_note, count_note])
        return [(row_position, Fault(reason, table.places[row_position].at(name)))]
    faults = []
    for row_position in unfit_positions:
        cell_reason = describe_unfit_cell(
            cells[row_position], values[row_position], rows=len(unfit_positions)
        )
        faults.append(
            (row_position, Fault(cell_reason, table.places[row_position].at(name)))
        )
    return faults


def describe_unfit_cell(
    cell: str, error: InvalidValueError, **further_fields: FieldValue
) -> Passage:
    """Describe what is wrong with a cell: what was found, and what was expected.

    `error` says what was expected. `further_fields` of the message are only in its
    JSON.
    """
    found_cell_note = message("cell.unfit", found=cell, **further_fields)
    return with_heading(found_cell_note, error.said, mark=", ")


def parse_row(
    schema: type[Row],
    cells: Mapping[str, str],
    source: str = "",
    place: Place | None = None,
) -> Row:
    """Parse one row from cells by column name, which must be columns of the schema.

    Columns that `cells` does not have get their defaults. `source` is the name of the
    file in errors, and `place` the location of the row in it. Raises InputError with
    every cell that does not fit, and KeyError for an unknown column.
    """
    parsers = _find_parsers(cast("Hashable", schema))
    value_by_column = {
        column_name: _parse_or_error(parsers[column_name], cell)
        for column_name, cell in cells.items()
    }
    faults = [
        Fault(
            describe_unfit_cell(cells[column_name], parsed_value),
            place and place.at(column_name),
        )
        for column_name, parsed_value in value_by_column.items()
        if isinstance(parsed_value, InvalidValueError)
    ]
    if faults:
        raise InputError(source, faults)
    return schema(**value_by_column, place=place or NOWHERE)


@cache
def _find_parsers(schema: Any) -> Mapping[str, CellParser]:
    """Return the parser of each column of a schema by column name, without `place`.

    The parser is in the annotation of the column's field. Fields without one are texts,
    and their parser is `str`.
    """
    type_hints = get_type_hints(schema, include_extras=True)
    return {
        column_name: getattr(type_hint, "__metadata__", (str,))[0]
        for column_name, type_hint in type_hints.items()
        if column_name != "place"
    }


def _parse_or_error(read: CellParser, cell: str) -> Any:
    """Parse a cell with `read`; return an InvalidValueError instead of raising it.

    Other errors of `read` are raised.
    """
    try:
        return read(cell)
    except InvalidValueError as error:
        return error
