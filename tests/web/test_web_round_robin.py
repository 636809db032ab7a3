"""A round robin by the page and on phones: one click pairs it, any round is shown and entered."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from organiser import client, event, founding, said
from starlette.testclient import TestClient
from test_phones import phone

from pairopt import read_event
from pairopt.event.standings import rank_players
from pairopt.folder import change, drop, pair, result
from pairopt.folder.open_folder import read_folder_state
from pairopt.report.printed_lists import make_list
from pairopt.report.round_robin_grid import build_grid
from pairopt.web import phones

NAMES = ["Ann", "Bob", "Cid", "Dee", "Eve"]
NEW = "/new/event"


@pytest.fixture(autouse=True)
def _always_look(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(phones, "SECONDS", -1.0)


def made(folder: Path, **typed: str) -> TestClient:
    """Return a browser on a new round robin, made by the page's first form."""
    page = client(folder)
    form = {
        "title": "Children",
        "players": "\n".join(NAMES),
        "game": "chess",
        "format": "round-robin",
        **typed,
    }
    shown = page.post(NEW, data=form)
    assert "round robin, everybody meets everybody" in shown.text, said(shown.text)
    sure = {name: founding(shown.text)[name] for name in ("sure", "seed")}
    done = page.post(NEW, data={**form, **sure}, follow_redirects=False)
    assert done.status_code == 303, said(done.text)
    return page


def post(page: TestClient, folder: Path, address: str, **fields: Any) -> str:
    """Send a form, and return what the page says."""
    state = read_folder_state(folder).state
    done = page.post(address, data={**fields, "state": state})
    return said(done.text)


def paired(folder: Path, **typed: str) -> TestClient:
    """Return a browser on a round robin whose rounds are paired in the list's order."""
    page = made(folder, **typed)
    post(page, folder, "/round/all", numbers="list")
    return page


def main_text(text: str) -> str:
    """Return the words of a page between its menu and its foot."""
    body = text.split("<main", 1)[1].split("</main>", 1)[0]
    return " ".join(re.sub(r"<[^>]+>", " ", body).split())


def test_the_first_form_makes_a_round_robin(tmp_path: Path) -> None:
    folder = tmp_path / "event"
    page = made(folder, cycles="2", reversed="true")
    settings = read_event(folder).settings
    assert (settings.format, settings.cycles, settings.reversed) == (
        "round-robin",
        2,
        True,
    )
    assert settings.model is None
    assert settings.rounds is None
    assert settings.tie_breaks is None
    assert "Pair all rounds" in page.get("/round").text


def test_a_typed_number_of_rounds_is_a_fault_of_the_form(tmp_path: Path) -> None:
    page = client(tmp_path / "event")
    form = {"players": "\n".join(NAMES), "format": "round-robin", "rounds": "7"}
    refused = page.post(NEW, data=form)
    assert "number of rounds of a round robin" in refused.text
    assert not (tmp_path / "event").exists()


def test_one_click_pairs_all_rounds(tmp_path: Path) -> None:
    folder = tmp_path / "event"
    page = made(folder)
    answer = post(page, folder, "/round/all", numbers="list")
    assert (
        "All 5 rounds are paired by the Berger table (FIDE's schedule) for 5 players"
        in answer
    )
    assert read_event(folder).settings.numbers == "list"
    assert "already paired" in post(page, folder, "/round/all", numbers="")
    for number in range(1, 6):
        text = page.get(f"/round?round={number}").text
        assert f'round={number}" aria-current="page">Round {number}<' in text
    assert "Dee" in main_text(page.get("/round?round=2").text)


def test_no_page_proves_or_offers_what_a_round_robin_has_not(tmp_path: Path) -> None:
    folder = tmp_path / "event"
    page = paired(folder)
    for address in (
        "/round",
        "/results",
        "/standings",
        "/players",
        "/print",
        "/player?id=Ann",
    ):
        text = main_text(page.get(address).text)
        for words in ("proven", "Why?", "Pair round", "float", "Give bye", "re-pair"):
            assert words not in text, (address, words)
    for address in ("/round/draft", "/round/again", "/why?id=Ann", "/print/reasons"):
        assert "Berger table" in page.get(address).text


def test_results_of_any_round_by_button_and_slip(tmp_path: Path) -> None:
    folder = tmp_path / "event"
    page = paired(folder)
    answer = post(page, folder, "/results/score", table="1", score="1-0", round="5")
    assert (
        answer.startswith("Result of round 5, table 1: Cid 1-0 Bob")
        or "Result of round 5, table 1" in answer
    )
    assert "Result of round 3, table 2" in post(
        page, folder, "/results/slip", slip="2 3", round="3"
    )
    page.get("/results?round=5")
    assert post(
        page, folder, "/results/score", table="1", off="1", round="5", sure="yes"
    )
    event = read_event(folder)
    scored = event.matches.take(event.matches.scored & (event.matches.second >= 0))
    assert scored.round.tolist() == [3]
    assert 'name="off"' in page.get("/results?round=3").text


def test_results_show_the_round_that_waits(tmp_path: Path) -> None:
    folder = tmp_path / "event"
    page = paired(folder)
    assert 'round=1" aria-current="page"' in page.get("/results").text
    for table in (1, 2):
        result(folder, table, "1-0", round=1)
    assert 'round=2" aria-current="page"' in page.get("/results").text
    for number in range(2, 6):
        for table in (1, 2):
            result(folder, table, "½-½", round=number)
    for address in ("/round", "/standings", "/standings?by=cross"):
        text = page.get(address).text
        assert "All 5 rounds are played" in text
        assert "Add round" not in text


def test_a_player_who_leaves_is_explained(tmp_path: Path) -> None:
    folder = tmp_path / "event"
    page = paired(folder)
    assert "counts" in main_text(page.get("/players").text)
    answer = post(page, folder, "/players/out", player="Ann")
    assert "less than half" in answer
    assert "count for nobody" in answer
    assert "Add a player" not in page.get("/players").text
    answer = post(page, folder, "/players/enter", name="Zoe")
    assert "because all rounds of the round robin are paired" in answer


def test_phones_show_the_round_that_is_played(tmp_path: Path) -> None:
    folder = tmp_path / "event"
    paired(folder)
    reader = phone(folder)
    assert "<h1>Round 1</h1>" in reader.get("/pairings").text
    assert "Round 1 of 5" in reader.get("/screen").text
    for table in (1, 2):
        result(folder, table, "1-0", round=1)
    assert "<h1>Round 2</h1>" in reader.get("/pairings").text
    text = reader.get("/player?id=Ann").text
    assert "<h2>Round 2</h2>" in text
    assert "Other rounds" in text
    assert "Why?" not in text
    # Games played early do not hide the next one.
    result(folder, 1, "1-0", round=2)
    result(folder, 2, "1-0", round=2)
    assert "<h2>Round 3</h2>" in reader.get("/player?id=Ann").text
    drop(folder, "Eve")
    assert reader.get("/standings").status_code == 200


def test_a_backup_is_restored_with_its_open_rounds(tmp_path: Path) -> None:
    folder = tmp_path / "event"
    page = paired(folder)
    result(folder, 2, "1-0", round=4)
    files = page.get("/files").text
    name = re.search(r'/files/([^"]*\.zip)"', files)
    assert name
    backup = page.get(f"/files/{name[1]}").content
    other = client(tmp_path / "other")
    upload = {"file": ("event.zip", backup)}
    asked = other.post(NEW, data={"title": ""}, files=upload)
    fields = founding(asked.text)
    done = other.post(NEW, data=fields, follow_redirects=False)
    assert done.status_code == 303, said(done.text)
    one, two = read_event(folder), read_event(tmp_path / "other")
    assert one.matches_frame.equals(two.matches_frame)
    assert rank_players(one) == rank_players(two)
    assert pair(tmp_path / "other").step is None


def test_each_section_of_a_list_is_a_round_robin(tmp_path: Path) -> None:
    folder = tmp_path / "event"
    page = client(folder)
    lines = [f"P{k},{'AB'[k % 2]}" for k in range(9)]
    form = {
        "title": "Club",
        "players": "player,section\n" + "\n".join(lines),
        "game": "chess",
        "format": "round-robin",
        "numbers": "list",
    }
    shown = page.post(NEW, data=form)
    fields = founding(shown.text)
    choice = {"sections": fields["sure"], "seed": fields["seed"]}
    done = page.post(NEW, data={**form, **choice}, follow_redirects=False)
    assert done.status_code == 303, said(done.text)
    folders = sorted(path.parent for path in tmp_path.rglob("event.toml"))
    assert len(folders) == 2
    tables = []
    for section in folders:
        assert read_event(section).settings.is_round_robin
        pair(section)
        event = read_event(section)
        tables.append({*event.matches.table.tolist()} - {0})
    assert not set.intersection(*tables)


def test_the_cross_table_has_everybody_against_everybody(tmp_path: Path) -> None:
    folder = tmp_path / "event"
    page = paired(folder)
    result(folder, 1, "1-0", round=1)  # Bob (2) beats Eve (5)
    result(folder, 2, "½-½", round=1)  # Cid (3) and Dee (4)
    rows = build_grid(read_event(folder))
    assert [row.name for row in rows] == NAMES
    texts = [[cell.text for cell in row.cells] for row in rows]
    assert texts == [
        ["*", "", "", "", ""],
        ["", "*", "", "", "1"],
        ["", "", "*", "½", ""],
        ["", "", "½", "*", ""],
        ["", "0", "", "", "*"],
    ]
    assert [row.points for row in rows] == ["0", "1", "0.5", "0.5", "0"]
    assert "Cross table" in page.get("/standings").text
    for address in ("/standings?by=cross", "/print/list?name=everybody"):
        assert "½" in page.get(address).text
    drop(folder, "Bob")
    cell = build_grid(read_event(folder))[4].cells[1]
    assert (cell.text, cell.is_annulled) == ("0", True)
    assert "count for nobody" in page.get("/standings?by=cross").text
    filled = make_list(read_event(folder), "everybody")
    keys, rows_of_list = filled.table()
    assert keys[:3] == ["start", "name", "against1"]
    assert rows_of_list[4][:7] == [5, "Eve", "", "(0)", "", "", "*"]


def test_results_that_count_for_nobody_are_in_brackets(tmp_path: Path) -> None:
    folder = tmp_path / "event"
    paired(folder)
    change(folder, {"cross_table": "start"})
    result(folder, 1, "1-0", round=1)  # Bob (2) beats Eve (5)
    result(folder, 2, "½-½", round=1)  # Cid (3) and Dee (4)
    drop(folder, "Bob")
    keys, rows = make_list(read_event(folder), "cross-table").table()
    first_round = {row[keys.index("name")]: row[keys.index("round1")] for row in rows}
    assert (first_round["Bob"], first_round["Eve"]) == ("(5w1)", "(2b0)")
    assert (first_round["Cid"], first_round["Dee"]) == ("4w½", "3b½")


def test_other_events_have_no_cross_table_of_a_round_robin(tmp_path: Path) -> None:
    page = client(event(tmp_path / "event", rounds=1))
    assert page.get("/print/list?name=everybody").status_code == 422
    assert "by opponents" not in page.get("/print").text
    assert "by=cross" not in page.get("/standings").text


def test_files_count_the_open_tables_of_one_round(tmp_path: Path) -> None:
    folder = tmp_path / "event"
    page = paired(folder)
    assert "Round 1 has 2 open tables." in main_text(page.get("/files").text)
    result(folder, 1, "1-0", round=1)
    assert "Round 1 has 1 open table." in main_text(page.get("/files").text)
    result(folder, 2, "1-0", round=1)
    assert "Round 2 has 2 open tables." in main_text(page.get("/files").text)
