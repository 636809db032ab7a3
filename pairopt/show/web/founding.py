"""Founding: a new event in a folder that is not there yet, or empty."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from starlette.datastructures import FormData

from pairopt.errors import InputError, UsageError
from pairopt.files.event_toml import MOST_ROUNDS
from pairopt.folder.desk import Done
from pairopt.folder.founding import new
from pairopt.problem.model import model_names
from pairopt.problem.options import DEFAULT_MODEL
from pairopt.show.web.forms import number_of, text_of
from pairopt.show.web.uploads import Upload

TITLE = "A new event"


def context() -> Mapping[str, object]:
    """What the template is given."""
    return {"models": model_names(), "default_model": DEFAULT_MODEL}


def founded(folder: Path, form: FormData) -> Done:
    """Make the event from the form: a file of players, or names typed one a line.

    Asks first, with what was understood.
    """
    given = Upload.of(form)
    listed = given.read()
    made = partial(
        new,
        players=listed.event,
        title=text_of(form, "title") or folder.resolve().name,
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
