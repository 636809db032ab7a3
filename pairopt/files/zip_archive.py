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
    """Raised if bytes are not a zip archive, or cannot be unpacked."""


def zip_files(files: Mapping[str, bytes]) -> bytes:
    """Return the bytes of a compressed zip archive; `files` are contents by name."""
    archive_buffer = io.BytesIO()
    with zipfile.ZipFile(archive_buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for file_name, content in files.items():
            archive.writestr(file_name, content)
    return archive_buffer.getvalue()


def read_zip(path: Path, wanted: Callable[[str], bool]) -> Mapping[str, bytes]:
    """Read the files of a zip archive for whose names `wanted` returns True.

    Contents are returned by name. Raises OSError if the archive cannot be read, and
    BadZipError if it is no zip archive or is damaged.
    """
    archive_bytes = path.read_bytes()
    try:
        with zipfile.ZipFile(io.BytesIO(archive_bytes)) as archive:
            return {
                file_name: archive.read(file_name)
                for file_name in archive.namelist()
                if wanted(file_name)
            }
    except BROKEN as error:
        raise BadZipError(str(error)) from None


def names_in_zip(raw: bytes) -> list[str]:
    """Return the names of the files in a zip archive; [] if `raw` is no archive."""
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            return archive.namelist()
    except BROKEN:
        return []


def read_uploaded_zip(raw: bytes, name: str) -> dict[str, bytes]:
    """Read the files of an uploaded zip archive, which may be hostile, by name.

    `raw` are its bytes, and `name` is the name of the archive in errors. Only files of
    an event are accepted, and a model of its own. Raises UsageError for other names,
    links, repeated names, archives that hold too much, and bytes that are no archive.
    """
    content_by_name = dict[str, bytes]()
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            if (
                sum(zip_entry.file_size for zip_entry in archive.infolist())
                > LARGEST_BODY
            ):
                raise UsageError(
                    "upload.holds_too_much", name=name, most=LARGEST_BODY // 2**20
                )
            for zip_entry in archive.infolist():
                is_ordinary = zip_entry.compress_type in USUAL and not stat.S_ISLNK(
                    zip_entry.external_attr >> 16
                )
                if (
                    not is_ordinary
                    or zip_entry.filename in content_by_name
                    or not EVENT_FILE_NAME.fullmatch(zip_entry.filename)
                ):
                    shown_name = escape_hidden(shorten(zip_entry.filename))
                    raise UsageError("upload.strange", name=name, found=shown_name)
                content_by_name[zip_entry.filename] = archive.read(zip_entry)
    except BROKEN:
        raise UsageError("upload.no_zip", name=name) from None
    return content_by_name
