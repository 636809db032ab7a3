"""Kept: which proofs of published rounds an event folder has, as its proofs.json says.

By round the SHA-256 of the proof, and what the round was paired with, so that it can be checked
with the same. It is one of the files that steps change; the proofs come and go with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError

from pairopt.errors import InputError, UsageError
from pairopt.files.folder import PROOFS, PROVEN, Files
from pairopt.files.write import json_text
from pairopt.problem.model import Model, model_names
from pairopt.problem.options import ModelLike, RoundOptions
from pairopt.records import json_value

BESIDES = ("engine", "round", "drop", "request_bye", "time_limit", "workers")
"""Options that do not change what is proven of who was paired in a round."""
Digest = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


@dataclass(frozen=True, slots=True)
class Kept:
    """The SHA-256 of a proof, and the model (None: the event's) and options of its round."""

    sha256: Digest
    model: str | None = None
    options: RoundOptions = field(default_factory=RoundOptions)

    def given(self) -> dict[str, Any]:
        """The model and the options that are not as they are by default."""
        model = {} if self.model is None else {"model": self.model}
        return {**model, **_chosen(self.options)}


_INDEX = TypeAdapter(dict[Annotated[int, Field(ge=1)], Kept])


def file_of(number: int) -> str:
    """The name of the proof of a round in its folder."""
    return f"{PROVEN}/round-{number:02d}.json"


def kept_in(files: Files, folder: Path) -> Mapping[int, Kept]:
    """What is kept, by round. Raises InputError for a proofs.json that does not say it."""
    if PROOFS not in files:
        return {}
    try:
        return _INDEX.validate_json(files[PROOFS])
    except (ValidationError, UsageError) as error:
        why = error.errors()[0]["msg"] if isinstance(error, ValidationError) else error
        raise InputError(str(folder / PROOFS), f"no list of proofs: {why}") from None


def found_in(files: Files) -> Mapping[int, Kept]:
    """The same; nothing where the file does not say it."""
    try:
        return kept_in(files, Path())
    except InputError:
        return {}


def paired_with(path: str | Path) -> dict[int, dict[str, Any]]:
    """What rounds of an event folder were paired with, by round, as far as proofs are kept."""
    folder = Path(path)
    with suppress(OSError):
        return {number: kept.given() for number, kept in
                found_in({PROOFS: (folder / PROOFS).read_bytes()}).items()}  # fmt: skip
    return {}


def index_of(kept: Mapping[int, Kept]) -> bytes:
    """proofs.json."""
    made = {
        str(number): {"sha256": each.sha256, "model": each.model, "options": _chosen(each.options)}
        for number, each in sorted(kept.items())
    }
    return json_text(json_value(made)).encode()


def model_kept(model: ModelLike | None) -> str | None:
    """A model by its name or file. Raises UsageError for one that has neither."""
    if isinstance(model, Model):
        raise UsageError("its model is in no file")
    if model is None:
        return None
    return str(model) if str(model) in model_names() else str(Path(model).resolve())


def options_kept(given: Mapping[str, Any]) -> RoundOptions:
    """The options of a round, as far as its proof depends on them."""
    known = {each.name for each in fields(RoundOptions)}.difference(BESIDES)
    return RoundOptions(**{name: value for name, value in given.items() if name in known})


def _chosen(options: RoundOptions) -> dict[str, Any]:
    """The options that are not as they are by default."""
    found = {each.name: getattr(options, each.name) for each in fields(options)}
    lists = {name: tuple(value) for name, value in found.items() if isinstance(value, list | tuple)}
    found |= lists
    return {each.name: found[each.name] for each in fields(options)
            if found[each.name] != each.default}  # fmt: skip
