"""The clock of the round and the message: on every page, over a restart, beside the steps."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import browser
import pytest
from organiser import client, event, said, served
from starlette.testclient import TestClient

from pairopt.folder import result, undo
from pairopt.web import phones
from pairopt.web.access import NetworkShare
from pairopt.web.app import application
from pairopt.web.views.hall import FILE, RoundClock, VenueState, read_hall, write_hall

NOW = 1_800_000_000
SHOWN = ("/pairings", "/standings", "/", "/?name=a", "/player?id=A", "/screen")


@pytest.fixture(autouse=True)
def _always_look(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(phones, "SECONDS", -1.0)


def test_a_clock_by_hand() -> None:
    clock = RoundClock(600, since=1000)
    assert clock.ends == 1600
    stands = clock.paused(1060)
    assert (stands, stands.ends) == (RoundClock(540), None)
    assert stands.paused(2000) == stands
    assert stands.at(3000, goes=True).ends == 3540
    assert clock.at(1100, goes=True).ends == 1600  # it goes already
    assert clock.with_more_minutes(5, 1100).ends == 1900
    assert stands.with_more_minutes(5, 9999) == RoundClock(840)
    assert (
        clock.with_more_minutes(5, 2000).ends == 2300
    )  # its time was over: five minutes from now


@pytest.mark.long
def test_it_is_kept_over_a_restart_and_an_undo(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "time", lambda: NOW)
    folder = event(tmp_path / "event", rounds=1)
    page = client(folder)
    for path, form in (
        ("start", {"minutes": "50"}),
        ("add", {"minutes": "5"}),
        ("message", {"message": " Lunch  at <12> "}),
    ):
        assert page.post(f"/hall/{path}", data=form).status_code == 200
    kept = read_hall(folder)
    assert kept.message == "Lunch at <12>"
    assert kept.clock is not None
    assert kept.clock.ends == NOW + 55 * 60
    result(folder, 1, "3-0")
    undo(folder)
    again = client(folder)  # another process would read the same file
    text = again.get("/screen").text
    assert f'data-ends="{int(1000 * kept.clock.ends)}"' in text
    assert "Lunch at &lt;12&gt;" in text
    assert "hall" not in again.get("/log").text.partition("<main")[2]


@pytest.mark.long
def test_pause_go_on_and_away(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", rounds=1)
    page = client(folder)
    assert "There is no clock" in said(page.post("/hall/pause").text)
    page.post("/hall/start", data={"minutes": "1"})
    assert "The clock is paused" in said(page.post("/hall/pause").text)
    standing = read_hall(folder).clock
    assert standing is not None
    assert standing.since is None
    assert "data-left=" in page.get("/results").text  # on every page of hers
    assert "The clock is running again" in said(page.post("/hall/resume").text)
    assert "The clock is removed" in said(page.post("/hall/away").text)
    assert read_hall(folder) == VenueState()
    for minutes in ("", "0", "-1", "x", "1441", "9" * 30):
        assert page.post("/hall/start", data={"minutes": minutes}).status_code == 422
    assert page.post("/hall/message", data={"message": "x" * 301}).status_code == 422
    assert read_hall(folder) == VenueState()


def test_a_result_elsewhere_does_not_refuse_the_clock(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", rounds=1)
    page = client(folder)
    page.get("/hall")
    result(folder, 1, "3-0")
    assert page.post("/hall/start", data={"minutes": "9"}).status_code == 200


@pytest.mark.long
def test_everybody_sees_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "time", lambda: NOW)
    folder = event(tmp_path / "event", rounds=1)
    share = NetworkShare(8441)
    page = TestClient(
        application(folder, {"127.0.0.1:8440"}, share), "http://192.0.2.7:8441"
    )
    before = {path: page.get(path) for path in SHOWN}
    write_hall(folder, VenueState("Round 2 at 15:00", RoundClock(60)))
    for path, old in before.items():
        new = page.get(
            path, headers={"if-none-match": old.headers["etag"], "live": "1"}
        )
        assert new.status_code == 200, path
        assert "Round 2 at 15:00" in new.text, path
        assert 'data-left="60000"' in new.text, path
        assert int(new.headers["now"]) == 1000 * NOW


@pytest.mark.long
@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b'"x"',
        b'{"message": 3}',
        b'{"clock": null}',
        b"\xff",
        b'{"message": "x", "clock": {"left": "y", "since": 1}}',
        b'{"message": "x", "clock": {"left": null, "since": 1}}',
        b'{"message": "x", "clock": {"left": NaN, "since": 1}}',
        b'{"message": "x", "clock": {"left": 1e999, "since": null}}',
        b'{"message": "x", "clock": {"left": 1e300, "since": 1e300}}',
        b'{"message": "x", "clock": 7}',
    ],
)
def test_a_damaged_file_is_none(content: bytes, tmp_path: Path) -> None:
    folder = event(tmp_path / "event", rounds=1)
    (folder / FILE).write_bytes(content)
    page = client(folder)
    for path in ("/results", "/hall", "/screen"):
        answer = page.get(path)
        assert answer.status_code == 200
        assert 'class="clock"' not in answer.text
    page.post("/hall/start", data={"minutes": "9"})
    assert json.loads((folder / FILE).read_bytes())["clock"]["left"] == 540


@pytest.mark.long
def test_two_events_beside_each_other_keep_apart(tmp_path: Path) -> None:
    """Browsers give the cookies of one port to all others of its machine."""
    one, two = (event(tmp_path / name, rounds=1) for name in ("one", "two"))
    hosts = ["127.0.0.1:8440", "127.0.0.1:8442"]
    apps = [
        application(folder, {host})
        for folder, host in zip((one, two), hosts, strict=True)
    ]
    pages = [
        TestClient(app, f"http://{host}", headers={"origin": f"http://{host}"})
        for app, host in zip(apps, hosts, strict=True)
    ]
    sent = pages[0].post(
        "/hall/message", data={"message": "Hello"}, follow_redirects=False
    )
    pages[1].cookies.update(pages[0].cookies)
    other = pages[1].get("/hall")
    assert "set-cookie" not in other.headers  # it leaves alone what is not its own
    assert "Hello" not in other.text
    assert sent.status_code == 303
    assert "The message is on all screens" in said(pages[0].get("/hall").text)


@pytest.mark.long
@pytest.mark.slow
def test_the_clock_goes_by_the_time_of_the_server(
    tmp_path: Path, chromium: Any
) -> None:
    folder = event(tmp_path / "event", rounds=1)
    with served(folder) as address, browser.page(chromium) as page:
        page.clock.install(time=time.time() + 7200)  # two hours ahead
        page.goto(f"{address}/hall")
        page.get_by_label("Minutes").fill("50")
        page.get_by_role("button", name="Start").click()
        page.get_by_text("The clock is running: 50 minutes").wait_for()
        page.goto(f"{address}/screen")
        page.clock.run_for(500)
        page.locator(".clock", has_text="49:").wait_for()
        page.goto(f"{address}/results")
        page.clock.run_for(500)
        page.locator(".clock", has_text="49:").wait_for()
        assert browser.violations(page) == []
        page.goto(f"{address}/hall")
        assert browser.violations(page) == []
        page.clock.run_for(50 * 60_000)
        assert page.locator(".clock").text_content() == "Time is up"
