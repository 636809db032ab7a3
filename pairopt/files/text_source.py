"""A source: the text of a file, decoded, or the one error that says why it is not text."""

import json
import re
from codecs import BOM_UTF8
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pairopt.common.limits import LARGEST_FILE, MOST_CELLS, MOST_LINES
from pairopt.errors import Fault, InputError, TextLocation
from pairopt.messages import Note, message

LONGEST_INTEGER = 15
LONGEST_CELL = 131_072  # characters; the csv module reads no more
WORKBOOK = b"PK\x03\x04"  # how an .xlsx begins, and any other zip archive
SHEET = re.compile(r"(.+\.xls[xm])#(.+)", re.IGNORECASE | re.DOTALL)
"""A sheet of a workbook, as it is named where a file is."""
NO_TEXT_FILES = {
    WORKBOOK: "file.workbook",
    b"\xd0\xcf\x11\xe0": "file.old_workbook",
    b"%PDF": "file.pdf",
}
MARKS = (b"\xff\xfe", b"\xfe\xff")
ENCODINGS = {
    "cp1252": "Windows-1252",
    "utf_16": "UTF-16",
    "utf_16_le": "UTF-16",
    "utf_16_be": "UTF-16",
}
"""What spreadsheets write besides UTF-8."""
PAGE = re.compile(r"\s*<(!doctype|html|table)", re.IGNORECASE)
LINE_ENDS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
NO_TEXT = re.compile("[\0\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class TextSource:
    """The name a file is reported by, its text, and notes on how that was read. `marked` where it
    begins with a byte order mark, which is no part of its text; `typed` where somebody has typed or
    pasted it: then one name is a list of names.
    """

    name: str
    text: str
    notes: tuple[Note, ...] = ()
    marked: bool = False
    typed: bool = False

    @property
    def newline(self) -> str:
        return "\r\n" if "\r\n" in self.text else "\n"


def read_source(path: str | Path) -> TextSource:
    """The text of a file. Raises InputError when it cannot be read, or is not text."""
    return decode_text(str(path), read_bytes(path))


def read_bytes(path: str | Path) -> bytes:
    """What is in a file (of FILE.xlsx#SHEET the workbook), up to one byte more than any event has.
    Raises InputError.
    """
    sheet = SHEET.fullmatch(str(path))
    try:
        with Path(sheet[1] if sheet and not Path(path).exists() else path).open(
            "rb"
        ) as file:
            return file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise InputError(str(path), "file.unread", why=error.strerror) from None


def require_size(name: str, size: int) -> None:
    if size > LARGEST_FILE:
        raise InputError(name, "file.too_large", megabytes=LARGEST_FILE // 2**20)


def decode_text(name: str, raw: bytes) -> TextSource:
    """The text in the bytes of a file: UTF-8 with or without a byte order mark, or a likely other.
    Raises InputError when it is empty, too large, or no text.
    """
    require_size(name, len(raw))
    if not raw.strip():
        raise InputError(name, "file.empty")
    for mark, kind in NO_TEXT_FILES.items():
        if raw.startswith(mark):
            raise InputError(name, kind)
    try:
        text, fault = raw.decode("utf-8-sig"), message("file.nul")
        place = text.partition("\0")[0].count("\n") + 1
    except UnicodeDecodeError as error:
        text, fault = "\0", message("file.no_text")
        place = raw[: error.start].count(b"\n") + 1
    if PAGE.match(text):
        raise InputError(name, "file.web_page")
    if sum(map(text.count, LINE_ENDS)) > MOST_LINES:
        raise InputError(name, "file.too_long", most=MOST_LINES)
    if "\0" not in text:
        return TextSource(name, text, marked=raw.startswith(BOM_UTF8))
    encoding = _guess_encoding(raw)
    if encoding is None:
        raise InputError(name, [Fault(fault, TextLocation(place))])
    note = message("file.encoding", source=name, encoding=ENCODINGS[encoding])
    return TextSource(name, raw.decode(encoding), (note,))


def encode_text(text: str, marked: bool) -> bytes:
    return BOM_UTF8 * marked + text.encode()


def _guess_encoding(raw: bytes) -> str | None:
    """How spreadsheets may have written bytes that are no UTF-8; None for no text."""
    # Only text that is not UTF-8 needs it.
    from charset_normalizer import from_bytes

    wide = raw.startswith(MARKS) or 4 * raw.count(0) > len(
        raw
    )  # every second byte of most text
    likely = [name for name in ENCODINGS if name.startswith("utf") == wide]
    found = from_bytes(raw, cp_isolation=likely).best()
    if found is None:
        return None
    try:
        return None if "\0" in raw.decode(found.encoding) else found.encoding
    except UnicodeDecodeError:  # a part of it alone was looked at
        return None


def parse_json(source: TextSource, **hooks: Any) -> Any:
    """The values of a JSON, with hooks of `json.loads`; decimals and longer integers are texts, NaN
    a word. Raises InputError for what is no JSON, or has more than any event.
    """
    if sum(map(source.text.count, "[{,")) > MOST_CELLS:
        raise InputError(source.name, "json.too_many_values", most=MOST_CELLS)
    try:  # 1e999999999 stays short
        how: dict[str, Any] = {"parse_float": str, "parse_constant": str, **hooks}
        how |= {
            "parse_int": lambda text: (
                int(text) if len(text) <= LONGEST_INTEGER else text
            )
        }
        return json.loads(source.text, **how)
    except json.JSONDecodeError as error:
        place = TextLocation(error.lineno, str(error.colno))
        fault = Fault(message("json.unread", why=error.msg), place)
        raise InputError(source.name, [fault]) from None
    except RecursionError:
        raise InputError(source.name, "json.too_deep") from None


def is_text(text: str) -> bool:
    """Whether a cell of a CSV can hold it: JSON and DataFrames may bring what none can."""
    return len(text) <= LONGEST_CELL and NO_TEXT.search(text) is None
