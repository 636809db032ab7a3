"""The data dictionary of a study's folder: all files and columns, as a Data Package.

See https://specs.frictionlessdata.io/data-package; tables follow its Table Schema.
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
from pairopt.lab.identity import find_published_place, name_of
from pairopt.lab.metrics import collect_ranges
from pairopt.lab.metrics.rounds import look_up_metric
from pairopt.lab.studies.game_archive import column_types
from pairopt.lab.studies.study_file import StudyDesign

DICTIONARY: Final = "datapackage.json"


def write_data_package(design: StudyDesign, files: Mapping[str, bytes]) -> bytes:
    """Return the bytes of a study's datapackage.json, which describes these files.

    `design` is the study, and `files` has the content of each file by its path in the
    folder. Nothing is written.
    """
    file_entries = [
        _describe_file(design, file_path, file_bytes)
        for file_path, file_bytes in sorted(files.items())
    ]
    package_name = (
        re.sub(r"[^a-z0-9]+", "-", design.file.title.lower()).strip("-") or "study"
    )
    return json_text(
        {
            "profile": "data-package",
            "name": package_name,
            "title": design.file.title,
            "resources": file_entries,
        }
    ).encode()


def _describe_file(design: StudyDesign, path: str, raw: bytes) -> dict[str, Any]:
    """Return the entry of a file in datapackage.json: path, format, size and digest.

    `path` is that in the study's folder, and `raw` are the bytes of the file. The entry
    of a table that every study has also has a description of the table, and of each
    column.
    """
    file_entry: dict[str, Any] = {
        "name": re.sub(r"[^-a-z0-9._/]", "-", path.lower()),
        "path": path,
        "format": Path(path).suffix[1:].lower(),
        "bytes": len(raw),
        "hash": f"sha256:{hashlib.sha256(raw).hexdigest()}",
    }
    table_descriptions = read_package_toml(__package__ or "", "dictionary.toml")[
        "table"
    ]
    if path not in table_descriptions:
        return file_entry

    type_of_column: Mapping[str, str | None]
    if path.endswith(".parquet"):
        type_of_column = column_types(raw)
    else:
        header_cells = next(csv.reader(io.StringIO(raw.decode())))
        type_of_column = dict.fromkeys(header_cells)
    column_entries = [
        _describe_column(design, column_name, type_name)
        for column_name, type_name in type_of_column.items()
    ]
    return file_entry | {
        "profile": "tabular-data-resource",
        "description": table_descriptions[path],
        "schema": {"fields": column_entries, "missingValues": [""]},
    }


def digests_in(folder: Path) -> dict[str, str]:
    """Read the SHA-256 of each file, by path, from the datapackage.json in a folder.

    Empty if there is none, or if it is damaged. The files themselves are not read.
    """
    try:
        package_description = json.loads(
            (folder / DICTIONARY).read_text(encoding="utf-8")
        )
        return {
            file_entry["path"]: file_entry["hash"].removeprefix("sha256:")
            for file_entry in package_description["resources"]
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


def _describe_column(
    design: StudyDesign, column: str, kind: str | None
) -> dict[str, Any]:
    """Return the entry of a column in datapackage.json: type, meaning, unit and range.

    `kind` is its type if the file itself has types, as Parquet has, otherwise None.
    Then the type is that of the published dictionary, "number" if it has none. The unit
    and the range are left out if they are unknown.
    """
    entry_of_column = read_package_toml(__package__ or "", "dictionary.toml")["column"]
    dictionary_name = re.sub(
        r"(side_difference|side_streak|kendall_after)_\d+$", r"\1", column
    )
    dictionary_entry: Mapping[str, Any] = entry_of_column.get(dictionary_name, {})
    meaning_text = dictionary_entry.get("meaning") or _describe_metric(design, column)
    if column.startswith(RESERVED):
        meaning_text = f"The setting `{column.removeprefix(RESERVED)}` of the world"
        world_cells = {} if design.events else dict(design.studies[0].cells)
        kind = kind or (
            "string" if isinstance(world_cells.get(column), str) else "number"
        )
    column_entry = {
        "name": column,
        "type": kind or dictionary_entry.get("type", "number"),
        "description": meaning_text,
    }
    if "unit" in dictionary_entry:
        column_entry["unit"] = dictionary_entry["unit"]
    constraints = _list_constraints(design, column, dictionary_entry)
    return {**column_entry, "constraints": constraints} if constraints else column_entry


def _list_constraints(
    design: StudyDesign, column: str, entry: Mapping[str, Any]
) -> dict[str, float]:
    """Return the least and largest possible value of a column, for datapackage.json.

    The keys are "minimum" and "maximum"; an end that is unknown or infinite is left
    out. They are those of the largest world. `entry` is the column's entry in
    dictionary.toml, which may be empty. The result is empty in a study of real events.
    """
    if design.events:
        return {}
    declared_range = collect_ranges(design.measured).get(column)
    described_range = look_up_metric(column).get(
        "range", (entry.get("least"), entry.get("most"))
    )
    largest_sizes = {
        "players": max(world.players for world in design.worlds),
        "rounds": max(world.rounds for world in design.worlds),
        "tables": max(world.players // 2 * world.rounds for world in design.worlds),
    }

    constraints = {}
    range_ends = declared_range or described_range
    for constraint_keyword, range_end in zip(
        ("minimum", "maximum"), range_ends, strict=True
    ):
        constraint_value = (
            largest_sizes.get(range_end) if isinstance(range_end, str) else range_end
        )
        if constraint_value is not None and isfinite(constraint_value):
            constraints[constraint_keyword] = constraint_value
    return constraints


def _describe_metric(design: StudyDesign, column: str) -> str:
    """Return the description of a column of a further metric; empty for other columns.

    For a metric of pairopt it is the published one in dictionary.toml, for the user's
    metric the first paragraph of its docstring, or a sentence with its name.
    """
    published_descriptions = read_package_toml(__package__ or "", "dictionary.toml")[
        "metric"
    ]
    for metric in design.measured:
        if column in getattr(metric, "columns", (name_of(metric),)):
            published_place = find_published_place(
                metric if inspect.isfunction(metric) else type(metric)
            )
            if published_place in published_descriptions:
                return str(published_descriptions[published_place])
            meaning_of_column = getattr(metric, "meanings", {})
            if column in meaning_of_column:
                return str(meaning_of_column[column])
            first_paragraph = (inspect.getdoc(metric) or "").split("\n\n")[0]
            description_text = first_paragraph.replace("\n", " ")
            return description_text or f"As the metric {name_of(metric)} measures it"
    return ""
