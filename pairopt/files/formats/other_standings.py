"""Standings of other sites (SASS, Lichess): players and scores, without who met whom."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pairopt.errors import InputError
from pairopt.event.event import Event
from pairopt.files.build import Reading
from pairopt.files.formats import standings_csv
from pairopt.files.formats.base import Format
from pairopt.files.tables import Table


@dataclass(frozen=True)
class _Site:
    """Where a site has what pairopt reads; `needed` are the columns it is known by."""

    name: str
    needed: frozenset[str]
    columns: dict[str, str]
    missing: str


SITES = (
    _Site(
        "SASS",
        frozenset({"name", "id", "score", "sos", "ext. sos", "side balance"}),
        {"name": "player", "score": "score"},
        "who has met whom, on which side, and who has had a bye",
    ),
    _Site(
        "Lichess",
        frozenset({"rank", "username", "rating", "points", "tie break"}),
        {"username": "player", "points": "score", "rating": "rating"},
        "who has met whom, with which colour, and who has had a bye",
    ),
)
ONE_ROUND = frozenset({"table", "corp player", "runner player"})


def recognises(table: Table) -> bool:
    """Whether a table has the columns of one of the sites."""
    columns = set(table.columns)
    ours = columns & {"player", "player1", "player2", "round"}
    return not ours and any(columns >= known for known in (ONE_ROUND, *(s.needed for s in SITES)))


def read(table: Table, how: Reading) -> Event:
    """The players with their scores, where history is not asked for; it is not in the file."""
    if set(table.columns) >= ONE_ROUND:
        message = (
            "holds the pairing of one round of SASS, without scores or the rounds before; "
            "expected the whole event: matches.csv, or the standings"
        )
        raise InputError(table.name, message)
    site = next(site for site in SITES if set(table.columns) >= site.needed)
    kept = {c: column for c, column in table.cells.items() if c != "name" or c in site.columns}
    event = standings_csv.read(replace(table, cells=kept).renamed(site.columns), how)
    note = f"{site.name} exports no history: {site.missing} is not known, so it is not avoided"
    return replace(event, notes=(*event.notes, note))


FORMAT = Format(
    name="other standings",
    expected="standings of SASS (Name, ID, Score, SoS) or Lichess (Rank, Username, Points)",
    of=Table,
    recognises=recognises,
    read=read,
    suffixes=(".csv",),
)
