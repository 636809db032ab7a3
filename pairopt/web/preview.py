"""Show a list of players as it was read, line by line, in cells that can be corrected."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256

from starlette.datastructures import FormData

from pairopt.files.pasted import Cells, Pasted, PastedLine

CELLS = "line."
"""The prefix of the form fields that are cells of a preview."""
OF = "lines"
"""The form field with the digest of the list that the preview belongs to."""
MOST_SHOWN = 300
"""The most lines of a list that has cells for all; a longer one has only doubtful lines."""


@dataclass(frozen=True, slots=True)
class PastedPreview:
    """A list of names as it was read, for the page that asks whether it is right.

    `pasted` are its lines, and `of` is the digest of the list, so that corrections of
    another list are not taken.
    """

    pasted: Pasted
    of: str

    @property
    def asked(self) -> list[tuple[int, PastedLine]]:
        """The lines that can be read in two ways, with their positions in the list."""
        return [
            (line_position, pasted_line)
            for line_position, pasted_line in enumerate(self.pasted.lines)
            if pasted_line.doubt is not None
        ]

    @property
    def undoubted(self) -> list[tuple[int, PastedLine]]:
        """The lines without a doubt, each after its position in the list.

        It is empty if the list has more than MOST_SHOWN lines.
        """
        if len(self.pasted.lines) > MOST_SHOWN:
            return []
        return [
            (line_position, pasted_line)
            for line_position, pasted_line in enumerate(self.pasted.lines)
            if pasted_line.doubt is None
        ]


def compute_digest(raw: bytes) -> str:
    """Return the digest by which a form names the list that its cells belong to.

    It is the same for both kinds of line ends, because browsers change them.
    """
    return sha256(raw.replace(b"\r\n", b"\n")).hexdigest()


def is_cell(field: str) -> bool:
    """Return whether a form field, by its name, belongs to a preview of a list.

    It is a cell of a line, or the digest of the list.
    """
    return field == OF or field.startswith(CELLS)


def read_cells(form: FormData, raw: bytes) -> Mapping[int, Cells]:
    """Read the cells of a preview from a form, by the positions of their lines.

    `raw` is the content of the list in the form. There are no cells if they belong to
    another list, because the list was changed since.
    """
    if form.get(OF) != compute_digest(raw):
        return {}
    line_positions = [
        int(field_name.removeprefix(CELLS).removesuffix(".name"))
        for field_name in form
        if re.fullmatch(rf"{re.escape(CELLS)}[0-9]{{1,6}}\.name", field_name)
    ]
    return {
        line_position: _read_line_cells(form, line_position)
        for line_position in line_positions
    }


def _read_line_cells(form: FormData, position: int) -> Cells:
    """Return the cells of one line of a preview, by its position in the list.

    Several blanks become one. The line is a player if its box is ticked and the name is
    not empty.
    """
    corrected_name, corrected_rating, corrected_remark = (
        " ".join(str(form.get(f"{CELLS}{position}.{cell_name}", "")).split())
        for cell_name in ("name", "rating", "remark")
    )
    is_player = f"{CELLS}{position}.in" in form and bool(corrected_name)
    return Cells(corrected_name, corrected_rating, corrected_remark, is_player)
