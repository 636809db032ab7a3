"""A list with a column Section: the page offers an event for each section."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest
from organiser import client, founding

from pairopt import read_event

NEW = "/new/event"
LISTED = "Name;Rating;Section\nAnn;1500;Open\nBo;1400;U10\nCy;1300;Open\nDee;1200;U10\nEve;;Open\n"


def test_the_sections_become_events_beside_each_other(tmp_path: Path) -> None:
    folder = tmp_path / "cup"
    page = client(folder)
    asked = page.post(NEW, data={"players": LISTED, "title": "Cup", "game": "go"}).text
    (button,) = re.findall(
        r'<button form="founding" name="sections" value="(\w+)">(.*?)<', asked
    )
    assert (
        html.unescape(button[1])
        == "Create 2 events, one per section: Open (3), U10 (2)"
    )
    form = founding(asked)
    del form["sure"]
    done = page.post(NEW, data={**form, "sections": button[0]})
    assert "one event for each section: Cup Open, Cup U10" in html.unescape(done.text)

    first, second = read_event(folder), read_event(tmp_path / "Cup U10")
    assert first.players == ("Ann", "Cy", "Eve")
    assert second.players == ("Bo", "Dee")
    assert [each.settings.title for each in (first, second)] == ["Cup Open", "Cup U10"]
    assert [each.settings.first_table for each in (first, second)] == [1, 3]
    assert [each.settings.rounds for each in (first, second)] == [3, 1]
    text = page.get("/players").text
    assert "Cup Open" in text
    assert "Cup U10" in text


def test_a_section_can_be_a_round_robin(tmp_path: Path) -> None:
    folder = tmp_path / "cup"
    page = client(folder)
    data = {"players": LISTED, "title": "Cup", "game": "chess"}
    asked = page.post(NEW, data=data).text
    # U10 has two players, too few for a round robin.
    boxes = re.findall(r'name="(robin\d)" value="yes"> (.*?)</label>', asked)
    assert boxes == [("robin1", "Open (3)")]
    (button,) = re.findall(r'name="sections" value="(\w+)"', asked)
    form = founding(asked)
    del form["sure"]
    page.post(NEW, data={**form, "sections": button, "robin1": "yes"})

    robin, swiss = read_event(folder), read_event(tmp_path / "Cup U10")
    assert robin.settings.is_round_robin
    assert robin.settings.model is None
    assert not swiss.settings.is_round_robin
    assert swiss.settings.model
    assert swiss.settings.first_table == 3
    # Both are open side by side: the round robin has all its rounds at once.
    page.post("/round/pair", data={})
    text = page.get("/players").text
    assert "Cup Open" in text
    assert "Cup U10" in text


def test_all_may_stay_in_one_event(tmp_path: Path) -> None:
    folder = tmp_path / "cup"
    page = client(folder)
    page.post(NEW, data=founding(page.post(NEW, data={"players": LISTED}).text))
    assert len(read_event(folder).players) == 5
    assert [each.name for each in tmp_path.iterdir()] == ["cup"]


@pytest.mark.parametrize(
    "listed", [LISTED.replace("1500;Open", "1500;"), LISTED.replace("U10", "Open")]
)
def test_nothing_is_offered_without_a_section_for_everybody(
    tmp_path: Path, listed: str
) -> None:
    asked = client(tmp_path / "cup").post(NEW, data={"players": listed}).text
    assert "Check your new event" in asked
    assert 'name="sections"' not in asked


def test_another_list_is_asked_about_again(tmp_path: Path) -> None:
    """What was asked about is what is made."""
    page = client(tmp_path / "cup")
    asked = page.post(NEW, data={"players": LISTED}).text
    (yes,) = re.findall(r'name="sections" value="(\w+)"', asked)
    form = {**founding(asked), "sections": yes, "players": LISTED.replace("Ann", "Zoe")}
    del form["sure"]
    assert "Check your new event" in page.post(NEW, data=form).text
    assert [*tmp_path.iterdir()] == []
