"""Read and write zip archives: all of the files that are wanted, or none."""

import io
import lzma
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path

from pairopt.common.limits import LARGEST_BODY
from pairopt.errors import UsageError
from pairopt.messages.formatting import escape_hidden, shorten

BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    RuntimeError,
    ValueError,
    OSError,
)
"""The errors raised for bytes that are no zip archive, or one of an unknown kind."""


USUAL = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Compressions that are unpacked piece by piece, never to more than is asked for."""
EVENT_FILE_NAME = re.compile(
    r"(players|matches|bracket|log)\.csv|event\.toml|(?!(?i:event)\.)\w[\w -]{0,50}\.toml"
)
"""The files of an event, and of a model of its own: no path, and nothing that is hidden."""


class BadZipError(ValueError):
    """Bytes are not a zip archive, or cannot be unpacked."""


def zip_files(files: Mapping[str, bytes]) -> bytes:
    """Return a zip archive with these files, by their names."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as pack:
        for name, content in files.items():
            pack.writestr(name, content)
    return out.getvalue()


def read_zip(path: Path, wanted: Callable[[str], bool]) -> Mapping[str, bytes]:
    """Read the files of a zip whose names are wanted. Raises OSError or BadZipError."""
    raw = path.read_bytes()
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as pack:
            return {name: pack.read(name) for name in pack.namelist() if wanted(name)}
    except BROKEN as error:
        raise BadZipError(str(error)) from None


def names_in_zip(raw: bytes) -> list[str]:
    """Return the names of the files in a zip; none if the bytes are no zip."""
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as pack:
            return pack.namelist()
    except BROKEN:
        return []


def read_uploaded_zip(raw: bytes, name: str) -> dict[str, bytes]:
    """Read the files of an uploaded zip archive, which may be hostile.

    Only files of an event are accepted, and a model of its own. Raises UsageError for
    other names, links, repeated names, archives that hold too much, and bytes that are
    no archive.
    """
    files = dict[str, bytes]()
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as pack:
            if sum(entry.file_size for entry in pack.infolist()) > LARGEST_BODY:
                raise UsageError(
                    "upload.holds_too_much", name=name, most=LARGEST_BODY // 2**20
                )
            for entry in pack.infolist():
                is_ordinary = entry.compress_type in USUAL and not stat.S_ISLNK(
                    entry.external_attr >> 16
                )
                if (
                    not is_ordinary
                    or entry.filename in files
                    or not EVENT_FILE_NAME.fullmatch(entry.filename)
                ):
                    inside = escape_hidden(shorten(entry.filename))
                    raise UsageError("upload.strange", name=name, found=inside)
                files[entry.filename] = pack.read(entry)
    except BROKEN:
        raise UsageError("upload.no_zip", name=name) from None
    return files
