"""Packed: the files in the zip of a step, read whole or not at all."""

from __future__ import annotations

import io
import lzma
import struct
import zipfile
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path

from pairopt.errors import InputError
from pairopt.files.folder import HOME, to_mend

BROKEN = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, RuntimeError,
          ValueError, OSError)  # fmt: skip
"""What reading a zip raises that is none, or in no way that is known."""


def packed(path: Path, wanted: Callable[[str], bool]) -> Mapping[str, bytes]:
    """The files in a zip whose names are wanted. Raises OSError, or InputError for what is no
    zip."""
    raw = path.read_bytes()
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as pack:
            return {name: pack.read(name) for name in pack.namelist() if wanted(name)}
    except BROKEN as error:
        raise damaged(path, error) from None


def damaged(path: Path, why: object) -> InputError:
    """The error about a step of an event folder: its file in the journal, and what to do."""
    folder = next(each.parent for each in path.parents if each.name == HOME)
    return InputError(str(path), "file.no_step", to_mend(folder), why=str(why))
