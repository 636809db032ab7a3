"""Pages and lists: their templates, and what lists of a round and of a bracket are given.

Names are escaped by Jinja2; nothing in them is evaluated.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pairopt.errors import UsageError, require_extra
from pairopt.event.elimination import BracketLine
from pairopt.event.event import Event
from pairopt.files.event_folder import (
    EVENT,
    MATCHES,
    PLAYERS,
    is_folder,
    read_consistent_files,
)
from pairopt.messages import AnyMessage, MessageFormatter
from pairopt.messages.formatting import (
    UNSEEN,
    alphabetical_key,
    escape_hidden,
    escape_invisible,
    with_half_signs,
)
from pairopt.messages.interfaces import TERMINAL
from pairopt.report.views import (
    RoundView,
    SeatView,
    levels_of,
    paired_round,
    records,
    standings_of,
)
from pairopt.round.explain import describe_reasons, explain_matches, reasons_of
from pairopt.round.result import Result
from pairopt.version import __version__

if TYPE_CHECKING:
    import jinja2

FOLDERS = "web/templates", "report"
GENERATOR = "pairopt bracket"
"""In the head of every page of a bracket: it may be replaced by a later one."""
MOST_NAMES = (
    12  # so many names are under one heading; more with one letter go on under the next
)
Context = Mapping[str, object]
_RIGHT_TO_LEFT = "\u0590-\u061b\u061d-\u08ff\ufb1d-\ufdff\ufe70-\ufefc"
RUN = re.compile(rf"[{_RIGHT_TO_LEFT}]+(?:[\s.'\u200c-]+[{_RIGHT_TO_LEFT}]+)*")
"""A name, or several words of one, from right to left: it is isolated from what stands around."""
UNUSUAL = re.compile(f"[{UNSEEN}{_RIGHT_TO_LEFT}]")
PIECES = re.compile(
    rf"<textarea\b.*?</textarea>|<[^>]*>|{RUN.pattern}|[{UNSEEN}]", re.DOTALL
)
LABEL = re.compile(r'\s(?:aria-label|title|alt|placeholder)="[^"]*"')
LONGER, SHARE = re.compile(r"-?\d+\.\d{2,}"), re.compile(r"O?[GM]W\b")
PARTS = {
    "main": "",
    "winners": "Winners' bracket",
    "losers": "Losers' bracket",
    "final": "",
}


def templates() -> "jinja2.Environment":
    """The templates of pages and lists; one to print has a page of its own but for a `layout`.
    Raises UsageError where Jinja2 is not installed.
    """
    require_extra("jinja2", "the report needs Jinja2", "report")
    # jinja2 takes a moment to import, and is optional.
    import jinja2

    class Page(jinja2.Template):
        def render(self, *args: Any, **values: Any) -> str:
            return legible(super().render(*args, **values))

    class Pages(jinja2.Environment):
        template_class = Page

    folders = [jinja2.PackageLoader("pairopt", folder) for folder in FOLDERS]
    made = Pages(
        loader=jinja2.ChoiceLoader(folders),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    made.globals["layout"] = "print_base.html"
    made.filters |= {"halves": with_half_signs, "tenths": tenths}
    return made


def tenths(shown: object, head: str) -> object:
    """A number of more decimals with one, of a share with three; anything else as it is."""
    step = Decimal("0.001" if SHARE.match(head) else "0.1")
    exact = LONGER.fullmatch(text := str(shown))
    return str(Decimal(text).quantize(step, ROUND_HALF_UP)) if exact else shown


def legible(page: str) -> str:
    """A page that shows what nobody sees in a text, and names turn not; fields are sent back."""
    return PIECES.sub(_piece, page) if UNUSUAL.search(page) else page


def _piece(found: re.Match[str]) -> str:
    """A tag with its labels, what stands in a field, an unseen character, or a run."""
    piece = found[0]
    if piece[0] == "<":
        return LABEL.sub(lambda label: escape_hidden(label[0]), piece)
    return f"\u2068{piece}\u2069" if RUN.match(piece) else escape_invisible(found)


def _checksums(paths: Sequence[str]) -> dict[str, str]:
    """Of each file by its name as given, of an event folder of those in it."""
    found: dict[str, bytes] = {}
    for path in paths:
        if is_folder(path):
            found |= {
                str(Path(path, name)): raw
                for name, raw in read_consistent_files(Path(path)).items()
                if name in (EVENT, PLAYERS, MATCHES)
            }
        else:
            found[path] = Path(path).read_bytes()
    return {name: hashlib.sha256(raw).hexdigest() for name, raw in found.items()}


def report_text(result: Result, sources: Sequence[str] = (), command: str = "") -> str:
    """The lists of a paired round in one HTML file; `sources` are the input files, or the event
    folder. Raises UsageError where Jinja2 is not installed.
    """
    why, event, head = reasons(result), result.event, f"Round {result.round}"
    paired = paired_round(result, why["sentences"])
    verdict = " ".join(map(TERMINAL.format_message, result.conclusion()))
    model = f"{result.problem.model.title} ({result.model}), seed {result.seed}"
    lists = (
        ("tables", f"{head}, pairings by table", tables(event, paired)),
        ("names", f"{head}, pairings by name", by_name(event, paired)),
        ("standings", standings_title(event), {**standings(event), "records": {}}),
        ("reasons", f"{head}, levels and reasons", why),
    )
    return _sheets(
        lists,
        title=f"{head}: pairings",
        said=[f"{model}. {verdict}", ", ".join(paired.told)],
        notes=[TERMINAL.format_message(note) for note in result.notes],
        sources=_checksums(sources),
        command=command,
    )


def bracket_page(
    title: str, lines: Sequence[BracketLine], said: Sequence[str | AnyMessage]
) -> str:
    """A bracket as HTML; `said` is how far it is. Raises UsageError where Jinja2 is missing."""
    lists = [("bracket", "", {"parts": parts(lines)})]
    told = [TERMINAL.format_message(line) for line in said]
    return _sheets(
        lists,
        title=f"{title or 'Event'}: bracket",
        said=told,
        generator=GENERATOR,
        whole=True,
    )


def _sheets(lists: Iterable[tuple[str, str, Context]], **head: object) -> str:
    """Lists to print in one file, with what stands above and below them."""
    known, sheets = templates(), []
    for name, title, context in lists:
        template = known.get_template(f"print_{name}.html")
        inner = template.new_context(
            {**context, "title": title, "layout": "sheet.html"}
        )
        sheets.append("".join(template.root_render_func(inner)))
    # It comes with jinja2, which is optional.
    from markupsafe import Markup

    head["sheets"] = [Markup(sheet) for sheet in sheets]  # noqa: S704 - what templates have escaped
    usual = {
        "generator": "pairopt",
        "notes": (),
        "sources": {},
        "command": "",
        "whole": False,
    }
    return known.get_template("sheets.html").render(
        **{**usual, **head}, version=__version__
    )


# ---------------------------------------------------------------------- what lists are given


class NameRange(NamedTuple):
    """Names from one letter to another, as A-C."""

    letters: str
    seats: tuple[SeatView, ...]


class PlayerNote(NamedTuple):
    """What stands beside a name on paper, "" for what there is none of."""

    number: int
    title: str
    rating: str


def tables(event: Event, paired: RoundView) -> Context:
    """The matches of a round by table."""
    return {"about": about(event), "paired": paired, "proof": None}


def by_name(event: Event, paired: RoundView) -> Context:
    """Who plays where, in ranges of letters."""
    return {
        "about": about(event),
        "ranges": ranges(paired.seats),
        "sided": paired.sides[0],
    }


def standings(event: Event) -> Context:
    return {
        "about": about(event),
        "records": records(event),
        "standings": standings_of(event, bias=False),
    }


def standings_title(event: Event) -> str:
    """Of which round the standings are, and how many results are not final yet."""
    is_one = len(event.unscored) == 1
    unscored = "result is missing" if is_one else "results are missing"
    open_ = {unscored: event.unscored, "adjourned": event.adjourned}
    marks = ", ".join(
        f"{len(rows)} {what}" for what, rows in open_.items() if len(rows)
    )
    after = f"after round {event.round - 1}" if event.round > 1 else "before round 1"
    return f"Standings {after}" + f" ({marks})" * bool(marks)


def reasons(
    result: Result, agrees: bool = True, words: MessageFormatter = TERMINAL
) -> dict[str, Any]:
    """Why a round is as it is: its levels, their reasons, and each match in a sentence."""
    known = reasons_of(result)
    return {
        "model": result.model,
        "verdict": words.format_message(result.verdict),
        "levels": levels_of(result) if agrees else None,
        "reasons": [*map(words.format_message, describe_reasons(result, known))],
        "sentences": [
            words.format_message(match.said) for match in explain_matches(result, known)
        ],
    }


def about(event: Event) -> Mapping[str, PlayerNote]:
    titles = event.columns.get("title") or [""] * len(event.players)
    return {
        name: PlayerNote(
            int(event.start_numbers[p]), str(titles[p] or ""), event.shown_rating(p)
        )
        for p, name in enumerate(event.shown)
    }


def ranges(found: Iterable[SeatView]) -> list[NameRange]:
    """Seats by names under headings of letters, of MOST_NAMES at most; long letters are divided."""
    every: dict[str, list[SeatView]] = {}
    for seat in found:
        first = next(
            (c for c in alphabetical_key(seat.name)[0] if not c.isspace()), "#"
        ).upper()
        every.setdefault(first if first.isalpha() else "#", []).append(seat)
    made: list[NameRange] = []
    for letter, here in every.items():
        if made and len(made[-1].seats) + len(here) <= MOST_NAMES:
            letters, seats = made[-1]
            made[-1] = NameRange(f"{letters.split('-')[0]}-{letter}", (*seats, *here))
            continue
        starts = range(0, len(here), MOST_NAMES)
        made += [
            NameRange(letter, tuple(here[start : start + MOST_NAMES]))
            for start in starts
        ]
    return made


def parts(
    lines: Sequence[BracketLine],
) -> list[tuple[str, list[tuple[str, list[BracketLine]]]]]:
    """The parts of a bracket that have matches by name, "" where there is one: their rounds."""
    made = []
    for part, name in PARTS.items():
        rounds = groupby(
            (line for line in lines if line.part == part), lambda line: line.title
        )
        made.append((name, [(head, list(matches)) for head, matches in rounds]))
    return [(name, rounds) for name, rounds in made if rounds]


def require_page(path: str | Path, overwrite: bool) -> None:
    """Raises UsageError where a page cannot be written, or would replace another file."""
    templates()
    file = Path(path)
    if not file.parent.is_dir():
        raise UsageError(f"{path} cannot be written: there is no folder {file.parent}")
    if not overwrite and file.is_file():
        with file.open("rb") as there:
            if f'content="{GENERATOR}"'.encode() not in there.read(1000):
                raise UsageError(
                    f"{path} is there already, and no page of a bracket: --overwrite"
                )
