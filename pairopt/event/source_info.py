"""Origin: where an event was read, for messages that point there and for writing it back."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from typing import Any

from pairopt.common.serialization import read_package_toml
from pairopt.errors import Fault, Place
from pairopt.event.column_layout import ColumnLayout
from pairopt.messages import Message, Note, Passage, message, with_heading


@dataclass(frozen=True, slots=True)
class StatedStandings:
    """What a file states of its standings, an entry a player; None where it says nothing.
    `tie_breaks` break ties in it, up to the first unknown one (None: not by points first);
    `complete` if these are all.
    """

    points: tuple[Fraction | None, ...]
    ranks: tuple[int | None, ...]
    places: tuple[tuple[Place, Place], ...]
    tie_breaks: tuple[str, ...] | None = ()
    complete: bool = False


BREACHES = read_package_toml("pairopt.event", "breaches.toml")


@dataclass(frozen=True, slots=True)
class FideModeBreach:
    """How an event in FIDE mode was not played by FIDE's rules, in or after this round. `what` is
    for people; what it was `before` and is `now`, has start numbers for players.
    """

    kind: str
    round: int
    what: str = ""
    before: str = ""
    now: str = ""

    @property
    def asks(self) -> int:
        """How often somebody is asked whether it is to be: twice where it leaves the mode."""
        return int(BREACHES[self.kind]["asks"])

    @property
    def said(self) -> Message:
        return Message(self.kind, asdict(self))

    @property
    def told(self) -> Passage:
        heading = message("mode.told_left" if self.asks > 1 else "mode.told")
        return with_heading(heading, self.said)

    @property
    def line(self) -> str:
        text = BREACHES[self.kind]["line"].format(**asdict(self))
        return (
            f"### {' '.join(text.split())}".encode("ascii", "replace").decode()
            if text
            else ""
        )


@dataclass(frozen=True, slots=True)
class SourceInfo:
    """What only its files know of an event.

    `name` is what messages call them; `folder` is that of an event kept in one; `places` say where
    each row of matches is; `layout` how their list of matches is written. `cells` are further
    columns of it, by row; `facts` what they say of the tournament that nothing here reads, by their
    format, to be written again. `forfeits` says whether they have a word for a match not played;
    `stated` what they state of the standings; `chess` marks a file of FIDE's, or what was made from
    one; `breaches` are those of FIDE mode. `rounds_over` counts the rounds that they say are over,
    also if nobody was paired in the last of them (0: those that were paired). `bracket` is
    bracket.csv, read only where that is asked for: a fault in it hinders no Swiss round. `called`
    has columns of players.csv by what a list calls them. `doubts`
    are what may be read otherwise in a list of names; the event is as they say.
    """

    name: str = "event"
    places: tuple[Place, ...] = ()
    layout: ColumnLayout = field(default_factory=ColumnLayout)
    cells: Mapping[str, Sequence[str]] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)
    forfeits: bool = True
    chess: bool = False
    breaches: tuple[FideModeBreach, ...] = ()
    bracket: bytes = b""
    folder: str = ""
    stated: StatedStandings | None = None
    rounds_over: int = 0
    doubts: tuple[Fault, ...] = ()
    called: Mapping[str, str] = field(default_factory=dict)

    def cell(self, column: str, row: int) -> str:
        """A cell of a further column; "" for a row that the files do not have."""
        cells = self.cells.get(column, ())
        return cells[row] if 0 <= row < len(cells) else ""

    def fault(self, said: str | Note, row: int, column: str) -> Fault:
        """What is wrong with a cell of a row of matches, and where it is, as far as is known."""
        return Fault(said, self.places[row].at(column) if self.places else None)
