"""Group members: find the players of a group by their cells in the list of players."""

import re
from collections.abc import Sequence

from pairopt.event.event import Event
from pairopt.event.groups import CellCondition, Condition, NumberCondition, PlayerGroup

_YEAR = re.compile(r"\d{4}")
SEX = "sex"


def find_members(event: Event, group: PlayerGroup) -> list[bool]:
    """Return for each player of the event whether they are in the group.

    A member fulfils all conditions. A player whose year of birth or rating is unknown
    does not fulfil a condition on it. For a group without conditions the list is empty.
    """
    results_by_condition = [
        _find_fulfilling(event, condition) for condition in group.conditions
    ]
    return [
        all(results_of_player)
        for results_of_player in zip(*results_by_condition, strict=True)
    ]


def _find_fulfilling(event: Event, condition: Condition) -> list[bool]:
    """Return for each player of the event whether they fulfil one condition.

    Cells are compared without case and blanks. An unknown number fulfils no condition.
    """
    if isinstance(condition, CellCondition):
        cells_by_player = player_cells(event, condition.column)
        wanted_value = normalize_cell(condition.column, condition.value)
        return [
            normalize_cell(condition.column, player_cell) == wanted_value
            for player_cell in cells_by_player
        ]
    number_by_player = _numbers_of(event, condition)
    return [
        number_of_player is not None and condition.includes(number_of_player)
        for number_of_player in number_by_player
    ]


def _numbers_of(
    event: Event, condition: NumberCondition
) -> Sequence[int | float | None]:
    """Return each player's number that a condition is about, None if it is unknown.

    A rating of 0 is unknown, as in FIDE's lists. `condition.kind` says which number:
    "born" is the year of birth, "rating" the rating in points.
    """
    if condition.kind == "born":
        return birth_years(event)
    return [
        scaled_rating / event.rating_scale if scaled_rating > 0 else None
        for scaled_rating in event.rating.tolist()
    ]


def birth_years(event: Event) -> list[int | None]:
    """Return each player's year of birth, None if it is unknown.

    It is the first four digits in a row in the column `birth`, which has a year or a
    date, with the year first or last. 0000 is unknown.
    """
    year_matches = map(_YEAR.search, player_cells(event, "birth"))
    birth_years_or_zero = [
        int(year_match[0]) if year_match else 0 for year_match in year_matches
    ]
    return [year or None for year in birth_years_or_zero]


def player_cells(event: Event, column: str) -> Sequence[str]:
    """Return a column of the list of players, one cell per player.

    Blanks around the cells are removed. The column's name may be in any case; other
    names of a list do not count. If the event has no such column, all cells are "".
    """
    for column_name, column_cells in event.columns.items():
        if column_name.lower() == column.lower():
            return [column_cell.strip() for column_cell in column_cells]
    return [""] * len(event.players)


def normalize_cell(column: str, cell: str) -> str:
    """Return a cell in the form in which equal values are the same text.

    Case and blanks don't matter. In the column `sex` only the first letter counts, and
    "F", as in FIDE's lists, becomes "w".
    """
    if column.lower() != SEX:
        return " ".join(cell.split()).casefold()
    first_letter = cell.strip()[:1].casefold()
    return "w" if first_letter == "f" else first_letter
