"""Cache of finished tasks, so that a study that was stopped or extended plays nothing again.

While a study runs, the folder <output>.parts has a file for each finished task. Afterwards the
archive <output>.parts.zip has them all. Each file is a zip archive of CSV tables.
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
"""The modification time of all archive members, so that equal studies have equal bytes."""
DAMAGED = (OSError, ValueError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error)
"""Errors of reading a file that is no archive, or a damaged one."""


def parts_of(output: Path) -> Path:
    """Return the folder of a study's finished tasks, beside its output.

    It is `<output>.parts`, whether it exists or not.
    """
    return output.with_name(f"{output.name}.parts")


def archive_of(output: Path) -> Path:
    """Return the archive of a finished study's tasks, beside its output.

    It is `<output>.parts.zip`, whether it exists or not.
    """
    return output.with_name(f"{output.name}.parts.zip")


@dataclass(frozen=True)
class TaskCache:
    """The finished tasks of a study, and the files that its tables are written to.

    The files are `output` for the rounds, None to store nothing, and `games`.
    `overwrite` says whether files of another study may be replaced. With `archive`,
    `finish` writes these files and the archive; without, the caller calls `remove` at
    the end. `read` and `write` are for the tables of one task. Making one raises
    UsageError for paths that cannot be written.
    """

    output: str | Path | None
    games: str | Path | None = None
    overwrite: bool = True
    archive: bool = True

    def __post_init__(self) -> None:
        """Check the paths before anything is played.

        Raises UsageError for a folder that does not exist, for `games` without an
        `output`, and for a Parquet file, which only a conversion can write.
        """
        if self.games is not None and self.output is None:
            raise UsageError("study.games_without_table")
        for file_path in self.files.values():
            if not file_path.parent.is_dir():
                raise UsageError(
                    "study.no_folder_for",
                    path=str(file_path),
                    folder=str(file_path.parent),
                )
            if file_path.suffix.lower() in (".parquet", ".pq"):
                raise UsageError("study.no_parquet", path=file_path)

    @property
    def files(self) -> dict[str, Path]:
        """The files that `finish` writes tables to, by table: "rounds" and "games".

        Empty without `archive`.
        """
        path_of_table = (
            {"rounds": self.output, "games": self.games} if self.archive else {}
        )
        return {
            table_name: Path(file_path)
            for table_name, file_path in path_of_table.items()
            if file_path is not None
        }

    @cached_property
    def _folder(self) -> Path:
        """The path of the folder of finished tasks, whether it exists or not."""
        return parts_of(Path(self.output or ""))

    @property
    def names(self) -> frozenset[str]:
        """The names of all finished tasks, in the folder or the archive.

        It is empty without an `output`. A file may be damaged; `read` checks that.
        """
        if self.output is None:
            return frozenset()
        task_paths = self._folder.iterdir() if self._folder.is_dir() else ()
        return frozenset(
            (*self._archived_names, *(task_path.name for task_path in task_paths))
        )

    def require_free(self, tasks: Iterable[Task]) -> None:
        """Raise UsageError if existing output files may not be replaced.

        With `overwrite`, everything may be replaced. Without it, only unchanged files
        of an earlier, shorter run of the same study may: one whose tasks are all among
        `tasks`.
        """
        if self.overwrite or self.output is None:
            return
        task_names = {task.name for task in tasks}
        output_files = [*self.files.values()]
        changed_flags = (
            self._recorded_digests.get(file_path.name) != _digest(file_path)
            for file_path in output_files
            if file_path.is_file()
        )
        is_extended = self._archived_names and {*self._archived_names} <= task_names
        if not is_extended or any(changed_flags):
            overwrite_guard.require_free(output_files)

    def read(self, task: Task) -> Frames | None:
        """Return the stored tables of a task by name; None if it has to be run.

        It has to be run if nothing is stored, or if its file is missing or damaged.
        """
        if self.output is None:
            return None
        text_columns = [*TEXTS, *task.texts]
        with suppress(*DAMAGED):
            return unpack_tables(self._read_stored(task.name), text_columns)
        return None

    def write(self, task: Task, frames: Frames) -> None:
        """Store the tables of a finished task in the folder of finished tasks.

        `frames` has the tables by name. The folder is made if it is missing. Without an
        `output` nothing happens. Raises UsageError if the tables cannot be written.
        """
        if self.output is None:
            return
        make_folder(self._folder)
        archive_buffer = io.BytesIO()
        table_texts = (
            (table_name, "".join(csv_of(table_frame)))
            for table_name, table_frame in frames.items()
        )
        _pack(archive_buffer, table_texts)
        write_whole(self._folder / task.name, archive_buffer.getvalue())

    def finish(self, tasks: Iterable[Task], results: Sequence[Frames]) -> None:
        """Write the files of a finished study, and the archive of its tasks.

        `results` are the tables of `tasks`, in order; each of these has to be stored
        already. The archive's comment has the digests of the files. Then the folder of
        finished tasks is deleted. Without `output` or `archive` nothing happens. Raises
        UsageError if files cannot be written.
        """
        if self.output is None or not self.archive:
            return
        text_of_path = {}
        for table_name, file_path in self.files.items():
            joined_table = concatenate_parts(
                [frame_by_name[table_name] for frame_by_name in results]
            )
            text_of_path[file_path] = csv_of(joined_table)
        write_all(text_of_path)

        archive_path = archive_of(Path(self.output))
        temporary_path = archive_path.with_name(f".{archive_path.name}")
        digests_text = json.dumps(
            {
                output_path.name: _digest(output_path)
                for output_path in self.files.values()
            }
        )
        task_files = (
            (finished_task.name, self._read_stored(finished_task.name))
            for finished_task in tasks
        )
        try:
            _pack(temporary_path, task_files, digests_text)
            if self._archive is not None:
                self._archive.close()
            temporary_path.replace(archive_path)
        except OSError as error:
            raise UsageError(
                "output.unwritten", path=str(archive_path), why=error.strerror
            ) from None
        finally:
            temporary_path.unlink(missing_ok=True)
        self.remove()

    def remove(self) -> None:
        """Delete the folder of finished tasks, with all files in it, if there is one.

        Errors are ignored. Call it when their tables are stored elsewhere.
        """
        shutil.rmtree(self._folder, ignore_errors=True)

    def _read_stored(self, name: str) -> bytes:
        """Return the stored zip file of the task `name`; b"" if there is none.

        A file in the folder comes before one in the archive of an earlier run.
        """
        file_path = self._folder / name
        if file_path.is_file():
            return file_path.read_bytes()
        if self._archive and name in self._archived_names:
            return self._archive.read(name)
        return b""

    @cached_property
    def _archive(self) -> zipfile.ZipFile | None:
        """The open archive of an earlier run; None if there is none or it is damaged."""
        with suppress(OSError, zipfile.BadZipFile):
            return zipfile.ZipFile(archive_of(Path(self.output or "")))
        return None

    @cached_property
    def _archived_names(self) -> frozenset[str]:
        """The names of the tasks in the archive of an earlier run; empty without one."""
        return frozenset(() if self._archive is None else self._archive.namelist())

    @cached_property
    def _recorded_digests(self) -> Mapping[str, str]:
        """The SHA-256 of the files that the earlier run wrote, by file name.

        It is read from the comment of the archive; empty without an archive, or if the
        comment is damaged.
        """
        if self._archive is None:
            return {}
        try:
            digest_of_file = json.loads(self._archive.comment)
        except ValueError:
            return {}
        return digest_of_file if isinstance(digest_of_file, dict) else {}


NOTHING_KEPT = TaskCache(None)


def _pack(
    out: Path | io.BytesIO,
    contents: Iterable[tuple[str, str | bytes]],
    comment: str = "",
) -> None:
    """Write members and a comment to a new zip archive, a file or a buffer.

    `contents` are pairs of a name and the member's content. Equal contents give equal
    bytes, because all members have the same time. `out` is the file's path, or the
    buffer.
    """
    with zipfile.ZipFile(out, "w") as zip_archive:
        for member_name, member_content in contents:
            zip_member = zipfile.ZipInfo(member_name, MOMENT)
            zip_archive.writestr(zip_member, member_content, zipfile.ZIP_DEFLATED)
        zip_archive.comment = comment.encode()


def _digest(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal; raise OSError if it cannot be read."""
    with path.open("rb") as opened_file:
        return hashlib.file_digest(opened_file, "sha256").hexdigest()
