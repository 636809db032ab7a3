"""Provenance: what a study was played with as plain JSON, and the same values again from it.

Digests tell whether two settings are the same; this says what they are, so that a tournament can
be played again from its seed. Of code of one's own there is the name and a digest of what it says.
"""

from __future__ import annotations

import importlib
import json
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import is_dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

from pairopt.errors import InputError, UsageError
from pairopt.lab.playing.identity import PACKAGE, digest, meant_fields, name_of, published

NAME: Final = "settings.json"
"""Where the archive of a study has them."""
IS, OWN, EXACT = "is", "own", {"fraction": Fraction, "decimal": Decimal}


def told(value: Any) -> Any:
    """A setting as JSON has it. Raises UsageError for own code that cannot be told apart."""
    if value is None or type(value) in (bool, int, float, str):
        return value
    if isinstance(value, Fraction | Decimal):
        return {type(value).__name__.lower(): str(value)}
    if isinstance(value, list | tuple):
        return [told(each) for each in value]
    if isinstance(value, Mapping):
        return {"table": [[told(key), told(each)] for key, each in value.items()]}
    kind = type(value)
    if is_dataclass(kind) and kind.__module__.split(".")[0] == PACKAGE:
        held = {each.name: told(getattr(value, each.name)) for each in meant_fields(value)}
        return {IS: f"{published(kind.__module__)}:{kind.__qualname__}", **held}
    return {OWN: name_of(value), "digest": digest(value)}


def made(plain: Any, own: Mapping[str, Any] | None = None) -> Any:
    """What `told` has told; `own` is code of one's own by its name.

    Raises UsageError for what is not there, or says something else than it did.
    """
    if isinstance(plain, list):
        return tuple(made(each, own) for each in plain)
    if not isinstance(plain, dict):
        return plain
    for name, kind in EXACT.items():
        if name in plain:
            return kind(plain[name])
    if "table" in plain:
        return {made(key, own): made(each, own) for key, each in plain["table"]}
    if OWN in plain:
        found = (own or {}).get(plain[OWN])
        if found is None:
            raise UsageError("study.own_gone", name=plain[OWN])
        if digest(found) != plain["digest"]:
            raise UsageError("study.own_changed", name=plain[OWN])
        return found
    kind = _class(plain.get(IS))
    return kind(**{name: made(each, own) for name, each in plain.items() if name != IS})


def _class(name: object) -> Any:
    """A dataclass of the package. Raises UsageError for any other name."""
    module, _, kind = str(name).partition(":")
    try:
        found = getattr(importlib.import_module(module), kind) if module.startswith(
            f"{PACKAGE}.") else None  # fmt: skip
    except (ImportError, AttributeError):
        found = None
    if not (isinstance(found, type) and is_dataclass(found)):
        raise UsageError("study.no_setting", name=str(name))
    return found


def settings_text(
    versions: Mapping[str, str], parts: Iterable[tuple[str, Mapping[str, Any]]]
) -> str:
    """The settings of an archive: each once, and which of them every part has by its name."""
    told_once: dict[str, int] = {}
    named = {}
    for name, settings in parts:
        shared = json.dumps(settings["study"], ensure_ascii=False)
        number = told_once.setdefault(shared, len(told_once))
        named[name] = {**settings, "study": number}
    content = {"versions": versions, "studies": [*map(json.loads, told_once)], "parts": named}
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def settings_in(archive: str | Path) -> dict[str, Any]:
    """The settings that the archive of a study has: versions, studies, and its parts by name.

    `made` makes of each of the studies what plays its tournaments, see `pairopt.lab.tasks`.
    Raises InputError for an archive without them.
    """
    try:
        with zipfile.ZipFile(archive) as kept:
            found: dict[str, Any] = json.loads(kept.read(NAME))
    except (OSError, KeyError, ValueError, zipfile.BadZipFile) as error:
        raise InputError(Path(archive).name, "study.no_archive", why=str(error)) from None
    return found
