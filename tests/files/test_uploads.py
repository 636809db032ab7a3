"""What was dropped or pasted, understood before anything is written."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from itertools import pairwise

import pytest
from openpyxl import Workbook
from places import DATA

from pairopt import InputError
from pairopt.files.formats import decode_content
from pairopt.files.read import read_upload


def workbook(rows: str = "") -> bytes:
    """A workbook of Ann and Bob, with further rows as XML."""
    book = Workbook()
    for row in (["player"], ["Ann"], ["Bob"]):
        book.active.append(row)
    plain = io.BytesIO()
    book.save(plain)
    out = io.BytesIO()
    with (
        zipfile.ZipFile(plain) as old,
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for name in old.namelist():
            content = old.read(name)
            if name.endswith("sheet1.xml"):
                content = content.replace(
                    b"</sheetData>", rows.encode() + b"</sheetData>"
                )
            new.writestr(name, content)
    return out.getvalue()


def repacked(
    raw: bytes, change: Callable[[bytes], bytes], how: int = zipfile.ZIP_DEFLATED
) -> bytes:
    """A workbook with each of its parts changed."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(raw)) as old, zipfile.ZipFile(out, "w", how) as new:
        for name in old.namelist():
            new.writestr(name, change(old.read(name)))
    return out.getvalue()


def row(number: int, column: str = "A") -> str:
    cell = f'<c r="{column}{number}" t="inlineStr"><is><t>Cid</t></is></c>'
    return f'<row r="{number}">{cell}</row>'


@pytest.mark.sweep
@pytest.mark.parametrize(
    "rows",
    [row(4_000_000_000), "".join(row(number, "ZZZ") for number in range(4, 2_000))],
    ids=["far down", "far right"],
)
def test_a_small_workbook_of_very_many_cells_is_refused(rows: str) -> None:
    with pytest.raises(InputError, match=r"more than .* cells"):
        decode_content("x.xlsx", workbook(rows))


@pytest.mark.long
def test_gaps_in_a_workbook_are_read() -> None:
    table = decode_content("x.xlsx", workbook(row(40_000)))
    assert list(table.cells["player"]) == ["Ann", "Bob", "Cid"]
    assert table.rows == [2, 3, 40_000]


def strings(content: bytes) -> bytes:
    """A workbook with this for its strings."""
    of_strings = (
        b'<Override PartName="/xl/sharedStrings.xml" ContentType="application/vnd.openxmlformats-'
        b'officedocument.spreadsheetml.sharedStrings+xml"/></Types>'
    )
    head = b'<?xml version="1.0"?>%s<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
    out = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(workbook())) as old,
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for name in old.namelist():
            new.writestr(name, old.read(name).replace(b"</Types>", of_strings))
        kinds, _, rest = content.rpartition(b"]>")
        new.writestr(
            "xl/sharedStrings.xml", head % (kinds + b"]>" * bool(kinds)) + rest
        )
    return out.getvalue()


@pytest.mark.long
def test_a_workbook_that_unpacks_to_much_more_is_refused() -> None:
    raw = strings(b"<si><t>a</t></si>" * 500_000)
    assert len(raw) < 100_000
    with pytest.raises(InputError, match="unpacks to more than 8 MB"):
        read_upload(raw, "x.xlsx")


KINDS = "".join(
    f'<!ENTITY {two} "{f"&{one};" * 10}">' for one, two in pairwise("abcdefghij")
)
LONG = "x" * 7_000_000
UNFOLDING = f'<!DOCTYPE l [<!ENTITY a "haha">{KINDS}]><si><t>&LAST;</t></si>'


@pytest.mark.parametrize(
    "raw",
    [
        strings(UNFOLDING.replace("LAST", "j").encode()),
        strings(UNFOLDING.replace("LAST", "b").encode()),
        strings(
            UNFOLDING.replace("LAST", "b").replace("]>", f"<!--{LONG}-->]>").encode()
        ),
        strings(
            b'<!DOCTYPE l [<!ENTITY a SYSTEM "file:///etc/hostname">]><si><t>&a;</t></si>'
        ),
        repacked(
            workbook(),
            lambda part: (
                part.replace(
                    b"<worksheet", b'<!DOCTYPE worksheet [<!ENTITY a "b">]><worksheet'
                )
                .decode()
                .encode("utf-16")
                if b"<worksheet" in part
                else part
            ),
        ),
    ],
    ids=["far", "near", "beside a comment", "of a file", "in UTF-16"],
)
def test_a_workbook_that_declares_entities_is_refused_before_they_unfold(
    raw: bytes,
) -> None:
    with pytest.raises(
        InputError, match=r"xl/\S+' in the workbook declares a document type"
    ):
        read_upload(raw, "x.xlsx")


@pytest.mark.long
def test_a_workbook_is_packed_as_workbooks_are() -> None:
    raw = repacked(workbook(), lambda part: part, zipfile.ZIP_LZMA)
    with pytest.raises(InputError, match="can't be read as a workbook"):
        read_upload(raw, "x.xlsx")


@pytest.mark.parametrize(
    ("raw", "players", "rounds", "form"),
    [
        (b"Ann\nBob\n", 2, 0, "a list of names"),
        (
            b"player;rating\nAnn;1500\nBob;=1+1\n".replace(b"=1+1", b"2"),
            2,
            0,
            "players.csv",
        ),
        (b"round,player1,player2,score1,score2\n1,Ann,Bob,3,0\n", 2, 1, "matches.csv"),
        (workbook(row(9)), 3, 0, "players.csv"),
        ((DATA / "cobra_single_sided.json").read_bytes(), None, None, "NRTM JSON"),
        ((DATA / "byes_and_forfeits.trf").read_bytes(), None, None, "TRF"),
    ],
    ids=["names", "csv", "matches", "xlsx", "json", "trf"],
)
def test_what_is_understood(
    raw: bytes, players: int | None, rounds: int | None, form: str
) -> None:
    found = read_upload(raw, "dropped")
    assert form in found.format
    assert players in (None, len(found.event.players))
    assert rounds in (None, found.event.round - 1)
    assert found.event.players


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"", "empty"),
        (b"player,rating\nAnn,x\nBob,=cmd()\n", "row 3, column rating: Found '=cmd()'"),
        (
            b"player,rating\nAnn,1\nAnn,2\n",
            "row 3, column player: 'Ann' is already in row 2. Remove or rename one of the two players.",
        ),
        (b"player\n" + b"x" * 2**20, "larger than 1 MB"),
        (
            b"player," + b",".join(b"c%d" % k for k in range(1000)) + b"\nAnn\n",
            "1001 columns",
        ),
        (b"[" * 10_000 + b"]" * 10_000, "pairopt also reads any of these files"),
        (b"\x89PNG\r\n\x1a\n\0\0", "not a"),
        (b"PK\x03\x04 no zip", "can't be read as a workbook"),
        (b"player\n", "no players"),
    ],
)
def test_what_is_not_understood(raw: bytes, said: str) -> None:
    with pytest.raises(InputError) as caught:
        read_upload(raw, "dropped")
    assert said in str(caught.value)
