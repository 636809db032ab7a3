"""Uploads: what was pasted or dropped; it is shown as it was understood before it is taken.

A list of players makes a new event in a folder that is not there yet, or empty."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePath
from tempfile import TemporaryDirectory

from starlette.datastructures import FormData, UploadFile

from pairopt.bounds import LARGEST_FORM_FILE, LARGEST_UPLOAD
from pairopt.errors import Fault, InputError, UsageError
from pairopt.event.settings import SETTINGS
from pairopt.files.read import Understood, understood
from pairopt.folder import Done, new
from pairopt.problem.model import model_names
from pairopt.show.web.questions import model_of
from pairopt.show.web.view import SURE, AskError, text_of
from pairopt.wording import counted, listed
from pairopt.words import Said, tell

PASTED, FILE = "players", "file"
KEPT, NAME, OTHER = "content", "content_name", "other"
"""The fields of a form by which a file is sent again, and one that says not to take it."""
MOST_FAULTS = 20


@dataclass(frozen=True, slots=True)
class Upload:
    """Bytes that nobody vouches for, what messages call them, and whether they were typed."""

    name: str
    raw: bytes
    typed: bool = False

    @staticmethod
    def of(form: FormData) -> Upload:
        """What a form brings. Raises UsageError for nothing."""
        file, pasted, kept = form.get(FILE), text_of(form, PASTED), text_of(form, KEPT)
        if isinstance(file, UploadFile) and file.filename:
            if (file.size or 0) > LARGEST_FORM_FILE:
                most = LARGEST_FORM_FILE // 2**20
                raise UsageError("upload.too_large", name=PurePath(file.filename).name, most=most)
            file.file.seek(0)
            return Upload(PurePath(file.filename).name, file.file.read())
        if kept is not None and OTHER not in form:
            try:
                return Upload(text_of(form, NAME) or FILE, base64.b64decode(kept, validate=True))
            except ValueError:
                raise UsageError("upload.not_whole") from None
        if pasted is None:
            raise UsageError("upload.nothing")
        return Upload("the list", pasted.encode(), typed=True)

    def read(self) -> Understood:
        """What is understood of it. Raises InputError with the first faults."""
        try:
            return understood(self.raw, self.name)
        except InputError as error:
            more = len(error.faults) - MOST_FAULTS
            rest = [Fault(tell("upload.more", count=more))] if more > 0 else []
            raise InputError(error.source, [*error.faults[:MOST_FAULTS], *rest]) from None

    def again(self) -> dict[str, str]:
        """The fields of a form that bring the same; what was typed is in one already."""
        return {} if self.typed else {KEPT: base64.b64encode(self.raw).decode(), NAME: self.name}

    def asked(
        self,
        found: Understood,
        said: Sequence[str | Said],
        form: FormData,
        more: Mapping[str, str] | None = None,
    ) -> None:
        """Raises AskError with what was understood, and what comes of it, unless it was. `more` are
        further fields of the form that is sent then."""
        if SURE in form:
            return
        event = found.event
        rounds = f", {counted(event.round - 1, 'round', 'rounds')}" if event.round > 1 else ""
        lines: list[str | Said] = [
            f"{self.name} is read as {found.format}",
            f"{counted(len(event.players), 'player', 'players')}{rounds}: {listed(event.shown)}",
            *said,
        ]
        raise AskError(*dict.fromkeys(lines), again={**self.again(), **(more or {})})


def sent_again(form: FormData) -> dict[str, str]:
    """The fields that bring a file once more, which a browser does not send twice by itself. None
    of one that is larger than events are: it is no use to send it again."""
    file = form.get(FILE)
    fits = isinstance(file, UploadFile) and file.filename and (file.size or 0) <= LARGEST_UPLOAD
    return Upload.of(form).again() if fits else {}


def founded(folder: Path, form: FormData) -> Done:
    """Make the event from the form: a file of players, or names typed one a line. Asks first, with
    what was understood."""
    given = Upload.of(form)
    listed = given.read()
    asked = {key: text_of(form, key) for key in SETTINGS if key in form}
    asked["model"] = _model(form)
    made: Callable[[Path], Done] = partial(new, players=listed.event, sure=True, **asked)  # type: ignore[arg-type]
    try:
        with TemporaryDirectory() as beside:
            told = made(Path(beside, "event"))
    except InputError as error:
        raise InputError(Path(error.source).name, error.faults) from None
    assert told.event is not None
    given.asked(listed, told.said, form, {"seed": str(told.event.settings.seed)})
    return made(folder)


def _model(form: FormData) -> str | None:
    """A shipped model, by its name or by three questions: a page names no files of this machine."""
    name = text_of(form, "model") or model_of(form)
    if name is not None and name not in model_names():
        raise UsageError("model.none_shipped", model=name, known=model_names())
    return name
