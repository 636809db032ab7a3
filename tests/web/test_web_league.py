"""The league table: the sums of all events at one address, and the link that leads to it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from organiser import HOST, event, scored
from starlette.testclient import TestClient

from pairopt.folder import result
from pairopt.web.app import application
from pairopt.web.site import EventGroup

LINK = 'href="/event/league"'


def pages_of(*folders: Path) -> TestClient:
    return TestClient(application(EventGroup.of(folders), {HOST}), f"http://{HOST}")


def rows(text: str) -> list[list[str]]:
    """The cells of the table, line by line."""
    lines = re.findall(r"<tr>(.*?)</tr>", text.partition("<tbody>")[2], re.DOTALL)
    return [
        [re.sub("<[^>]*>", "", cell) for cell in re.findall("<td.*?</td>", line)]
        for line in lines
    ]


@pytest.fixture
def folders(tmp_path: Path) -> list[Path]:
    """Ann and Bob play in both events, Cy and Dee in one each."""
    first = event(tmp_path / "first", ["Ann", "Bob", "Cy"], 1, points="3-1-0")
    second = event(tmp_path / "second", ["Bob", "Ann", "Dee"], 1, points="3-1-0")
    for folder in (first, second):
        scored(folder)
    return [first, second]


def test_events_lead_to_the_table_of_all(folders: list[Path]) -> None:
    page = pages_of(*folders)
    assert LINK in page.get("/event").text
    found = page.get("/event/league")
    assert found.status_code == 200
    lines = rows(found.text)
    assert {line[1] for line in lines} == {"Ann", "Bob", "Cy", "Dee"}
    for _, _, points, *each in lines:
        assert int(points) == sum(int(one) for one in each if one)
    sums = [int(line[2]) for line in lines]
    assert sums == sorted(sums, reverse=True)
    assert "" in next(line for line in lines if line[1] == "Cy")


def test_the_worst_event_of_each_is_left_out(folders: list[Path]) -> None:
    page = pages_of(*folders)
    for _, _, points, *each in rows(page.get("/event/league?drop=1").text):
        assert int(points) == max(int(one or 0) for one in each)
    for wrong in ("-1", "x", "99", "²", "9999999"):
        assert page.get("/event/league", params={"drop": wrong}).status_code == 200


def test_one_event_alone_has_no_league(folders: list[Path]) -> None:
    assert LINK not in pages_of(folders[0]).get("/event").text


def test_an_event_that_cannot_be_read_is_named(folders: list[Path]) -> None:
    (folders[0] / "matches.csv").write_text("x")
    text = pages_of(*folders).get("/event/league").text
    assert "<bdi>first</bdi>" in text
    assert "so the table is without it" in text
    assert {line[1] for line in rows(text)} == {"Ann", "Bob", "Dee"}


def test_a_result_counts_at_once(folders: list[Path]) -> None:
    page = pages_of(*folders)
    before = page.get("/event/league").text
    result(folders[0], 1, "0-3", round=1, sure=True)
    assert page.get("/event/league").text != before
