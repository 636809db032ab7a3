"""Long lists in parts."""

from __future__ import annotations

import re
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from organiser import HOST, client, event, fields, scored
from starlette.testclient import TestClient

from pairopt.errors import UsageError
from pairopt.folder.open_folder import read_folder_state
from pairopt.web import view
from pairopt.web.access import NetworkShare
from pairopt.web.app import application
from pairopt.web.view import ListPage, select_part

DRAFT, PUBLISH = "/round/draft", "/round/draft/publish"
NAMES = [f"P{k:02}" for k in range(23)]


def part(count: int, **query: str) -> ListPage[int]:
    return select_part(range(1, count + 1), "/results", query, str, most=10)


def test_a_short_list_is_in_one_piece() -> None:
    assert part(10) == ListPage(range(1, 11))
    assert part(0).links == ()


def test_a_long_list_in_parts() -> None:
    found = part(25, round="2")
    assert [*found.items] == [*range(1, 11)]
    assert found.number == 1
    assert [words for words, _ in found.links] == ["1 to 10", "11 to 20", "21 to 25"]
    assert found.links[1][1] == "/results?round=2&part=2"
    assert [*part(25, part="3").items] == [*range(21, 26)]
    assert part(25, part="9").number == 3
    assert part(25, part="0").number == 1
    with pytest.raises(UsageError):
        part(25, part="x")


@pytest.mark.long
def test_a_large_round_comes_in_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(select_part, "__defaults__", (4,))
    page = client(event(tmp_path / "event", NAMES, rounds=1))
    texts = [page.get(f"/round?part={k}").text for k in (1, 2, 3)]
    assert [text.count('<tr class="match') for text in texts] == [4, 4, 4]
    assert all("11 tables" in text for text in texts)  # of all of it
    assert 'href="/round?part=3"' in texts[0]
    assert (
        len(re.findall('<li><a href="/player', page.get("/players/found?q=p").text))
        == 8
    )


@pytest.mark.long
def test_standings_come_in_parts_at_both_doors(
    tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.setattr(view, "MOST_RANKED", 10)
    folder = event(tmp_path / "event", NAMES, rounds=1)
    scored(folder)
    app = application(folder, {HOST}, NetworkShare(8441))
    for host, links in ((HOST, True), ("192.0.2.7:8441", False)):
        door = TestClient(app, f"http://{host}")
        for by in ("", "&by=rounds") if links else ("",):
            texts = [door.get(f"/standings?part={k}{by}").text for k in (1, 2, 3)]
            found = [re.findall(r"<bdi>(P\d\d)</bdi>", text) for text in texts]
            assert [len(names) for names in found] == [10, 10, 3]
            assert sorted(chain(*found)) == NAMES
            assert re.findall(r">(\d+ to \d+)<", texts[0]) == [
                "1 to 10",
                "11 to 20",
                "21 to 23",
            ]
            assert (
                "by=rounds" in texts[0].split('aria-label="Parts')[1][:400]
            ) == bool(by)


def test_pairings_on_phones_come_in_parts(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(select_part, "__defaults__", (4,))
    app = application(
        event(tmp_path / "event", NAMES, rounds=1), {HOST}, NetworkShare(8441)
    )
    phone = TestClient(app, "http://192.0.2.7:8441")
    texts = [phone.get(f"/pairings?part={k}").text for k in (1, 2, 3)]
    assert [text.count('<tr class="match') for text in texts] == [4, 4, 4]
    assert sorted(re.findall(r"<bdi>(P\d\d)</bdi>", "".join(texts))) == NAMES
    assert 'href="/pairings?part=2"' in texts[0]
    assert "P17" in phone.get("/?name=p17").text  # whoever wants one looks for the name


@pytest.mark.long
def test_a_draft_comes_in_parts_and_is_published_whole(
    tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.setattr(select_part, "__defaults__", (4,))
    folder = event(tmp_path / "event", NAMES)
    page = client(folder)
    texts = [page.get(f"{DRAFT}?part={k}").text for k in (1, 2, 3)]
    rows = [re.findall(r'name="swap" value="(P\d\d)"', text) for text in texts]
    assert [len(names) for names in rows] == [8, 8, 7]
    assert sorted(chain(*rows)) == NAMES
    assert all("11 tables" in text for text in texts)  # of all of it
    at = fields(texts[1], "/round/draft")
    assert at["part"] == "2"  # what is changed there leads back there
    one, two = rows[1][0], rows[2][0]
    query = {
        "part": "2",
        "exchange": "1",
        "swap": [one, two.lower(), ""],
    }  # ticked, and typed
    shown = [
        fields(text, PUBLISH)["match"]
        for text in (*texts, page.get(DRAFT, params=query).text)
    ]
    other = {one: two, two: one}
    assert {
        frozenset(other.get(each, each) for each in match.split(":"))
        for match in shown[1]
    } == {frozenset(match.split(":")) for match in shown[3]}
    form = {**fields(page.get(DRAFT, params=query).text, PUBLISH), "match": shown[3]}
    page.post(PUBLISH, data=form)
    made = read_folder_state(folder).event
    pairs = zip(made.matches.first.tolist(), made.matches.second.tolist(), strict=True)
    written = {frozenset(made.players[p] for p in pair if p >= 0) for pair in pairs}
    assert written == {frozenset(match.split(":")) for match in shown[3]}
    assert len(written) == 12
