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

    A row that has a winner by its headings alone may be a draw. Raises InputError if a cell is
    neither yes nor no, or if it says a draw and another column says a win.
    """
    _require_all_read(table, columns, rows)
    if columns.draw is None:
        return list(outcomes)
    new_outcomes = list[Outcome]()
    faults = list[Fault]()
    for row, outcome in zip(rows, outcomes, strict=True):
        cell = table.cells[columns.draw][row]
        place = table.places[row].at(table.find_heading(columns.draw))
        is_draw = _is_yes(cell)
        if is_draw is None:
            faults.append(Fault(message("listing.no_draw", found=cell), place))
        elif (
            is_draw
            and not outcome.is_open
            and outcome.winner
            and not outcome.by_heading
        ):
            faults.append(Fault(message("listing.draw_and_win"), place))
        is_open = outcome.is_open or outcome.by_heading
        new_outcomes.append(Outcome(verdict=0) if is_draw and is_open else outcome)
    if faults:
        raise InputError(table.name, faults)
    return new_outcomes


def _is_yes(cell: str) -> bool | None:
    """Return whether a cell says yes; None if it says neither yes nor no."""
    word = cell.strip().casefold()
    if word in YES or (word and is_word(word, "draw")):
        return True
    return False if word in NO else None


def _require_all_read(
    table: TextTable, columns: MatchColumns, rows: Sequence[int]
) -> None:
    """Raise InputError if a column that is not read has the heading of a result and says yes."""
    faults = list(_find_unread_results(table, columns, rows))
    if faults:
        raise InputError(table.name, faults)


def _find_unread_results(
    table: TextTable, columns: MatchColumns, rows: Sequence[int]
) -> Iterator[Fault]:
    """Yield a fault for each column that says yes to a result and is not read."""
    yield from _find_draws_in_status(table, columns, rows)
    drawn_games = [columns.drawn] if columns.drawn and columns.decided else []
    unused = [name for name in table.columns if name not in columns.used]
    result_columns = [
        name for name in unused if len(name) >= SHORTEST_WORD and _is_result_word(name)
    ]
    for name in [*result_columns, *drawn_games]:
        for row in rows:
            cell = table.cells[name][row]
            if cell.strip().casefold() not in NO:
                reason = message(
                    "listing.unread_result", column=table.find_heading(name), found=cell
                )
                yield Fault(reason, table.places[row].at(table.find_heading(name)))
                break


def _find_draws_in_status(
    table: TextTable, columns: MatchColumns, rows: Sequence[int]
) -> Iterator[Fault]:
    """Yield the cells that say a draw, where the headings Winner and Loser say who won."""
    if not columns.decided:
        return
    results = {column for source in columns.sources for column in source.columns}
    for name in dict.fromkeys(columns.words):
        for row in rows:
            cell = table.cells[name][row]
            if name not in results and cell and is_word(cell, "draw"):
                place = table.places[row].at(table.find_heading(name))
                yield Fault(message("listing.draw_and_win"), place)


def _is_result_word(heading: str) -> bool:
    """Return whether a heading is a word for a result, such as Draw or Forfeit."""
    return any(is_word(heading, meaning) for meaning in RESULT_WORDS)


WINS_BY_HEADING = Outcome(verdict=1, by_heading=True)
"""The outcome of a row whose headings are Winner and Loser."""
