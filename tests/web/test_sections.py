"""Several events in one evening: one program, one address, and pages that lead to each other."""

from __future__ import annotations

import csv
import html
import os
import random
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import combinations
from pathlib import Path
from typing import Any

import browser
import pytest
from click.testing import CliRunner
from organiser import HOST, ORIGIN, event, fields, founding, said, scored, served
from places import ROOT
from starlette.testclient import TestClient

from pairopt import read_event
from pairopt.cli import main
from pairopt.errors import PairoptError
from pairopt.folder import change, enter, pair, repair, table
from pairopt.folder import create as founding_of
from pairopt.web import phones
from pairopt.web.access import NetworkShare
from pairopt.web.app import application
from pairopt.web.site import EventGroup
from pairopt.web.views.hall import FILE, RoundClock, VenueState, read_hall, write_hall

SECTIONS = re.compile(r'<nav class="sections".*?</nav>', re.DOTALL)
LINK = re.compile(
    r"""<a href=["']([^"']*)["'][^>]*?(aria-current="true")?><bdi>(.*?)</bdi>"""
)
PHONE = "http://192.0.2.7:8441"


def links(text: str) -> list[tuple[str, bool, str]]:
    found = SECTIONS.search(text)
    return (
        [(to, bool(here), name) for to, here, name in LINK.findall(found[0])]
        if found
        else []
    )


def two(home: Path, rounds: int = 1) -> list[Path]:
    """Two events in a folder, the second with a title of its own."""
    home.mkdir(exist_ok=True)
    folders = [
        event(home / "open", "ABCDEF", rounds),
        event(home / "u1800", "GHIJ", rounds),
    ]
    change(folders[1], {"title": "U1800 & friends"})
    return folders


def pages(*folders: Path, share: NetworkShare | None = None) -> TestClient:
    """The organiser's browser at an evening of these folders."""
    app = application(EventGroup.of(folders, share), {HOST}, share)
    return TestClient(
        app, ORIGIN, headers={"origin": ORIGIN}, raise_server_exceptions=False
    )


@pytest.mark.long
def test_a_folder_of_events_is_all_of_them(tmp_path: Path) -> None:
    two(tmp_path)
    (tmp_path / "letters").mkdir()
    page = pages(tmp_path)
    for k, root in enumerate(("/event/open", "/event/u1800")):
        for path in ("players", "results", "round", "hall", "settings"):
            text = page.get(f"{root}/{path}").text
            assert links(text) == [
                ("/event/open/", k == 0, "open"),
                ("/event/u1800/", k == 1, "U1800 &amp; friends"),
            ]
            own = [
                to
                for to in re.findall(r'(?:href|action)="(/[^"]*)"', text)
                if not to.startswith(("/static/", "/event"))
            ]
            assert own == []
    listed = re.findall(
        r'<li><a href="[^"]*"[^>]*><bdi>(.*?)</bdi>', page.get("/").text
    )
    assert listed[-2:] == ["open", "U1800 &amp; friends"]


@pytest.mark.long
def test_a_change_in_one_event_is_none_in_the_other_and_leads_back_to_its_page(
    tmp_path: Path,
) -> None:
    folders = two(tmp_path)
    before = (folders[1] / "matches.csv").read_bytes()
    page = pages(*folders)
    form = fields(page.get("/event/open/results").text, "/event/open/results/score")
    done = page.post(
        "/event/open/results/score", data={**form, "table": "1", "score": "3-0"}
    )
    assert done.url.path == "/event/open/results"
    assert "1: A" in said(done.text) or "table 1" in said(done.text)
    assert "3" in (folders[0] / "matches.csv").read_text().splitlines()[1]
    assert (folders[1] / "matches.csv").read_bytes() == before
    form = fields(page.get("/event/u1800/results").text, "/event/u1800/results/score")
    refused = page.post(
        "/event/u1800/results/score", data={**form, "table": "99", "score": "3-0"}
    )
    assert refused.status_code == 422
    assert 'action="/event/u1800/results' in refused.text


def test_an_event_alone_has_the_addresses_of_before(tmp_path: Path) -> None:
    page = pages(event(tmp_path / "friday"))
    text = page.get("/players").text
    assert links(text) == []
    assert "/event/" not in re.sub('href="/event"', "", text)


@pytest.mark.long
def test_another_event_is_begun_by_page(tmp_path: Path) -> None:
    page = pages(event(tmp_path / "friday"))
    begun = page.post("/event/another", data={"name": "Kids: Ünder 12/../"})
    assert begun.url.path.startswith("/event/")
    root = begun.url.path.removesuffix("/new")
    assert f'action="{root}/new/event"' in begun.text
    asked = page.post(
        f"{root}/new/event", data={"players": "Kim\nLea\nMia\nNoa", "game": "even"}
    )
    done = page.post(f"{root}/new/event", data=founding(asked.text))
    assert done.url.path == f"{root}/players"
    made = tmp_path / "Kids Ünder 12"
    assert read_event(made).players == ("Kim", "Lea", "Mia", "Noa")
    assert [name for *_, name in links(page.get("/players").text)] == [
        "friday",
        made.name,
    ]
    again = page.post("/event/another", data={"name": "Kids Ünder 12"}).url.path
    assert again.removesuffix("/new") != root


@pytest.mark.long
def test_where_nothing_is_yet_the_page_says_so_and_makes_an_event(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "letter.txt").write_text("Dear Ann")
    monkeypatch.chdir(tmp_path)
    page = pages(Path())
    assert "You have no event yet" in page.get("/").text
    root = page.post("/event/another", data={"name": "friday"}).url.path.removesuffix(
        "/new"
    )
    asked = page.post(f"{root}/new/event", data={"players": "Kim\nLea"})
    page.post(f"{root}/new/event", data=founding(asked.text))
    assert read_event(tmp_path / "friday").players == ("Kim", "Lea")


@pytest.mark.long
def test_phones_have_one_way_in(tmp_path: Path) -> None:
    share = NetworkShare(8441)
    app = application(EventGroup.of(two(tmp_path), share), {HOST}, share)
    phone = TestClient(app, PHONE)
    first = phone.get("/")
    assert first.url.path == "/event/open/"
    assert [to for to, _, _ in links(first.text)] == ["/event/open/", "/event/u1800/"]
    assert "G" in phone.get("/event/u1800/pairings").text
    assert phone.get("/event/u1800/results").status_code == 404
    assert phone.post("/event/another", data={"name": "x"}).status_code in (403, 404)
    assert phone.get("/event").status_code == 404
    assert "organiser" not in first.text
    laptop = TestClient(app, PHONE, headers={"origin": PHONE})
    assert laptop.get(f"/organiser/{share.secret}").url.path == "/event"
    assert laptop.get("/event/u1800/results").status_code == 200


@contextmanager
def evening(*words: object, at: Path) -> Iterator[str]:
    """The address that the program says."""
    command = [
        sys.executable,
        "-m",
        "pairopt",
        "serve",
        *map(str, words),
        "--no-browser",
    ]
    with subprocess.Popen(
        command,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE,
        text=True,
        cwd=at,
    ) as process:
        assert process.stderr is not None
        try:
            yield re.findall(r"http://\S+/", process.stderr.readline())[0]
        finally:
            process.kill()


@pytest.mark.sweep
@pytest.mark.parametrize("words", [(), (".",), ("open", "u1800")])
def test_everybody_can_go_from_event_to_event(
    chromium: Any, tmp_path: Path, words: tuple[str, ...]
) -> None:
    two(tmp_path)
    with evening(*words, at=tmp_path) as address, browser.page(chromium) as page:
        page.goto(address)
        assert browser.violations(page) == []
        page.get_by_role("link", name="open").first.click()
        page.wait_for_url("**/event/open/players")
        for name, left in (("u1800", "1 of 2"), ("open", "2 of 3")):
            page.get_by_role("navigation", name="Sections").get_by_role(
                "link", name=name
            ).click()
            page.wait_for_url(f"**/event/{name}/players")
            page.get_by_role("link", name="Results").click()
            page.wait_for_url(f"**/event/{name}/results")
            page.get_by_label("Quick entry").or_(page.locator("#slip")).first.fill(
                "1 1"
            )
            page.keyboard.press("Enter")
            page.locator(f"text={left}").first.wait_for()
            assert browser.violations(page) == []
            assert browser.broken(page) == []
    for name in ("open", "u1800"):
        assert "3" in (tmp_path / name / "matches.csv").read_text().splitlines()[
            1
        ].split(",")


def test_a_title_that_cannot_be_read_is_the_folders_name(tmp_path: Path) -> None:
    folder = tmp_path / "new one"
    site = EventGroup.of([folder]).sites[0]
    assert site.title == "new one"
    folder.mkdir()
    for text in ("title = ", "title = 3\n", "", 'title = ""\n'):
        (folder / "event.toml").write_text(text, encoding="utf-8")
        assert site.title == "new one"


def test_a_folder_given_twice(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", "ABCD")
    again = tmp_path / "event" / ".." / "event"
    done = CliRunner().invoke(main, ["serve", str(folder), str(again), "--no-browser"])
    assert done.exit_code == 2
    assert "a folder is given twice" in done.output


@pytest.mark.sweep
def test_the_page_of_a_new_event_beside_another(chromium: Any, tmp_path: Path) -> None:
    with (
        served(event(tmp_path / "friday", "ABCD")) as address,
        browser.page(chromium) as page,
    ):
        page.goto(f"{address}/event")
        page.get_by_label("Name").fill("U1800")
        page.get_by_role("button", name="Create event").click()
        page.get_by_label("Players, one").fill("Kim\nLea\nMia")
        page.get_by_role("button", name="Preview the event").click()
        page.get_by_role("button", name="Create the event").click()
        page.wait_for_url("**/event/u1800/players")
        page.get_by_role("button", name="Drop Kim").click()
        page.locator(".said", has_text="Kim has dropped").wait_for()
    assert read_event(tmp_path / "U1800").players == ("Kim", "Lea", "Mia")


def events(page: TestClient) -> list[str]:
    """The lines of the page Events."""
    main = page.get("/event").text.split("<main", 1)[1].split("<h2", 1)[0]
    return [
        re.sub(r"<[^>]*>", "", line) for line in re.findall(r"<li>(.*?)</li>", main)
    ]


@pytest.mark.long
def test_names_that_are_no_events_yet_are_offered(tmp_path: Path) -> None:
    page = pages(tmp_path / "open", tmp_path / "juniors")
    assert events(page) == ["open: not created yet", "juniors: not created yet"]
    assert "You have no event yet" not in page.get("/event").text
    assert page.get("/event/juniors/").url.path == "/event/juniors/new"
    named = page.post("/event/another", data={"name": "juniors"})
    assert named.url.path == "/event/juniors/new"
    asked = page.post("/event/juniors/new/event", data={"players": "Kim\nLea"})
    page.post("/event/juniors/new/event", data=founding(asked.text))
    assert read_event(tmp_path / "juniors").players == ("Kim", "Lea")
    assert events(page) == ["open: not created yet", "juniors"]
    assert (
        page.post("/event/another", data={"name": "juniors"}).url.path
        != "/event/juniors/new"
    )


@pytest.mark.long
@pytest.mark.parametrize("apart", [True, False])
def test_the_next_evening_with_the_same_people(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, apart: bool
) -> None:
    folders = two(tmp_path, rounds=2)
    monkeypatch.setattr(founding_of, "draw_seed", iter((11, 12)).__next__)
    before = {
        path: path.read_bytes() for path in folders[0].rglob("*") if path.is_file()
    }
    page = pages(*folders)
    root = "/event/open"
    assert f'href="/event?of={root}#next"' in page.get(f"{root}/files").text
    shown = page.get(f"/event?of={root}").text
    assert f'value="{root}" selected' in shown
    form = {"of": root, "name": "Next week", **({"apart": "yes"} if apart else {})}
    done = page.post("/event/next", data=form)
    assert done.url.path == "/event/next-week/players"
    assert (
        "The new event has 6 players from open, all of them checked in, and the same rules."
        in said(done.text)
    )
    assert (
        "6 pairs of players who met in the earlier event will not meet in round 1."
        in said(done.text)
    ) == apart
    was, now = (
        read_event(each, unfinished=True)
        for each in (folders[0], tmp_path / "Next week")
    )
    assert (now.players, now.round, len(now.matches)) == (was.players, 1, 0)
    assert now.settings.points == was.settings.points
    assert now.settings.seed == 11
    assert len(now.prohibited) == (6 if apart else 0)
    assert before == {
        path: path.read_bytes() for path in folders[0].rglob("*") if path.is_file()
    }
    assert [name for *_, name in links(page.get("/event/open/players").text)][
        -1
    ] == "Next week"
    again = page.post("/event/next", data=form)
    assert again.url.path == "/event/next-week1/players"


@pytest.mark.long
def test_the_next_evening_of_an_event_that_is_gone_or_damaged(tmp_path: Path) -> None:
    folders = two(tmp_path)
    page = pages(*folders)
    for root, damage in (("/event/nowhere", False), ("", False), ("/event/open", True)):
        if damage:
            (folders[0] / "players.csv").write_text("rating\n1500\n", encoding="utf-8")
        refused = page.post(
            "/event/next", data={"of": root, "name": "Späti", "apart": "yes"}
        )
        assert refused.status_code == 422
        assert said(refused.text)
        assert 'value="Späti"' in refused.text
        assert not (tmp_path / "Späti").exists()
        assert "Späti" not in events(page)


@pytest.mark.sweep
def test_the_page_of_the_next_evening(chromium: Any, tmp_path: Path) -> None:
    folder = event(tmp_path / "friday", "ABCDEFGH", 1)
    with served(folder) as address, browser.page(chromium) as page:
        page.goto(f"{address}/files")
        page.get_by_role("link", name="Next event with the same players").click()
        page.get_by_label("Event name").fill("Friday in May")
        assert browser.violations(page) == []
        page.get_by_label("do not meet in round 1").uncheck()
        page.get_by_label("do not meet in round 1").check()
        page.get_by_role("button", name="Create next event").click()
        page.wait_for_url("**/event/friday-in-may/players")
        page.locator(".said", has_text="4 pairs who met there").wait_for()
        assert browser.violations(page) == []
    was, now = (
        read_event(each, unfinished=True)
        for each in (folder, tmp_path / "Friday in May")
    )
    met = zip(was.matches.first.tolist(), was.matches.second.tolist(), strict=True)
    assert {(each.one, each.two) for each in now.prohibited} == {
        (min(p), max(p)) for p in met
    }


@pytest.mark.long
def test_an_event_goes_on_from_the_zip_that_files_gave(tmp_path: Path) -> None:
    folder = event(tmp_path / "friday", "ABCDE", 2, title="Friday & friends")
    page = pages(folder)
    raw = page.get("/files/Friday-friends.zip").content
    elsewhere = tmp_path / "laptop"
    other = pages(elsewhere / "open")
    assert 'href="/event"' in other.get("/new").text
    done = other.post("/event/back", files={"file": ("Friday-friends.zip", raw)})
    assert done.url.path == "/event/friday-friends/players"
    assert "with 5 players, continues here" in said(done.text)
    again = elsewhere / "Friday-friends"
    assert (again / "matches.csv").read_bytes() == (folder / "matches.csv").read_bytes()
    assert events(other) == ["open: not created yet", "Friday &amp; friends"]
    assert "Event restored from its zip" in other.get("/event/friday-friends/log").text
    twice = other.post("/event/back", files={"file": ("Friday-friends.zip", raw)})
    assert twice.url.path == "/event/friday-friends1/players"


def test_a_zip_that_is_none_is_told_on_the_page(tmp_path: Path) -> None:
    page = pages(event(tmp_path / "friday"))
    there = sorted(tmp_path.rglob("*"))
    for raw in (b"", b"PK\x03\x04 no", b"player\nAnn\n"):
        refused = page.post("/event/back", files={"file": ("<b>.zip", raw)})
        assert refused.status_code == 422
        assert said(refused.text).strip() == (
            "<b>.zip can't be unpacked. Choose a zip that you downloaded under Backup and export."
        )
        assert "<b>" not in refused.text
    assert "a file" in said(page.post("/event/back").text)
    assert sorted(tmp_path.rglob("*")) == there


@pytest.mark.sweep
def test_the_page_of_an_event_that_goes_on(chromium: Any, tmp_path: Path) -> None:
    folder = event(tmp_path / "friday", "ABCD", 1)
    with served(folder) as address, browser.page(chromium) as page:
        page.goto(f"{address}/files")
        with page.expect_download() as kept:
            page.get_by_role("link", name="friday.zip").click()
        kept.value.save_as(tmp_path / "kept.zip")
        page.goto(f"{address}/event")
        page.get_by_label("Backup file").set_input_files(tmp_path / "kept.zip")
        page.get_by_role("button", name="Restore").click()
        page.wait_for_url("**/event/kept/players")
        page.locator(".said", has_text="goes on here").wait_for()
        page.get_by_role("link", name="Results").click()
        page.locator("#slip").fill("1 1")
        page.keyboard.press("Enter")
        page.locator("text=1 of 2").first.wait_for()
    assert (tmp_path / "kept" / "matches.csv").read_text().splitlines()[1].count(
        ",3,"
    ) == 1
    assert ",3," not in (folder / "matches.csv").read_text().splitlines()[1]


@pytest.mark.long
def test_the_first_event_to_be_made_last_has_the_clock_and_the_message(
    tmp_path: Path,
) -> None:
    begun = tmp_path / "begun"
    page = pages(tmp_path / "late", event(begun, "ABCD"))
    page.post("/event/begun/hall/message", data={"message": "Lunch at noon"})
    page.post("/event/begun/hall/start", data={"minutes": "50"})
    before = read_hall(begun)
    asked = page.post("/event/late/new/event", data={"players": "Kim\nLea"})
    page.post("/event/late/new/event", data=founding(asked.text))
    assert read_hall(begun) == read_hall(tmp_path / "late") == before
    assert before.message == "Lunch at noon"


@pytest.mark.long
def test_tables_go_on_where_those_of_the_other_events_end(tmp_path: Path) -> None:
    folders = two(tmp_path)
    page, kids = pages(*folders), tmp_path / "kids"
    begun = page.post("/event/another", data={"name": "kids"})
    form = founding(begun.text)
    assert form["first_table"] == "4"  # six players have tables 1 to 3
    asked = page.post(
        "/event/kids/new/event", data={**form, "players": "K\nL\nM\nN\nO\nP"}
    )
    assert "tables start at 4" in asked.text
    page.post("/event/kids/new/event", data=founding(asked.text))
    table(kids, "K", 5)
    pair(kids)

    def written() -> list[str]:
        return sorted(
            row.split(",")[1] for row in (kids / "matches.csv").read_text().split()[1:]
        )

    assert written() == ["4", "5", "6"]
    for name in "QR":
        enter(kids, name)
    repair(kids)
    assert written() == ["4", "5", "6", "7"]
    for path in ("results", "print/tables", "screen"):
        shown = re.sub("<[^>]*>", " ", page.get(f"/event/kids/{path}").text)
        assert re.search(r"\b4\b.*\b5\b", shown, re.DOTALL)


@pytest.mark.long
def test_tables_of_an_event_that_is_over_are_free(tmp_path: Path) -> None:
    folder = event(tmp_path / "friday", "ABCD", 1)
    page = pages(folder)
    change(folder, {"rounds": "1"})
    page.post("/event/another", data={"name": "kids"})
    assert founding(page.get("/event/kids/new").text)["first_table"] == "3"
    scored(folder)
    assert founding(page.get("/event/kids/new").text)["first_table"] == ""


@pytest.mark.sweep
def test_from_an_event_beside_back_to_the_one_that_was_alone(
    chromium: Any, tmp_path: Path
) -> None:
    with (
        served(event(tmp_path / "friday", "ABCD")) as address,
        browser.page(chromium) as page,
    ):
        page.goto(f"{address}/event")
        page.get_by_label("Event name").fill("saturday")
        page.get_by_role("button", name="Create next event").click()
        page.wait_for_url("**/event/saturday/players")
        nav = page.get_by_role("navigation", name="Sections")
        nav.get_by_role("link", name="friday").click()
        page.wait_for_url(f"{address}/players")
        nav.get_by_role("link", name="saturday").click()
        page.wait_for_url("**/event/saturday/players")


@pytest.mark.long
def test_who_is_in_another_event_is_found_from_everywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(phones, "SECONDS", -1.0)
    share = NetworkShare(8441)
    folders = [
        event(tmp_path / "open", ["Ann Oak", "Bob Elm"], 1),
        event(tmp_path / "kids", ["Zoë Lind", "Kim Ash"], 1),
    ]
    app = application(EventGroup.of(folders, share), {HOST}, share)
    page, phone = (
        TestClient(app, ORIGIN, headers={"origin": ORIGIN}),
        TestClient(app, PHONE),
    )
    for found in (
        page.get("/event/open/players/found?q=zoe"),
        phone.get("/event/open/?name=zoe"),
        page.get("/event/open/players?q=zoe"),
    ):
        (to,) = re.findall(r'<a href="(/event[^"]*)"[^>]*><span>.*?Zoë', found.text)
        assert ">kids<" in found.text
        assert "Nobody here" not in found.text
        assert "No player has" not in found.text
        who = page if "found" in found.url.path else phone
        there = who.get(to)
        assert there.url.path == "/event/kids/player"
        assert "Zoë" in there.text
    for none in (
        page.get("/event/open/players/found?q=ann"),
        phone.get("/event/open/"),
    ):
        assert "Zoë" not in none.text
    alone = pages(event(tmp_path / "friday", ["Ann Oak", "Bob Elm"]))
    alone.post("/event/next", data={"of": "", "name": "later"})
    assert (
        'href="/player?id=Ann+Oak"'
        in alone.get("/event/later/players/found?q=oak").text
    )
    assert "Late Guest" not in phone.get("/event/open/?name=guest").text
    enter(folders[1], "Late Guest")
    assert "Late Guest" in phone.get("/event/open/?name=guest").text
    (folders[1] / "players.csv").write_text("rating\n1\n", encoding="utf-8")
    assert phone.get("/event/open/?name=zoe").status_code == 200
    assert page.get("/event/open/players/found?q=zoe").status_code == 200


@pytest.mark.long
def test_one_hall_has_one_clock_and_one_message(tmp_path: Path) -> None:
    folders = two(tmp_path)
    damaged = event(tmp_path / "gone", "AB")
    (damaged / "event.toml").write_text("title = ", encoding="utf-8")
    page = pages(*folders, damaged, tmp_path / "later")
    page.post("/event/u1800/hall/message", data={"message": "Pizza is here"})
    page.post("/event/open/hall/start", data={"minutes": "50"})
    page.post("/event/u1800/hall/add", data={"minutes": "5"})
    hall = read_hall(folders[0])
    assert hall.message == "Pizza is here"
    assert hall.clock is not None
    assert round(hall.clock.left) == 55 * 60
    assert not (tmp_path / "later").exists()
    asked = page.post("/event/later/new/event", data={"players": "Kim\nLea"})
    page.post("/event/later/new/event", data=founding(asked.text))
    page.post("/event/next", data={"of": "/event/open", "name": "next"})
    assert page.post("/event/open/hall/start", data={"minutes": "0"}).status_code == 422
    for name in ("open", "u1800", "later", "next"):
        assert read_hall(tmp_path / name) == hall
        for path, shown in (("screen", "Pizza is here"), ("results", 'class="clock"')):
            assert shown in page.get(f"/event/{name}/{path}").text, (name, path)


def founded_by_list(page: TestClient) -> None:
    page.post("/event/another", data={"name": "late"})
    asked = page.post("/event/late/new/event", data={"players": "Kim\nLea"})
    page.post("/event/late/new/event", data=founding(asked.text))


def founded_as_next(page: TestClient) -> None:
    page.post("/event/next", data={"of": "/event/u1800", "name": "late"})


def founded_from_a_zip(page: TestClient) -> None:
    raw = page.get("/event/u1800/files/U1800-friends.zip").content
    page.post("/event/back", data={"name": "late"}, files={"file": ("late.zip", raw)})


@pytest.mark.long
@pytest.mark.parametrize(
    "found", [founded_by_list, founded_as_next, founded_from_a_zip]
)
def test_to_found_an_event_leaves_the_clocks_of_all_others(
    tmp_path: Path, found: Callable[[TestClient], None]
) -> None:
    folders = [*two(tmp_path), event(tmp_path / "silent", "AB")]
    own = [
        VenueState("Tea", RoundClock(600.0, 1e9)),
        VenueState("", RoundClock(60.0)),
        VenueState(),
    ]
    for folder, hall in zip(folders[:2], own[:2], strict=True):
        write_hall(folder, hall)
    before = [(folder / FILE).read_bytes() for folder in folders[:2]]
    page = pages(*folders)
    found(page)
    assert read_event(tmp_path / "late", unfinished=True).players
    assert [(folder / FILE).read_bytes() for folder in folders[:2]] == before
    assert [read_hall(folder) for folder in folders] == own
    assert not (folders[2] / FILE).exists()


def needed(text: str) -> list[str]:
    """What a page says of tables that two events need."""
    forms = re.findall(r'<form[^>]* class="notice".*?</form>', text, re.DOTALL)
    return [
        " ".join(html.unescape(re.sub("<[^>]*>", "", form)).split()) for form in forms
    ]


def spread_out(home: Path) -> tuple[Path, Path, TestClient]:
    """An event at tables 1 to 3, and one from 4 on."""
    open_, kids = (
        event(home / "open", "ABCDEF"),
        event(home / "kids", "GHIJ", first_table=4),
    )
    return open_, kids, pages(open_, kids)


@pytest.mark.long
def test_tables_that_two_events_need_are_told_at_once_and_one_moves(
    tmp_path: Path,
) -> None:
    open_, kids, page = spread_out(tmp_path)
    assert needed(page.get("/event/open/players").text) == []
    for name in "XY":
        form = fields(page.get("/event/open/players").text, "/event/open/players/enter")
        told = page.post("/event/open/players/enter", data={**form, "name": name})
        assert bool(needed(told.text)) == (name == "Y")
    said_ = ["Table 4 is used by both open and kids. Start the tables of kids at 5"]
    for path in (
        "open/players",
        "open/round",
        "open/round/draft",
        "kids/round",
        "kids/round/draft",
    ):
        assert needed(page.get(f"/event/{path}").text) == said_, path
    assert needed(page.get("/event").text) == said_
    form = fields(page.get("/event").text, "/event/kids/settings/change")
    moved = page.post("/event/kids/settings/change", data=form)
    assert "first_table: 5" in said(moved.text) or "5" in said(moved.text)
    for path in ("/event/open/round", "/event/kids/round", "/event"):
        assert needed(page.get(path).text) == []
    pair(open_)
    pair(kids)
    assert not {*open_tables(open_)} & {*open_tables(kids)}


@pytest.mark.long
def test_what_plays_stays_and_the_other_one_moves(tmp_path: Path) -> None:
    open_, kids, page = spread_out(tmp_path)
    pair(kids)
    enter(open_, "X")
    enter(open_, "Y")
    text = page.get("/event/open/round/draft").text
    assert needed(text) == [
        "Table 4 is used by both kids and open. Start the tables of open at 6"
    ]
    page.post(
        "/event/open/settings/change", data=fields(text, "/event/open/settings/change")
    )
    pair(open_)
    assert open_tables(open_) == ["6", "7", "8", "9"]
    assert needed(page.get("/event/open/round").text) == []


@pytest.mark.long
def test_two_that_play_at_one_table_are_told_so(tmp_path: Path) -> None:
    folders = two(tmp_path)
    damaged = event(tmp_path / "gone", "ABCD")
    (damaged / "players.csv").write_text("rating\n1\n", encoding="utf-8")
    page = pages(*folders, damaged)
    (told,) = needed(page.get("/event/open/round").text)
    assert told.startswith(
        "Tables 1, 2 are used by both open and U1800 & friends. Start the tables of U1800"
    )
    assert "Both events are playing now" in told
    for folder in folders:
        change(folder, {"rounds": "1"})
    assert (
        "Both events are playing now" in needed(page.get("/event/u1800/round").text)[0]
    )
    scored(folders[0])
    assert needed(page.get("/event/u1800/round").text) == []


def open_tables(folder: Path) -> list[str]:
    """The tables without a result, as matches.csv has them."""
    if not (folder / "matches.csv").exists():
        return []
    with (folder / "matches.csv").open(encoding="utf-8") as file:
        return [
            row["table"]
            for row in csv.DictReader(file)
            if row["table"] and row["player2"] and not row["score1"]
        ]


@pytest.mark.long
@pytest.mark.parametrize(
    "seed", [1, 2, *(pytest.param(k, marks=pytest.mark.slow) for k in range(3, 9))]
)
def test_no_two_open_tables_share_a_number_unsaid(tmp_path: Path, seed: int) -> None:
    lot = random.Random(seed)
    firsts = {"a": 1, "b": lot.randint(2, 4), "c": lot.randint(3, 6)}
    folders = [
        event(
            tmp_path / name,
            [f"{name}{k}" for k in range(lot.randint(4, 9))],
            first_table=first,
        )
        for name, first in firsts.items()
    ]
    page, shared = pages(*folders), 0

    def late(folder: Path) -> None:
        enter(folder, f"{folder.name} late {lot.random()}")

    def fixed(folder: Path) -> None:
        table(folder, f"{folder.name}{lot.randint(0, 3)}", lot.randint(1, 9))

    def press(folder: Path) -> None:
        text = page.get(f"/event/{folder.name}/round").text
        for root in re.findall(
            r'action="(/event/\w+)/settings/change" class="notice"', text
        )[:1]:
            page.post(
                f"{root}/settings/change", data=fields(text, f"{root}/settings/change")
            )

    for _ in range(14):
        with suppress(PairoptError):
            lot.choice([late, late, fixed, press, pair, pair, pair, scored])(
                lot.choice(folders)
            )
        now = {folder.name: {*open_tables(folder)} for folder in folders}
        for one, other in combinations(now, 2):
            both = now[one] & now[other]
            shared += len(both)
            for path in (f"/event/{one}/round", f"/event/{other}/round", "/event"):
                told = (
                    [
                        line
                        for line in needed(page.get(path).text)
                        if {
                            *re.search("used by both (.*?) and (.*?)[.]", line).groups()
                        }
                        == {one, other}
                    ]
                    if both
                    else []
                )
                numbers = {*re.findall(r"\d+", " ".join(told).partition(" needed")[0])}
                assert both <= numbers, (path, both, told)
    assert shared or seed > 2
