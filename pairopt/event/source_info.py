"""Origin: where an event was read, for messages and for writing it back."""

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
    """The standings that a file states, one entry per player, None without one.

    `points` and `ranks` are the stated ones, `places` where the file has them, first
    the points and then the rank. `tie_breaks` are those that it ranks by, up to the
    first unknown one (None if it does not rank by points first); `complete` says
    whether these are all.
    """

    points: tuple[Fraction | None, ...]
    ranks: tuple[int | None, ...]
    places: tuple[tuple[Place, Place], ...]
    tie_breaks: tuple[str, ...] | None = ()
    complete: bool = False


BREACHES = read_package_toml("pairopt.event", "breaches.toml")


@dataclass(frozen=True, slots=True)
class FideModeBreach:
    """A departure from FIDE's rules by an event in FIDE mode, in or after this round.

    `kind` is a key of `BREACHES`. `what` names for people what was changed, such as a
    setting, a result or players. `before` is its old value as text, or what the rules
    would have given, and `now` the new one; players in them are start numbers. Each of
    the three is "" if the kind needs none.
    """

    kind: str
    round: int
    what: str = ""
    before: str = ""
    now: str = ""

    @property
    def asks(self) -> int:
        """The number of confirmations that a breach of this kind needs.

        It is 2 for a breach that leaves FIDE mode, and 1 for one that only the report
        names.
        """
        return int(BREACHES[self.kind]["asks"])

    @property
    def said(self) -> Message:
        """The message that describes the breach, without a heading."""
        return Message(self.kind, asdict(self))

    @property
    def told(self) -> Passage:
        """The description under a heading on whether the event stays in FIDE mode."""
        heading_note = message("mode.told_left" if self.asks > 1 else "mode.told")
        return with_heading(heading_note, self.said)

    @property
    def line(self) -> str:
        """The comment line of a TRF that reports the breach, "" if its kind has none.

        It has ASCII characters only; others become "?".
        """
        report_text = BREACHES[self.kind]["line"].format(**asdict(self))
        if not report_text:
            return ""
        return f"### {' '.join(report_text.split())}".encode(
            "ascii", "replace"
        ).decode()


@dataclass(frozen=True, slots=True)
class SourceInfo:
    """Facts of an event that only its files know.

    `name` is what messages call the file or folder; `folder` is the event folder, ""
    without one; `places` say where each row of matches is; `layout` how the list of
    matches is written. `cells` are further columns of it, by row; `facts` are data of
    the tournament that pairopt does not read, by format, to be written again.
    `forfeits` says whether the format has a word for a match not played; `stated` are
    the standings that the file states; `chess` marks a file of FIDE's, or one made from
    such a file; `breaches` are those of FIDE mode. `rounds_over` counts the rounds that
    are said to be over, also if nobody was paired in the last of them (0: those that
    were paired). With `all_rounds_open` a result may be missing in any round, as in a
    round robin. `bracket` is the text of bracket.csv, read only when somebody asks for
    it: a fault in it hinders no Swiss round. `called` has columns of players.csv by
    their names in a list. `doubts` are names in a list that may be read in another way.
    With `starts_equal` the model is a Swiss of Go, in which ranks give no start scores.
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
    all_rounds_open: bool = False
    doubts: tuple[Fault, ...] = ()
    called: Mapping[str, str] = field(default_factory=dict)
    starts_equal: bool = False

    def cell(self, column: str, row: int) -> str:
        """Return a cell of one of the further `cells` columns, for a row of matches.

        It is "" if the column does not exist, or if the row is in no file.
        """
        column_cells = self.cells.get(column, ())
        return column_cells[row] if 0 <= row < len(column_cells) else ""

    def fault(self, fault_message: str | Note, row: int, column: str) -> Fault:
        """Build, not raise, a fault in a cell of a row of matches, with its place.

        `fault_message` says what is wrong. `row` counts the rows from 0, and `column`
        is the name of the cell's column. The fault has no place if none is known for
        the rows of the event.
        """
        return Fault(
            fault_message, self.places[row].at(column) if self.places else None
        )
