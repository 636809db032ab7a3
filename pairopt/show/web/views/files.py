"""Files: the event for other programs in every format, its folder, and pictures of the round."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pairopt.errors import PairoptError
from pairopt.files.folder import LOG
from pairopt.files.formats import writers, written
from pairopt.files.packed import zipped
from pairopt.files.write import for_spreadsheet
from pairopt.folder.desk import Desk
from pairopt.show.report.picture import SUFFIXES, drawn, picture
from pairopt.show.shown import known_round, missed
from pairopt.show.web.asked import settled_round
from pairopt.show.web.proofs import offered
from pairopt.show.web.site import Site
from pairopt.show.web.view import Asked, Context, View
from pairopt.show.words import PAGE
from pairopt.words import Said, tell

PATH = "/files/{name}"
SPREADSHEET = "csv"
"""The format that the page offers for a spreadsheet."""


@dataclass(frozen=True, slots=True)
class Download:
    """The event in a format: its files by names, and what they lose; or `why` there are none."""

    words: str
    files: Mapping[str, bytes]
    lost: tuple[str | Said, ...] = ()
    why: str = ""


def downloads(site: Site, desk: Desk) -> Mapping[str, Download]:
    """The event by format, written once for each state of it, or why a format cannot hold it."""
    return site.kept.answer(("files", desk.state), lambda: _downloads(desk))


def _downloads(desk: Desk) -> Mapping[str, Download]:
    name = re.sub("[^A-Za-z0-9]+", "-", desk.event.settings.title).strip("-") or "event"
    found = {"folder": Download("the folder as it is", {f"{name}.zip": _zip(desk)})}
    for form in writers().values():
        suffix = form.suffixes[0]
        try:
            made = written(form, desk.event)
        except PairoptError as error:
            found[form.name] = Download(
                form.expected, {}, why=error.drawn(PAGE).split("\n")[0]
            )
            continue
        texts = {f"{name}{suffix}": made.text}
        if made.players is not None:
            texts[f"{name}-players{suffix}"] = made.players
        if form.name == SPREADSHEET:
            texts = {file: for_spreadsheet(text) for file, text in texts.items()}
        files = {file: text.encode() for file, text in texts.items()}
        found[form.name] = Download(form.expected, files, (*missed(made.lost),))
    return found


def _zip(desk: Desk) -> bytes:
    folder = desk.journal.folder
    beside = (folder / LOG, Path(desk.event.settings.model or ""))
    own = [path for path in beside if path.parent == folder and path.is_file()]
    return zipped({**desk.files, **{path.name: path.read_bytes() for path in own}})


def offered_as(site: Site, name: str) -> tuple[str, bytes] | None:
    """The file of this name, with its content."""
    if site.founded and name in shared(desk := site.desk()):
        return name, site.kept.answer(
            ("picture", desk.state, name), lambda: _picture(desk, name)
        )
    every = downloads(site, site.desk()).values() if site.founded else ()
    return next(
        ((name, each.files[name]) for each in every if name in each.files), None
    )


def shared(desk: Desk) -> tuple[str, ...]:
    """The names of the pictures of the last round, to send around."""
    number = desk.rounds()
    return (
        tuple(f"round-{number}{suffix}" for suffix in reversed(SUFFIXES))
        if number
        else ()
    )


def _picture(desk: Desk, name: str) -> bytes:
    """The last round as a picture, with what is proven of it now."""
    number = desk.rounds()
    proof, known = offered(desk, number), settled_round(desk, number).last
    stated = (proof.words, proof.now) if proof else ("", False)
    made = drawn(
        picture(known.result, known_round(desk.event, number), stated, PAGE), name
    )
    return made.encode() if isinstance(made, str) else made


def context(asked: Asked) -> Context:
    """What can be loaded, what each format cannot hold, and how far the round is."""
    desk, missing = asked.desk, int(asked.desk.rows.open.sum())
    waits = (
        PAGE.draw(tell("file.open", round=desk.rounds(), tables=missing))
        if missing
        else ""
    )
    return {"offered": downloads(asked.site, desk), "waits": waits}


VIEW = View("files", "Files", context, weight=11, rare=True)
