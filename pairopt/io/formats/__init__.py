"""Formats: one module each, with `recognises` and `read`; content decides, not names."""

from __future__ import annotations

from typing import Protocol, TypeVar

from pairopt.errors import InputError
from pairopt.event.event import Event
from pairopt.io.formats import (
    matches_csv,
    nrtm_json,
    other_standings,
    players_csv,
    standings_csv,
    trf,
)
from pairopt.io.formats.players_csv import Roster
from pairopt.io.source import Source
from pairopt.io.tables import Table, parse_table

Given = TypeVar("Given", Source, Table, contravariant=True)


class Format(Protocol[Given]):
    """A format of event files: of text, or of tables (CSV files and DataFrames)."""

    EXPECTED: str

    def recognises(self, given: Given, /) -> bool:
        """Whether something given looks like this format."""

    def read(
        self,
        given: Given,
        /,
        roster: Roster | None,
        *,
        round: int | None,
        sides: tuple[str, str] | None,
        history: bool,
    ) -> Event:
        """The event in it; `roster` is players.csv where one was given."""


TEXT_FORMATS: tuple[Format[Source], ...] = (nrtm_json, trf)
TABLE_FORMATS: tuple[Format[Table], ...] = (
    matches_csv,
    standings_csv,
    players_csv,
    other_standings,
)


def read_as_event(
    given: Source | Table,
    roster: Roster | None,
    *,
    round: int | None,
    sides: tuple[str, str] | None,
    history: bool,
) -> Event:
    """Read by the first format that recognises it. Raises InputError if none does."""
    if isinstance(given, Source):
        for form in TEXT_FORMATS:
            if form.recognises(given):
                return form.read(given, roster, round=round, sides=sides, history=history)
    table = parse_table(given) if isinstance(given, Source) else given
    for tabular in TABLE_FORMATS:
        if tabular.recognises(table):
            return tabular.read(table, roster, round=round, sides=sides, history=history)
    expected = "; ".join(
        [form.EXPECTED for form in TEXT_FORMATS] + [form.EXPECTED for form in TABLE_FORMATS]
    )
    found = ", ".join(table.columns)[:200] or "none"
    raise InputError(table.name, f"row 1: the columns are {found}; expected one of: {expected}")
