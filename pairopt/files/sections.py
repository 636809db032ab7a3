"""Sections: split one list of players into several events by its column `section`."""

import numpy as np

from pairopt.event.event import Event
from pairopt.files.build_event import ReadOptions
from pairopt.files.formats.players_csv import format_players, read
from pairopt.files.text_source import TextSource
from pairopt.files.text_tables import parse_table

COLUMN = "section"
MOST_SECTIONS = 20


def count_sections(event: Event) -> dict[str, int]:
    """Return the number of players by section, in the order of the list.

    Returns an empty dict if some player has no section, if all have the same one, if
    there are more than MOST_SECTIONS, or if rounds have been played.
    """
    section_cells = [cell.strip() for cell in event.columns.get(COLUMN, ())]
    section_names = list(dict.fromkeys(section_cells))
    if (
        event.round > 1
        or not all(section_cells)
        or not 1 < len(section_names) <= MOST_SECTIONS
    ):
        return {}
    return {
        section_name: section_cells.count(section_name)
        for section_name in section_names
    }


def select_section(event: Event, section: str) -> Event:
    """Return an event before round 1 with the players of one section only.

    `section` is a value of the column `section`, which the event must have; blanks
    around it in the cells do not count. Matches and settings are not copied. Raises
    InputError if the players cannot be read again.
    """
    player_table = parse_table(TextSource(event.source, format_players(event)))
    is_in_section = np.array(
        [cell.strip() == section for cell in event.columns[COLUMN]], np.bool_
    )
    return read(player_table.select_rows(is_in_section), ReadOptions())
