"""Uploads: what was pasted or dropped; it is shown as it was understood before it is taken.

A list of players makes a new event in a folder that is not there yet, or empty.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePath
from tempfile import TemporaryDirectory

from starlette.datastructures import FormData, UploadFile

from pairopt.errors import Fault, InputError, UsageError
from pairopt.files.read import Understood, understood
from pairopt.files.schema import MOST_ROUNDS
from pairopt.folder import Done, new
from pairopt.problem.model import model_names
from pairopt.show.web.view import SURE, AskError, number_of, text_of
from pairopt.wording import counted, listed

PASTED, FILE = "players", "file"
KEPT, NAME = "content", "content_name"
"""The fields of a form by which a file is sent again."""
MOST_FAULTS = 20


@dataclass(frozen=True, slots=True)
class Upload:
    """Bytes that nobody vouches for, and what messages call them."""

    name: str
    raw: bytes

    @staticmethod
    def of(form: FormData) -> Upload:
        """What a form brings. Raises UsageError for nothing."""
        file, pasted, kept = form.get(FILE), text_of(form, PASTED), text_of(form, KEPT)
        if kept is not None:
            try:
                return Upload(text_of(form, NAME) or FILE, base64.b64decode(kept, validate=True))
            except binascii.Error:
                raise UsageError("the file did not come whole: choose it again") from None
        if isinstance(file, UploadFile) and file.filename:
            return Upload(PurePath(file.filename).name, file.file.read())
        if pasted is None:
            raise UsageError("expected players: a file, or names, one a line")
        return Upload("the list", pasted.encode())

    def read(self) -> Understood:
        """What is understood of it. Raises InputError with the first faults."""
        try:
            return understood(self.raw, self.name)
        except InputError as error:
            more = len(error.faults) - MOST_FAULTS
            rest = [Fault(f"and {more} more")] if more > 0 else []
            raise InputError(error.source, [*error.faults[:MOST_FAULTS], *rest]) from None

    def asked(self, found: Understood, said: Sequence[str], form: FormData) -> None:
        """Raises AskError with what was understood, and what comes of it, unless it was."""
        if SURE in form:
            return
        event = found.event
        rounds = f", {counted(event.round - 1, 'round', 'rounds')}" if event.round > 1 else ""
        lines = [
            f"{self.name} is read as {found.format}",
            f"{counted(len(event.players), 'player', 'players')}{rounds}: {listed(event.shown)}",
            *said,
        ]
        again = {KEPT: base64.b64encode(self.raw).decode(), NAME: self.name}
        raise AskError("\n".join(dict.fromkeys(lines)), again)


def founded(folder: Path, form: FormData) -> Done:
    """Make the event from the form: a file of players, or names typed one a line.

    Asks first, with what was understood.
    """
    given = Upload.of(form)
    listed = given.read()
    made = partial(
        new,
        players=listed.event,
        title=text_of(form, "title"),
        model=_model(form),
        rounds=_rounds(form),
        points=text_of(form, "points"),
    )
    try:
        with TemporaryDirectory() as beside:
            told = made(Path(beside, "event"))
    except InputError as error:
        raise InputError(Path(error.source).name, error.faults) from None
    given.asked(listed, told.said, form)
    return made(folder)


def _model(form: FormData) -> str | None:
    """A shipped model: a page names no files of this machine."""
    name = text_of(form, "model")
    if name is not None and name not in model_names():
        raise UsageError(f"model {name}: expected one of {', '.join(model_names())}")
    return name


def _rounds(form: FormData) -> int | None:
    rounds = number_of(form, "rounds")
    if rounds is not None and not 1 <= rounds <= MOST_ROUNDS:
        raise UsageError(f"rounds: found {rounds}, expected 1 to {MOST_ROUNDS}")
    return rounds
