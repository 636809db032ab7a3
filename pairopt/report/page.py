"""Render lists of a round and of a bracket as HTML, and give templates what they show.

Jinja2 escapes names; nothing in them is evaluated.
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
from pairopt.report.printed_lists.base import FilledList
from pairopt.report.views import (
    RoundView,
    SeatView,
    levels_of,
    match_records,
    paired_round,
    progress_text,
    standings_of,
)
from pairopt.round.explain import describe_reasons, explain_matches, find_reasons
from pairopt.round.result import Result
from pairopt.version import __version__

if TYPE_CHECKING:
    import jinja2

FOLDERS = "web/templates", "report"
GENERATOR = "pairopt bracket"
"""The generator in the head of a bracket's page, which a later one may replace."""
MOST_NAMES = 12
"""The most names under one heading of letters; longer letters have several headings."""
Context = Mapping[str, object]
_RIGHT_TO_LEFT = "\u0590-\u061b\u061d-\u08ff\ufb1d-\ufdff\ufe70-\ufefc"
RUN = re.compile(rf"[{_RIGHT_TO_LEFT}]+(?:[\s.'\u200c-]+[{_RIGHT_TO_LEFT}]+)*")
"""Words that are written from right to left; they are isolated from the text around."""
UNUSUAL = re.compile(f"[{UNSEEN}{_RIGHT_TO_LEFT}]")
PIECES = re.compile(
    rf"<textarea\b.*?</textarea>|<[^>]*>|{RUN.pattern}|[{UNSEEN}]", re.DOTALL
)
"""The pieces of a page that `legible` changes: tags, right-to-left words, and so on."""
LABEL = re.compile(r'\s(?:aria-label|title|alt|placeholder)="[^"]*"')
LONGER, SHARE = re.compile(r"-?\d+\.\d{2,}"), re.compile(r"O?[GM]W\b")
PARTS = {
    "main": "",
    "winners": "Winners' bracket",
    "losers": "Losers' bracket",
    "final": "",
}
"""The parts of a bracket in the order of the page, and their headings."""


def template_environment() -> "jinja2.Environment":
    """Return a new Jinja2 environment with the templates of pages and lists.

    By default a list to print is a page of its own; another `layout` in its context
    puts it into that template. Templates can use the filters `halves` and `tenths`.
    Output shows invisible characters. Raise UsageError if Jinja2 is not installed.
    """
    require_extra("jinja2", "the report needs Jinja2", "report")
    # jinja2 takes a moment to import, and is optional.
    import jinja2

    class Page(jinja2.Template):
        """A template whose output shows invisible characters."""

        def render(self, *args: Any, **values: Any) -> str:
            """Return the rendered text, with invisible characters shown.

            The values are those of Jinja2's `render`.
            """
            return make_legible(super().render(*args, **values))

    class Pages(jinja2.Environment):
        """An environment whose templates are `Page`s, so that their output is legible."""

        template_class = Page

    template_loaders = [
        jinja2.PackageLoader("pairopt", template_folder) for template_folder in FOLDERS
    ]
    environment = Pages(
        loader=jinja2.ChoiceLoader(template_loaders),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.globals["layout"] = "print_base.html"
    environment.filters |= {"halves": with_half_signs, "tenths": tenths}
    return environment


def tenths(value: object, head: str) -> object:
    """Round a number with two or more decimals to one, in a column of shares to three.

    `head` is the column's heading; "GW", "OGW", "MW" and "OMW" are shares. A rounded
    number is a text. Anything else is returned as it is.
    """
    value_text = str(value)
    if not LONGER.fullmatch(value_text):
        return value

    rounding_step = Decimal("0.001" if SHARE.match(head) else "0.1")
    return str(Decimal(value_text).quantize(rounding_step, ROUND_HALF_UP))


def make_legible(page: str) -> str:
    """Return the HTML of a page with invisible characters shown as visible ones.

    Words from right to left are isolated from the text around. The text in text areas
    stays as it is, because a form sends it back; so do attributes, except labels,
    titles and placeholders. A page without such characters is returned unchanged.
    """
    return PIECES.sub(_make_piece_legible, page) if UNUSUAL.search(page) else page


def _make_piece_legible(match: re.Match[str]) -> str:
    """Return the legible form of a piece of a page: a tag, words or a character.

    `match` is a match of the pattern for such pieces. In a tag, or a whole text area,
    only labels and titles change. Words from right to left are put between isolating
    characters, and an invisible character becomes a visible one.
    """
    html_piece = match[0]
    if html_piece[0] == "<":
        return LABEL.sub(lambda label: escape_hidden(label[0]), html_piece)
    if RUN.match(html_piece):
        return f"\u2068{html_piece}\u2069"
    return escape_invisible(match)


def _compute_checksums(paths: Sequence[str]) -> dict[str, str]:
    """Read files, and return the SHA-256 of each as hexadecimal digits, by path.

    `paths` are files or event folders. Of an event folder only event.toml, players.csv
    and matches.csv count, under their own paths. Raise OSError for a file that cannot
    be read.
    """
    content_by_path: dict[str, bytes] = {}
    for file_path in paths:
        if not is_folder(file_path):
            content_by_path[file_path] = Path(file_path).read_bytes()
            continue
        for file_name, file_content in read_consistent_files(Path(file_path)).items():
            if file_name in (EVENT, PLAYERS, MATCHES):
                content_by_path[str(Path(file_path, file_name))] = file_content
    return {
        file_path: hashlib.sha256(file_content).hexdigest()
        for file_path, file_content in content_by_path.items()
    }


def report_text(result: Result, sources: Sequence[str] = (), command: str = "") -> str:
    """Return a paired round as one HTML file with four lists.

    The lists are pairings by table and by name, the standings, and the reasons.
    `sources` are paths of input files or event folders, which are read to show their
    checksums. `command` is the command line to show, "" for none. Nothing is written.
    Raise UsageError if Jinja2 is not installed, OSError for a source that cannot be
    read.
    """
    reasons_values = reasons_context(result)
    event = result.event
    round_heading = f"Round {result.round}"
    paired_view = paired_round(result, reasons_values["sentences"])
    verdict_text = " ".join(map(TERMINAL.format_message, result.conclusion()))
    model_text = f"{result.problem.model.title} ({result.model}), seed {result.seed}"
    standings_values = {**standings_context(event), "records": {}}
    sheet_contents = (
        (
            "tables",
            f"{round_heading}, pairings by table",
            tables_context(event, paired_view),
        ),
        (
            "names",
            f"{round_heading}, pairings by name",
            names_context(event, paired_view),
        ),
        ("standings", standings_title(event), standings_values),
        ("reasons", f"{round_heading}, levels and reasons", reasons_values),
    )
    return _render_sheets(
        sheet_contents,
        title=f"{round_heading}: pairings",
        said=[f"{model_text}. {verdict_text}", ", ".join(paired_view.told)],
        notes=[TERMINAL.format_message(result_note) for result_note in result.notes],
        sources=_compute_checksums(sources),
        command=command,
    )


def bracket_page(
    title: str, lines: Sequence[BracketLine], said: Sequence[str | AnyMessage]
) -> str:
    """Return a bracket as one HTML page, whose head names `pairopt bracket`.

    `lines` are its matches, `said` sentences on how far the bracket is. A `title` of ""
    becomes "Event". Raise UsageError if Jinja2 is not installed.
    """
    sheet_contents = [("bracket", "", {"parts": bracket_parts(lines)})]
    shown_sentences = [TERMINAL.format_message(said_sentence) for said_sentence in said]
    return _render_sheets(
        sheet_contents,
        title=f"{title or 'Event'}: bracket",
        said=shown_sentences,
        generator=GENERATOR,
        whole=True,
    )


def list_page(event_title: str, filled: FilledList) -> str:
    """Return a printed list as one HTML page, headed by the event's title.

    `filled` is the list with its cells. A list with more than 13 columns is set in
    landscape format. Raise UsageError if Jinja2 is not installed.
    """
    return _render_sheets(
        [("list", "", {"listed": filled})],
        title=filled.title,
        said=[event_title],
        wide=filled.is_wide,
    )


def _render_sheets(lists: Iterable[tuple[str, str, Context]], **head: object) -> str:
    """Return lists to print as one HTML file.

    Each list is the name of a template (without "print_"), a title and a context.
    `head` has the values of sheets.html, which stand above and below the lists; values
    that are missing there are empty. Raise UsageError if Jinja2 is not installed.
    """
    environment = template_environment()
    rendered_sheets = []
    for template_name, sheet_title, list_values in lists:
        sheet_template = environment.get_template(f"print_{template_name}.html")
        template_values = {**list_values, "title": sheet_title, "layout": "sheet.html"}
        template_context = sheet_template.new_context(template_values)
        rendered_sheets.append(
            "".join(sheet_template.root_render_func(template_context))
        )

    # It comes with jinja2, which is optional.
    from markupsafe import Markup

    head["sheets"] = [Markup(sheet) for sheet in rendered_sheets]  # noqa: S704 - what templates have escaped
    default_values = {
        "generator": "pairopt",
        "notes": (),
        "sources": {},
        "command": "",
        "whole": False,
        "wide": False,
    }
    page_template = environment.get_template("sheets.html")
    return page_template.render(**{**default_values, **head}, version=__version__)


# ---------------------------------------------------------------------- contexts of lists


class NameRange(NamedTuple):
    """The seats of players whose names begin with some letters, such as A-C."""

    letters: str
    seats: tuple[SeatView, ...]


class PlayerNote(NamedTuple):
    """What stands beside a name on paper: start number, title and rating.

    `title` and `rating` are "" where there is none to show.
    """

    number: int
    title: str
    rating: str


def tables_context(event: Event, paired: RoundView) -> Context:
    """Return the values for the template of the list of matches by table.

    "about" has what stands beside each name, "paired" the view of the round, which is
    the parameter; "proof" is None.
    """
    return {"about": player_notes(event), "paired": paired, "proof": None}


def names_context(event: Event, paired: RoundView) -> Context:
    """Return the values for the template of the list of players by name.

    `paired` is the view of the round. "about" has the start number, title and rating of
    each player by the name shown, "ranges" has the seats in ranges of letters; "sided"
    is the heading of the first side, "" for an event without sides.
    """
    return {
        "about": player_notes(event),
        "ranges": name_ranges(paired.seats),
        "sided": paired.sides[0],
    }


def standings_context(event: Event) -> Context:
    """Return the values for the template of the standings.

    "about" has what stands beside each name, "records" each player's matches won, drawn
    and lost by identifier, "standings" the table. Chess, and events without sides, have
    no column for the side bias.
    """
    return {
        "about": player_notes(event),
        "records": match_records(event),
        "standings": standings_of(event, bias=False),
    }


def standings_title(event: Event) -> str:
    """Return the title of the standings, with how many results are missing.

    For example "Standings after round 3 (1 result is missing)".
    """
    return f"Standings {progress_text(event)}"


def reasons_context(
    result: Result, agrees: bool = True, words: MessageFormatter = TERMINAL
) -> dict[str, Any]:
    """Return the values for the template of a round's levels and reasons.

    "levels" is the table of levels, or None if `agrees` is False: then the round on
    paper differs from the result. "reasons" are sentences on the levels, "sentences"
    one per match and bye. "model" and "verdict" are texts. `words` formats messages.
    """
    level_reasons = find_reasons(result)
    match_reasons = explain_matches(result, level_reasons)
    return {
        "model": result.model,
        "verdict": words.format_message(result.verdict),
        "levels": levels_of(result) if agrees else None,
        "reasons": [
            *map(words.format_message, describe_reasons(result, level_reasons))
        ],
        "sentences": [words.format_message(match.said) for match in match_reasons],
    }


def player_notes(event: Event) -> Mapping[str, PlayerNote]:
    """Return start number, title and rating of each player, by the name shown.

    A title or rating that a player does not have is "". Of two players with the same
    name shown, the later one counts.
    """
    titles = event.columns.get("title") or [""] * len(event.players)
    return {
        shown_name: PlayerNote(
            int(event.start_numbers[player_position]),
            str(titles[player_position] or ""),
            event.shown_rating(player_position),
        )
        for player_position, shown_name in enumerate(event.shown)
    }


def name_ranges(seats: Iterable[SeatView]) -> list[NameRange]:
    """Group seats by the first letters of names, at most 12 under a heading.

    The seats must be in alphabetical order. Letters with few names share a heading,
    such as "A-C". A letter with too many names has several headings of that letter.
    """
    seats_by_letter: dict[str, list[SeatView]] = {}
    for seat in seats:
        letter = _heading_letter(seat.name)
        seats_by_letter.setdefault(letter, []).append(seat)

    ranges: list[NameRange] = []
    for letter, seats_of_letter in seats_by_letter.items():
        if ranges:
            heading_letters, range_seats = ranges[-1]
            if len(range_seats) + len(seats_of_letter) <= MOST_NAMES:
                first_letter = heading_letters.split("-")[0]
                ranges[-1] = NameRange(
                    f"{first_letter}-{letter}", (*range_seats, *seats_of_letter)
                )
                continue
        for first_seat_index in range(0, len(seats_of_letter), MOST_NAMES):
            heading_seats = tuple(
                seats_of_letter[first_seat_index : first_seat_index + MOST_NAMES]
            )
            ranges.append(NameRange(letter, heading_seats))
    return ranges


def _heading_letter(name: str) -> str:
    """Return the upper-case letter under which a name is listed.

    Accents and leading blanks are left out as in sorting. It is "#" for a name that
    does not begin with a letter.
    """
    visible_characters = (
        character for character in alphabetical_key(name)[0] if not character.isspace()
    )
    letter = next(visible_characters, "#").upper()
    return letter if letter.isalpha() else "#"


def bracket_parts(
    lines: Sequence[BracketLine],
) -> list[tuple[str, list[tuple[str, list[BracketLine]]]]]:
    """Group the lines of a bracket by part, and in each part by round.

    A part is a heading and its rounds; a round is a title and its lines, in their
    order. Parts without matches are left out. The main bracket and the final have the
    heading "".
    """
    parts_with_rounds = []
    for part_key, part_heading in PARTS.items():
        part_lines = (
            bracket_line for bracket_line in lines if bracket_line.part == part_key
        )
        part_rounds = [
            (round_title, list(round_lines))
            for round_title, round_lines in groupby(
                part_lines, lambda bracket_line: bracket_line.title
            )
        ]
        if part_rounds:
            parts_with_rounds.append((part_heading, part_rounds))
    return parts_with_rounds


def require_page(path: str | Path, overwrite: bool) -> None:
    """Raise UsageError if a bracket's page cannot be written to a path.

    The folder must exist, and Jinja2 must be installed. A file that exists may only be
    replaced if it is such a page, or with `overwrite`. Nothing is written.
    """
    template_environment()
    page_path = Path(path)
    if not page_path.parent.is_dir():
        raise UsageError(
            f"{path} cannot be written: there is no folder {page_path.parent}"
        )

    if not overwrite and page_path.is_file():
        with page_path.open("rb") as page_file:
            first_bytes = page_file.read(1000)
        if f'content="{GENERATOR}"'.encode() not in first_bytes:
            raise UsageError(
                f"{path} is there already, and no page of a bracket: --overwrite"
            )
