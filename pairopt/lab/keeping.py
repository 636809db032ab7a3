"""Keeping: what is finished of a study, so that a stop or a longer run plays nothing again.

While it runs there is a file for each task in the folder <output>.parts, and after it
<output>.parts.zip holds them all, from which a study of more replicates takes them. Each is a zip
archive of CSV tables: zip archives tell what is not as it was written.
"""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import zipfile
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pandas as pd

from pairopt.errors import UsageError
from pairopt.files.write import make_folder, write_whole
from pairopt.lab.table import TEXTS, csv_of, read_csv

Frames = Mapping[str, "pd.DataFrame"]
"""The tables of a task: its "rounds", and its "games" if they are kept."""
MOMENT = (1980, 1, 1, 0, 0, 0)
"""When all is said to have been put into the archive: the same study gives the same bytes."""
DAMAGED = (OSError, ValueError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error)
"""What comes of reading a file that is no archive, or no longer a whole one."""


def parts_of(output: Path) -> Path:
    """The folder of what is finished."""
    return output.with_name(f"{output.name}.parts")


def archive_of(output: Path) -> Path:
    """What a finished study leaves beside its output."""
    return output.with_name(f"{output.name}.parts.zip")


@dataclass(frozen=True)
class Parts:
    """The finished tasks of the study that goes to `output`, by name; of real `events` or not."""

    output: Path
    events: bool = False

    @property
    def names(self) -> frozenset[str]:
        """All that seem to be there; `read` says whether one is whole."""
        folder = parts_of(self.output)
        there = folder.iterdir() if folder.is_dir() else ()
        return frozenset((*self._archived, *(path.name for path in there)))

    def read(self, name: str) -> Frames | None:
        """A task's tables, None where they are not there as they were written."""
        texts = (*TEXTS, "replicate") if self.events else TEXTS
        try:
            with zipfile.ZipFile(io.BytesIO(self._bytes(name))) as part:
                return {each: read_csv(part.read(each), texts=texts) for each in part.namelist()}
        except DAMAGED:
            return None

    def write(self, name: str, frames: Frames) -> None:
        """Keep a task's tables. Raises UsageError where that cannot be."""
        make_folder(parts_of(self.output))
        raw = io.BytesIO()
        _pack(raw, ((each, "".join(csv_of(frame))) for each, frame in frames.items()))
        write_whole(parts_of(self.output) / name, raw.getvalue())

    def finish(self, names: Sequence[str], files: Sequence[Path]) -> None:
        """Put the tasks of a finished study together, and note what its files are."""
        path = archive_of(self.output)
        waiting = path.with_name(f".{path.name}")
        noted = json.dumps({each.name: _digest(each) for each in files})
        try:
            _pack(waiting, ((name, self._bytes(name)) for name in names), noted)
            if self._archive is not None:
                self._archive.close()
            waiting.replace(path)
        except OSError as error:
            raise UsageError(f"{path} cannot be written: {error.strerror}") from None
        finally:
            waiting.unlink(missing_ok=True)
        shutil.rmtree(parts_of(self.output), ignore_errors=True)

    def extended_by(self, names: Sequence[str], files: Sequence[Path]) -> bool:
        """Whether tasks of these names lose nothing of these files, which hold finished ones."""
        if not self._archived or not {*self._archived} <= {*names}:
            return False
        return all(self._noted.get(path.name) == _digest(path) for path in files if path.is_file())

    def _bytes(self, name: str) -> bytes:
        """A part as it is kept, empty where it is not."""
        path = parts_of(self.output) / name
        if path.is_file():
            return path.read_bytes()
        return self._archive.read(name) if self._archive and name in self._archived else b""

    @cached_property
    def _archive(self) -> zipfile.ZipFile | None:
        """The archive of an earlier run, None where there is none that can be read."""
        try:
            return zipfile.ZipFile(archive_of(self.output))
        except (OSError, zipfile.BadZipFile):
            return None

    @cached_property
    def _archived(self) -> frozenset[str]:
        return frozenset(() if self._archive is None else self._archive.namelist())

    @cached_property
    def _noted(self) -> Mapping[str, str]:
        """The digests of the files of the earlier run by name."""
        try:
            found = json.loads(self._archive.comment) if self._archive is not None else {}
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}


def _pack(
    out: Path | io.BytesIO, contents: Iterable[tuple[str, str | bytes]], comment: str = ""
) -> None:
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in contents:
            archive.writestr(zipfile.ZipInfo(name, MOMENT), content, zipfile.ZIP_DEFLATED)
        archive.comment = comment.encode()


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
