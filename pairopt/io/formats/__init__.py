"""Formats: one module each, with `matches(table)` to recognise it and `read(...)`."""

from __future__ import annotations

from typing import Protocol

from pairopt.errors import InputError
from pairopt.event import Event
from pairopt.io.formats import matches_csv, players_csv, standings_csv
from pairopt.io.formats.players_csv import Roster
from pairopt.io.tables import Table


class Format(Protocol):
    """A format of event files."""

    EXPECTED: str

    def recognises(self, table: Table) -> bool:
        """Whether a table has this format's columns."""

    def read(
        self,
        table: Table,
        roster: Roster | None,
        *,
        round: int | None,
        sides: tuple[str, str] | None,
        history: bool,
    ) -> Event:
        """The event in it; `roster` is players.csv where one was given."""


FORMATS: tuple[Format, ...] = (matches_csv, standings_csv, players_csv)


def read_source_as_event(
    table: Table,
    roster: Roster | None,
    *,
    round: int | None,
    sides: tuple[str, str] | None,
    history: bool,
) -> Event:
    """Read a table by the first format that recognises it. Raises InputError if none does."""
    for form in FORMATS:
        if form.recognises(table):
            return form.read(table, roster, round=round, sides=sides, history=history)
    expected = "; ".join(form.EXPECTED for form in FORMATS)
    found = ", ".join(table.columns)[:200] or "none"
    raise InputError(table.name, f"row 1: the columns are {found}; expected one of: {expected}")
