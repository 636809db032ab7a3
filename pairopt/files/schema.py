"""Schemas: what a row of each CSV file holds, cell by cell."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from decimal import Decimal
from functools import cache
from itertools import repeat
from typing import Annotated, Any, TypeVar, cast, get_type_hints

from pairopt.bounds import (
    LARGEST_SCORE,
    MOST_CUT,
    MOST_DECIMALS,
    MOST_NUMBER,
    MOST_ROUNDS,
    whole_number,
)
from pairopt.errors import Cell, Fault, InputError, Place
from pairopt.event.points import without_halves
from pairopt.files.tables import ONE_BY_ONE, Table
from pairopt.wording import LONGEST, quoted

MOST_MATCHES = 2 * MOST_CUT - 1
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]{1,9})?", re.IGNORECASE)
DATE = re.compile(r"\d{4}-\d\d-\d\d")
"""What spreadsheets make of 1-2."""
Read = Callable[[str], Any]
"""A cell as a value; raises ValueError saying what was expected."""
WORDS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def number_in(cell: str) -> Decimal | None:
    """The finite decimal in a cell, halves also as ½; None in an empty one. Raises ValueError."""
    if not cell:
        return None
    digits = without_halves(cell)
    if not NUMBER.fullmatch(digits):
        date = ", not a date" if DATE.match(cell) else ""
        raise ValueError(f"expected a number{date}")
    value = Decimal(digits)
    limits = f"expected a number up to {LARGEST_SCORE} with at most {MOST_DECIMALS} decimals"
    if value and not -MOST_DECIMALS <= value.adjusted() <= MOST_DECIMALS:
        raise ValueError(limits)
    if abs(value) > LARGEST_SCORE or value % Decimal(10) ** -MOST_DECIMALS:
        raise ValueError(limits)
    return value


def rounds_in(text: str) -> tuple[int, int]:
    """The first and the last round of 2-4, or of 3 alone. Raises ValueError."""
    first, dash, last = (part.strip() for part in text.partition("-"))
    found = whole_number(first, MOST_ROUNDS), whole_number(last if dash else first, MOST_ROUNDS)
    if not found[0] or not found[1] or found[0] > found[1]:
        raise ValueError(f"expected rounds from 1 to {MOST_ROUNDS}, as 2-4, or one, as 3")
    return found[0], found[1]


def _whole(low: int, high: int) -> Callable[[str], int | None]:
    def read(cell: str) -> int | None:
        if not cell:
            return None
        whole, _, rest = cell.partition(".")  # tables that held a gap write 3 as 3.0
        number = whole_number(whole, high)
        if number is None or number < low or rest.strip("0"):
            raise ValueError(f"expected a whole number from {low} to {high}")
        return number

    return read


def _truth(cell: str) -> bool | None:
    if cell and cell.lower() not in WORDS:
        raise ValueError("expected true or false")
    return WORDS.get(cell.lower())


def _mark(*words: str) -> Callable[[str], str]:
    """One of these words, or nothing."""

    def read(cell: str) -> str:
        if cell.lower() not in ("", *words):
            raise ValueError(f"expected {', '.join(['nothing', *words[:-1]])} or {words[-1]}")
        return cell.lower()

    return read


def _filled(cell: str) -> str:
    if not cell:
        raise ValueError("expected a value")
    return cell


def _by_round(cell: str) -> tuple[Decimal, ...]:
    values = [number_in(word) or Decimal(0) for word in cell.replace(";", " ").split()]
    if len(values) > MOST_ROUNDS:
        raise ValueError(f"expected points by round, at most {MOST_ROUNDS}, as 1 1 0.5")
    return tuple(values)


def _amounts(cell: str) -> tuple[Decimal, ...]:
    values = _by_round(cell)
    if any(value < 0 for value in values):
        raise ValueError(f"expected points by round, at most {MOST_ROUNDS}, as 1 1 0.5")
    return values


def _listed(cell: str) -> tuple[str, ...]:
    names = cell.replace(";", " ").split()
    if len(names) > MOST_ROUNDS:
        raise ValueError(f"expected at most {MOST_ROUNDS} rounds")
    return tuple(names)


def _round(cell: str) -> int | None:
    return _whole(1, MOST_ROUNDS)(_filled(cell))


Name = Annotated[str, _filled]
Number = Annotated[Decimal | None, number_in]
Count = Annotated[int | None, _whole(0, MOST_ROUNDS)]
Seed = Annotated[int | None, _whole(1, MOST_MATCHES)]
TableNumber = Annotated[int | None, _whole(0, MOST_NUMBER)]
Truth = Annotated[bool | None, _truth]
Amounts = Annotated[tuple[Decimal, ...], _amounts]
Signed = Annotated[tuple[Decimal, ...], _by_round]
StartNumber = Annotated[int | None, _whole(1, MOST_NUMBER)]
Names = Annotated[tuple[str, ...], _listed]
NOWHERE = Cell(0)


@dataclass(frozen=True, slots=True)
class MatchRow:
    """A row of matches.csv, and where it is."""

    round: Annotated[int, _round]
    player1: Name
    player2: str = ""
    table: TableNumber = None
    side1: Annotated[str, str.lower] = ""
    score1: Number = None
    score2: Number = None
    status: Annotated[str, _mark("bye", "requested", "forfeit")] = ""
    place: Place = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class PlayerRow:
    """A row of players.csv; further columns are for `conflicts`."""

    player: Name
    name: str = ""
    rating: Number = None
    active: Truth = None
    score: Number = None
    table: TableNumber = None
    first_round_bye: Truth = None
    start: StartNumber = None
    virtual: Amounts = ()
    adjusted: Signed = ()
    place: Place = field(default=NOWHERE, compare=False)


def _match(cell: str) -> int:
    number = whole_number(cell[1:], MOST_MATCHES) if cell[:1] in ("B", "b") else None
    if not number:
        raise ValueError("expected a match such as B1")
    return number


def _games(cell: str) -> Decimal | None:
    number = number_in(cell)
    if number is not None and number < 0:
        raise ValueError("expected 0 or more")
    return number


@dataclass(frozen=True, slots=True)
class BracketRow:
    """A row of bracket.csv."""

    match: Annotated[int, _match]
    bracket: Annotated[str, str.lower]
    round: Count
    seed1: Seed = None
    player1: str = ""
    seed2: Seed = None
    player2: str = ""
    score1: Annotated[Decimal | None, _games] = None
    score2: Annotated[Decimal | None, _games] = None
    status: Annotated[str, _mark("forfeit")] = ""
    place: Place = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class StandingsRow(PlayerRow):
    """A row of standings.csv: a player with lists of opponents and sides in round order."""

    opponents: Names = ()
    sides: Names = ()
    byes: Count = None


Row = TypeVar("Row", bound=MatchRow | PlayerRow | BracketRow)


def validated(table: Table, schema: type[Row], needed: Iterable[str]) -> list[Row]:
    """The rows of a table under a schema.

    Raises InputError for columns that are missing, else with a fault for each cell that does not
    fit.
    """
    if missing := [name for name in needed if name not in table.columns]:
        found = ", ".join(table.columns)[: 4 * LONGEST] or "none"
        message = f"missing; the columns are: {found}"
        raise InputError(table.name, [Fault(message, Cell(1, name)) for name in missing])
    readers = _readers(cast("Hashable", schema))
    known = [name for name in readers if name in table.cells]
    values: dict[str, Sequence[Any]] = {"place": table.places}
    faults: list[tuple[int, Fault]] = []
    for name in known:
        cells = table.plain(name)
        read = {cell: _read(readers[name], cell) for cell in dict.fromkeys(cells)}
        values[name] = list(map(read.__getitem__, cells))
        faults += _faults(table, name, cells, values[name])
    if faults:
        raise InputError(
            table.name, [fault for _, fault in sorted(faults, key=lambda each: each[0])]
        )
    columns = (values.get(each.name, repeat(each.default)) for each in fields(schema))
    return list(map(schema, *columns)) if known else []


def _faults(
    table: Table, name: str, cells: Sequence[str], values: Sequence[Any]
) -> list[tuple[int, Fault]]:
    """A fault for each cell of a column that does not fit; one where none does, with its row."""
    wrong = [k for k, value in enumerate(values) if isinstance(value, ValueError)]
    filled = sum(map(bool, cells))
    if len(wrong) < max(filled, ONE_BY_ONE):
        return [(k, Fault(f"found {quoted(cells[k])}, {values[k]}", table.places[k].at(name)))
                for k in wrong]  # fmt: skip
    k = wrong[0]
    message = f"found {quoted(cells[k])}, {values[k]}; none of {len(wrong)} rows has one"
    return [(k, Fault(message, table.places[k].at(name)))]


def row_of(
    schema: type[Row], cells: Mapping[str, str], source: str = "", place: Place | None = None
) -> Row:
    """A row of these cells. Raises InputError for those that do not fit."""
    readers = _readers(cast("Hashable", schema))
    values = {name: _read(readers[name], cell) for name, cell in cells.items()}
    faults = [
        Fault(f"found {quoted(cells[name])}, {value}", place and place.at(name))
        for name, value in values.items()
        if isinstance(value, ValueError)
    ]
    if faults:
        raise InputError(source, faults)
    return schema(**values, place=place or NOWHERE)


@cache
def _readers(schema: Any) -> Mapping[str, Read]:
    """What reads the cells of each column, in their order."""
    hints = get_type_hints(schema, include_extras=True)
    return {name: getattr(hint, "__metadata__", (str,))[0] for name, hint in hints.items()
            if name != "place"}  # fmt: skip


def _read(read: Read, cell: str) -> Any:
    """The value of a cell, or the error that says why it has none."""
    try:
        return read(cell)
    except ValueError as error:
        return error
