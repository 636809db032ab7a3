"""Kept: the proofs of published rounds in an event folder, and what their claims were asked with.

A claim names its model and options itself, so nothing else says them.
"""

import json
import re
import tomllib
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from pairopt.errors import PairoptError
from pairopt.files.event_folder import EVENT, PROVEN
from pairopt.problem.model import load_model, model_names
from pairopt.problem.options import RoundOptions

HEAD = re.compile(
    r'"claim":\{"round":[0-9]{1,9},\n"model":(".{0,1000}"),\n"system":.{0,1000},\n'
    r'"seed":([0-9]{1,20}),\n"options":(\{.*\}),\n'
)
_OPTIONS = TypeAdapter(RoundOptions)


def proof_file_name(number: int) -> str:
    return f"{PROVEN}/round-{number:02d}.json"


def proof_options(proof: bytes, folder: Path, event: bytes) -> dict[str, Any]:
    """The model, the options and the seed of a proof that are not what its event.toml says. Raises
    ValueError or PairoptError for what is no proof.
    """
    head = HEAD.search(proof.decode(errors="replace"))
    if head is None:
        raise ValueError("expected the heading of a proof")
    own: dict[str, Any] = {}
    with suppress(ValueError):
        own = tomllib.loads(event.decode())
    options = _OPTIONS.validate_json(head[3])
    values = ((each, getattr(options, each.name)) for each in fields(options))
    given = {
        each.name: tuple(value) if isinstance(value, list) else value
        for each, value in values
        if value not in (each.default, [])
    }
    if int(head[2]) != own.get("seed", 0):
        given["seed"] = int(head[2])
    name, models = json.loads(head[1]), dict[str, str]()
    for place in sorted({*folder.glob("*.toml")} - {folder / EVENT}):
        with suppress(PairoptError):
            models[place.name] = load_model(place).name
    if models.get(str(own.get("model")), own.get("model")) == name:
        return given
    files = [str(folder / file) for file, each in models.items() if each == name]
    return {"model": name if name in model_names() else [*files, name][0], **given}


def options_by_round(path: str | Path) -> dict[int, dict[str, Any]]:
    """What rounds of an event folder were paired with, by round, as far as proofs are kept."""
    found, folder = {}, Path(path)
    for place in sorted((folder / PROVEN).glob("round-*.json")):
        with suppress(OSError, ValueError, PairoptError):
            number = int(place.stem.removeprefix("round-"))
            found[number] = proof_options(
                place.read_bytes(), folder, (folder / EVENT).read_bytes()
            )
    return found
