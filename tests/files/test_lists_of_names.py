"""Lists that people paste: a column `name`, or names alone, in any of the usual forms."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given as drawn
from hypothesis import strategies as st
from notes import notes_of
from openpyxl import Workbook

from pairopt import InputError, read_event
from pairopt.cli import main
from pairopt.files.pasted import Cells, read_pasted
from pairopt.files.read import read_upload


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [*map(str, words)])


ABC = ("Ann Lee", "Bo Berg", "Cy Dahl")


def given(folder: Path, text: str) -> Path:
    path = folder / "list.txt"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_column_name_is_the_players(tmp_path: Path) -> None:
    event = read_event(given(tmp_path, "Name;Club\nAnn;X\nBob;Y\n"))
    assert event.players == ("Ann", "Bob")
    assert event.columns == {"club": ("X", "Y")}


def test_names_alone(tmp_path: Path) -> None:
    event = read_event(given(tmp_path, "Ann  Lee\n\nBob O'Neil\nÉva Nagy-Kiss\n"))
    assert event.players == ("Ann Lee", "Bob O'Neil", "Éva Nagy-Kiss")
    assert any("read this as a list of names" in note for note in notes_of(event))


@pytest.mark.long
@pytest.mark.parametrize(
    "text",
    [
        "- {}\n- {}\n- {}\n",
        "* {}\n* {}\n* {}\n",
        "• {}\n•{}\n• {}\n",
        "\u2013 {}\n\u2013 {}\n\u2013 {}\n",
        "1. {}\n2. {}\n3. {}\n",
        "1) {}\n2) {}\n3) {}\n",
        "1 {}\n2 {}\n3 {}\n",
        "1\t{}\n2\t{}\n4\t{}\n",
        "#1 {}\n#2 {}\n#3 {}\n",
        "- 1. {}\n- 2. {}\n- 3. {}\n",
        "✅ {}\n✅ {}\n✅ {}\n",
        "1. ✅ {}\n2. ✅ {}\n3. ✅ {}\n",
        "{} ✅\n{} ✅\n{} ✅\n",
        "- [x] {}\n- [x] {}\n- [x] {}\n",
        "Players:\n{}\n{}\n{}\n",
        "Teilnehmer (3)\n{}\n{}\n{}\n",
        "Our evening\n- {}\n- {}\n- {}\n",
        "{}, {}, {}",
        "{},{},{},",
        "{}; {}; {}",
        "1. {}, 2. {}, 3. {}",
        "{},\n{},\n{}\n",
        "-----\n{}\n{}\n{}\n-----\n3 players\n",
    ],
)
def test_the_usual_forms_are_read_and_nothing_is_asked(
    tmp_path: Path, text: str
) -> None:
    event = read_event(given(tmp_path, text.format(*ABC)))
    assert event.players == ABC
    assert event.columns == {}
    assert event.origin.doubts == ()


@pytest.mark.parametrize(
    "text",
    [
        "Ann 1500\nBo 1400\nCy\n",
        "Ann (1500)\nBo [1400]\nCy\n",
        "Ann - 1500\nBo \u2013 1400\nCy\n",
        "Ann;1500\nBo;1400\nCy;\n",
        "Ann\t1500\nBo\t1400\nCy\n",
        "Ann, 1500\nBo, 1400\nCy\n",
        "1. Ann (Elo 1500)\n2. Bo (Elo: 1400)\n3. Cy\n",
        "Ann 1500 DWZ\nBo 1400 DWZ\nCy\n",
    ],
)
def test_ratings_at_the_ends_of_lines_are_recognised_and_told(
    tmp_path: Path, text: str
) -> None:
    event = read_event(given(tmp_path, text))
    assert event.players == ("Ann", "Bo", "Cy")
    assert event.columns == {"rating": ("1500", "1400", "")}
    assert any(
        "end of 2 lines as ratings, from 1400 to 1500" in n for n in notes_of(event)
    )


@pytest.mark.long
def test_numbers_that_tell_names_apart_are_no_ratings(tmp_path: Path) -> None:
    text = "".join(f"Player {k}\n" for k in range(1, 301))
    event = read_event(given(tmp_path, text))
    assert event.players[-1] == "Player 300"
    assert event.columns == {}


DOUBTFUL: Mapping[str, tuple[str, str, tuple[str, ...]]] = {
    "a remark": (
        "Ann\nBo (late)\nCy\n",
        "line 2: pairopt reads the line 'Bo (late)'",
        ("Ann", "Bo", "Cy"),
    ),
    "a remark after a dash": (
        "Ann\nBo - late\nCy\n",
        "line 2: pairopt reads the line 'Bo - late' with",
        ("Ann", "Bo", "Cy"),
    ),
    "a comma": (
        "Ann\nBo, Jr\nCy\n",
        "line 2: 'Bo, Jr' has a comma",
        ("Ann", "Bo, Jr", "Cy"),
    ),
    "a rating of one": (
        "Ann\nBo 1400\nCy\n",
        "line 2: 'Bo 1400' ends with a number",
        ("Ann", "Bo", "Cy"),
    ),
    "a title": (
        "Friday night\nAnn\nBo\nCy\n",
        "pairopt reads the line 'Friday night' as a title",
        ("Ann", "Bo", "Cy"),
    ),
    "a title with a year": (
        "Riga 2026\nAnn\nBo\nCy\n",
        "pairopt reads the line 'Riga 2026' as a title",
        ("Ann", "Bo", "Cy"),
    ),
    "a total without a number": (
        "Ann\nBo\nTotal\n",
        "pairopt reads the line 'Total' as a title",
        ("Ann", "Bo"),
    ),
    "a waiting list": (
        "Ann\nBo\nWaiting list:\nCy\n",
        "line 3: 'Waiting list:' looks like",
        ("Ann", "Bo", "Cy"),
    ),
    "another sign": (
        "✅ Ann\n✅ Bo\n❌ Cy\n",
        "line 3: '❌ Cy' has ❌, although most lines",
        ("Ann", "Bo", "Cy"),
    ),
    "no sign": (
        "- Ann\n- Bo\nThanks\n",
        "line 3: 'Thanks' has no sign or number before the name",
        ("Ann", "Bo", "Thanks"),
    ),
    "two names in one line": (
        "Ann, Bo",
        "line 1: pairopt reads the line 'Ann, Bo' as 2 players.",
        ("Ann", "Bo"),
    ),
    "no name": (
        "Ann\nBo\nhttps://example.org\nCy\n",
        "does not look like a name",
        ("Ann", "Bo", "https://example.org", "Cy"),
    ),
}


@pytest.mark.sweep
@pytest.mark.parametrize("what", DOUBTFUL)
def test_what_can_be_read_in_two_ways_is_asked(tmp_path: Path, what: str) -> None:
    text, expected, players = DOUBTFUL[what]
    path = given(tmp_path, text)
    with pytest.raises(InputError, match=re.escape(expected)) as refused:
        read_event(path)
    assert "the headings Name, Rating and Remark" in str(refused.value)

    done = run("new", tmp_path / "event", "--players", path)
    assert done.exit_code == 3
    assert expected in done.stderr
    assert "type the command again with --sure" in done.stderr
    assert not (tmp_path / "event").exists()

    assert run("new", tmp_path / "event", "--players", path, "--sure").exit_code == 0
    assert read_event(tmp_path / "event").players == players


@pytest.mark.long
@pytest.mark.parametrize("second", ["Ann", "ann", "ANN 1500"])
def test_a_name_twice_has_its_line_and_is_never_guessed(
    tmp_path: Path, second: str
) -> None:
    path = given(tmp_path, f"Ann 1400\nBob 1300\n{second}\n")
    with pytest.raises(
        InputError,
        match=r"line 3: '.*' is already in line 1. If the two lines are one person, remove one of the lines",
    ):
        read_event(path)
    done = run("new", tmp_path / "event", "--players", path, "--sure")
    assert done.exit_code == 3
    assert "for example Ann A. and Ann B." in done.stderr


@pytest.mark.parametrize(
    "text",
    [
        "one,two\na,b\n",
        "Only\n",
        "x = 1\ny = 2\n",
        "Ann;Riga\nBo;Oslo\n",
        "Ann,12 May,x\nBo,13 May,y\n",
        "[]\n",
        "{}\n",
    ],
)
def test_what_is_no_list_of_names(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError) as refused:
        read_event(given(tmp_path, text))
    assert not refused.value.kind.startswith("pasted.")


def test_one_name_that_was_typed_is_a_list(tmp_path: Path) -> None:
    assert read_upload(b"Zoe Lund", "the list", typed=True).event.players == (
        "Zoe Lund",
    )


def test_a_sheet_without_headings_is_read_as_it_would_be_pasted(tmp_path: Path) -> None:
    book = Workbook()
    for row in (["Ann Lee", 1500], ["Bo Berg", 1400], ["Cy Dahl", None]):
        book.active.append(row)
    book.save(tmp_path / "list.xlsx")
    event = read_event(tmp_path / "list.xlsx")
    assert event.players == ABC
    assert event.columns == {"rating": ("1500", "1400", "")}


def test_cells_that_somebody_has_corrected_are_taken(tmp_path: Path) -> None:
    raw = b"Friday\nAnn\nBo (late)\nBo\n"
    cells = {0: Cells("Friday"), 2: Cells("Bo Ek", "1500", "late"), 3: Cells("Bo Ek")}
    event = read_upload(raw, "the list", cells).event
    assert event.players == ("Friday", "Ann", "Bo Ek", "Bo Ek (2)")
    assert event.columns == {
        "rating": ("", "", "1500", ""),
        "remark": ("", "", "late", ""),
    }


NAMES = st.lists(
    st.sampled_from(
        ["Ann Lee", "Bo", "Éva Nagy-Kiss", "O'Neil", "王伟", "Player7", "de Vries"]
    ),
    min_size=2,
    unique=True,
)
MARKS = st.sampled_from(
    ["", "- ", "* ", "{}. ", "{}) ", "{} ", "✅ ", "• ", "#{} ", "[x] "]
)


@pytest.mark.long
@drawn(NAMES, MARKS, st.sampled_from(["", " 1500", " (1500)", ";1500", " ✅"]))
def test_marks_and_ratings_never_change_a_name(
    names: list[str], mark: str, after: str
) -> None:
    lines = [f"{mark.format(k)}{name}{after}" for k, name in enumerate(names, 1)]
    pasted = read_pasted("\n".join(lines), "list")
    assert pasted is not None
    assert [line.name for line in pasted.players] == names
    assert {line.rating for line in pasted.lines} == {"1500" if "1500" in after else ""}
    assert pasted.doubts == []
