"""The page of a round: what the template is given."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pairopt.errors import UsageError
from pairopt.event.event import Event
from pairopt.event.standings import cells, heads, ranked, tie_breaks_of
from pairopt.event.state import points_of
from pairopt.report.pictures import balance_strip, score_groups
from pairopt.report.template import MISSING, rendered
from pairopt.round.explain import explained
from pairopt.round.proof.reasons import Reason, reasons_of, sentences
from pairopt.round.result import Result
from pairopt.version import __version__
from pairopt.wording import amount


@dataclass(frozen=True, slots=True)
class Source:
    """An input file as the user named it, with the checksum of its bytes."""

    name: str
    sha256: str

    @staticmethod
    def of(path: str) -> Source:
        """The file's name as given, and its checksum."""
        return Source(path, hashlib.sha256(Path(path).read_bytes()).hexdigest())


@dataclass(frozen=True, slots=True)
class _Line:
    """A match as it is shown."""

    table: object
    one: str
    two: str
    points1: str
    points2: str
    mark: str
    what: str
    sentence: str


def report_text(result: Result, sources: Sequence[Source] = (), command: str = "") -> str:
    """The report of a paired round as HTML.

    Args:
        result: what was paired.
        sources: the input files.
        command: the command line as the user gave it.

    Raises:
        UsageError: where Jinja2 or matplotlib is not installed.
    """
    try:
        import matplotlib  # noqa: F401 - for the pictures
        from markupsafe import Markup
    except ImportError:
        raise UsageError(MISSING) from None
    problem = result.problem
    event = problem.state.event
    known = reasons_of(result)
    lines = _lines(result, known)
    return rendered(
        "page.html",
        round=result.round,
        model=problem.model,
        verdict=" ".join(result.conclusion()),
        proven=result.proven,
        seed=result.seed,
        version=__version__,
        sources=sources,
        command=command,
        notes=result.notes,
        sides=[side.capitalize() for side in event.sides or ("", "")],
        lines=lines,
        by_name=_by_name(event, lines),
        levels=[
            (v.words, v.level, amount(v.value, v.scale), "proven" if v.proven else "")
            for v in result.level_values
        ],
        reasons=sentences(result, known),
        heads=heads(tie_breaks_of(event)),
        standings=[cells(event, line) for line in ranked(event, tie_breaks_of(event))],
        groups=Markup(score_groups(problem.state)),  # noqa: S704 - drawn here, without names
        balance=Markup(balance_strip(problem.state)),  # noqa: S704
    )


def _lines(result: Result, known: Sequence[Reason]) -> list[_Line]:
    """The matches by table, then the byes."""
    event = result.problem.state.event
    names = dict(zip(event.players, event.shown, strict=True))
    points = dict(zip(event.players, points_of(event).tolist(), strict=True))
    said = [match.sentence for match in explained(result, known)]
    said += [""] * (len(result.matches) - len(said))
    what = {"bye": "has the bye", "requested": "bye on request"}
    made = []
    for row, sentence in zip(result.matches, said, strict=True):
        one, two = str(row["player1"]), None if row["player2"] is None else str(row["player2"])
        gap = 0 if two is None else points[one] - points[two]
        made.append(
            _Line(
                table=row["table"] or "",
                one=names[one],
                two="" if two is None else names[two],
                points1=amount(points[one], event.scale),
                points2="" if two is None else amount(points[two], event.scale),
                mark="" if gap == 0 else ("↓" if gap > 0 else "↑"),
                what=what.get(str(row["status"]), ""),
                sentence=sentence,
            )
        )
    return made


def _by_name(event: Event, lines: Sequence[_Line]) -> list[tuple[str, object, str, str]]:
    """Name, table, side and opponent of every player, in the order of names."""
    sides = [side.capitalize() for side in event.sides or ("", "")]
    seats = []
    for line in lines:
        seats.append((line.one, line.table, sides[0] if line.two else "", line.two or line.what))
        if line.two:
            seats.append((line.two, line.table, sides[1], line.one))
    return sorted(seats, key=lambda seat: (seat[0].casefold(), str(seat[1])))
