"""The menu of the organiser's page: it is what the views say of themselves."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from organiser import client, event

from pairopt.show.web import views
from pairopt.show.web.view import View
from pairopt.show.web.views import known_views, menu

LINK = re.compile(r'<li><a href="/([^"]*)"( aria-current="page")?>([^<]*)</a></li>')


def test_each_view_has_a_path_of_its_own_and_each_place_one_view() -> None:
    paths, places = [each.path for each in known_views()], [each.place for each in menu()]
    assert len(set(paths)) == len(paths)
    assert places == [*range(1, len(places) + 1)]


def test_every_view_of_the_menu_is_there_and_says_where_one_is(tmp_path: Path) -> None:
    browser = client(event(tmp_path / "event", rounds=1))
    for view in menu():
        answer = browser.get(f"/{view.path}")
        assert answer.status_code == 200
        links = LINK.findall(answer.text.partition("</nav>")[0])
        assert [(path, title) for path, _, title in links] == [(v.path, v.title) for v in menu()]
        assert [path for path, current, _ in links if current] == [view.path]


def test_a_new_view_is_a_module_and_a_template(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "clocks.py").write_text(
        "from pairopt.show.web.view import View\n"
        'VIEW = View("clocks", "Clocks", lambda asked: {"faults": ["tick"]}, place=9)\n'
    )
    monkeypatch.setattr(View, "template", "faults.html")
    monkeypatch.setattr(views, "__path__", [*views.__path__, str(tmp_path)])
    known_views.cache_clear()
    try:
        browser = client(event(tmp_path / "event"))
        assert "<li>tick</li>" in browser.get("/clocks").text
        assert '<li><a href="/clocks" aria-current="page">Clocks</a></li>' in (
            browser.get("/clocks").text
        )
    finally:
        known_views.cache_clear()
