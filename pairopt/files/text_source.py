"""Text sources: the decoded text of a file, or an error if it is not text."""

import json
import re
from codecs import BOM_UTF8
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pairopt.common.limits import LARGEST_FILE, MOST_CELLS, MOST_LINES
from pairopt.errors import Fault, InputError, TextLocation
from pairopt.messages import Note, message
from pairopt.messages.formatting import find_nearest

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
"""Encodings that spreadsheets write besides UTF-8."""
PAGE = re.compile(r"\s*<(!doctype|html|table)", re.IGNORECASE)
LINE_ENDS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
NO_TEXT = re.compile("[\0\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class TextSource:
    """The decoded text of a file.

    Attributes
    ----------
    name : str
        The name of the file in messages.
    text : str
        The text, without a byte order mark.
    notes : tuple[Note, ...]
        Notes on how the file was decoded.
    marked : bool
        Whether the file begins with a byte order mark.
    typed : bool
        Whether somebody typed or pasted the text. Only then can a single line be a list of names.
    """

    name: str
    text: str
    notes: tuple[Note, ...] = ()
    marked: bool = False
    typed: bool = False

    @property
    def newline(self) -> str:
        """The line end of the text: CR LF if it has any, otherwise LF."""
        return "\r\n" if "\r\n" in self.text else "\n"


def read_source(path: str | Path) -> TextSource:
    """Read and decode a file. Raises InputError if it cannot be read or is not text."""
    return decode_text(str(path), read_bytes(path))


def read_bytes(path: str | Path) -> bytes:
    """Read a file, at most one byte more than the size limit for events.

    For a path FILE.xlsx#SHEET, the workbook FILE.xlsx is read, unless a file has that
    very name. A larger file is cut without an error; `require_size` checks for that.
    Raises InputError if the file cannot be read.
    """
    sheet_match = SHEET.fullmatch(str(path))
    try:
        with Path(
            sheet_match[1] if sheet_match and not Path(path).exists() else path
        ).open("rb") as binary_file:
            return binary_file.read(LARGEST_FILE + 1)
    except FileNotFoundError:
        raise _make_missing_error(Path(path)) from None
    except OSError as error:
        raise InputError(str(path), "file.unread", why=error.strerror) from None


def _make_missing_error(path: Path) -> InputError:
    """Return the error for a file that does not exist, without raising it.

    It names a file in the same folder whose name is similar, if there is one.
    """
    file_names: list[str] = []
    with suppress(OSError):
        file_names = [path_in_folder.name for path_in_folder in path.parent.iterdir()]
    near_name = find_nearest(path.name, file_names)
    if near_name is None:
        return InputError(str(path), "file.missing")
    near_path = str(path.with_name(near_name))
    return InputError(str(path), "file.missing_near", near=near_path)


def require_size(name: str, size: int) -> None:
    """Raise InputError if a file of `size` bytes is larger than pairopt reads.

    `name` is the name of the file in the error.
    """
    if size > LARGEST_FILE:
        raise InputError(name, "file.too_large", megabytes=LARGEST_FILE // 2**20)


def decode_text(name: str, raw: bytes) -> TextSource:
    """Decode the bytes of a file: UTF-8, or an encoding that spreadsheets write.

    `raw` are the bytes, and `name` is the name of the file in messages. A byte order
    mark is left out, and a note says if the encoding is not UTF-8. Raises InputError if
    the bytes are empty, too large, of another kind of file such as a web page, or not
    text, and for too many lines.
    """
    require_size(name, len(raw))
    if not raw.strip():
        raise InputError(name, "file.empty")
    for first_bytes, message_kind in NO_TEXT_FILES.items():
        if raw.startswith(first_bytes):
            raise InputError(name, message_kind)
    try:
        decoded_text = raw.decode("utf-8-sig")
        no_text_message = message("file.nul")
        line_number = decoded_text.partition("\0")[0].count("\n") + 1
    except UnicodeDecodeError as error:
        decoded_text = "\0"
        no_text_message = message("file.no_text")
        line_number = raw[: error.start].count(b"\n") + 1
    if PAGE.match(decoded_text):
        raise InputError(name, "file.web_page")
    if sum(map(decoded_text.count, LINE_ENDS)) > MOST_LINES:
        raise InputError(name, "file.too_long", most=MOST_LINES)
    if "\0" not in decoded_text:
        return TextSource(name, decoded_text, marked=raw.startswith(BOM_UTF8))
    encoding = _guess_encoding(raw)
    if encoding is None:
        raise InputError(name, [Fault(no_text_message, TextLocation(line_number))])
    encoding_note = message("file.encoding", source=name, encoding=ENCODINGS[encoding])
    return TextSource(name, raw.decode(encoding), (encoding_note,))


def encode_text(text: str, marked: bool) -> bytes:
    """Encode a text as UTF-8, after a byte order mark if `marked`."""
    encoded_text = text.encode()
    return BOM_UTF8 + encoded_text if marked else encoded_text


def _guess_encoding(raw: bytes) -> str | None:
    """Guess the encoding of bytes that are not UTF-8.

    `raw` are the bytes. The result is one of the ENCODINGS that spreadsheets write:
    Windows-1252 or UTF-16. Returns None if the bytes are text in neither of them.
    """
    # Only text that is not UTF-8 needs it.
    from charset_normalizer import from_bytes

    # In UTF-16, every second byte of most text is 0.
    has_many_zeros = 4 * raw.count(0) > len(raw)
    is_utf_16 = raw.startswith(MARKS) or has_many_zeros
    likely_encodings = [
        encoding for encoding in ENCODINGS if encoding.startswith("utf") == is_utf_16
    ]
    best_guess = from_bytes(raw, cp_isolation=likely_encodings).best()
    if best_guess is None:
        return None
    try:
        return None if "\0" in raw.decode(best_guess.encoding) else best_guess.encoding
    except UnicodeDecodeError:  # a part of it alone was looked at
        return None


def parse_json(source: TextSource, **hooks: Any) -> Any:
    """Parse JSON safely; `hooks` are keyword arguments of `json.loads`.

    `source` is the text. Numbers with a decimal point or exponent, integers with more
    than LONGEST_INTEGER characters, NaN and Infinity become texts: 1e999999999 could
    fill the memory. Raises InputError if the text is not JSON, is nested too deeply, or
    has more values than any event.
    """
    if sum(map(source.text.count, "[{,")) > MOST_CELLS:
        raise InputError(source.name, "nrtm.too_many_values", most=MOST_CELLS)
    try:  # 1e999999999 stays short
        json_options: dict[str, Any] = {
            "parse_float": str,
            "parse_constant": str,
            **hooks,
        }
        json_options |= {
            "parse_int": lambda text: (
                int(text) if len(text) <= LONGEST_INTEGER else text
            )
        }
        return json.loads(source.text, **json_options)
    except json.JSONDecodeError as error:
        error_location = TextLocation(error.lineno, str(error.colno))
        syntax_fault = Fault(message("nrtm.no_json", why=error.msg), error_location)
        raise InputError(source.name, [syntax_fault]) from None
    except RecursionError:
        raise InputError(source.name, "nrtm.too_deep") from None


def is_text(text: str) -> bool:
    """Return whether a CSV cell can hold a text that comes from JSON or a DataFrame.

    The text has at most LONGEST_CELL characters, no NUL and no lone surrogate.
    """
    return len(text) <= LONGEST_CELL and NO_TEXT.search(text) is None
