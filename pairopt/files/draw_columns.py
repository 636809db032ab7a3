"""Draw columns: columns that say yes or no, for example whether a match was a draw."""

from collections.abc import Iterator, Sequence

from pairopt.errors import Fault, InputError
from pairopt.files.match_headings import MatchColumns
from pairopt.files.match_results import Outcome, is_word
from pairopt.files.text_tables import TextTable
from pairopt.messages import message

YES = frozenset(
    {"yes", "y", "true", "1", "x", "✓", "✔", "ja", "j", "oui", "sí", "si", "sim", "tak"}
)
NO = frozenset({"", "no", "n", "false", "0", "-", "nein", "non", "não", "nee", "nie"})
RESULT_WORDS = ("draw", "both_lose", "forfeit", "bye", "requested")
SHORTEST_WORD = 3
"""Shorter headings, for example T or ID, have other meanings as well."""


def with_draws(
    table: TextTable,
    columns: MatchColumns,
    rows: Sequence[int],
    outcomes: Sequence[Outcome],
) -> list[Outcome]:
    """Return the outcomes, with a draw in each row whose column of draws says yes.

    `columns` says what the columns of `table` mean. `rows` are the positions in the
    table of the rows with these outcomes. Only an open outcome, or a win by the
    headings Winner and Loser alone, becomes a draw. Without a column of draws nothing
    changes. Raises InputError if a cell there is neither yes nor no, or says yes for a
    match that another column says is won. It is also raised if another column states
    results that are not read, for example a column Forfeit with a yes.
    """
    _require_all_read(table, columns, rows)
    if columns.draw is None:
        return list(outcomes)
    outcomes_with_draws = list[Outcome]()
    faults = list[Fault]()
    for row_index, outcome in zip(rows, outcomes, strict=True):
        cell = table.cells[columns.draw][row_index]
        cell_place = table.places[row_index].at(table.find_heading(columns.draw))
        is_draw = _is_yes(cell)
        if is_draw is None:
            faults.append(Fault(message("listing.no_draw", found=cell), cell_place))
        elif (
            is_draw
            and not outcome.is_open
            and outcome.winner
            and not outcome.by_heading
        ):
            faults.append(Fault(message("listing.draw_and_win"), cell_place))
        may_become_draw = outcome.is_open or outcome.by_heading
        outcomes_with_draws.append(
            Outcome(verdict=0) if is_draw and may_become_draw else outcome
        )
    if faults:
        raise InputError(table.name, faults)
    return outcomes_with_draws


def _is_yes(cell: str) -> bool | None:
    """Return True if a cell says yes or draw, False if it says no or is empty.

    Returns None for other cells.
    """
    plain_cell = cell.strip().casefold()
    if plain_cell in YES or (plain_cell and is_word(plain_cell, "draw")):
        return True
    return False if plain_cell in NO else None


def _require_all_read(
    table: TextTable, columns: MatchColumns, rows: Sequence[int]
) -> None:
    """Raise InputError if a cell in `rows` states a result that pairopt does not read.

    `columns` says what the columns of `table` mean, and `rows` are positions in the
    table. Columns of results that pairopt does not use are checked: their headings are
    words for a result, such as Draw or Forfeit, of at least SHORTEST_WORD letters. A
    cell that is empty or in NO, for example "no" or "0", is no fault. The first other
    cell of a column is a fault. In a list with the headings Winner and Loser, a number
    of drawn games and the word for a draw in another column are faults, too.
    """
    faults = list(_find_unread_results(table, columns, rows))
    if faults:
        raise InputError(table.name, faults)


def _find_unread_results(
    table: TextTable, columns: MatchColumns, rows: Sequence[int]
) -> Iterator[Fault]:
    """Yield a fault for each column of results that is ignored and says more than no.

    `columns` says what the columns of `table` mean, and `rows` are the positions of the
    rows to check. The first such cell of a column is named. Headings shorter than
    SHORTEST_WORD do not count. In a list with the headings Winner and Loser, drawn
    games count as such a column, and each cell with the word for a draw has a fault,
    too.
    """
    yield from _find_draws_in_status(table, columns, rows)
    drawn_columns = [columns.drawn] if columns.drawn and columns.decided else []
    unused_columns = [
        column_name for column_name in table.columns if column_name not in columns.used
    ]
    result_columns = [
        column_name
        for column_name in unused_columns
        if len(column_name) >= SHORTEST_WORD and _is_result_word(column_name)
    ]
    for column_name in [*result_columns, *drawn_columns]:
        for row_index in rows:
            cell = table.cells[column_name][row_index]
            if cell.strip().casefold() not in NO:
                reason = message(
                    "listing.unread_result",
                    column=table.find_heading(column_name),
                    found=cell,
                )
                yield Fault(
                    reason, table.places[row_index].at(table.find_heading(column_name))
                )
                break


def _find_draws_in_status(
    table: TextTable, columns: MatchColumns, rows: Sequence[int]
) -> Iterator[Fault]:
    """Yield a fault for each cell with a draw under the headings Winner and Loser.

    `columns` says which columns of `table` have words, and `rows` are the positions of
    the rows to check. Columns of results are skipped. Lists without these headings have
    no such faults.
    """
    if not columns.decided:
        return
    result_columns = {
        result_column
        for result_source in columns.sources
        for result_column in result_source.columns
    }
    for column_name in dict.fromkeys(columns.words):
        for row_index in rows:
            cell = table.cells[column_name][row_index]
            if column_name not in result_columns and cell and is_word(cell, "draw"):
                cell_place = table.places[row_index].at(table.find_heading(column_name))
                yield Fault(message("listing.draw_and_win"), cell_place)


def _is_result_word(heading: str) -> bool:
    """Return whether a heading is a word for a result, such as Draw or Forfeit."""
    return any(is_word(heading, meaning) for meaning in RESULT_WORDS)


WINS_BY_HEADING = Outcome(verdict=1, by_heading=True)
"""The outcome of a row whose headings are Winner and Loser."""
