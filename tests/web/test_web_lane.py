"""The lane: slips as they are typed, and answers that hold nothing but what is new."""

from __future__ import annotations

import gzip
import html
import re
from pathlib import Path

import pytest
from organiser import client, event, fields, said, scored
from starlette.testclient import TestClient

from pairopt.event.points import parse_points
from pairopt.folder.journal import read_log_lines
from pairopt.folder.open_folder import read_folder_state, undo
from pairopt.folder.pair_round import pair
from pairopt.folder.results import result
from pairopt.folder.top_cut import bracket
from pairopt.messages.formatting import with_half_signs
from pairopt.web.views.results import list_outcomes

SLIP, SCORE = "/results/slip", "/results/score"


def state(text: str) -> str:
    return re.findall('data-state="(.*?)"', text)[0]


def send(page: TestClient, slip: str, where: str = "", **more: str) -> str:
    """A slip; what the page says of it."""
    form = fields(page.get(f"/results?{where}").text, SLIP)
    return said(page.post(f"{SLIP}?{where}", data={**form, "slip": slip, **more}).text)


def scores(folder: Path) -> list[str]:
    rows = [
        row.split(",") for row in (folder / "matches.csv").read_text().splitlines()[1:]
    ]
    return [f"{row[5]}-{row[6]}{row[7]}" for row in rows]


@pytest.mark.parametrize(
    "slip",
    ["2 1", "2+1", " 02  w ", "2 W", "2 3-0", "2\t3:0", "2*1", "2 3 - 0", "2 +1"],
)
def test_a_slip_is_a_table_and_a_key_or_a_score(tmp_path: Path, slip: str) -> None:
    folder = event(tmp_path / "event", rounds=1)
    assert "table 2:" in send(client(folder), slip)
    assert scores(folder) == ["-", "3-0", "-"]


@pytest.mark.parametrize(
    "slip",
    [
        "",
        "2",
        "anna",
        "2 9",
        "9 1",
        "2 3F-1F",
        "0 1",
        "B1 1",
        "2 1 1",
        "-2 1",
        "٢ 1",
        "2 <b>",
        "99999999999 1",
    ],
)
def test_what_is_no_slip_is_not_taken(tmp_path: Path, slip: str) -> None:
    folder = event(tmp_path / "event", rounds=1)
    assert "Not saved" in send(client(folder), slip)
    assert scores(folder) == ["-", "-", "-"]


@pytest.mark.long
def test_a_slip_is_one_step_and_is_undone(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", rounds=1)
    page = client(folder)
    before = len(read_folder_state(folder).journal.steps())
    send(page, "3 2")
    send(page, "1 1")
    assert [(each.round, each.table, each.value) for each in read_log_lines(folder)][
        before:
    ] == [("1", "3", "1-1"), ("1", "1", "3-0")]
    undo(folder)
    assert scores(folder) == ["-", "-", "1-1"]


@pytest.mark.long
def test_a_slip_that_says_otherwise_asks(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", rounds=1)
    page = client(folder)
    send(page, "1 1")
    assert "already has the result 3-0. Nothing was changed. 2 missing." in send(
        page, "01 w"
    )
    assert "before: 3-0" in send(page, "01 l")
    assert "Please confirm" in send(page, "2 f")
    assert scores(folder) == ["3-0", "-", "-"]
    assert "Please confirm" not in send(page, "1 l", sure="yes")
    assert "Please confirm" not in send(page, "2 f", sure="yes")
    assert scores(folder) == ["0-3", "3-0forfeit", "-"]


@pytest.mark.long
@pytest.mark.parametrize(
    ("written", "cells"),
    [("+--", "3-0forfeit"), ("--+", "0-3forfeit"), ("---", "0-0forfeit")],
)
def test_forfeits_as_arbiters_write_them_ask(
    tmp_path: Path, written: str, cells: str
) -> None:
    folder = event(tmp_path / "event", rounds=1)
    page = client(folder)
    assert "Please confirm" in send(page, f"2 {written}")
    assert scores(folder) == ["-", "-", "-"]
    send(page, f"2 {written}", sure="yes")
    send(page, "3 remis")
    assert scores(folder) == ["-", cells, "1-1"]


@pytest.mark.long
def test_slips_of_earlier_rounds_and_of_the_bracket(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", rounds=2)
    page = client(folder)
    assert "Result of round 1, table 2" in send(page, "2 2", "round=1", sure="yes")
    assert scores(folder)[1] == "1-1"
    scored(folder)
    bracket(folder, 4, by_lot=True)
    assert "B2:" in send(page, "b2 1")
    assert "Not saved" in send(page, "2 1")


@pytest.mark.long
def test_slips_of_many_outcomes_and_of_none(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", rounds=1, model="double-sided")
    keys = {each.keys: each.score for each in list_outcomes(parse_points("3-1-0x2"))}
    for table, key in ((1, "2"), (2, "3")):
        send(client(folder), f"{table} {key}")
        assert keys[key] in scores(folder)
    folder = event(tmp_path / "other", rounds=1)
    toml = (folder / "event.toml").read_text()
    (folder / "event.toml").write_text(toml[: toml.index("[points]")])
    send(client(folder), "3 2-1")
    assert scores(folder)[2] == "2-1"


def test_what_is_rare_is_in_a_menu_until_it_is_chosen(tmp_path: Path) -> None:
    rare = {each.score: each.rare for each in list_outcomes(parse_points("3-1-0x2"))}
    assert [score for score in rare if not rare[score]] == ["6-0", "3-3", "0-6"]
    assert not any(each.rare for each in list_outcomes(parse_points("1-0.5-0"))[:3])
    folder = event(tmp_path / "event", rounds=1)
    page = client(folder)

    def ready() -> list[str]:
        text = page.get("/results").text
        row = text[text.index('id="table-1"') :]
        return re.findall('value="([0-9F.-]+)" data-key', row[: row.index("<details")])

    assert ready() == ["3-0", "1-1", "0-3"]
    send(page, "1 g", sure="yes")
    assert ready() == ["0F-3F"]


def test_halves() -> None:
    assert (
        with_half_signs("result of round 1, table 2: Ann 0.5-0.5 Bob")
        == "result of round 1, table 2: Ann ½-½ Bob"
    )
    assert with_half_signs("1.5-0.5 (was 10.5-0)") == "1½-½ (was 10½-0)"
    for same in ("Team 2.5 1-0 Bob 0.5", "1F-0F", "version 0.5-0.5.1"):
        assert with_half_signs(same) == same


@pytest.mark.long
def test_a_page_of_chess_says_half(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", rounds=1, model="fide-dutch")
    page = client(folder)
    assert "½-½" in send(page, "1 2")
    text = page.get("/results").text
    assert ">½-½<" in text
    assert "0.5" not in re.sub('value="[^"]*"', "", text)
    assert "0.5,0.5" in (folder / "matches.csv").read_text()


@pytest.mark.long
def test_names_are_found_in_a_hurry(tmp_path: Path) -> None:
    names = [
        "Anna Berg",
        "Annabel",
        "Zoë Ångström",
        "<b>Bob</b>",
        "Charlie",
        "Player 17",
    ]
    folder = event(tmp_path / "event", names, rounds=1)
    page = client(folder)

    def found(typed: str) -> str:
        text = page.get("/results/found", params={"round": "1", "slip": typed}).text
        assert "<b>" not in text
        return html.unescape(re.sub("<[^>]*>", "", text))

    assert "Zoë" in found("angstrom zoe")
    assert "Bob" in found("bob")
    assert "Charlie" in found("charly")
    assert found("player 17").count(":") == 1
    assert "Anna Berg" in found("anna")
    assert "Annabel" in found("anna")
    assert "No player of this round has that name" in found("nobody")
    assert found("2").strip().startswith("2:")
    rows = re.findall('id="table-(.)"', page.get("/results?slip=annabel").text)
    assert len(rows) == 1  # without script


# what is new alone


def new(page: TestClient, since: str, where: str = "") -> str:
    """What the page is told that is in this state."""
    answer = page.get(f"/results?{where}", headers={"since": since})
    assert answer.status_code == 200
    return answer.text


def tables(text: str) -> list[str]:
    return re.findall('<tr class="match[^>]* id="table-([^"]*)"', text)


@pytest.mark.long
def test_only_what_is_new_is_sent(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", [f"P{k:02}" for k in range(40)], rounds=1)
    page, other = client(folder), client(folder)
    text = page.get("/results").text
    other.get("/results")
    send(other, "7 1")
    send(other, "3 2")
    answer = page.get("/results", headers={"since": state(text)})
    assert tables(answer.text) == ["3", "7"]
    assert "18 of 20 results are missing" in answer.text
    assert "<html" not in answer.text
    assert answer.headers["hx-reswap"] == "none"
    form = {**fields(text, SLIP), "slip": "11 3"}
    headers = {"since": answer.headers["state"]}
    answer = page.post(SLIP, data=form, headers=headers)
    assert tables(answer.text) == ["11"]
    assert "0-3" in said(answer.text)
    assert "17 missing" in said(answer.text)
    size = int(answer.headers["content-length"])
    assert answer.headers["content-encoding"] == "gzip"
    assert size < 1500
    answer = page.post(
        SLIP, data={**form, "slip": "11 1"}, headers={"since": state(text)}
    )
    assert "Please confirm" in said(answer.text)
    assert tables(answer.text) == ["3", "7", "11"]
    assert answer.status_code == 200


@pytest.mark.long
def test_a_row_that_is_no_longer_missing_goes(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", rounds=1)
    page = client(folder)
    text = page.get("/results?missing=1").text
    result(folder, 2, "3-0")
    part = new(page, state(text), "missing=1")
    assert tables(part) == []
    assert '<tr id="table-2" hx-swap-oob="delete">' in part
    undo(folder)  # and a row that comes again needs the whole page
    page.get("/results?missing=1")
    result(folder, 3, "3-0")
    before = state(page.get("/results?missing=1").text)
    undo(folder)
    assert "<html" in new(page, before, "missing=1")


@pytest.mark.long
def test_where_more_is_new_the_whole_page_comes(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", rounds=1)
    page = client(folder)
    before = state(page.get("/results").text)
    assert "<html" in new(page, "0" * 32)
    assert "<html" in new(page, "")
    scored(folder)
    assert "<html" not in new(page, before)
    pair(folder)
    assert "<html" in new(page, before)  # there is a second round
    assert "<html" in new(page, before, "round=1")


def test_a_question_is_sent_alone(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", rounds=1)
    page = client(folder)
    text = page.get("/results").text
    form = {**fields(text, SCORE), "score": "3F-0F"}
    answer = page.post(SCORE, data=form, headers={"since": state(text)})
    assert "Please confirm" in said(answer.text)
    assert "<html" not in answer.text
    assert answer.headers["hx-push-url"] == "/results"
    again = {**fields(answer.text, SCORE), "sure": "yes"}
    answer = page.post(SCORE, data=again, headers={"since": state(text)})
    assert tables(answer.text) == ["1"]
    assert answer.headers["hx-push-url"] == "false"
    slip = {**fields(page.get("/results").text, SLIP), "slip": "9 1"}
    answer = page.post(SLIP, data=slip, headers={"since": state(text)})
    assert answer.status_code == 422
    assert "<html" not in answer.text


def test_pages_are_sent_packed(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", [f"P{k:02}" for k in range(40)], rounds=1)
    page = client(folder)
    for path in ("/results", "/players", "/static/style.css"):
        with page.stream("GET", path) as answer:
            raw = b"".join(answer.iter_raw())
        assert answer.headers["content-encoding"] == "gzip"
        assert len(raw) < len(gzip.decompress(raw)) / 3


@pytest.mark.long
def test_long_rounds_come_in_parts(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", [f"P{k:03}" for k in range(420)], rounds=1)
    page = client(folder)
    text = page.get("/results").text
    assert tables(text) == [str(k) for k in range(1, 201)]
    assert tables(page.get("/results?round=1&part=2").text) == [
        str(k) for k in range(201, 211)
    ]
    assert "part=2" in text
    assert "table 205:" in send(page, "205 1")  # from any part
    assert "209 of 210 results are missing" in page.get("/results").text
    assert "205" not in tables(page.get("/results?part=2&missing=1").text)
    assert tables(page.get("/results?slip=207").text) == ["207"]
    assert new(page, state(text)).count("<tr") == 0  # of another part
    text = page.post(
        f"{SCORE}?round=1&part=2&at=201",
        data={
            **fields(page.get("/results?round=1&part=2").text, SCORE),
            "score": "3-0",
        },
    ).text
    assert tables(text)[0] == "201"
    assert (
        "autofocus" in text[text.index('id="table-202"') : text.index('id="table-203"')]
    )


def test_without_a_round_there_is_no_lane(tmp_path: Path) -> None:
    text = client(event(tmp_path / "event")).get("/results").text
    assert "No round has been paired yet" in text
    assert 'id="lane"' not in text
