"""Schemas: what a row of each CSV file holds, cell by cell."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, TypeAdapter, ValidationError

from pairopt.errors import Cell, Fault
from pairopt.event.brackets import MOST_PLAYERS
from pairopt.event.points import without_halves
from pairopt.io.tables import Table
from pairopt.wording import quoted

LARGEST_SCORE = 1_000_000
MOST_DECIMALS = 6
MOST_ROUNDS = 500
MOST_MATCHES = 2 * MOST_PLAYERS - 1
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]{1,9})?", re.IGNORECASE)
DATE = re.compile(r"\d{4}-\d\d-\d\d")
"""What spreadsheets make of 1-2."""
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


def whole_number(text: str, most: int) -> int | None:
    """The number written in ASCII digits alone, None for other text and beyond `most`."""
    if not (text.isascii() and text.isdigit() and len(text.lstrip("0")) <= len(str(most))):
        return None
    return int(text) if int(text) <= most else None


def _whole(low: int, high: int) -> BeforeValidator:
    def read(cell: str) -> int | None:
        if not cell:
            return None
        whole, _, rest = cell.partition(".")  # tables that held a gap write 3 as 3.0
        number = whole_number(whole, high)
        if number is None or number < low or rest.strip("0"):
            raise ValueError(f"expected a whole number from {low} to {high}")
        return number

    return BeforeValidator(read)


def _truth(cell: str) -> bool | None:
    if not cell:
        return None
    if cell.lower() not in WORDS:
        raise ValueError("expected true or false")
    return WORDS[cell.lower()]


def _status(cell: str) -> str:
    status = cell.lower()
    if status not in ("", "bye", "requested", "forfeit"):
        raise ValueError("expected nothing, bye, requested or forfeit")
    return status


def _bracket_status(cell: str) -> str:
    if cell.lower() not in ("", "forfeit"):
        raise ValueError("expected nothing or forfeit")
    return cell.lower()


def _filled(cell: str) -> str:
    if not cell:
        raise ValueError("expected a value")
    return cell


def _amounts(cell: str) -> tuple[Decimal, ...]:
    values = [number_in(word) or Decimal(0) for word in cell.replace(";", " ").split()]
    if len(values) > MOST_ROUNDS or any(value < 0 for value in values):
        raise ValueError(f"expected points by round, at most {MOST_ROUNDS}, as 1 1 0.5")
    return tuple(values)


def _listed(cell: str) -> tuple[str, ...]:
    return tuple(cell.replace(";", " ").split())


Name = Annotated[str, BeforeValidator(_filled)]
Number = Annotated[Decimal | None, BeforeValidator(number_in)]
Count = Annotated[int | None, _whole(0, MOST_ROUNDS)]
Seed = Annotated[int | None, _whole(1, MOST_MATCHES)]
TableNumber = Annotated[int | None, _whole(0, 1_000_000)]
Truth = Annotated[bool | None, BeforeValidator(_truth)]
Amounts = Annotated[tuple[Decimal, ...], BeforeValidator(_amounts)]
StartNumber = Annotated[int | None, _whole(1, 1_000_000)]
Names = Annotated[tuple[str, ...], BeforeValidator(_listed)]


class MatchRow(BaseModel):
    """A row of matches.csv."""

    model_config = ConfigDict(extra="ignore")

    round: Annotated[int, _whole(1, MOST_ROUNDS), BeforeValidator(_filled)]
    table: TableNumber = None
    player1: Name
    player2: str = ""
    side1: Annotated[str, BeforeValidator(str.lower)] = ""
    score1: Number = None
    score2: Number = None
    status: Annotated[Literal["", "bye", "requested", "forfeit"], BeforeValidator(_status)] = ""


class PlayerRow(BaseModel):
    """A row of players.csv; further columns are for `conflicts`."""

    model_config = ConfigDict(extra="ignore")

    player: Name
    name: str = ""
    rating: Number = None
    active: Truth = None
    score: Number = None
    table: TableNumber = None
    first_round_bye: Truth = None
    start: StartNumber = None
    virtual: Amounts = ()


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


class BracketRow(BaseModel):
    """A row of bracket.csv."""

    model_config = ConfigDict(extra="ignore")

    match: Annotated[int, BeforeValidator(_match)]
    bracket: Annotated[str, BeforeValidator(str.lower)]
    round: Count
    seed1: Seed = None
    player1: str = ""
    seed2: Seed = None
    player2: str = ""
    score1: Annotated[Decimal | None, BeforeValidator(_games)] = None
    score2: Annotated[Decimal | None, BeforeValidator(_games)] = None
    status: Annotated[str, BeforeValidator(_bracket_status)] = ""


class StandingsRow(PlayerRow):
    """A row of standings.csv: a player with lists of opponents and sides in round order."""

    opponents: Names = ()
    sides: Names = ()
    byes: Count = None


Row = TypeVar("Row", bound=BaseModel)


def validated(table: Table, schema: type[Row]) -> tuple[list[Row], list[Fault]]:
    """The rows of a table under a schema, and a fault for each cell that does not fit."""
    known = [name for name in table.columns if name in schema.model_fields]
    records: list[dict[str, Any]] = table.plain(known).to_dict("records")  # type: ignore[assignment]
    try:
        return TypeAdapter(list[schema]).validate_python(records), []  # type: ignore[valid-type]
    except ValidationError as error:
        rows = table.rows
        return [], [
            Fault(
                f"found {quoted(fault['input'])}, {message_of(fault)}",
                Cell(rows[int(fault["loc"][0])], str(fault["loc"][1])),
            )
            for fault in error.errors()
        ]


def message_of(error: Any) -> str:
    """What a validator says is wrong."""
    return str(error["msg"]).removeprefix("Value error, ")
