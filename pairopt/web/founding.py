"""Founding: a new event in a folder that is not there yet, or empty."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from starlette.datastructures import FormData, UploadFile

from pairopt.errors import UsageError
from pairopt.folder.desk import Done
from pairopt.folder.founding import new
from pairopt.problem.model import model_names
from pairopt.round.options import DEFAULT_MODEL
from pairopt.web.forms import number_of, text_of

TITLE = "A new event"


def context() -> Mapping[str, object]:
    """What the template is given."""
    return {"models": model_names(), "default_model": DEFAULT_MODEL}


def found(folder: Path, form: FormData) -> Done:
    """Make the event from the form: a file of players, or names typed one a line."""
    with TemporaryDirectory() as beside:
        return new(
            folder,
            _players(Path(beside), form),
            title=text_of(form, "title"),
            model=_model(form),
            rounds=number_of(form, "rounds"),
            points=text_of(form, "points"),
        )


def _players(beside: Path, form: FormData) -> Path:
    """The list of players as a file."""
    file, typed = form.get("file"), text_of(form, "players")
    if isinstance(file, UploadFile) and file.filename:
        path = beside / (Path(file.filename).name or "players")
        path.write_bytes(file.file.read())
    elif typed is not None:
        path = beside / "players.csv"
        head = "" if typed.casefold().startswith("player") else "player\n"
        path.write_text(head + typed, encoding="utf-8")
    else:
        raise UsageError("expected players: a file, or names, one a line")
    return path


def _model(form: FormData) -> str | None:
    """A shipped model: a page names no files of this machine."""
    name = text_of(form, "model")
    if name is not None and name not in model_names():
        raise UsageError(f"model {name}: expected one of {', '.join(model_names())}")
    return name
