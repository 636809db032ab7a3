"""The page of a bracket, for phones and printers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from pairopt.errors import UsageError
from pairopt.event.elimination import BracketLine
from pairopt.show.report.template import rendered, templates
from pairopt.version import __version__

MARK = '<meta name="generator" content="pairopt bracket">'
"""In the head of every such page: it may be replaced by a later one."""
PARTS = {"main": "", "winners": "Winners' bracket", "losers": "Losers' bracket", "final": ""}


def bracket_page(title: str, lines: Sequence[BracketLine], said: Sequence[str]) -> str:
    """A bracket as HTML.

    Args:
        title: the event's.
        lines: its matches.
        said: how far it is.

    Raises:
        UsageError: where Jinja2 is not installed.
    """
    return rendered(
        "bracket.html",
        title=title or "Bracket",
        parts=parts(lines),
        said=said,
        version=__version__,
    )


def parts(lines: Sequence[BracketLine]) -> list[tuple[str, list[tuple[str, list[BracketLine]]]]]:
    """The parts of a bracket that have matches by name, "" where there is one: their rounds."""
    made = []
    for part, name in PARTS.items():
        rounds = groupby((line for line in lines if line.part == part), lambda line: line.title)
        made.append((name, [(head, list(matches)) for head, matches in rounds]))
    return [(name, rounds) for name, rounds in made if rounds]


def require_page(path: str | Path, overwrite: bool) -> None:
    """Raises UsageError where a page cannot be written, or would replace another file."""
    templates()
    file = Path(path)
    if not file.parent.is_dir():
        raise UsageError(f"{path} cannot be written: there is no folder {file.parent}")
    if overwrite or not file.is_file():
        return
    with file.open("rb") as there:
        if MARK.encode() not in there.read(1000):
            raise UsageError(f"{path} is there already, and no page of a bracket: --overwrite")
