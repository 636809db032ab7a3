"""Files on the page: the event in every format, as `convert` writes it, and read again."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner
from organiser import client, event, scored
from places import DATA, ROOT

from pairopt import read_event
from pairopt.cli import main
from pairopt.files.formats import list_outputs
from pairopt.files.write import escape_formulas
from pairopt.folder import enter, new, pair

LINK = re.compile(r'<a href="/files/([^"]+)" download="\1"')


@pytest.mark.long
@pytest.mark.parametrize(
    "name", ["cobra_single_sided.json", "byes_and_forfeits.trf", ""]
)
def test_each_format_is_what_convert_writes(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "event"
    if name:
        new(folder, DATA / name, title="Ünïted <b> cup")
    else:
        scored(event(folder, "ABCDE", rounds=2, title="Ünïted <b> cup"))
    page = client(folder)
    text = page.get("/files").text
    assert "<b>" not in text
    files = LINK.findall(text)
    assert files[0] == "n-ted-b-cup.zip"
    # Only Go has H9.
    forms = [form for form in list_outputs().values() if form.name != "h9"]
    # Only chess has PGN.
    if not name.endswith(".trf"):
        forms = [form for form in forms if form.name != "pgn"]
    suffixes = {form.suffixes[0] for form in forms}
    assert {Path(each).suffix for each in files} == {".zip", *suffixes}
    for form in forms:
        out = tmp_path / f"out{form.suffixes[0]}"
        done = CliRunner().invoke(main, ["convert", str(folder), str(out)])
        assert done.exit_code == 0, done.output
        got = page.get(f"/files/n-ted-b-cup{form.suffixes[0]}")
        assert got.content == out.read_bytes()
        assert "attachment" in got.headers["content-disposition"]
        for line in done.stderr.splitlines():
            if "lost" in line:
                assert line.removeprefix("note: ").split("lost: ")[1][:12] in text


@pytest.mark.long
def test_the_folder_as_it_is(tmp_path: Path) -> None:
    own = tmp_path / "club.toml"
    models = Path(__file__).parents[2] / "models"
    own.write_text(
        (models / "standard.toml").read_text().replace("standard", "club", 1)
    )
    folder = event(tmp_path / "event", rounds=1, model=str(own), title="Friday")
    with zipfile.ZipFile(
        io.BytesIO(client(folder).get("/files/Friday.zip").content)
    ) as pack:
        files = {"event.toml", "players.csv", "matches.csv", "log.csv", "club.toml"}
        assert files <= {*pack.namelist()}
        pack.extractall(tmp_path / "again")
    again = read_event(tmp_path / "again", unfinished=True)
    assert again.players == read_event(folder, unfinished=True).players


@pytest.mark.long
def test_only_events_with_go_ranks_offer_h9(tmp_path: Path) -> None:
    go = ROOT / "examples" / "go"
    ranked = read_event(go / "matches.csv", go / "players.csv")
    for name, event_of_go in (("ranked", ranked), ("plain", ranked.public())):
        new(tmp_path / name, event_of_go, title="Go")
        files = LINK.findall(client(tmp_path / name).get("/files").text)
        assert "Go.pgn" in files
        assert ("Go.h9" in files) == (name == "ranked")


def test_in_the_middle_of_a_round_and_names_of_nothing(tmp_path: Path) -> None:
    page = client(event(tmp_path / "event", rounds=1, title="///"))
    text = page.get("/files").text
    assert {"event.zip", "event.csv", "event.json", "event.trf"} <= {
        *LINK.findall(text)
    }
    shown = text.partition("<main")[2].partition("</main>")[0]
    main = " ".join(re.sub(r"<[^>]*>", " ", shown).split())
    assert "Round 1 has 3 open tables" in main
    assert len(re.findall("open table", main)) == 1  # for all formats at once
    assert len(main.split()) < 250
    for name in ("event.toml", "..%2fevent.toml", "x"):
        assert page.get(f"/files/{name}").status_code == 404


FORMULAS = ('=HYPERLINK("http://x","y")', "+1+cmd|' /C calc'!A0", "-2+3", "@SUM(1)")


def cells_of(text: str) -> set[str]:
    """Return all cells of a CSV, whatever separates them."""
    separator = max(",;\t", key=text.partition("\n")[0].count)
    rows = csv.reader(text.splitlines(), delimiter=separator)
    return {cell for row in rows for cell in row}


@pytest.mark.long
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_no_cell_for_a_spreadsheet_is_a_formula(tmp_path: Path, separator: str) -> None:
    folder = event(tmp_path / "event", "AB", title="Friday")
    for name in FORMULAS:
        enter(folder, name)
    pair(folder)
    for path in (folder / "matches.csv", folder / "players.csv"):
        rows = [*csv.reader(path.read_text().splitlines())]
        with path.open("w", newline="") as file:
            csv.writer(file, delimiter=separator, lineterminator="\n").writerows(rows)
    known = {
        name: (folder / name).read_bytes() for name in ("matches.csv", "players.csv")
    }

    page = client(folder)
    for link in ("Friday.csv", "Friday-players.csv"):
        text = page.get(f"/files/{link}").text
        cells = cells_of(text)
        assert {f"'{name}" for name in FORMULAS} <= cells
        assert not any(cell.startswith(("=", "+", "-", "@")) for cell in cells)

    # What comes back in stays as it is.
    with zipfile.ZipFile(io.BytesIO(page.get("/files/Friday.zip").content)) as pack:
        assert {name: pack.read(name) for name in known} == known
    out = tmp_path / "out.csv"
    done = CliRunner().invoke(main, ["convert", str(folder), str(out)])
    assert done.exit_code == 0, done.output
    assert {*FORMULAS} <= cells_of(out.read_text())


def test_numbers_for_a_spreadsheet_stay_numbers() -> None:
    text = "player,rating,score\nAnn,-5,+0.5\nBob,-,\n"
    assert escape_formulas(text) == text
    assert escape_formulas("player\n-Ann\n") == "player\n'-Ann\n"
