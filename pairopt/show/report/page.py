"""The pages of a round and of a bracket: templates, and what they are given.

Names are escaped by Jinja2; nothing in them is evaluated.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pairopt.errors import UsageError, not_installed
from pairopt.event.elimination import BracketLine
from pairopt.files.folder import EVENT, MATCHES, PLAYERS, files_of, is_folder
from pairopt.proof.reasons import reasons_of, sentences
from pairopt.round.explain import explained
from pairopt.round.result import Result
from pairopt.show.report.pictures import balance_strip, score_groups
from pairopt.show.shown import levels_of, paired_round, standings_of
from pairopt.version import __version__
from pairopt.wording import UNSEEN, numbered, plain

if TYPE_CHECKING:
    import jinja2

NEEDED = "the report needs Jinja2 and matplotlib", "report"
MARK = '<meta name="generator" content="pairopt bracket">'
"""In the head of every such page: it may be replaced by a later one."""
_RIGHT_TO_LEFT = "\u0590-\u061b\u061d-\u08ff\ufb1d-\ufdff\ufe70-\ufefc"
RUN = re.compile(rf"[{_RIGHT_TO_LEFT}]+(?:[\s.'\u200c-]+[{_RIGHT_TO_LEFT}]+)*")
"""A name, or several words of one, from right to left: it is isolated from what stands around."""
UNUSUAL = re.compile(f"[{UNSEEN}{_RIGHT_TO_LEFT}]")
PIECES = re.compile(rf"<textarea\b.*?</textarea>|<[^>]*>|{RUN.pattern}|[{UNSEEN}]", re.DOTALL)
LABEL = re.compile(r'\s(?:aria-label|title|alt|placeholder)="[^"]*"')
PARTS = {"main": "", "winners": "Winners' bracket", "losers": "Losers' bracket", "final": ""}


def templates(*folders: str) -> jinja2.Environment:
    """The report's templates, and those of these folders of the package.

    Raises UsageError where Jinja2 is not installed.
    """
    try:
        import jinja2
    except ImportError:
        raise not_installed(*NEEDED) from None

    class Page(jinja2.Template):
        def render(self, *args: Any, **values: Any) -> str:
            return legible(super().render(*args, **values))

    class Pages(jinja2.Environment):
        template_class = Page

    return Pages(
        loader=jinja2.ChoiceLoader(
            [jinja2.PackageLoader("pairopt", folder) for folder in (*folders, "show/report")]
        ),
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined,
    )  # fmt: skip


def legible(page: str) -> str:
    """A page that shows what nobody sees in a text, and whose names turn nothing around.

    Fields keep what is in them: it is sent back.
    """
    return PIECES.sub(_piece, page) if UNUSUAL.search(page) else page


def _piece(found: re.Match[str]) -> str:
    """A tag with its labels, what stands in a field, an unseen character, or a run."""
    piece = found[0]
    if piece[0] == "<":
        return LABEL.sub(lambda label: plain(label[0]), piece)
    return f"\u2068{piece}\u2069" if RUN.match(piece) else numbered(found)


def rendered(name: str, /, **values: object) -> str:
    """A page by its template. Raises UsageError where Jinja2 is not installed."""
    return templates().get_template(name).render(**values)


def _checksums(paths: Sequence[str]) -> dict[str, str]:
    """Of each file by its name as given, of an event folder of those in it."""
    found: dict[str, bytes] = {}
    for path in paths:
        if is_folder(path):
            found |= {str(Path(path, name)): raw for name, raw in files_of(Path(path)).items()
                      if name in (EVENT, PLAYERS, MATCHES)}  # fmt: skip
        else:
            found[path] = Path(path).read_bytes()
    return {name: hashlib.sha256(raw).hexdigest() for name, raw in found.items()}


def report_text(result: Result, sources: Sequence[str] = (), command: str = "") -> str:
    """The report of a paired round as HTML.

    Args:
        result: what was paired.
        sources: the input files, or the event folder.
        command: the command line as the user gave it.

    Raises:
        UsageError: where Jinja2 or matplotlib is not installed.
    """
    try:
        import matplotlib  # noqa: F401 - for the pictures
        from markupsafe import Markup
    except ImportError:
        raise not_installed(*NEEDED) from None
    problem = result.problem
    known = reasons_of(result)
    return rendered(
        "page.html",
        round=result.round,
        model=problem.model,
        verdict=" ".join(result.conclusion()),
        seed=result.seed,
        version=__version__,
        sources=_checksums(sources),
        command=command,
        notes=result.notes,
        paired=paired_round(result, (match.sentence for match in explained(result, known))),
        levels=levels_of(result),
        reasons=sentences(result, known),
        standings=standings_of(result.event, bias=False),
        groups=Markup(score_groups(problem.state)),  # noqa: S704 - drawn here, without names
        balance=Markup(balance_strip(problem.state)),  # noqa: S704
    )


def bracket_page(title: str, lines: Sequence[BracketLine], said: Sequence[str]) -> str:
    """A bracket as HTML.

    Args:
        title: the event's.
        lines: its matches.
        said: how far it is.

    Raises:
        UsageError: where Jinja2 is not installed.
    """
    shown = {"title": title or "Bracket", "parts": parts(lines), "said": said}
    return rendered("bracket.html", **shown, version=__version__)


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
