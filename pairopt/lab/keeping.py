"""Keeping: what is finished of a study, so that a stop or a longer run plays nothing again.

While it runs there is a file for each task in the folder <output>.parts, and after it
<output>.parts.zip, from which a study of more replicates takes them.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from pairopt.errors import UsageError
from pairopt.files.write import make_folder, write_whole

Texts = tuple[str, ...]
"""The rows of a task, and those of its games if they are kept."""
MOMENT = (1980, 1, 1, 0, 0, 0)
"""When all is said to have been put into the archive: the same study gives the same bytes."""


def parts_of(output: Path) -> Path:
    """The folder of what is finished."""
    return output.with_name(f"{output.name}.parts")


def archive_of(output: Path) -> Path:
    """What a finished study leaves beside its output."""
    return output.with_name(f"{output.name}.parts.zip")


@dataclass(frozen=True)
class Parts:
    """The finished tasks of the study that goes to `output`, by name."""

    output: Path

    @cached_property
    def names(self) -> frozenset[str]:
        """All that seem to be there; `read` says whether one is whole."""
        folder = parts_of(self.output)
        there = folder.iterdir() if folder.is_dir() else ()
        return frozenset((*self._archived, *(path.name for path in there)))

    def read(self, name: str) -> Texts | None:
        """A task's texts, None where they are not there as they were written."""
        path = parts_of(self.output) / name
        if path.is_file():
            return _opened(path.read_bytes())
        if self._archive is None or name not in self._archived:
            return None
        try:
            return _opened(self._archive.read(name))
        except (OSError, ValueError, zipfile.BadZipFile, zlib.error):
            return None

    def write(self, name: str, texts: Texts) -> None:
        """Keep a task's texts. Raises UsageError where that cannot be."""
        make_folder(parts_of(self.output))
        write_whole(parts_of(self.output) / name, _sealed(texts))

    def finish(self, names: Sequence[str], files: Sequence[Path]) -> None:
        """Put the tasks of a finished study together, and note what its files are."""
        path = archive_of(self.output)
        waiting = path.with_name(f".{path.name}")
        try:
            with zipfile.ZipFile(waiting, "w", zipfile.ZIP_DEFLATED) as archive:
                for name in names:
                    texts = self.read(name)
                    assert texts is not None
                    archive.writestr(zipfile.ZipInfo(name, MOMENT), _sealed(texts),
                                     zipfile.ZIP_DEFLATED)  # fmt: skip
                archive.comment = json.dumps({each.name: _digest(each) for each in files}).encode()
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


def _sealed(texts: Texts) -> str:
    """Texts with a first line that says whether all of them are there."""
    whole = "".join(texts)
    sizes = " ".join(str(len(text)) for text in texts)
    return f"{hashlib.sha256(whole.encode()).hexdigest()} {sizes}\n{whole}"


def _opened(raw: bytes) -> Texts | None:
    try:
        first, _, whole = raw.decode().partition("\n")
        _, *sizes = first.split(" ")
        texts, at = [], 0
        for size in map(int, sizes):
            texts.append(whole[at : at + size])
            at += size
    except ValueError:
        return None
    return tuple(texts) if _sealed(tuple(texts)).encode() == raw else None


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
