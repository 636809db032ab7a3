"""Files: downloads of the event in every format, of its folder, and pictures of the round."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pairopt.errors import PairoptError
from pairopt.files.event_folder import LOG
from pairopt.files.formats import convert_event, list_writers
from pairopt.files.write import escape_formulas
from pairopt.files.zip_archive import zip_files
from pairopt.folder.open_folder import OpenFolder
from pairopt.messages import AnyMessage, message
from pairopt.messages.interfaces import PAGE
from pairopt.report.picture import SUFFIXES, draw_picture, render_picture
from pairopt.report.views import loss_warnings, round_view
from pairopt.web.player_questions import read_answered_round
from pairopt.web.proofs import find_proof_download
from pairopt.web.site import EventSite
from pairopt.web.view import Context, PageRequest, View

PATH = "/files/{name}"
SPREADSHEET = "csv"
"""The format that the page offers for a spreadsheet."""


@dataclass(frozen=True, slots=True)
class EventDownload:
    """The event in one format: its files by name, and what they lose.

    If the format cannot hold the event, there are no files, and `why` says so.
    """

    words: str
    files: Mapping[str, bytes]
    lost: tuple[str | AnyMessage, ...] = ()
    why: str = ""


def write_downloads(site: EventSite, desk: OpenFolder) -> Mapping[str, EventDownload]:
    """Return the event in each format; the files are written once per state of it."""
    return site.answers.get_or_compute(
        ("files", desk.state), lambda: _write_downloads(desk)
    )


def _write_downloads(desk: OpenFolder) -> Mapping[str, EventDownload]:
    """Write the event in each format, and its folder as a zip."""
    name = re.sub("[^A-Za-z0-9]+", "-", desk.event.settings.title).strip("-") or "event"
    result = {
        "folder": EventDownload(
            "the folder as it is", {f"{name}.zip": _zip_folder(desk)}
        )
    }
    for form in list_writers().values():
        try:
            converted = convert_event(form, desk.event)
        except PairoptError as error:
            why = error.format_with(PAGE).split("\n")[0]
            result[form.name] = EventDownload(form.expected, {}, why=why)
            continue

        suffix = form.suffixes[0]
        texts = {f"{name}{suffix}": converted.text}
        if converted.players is not None:
            texts[f"{name}-players{suffix}"] = converted.players
        if form.name == SPREADSHEET:
            texts = {file: escape_formulas(text) for file, text in texts.items()}
        files = {file: text.encode() for file, text in texts.items()}
        warnings = tuple(loss_warnings(converted.lost))
        result[form.name] = EventDownload(form.expected, files, warnings)
    return result


def _zip_folder(desk: OpenFolder) -> bytes:
    """Return a zip of the event's files, with its log and its own model file."""
    folder = desk.journal.folder
    extra_paths = (folder / LOG, Path(desk.event.settings.model or ""))
    extra_files = {
        path.name: path.read_bytes()
        for path in extra_paths
        if path.parent == folder and path.is_file()
    }
    return zip_files({**desk.files, **extra_files})


def find_file(site: EventSite, name: str) -> tuple[str, bytes] | None:
    """Return name and content of the picture or download of this name, or None."""
    if not site.has_event:
        return None
    desk = site.desk()
    if name in list_picture_names(desk):
        content = site.answers.get_or_compute(
            ("picture", desk.state, name), lambda: _draw_picture(desk, name)
        )
        return name, content

    for event_download in write_downloads(site, site.desk()).values():
        if name in event_download.files:
            return name, event_download.files[name]
    return None


def list_picture_names(desk: OpenFolder) -> tuple[str, ...]:
    """Return the names of the last round's pictures, for sharing; none without a round."""
    number = desk.rounds()
    if not number:
        return ()
    return tuple(f"round-{number}{suffix}" for suffix in reversed(SUFFIXES))


def _draw_picture(desk: OpenFolder, name: str) -> bytes:
    """Return the last round as a picture, with what is proven of it now."""
    number = desk.rounds()
    proof = find_proof_download(desk, number)
    paired_round = read_answered_round(desk, number).last
    stated = (proof.words, proof.now) if proof else ("", False)
    drawing = draw_picture(
        paired_round.result, round_view(desk.event, number), stated, PAGE
    )
    content = render_picture(drawing, name)
    return content.encode() if isinstance(content, str) else content


def context(request: PageRequest) -> Context:
    """Return the downloads, and a note if results of the round are still missing."""
    desk = request.desk
    missing = int(desk.rows.open.sum())
    note = ""
    if missing:
        note = PAGE.format_message(
            message("file.open", round=desk.rounds(), tables=missing)
        )
    return {"offered": write_downloads(request.site, desk), "waits": note}


VIEW = View("files", "Files", context, weight=11, rare=True)
