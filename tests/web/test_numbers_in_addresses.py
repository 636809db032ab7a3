"""Every address and form of the page with numbers that nobody means: an answer, never a fault.

Routes are read from the applications, and what each reads is noted while it answers, so that a new
route, view, change or field is walked too.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from organiser import HOST, ORIGIN, event, routes_of, scored
from starlette.datastructures import ImmutableMultiDict
from starlette.testclient import TestClient
from strange_numbers import TEXTS, Case, shortened, walked

from pairopt.files.event_folder import is_folder
from pairopt.folder import bracket, pair
from pairopt.folder.open_folder import read_folder_state
from pairopt.web.access import NetworkShare
from pairopt.web.app import application

ANSWERS = {200, 303, 304, 307, 404, 409, 422}


@dataclass(frozen=True)
class Door:
    """A folder with its pages, and a copy of it to begin anew with."""

    name: str
    folder: Path
    fresh: Path
    browser: TestClient

    def begin(self) -> None:
        """The folder as it was."""
        if is_folder(self.folder) != is_folder(self.fresh) or (
            is_folder(self.fresh)
            and read_folder_state(self.folder).state
            != read_folder_state(self.fresh).state
        ):
            shutil.rmtree(self.folder, ignore_errors=True)
            if self.fresh.exists():
                shutil.copytree(self.fresh, self.folder)


def doors(tmp: Path) -> list[Door]:
    """No event yet; one with a round that is open; one with a cut, which phones read."""
    made = []
    for name in ("new", "open", "cut", "phones"):
        folder, fresh = tmp / name / "event", tmp / f"{name}-fresh" / "event"
        folder.parent.mkdir(exist_ok=True)
        if name != "new":
            event(folder, rounds=1, title="Cup", sides=("white", "black"))
            scored(folder, "1-0")
            pair(folder)
        if name in ("cut", "phones"):
            scored(folder, "1-0")
            bracket(folder, 4, by_lot=True)
        if folder.exists():
            shutil.copytree(folder, fresh)
        share = NetworkShare(8441) if name == "phones" else None
        app = application(folder, {HOST}, share)
        base = ORIGIN if share is None else "http://127.0.0.1:8441"
        headers = {"origin": base}
        made.append(
            Door(
                name,
                folder,
                fresh,
                TestClient(
                    app,
                    base,
                    headers=headers,
                    raise_server_exceptions=False,
                    follow_redirects=False,
                ),
            )
        )
    return made


def routes(app: Any) -> list[tuple[str, str]]:
    """Methods and paths of an application."""
    return [
        (method, route.path)
        for route in routes_of(app)
        for method in ("GET", "POST")
        if method in route.methods
    ]


@contextmanager
def noting(names: dict[str, None]) -> Iterator[None]:
    """What is read of queries and forms while this lasts."""
    own = {
        name: getattr(ImmutableMultiDict, name)
        for name in ("__getitem__", "__contains__", "getlist", "get")
    }
    with pytest.MonkeyPatch.context() as patch:
        for name, method in own.items():

            def noted(self: Any, key: Any, *rest: Any, method: Any = method) -> Any:
                names[str(key)] = None
                return method(self, key, *rest)

            patch.setattr(ImmutableMultiDict, name, noted)
        yield


class Forms(HTMLParser):
    """The forms of a page by their actions, with fields filled in; the queries of its links."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.forms: dict[str, dict[str, str]] = {}
        self.by_id: dict[str, str] = {}
        self.links: dict[str, dict[str, str]] = {}
        self.action = ""
        self.select = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "a":
            parts = urlsplit(given.get("href", ""))
            self.links.setdefault(parts.path, {}).update(parse_qsl(parts.query))
        if tag == "form":
            parts = urlsplit(given.get("action", ""))
            self.action = parts.path
            self.by_id[given.get("id", "")] = parts.path
            self.forms.setdefault(parts.path, {}).update(parse_qsl(parts.query))
        name = given.get("name", "")
        where = self.by_id.get(given.get("form", ""), self.action)
        if tag == "select":
            self.select = name
        elif tag == "option" and self.select:
            self.forms.setdefault(where, {}).setdefault(
                self.select, given.get("value", "")
            )
        elif tag in ("input", "textarea", "button") and name:
            usual = "1" if given.get("type") == "number" else ""
            value = (
                given.get("value") or usual or ("A\nB\nC" if tag == "textarea" else "")
            )
            if given.get("type") != "file":
                self.forms.setdefault(where, {}).setdefault(name, value)

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self.action = ""
        if tag == "select":
            self.select = ""


def known_fields(door: Door) -> dict[str, dict[str, str]]:
    """The fields by address that the pages of a door have, in forms and links."""
    found: dict[str, dict[str, str]] = {}
    for method, path in routes(door.browser.app):
        if method == "GET" and "{" not in path:
            page = Forms(door.browser.get(path).text)
            for where, own in (*page.forms.items(), *page.links.items()):
                found.setdefault(where or path, {}).update(own)
    return found


def asked(door: Door, method: str, path: str, fields: Mapping[str, str]) -> Any:
    if method == "GET":
        query = urlencode(fields, errors="surrogatepass")
        return door.browser.get(f"{path}?{query}" if query else path)
    state = read_folder_state(door.folder).state if is_folder(door.folder) else ""
    return door.browser.post(path, data={**fields, "state": state})


def refused(door: Door, method: str, path: str, fields: Mapping[str, str]) -> str:
    """What is wrong with the answer."""
    if method == "POST":
        door.begin()
    answer = asked(door, method, path, fields)
    if answer.status_code in ANSWERS:
        return ""
    return f"{answer.status_code} {re.sub('<[^>]*>', ' ', answer.text)[-200:].split()}"


def of_door(door: Door) -> Iterator[Case]:
    known = known_fields(door)
    for method, path in routes(door.browser.app):
        if "{" in path:
            for text in TEXTS:
                there = re.sub(r"{\w+}", urlencode({"": text})[1:300], path)
                yield Case(
                    f"{door.name} {method} {path} {shortened(text)}",
                    lambda there=there: refused(door, "GET", there, {}),
                )
            continue
        base = {
            name: value
            for name, value in known.get(path, {}).items()
            if name != "state"
        }
        if method == "POST":
            door.begin()
        names = dict.fromkeys(base)
        with noting(
            names
        ):  # what it reads only if there is something else, it says the next time
            for _ in range(2):
                asked(door, method, path, dict.fromkeys(names, "1") | base)
                asked(door, method, path, base)
        for name in names:
            if name in ("state", "sure", "since"):
                continue
            for text in TEXTS:
                for sure in ({}, {"sure": "1"}) if method == "POST" else ({},):
                    fields = {**base, name: text, **sure}
                    where = f"{door.name} {method} {path} {name}={shortened(text)} {sure or ''}"
                    yield Case(
                        where, lambda f=fields, p=path, m=method: refused(door, m, p, f)
                    )


def every(tmp: Path) -> Iterator[Case]:
    for door in doors(tmp):
        yield from of_door(door)


@pytest.mark.sweep
@pytest.mark.parametrize(
    "one_of",
    [
        pytest.param(997, marks=pytest.mark.long),
        pytest.param(1, marks=pytest.mark.slow),
    ],
)
def test_numbers_in_addresses(one_of: int, tmp_path: Path) -> None:
    found = walked(lambda: every(tmp_path), one_of, seconds=3000)
    print(found)
    assert not found.wrong
    assert found.cases
