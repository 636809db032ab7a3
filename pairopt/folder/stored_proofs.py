"""Stored proofs in an event folder, and the options of their claims.

The claim of a proof names the model and the options: they are stored nowhere else.
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
    """Return the path of a round's stored proof: proofs/round-06.json for round 6.

    `number` is the round. The path is relative to the event folder; the file need not
    exist.
    """
    return f"{PROVEN}/round-{number:02d}.json"


def read_proof_options(proof: bytes, folder: Path, event: bytes) -> dict[str, Any]:
    """Return the model, options and seed of a proof that differ from event.toml.

    `event` is the content of event.toml, and `folder` the event folder, for its models.
    Options with their default values are left out. The model is the name of a shipped
    model or the path of a file in the folder; if neither has its name, it is the name
    alone. Raise ValueError or PairoptError if `proof` is no proof.
    """
    heading_match = HEAD.search(proof.decode(errors="replace"))
    if heading_match is None:
        raise ValueError("expected the heading of a proof")
    event_settings: dict[str, Any] = {}
    with suppress(ValueError):
        event_settings = tomllib.loads(event.decode())

    proven_options = _OPTIONS.validate_json(heading_match[3])
    differing_options = {}
    for option_field in fields(proven_options):
        option_value = getattr(proven_options, option_field.name)
        if option_value not in (option_field.default, []):
            differing_options[option_field.name] = (
                tuple(option_value) if isinstance(option_value, list) else option_value
            )
    proof_seed = int(heading_match[2])
    if proof_seed != event_settings.get("seed", 0):
        differing_options["seed"] = proof_seed

    proven_model = json.loads(heading_match[1])
    name_by_file = dict[str, str]()
    for model_path in sorted({*folder.glob("*.toml")} - {folder / EVENT}):
        with suppress(PairoptError):
            name_by_file[model_path.name] = load_model(model_path).name
    event_model = event_settings.get("model")
    if name_by_file.get(str(event_model), event_model) == proven_model:
        return differing_options
    if proven_model in model_names():
        return {"model": proven_model, **differing_options}
    model_files = [
        str(folder / model_file_name)
        for model_file_name, model_name in name_by_file.items()
        if model_name == proven_model
    ]
    return {
        "model": model_files[0] if model_files else proven_model,
        **differing_options,
    }


def read_options_by_round(path: str | Path) -> dict[int, dict[str, Any]]:
    """Return the options that rounds of an event folder were paired with, by round.

    `path` is the event folder; the proofs stored in it are read. Options that are as in
    event.toml are left out, and so are rounds without a readable proof.
    """
    options_by_round = {}
    folder = Path(path)
    for proof_path in sorted((folder / PROVEN).glob("round-*.json")):
        with suppress(OSError, ValueError, PairoptError):
            round_number = int(proof_path.stem.removeprefix("round-"))
            event_toml = (folder / EVENT).read_bytes()
            stored_proof = proof_path.read_bytes()
            options_by_round[round_number] = read_proof_options(
                stored_proof, folder, event_toml
            )
    return options_by_round
