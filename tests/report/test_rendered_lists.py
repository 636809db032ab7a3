"""Printed lists as CSV, workbooks and pages: no formulas, no markup, the same bytes each time."""

from __future__ import annotations

import csv
import io
import json
from html import unescape
from pathlib import Path

import openpyxl
import pandas as pd
import pytest
from click.testing import CliRunner, Result
from manual_event import manual_event, write_manual_event
from organiser import client

from pairopt import Event, read_event
from pairopt.cli import main
from pairopt.report.page import list_page
from pairopt.report.printed_lists import available_lists, make_list
from pairopt.report.printed_lists.rendering import FORMATS, render_list

HOSTILE = (
    "=1+1",
    "@SUM(A1)",
    "<script>alert(1)</script>",
    "אברהם כהן",
    "Łukasz Żółć",
    "Evil\u202egnp.exe",
    "x" * 300,
    '"quoted", name',
)


@pytest.fixture
def hostile() -> Event:
    rows = [
        [1, table, HOSTILE[2 * table - 2], HOSTILE[2 * table - 1], "white", 1, 0, None]
        for table in range(1, 5)
    ]
    columns = [
        "round",
        "table",
        "player1",
        "player2",
        "side1",
        "score1",
        "score2",
        "status",
    ]
    players = {"player": HOSTILE, "club": HOSTILE, "federation": HOSTILE}
    return read_event(
        pd.DataFrame(rows, columns=columns, dtype=object), pd.DataFrame(players)
    )


def workbook_cells(raw: bytes) -> list[list[openpyxl.cell.Cell]]:
    sheet = openpyxl.load_workbook(io.BytesIO(raw)).active
    return [list(row) for row in sheet.iter_rows()]


@pytest.mark.long
def test_no_cell_of_a_workbook_is_a_formula(hostile: Event) -> None:
    for each in available_lists(hostile):
        raw = render_list(make_list(hostile, each.name), hostile, "xlsx")
        cells = [cell for row in workbook_cells(raw) for cell in row]
        assert all(cell.data_type != "f" for cell in cells)
        formulas = [cell for cell in cells if str(cell.value).startswith(("=", "@"))]
        assert all(cell.quotePrefix for cell in formulas)
        if "name" in make_list(hostile, each.name).table()[0]:
            assert formulas


def test_no_cell_of_csv_is_a_formula(hostile: Event) -> None:
    for each in available_lists(hostile):
        text = render_list(make_list(hostile, each.name), hostile, "csv").decode()
        cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
        assert "'=1+1" in text or "=1+1" not in text
        assert not any(cell.startswith(("=", "@")) for cell in cells)


def test_numbers_of_a_workbook_are_numbers_and_results_are_texts(
    tmp_path: Path,
) -> None:
    event = manual_event(tmp_path / "event")
    raw = render_list(make_list(event, "cross-table"), event, "xlsx")
    heads, first, second, *_ = workbook_cells(raw)
    row = {head.value: cell.value for head, cell in zip(heads, first, strict=True)}
    assert (row["Rk."], row["Rtg"], row["BH/C1"], row["SB"]) == (1, 2214, 11, 10.5)
    assert (row["1"], row["5"]) == ("6b1", "2w½")
    assert second[heads.index(next(h for h in heads if h.value == "Pts."))].value == 3.5


@pytest.mark.parametrize("form", FORMATS)
def test_the_same_list_has_the_same_bytes(form: str, tmp_path: Path) -> None:
    event = manual_event(tmp_path / "event")
    filled = make_list(event, "ranking")
    assert render_list(filled, event, form) == render_list(filled, event, form)


def test_a_workbook_does_not_say_when_it_was_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = manual_event(tmp_path / "event")
    filled = make_list(event, "ranking")
    before = render_list(filled, event, "xlsx")
    monkeypatch.setattr("time.time", lambda: 4e9)
    monkeypatch.setattr("time.localtime", lambda *_: (2096, 1, 1, 0, 0, 0, 0, 1, 0))
    assert render_list(filled, event, "xlsx") == before


@pytest.mark.long
def test_pages_escape_names(hostile: Event) -> None:
    for each in available_lists(hostile):
        page = list_page("<b>Cup</b>", make_list(hostile, each.name))
        assert "<script>alert" not in page
        assert "<b>" not in page
        assert "\u202e" not in page


def call(*words: object) -> Result:
    return CliRunner().invoke(main, ["print", *map(str, words)])


@pytest.mark.long
@pytest.mark.parametrize("suffix", ["csv", "json", "xlsx", "html"])
def test_the_command_writes_what_the_file_name_shows(
    suffix: str, tmp_path: Path
) -> None:
    folder = write_manual_event(tmp_path / "event")
    out = tmp_path / f"cross.{suffix}"
    done = call(folder, "cross-table", "-o", out)
    assert (done.exit_code, done.stderr) == (0, f"written to {out}\n")
    event = read_event(folder)
    if suffix != "html":
        filled = make_list(event, "cross-table")
        assert out.read_bytes() == render_list(filled, event, suffix)
    if suffix == "json":
        assert json.loads(out.read_text())["rows"][0]["round1"] == "6b1"


def test_the_command_lists_what_there_is_and_shows_a_list(tmp_path: Path) -> None:
    folder = write_manual_event(tmp_path / "event")
    done = call(folder)
    names = [line.split()[0] for line in done.stdout.splitlines()[2:]]
    assert names == [each.name for each in available_lists(read_event(folder))]
    shown = call(folder, "pairings", "--round", "2").stdout
    assert shown.startswith("Round 2, pairings and results\n")
    assert "WIM Aalto, Minna" in shown


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["cros-table"], "There is no list 'cros-table'. The lists are"),
        (["pairings", "--round", "9"], "no round 9"),
        (["ranking-by-group"], "no groups yet. Type for example: pairopt set"),
        (["ranking-by-club"], "column club"),
        (["ranking", "-o", "list.pdf"], ".csv or .xlsx"),
        (["ranking", "--format", "xlsx"], "-o ranking.xlsx"),
        (["-o", "list.csv"], "Name the list"),
    ],
)
def test_the_command_names_what_is_wrong(
    words: list[str], reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = call(write_manual_event(tmp_path / "event"), *words)
    assert done.exit_code == 2
    assert reason in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["event"]


@pytest.mark.long
def test_the_page_shows_and_offers_each_list(tmp_path: Path) -> None:
    folder = write_manual_event(
        tmp_path / "event", 'groups = ["U18: born 2009 or later"]\n'
    )
    browser = client(folder)
    menu = browser.get("/print").text
    event = read_event(folder)
    for each in available_lists(event):
        filled = make_list(event, each.name)
        assert f"/print/list?name={each.name}" in menu
        page = browser.get(f"/print/list?name={each.name}")
        assert page.status_code == 200
        assert f"<h1>{filled.title}</h1>" in unescape(page.text)
        stem = f"{each.name}-round-5" if each.of_round else each.name
        for suffix in ("csv", "xlsx"):
            address = f"/files/list.{stem}.{suffix}"
            assert address in menu
            got = browser.get(address)
            assert got.content == render_list(filled, event, suffix)
            assert f'filename="{stem}.{suffix}"' in got.headers["content-disposition"]
    assert "Round 2, pairings" in browser.get("/print/list?name=pairings&round=2").text
    assert browser.get("/print/list?name=no-list").status_code == 404
    assert browser.get("/files/list.no-list.csv").status_code == 404
    assert browser.get("/files/list.pairings-round-99.csv").status_code == 404


@pytest.mark.long
def test_standings_round_by_round_name_each_opponent(tmp_path: Path) -> None:
    browser = client(write_manual_event(tmp_path / "event"))
    page = " ".join(browser.get("/standings?by=rounds").text.split())
    for place, name in ((6, "Gruber"), (7, "Jensen"), (8, "Kovac")):
        assert f'<td class="number">{place}</td><td class="who">' in page
        assert name in page
    assert "Side Bias" not in browser.get("/standings").text
    assert "Side Bias" not in browser.get("/print/standings").text


@pytest.mark.parametrize(
    ("main", "amounts", "number_format"),
    [
        ("[1200, 120, 80]\nrounding = 1", [1200, 120, 80], "#,##0"),
        ("[200.5, 120, 80]", [200.5, 120, 80], "#,##0.00"),
    ],
)
def test_prizes_of_a_workbook_are_sums_of_money(
    tmp_path: Path, main: str, amounts: list[float], number_format: str
) -> None:
    event = manual_event(tmp_path / "event", f"[prizes]\nmain = {main}\n")
    head, *rows = workbook_cells(render_list(make_list(event, "prizes"), event, "xlsx"))
    column = [cell.value for cell in head].index("Amount")
    place = [cell.value for cell in head].index("Place")
    found = [row[column] for row in rows if row[column].value is not None]
    assert [cell.value for cell in found] == amounts
    assert {cell.data_type for cell in found} == {"n"}
    assert {cell.number_format for cell in found} == {number_format}
    assert {row[place].number_format for row in rows} == {"General"}
