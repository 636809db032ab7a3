"""Files: downloads of the event in every format, of its folder, and pictures of the round."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pairopt.common.limits import IN_FORMS, parse_integer_in
from pairopt.errors import PairoptError, UsageError
from pairopt.event.event import Event
from pairopt.files.event_folder import LOG
from pairopt.files.formats import convert_event, list_outputs
from pairopt.files.formats.pgn import pgn_text
from pairopt.files.formats.results_h9 import has_go_ranks
from pairopt.files.write import escape_formulas
from pairopt.files.zip_archive import zip_files
from pairopt.folder.open_folder import OpenFolder
from pairopt.messages import AnyMessage, message
from pairopt.messages.interfaces import PAGE
from pairopt.report.picture import SUFFIXES, draw_picture, render_picture
from pairopt.report.printed_lists import make_list, printed_lists
from pairopt.report.printed_lists.rendering import render_list
from pairopt.report.static_site import build_site
from pairopt.report.views import loss_warnings, round_view
from pairopt.web.player_questions import read_answered_round
from pairopt.web.proofs import find_proof_download
from pairopt.web.site import EventSite
from pairopt.web.view import Context, PageRequest, View

PATH = "/files/{name}"
LIST_FILE = re.compile(
    r"list\.(?P<list>[a-z-]+?)(-round-(?P<round>\d+))?\.(?P<form>csv|xlsx)"
)
"""The name of a printed list in addresses, with the round of a list of pairings.

Names of other files are made from the event's title, and have one dot only.
"""
SPREADSHEET, PGN, H9 = "csv", "pgn", "h9"
"""The formats that the page offers for a spreadsheet and for broadcasts."""


@dataclass(frozen=True, slots=True)
class EventDownload:
    """The event in one format: its files by name, and what they lose.

    `words` describe the format. If it cannot hold the event, there are no files, and
    `why` says so. `lost` are warnings on what the files leave out. `missing` is what
    FIDE needs in a report, and the event does not have.
    """

    words: str
    files: Mapping[str, bytes]
    lost: tuple[str | AnyMessage, ...] = ()
    why: str = ""
    missing: tuple[str | AnyMessage, ...] = ()


def write_downloads(site: EventSite, desk: OpenFolder) -> Mapping[str, EventDownload]:
    """Return the event in each format, and its folder, by the format's name.

    The contents are made once for each state of the event, in memory, and stored in the
    answers of `site`. Nothing is written to the disk. "folder" is the key of the
    folder.
    """
    return site.answers.get_or_compute(
        ("files", desk.version), lambda: _write_downloads(desk)
    )


def _write_downloads(desk: OpenFolder) -> Mapping[str, EventDownload]:
    """Convert the event to each format; the key "folder" has its folder as a zip.

    PGN is only there for chess, and a format of Go only if players have ranks. A format
    that cannot hold the event has no files, but the reason. File names begin with the
    event's title. Cells of the spreadsheet that look like formulas are escaped.
    """
    file_stem = _find_stem(desk)
    download_by_format = {
        "folder": EventDownload(
            "the folder as it is", {f"{file_stem}.zip": _zip_folder(desk)}
        )
    }
    is_chess = desk.event.sides == ("white", "black")
    for event_format in list_outputs().values():
        if event_format.name == PGN and not is_chess:
            continue
        if event_format.name == H9 and not has_go_ranks(desk.event):
            continue
        try:
            converted_event = convert_event(event_format, desk.event)
        except PairoptError as error:
            refusal_reason = error.format_with(PAGE).split("\n")[0]
            download_by_format[event_format.name] = EventDownload(
                event_format.expected, {}, why=refusal_reason
            )
            continue

        format_suffix = event_format.suffixes[0]
        text_by_file = {f"{file_stem}{format_suffix}": converted_event.text}
        current_round = desk.event.current_round
        if event_format.name == PGN and current_round:
            round_text = pgn_text(desk.event, current_round)
            text_by_file[f"{file_stem}-round-{current_round}{format_suffix}"] = (
                round_text
            )
        if converted_event.players is not None:
            text_by_file[f"{file_stem}-players{format_suffix}"] = (
                converted_event.players
            )
        if event_format.name == SPREADSHEET:
            text_by_file = {
                file_name: escape_formulas(file_text)
                for file_name, file_text in text_by_file.items()
            }
        content_by_file = {
            file_name: file_text.encode()
            for file_name, file_text in text_by_file.items()
        }
        loss_texts = tuple(loss_warnings(converted_event.lost))
        download_by_format[event_format.name] = EventDownload(
            event_format.expected,
            content_by_file,
            loss_texts,
            missing=converted_event.missing,
        )
    return download_by_format


def _find_stem(desk: OpenFolder) -> str:
    """Return how the names of an event's files begin: with its title.

    Anything but ASCII letters and digits becomes a hyphen; without any of these it is
    "event".
    """
    hyphenated_title = re.sub("[^A-Za-z0-9]+", "-", desk.event.settings.title)
    return hyphenated_title.strip("-") or "event"


def find_site_name(desk: OpenFolder) -> str:
    """Return the file name of the zip with the static pages of an event."""
    return f"{_find_stem(desk)}-web-pages.zip"


def _zip_folder(desk: OpenFolder) -> bytes:
    """Return a zip of the event's files and its log.

    The model's file is added if it is in the event's folder.
    """
    event_folder = desk.journal.folder
    extra_paths = (event_folder / LOG, Path(desk.event.settings.model or ""))
    content_by_extra_name = {
        extra_path.name: extra_path.read_bytes()
        for extra_path in extra_paths
        if extra_path.parent == event_folder and extra_path.is_file()
    }
    return zip_files({**desk.files, **content_by_extra_name})


def find_file(site: EventSite, name: str) -> tuple[str, bytes] | None:
    """Return name and content of the picture or download of this name, or None.

    It may be a picture of the round, the event's pages in a zip, a printed list, or the
    event in another format. Pictures and pages are made once for each state of the
    event. It is also None if there is no event.
    """
    if not site.has_event:
        return None
    desk = site.desk()
    if name in list_picture_names(desk):
        picture_content = site.answers.get_or_compute(
            ("picture", desk.version, name), lambda: _draw_picture(desk, name)
        )
        return name, picture_content

    if name == find_site_name(desk) and desk.event.players:
        zipped_pages = site.answers.get_or_compute(
            ("site", desk.version), lambda: zip_files(build_site(desk.event))
        )
        return name, zipped_pages

    printed_list = _find_list(desk.event, name)
    if printed_list is not None:
        return name.removeprefix("list."), printed_list

    for event_download in write_downloads(site, site.desk()).values():
        if name in event_download.files:
            return name, event_download.files[name]
    return None


def _find_list(event: Event, name: str) -> bytes | None:
    """Return the printed list of a file name such as "list.cross-table.csv", as bytes.

    The end of the name is the format. The lists of a round have it in their names:
    "list.pairings-round-3.xlsx". None for other names, and for lists that the event has
    no data for.
    """
    list_match = LIST_FILE.fullmatch(name)
    if list_match is None or list_match["list"] not in printed_lists():
        return None
    round_number = parse_integer_in(list_match["round"] or "", IN_FORMS["rounds"])
    try:
        filled_list = make_list(event, list_match["list"], round_number)
    except UsageError:
        return None
    return render_list(filled_list, event, list_match["form"])


def list_picture_names(desk: OpenFolder) -> tuple[str, ...]:
    """Return the file names of the last round's pictures, one per picture format.

    There are none before the first round, and none in a round robin.
    """
    round_number = desk.rounds()
    # A picture says what is proven of a round, which nothing of a Berger table is.
    if not round_number or desk.event.settings.is_round_robin:
        return ()
    return tuple(
        f"round-{round_number}{picture_suffix}" for picture_suffix in reversed(SUFFIXES)
    )


def _draw_picture(desk: OpenFolder, name: str) -> bytes:
    """Return the last round as a picture, with what is proven of it now.

    The picture is PNG if `name` ends in ".png", otherwise SVG. Raises UsageError if PNG
    is wanted and resvg is not installed.
    """
    round_number = desk.rounds()
    proof_download = find_proof_download(desk, round_number)
    paired_round = read_answered_round(desk, round_number).last
    words_and_is_current = (
        (proof_download.words, proof_download.now) if proof_download else ("", False)
    )
    round_drawing = draw_picture(
        paired_round.result,
        round_view(desk.event, round_number),
        words_and_is_current,
        PAGE,
    )
    picture_content = render_picture(round_drawing, name)
    return (
        picture_content.encode()
        if isinstance(picture_content, str)
        else picture_content
    )


def context(request: PageRequest) -> Context:
    """Return the page's values: the downloads, and a note on missing results.

    "offered" has the downloads by format, "site_name" the name of the zip with the
    event's pages. "waits" is the note: it names the first round with open tables and
    their number; "" if no result is missing.
    """
    desk = request.desk
    open_rounds = desk.rows.round[desk.rows.open].tolist()
    missing_note = ""
    if open_rounds:
        # A round robin has all its rounds from the beginning.
        first_open_round = min(open_rounds)
        missing_note = PAGE.format_message(
            message(
                "file.open",
                round=first_open_round,
                tables=open_rounds.count(first_open_round),
            )
        )
    return {
        "offered": write_downloads(request.site, desk),
        "waits": missing_note,
        "site_name": find_site_name(desk),
    }


VIEW = View("files", "Backup and export", context, weight=11, rare=True)
