"""Rating list files: find out the format of a file, also in a zip, and read its persons."""

import stat
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from io import BufferedReader, RawIOBase
from pathlib import Path
from typing import BinaryIO, Literal, cast

from pairopt.common.limits import LARGEST_FILE
from pairopt.errors import InputError
from pairopt.event.report_head import RatingKind
from pairopt.files.rating_lists.csv_file import read_csv_list
from pairopt.files.rating_lists.limits import (
    LARGEST_LIST,
    LONGEST_LINE,
    LONGEST_VALUE,
    MOST_PERSONS,
    MOST_ZIPPED_FILES,
)
from pairopt.files.rating_lists.person import RATING_KINDS, ListedPerson
from pairopt.files.rating_lists.text_file import (
    ColumnSlices,
    parse_header,
    read_text_list,
)
from pairopt.files.rating_lists.xml_file import has_one_rating, read_xml_list
from pairopt.files.text_source import WORKBOOK, decode_text
from pairopt.files.zip_archive import BROKEN, USUAL

ListForm = Literal["text", "xml", "csv"]
LIST_SUFFIXES = (".txt", ".csv", ".xml")
BEGINNING = 2**14
"""Bytes that are enough for the header line, or for the first person of an XML file."""
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class ListFile:
    """A rating list file: how to read it, and what its header says.

    Attributes
    ----------
    path : Path
        The file.
    member : str
        The name of the list in the zip archive, "" if the file is none.
    form : "text", "xml" or "csv"
        The format.
    month : str
        The month that the list states, for example "2026-10"; "" if it has none.
    file_month : str
        The month of the file's date, to propose it.
    has_one_rating : bool
        Whether it is a FIDE list of one kind of game.
    kind : RatingKind or None
        The kind of game of such a list, by the name of the file.
    columns : ColumnSlices or None
        The columns of a text file.
    label : str
        What messages call the file; "" for its path.
    """

    path: Path
    member: str
    form: ListForm
    month: str
    file_month: str
    has_one_rating: bool = False
    kind: RatingKind | None = None
    columns: ColumnSlices | None = None
    label: str = ""

    @property
    def source(self) -> str:
        """The name of the list in messages.

        It is the label or the path, followed by the member of a zip archive.
        """
        shown_path = self.label or str(self.path)
        return f"{shown_path}, {self.member}" if self.member else shown_path

    @property
    def can_be_dated_by_zip(self) -> bool:
        """Whether the file's date in a zip archive may stand for the list's month.

        It may if the list states no month, and the archive has a date. A date of 1980
        stands for none.
        """
        has_zip_date = bool(self.member) and not self.file_month.startswith("1980")
        return has_zip_date and not self.month

    def with_kind(self, kind: RatingKind) -> "ListFile":
        """Return a copy of the file as the list of this kind of game."""
        return replace(self, kind=kind)


def inspect_list_file(path: str | Path, label: str = "") -> ListFile:
    """Find out the format and the month of a rating list file.

    Parameters
    ----------
    path : path
        A text, XML or CSV file, or a zip archive with one of them.
    label : str
        What messages call the file, by default its path.

    Returns
    -------
    ListFile
        How to read it.

    Raises
    ------
    InputError
        If the file cannot be read, is no rating list, or has an unknown header.
    """
    path = Path(path)
    shown_path = label or str(path)
    try:
        with path.open("rb") as binary_file:
            is_zip = binary_file.read(len(WORKBOOK)) == WORKBOOK
            file_time = datetime.fromtimestamp(path.stat().st_mtime, UTC)
        if is_zip:
            return _inspect_zip(path, label)
        with path.open("rb") as binary_file:
            first_bytes = binary_file.read(BEGINNING)
    except FileNotFoundError:
        raise InputError(shown_path, "file.missing") from None
    except OSError as error:
        raise InputError(shown_path, "file.unread", why=error.strerror) from None
    return _inspect_beginning(
        ListFile(path, "", "csv", "", f"{file_time:%Y-%m}", label=label), first_bytes
    )


def _inspect_zip(path: Path, label: str) -> ListFile:
    """Find the rating list in a zip archive.

    Only .txt, .csv and .xml files count. If several are lists, a single file in FIDE's
    formats is taken, or a single CSV file with persons if there are none in FIDE's
    formats. `label` is the name of the archive in messages, "" for its path. Raises
    InputError if no list is left, more than one is, there are over MOST_ZIPPED_FILES
    files, or the archive cannot be read.
    """
    shown_path = label or str(path)
    list_files: list[ListFile] = []
    first_error: InputError | None = None
    try:
        with zipfile.ZipFile(path) as archive:
            zip_entries = archive.infolist()
            if len(zip_entries) > MOST_ZIPPED_FILES:
                raise InputError(shown_path, "rating_list.no_list_in_zip")
            for zip_entry in zip_entries:
                if not zip_entry.filename.lower().endswith(LIST_SUFFIXES):
                    continue
                if zip_entry.compress_type not in USUAL or stat.S_ISLNK(
                    zip_entry.external_attr >> 16
                ):
                    continue
                with archive.open(zip_entry) as member_stream:
                    first_bytes = member_stream.read(BEGINNING)
                file_month = f"{zip_entry.date_time[0]}-{zip_entry.date_time[1]:02}"
                try:
                    list_file = _inspect_beginning(
                        ListFile(
                            path, zip_entry.filename, "csv", "", file_month, label=label
                        ),
                        first_bytes,
                    )
                except InputError as error:
                    first_error = first_error or error
                    continue
                list_files.append(list_file)
    except BROKEN:
        raise InputError(shown_path, "rating_list.broken_zip") from None

    if len(list_files) > 1:
        list_files = [
            member_file for member_file in list_files if member_file.form != "csv"
        ] or [
            member_file
            for member_file in list_files
            if _is_list_of_persons(member_file)
        ]
    if len(list_files) == 1:
        return list_files[0]
    if list_files:
        member_names = [
            member_file.member[:LONGEST_VALUE] for member_file in list_files
        ]
        raise InputError(shown_path, "rating_list.several_in_zip", names=member_names)
    raise first_error or InputError(shown_path, "rating_list.no_list_in_zip")


def _is_list_of_persons(list_file: ListFile) -> bool:
    """Return whether a first person can be read from a list file.

    The file is opened and read. CSV files of clubs and regions in a zip archive have no
    persons. An error of the file gives False.
    """
    try:
        return next(read_persons(list_file), None) is not None
    except InputError:
        return False


def _inspect_beginning(unread: ListFile, beginning: bytes) -> ListFile:
    """Return a list file with its format, which its first bytes show.

    `beginning` are the first bytes of the list, and `unread` says where it is. XML
    begins with <; a text file has a header line of FIDE, or one without separators; all
    others are CSV files. The month comes from a text file's header, and the kind of
    game from the name of the file; a CSV file gets neither. Raises InputError if the
    bytes are empty or no text, or the header line is not known.
    """
    source_name = unread.source
    list_bytes = beginning.removeprefix(BYTE_ORDER_MARK)
    if not list_bytes.strip():
        raise InputError(source_name, "file.empty")
    named_kind = _find_kind(unread.member or unread.path.name)
    if list_bytes.lstrip().startswith(b"<"):
        has_single_rating = has_one_rating(beginning)
        return replace(
            unread, form="xml", has_one_rating=has_single_rating, kind=named_kind
        )

    header_line = list_bytes.partition(b"\n")[0]
    if header_line.startswith(b"ID Number") or not set(header_line) & set(b",;\t"):
        if (
            not header_line.isascii()
            or b"\0" in header_line
            or len(header_line) > LONGEST_LINE
        ):
            raise InputError(source_name, "rating_list.no_text")
        column_slices = parse_header(header_line.decode("ascii"), source_name)
        return replace(
            unread,
            form="text",
            month=column_slices.month,
            has_one_rating="one_rating" in column_slices.slices,
            kind=named_kind,
            columns=column_slices,
        )
    return unread


def _find_kind(name: str) -> RatingKind | None:
    """Return the first kind of game that is a part of a file's name, None if none is."""
    return next(
        (rating_kind for rating_kind in RATING_KINDS if rating_kind in name.lower()),
        None,
    )


def read_persons(list_file: ListFile) -> Iterator[ListedPerson]:
    """Yield the persons of a rating list file, in its order.

    `list_file` says where the list is and how to read it. A list of one kind of game,
    whose kind is known, gives ratings of this kind. Raises InputError, maybe after some
    persons, if the file is damaged, too large, has too many persons, or has a person
    who cannot be read.
    """
    source_name = list_file.source
    with _open_stream(list_file) as byte_stream:
        listed_persons: Iterator[ListedPerson]
        single_kind = list_file.kind if list_file.has_one_rating else None
        try:
            if list_file.form == "csv":
                csv_bytes = byte_stream.read(LARGEST_FILE + 1)
                listed_persons = read_csv_list(decode_text(source_name, csv_bytes))
            elif list_file.form == "xml":
                listed_persons = read_xml_list(byte_stream, source_name, single_kind)
            else:
                assert list_file.columns is not None
                byte_stream.readline(LONGEST_LINE + 1)
                listed_persons = read_text_list(
                    byte_stream, list_file.columns, source_name, single_kind
                )
            for person_count, listed_person in enumerate(listed_persons):
                if person_count == MOST_PERSONS:
                    raise InputError(
                        source_name, "rating_list.too_many_persons", most=MOST_PERSONS
                    )
                yield listed_person
        except BROKEN as error:
            error_text = getattr(error, "strerror", None) or "the archive is damaged"
            raise InputError(source_name, "file.unread", why=error_text) from None


@contextmanager
def _open_stream(list_file: ListFile) -> Iterator[BinaryIO]:
    """Open a list, which may be in a zip archive, for reading its bytes.

    `list_file` says where the list is. It is a context manager that closes the stream.
    The stream raises InputError after LARGEST_LIST bytes.
    """
    path, source_name = list_file.path, list_file.source
    if not list_file.member:
        with path.open("rb") as binary_file:
            yield _limit_size(binary_file, source_name)
        return
    with (
        zipfile.ZipFile(path) as archive,
        archive.open(list_file.member) as member_stream,
    ):
        yield _limit_size(cast(BinaryIO, member_stream), source_name)


def _limit_size(stream: BinaryIO, source: str) -> BinaryIO:
    """Return a buffered stream that raises InputError after LARGEST_LIST bytes.

    `source` is the name of the file in the error.
    """
    return cast(BinaryIO, BufferedReader(_LimitedStream(stream, source), 2**18))


class _LimitedStream(RawIOBase):
    """Raw stream over another one that raises InputError after LARGEST_LIST bytes."""

    def __init__(self, stream: BinaryIO, source: str) -> None:
        self._stream, self._source = stream, source
        self._size = 0

    def readable(self) -> bool:
        """Return True, because the stream can be read."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Read bytes into a buffer, and return how many there are; 0 at the end.

        Raises InputError once more than LARGEST_LIST bytes were read in all.
        """
        chunk_bytes = self._stream.read(len(buffer))
        self._size += len(chunk_bytes)
        if self._size > LARGEST_LIST:
            raise InputError(
                self._source, "rating_list.too_large", gigabytes=LARGEST_LIST // 2**30
            )
        buffer[: len(chunk_bytes)] = chunk_bytes
        return len(chunk_bytes)
