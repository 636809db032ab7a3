"""Who did it: desks with names of their own, phones, the command line, and hands in the files."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import browser
import pytest
from click.testing import CliRunner
from organiser import HOST, client, event, said, served
from starlette.testclient import TestClient

from pairopt.cli import main
from pairopt.folder import result
from pairopt.folder.journal import Journal
from pairopt.folder.open_folder import read_folder_state
from pairopt.web.app import application

OTHER = "192.168.0.5:8440"
PHONE = "Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/130.0 Mobile Safari/537.36"


def desk(
    folder: Path, host: str = HOST, agent: str = "Firefox", name: str = ""
) -> TestClient:
    headers = {"origin": f"http://{host}", "user-agent": agent}
    page = TestClient(
        application(folder, {HOST, OTHER}), f"http://{host}", headers=headers
    )
    if name:
        page.post("/desk", data={"name": name})
    return page


def scores(
    page: TestClient, folder: Path, table: str, score: str = "3-0", state: str = ""
) -> str:
    form = {
        "table": table,
        "score": score,
        "round": "1",
        "state": state or read_folder_state(folder).state,
    }
    return page.post("/results/score", data=form).text


DOORS = {
    "desk": {},
    "second desk": {"host": OTHER},
    "phone": {"host": OTHER, "agent": PHONE},
    "Desk of Ida": {"name": "  Desk  of Ida\n"},
    "Stół Żaba": {"host": OTHER, "agent": PHONE, "name": "Stół Żaba"},
}


@pytest.mark.long
@pytest.mark.parametrize("who", DOORS)
def test_the_log_says_who(tmp_path: Path, who: str) -> None:
    folder = event(tmp_path / "event", rounds=1)
    page = desk(folder, **DOORS[who])
    scores(page, folder, "1")
    assert Journal(folder).steps()[-1].who == who
    (*_, line) = csv.DictReader((folder / "log.csv").read_text().splitlines())
    assert (line["who"], line["verb"]) == (who, "result")
    assert f'<small class="soft"><bdi>{who}</bdi></small>' in page.get("/log").text


@pytest.mark.long
def test_a_name_is_kept_changed_and_taken_back(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", rounds=1)
    page = desk(folder, name="<b>Ida</b>" + "x" * 99)
    text = page.get("/log").text
    assert "<b>Ida" not in text
    assert 'value="&lt;b&gt;Ida&lt;/b&gt;' in text
    scores(page, folder, "1")
    assert len(Journal(folder).steps()[-1].who) == 40
    page.post("/desk", data={"name": ""})
    scores(page, folder, "2")
    assert Journal(folder).steps()[-1].who == "desk"
    assert (
        page.post(
            "/desk", data={"name": "x"}, headers={"origin": "http://e.vil"}
        ).status_code
        == 403
    )


@pytest.mark.long
@pytest.mark.parametrize("who", DOORS)
def test_what_was_changed_elsewhere_says_by_whom_and_what(
    tmp_path: Path, who: str
) -> None:
    folder = event(tmp_path / "event", rounds=1)
    page, state = client(folder), read_folder_state(folder).state
    seen_by = {"if-none-match": f'"{state}"'}
    assert page.get("/state", headers=seen_by).status_code == 304
    assert "told" not in page.get("/state", headers=seen_by).headers
    scores(desk(folder, **DOORS[who]), folder, "1", "0-3")
    answer = page.get("/state", headers=seen_by)
    assert answer.status_code == 204
    told = unquote(answer.headers["told"])
    assert told.startswith(f"{who} has changed the event: Result of round 1, table 1: ")
    refused = said(scores(page, folder, "1", "3-0", state))
    assert f"{who}: Result of round 1, table 1: " in refused


@pytest.mark.long
def test_the_command_line_and_hands_in_the_files_are_named(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", rounds=1)
    page, state = client(folder), read_folder_state(folder).state
    seen_by = {"if-none-match": f'"{state}"'}
    CliRunner().invoke(main, ["result", str(folder), "1", "3-0"])
    told = unquote(page.get("/state", headers=seen_by).headers["told"])
    assert told.startswith(
        "command line has changed the event: Result of round 1, table 1"
    )
    assert "command line: " in said(scores(page, folder, "1", "0-3", state))
    path = folder / "matches.csv"
    shown = read_folder_state(folder).state
    rows = [*csv.DictReader(path.read_text().splitlines())]
    rows[1] |= {"score1": "3", "score2": "0"}
    lines = [",".join(rows[0]), *(",".join(row.values()) for row in rows)]
    path.write_text("\n".join([*lines, ""]))
    assert unquote(page.get("/state", headers=seen_by).headers["told"]) == (
        "Someone has edited the files of the event by hand."
    )
    text = said(scores(page, folder, "2", "0-3", shown))
    assert "edited the files of the event by hand in the meantime" in text, text
    result(folder, 3, "1-1")
    by_hand = [
        step for step in Journal(folder).steps() if step.verb == "edited by hand"
    ]
    assert [step.who for step in by_hand] == ["by hand"]


@pytest.mark.long
def test_a_page_at_work_is_told_who_did_what(chromium: Any, tmp_path: Path) -> None:
    """It only offers to show it, as somebody types; by name, and by what was done."""
    folder = event(tmp_path / "event", rounds=1)
    with served(folder) as address, browser.page(chromium) as page:
        page.goto(f"{address}/players")
        page.get_by_label("Name").first.fill("Zo")
        scores(desk(folder, name="Desk of Ida"), folder, "1", "0-3")
        told = page.locator(
            "#newer",
            has_text="Desk of Ida has changed the event: Result of round 1, table 1",
        )
        told.wait_for()
        assert page.get_by_label("Name").first.input_value() == "Zo"
        page.goto(f"{address}/log")
        page.get_by_label("Name of this computer").fill("Bo's")
        page.get_by_role("button", name="Save name").click()
        page.locator('input[name=name][value="Bo\'s"]').wait_for()
