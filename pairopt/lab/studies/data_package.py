"""Dictionary: what a study's folder holds, file by file and column by column, as a Data Package
(https://specs.frictionlessdata.io/data-package, tables as of Table Schema).
"""

import csv
import hashlib
import inspect
import io
import json
import re
from collections.abc import Mapping
from math import isfinite
from pathlib import Path
from typing import Any, Final

from pairopt.common.serialization import read_package_toml
from pairopt.files.write import json_text
from pairopt.lab.grid import RESERVED
from pairopt.lab.identity import name_of
from pairopt.lab.metrics import ranges_of
from pairopt.lab.metrics.rounds import about
from pairopt.lab.studies.game_archive import column_types
from pairopt.lab.studies.study_file import StudyDesign

DICTIONARY: Final = "datapackage.json"


def data_package_json(design: StudyDesign, files: Mapping[str, bytes]) -> bytes:
    tables = read_package_toml(__package__ or "", "dictionary.toml")["table"]
    resources = []
    for path, raw in sorted(files.items()):
        told: dict[str, Any] = {
            "name": re.sub(r"[^-a-z0-9._/]", "-", path.lower()),
            "path": path,
            "format": Path(path).suffix[1:].lower(),
            "bytes": len(raw),
            "hash": f"sha256:{hashlib.sha256(raw).hexdigest()}",
        }
        if path in tables:
            columns = (
                column_types(raw)
                if path.endswith(".parquet")
                else dict.fromkeys(next(csv.reader(io.StringIO(raw.decode()))))
            )
            fields = [_field(design, name, kind) for name, kind in columns.items()]
            told |= {
                "profile": "tabular-data-resource",
                "description": tables[path],
                "schema": {"fields": fields, "missingValues": [""]},
            }
        resources.append(told)
    name = re.sub(r"[^a-z0-9]+", "-", design.file.title.lower()).strip("-") or "study"
    return json_text(
        {
            "profile": "data-package",
            "name": name,
            "title": design.file.title,
            "resources": resources,
        }
    ).encode()


def digests_in(folder: Path) -> dict[str, str]:
    """The SHA-256 of each file that the dictionary in a folder tells of; none where it cannot be
    read.
    """
    try:
        told = json.loads((folder / DICTIONARY).read_text(encoding="utf-8"))
        return {
            each["path"]: each["hash"].removeprefix("sha256:")
            for each in told["resources"]
        }
    except (
        OSError,
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
        RecursionError,
    ):
        return {}


def _field(design: StudyDesign, column: str, kind: str | None) -> dict[str, Any]:
    known = read_package_toml(__package__ or "", "dictionary.toml")["column"]
    name = re.sub(r"(side_difference|side_streak)_\d$", r"\1", column)
    told: Mapping[str, Any] = known.get(name, {})
    words = told.get("meaning") or _own_words(design, column)
    if column.startswith(RESERVED):
        words = f"The setting `{column.removeprefix(RESERVED)}` of the world"
        cells = {} if design.events else dict(design.studies[0].cells)
        kind = kind or ("string" if isinstance(cells.get(column), str) else "number")
    field = {
        "name": column,
        "type": kind or told.get("type", "number"),
        "description": words,
    }
    field |= {"unit": told["unit"]} if "unit" in told else {}
    sizes = {
        "players": max(each.players for each in design.worlds),
        "rounds": max(each.rounds for each in design.worlds),
        "tables": max(each.players // 2 * each.rounds for each in design.worlds),
    }
    ends = ranges_of(design.measured).get(column) or about(column).get(
        "range", (told.get("least"), told.get("most"))
    )
    numbers = (sizes.get(end) if isinstance(end, str) else end for end in ends)
    bounds = {
        name: end
        for name, end in zip(("minimum", "maximum"), numbers, strict=True)
        if end is not None and isfinite(end) and not design.events
    }
    return {**field, "constraints": bounds} if bounds else field


def _own_words(design: StudyDesign, column: str) -> str:
    """What is said of a metric of one's own, in its code."""
    for metric in design.measured:
        if column in getattr(metric, "columns", (name_of(metric),)):
            said = (inspect.getdoc(metric) or "").split("\n\n")[0].replace("\n", " ")
            return said or f"As the metric {name_of(metric)} measures it"
    return ""
