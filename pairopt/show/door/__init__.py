"""Door: one request of another program, one answer; it keeps nothing, and writes nothing."""

from __future__ import annotations

from typing import Any

from pydantic.json_schema import models_json_schema

from pairopt.records import packaged
from pairopt.show.door.answer import Answer, Refusal
from pairopt.show.door.request import Request

WORDS = packaged(__name__, "door.toml")
"""What each key is, by its form; that of an option stands with the option."""


def schema() -> dict[str, Any]:
    """Both as a JSON Schema, from the declarations of files, options and results."""
    forms = [(Request, "validation"), (Answer, "serialization"), (Refusal, "serialization")]
    made = models_json_schema(forms)[1]  # type: ignore[arg-type]
    for name, form in made["$defs"].items():
        for key, value in form["properties"].items():
            if key in WORDS.get(name, {}):
                value["description"] = WORDS[name][key]
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", **WORDS["door"]}
    return {**head, "oneOf": [{"$ref": f"#/$defs/{form.__name__}"} for form, _ in forms], **made}
