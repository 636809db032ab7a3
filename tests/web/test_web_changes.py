"""Two pages, two laptops, a file edited by hand: the second change of the same is refused."""

from __future__ import annotations

import re
import threading
from pathlib import Path

import pytest
from organiser import client, event, fields, said
from starlette.testclient import TestClient
from telling import said_by

from pairopt.folder.journal import read_log_lines
from pairopt.folder.open_folder import open_folder, undo
from pairopt.folder.pair_round import pair
from pairopt.folder.results import result
from pairopt.folder.roster import drop

SCORE, SLIP = "/results/score", "/results/slip"


def matches(folder: Path) -> str:
    return (folder / "matches.csv").read_text()


def row(page: TestClient, table: int) -> dict[str, str]:
    """What the page's form of a table sends."""
    return fields(page.get("/results").text, f"{SCORE}?round=1&amp;at={table}")


@pytest.mark.long
def test_the_second_of_two_changes_is_refused_with_what_the_first_was(
    tmp_path: Path,
) -> None:
    folder = event(tmp_path / "event", rounds=1)
    one, two = client(folder), client(folder)
    first, second = row(one, 1), row(two, 1)
    assert one.post(SCORE, data={**first, "score": "3-0"}).status_code == 200
    before = matches(folder)
    answer = two.post(SCORE, data={**second, "score": "0-3"})
    assert answer.status_code == 409
    assert "has changed in the meantime" in said(answer.text)
    assert "desk: Result of round 1, table 1: A 3-0 " in said(answer.text)
    assert matches(folder) == before
    assert 'aria-pressed="true"' in answer.text  # the page as it is now
    again = fields(answer.text, SCORE)  # what was sent, for the event as it is now
    assert (again["table"], again["score"]) == ("1", "0-3")
    answer = two.post(SCORE, data=again)
    assert "before: 3-0" in said(answer.text)  # a correction asks
    assert matches(folder) == before
    assert (
        two.post(SCORE, data={**fields(answer.text, SCORE), "sure": "yes"}).status_code
        == 200
    )
    assert "0,3" in matches(folder)


@pytest.mark.long
def test_results_of_other_tables_never_refuse_each_other(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", rounds=1)
    one, two = client(folder), client(folder)
    forms = {table: row(two, table) for table in (1, 2, 3)}
    for table, score in ((3, "3-0"), (1, "0-3")):
        one.post(SCORE, data={**row(one, table), "score": score})
    assert two.post(SCORE, data={**forms[2], "score": "1-1"}).status_code == 200
    assert [
        (each.round, each.table, each.value) for each in read_log_lines(folder)[-3:]
    ] == [("1", "3", "3-0"), ("1", "1", "0-3"), ("1", "2", "1-1")]
    undo(folder)
    assert (
        two.post(SCORE, data={**forms[2], "score": "3-0"}).status_code == 200
    )  # open, as it was
    assert two.post(SCORE, data={**forms[3], "score": "0-3"}).status_code == 409
    before = matches(folder)
    assert "already" in said(two.post(SCORE, data={**forms[3], "score": "3-0"}).text)
    assert matches(folder) == before


@pytest.mark.long
def test_the_command_line_beside_it(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", rounds=1)
    page = client(folder)
    one, two, out = (
        row(page, 1),
        row(page, 2),
        fields(page.get("/players").text, "/players/out"),
    )
    drop(folder, "A")
    result(folder, 1, "3-0")
    answer = page.post(SCORE, data={**one, "score": "0-3"})
    assert answer.status_code == 409
    assert "Result of round 1, table 1: " in said(answer.text)
    assert "A dropped" not in said(answer.text)  # it is no matter for this table
    assert page.post(SCORE, data={**two, "score": "3-0"}).status_code == 200
    assert "already" in said(
        page.post("/players/out", data={**out, "player": "A"}).text
    )
    assert "B has dropped" in said(
        page.post("/players/out", data={**out, "player": "B"}).text
    )


@pytest.mark.long
def test_a_round_that_was_paired_anew(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", "ABCDEFGH", rounds=1)
    page = client(folder)
    form, slip = row(page, 1), fields(page.get("/results").text, SLIP)
    one, two = matches(folder).split("\n")[1].split(",")[2:4]
    undo(folder)
    pair(folder, forbid=[(one, two)])
    for path, sent in (
        (SCORE, {**form, "score": "3-0"}),
        (SLIP, {**slip, "slip": "4 1"}),
    ):
        assert page.post(path, data=sent).status_code == 409
    assert ",3,0" not in matches(folder)


@pytest.mark.long
def test_an_edit_by_hand(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", rounds=1)
    page = client(folder)
    one, two, three = (row(page, table) for table in (1, 2, 3))
    (folder / "players.csv").write_text(
        (folder / "players.csv").read_text() + "Zoe,true\n"
    )
    assert page.post(SCORE, data={**one, "score": "3-0"}).status_code == 200
    lines = matches(folder).split("\n")
    cells = lines[2].split(",")
    lines[2] = ",".join([*cells[:5], "3", "0", *cells[7:]])
    (folder / "matches.csv").write_text("\n".join(lines))
    assert page.post(SCORE, data={**two, "score": "0-3"}).status_code == 409
    assert page.post(SCORE, data={**three, "score": "3-0"}).status_code == 200


@pytest.mark.long
@pytest.mark.parametrize("state", ["", "0" * 32, "<b>"])
def test_a_state_that_there_never_was(tmp_path: Path, state: str) -> None:
    folder = event(tmp_path / "event", rounds=1)
    page = client(folder)
    out = {**fields(page.get("/players").text, "/players/out"), "player": "A"}
    for path, sent in (
        ("/players/out", out),
        (SCORE, {**row(page, 1), "score": "3-0"}),
    ):
        answer = page.post(path, data={**sent, "state": state, "seen": state})
        assert answer.status_code == 409
        assert "<b>" not in answer.text
    assert page.post(SCORE, data={"table": "1", "score": "3-0"}).status_code == 409
    assert page.post(SLIP, data={"slip": "1 1"}).status_code == 409


@pytest.mark.long
def test_a_preview_of_a_round_that_somebody_else_has_published(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", "ABCD")
    one, two = client(folder), client(folder)
    path = "/round/draft/publish"
    first, second = (fields(page.get("/round/draft").text, path) for page in (one, two))
    one.post(path, data=first)
    before = matches(folder)
    answer = two.post(path, data=second)
    assert answer.status_code == 409
    assert "Round 1 paired" in said(answer.text)
    assert matches(folder) == before


@pytest.mark.long
def test_of_many_at_once_all_are_taken_but_a_second_for_the_same_table(
    tmp_path: Path,
) -> None:
    folder = event(tmp_path / "event", rounds=1)
    pages = [client(folder) for _ in range(4)]
    forms = [row(page, k % 3 + 1) for k, page in enumerate(pages)]
    answers: list[int] = []

    def send(k: int) -> None:
        score = "3-0" if k < 3 else "0-3"
        answers.append(
            pages[k].post(SCORE, data={**forms[k], "score": score}).status_code
        )

    threads = [threading.Thread(target=send, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == [200, 200, 200, 409]
    assert matches(folder).count(",3,0,") + matches(folder).count(",0,3,") == 3


def test_a_verb_on_a_held_desk_and_one_that_is_rehearsed(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", rounds=1)
    before = matches(folder)
    with open_folder(folder) as desk:
        told = result(desk.rehearsed(), 1, "3-0")
        assert matches(folder) == before
        done = result(desk, 1, "3-0")
    assert said_by(told) == said_by(done)
    assert matches(folder) != before


@pytest.mark.long
def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", rounds=1)
    page = client(folder)
    form = fields(page.get("/results").text, SCORE)
    (folder / "matches.csv").write_text("round,table\n1,<script>\n")
    for path in ("/results", "/round", "/round/draft"):
        answer = page.get(path)
        assert answer.status_code in (200, 422)
        assert "matches.csv" in answer.text
        assert "<script>" not in answer.text
    assert page.get("/log").status_code == 200  # the way back
    assert page.post(SCORE, data={**form, "score": "3-0"}).status_code == 409
    state = fields(page.get("/log").text, "/log/undo")
    sent = {**state, "step": "2", "sure": "yes"}
    assert page.post("/log/undo", data=sent).status_code == 200
    assert "table-1" in page.get("/results").text


@pytest.mark.long
def test_whether_there_is_a_newer_state(tmp_path: Path) -> None:
    folder = tmp_path / "event"
    page = client(folder)

    def status(text: str) -> int:
        (state,) = re.findall('data-state="(.*?)"', text)
        return page.get("/state", headers={"if-none-match": f'"{state}"'}).status_code

    empty = page.get("/new").text
    assert status(empty) == 304
    event(folder, rounds=1)
    assert status(empty) == 204
    text = page.get("/results").text
    assert status(text) == 304
    result(folder, 1, "3-0")
    assert status(text) == 204
    assert page.get("/state").status_code == 204
    assert "data-state" not in page.get("/nowhere").text


def test_a_step_begun_that_cannot_be_read(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", rounds=1)
    (folder / ".pairopt" / "pending.zip").write_bytes(b"PK")
    page = client(folder)
    for path in ("/results", "/log", "/state"):
        answer = page.get(path)
        assert answer.status_code == 422
        assert "pending.zip: This file does not contain an intact step" in answer.text


@pytest.mark.long
def test_every_view_says_which_results_a_hand_has_taken_until_a_step_does(
    tmp_path: Path,
) -> None:
    folder = event(tmp_path / "event", rounds=1)
    page = client(folder)
    result(folder, "1", "3-0")
    whole = matches(folder)
    views = (
        "/round",
        "/results",
        "/players",
        "/standings",
        "/log",
        "/files",
        "/settings",
    )
    assert not any("was removed" in said(page.get(view).text) for view in views)
    row_of_1 = next(line for line in whole.splitlines() if line.startswith("1,1,"))
    (folder / "matches.csv").write_text(whole.replace(row_of_1 + "\n", ""))
    for view in views:
        told = page.get(view).text
        assert re.search("Someone edited .*by hand", told), view
        assert "A 3-0" in told.replace("\u2068", "").replace("\u2069", ""), view
        assert "pairopt undo" not in told, view
    (folder / "matches.csv").write_text(whole)
    assert not any("was removed" in page.get(view).text for view in views)
