"""Writing: results as text, and files that appear whole or not at all."""

from __future__ import annotations

import csv
import errno
import io
import json
import os
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from pairopt.errors import UsageError
from pairopt.event.rows import COLUMNS, MatchRow


def csv_text(rows: Iterable[MatchRow]) -> str:
    """Rows of matches.csv with their header, ready to be appended to the event's file."""
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({key: "" if value is None else value for key, value in row.items()})
    return out.getvalue()


def json_text(content: Mapping[str, object]) -> str:
    """JSON with sorted-as-given keys and a closing newline."""
    return json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def write_whole(path: str | Path, text: str) -> None:
    """Write a file under a temporary name beside its place, then move it there."""
    write_all({Path(path): text})


def make_folder(folder: Path) -> None:
    """Make a folder and those above it. Raises UsageError where that cannot be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder} cannot be a folder: {error.strerror}") from None


def write_all(contents: Mapping[Path, str | bytes]) -> None:
    """Write files that belong together: all under temporary names before the first is moved."""
    mask = os.umask(0)
    os.umask(mask)
    waiting: dict[Path, Path] = {}
    path = Path()
    try:
        for path, content in contents.items():
            if path.is_dir():
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
            handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
            waiting[path] = Path(name)
            with os.fdopen(handle, "wb") as out:
                out.write(content.encode() if isinstance(content, str) else content)
            waiting[path].chmod(0o666 & ~mask)
        for path, temporary in waiting.items():
            temporary.replace(path)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from None
    finally:
        for temporary in waiting.values():
            temporary.unlink(missing_ok=True)
