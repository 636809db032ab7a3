"""FIDE data: find cells of a list of players that cannot be FIDE's data of a person."""

import re
from calendar import monthrange
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from pairopt.errors import ConfirmationError
from pairopt.event.event import Event
from pairopt.event.fide_numbers import require_distinct_numbers
from pairopt.messages import Message, message, with_heading

TITLES = frozenset(
    [f"{kind}{title}M" for kind in ("", "W", "A") for title in "GIFC"]
    # as reports of before 2026 have them
    + ["G", "GF", "M", "MF", "F", "FF", "C", "CF", "WG", "WI", "WF", "WC"]
)
COLUMNS = ("fide_id", "title", "federation", "birth")
MOST_RATING = 3999
"""The highest rating of FIDE's data; nobody has ever had 3000."""
FIRST_YEAR, LAST_YEAR = 1890, 2100
NUMBER = re.compile(r"\d{1,10}")
FEDERATION = re.compile(r"[A-Za-z]{3}")
YEAR_FIRST = re.compile(r"(\d{4})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2}))?)?")
DAY_FIRST = re.compile(r"(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})")
CellFault = tuple[int, str, Message]
"""The position of a player, a column of players.csv, and what is wrong in it."""


def find_fide_data_faults(
    columns: Mapping[str, Sequence[str]], ratings: Sequence[Fraction | None]
) -> list[CellFault]:
    """Find every cell that is no FIDE number, title, federation, birth or rating.

    `columns` are those of players.csv, and `ratings` has one entry for each player.
    Empty cells, and players without a rating, are no faults; a FIDE number that two
    players have is one. A fault is (player's position, column, message); they are
    returned player by player. A list in which no column has FIDE's data in half of its
    cells is of another game, and has no faults.
    """
    cells_by_fide_column = {}
    for fide_column in COLUMNS:
        checked_cells = columns.get(fide_column, ())
        if any(checked_cells):
            cells_by_fide_column[fide_column] = checked_cells
    if not cells_by_fide_column or not _has_fide_data(cells_by_fide_column):
        return []

    cell_faults = [*_find_number_faults(cells_by_fide_column.get("fide_id", ()))]
    for fide_column, is_valid_cell in CHECKS.items():
        for player_position, checked_cell in enumerate(
            cells_by_fide_column.get(fide_column, ())
        ):
            if checked_cell and not is_valid_cell(checked_cell):
                cell_faults.append(
                    (
                        player_position,
                        fide_column,
                        message(MESSAGES[fide_column], found=checked_cell),
                    )
                )
    for player_position, rating_or_none in enumerate(ratings):
        if rating_or_none is not None and not 0 <= rating_or_none <= MOST_RATING:
            fault_note = message(
                "fide_data.rating", found=rating_or_none, most=MOST_RATING
            )
            cell_faults.append((player_position, "rating", fault_note))
    return sorted(cell_faults, key=lambda fault: fault[0])


def ratings_of(event: Event) -> list[Fraction | None]:
    """Return each player's rating in points, None without one, in the event's order."""
    ratings_and_marks = zip(event.rating.tolist(), event.rated.tolist(), strict=True)
    return [
        Fraction(scaled_rating, event.rating_scale) if is_rated else None
        for scaled_rating, is_rated in ratings_and_marks
    ]


def require_fide_data(old_event: Event, new_event: Event, is_confirmed: bool) -> None:
    """Raise ConfirmationError for FIDE data that is wrong now and was not before.

    The error names every fault of `new_event` that the same player did not have in
    `old_event`. If `is_confirmed`, only FIDE numbers are checked: UsageError is raised
    if two players share one.
    """
    require_distinct_numbers(old_event, new_event)
    if is_confirmed:
        return
    old_players_and_faults = {
        (old_event.players[player_position], str(fault_message))
        for player_position, _, fault_message in _faults_of_event(old_event)
    }
    notes_on_new_faults = []
    for player_position, _, fault_message in _faults_of_event(new_event):
        if (
            new_event.players[player_position],
            str(fault_message),
        ) not in old_players_and_faults:
            heading_note = message(
                "fide_data.of_player", player=new_event.shown[player_position]
            )
            notes_on_new_faults.append(with_heading(heading_note, fault_message))
    if notes_on_new_faults:
        raise ConfirmationError("fide_data.unsure", *notes_on_new_faults)


def _faults_of_event(event: Event) -> list[CellFault]:
    """Return the wrong FIDE data of an event, player by player, with its ratings."""
    return find_fide_data_faults(event.columns, ratings_of(event))


def _has_fide_data(columns: Mapping[str, Sequence[str]]) -> bool:
    """Whether some column has FIDE's data in at least half of its filled cells.

    `columns` has the columns of FIDE's data that are not empty. If `federation` has
    names of countries, for example, it doesn't count. Years of birth alone say nothing.
    """
    for data_column, column_cells in columns.items():
        is_valid_cell = CHECKS.get(data_column, _is_number)
        filled_cells = [filled_cell for filled_cell in column_cells if filled_cell]
        valid_cell_count = sum(map(is_valid_cell, filled_cells))
        if 2 * valid_cell_count >= len(filled_cells) and data_column != "birth":
            return True
    return False


def _find_number_faults(cells: Sequence[str]) -> Iterator[CellFault]:
    """Yield a fault for each cell that is no FIDE number, or that is there twice.

    Empty cells and zeros are skipped. Of a number that is there twice only the later
    cells are faults.
    """
    first_position_by_number: dict[str, int] = {}
    for player_position, number_cell in enumerate(cells):
        fide_number = number_cell.lstrip("0")
        if not fide_number:
            continue
        if not _is_number(number_cell):
            yield (
                player_position,
                "fide_id",
                message("fide_data.fide_id", found=number_cell),
            )
        elif (
            first_position_by_number.setdefault(fide_number, player_position)
            != player_position
        ):
            yield (
                player_position,
                "fide_id",
                message("fide_data.fide_id_twice", found=number_cell),
            )


def _is_number(cell: str) -> bool:
    """Whether a cell has the form of a FIDE number: one to ten digits, no blanks."""
    return NUMBER.fullmatch(cell) is not None


def _is_title(cell: str) -> bool:
    """Whether a cell is a FIDE title in any case, or its short form before 2026."""
    return cell.strip().upper() in TITLES


def _is_federation(cell: str) -> bool:
    """Whether a cell is three letters in any case; codes are not looked up."""
    return FEDERATION.fullmatch(cell) is not None


def _is_birth(cell: str) -> bool:
    """Whether a cell is a year or a date that exists, with the year first or last.

    Years are 1890 to 2100. An unknown month or day is 0 or left out; 0 alone is an
    unknown date.
    """
    if date_match := YEAR_FIRST.fullmatch(cell):
        year, month, day = (
            int(date_digits or 0) for date_digits in date_match.groups()
        )
    elif date_match := DAY_FIRST.fullmatch(cell):
        day, month, year = map(int, date_match.groups())
    else:
        return False

    if not year:
        return month == day == 0
    if not FIRST_YEAR <= year <= LAST_YEAR or month > 12:
        return False
    days_of_month = monthrange(year, month)[1] if month else 0
    return day <= days_of_month


CHECKS = {"title": _is_title, "federation": _is_federation, "birth": _is_birth}
MESSAGES = {
    "title": "fide_data.title",
    "federation": "fide_data.federation",
    "birth": "fide_data.birth",
}
"""The message of a cell that fails its check, by column."""
