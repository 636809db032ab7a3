"""Sections: one list of players who play in several events, as a column of it says."""

import numpy as np

from pairopt.event.event import Event
from pairopt.files.build_event import ReadOptions
from pairopt.files.formats.players_csv import format_players, read
from pairopt.files.text_source import TextSource
from pairopt.files.text_tables import parse_table

COLUMN = "section"
MOST_SECTIONS = 20


def count_sections(event: Event) -> dict[str, int]:
    """How many players each section has, in the order of the list; none for a list in which not
    everybody has a section, or all have the same, or rounds were played.
    """
    cells = [cell.strip() for cell in event.columns.get(COLUMN, ())]
    names = list(dict.fromkeys(cells))
    if event.round > 1 or not all(cells) or not 1 < len(names) <= MOST_SECTIONS:
        return {}
    return {name: cells.count(name) for name in names}


def select_section(event: Event, section: str) -> Event:
    """The players of one section, as an event of their own. Raises InputError."""
    table = parse_table(TextSource(event.source, format_players(event)))
    here = np.array(
        [cell.strip() == section for cell in event.columns[COLUMN]], np.bool_
    )
    return read(table.select_rows(here), ReadOptions())
