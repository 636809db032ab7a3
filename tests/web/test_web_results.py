"""Results by the page: every outcome, what is missing, and what is asked twice."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest
from organiser import client, event, fields, said, scored
from starlette.testclient import TestClient

from pairopt.event.points import parse_points
from pairopt.folder.top_cut import bracket
from pairopt.web.views.results import list_outcomes

SCORE = "/results/score"


def send(page: TestClient, score: str, where: str = "", **more: str) -> str:
    """A result for the first table of the page; what it says then."""
    form = fields(page.get(f"/results?{where}").text, SCORE)
    return page.post(f"{SCORE}?{where}", data={**form, **more, "score": score}).text


def results(folder: Path) -> list[str]:
    rows = [
        row.split(",") for row in (folder / "matches.csv").read_text().splitlines()[1:]
    ]
    return [f"{row[0]}.{row[1]} {row[5]}-{row[6]}{row[7]}" for row in rows]


def test_outcomes_and_their_keys() -> None:
    chess = [(each.score, each.keys) for each in list_outcomes(parse_points("1-0.5-0"))]
    assert chess == [
        ("1-0", "1 w"),
        ("0.5-0.5", "2 d"),
        ("0-1", "3 l"),
        ("1F-0F", "f"),
        ("0F-1F", "g"),
        ("0F-0F", "x"),
    ]
    double = {each.score: each.keys for each in list_outcomes(parse_points("3-1-0x2"))}
    assert {"6-0", "3-3", "0-6", "4-1", "1-4", "2-2", "6F-0F"} <= double.keys()
    assert double["6-0"] == "1"
    half = {"3-0", "1-1", "0-3"}
    assert {score for score, keys in double.items() if not keys} == half, (
        "the second not played"
    )
    keys = [keys for keys in double.values() if keys]
    assert len({*keys}) == len(keys)
    assert all(
        each.words != "draw"
        for each in list_outcomes(parse_points("3-1-0"), draws=False)
    )
    assert list_outcomes(None) == []


@pytest.mark.long
def test_a_result_is_one_post(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", rounds=1)
    page = client(folder)
    assert "All" not in page.get("/results").text
    text = send(page, "3-0", "round=1&at=1")
    assert "Result of round 1, table 1:" in said(text)
    assert results(folder)[0] == "1.1 3-0"
    assert "2 of 3 results are missing" in text
    focus = re.findall(r'aria-label="[^"]*"[^>]*autofocus', text)
    assert len(focus) == 1
    row = text[: text.index(focus[0])].rsplit('id="table-', 1)[1]
    assert row.startswith("2")


@pytest.mark.long
def test_only_what_is_missing(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", rounds=1)
    page = client(folder)
    send(page, "3-0")
    assert re.findall('id="table-(.)"', page.get("/results").text) == ["1", "2", "3"]
    assert re.findall('id="table-(.)"', page.get("/results?missing=1").text) == [
        "2",
        "3",
    ]
    scored(folder)
    text = page.get("/results?missing=1").text
    assert "All 3 results are in" in text
    assert "table-" not in text


@pytest.mark.long
@pytest.mark.parametrize("score", ["3F-0F", "0F-3F", "0F-0F"])
def test_forfeits_ask_again(tmp_path: Path, score: str) -> None:
    folder = event(tmp_path / "event", rounds=1)
    page = client(folder)
    text = send(page, score)
    assert "Please confirm" in said(text)
    assert score in said(text)
    assert "pairopt asks because a forfeit is not a game" in said(text)
    assert results(folder)[0] == "1.1 -"
    again = fields(text, SCORE)
    assert "Sure" not in said(page.post(SCORE, data={**again, "sure": "yes"}).text)
    assert results(folder)[0] == f"1.1 {score.replace('F', '')}forfeit"


@pytest.mark.long
@pytest.mark.parametrize("score", ["0-0", "0.5-0", "0-0.5"])
def test_what_an_arbiter_decides_asks_again(tmp_path: Path, score: str) -> None:
    folder = event(
        tmp_path / "event", "ABCD", 1, sides=("white", "black"), points="1-0.5-0"
    )
    page = client(folder)
    assert "the arbiter&#39;s decision" in page.get("/results").text
    asked = send(page, score, "round=1")
    assert results(folder)[0] == "1.1 -"
    form = fields(asked, SCORE)
    page.post(SCORE, data={**form, "sure": "yes"})
    assert results(folder)[0] == f"1.1 {score}"


def test_where_nobody_decides(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", "ABCD", 1, points="3-1-0")
    page = client(folder)
    assert "decision" not in page.get("/results").text
    assert "is not possible with the points" in send(page, "0-0", "round=1")


@pytest.mark.long
def test_a_correction_says_what_it_would_have_changed(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", "ABCDEFGH", 3, model="standard")
    page = client(folder)
    before = results(folder)
    text = send(page, "0-3", "round=1")
    assert "before: 3-0" in said(text)
    assert "round 2 would have been paired differently" in said(text)
    assert results(folder) == before
    text = page.post(
        f"{SCORE}?round=1", data={**fields(text, SCORE), "sure": "yes"}
    ).text
    assert "round 2 would have been paired differently" in said(text)
    assert results(folder)[0] == "1.1 0-3"
    assert 'aria-pressed="true"' in text


@pytest.mark.long
def test_the_same_result_again_changes_nothing(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", rounds=1)
    page = client(folder)
    send(page, "3-0")
    assert "already has the result 3-0" in said(send(page, "3-0"))


@pytest.mark.long
@pytest.mark.parametrize(
    "score", ["7-0", "x", "3F-0", "", "3-0-0", "-1-0", "3\u202e-0"]
)
def test_a_score_that_cannot_be(tmp_path: Path, score: str) -> None:
    folder = event(tmp_path / "event", rounds=1)
    page = client(folder)
    form = fields(page.get("/results").text, SCORE)
    answer = page.post(SCORE, data={**form, "score": score})
    assert answer.status_code == 422
    assert "Not saved" in said(answer.text)
    assert results(folder)[0] == "1.1 -"


@pytest.mark.parametrize(
    "query",
    [
        "round=x",
        "round=9",
        "round=-1",
        "round=3000000",
        "round=999999999",
        "round=99999999999",
    ],
)
def test_a_round_that_is_not_there(tmp_path: Path, query: str) -> None:
    page = client(event(tmp_path / "event", rounds=1))
    answer = page.get(f"/results?{query}")
    assert answer.status_code == 404
    assert "table-" not in answer.text


@pytest.mark.long
def test_double_sided_matches(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", rounds=1, model="double-sided")
    page = client(folder)
    text = page.get("/results").text
    for score in ("6-0", "3-3", "4-1", "0-6"):
        assert f'value="{score}"' in text
    send(page, "4-1")
    assert results(folder)[0] == "1.1 4-1"


@pytest.mark.long
def test_the_bracket(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", rounds=1)
    scored(folder)
    bracket(folder, 4, by_lot=True)
    page = client(folder)
    text = page.get("/results").text
    assert re.findall('id="table-(..)"', text) == ["B1", "B2"]
    assert 'value="1-1"' not in text
    form = fields(text, SCORE)
    answer = page.post(SCORE, data={**form, "score": "0-3"}).text
    assert "B1:" in said(answer)
    assert 'id="table-1"' in page.get("/results?round=1").text
    form = fields(page.get("/results").text, SCORE)
    assert "Please confirm" in said(
        page.post(SCORE, data={**form, "score": "3-0"}).text
    )


def test_without_known_points_a_score_is_typed(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", rounds=1)
    toml = (folder / "event.toml").read_text()
    (folder / "event.toml").write_text(toml[: toml.index("[points]")])
    page = client(folder)
    text = page.get("/results").text
    assert "Enter" in text
    form = fields(text, SCORE)
    page.post(SCORE, data={**form, "score": html.unescape("2-1")})
    assert results(folder)[0] == "1.1 2-1"


@pytest.mark.long
def test_an_adjourned_game(tmp_path: Path) -> None:
    """By the menu and by a slip; standings say how many there are."""
    folder = event(
        tmp_path / "event",
        "ABCD",
        1,
        sides=("white", "black"),
        points="1-0.5-0",
        tie_breaks="BH",
    )
    page = client(folder)
    assert "adjourned, to be finished later" in page.get("/results").text
    assert "(adjourned)" in said(send(page, "adjourned", "round=1&at=1"))
    form = fields(page.get("/results").text, "/results/slip")
    text = page.post("/results/slip", data={**form, "slip": "2 adjourned"}).text
    assert "Result of round 1, table 2" in said(text)
    marks = [
        row.rsplit(",", 1)[1]
        for row in (folder / "matches.csv").read_text().splitlines()
    ]
    assert marks == ["adjourned", "true", "true"]
    assert page.get("/standings").status_code == 200
    assert "Adjourned games: 2." in page.get("/standings").text
    assert "(2 adjourned)" in page.get("/print/standings").text
    for path in ("/results", "/round", "/players", "/files", "/log", "/"):
        assert page.get(path).status_code == 200, path
