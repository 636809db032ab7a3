"""Every address of an event's pages begins with the event's root, and no name is taken for one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import browser
import pytest
from organiser import HOST, ORIGIN, event, fields, scored, served
from starlette.testclient import TestClient

from pairopt.folder import bracket, drop, forbid, pair, result
from pairopt.web import phones
from pairopt.web.access import NetworkShare
from pairopt.web.app import application
from pairopt.web.site import EventGroup
from pairopt.web.views import known_views

LEAD = ("href", "action", "formaction", "src", "hx-get", "hx-post", "data-root")
HOSTILE = (
    'href="/players"',
    'action="/results/score',
    "<a href='/x'>",
    "/event/other/players",
)
NAMES = [*HOSTILE, *"ABCDEF"]
PHONE = "http://192.0.2.7:8441"
SHARED = re.compile(
    r"data:,|/static/[\w.-]+|/event(/(another|next|back|screen|league))?(\?.*)?"
)
"""What all events of an evening share."""


class Leads(HTMLParser):
    """Every address that an element of a page leads to, and the words on the page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, str, str]] = []
        self.words: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [
            (tag, name, value or "") for name, value in attrs if name in LEAD
        ]

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def astray(
    text: str, root: str, others: tuple[str, ...] = ()
) -> list[tuple[str, str, str]]:
    """The addresses on a page that are neither the event's, nor all events', nor another event's
    pages of `others`, nor of a player there."""
    own = (f"{root}/", PHONE, "#", "/event/other/player?")
    return [
        lead
        for lead in Leads(text).found
        if not lead[2].startswith(own)
        and lead[2] not in (root, *others)
        and not SHARED.fullmatch(lead[2])
    ]


def evening(home: Path) -> list[Path]:
    """Two events; the first is in its second round."""
    home.mkdir(exist_ok=True)
    folders = [
        event(home / "open", NAMES, 2),
        event(home / "other", "KLMN", first_table=9),
    ]
    pair(folders[1])
    result(folders[0], 1, "3-0")
    forbid(folders[0], "A", "B")
    drop(folders[0], "F")
    return folders


QUERIES = (
    "?id=A",
    "?player=A",
    "?q=href",
    "?round=1",
    "?id=A&other=B",
    "?anew=1",
    "?slip=1",
    "?part=1",
    "?missing=1",
    "?by=rounds",
)


def addresses(cut: bool) -> Iterator[str]:
    """Each view, and each of its queries once: before the cut or after it."""
    for view in known_views():
        for query in ("", *QUERIES[cut::2]):
            yield f"{view.path}{query}"
    yield from ("new", "nowhere", "player?id=" + quote(HOSTILE[0]))


def walked(page: TestClient, root: str, others: tuple[str, ...], cut: bool) -> set[str]:
    """The elements and attributes that lead somewhere, on all views; none leads astray."""
    seen = set()
    for path in addresses(cut):
        text = page.get(f"{root}/{path}").text
        assert (path, astray(text, root, others)) == (path, [])
        seen |= {f"{tag} {name}" for tag, name, _ in Leads(text).found}
    return seen


@pytest.mark.sweep
@pytest.mark.parametrize("cut", [False, True])
def test_every_address_on_every_view_begins_with_the_events_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cut: bool
) -> None:
    monkeypatch.setattr(phones, "SECONDS", -1.0)
    folders = evening(tmp_path)
    share = NetworkShare(8441)
    app = application(EventGroup.of(folders, share), {HOST}, share)
    page = TestClient(
        app, ORIGIN, headers={"origin": ORIGIN}, raise_server_exceptions=False
    )
    if cut:
        scored(folders[0])
        bracket(folders[0], 4, by_lot=True)
    root, others = "/event/open", ("/event/other/",)
    others = (*others, share.address, f"{share.address}event/open/screen/all")
    seen = walked(page, root, others, cut)
    assert {
        "a href",
        "form action",
        "button formaction",
        "script src",
        "body data-root",
    } <= seen
    phone = TestClient(app, PHONE)
    for path in phones.PAGES:
        for query in (
            "",
            "?id=A",
            "?id=A&other=B",
            "?name=a",
            "?by=name",
            "?by=standings",
        ):
            text = phone.get(f"{root}{path}{query}").text
            assert (path, astray(text, root, others)) == (path, [])


@pytest.mark.long
def test_every_answer_to_a_form_leads_below_the_events_root(tmp_path: Path) -> None:
    folders = evening(tmp_path)
    page = TestClient(
        application(EventGroup.of(folders), {HOST}), ORIGIN, headers={"origin": ORIGIN}
    )
    root, others = "/event/open", ("/event/other/",)
    led = []
    for view in known_views():
        at = f"{root}/{view.path}"
        for name in view.changes:
            form = fields(page.get(f"{root}/players").text, f"{root}/players/enter")
            for more in (
                {},
                {"player": "A", "table": "99", "slip": "99 9", "rounds": "-1"},
            ):
                for headers in ({}, {"since": form["state"]}):
                    answer = page.post(
                        f"{at}/{name}",
                        data={**form, **more},
                        headers=headers,
                        follow_redirects=False,
                    )
                    to = [
                        answer.headers[key]
                        for key in ("location", "hx-push-url")
                        if key in answer.headers
                    ]
                    led += [each for each in to if each != "false"]
                    assert (name, astray(answer.text, root, others)) == (name, [])
            reloaded = page.get(f"{at}/{name}", follow_redirects=False)
            if "location" in reloaded.headers:
                led.append(reloaded.headers["location"])
    assert len(led) > 20
    assert [each for each in led if not each.startswith(f"{root}/")] == []


@pytest.mark.long
def test_a_name_like_an_address_stays_as_it_is(tmp_path: Path) -> None:
    page = TestClient(application(EventGroup.of(evening(tmp_path)), {HOST}), ORIGIN)
    for path in (
        "players",
        "round",
        "results?round=1",
        "standings",
        "round/draft",
        "print/names",
    ):
        words = "".join(Leads(page.get(f"/event/open/{path}").text).words)
        for name in HOSTILE if path != "round/draft" else ():
            assert name in words, (path, name)
    for name in HOSTILE:
        assert name in "".join(
            Leads(page.get(f"/event/open/player?id={quote(name)}").text).words
        )


@pytest.mark.long
def test_scripts_ask_below_the_events_root(chromium: Any, tmp_path: Path) -> None:
    evening(tmp_path)
    asked: list[str] = []
    with served(tmp_path) as address, browser.page(chromium) as page:
        page.on("request", lambda each: asked.append(urlsplit(each.url).path))
        page.goto(f"{address}/event/open/round")
        page.get_by_role("searchbox").fill("href")
        page.locator(".whom a").first.wait_for()
        with page.expect_request("**/state"):
            pass
        page.goto(f"{address}/event/open/results")
        with page.expect_request("**/results/found*"):
            page.locator("#slip").press_sequentially("href")
        page.locator("#slip").fill("2 1")
        page.keyboard.press("Enter")
        page.locator("#last", has_text="table 2").wait_for()
        page.goto(f"{address}/event/open/players?q=a")
        with page.expect_request("**/players?q=href*"):
            page.get_by_role("searchbox").first.fill("href")
    paths = {path for path in asked if not path.startswith("/static/")}
    assert "/event/open/state" in paths
    assert "/event/open/players/found" in paths
    assert [path for path in paths if not path.startswith("/event/open/")] == []
