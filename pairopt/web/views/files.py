"""Files: the event for other programs in every format, its folder, and pictures of the round."""

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
from pairopt.web.player_questions import answered_round
from pairopt.web.proofs import proof_download
from pairopt.web.site import EventSite
from pairopt.web.view import Context, PageRequest, View

PATH = "/files/{name}"
SPREADSHEET = "csv"
"""The format that the page offers for a spreadsheet."""


@dataclass(frozen=True, slots=True)
class EventDownload:
    """The event in a format: its files by names, and what they lose; or `why` there are none."""

    words: str
    files: Mapping[str, bytes]
    lost: tuple[str | AnyMessage, ...] = ()
    why: str = ""


def downloads(site: EventSite, desk: OpenFolder) -> Mapping[str, EventDownload]:
    """The event by format, written once for each state of it, or why a format cannot hold it."""
    return site.kept.answer(("files", desk.state), lambda: _downloads(desk))


def _downloads(desk: OpenFolder) -> Mapping[str, EventDownload]:
    name = re.sub("[^A-Za-z0-9]+", "-", desk.event.settings.title).strip("-") or "event"
    found = {
        "folder": EventDownload("the folder as it is", {f"{name}.zip": _zip(desk)})
    }
    for form in list_writers().values():
        suffix = form.suffixes[0]
        try:
            made = convert_event(form, desk.event)
        except PairoptError as error:
            found[form.name] = EventDownload(
                form.expected, {}, why=error.format_with(PAGE).split("\n")[0]
            )
            continue
        texts = {f"{name}{suffix}": made.text}
        if made.players is not None:
            texts[f"{name}-players{suffix}"] = made.players
        if form.name == SPREADSHEET:
            texts = {file: escape_formulas(text) for file, text in texts.items()}
        files = {file: text.encode() for file, text in texts.items()}
        found[form.name] = EventDownload(
            form.expected, files, (*loss_warnings(made.lost),)
        )
    return found


def _zip(desk: OpenFolder) -> bytes:
    folder = desk.journal.folder
    beside = (folder / LOG, Path(desk.event.settings.model or ""))
    own = [path for path in beside if path.parent == folder and path.is_file()]
    return zip_files({**desk.files, **{path.name: path.read_bytes() for path in own}})


def offered_as(site: EventSite, name: str) -> tuple[str, bytes] | None:
    """The file of this name, with its content."""
    if site.founded and name in shared(desk := site.desk()):
        return name, site.kept.answer(
            ("picture", desk.state, name), lambda: _picture(desk, name)
        )
    every = downloads(site, site.desk()).values() if site.founded else ()
    return next(
        ((name, each.files[name]) for each in every if name in each.files), None
    )


def shared(desk: OpenFolder) -> tuple[str, ...]:
    """The names of the pictures of the last round, to send around."""
    number = desk.rounds()
    return (
        tuple(f"round-{number}{suffix}" for suffix in reversed(SUFFIXES))
        if number
        else ()
    )


def _picture(desk: OpenFolder, name: str) -> bytes:
    """The last round as a picture, with what is proven of it now."""
    number = desk.rounds()
    proof, known = proof_download(desk, number), answered_round(desk, number).last
    stated = (proof.words, proof.now) if proof else ("", False)
    made = render_picture(
        draw_picture(known.result, round_view(desk.event, number), stated, PAGE), name
    )
    return made.encode() if isinstance(made, str) else made


def context(asked: PageRequest) -> Context:
    """What can be loaded, what each format cannot hold, and how far the round is."""
    desk, missing = asked.desk, int(asked.desk.rows.open.sum())
    waits = (
        PAGE.format_message(message("file.open", round=desk.rounds(), tables=missing))
        if missing
        else ""
    )
    return {"offered": downloads(asked.site, desk), "waits": waits}


VIEW = View("files", "Files", context, weight=11, rare=True)
