"""What spreadsheets write: workbooks, other encodings, halves, lines with other separators."""

from __future__ import annotations

import datetime
import io
import random
import sys
import zipfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from notes import notes_of

from pairopt import Event, InputError, UsageError, read_event
from pairopt.cli import main
from pairopt.event.score_checks import points_of
from pairopt.folder import new, pair, result
from pairopt.folder.open_folder import read_folder_state

openpyxl = pytest.importorskip("openpyxl")
HEAD = ["round", "table", "player1", "player2", "side1", "score1", "score2", "status"]
ROWS = [
    [1, 1, "Ann", "Bob", "corp", 3, 0, None],
    [1, 2, "Cid", "Dee", "corp", 1.0, 1, None],
    [1, None, "Eve", None, None, 3, None, "bye"],
]
CSV = "round;player1;player2;score1;score2\n"


def workbook(path: Path, **sheets: list[list[Any]]) -> Path:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def text(path: Path, content: str, encoding: str = "utf-8") -> Path:
    path.write_bytes(content.encode(encoding))
    return path


def points(event: Event) -> dict[str, float]:
    return dict(
        zip(event.players, (points_of(event) / event.scale).tolist(), strict=True)
    )


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


# workbooks


def test_a_workbook_is_an_event(tmp_path: Path) -> None:
    event = read_event(workbook(tmp_path / "event.xlsx", Sheet1=[HEAD, *ROWS]))
    assert points(event) == {"Ann": 3, "Bob": 0, "Cid": 1, "Dee": 1, "Eve": 3}
    assert notes_of(event) == ()


def test_content_decides_not_the_name(tmp_path: Path) -> None:
    event = read_event(workbook(tmp_path / "event.csv", Sheet1=[HEAD, *ROWS]))
    assert event.round == 2


def test_players_in_a_workbook(tmp_path: Path) -> None:
    rows = [
        ["player", "rating", "active"],
        ["Ann", 1500.0, True],
        ["Bob", 1499.5, False],
    ]
    path = workbook(tmp_path / "players.xlsx", Sheet1=rows)
    event = read_event(path)
    assert event.columns["rating"] == ("1500", "1499.5")
    assert event.active.tolist() == [True, False]
    matches = text(tmp_path / "matches.csv", ",".join(HEAD) + "\n")
    assert read_event(matches, path).players == ("Ann", "Bob")


def test_standings_in_a_workbook(tmp_path: Path) -> None:
    rows = [["player", "score", "opponents"], ["Ann", 3, "Bob"], ["Bob", 0, "Ann"]]
    event = read_event(workbook(tmp_path / "standings.xlsx", Sheet1=rows))
    assert points(event) == {"Ann": 3, "Bob": 0}


def test_pairings_in_a_workbook(tmp_path: Path) -> None:
    players = text(tmp_path / "players.csv", "player\nAnn\nBob\n")
    pairing = workbook(
        tmp_path / "round.xlsx", Sheet1=[HEAD, [1, 1, "Ann", "Bob", "corp"]]
    )
    assert run("check", players, pairing, "--no-solve").exit_code == 0


def test_of_several_sheets_the_known_one_is_read_and_named(tmp_path: Path) -> None:
    path = workbook(
        tmp_path / "event.xlsx",
        Notes=[["a note"], ["more", "cells", "than the heading"]],
        Roster=[["player"], ["Ann"], ["Bob"], ["Cid"], ["Dee"], ["Eve"], ["Fay"]],
        Results=[HEAD, *ROWS],
    )
    event = read_event(path, path)
    assert event.players[-1] == "Fay"
    assert points(event)["Ann"] == 3
    assert (
        f"{path}: pairopt reads the sheet 'Results' and leaves out 'Notes', 'Roster'."
        in notes_of(event)
    )
    assert (
        f"{path}: pairopt reads the sheet 'Roster' and leaves out 'Notes', 'Results'."
        in notes_of(event)
    )


def test_faults_have_the_rows_of_the_sheet(tmp_path: Path) -> None:
    rows = [
        [],
        HEAD,
        *ROWS,
        [],
        [2, 1, "Ann", "Cid", "corp", datetime.date(2026, 2, 1), "won"],
    ]
    path = workbook(tmp_path / "event.xlsx", Sheet1=rows)
    with pytest.raises(InputError) as caught:
        read_event(path)
    assert [str(fault) for fault in caught.value.faults] == [
        "row 7, column score1: Found '2026-02-01'. A spreadsheet program has turned this cell into a date, "
        "for example 1-0 or 1.5. Format the column as text, then type the number again.",
        "row 7, column score2: Found 'won'. Write a number, for example 3 or 0.5.",
    ]


def test_a_workbook_without_its_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = workbook(tmp_path / "event.xlsx", Sheet1=[HEAD, *ROWS])
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(UsageError, match='-m pip install "openpyxl>='):
        read_event(path)


def test_what_is_no_workbook(tmp_path: Path) -> None:
    path = workbook(tmp_path / "event.xlsx", Sheet1=[HEAD, *ROWS])
    whole = path.read_bytes()
    other = io.BytesIO()
    with zipfile.ZipFile(other, "w") as archive:
        archive.writestr("letter.txt", "Dear Ann")
    for broken in (whole[: len(whole) // 2], other.getvalue()):
        path.write_bytes(broken)
        with pytest.raises(InputError, match="can't be read as a workbook"):
            read_event(path)
    with pytest.raises(InputError, match="The workbook is empty"):
        read_event(workbook(path, Sheet1=[], Sheet2=[[None]]))


@pytest.mark.long
def test_a_cell_far_away_takes_no_memory(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active["A1"], book.active["A2"] = "player", "Ann"
    book.active["XFD100000"] = "far"
    book.save(tmp_path / "far.xlsx")
    assert read_event(tmp_path / "far.xlsx").players == ("Ann",)


@pytest.mark.long
def test_a_small_file_that_holds_very_much(tmp_path: Path) -> None:
    path = workbook(tmp_path / "event.xlsx", Sheet1=[HEAD, *ROWS])
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/more.xml", b"0" * 2**27)
    with pytest.raises(InputError, match="unpacks to more than 8 MB"):
        read_event(path)


@pytest.mark.parametrize("seed", range(60))
def test_a_damaged_workbook_is_read_or_refused(tmp_path: Path, seed: int) -> None:
    rng, path = (
        random.Random(seed),
        workbook(tmp_path / "event.xlsx", Sheet1=[HEAD, *ROWS]),
    )
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    damaged = rng.choice(sorted(parts))
    with zipfile.ZipFile(path, "w") as archive:
        for name, part in parts.items():
            at, width = rng.randrange(len(part)), rng.randrange(1, 40)
            new = rng.choice([b"", b"9" * 12, b"<c r='ZZZ0'><v>", b"&x;", b"\xff"])
            whole = part[:at] + new + part[at + width :]
            archive.writestr(name, whole if name == damaged else part)
    with suppress(InputError):
        read_event(path)


def test_workbooks_are_not_written(tmp_path: Path) -> None:
    players = text(tmp_path / "players.csv", "player\nAnn\nBob\n")
    book = workbook(tmp_path / "round.xlsx", Sheet1=[HEAD, *ROWS])
    before = book.read_bytes()
    done = run("solve", players, "-o", tmp_path / "new.xlsx")
    assert done.exit_code == 2
    assert "workbooks are read, not written" in done.stderr
    assert run("solve", players, "--format", "csv", "-o", book).exit_code == 2
    assert book.read_bytes() == before


# encodings


@pytest.mark.parametrize(
    ("encoding", "said"),
    [
        ("cp1252", "Windows-1252"),
        ("utf-16", "UTF-16"),
        ("utf-16-le", "UTF-16"),
        ("utf-16-be", "UTF-16"),
    ],
)
def test_other_encodings_are_read_and_said(
    tmp_path: Path, encoding: str, said: str
) -> None:
    content = "player\tclub\nJürgen Müller\tKöln\nÅsa Öberg\tMalmö\nRené\tOrléans\n"
    path = text(tmp_path / "players.csv", content, encoding)
    event = read_event(path)
    assert event.players == ("Jürgen Müller", "Åsa Öberg", "René")
    assert notes_of(event) == (
        f"{path} is not UTF-8, so pairopt read the file as {said}. Check that the names are right.",
    )
    assert f"note: {notes_of(event)[0]}" in run("solve", path).stderr
    matches = text(tmp_path / "matches.csv", ",".join(HEAD) + "\n")
    assert notes_of(read_event(matches, path)) == notes_of(event)


def test_a_trf_in_ansi(tmp_path: Path) -> None:
    line = f"001    1      {'Müller, Jörg':<33} 2000 GER {'':<22}  0.0    1\n"
    event = read_event(
        text(tmp_path / "event.trf", f"012 Schönes Turnier\n{line}", "cp1252")
    )
    assert event.names == ("Müller, Jörg",)
    assert "read the file as Windows-1252" in notes_of(event)[0]


@pytest.mark.parametrize(
    "raw", [bytes(range(256)), "player\nЛюдмил\n".encode("cp1251")]
)
def test_what_is_in_no_likely_encoding_is_refused(tmp_path: Path, raw: bytes) -> None:
    path = tmp_path / "players.csv"
    path.write_bytes(raw)
    with pytest.raises(InputError, match="not a text file in UTF-8"):
        read_event(path)


# scores and separators


def test_halves(tmp_path: Path) -> None:
    path = text(tmp_path / "m.csv", CSV + "1;A;B;½;½\n1;C;D;1½;0,5\n")
    assert points(read_event(path)) == {"A": 0.5, "B": 0.5, "C": 1.5, "D": 0.5}
    for strange in ("½½", "½1", "1.5½", "1e½"):
        with pytest.raises(InputError, match="row 2, column score1"):
            read_event(text(path, CSV + f"1;A;B;{strange};0\n"))


@pytest.mark.parametrize("heading", [",", ";", "\t"])
@pytest.mark.parametrize("below", [",", ";", "\t"])
def test_lines_with_another_separator(tmp_path: Path, heading: str, below: str) -> None:
    first = (CSV + "1;A;B;1;0\n1;C;D;1;0\n").replace(";", heading)
    path = text(
        tmp_path / "m.csv", first + "2;A;C;1;0\n2;B;D;0;1\n".replace(";", below)
    )
    event = read_event(path)
    assert points(event) == {"A": 2, "B": 0, "C": 1, "D": 1}
    assert any("but rows 4, 5 have" in note for note in notes_of(event)) == (
        heading != below
    )


@pytest.mark.parametrize("line", ["2,A,C,1\n", "2,A,C,0,5,0,5\n", "2 A C 1 0\n"])
def test_lines_that_do_not_fit_stay_faults(tmp_path: Path, line: str) -> None:
    with pytest.raises(InputError, match="row 3"):
        read_event(text(tmp_path / "m.csv", CSV + "1;A;C;0,5;0,5\n" + line))


def test_a_name_with_a_comma_is_one_cell(tmp_path: Path) -> None:
    path = text(tmp_path / "players.csv", "player;club\nBerg, Ann\nLie, Bo\n")
    assert read_event(path).players == ("Berg, Ann", "Lie, Bo")


DATES = [
    "01. Jan",
    "1. Mai",
    "1. Mär",
    "05.Jan",
    "01-Jan",
    "Jan-01",
    "1-Jan-26",
    "2001-01-00",
    "01.01.2001",
    "1/0/1900",
    "01/05/26",
    "5 mai",
]


@pytest.mark.parametrize("cell", [*DATES, "won", "Maria", "1-0", "de", "x. Jan"])
def test_a_result_that_a_spreadsheet_has_made_a_date_of(
    tmp_path: Path, cell: str
) -> None:
    path = tmp_path / "matches.csv"
    path.write_text(
        f"round,table,player1,player2,score1,score2\n1,1,Ann,Bob,{cell},0\n"
    )
    with pytest.raises(InputError) as caught:
        read_event(path)
    assert ("has turned this cell into a date" in str(caught.value)) == (cell in DATES)


def resaved(folder: Path, how: str) -> None:
    """The tables of an event as a spreadsheet saves them."""
    for name in ("players.csv", "matches.csv"):
        text = (folder / name).read_text("utf-8")
        if "semicolons" in how:
            text = text.replace(",", ";")
        if "sep" in how:
            text = "sep=;\n" + text
        (folder / name).write_bytes(
            text.encode("cp1252" if "cp1252" in how else "utf-8-sig")
        )


@pytest.mark.parametrize(
    "how", ["cp1252", "semicolons", "sep semicolons", "cp1252 semicolons"]
)
def test_an_event_that_a_spreadsheet_has_saved_goes_on(
    tmp_path: Path, how: str
) -> None:
    listed = tmp_path / "list.csv"
    listed.write_text("player\nÄnne\nBob\nCid\nDora\n", "utf-8")
    folder = tmp_path / "event"
    new(folder, listed, seed=1)
    pair(folder)
    result(folder, 1, "3-0")
    before = read_folder_state(folder).event
    resaved(folder, how)
    result(folder, 2, "0-3")
    after = read_event(folder)
    assert (after.players, after.shown) == (before.players, before.shown)
    assert len(after.unscored) == 0
    assert after.matches.score1[0] == before.matches.score1[0]


COPIES = [
    "matches (conflicted copy).csv",
    "matches (1).csv",
    "matches (Ann's conflicted copy 2026-01-01).csv",
    "players-DESKTOP-4711.csv",
    "matches.sync-conflict-20260101-101010-ABC1234.csv",
    "event (in Konflikt stehende Kopie).toml",
    "bracket 2.csv",
]
OWN = [
    "matches.damaged.csv",
    "players.damaged-2.csv",
    "log.csv",
    "notes.csv",
    "matches.csv.bak",
    "weekly.toml",
    "players2.csv",
]


def test_copies_that_a_shared_folder_leaves_are_named_and_not_read(
    tmp_path: Path,
) -> None:
    listed = tmp_path / "list.csv"
    listed.write_text("player\nAnn\nBob\nCid\nDora\n")
    folder = tmp_path / "event"
    new(folder, listed, seed=1)
    for name in OWN[3:]:
        (folder / name).write_text("")
    assert not any(
        "copies of the event's files" in str(note) for note in read_event(folder).notes
    )
    assert not read_folder_state(folder).outside_changes
    for name in COPIES:
        (folder / name).write_text("anything")
    said = [
        str(note)
        for note in read_event(folder).notes
        if "copies of the event's files" in str(note)
    ]
    assert len(said) == 1
    assert all(name in said[0] for name in COPIES)
    assert not any(name in said[0] for name in OWN)
    assert [str(each) for each in read_folder_state(folder).outside_changes] == said
    pair(folder)
    assert all((folder / name).read_text() == "anything" for name in COPIES)
