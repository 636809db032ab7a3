"""The menu of the organiser's page: it is what the views say of themselves."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from organiser import client, event
from places import ROOT

from pairopt.web import views
from pairopt.web.view import View
from pairopt.web.views import VIEWS, known_views, menu

LINK = re.compile(r'<li><a href="/([^"]*)"( aria-current="page")?>([^<]*)</a></li>')


def test_each_view_has_a_path_of_its_own_and_the_menu_is_by_weight_and_path() -> None:
    paths = [each.path for each in known_views()]
    assert len(set(paths)) == len(paths)
    assert [each.path for each in menu()] == [
        each.path
        for each in sorted(known_views(), key=lambda v: (v.weight, v.path))
        if each.weight
    ]


def test_shipped_views_have_weights_of_their_own() -> None:
    """The view of a plug-in fits between any two of them, whatever its path is."""
    assert [view.weight for view in menu()] == [*range(1, len(menu()) + 1)]


def test_the_menu_is_the_documentations_table_of_views() -> None:
    told = (ROOT / "docs" / "page.md").read_text("utf-8").partition("## The views")[2]
    rows = re.findall(r"(?m)^\| ([\w ]+) \| ", told.partition("\n\n##")[0])
    assert [view.title for view in menu()] == rows[1:]


def test_every_view_of_the_menu_is_there_and_says_where_one_is(tmp_path: Path) -> None:
    browser = client(event(tmp_path / "event", rounds=1))
    for view in menu():
        answer = browser.get(f"/{view.path}")
        assert answer.status_code == 200
        links = LINK.findall(answer.text.partition("</nav>")[0])
        assert [(path, title) for path, _, title in links] == [
            (v.path, v.title) for v in menu()
        ]
        assert [path for path, current, _ in links if current] == [view.path]


def test_two_views_of_one_weight_stand_by_their_paths(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = {name: VIEWS[name] for name in VIEWS}
    twins = tuple(
        View(path, path.title(), dict, weight=1) for path in ("twin", "night")
    )
    monkeypatch.setattr(views, "VIEWS", {**found, "twins": twins})
    known_views.cache_clear()
    try:
        answer = client(event(tmp_path / "event")).get("/players").text
        assert [path for path, *_ in LINK.findall(answer)][:4] == [
            "night",
            "players",
            "twin",
            "round",
        ]
    finally:
        known_views.cache_clear()
