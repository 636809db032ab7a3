"""Keeping: what is finished of a study, so that a stop or a longer run plays nothing again.

While it runs there is a file for each task in the folder <output>.parts, then <output>.parts.zip
holds them all. Each is a zip archive of CSV tables.
"""

import hashlib
import io
import json
import shutil
import zipfile
import zlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from pairopt.errors import UsageError
from pairopt.files import overwrite_guard
from pairopt.files.write import make_folder, write_all, write_whole
from pairopt.lab.table import TEXTS, Frames, concatenate_parts, csv_of, unpack_tables
from pairopt.lab.tasks import Task

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
class TaskCache:
    """The finished tasks of a study, by name, and the files that its tables go to in the end:
    `output`, None where nothing is kept, and `games`. Without an `archive` they go with `remove`.
    Raises UsageError for such that cannot be.
    """

    output: str | Path | None
    games: str | Path | None = None
    overwrite: bool = True
    archive: bool = True

    def __post_init__(self) -> None:
        if self.games is not None and self.output is None:
            raise UsageError("study.games_without_table")
        for path in self.files.values():
            if not path.parent.is_dir():
                raise UsageError(
                    "study.no_folder_for", path=str(path), folder=str(path.parent)
                )
            if path.suffix.lower() in (".parquet", ".pq"):
                raise UsageError("study.no_parquet", path=path)

    @property
    def files(self) -> dict[str, Path]:
        given = {"rounds": self.output, "games": self.games} if self.archive else {}
        return {name: Path(path) for name, path in given.items() if path is not None}

    @cached_property
    def _folder(self) -> Path:
        return parts_of(Path(self.output or ""))

    @property
    def names(self) -> frozenset[str]:
        """All that seem to be there; `read` says whether one is whole."""
        if self.output is None:
            return frozenset()
        there = self._folder.iterdir() if self._folder.is_dir() else ()
        return frozenset((*self._archived, *(path.name for path in there)))

    def require_free(self, tasks: Iterable[Task]) -> None:
        """Raises UsageError for files that may not be replaced by those of these tasks."""
        if self.overwrite or self.output is None:
            return
        names, files = {task.name for task in tasks}, [*self.files.values()]
        other = (
            self._noted.get(path.name) != _digest(path)
            for path in files
            if path.is_file()
        )
        if not self._archived or not {*self._archived} <= names or any(other):
            overwrite_guard.require_free(files)

    def read(self, task: Task) -> Frames | None:
        """A task's tables, None where they are not there as they were written."""
        if self.output is None:
            return None
        texts = [*TEXTS, *task.texts]
        with suppress(*DAMAGED):
            return unpack_tables(self._bytes(task.name), texts)
        return None

    def write(self, task: Task, frames: Frames) -> None:
        """Keep a task's tables. Raises UsageError where that cannot be."""
        if self.output is None:
            return
        make_folder(self._folder)
        raw = io.BytesIO()
        _pack(raw, ((each, "".join(csv_of(frame))) for each, frame in frames.items()))
        write_whole(self._folder / task.name, raw.getvalue())

    def finish(self, tasks: Iterable[Task], made: Sequence[Frames]) -> None:
        """Write the files of a finished study, put its tasks together, and note what files are."""
        if self.output is None or not self.archive:
            return
        write_all(
            {
                path: csv_of(concatenate_parts([each[name] for each in made]))
                for name, path in self.files.items()
            }
        )
        path = archive_of(Path(self.output))
        waiting = path.with_name(f".{path.name}")
        noted = json.dumps({each.name: _digest(each) for each in self.files.values()})
        parts = ((task.name, self._bytes(task.name)) for task in tasks)
        try:
            _pack(waiting, parts, noted)
            if self._archive is not None:
                self._archive.close()
            waiting.replace(path)
        except OSError as error:
            raise UsageError(
                "output.unwritten", path=str(path), why=error.strerror
            ) from None
        finally:
            waiting.unlink(missing_ok=True)
        self.remove()

    def remove(self) -> None:
        """The tasks by themselves, when they are kept elsewhere."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def _bytes(self, name: str) -> bytes:
        """A part as it is kept, empty where it is not."""
        path = self._folder / name
        if path.is_file():
            return path.read_bytes()
        return (
            self._archive.read(name)
            if self._archive and name in self._archived
            else b""
        )

    @cached_property
    def _archive(self) -> zipfile.ZipFile | None:
        with suppress(OSError, zipfile.BadZipFile):
            return zipfile.ZipFile(archive_of(Path(self.output or "")))
        return None

    @cached_property
    def _archived(self) -> frozenset[str]:
        return frozenset(() if self._archive is None else self._archive.namelist())

    @cached_property
    def _noted(self) -> Mapping[str, str]:
        """The digests of the files of the earlier run by name."""
        try:
            found = (
                json.loads(self._archive.comment) if self._archive is not None else {}
            )
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}


NOTHING_KEPT = TaskCache(None)


def _pack(
    out: Path | io.BytesIO,
    contents: Iterable[tuple[str, str | bytes]],
    comment: str = "",
) -> None:
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in contents:
            archive.writestr(
                zipfile.ZipInfo(name, MOMENT), content, zipfile.ZIP_DEFLATED
            )
        archive.comment = comment.encode()


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
