"""Standings of other sites (SASS, Lichess): players and scores without opponents."""

from dataclasses import replace

from pairopt.common.serialization import read_package_toml
from pairopt.errors import InputError
from pairopt.event.event import Event
from pairopt.files.build_event import ReadOptions
from pairopt.files.formats import standings_csv
from pairopt.files.formats.base import Format
from pairopt.files.match_headings import is_match_list
from pairopt.files.text_tables import TextTable
from pairopt.messages import message

SITES = read_package_toml("pairopt.files", "formats/other_standings.toml").values()
ONE_ROUND = frozenset({"table", "corp player", "runner player"})


def recognises(table: TextTable) -> bool:
    """Return whether a table has the columns of a site that pairopt knows.

    A table with pairopt's own columns, or one that is a match list, gives False.
    """
    table_columns = set(table.columns)
    pairopt_columns = table_columns & {"player", "player1", "player2", "round"}
    headings_of_sites = (ONE_ROUND, *(site["known"] for site in SITES))
    is_known = not pairopt_columns and any(
        table_columns.issuperset(headings) for headings in headings_of_sites
    )
    return is_known and not is_match_list(table.columns, bool(table.called))


def read(table: TextTable, how: ReadOptions) -> Event:
    """Read the players of a known site with their scores; a note says what is missing.

    `table` has the columns of one of the sites, and `how` the reading options. The
    result is an event without matches. Raises InputError if the table is only the
    pairing of one round, or if scores need opponents, which these sites do not export,
    and UsageError if `how` names a round.
    """
    if set(table.columns) >= ONE_ROUND:
        raise InputError(table.name, "standing.one_round")
    site = next(site for site in SITES if {*table.columns}.issuperset(site["known"]))
    kept_columns = {
        column_name: column_cells
        for column_name, column_cells in table.cells.items()
        if column_name != "name" or column_name in site["columns"]
    }
    event = standings_csv.read(
        replace(table, cells=kept_columns).with_renamed_columns(site["columns"]), how
    )
    return replace(event, notes=(*event.notes, message(site["missing"])))


FORMAT = Format(
    name="other standings",
    of=TextTable,
    recognises=recognises,
    read=read,
    suffixes=(".csv",),
    expected="standings of SASS (Name, ID, Score, SoS) or Lichess (Rank, Username, Points)",
)
