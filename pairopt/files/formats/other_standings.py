"""Standings of other sites (SASS, Lichess): players and scores, without who met whom."""

from dataclasses import dataclass, replace

from pairopt.errors import InputError
from pairopt.event.event import Event
from pairopt.files.build import Reading
from pairopt.files.formats import standings_csv
from pairopt.files.formats.base import Format
from pairopt.files.tables import Table
from pairopt.words import tell


@dataclass(frozen=True)
class _Site:
    """Where a site has what pairopt reads, what is missing there, and columns it is known by."""

    missing: str
    needed: frozenset[str]
    columns: dict[str, str]


SITES = (
    _Site("standing.of_sass",
          frozenset({"name", "id", "score", "sos", "ext. sos", "side balance"}),
          {"name": "player", "score": "score"}),
    _Site("standing.of_lichess", frozenset({"rank", "username", "rating", "points", "tie break"}),
          {"username": "player", "points": "score", "rating": "rating"}),
)  # fmt: skip
ONE_ROUND = frozenset({"table", "corp player", "runner player"})


def recognises(table: Table) -> bool:
    columns = set(table.columns)
    ours = columns & {"player", "player1", "player2", "round"}
    return not ours and any(columns >= known for known in (ONE_ROUND, *(s.needed for s in SITES)))


def read(table: Table, how: Reading) -> Event:
    """The players with their scores, where history is not asked for; it is not in the file."""
    if set(table.columns) >= ONE_ROUND:
        raise InputError(table.name, "standing.one_round")
    site = next(site for site in SITES if set(table.columns) >= site.needed)
    kept = {c: column for c, column in table.cells.items() if c != "name" or c in site.columns}
    event = standings_csv.read(replace(table, cells=kept).renamed(site.columns), how)
    return replace(event, notes=(*event.notes, tell(site.missing)))


FORMAT = Format(
    name="other standings", of=Table, recognises=recognises, read=read, suffixes=(".csv",),
    expected="standings of SASS (Name, ID, Score, SoS) or Lichess (Rank, Username, Points)",
)  # fmt: skip
