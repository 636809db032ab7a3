"""The page: what the template is given; names are escaped by Jinja2, nothing is evaluated."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib import resources
from pathlib import Path
from typing import Any

from pairopt import __version__
from pairopt.cli.show import amount, conclusion
from pairopt.errors import UsageError
from pairopt.event import Event
from pairopt.explaining import explained
from pairopt.pairing import decimal_text
from pairopt.problem import Problem
from pairopt.ranking import COLUMNS, cells, ranked
from pairopt.report.pictures import balance_strip, score_groups
from pairopt.result import Result
from pairopt.state import points_of

MISSING = 'the report needs Jinja2 and matplotlib: pip install "pairopt[report]"'


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


def report_text(
    problem: Problem, result: Result, sources: Sequence[Source] = (), command: str = ""
) -> str:
    """The report of a paired round as HTML.

    Args:
        problem: what was paired.
        result: its pairing.
        sources: the input files.
        command: the command line as the user gave it.

    Raises:
        UsageError: where Jinja2 or matplotlib is not installed.
    """
    try:
        import jinja2
        import matplotlib  # noqa: F401 - for the pictures
        from markupsafe import Markup
    except ImportError:
        raise UsageError(MISSING) from None
    environment = jinja2.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    event = problem.state.event
    template = resources.files("pairopt.report").joinpath("page.html").read_text("utf-8")
    lines = _lines(problem, result)
    return environment.from_string(template).render(
        round=result.round,
        model=problem.model,
        verdict=" ".join(conclusion(result)),
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
        heads=[name.replace("_", " ") for name in COLUMNS],
        standings=[cells(event, line) for line in ranked(event)],
        groups=Markup(score_groups(problem.state)),  # noqa: S704 - drawn here, without names
        balance=Markup(balance_strip(problem.state)),  # noqa: S704
    )


def _lines(problem: Problem, result: Result) -> list[_Line]:
    """The matches by table, then the byes."""
    event = problem.state.event
    names = dict(zip(event.players, event.names, strict=True))
    points = dict(zip(event.players, points_of(event).tolist(), strict=True))
    sentences = {
        (match.player1, match.player2): match.sentence for match in explained(problem, result)
    }

    def shown(player: Any) -> str:
        return decimal_text(Fraction(points[player], event.scale)) if player else ""

    made = []
    for row in result.matches:
        one, two = str(row["player1"]), row["player2"]
        gap = 0 if two is None else points[one] - points[str(two)]
        made.append(
            _Line(
                table=row["table"] or "",
                one=names[one] or one,
                two="" if two is None else names[str(two)] or str(two),
                points1=shown(one),
                points2=shown(two),
                mark="" if gap == 0 else ("↓" if gap > 0 else "↑"),
                what={"bye": "has the bye", "requested": "bye on request"}.get(
                    str(row["status"]), ""
                ),
                sentence=sentences.get((one, None if two is None else str(two)), ""),
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
