"""Phones: what they are shown, that they follow, and that they can change nothing."""

from __future__ import annotations

import re
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import browser
import pytest
from organiser import event, scored
from serving import shared
from starlette.testclient import TestClient

from pairopt.event.name_search import search_names
from pairopt.files.event_folder import read_folder
from pairopt.folder import bracket, pair, result, undo
from pairopt.report.views import round_view
from pairopt.web import phones, server
from pairopt.web.access import AllowedHosts, NetworkShare
from pairopt.web.app import application
from pairopt.web.views import known_views, menu

PLAYERS = ["Alex Kim", "Mia Roth", "<b>Bo</b>", "Łukasz Nowak", "李小龍"]
SIDES = ("corp", "runner")
NOON = "2026-11-22T12:00:00"
FORFEIT = ("won by forfeit", "lost by forfeit")
PATHS = ("/", "/pairings", "/standings", "/player?id=Mia+Roth", "/?name=mia")


@pytest.fixture(autouse=True)
def _always_look(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(phones, "SECONDS", -1.0)


def phone(
    folder: Path, share: NetworkShare | None = None, host: str = "192.0.2.7"
) -> TestClient:
    """A browser on the network."""
    share = share or NetworkShare(8441)
    app = application(folder, {"127.0.0.1:8440"}, share)
    at = f"http://{host}:{share.port}"
    return TestClient(app, at, headers={"origin": at}, raise_server_exceptions=False)


def people(text: str) -> list[str]:
    """Whose rows are on the list of names."""
    return re.findall(r'<a href="/player[^>]*><span><bdi>(.*?)</bdi>', text)


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.mark.long
def test_everybody_finds_their_table(tmp_path: Path) -> None:
    page = phone(event(tmp_path / "event", PLAYERS, rounds=1, sides=SIDES))
    text = page.get("/").text
    for name in ("Alex Kim", "Łukasz Nowak", "李小龍", "&lt;b&gt;Bo&lt;/b&gt;"):
        assert name in text
    assert "<b>" not in text
    assert text.index("Łukasz Nowak") < text.index("Mia Roth")
    found = page.get("/?name=LUKASZ").text
    assert people(found) == ["Łukasz Nowak"]
    seats = [page.get("/player", params={"id": name}).text for name in PLAYERS]
    assert sum("has the bye" in text for text in seats) == 1
    assert sum("Table <strong>1</strong>, Corp" in text for text in seats) == 1
    assert sum("Table <strong>2</strong>, Runner" in text for text in seats) == 1


@pytest.mark.long
def test_results_and_rounds_before(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", ["Ann", "Ben"], rounds=1, sides=SIDES)
    page = phone(folder)
    one = page.get("/player?id=Ann").text
    corp = "Corp" in one
    result(folder, 1, "3-0")
    first, second = ("Ann", "Ben") if corp else ("Ben", "Ann")
    lists = page.get("/pairings").text
    won, lost = (first, second) if ">3-0<" in lists else (second, first)
    for name, ending, score in ((won, "Won", "3-0"), (lost, "Lost", "0-3")):
        mine = page.get(f"/player?id={name}").text
        assert f'<strong>{ending} <span class="score">{score}</span></strong>' in mine
        assert "points, rank" in mine
    pair(folder)
    assert "Earlier rounds" in page.get("/player?id=Ann").text


@pytest.mark.long
def test_before_anything_is_there(tmp_path: Path) -> None:
    page = phone(tmp_path / "event")
    assert "The event has not started yet" in page.get("/").text
    event(tmp_path / "event", PLAYERS)
    assert "Round 1 has not been paired yet" in page.get("/pairings").text
    assert "Round 1 has not been paired yet" in page.get("/player?id=Mia Roth").text
    assert page.get("/").status_code == 200
    assert page.get("/bracket").status_code == 404
    assert page.get("/player?id=Nobody").status_code == 404
    assert page.get("/player").status_code == 404


@pytest.mark.long
def test_the_bracket(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", ["Ann", "Ben"], rounds=1)
    result(folder, 1, "3-0")
    bracket(folder, 2)
    page = phone(folder)
    assert "B1, next" in page.get("/bracket").text
    assert 'href="/bracket"' in page.get("/").text


@pytest.mark.long
def test_ones_own_match_of_the_cut_with_names(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", ["Ann", "Ben", "Cy", "Dee"], rounds=1)
    scored(folder)
    made = bracket(folder, 4, by_lot=True).bracket
    assert made is not None
    one, two, three, four = made.players
    page = phone(folder)
    mine = page.get(f"/player?id={one}").text
    assert "<h2>Semi-finals</h2>" in mine
    assert "Match <strong>B1</strong>" in mine
    assert f"against <bdi>{four}</bdi>" in mine
    result(folder, "B1", "3-0")
    assert (
        "<strong>Won <span" not in page.get(f"/player?id={one}").text
    )  # the final is next
    assert "against <bdi>winner of B2</bdi>" in page.get(f"/player?id={one}").text
    assert (
        '<strong>Lost <span class="score">0-3</span>'
        in page.get(f"/player?id={four}").text
    )
    result(folder, "B2", "0-3")
    assert f"against <bdi>{three}</bdi>" in page.get(f"/player?id={one}").text
    row = re.search(
        rf"<bdi>{two}</bdi><small>against <bdi>{three}.*?</span>B2<", page.get("/").text
    )
    assert row is not None


@pytest.mark.long
def test_a_bracket_with_faults_takes_no_other_page(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", PLAYERS, rounds=2, sides=SIDES)
    scored(folder)
    bracket(folder, 4, by_lot=True)
    (folder / "bracket.csv").write_bytes(b"garbage")
    page = phone(folder)
    assert [page.get(path).status_code for path in (*PATHS, "/bracket")] == [
        200
    ] * 5 + [404]


@pytest.mark.long
def test_a_page_is_sent_once(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", PLAYERS, rounds=1)
    page = phone(folder)
    for path in PATHS:
        first = page.get(path)
        mark = {"if-none-match": first.headers["etag"]}
        again = page.get(path, headers=mark)
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["etag"] == first.headers["etag"]


@pytest.mark.long
def test_a_result_elsewhere_sends_nothing_again(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", PLAYERS, rounds=1)
    page = phone(folder)
    mine = round_view(read_folder(folder), 1).lines[0]
    paths = [f"/player?id={quote(name)}" for name in PLAYERS]
    tags = {path: page.get(path).headers["etag"] for path in (*paths, "/", "/pairings")}
    result(folder, mine.table, "3-0")
    sent = {
        path: page.get(path, headers={"if-none-match": tag, "live": "1"})
        for path, tag in tags.items()
    }
    assert sent["/"].status_code == 304  # who plays where is as it was
    new = sent["/pairings"]
    assert (new.status_code, "3-0" in new.text, "<nav" in new.text) == (
        200,
        True,
        False,
    )
    assert new.headers["etag"] != tags["/pairings"]
    assert (
        new.headers["cache-control"] == "no-store"
    )  # a browser would show it as the page
    for name in {*PLAYERS} - {*mine.players}:
        assert sent[f"/player?id={quote(name)}"].status_code == 304, name
    for name in mine.players:
        answer = sent[f"/player?id={quote(name)}"]
        assert answer.status_code == 200
        assert "<html" not in answer.text  # only what changes
        full = page.get(f"/player?id={quote(name)}")
        assert answer.text.strip() in full.text
        assert answer.headers["etag"] == full.headers["etag"]


def test_a_file_with_faults_leaves_the_page_as_it_was(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", PLAYERS, rounds=1)
    page = phone(folder)
    before = page.get("/pairings").text
    (folder / "matches.csv").write_text("round,player1\nx,y\n", encoding="utf-8")
    assert page.get("/pairings").text == before


@pytest.mark.long
def test_phones_change_nothing(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", PLAYERS, rounds=1)
    page, before = phone(folder), files(folder)
    changes = [
        f"/{view.path}/{name}" for view in known_views() for name in view.changes
    ]
    assert "/results/score" in changes
    for path in (*changes, "/new/event", "/", "/player"):
        answer = page.post(path, data={"table": "1", "score": "3-0"})
        assert answer.status_code in (404, 405), path
    own = "standings"  # of the phones, and no page of the organiser's
    for path in ("/new", *(f"/{view.path}" for view in menu() if view.path != own)):
        assert page.get(path).status_code == 404, path
    assert files(folder) == before


@pytest.mark.long
def test_a_second_laptop(tmp_path: Path) -> None:
    folder, share = event(tmp_path / "event", PLAYERS, rounds=1), NetworkShare(8441)
    page = phone(folder, share)
    wrong = page.get("/organiser/guess", follow_redirects=False)
    assert "set-cookie" not in wrong.headers
    for cookie in (
        "organiser=guess",
        "organiser=gu\xe9ss",
        "organiser=",
        "=;organiser",
        '"',
    ):
        sent = {"cookie": cookie.encode("latin-1")}
        assert page.get("/log", headers=sent).status_code == 404
    right = page.get(f"/organiser/{share.secret}", follow_redirects=False)
    assert right.status_code == 303
    assert "httponly" in right.headers["set-cookie"].casefold()
    assert share.secret not in right.headers["location"]
    assert "Go back to here" in page.get("/log").text
    assert share.secret in page.get("/phones").text
    foreign = page.post("/results/score", headers={"origin": "http://192.0.2.8:8441"})
    assert (
        foreign.status_code == 403
    )  # a page of somebody else, in the organiser's browser
    twice = page.get(f"/organiser/{share.secret}", follow_redirects=False)
    assert twice.status_code == 303


def test_a_name_of_somebody_else_is_not_served(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", PLAYERS)
    for host in ("evil.example", "192.0.2.7.evil.example"):
        assert phone(folder, host=host).get("/").status_code == 421
    hosts = AllowedHosts(8441, frozenset({"127.0.0.1:8440"}))
    for host in (
        "192.0.2.7:8441",
        "[2001:db8::1]:8441",
        "localhost:8441",
        "127.0.0.1:8440",
    ):
        assert host in hosts
    for host in ("192.0.2.7:8440", "192.0.2.7", "", ":8441", "evil.example:8441"):
        assert host not in hosts


def test_only_this_machine_without_share() -> None:
    door = server._open_socket(0)
    assert door.getsockname()[0] == "127.0.0.1"
    door.close()


@pytest.mark.long
def test_the_command(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", PLAYERS, rounds=1)
    command = [
        sys.executable,
        "-m",
        "pairopt",
        "serve",
        str(folder),
        "--no-browser",
        "--share",
    ]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            lines = [process.stderr.readline() for _ in range(3)]
            port = lines[1].strip().rstrip("/").rpartition(":")[2]
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/pairings") as answer:
                assert b"Round 1" in answer.read()
            assert "/organiser/" in lines[2]
        finally:
            process.kill()


@pytest.fixture
def doors(tmp_path: Path) -> Iterator[tuple[Path, str, str]]:
    folder = event(
        tmp_path / "event", [*PLAYERS, *(f"Player {k}" for k in range(35))], rounds=1
    )
    with shared(folder) as (mine, theirs, _):
        yield folder, mine, theirs


@pytest.mark.sweep
def test_a_phone_follows_along(doors: tuple[Path, str, str], chromium: Any) -> None:
    folder, _, theirs = doors
    with browser.page(chromium, viewport={"width": 360, "height": 740}) as page:
        seen: list[str] = []
        page.on("console", lambda message: seen.append(message.text))
        page.on("request", lambda request: seen.append(request.url))
        page.goto(theirs)
        page.get_by_label("Name").press_sequentially("mia")
        page.wait_for_url("**/?name=mia")  # without Enter
        page.locator(".people li:nth-child(2)").wait_for(state="detached")
        page.get_by_role("link", name="Mia Roth").click()
        page.get_by_role("heading", name="Round 1").wait_for()
        scored(folder)
        pair(folder)
        page.get_by_role("heading", name="Round 2").wait_for()
        assert all(each.startswith(theirs) for each in seen), seen


@pytest.mark.sweep
@pytest.mark.parametrize(
    "scheme", ["dark", pytest.param("light", marks=pytest.mark.slow)]
)
def test_anyone_can_use_them(
    scheme: str, doors: tuple[Path, str, str], chromium: Any
) -> None:
    _, mine, theirs = doors
    paths = [theirs + path for path in PATHS] + [f"{mine}/phones", f"{mine}/print"]
    paths += [
        f"{mine}/print/{name}" for name in ("tables", "names", "slips", "results")
    ]
    size = {"width": 360, "height": 740}
    with browser.page(chromium, viewport=size, color_scheme=scheme) as page:
        for path in paths:
            assert page.goto(path).status == 200
            assert (path, browser.broken(page)) == (path, [])
            assert (path, browser.violations(page)) == (path, [])


@pytest.mark.long
@pytest.mark.parametrize(
    "how", [pytest.param("gone", marks=pytest.mark.slow), "silent"]
)
def test_a_phone_says_that_nobody_answers(
    how: str, doors: tuple[Path, str, str], chromium: Any
) -> None:
    """Within ten seconds, whether the program has ended or its machine is away."""
    _, _, theirs = doors
    with browser.page(chromium, viewport={"width": 390, "height": 844}) as page:
        page.clock.install(time=NOON)
        page.goto(f"{theirs}/player?id=Mia+Roth")
        page.evaluate("asking")
        page.route("**/*", lambda route: route.abort() if how == "gone" else None)
        page.clock.run_for(5600)
        page.evaluate("new Promise(done => queueMicrotask(done))")
        page.clock.run_for(4200)
        page.get_by_text("No connection since 12:00").wait_for()
        assert browser.violations(page) == []
        page.unroute_all(behavior="ignoreErrors")
        page.clock.run_for(6000)
        page.get_by_text("No connection").wait_for(state="hidden")


@pytest.mark.long
@pytest.mark.slow
def test_a_phone_says_that_the_table_has_changed(
    doors: tuple[Path, str, str], chromium: Any
) -> None:
    folder, _, theirs = doors
    with browser.page(chromium, viewport={"width": 390, "height": 844}) as page:
        page.goto(f"{theirs}/player?id=Mia+Roth")
        page.get_by_role("heading", name="Round 1").wait_for()
        first = page.locator(".mine").get_attribute("data-place")
        assert not page.get_by_text("has changed").is_visible()
        undo(folder)
        page.get_by_text("Round 1 has not been paired yet").wait_for()
        pair(folder, seed=5)
        page.get_by_text("Your place has changed").wait_for()
        assert page.locator(".mine").get_attribute("data-place") != first
        assert page.locator("#changed strong").text_content() == first
        assert browser.violations(page) == []
        page.reload()
        page.get_by_text("Your place has changed").wait_for()
        page.get_by_role("button", name="OK").click()
        page.reload()
        page.evaluate("asking")
        assert not page.get_by_text("has changed").is_visible()


@pytest.mark.parametrize(
    ("typed", "found", "sure"),
    [
        ("", [0, 1, 2, 3, 4, 5], True),
        ("roth", [1], True),
        ("Roth, Mia", [1], True),
        ("nowak lukasz", [3], True),
        ("lukas novak", [3], False),
        ("mia rohth", [1], False),
        ("Kim Alx", [0], False),
        ("小", [4], True),
        ("المنصوري", [5], False),
        ("xyzzy", [], False),
        ("  ", [0, 1, 2, 3, 4, 5], True),
        (",", [], True),
    ],
)
def test_a_name_typed_in_a_hurry(typed: str, found: list[int], sure: bool) -> None:
    assert search_names(typed, [*PLAYERS, "سلمان المنصورى"]) == (found, sure)


def test_a_phone_asks_whether_it_was_meant(tmp_path: Path) -> None:
    page = phone(event(tmp_path / "event", PLAYERS, rounds=1))
    text = page.get("/?name=lukas+novak").text
    assert "Did you mean:" in text
    assert people(text) == ["Łukasz Nowak"]
    assert "Did you mean" not in page.get("/?name=nowak+lukasz").text


@pytest.mark.long
def test_blacks_win_is_a_win(tmp_path: Path) -> None:
    names = ["Ann", "Ben", "Cy", "Dee"]
    folder = event(tmp_path / "event", names, rounds=1, sides=("white", "black"))
    page = phone(folder)
    for line, score, endings in (
        ("1", "0-1", ("lost", "won")),
        ("2", "1F-0F", FORFEIT),
    ):
        listed = round_view(read_folder(folder), 1, listed=True).lines[int(line) - 1]
        white = round_view(read_folder(folder), 1).lines[int(line) - 1].names
        turned = listed.names != white
        result(folder, line, "-".join(reversed(score.split("-"))) if turned else score)
        plain = score.replace("F", "")
        for name, ending, own in zip(white, endings, (plain, plain[::-1]), strict=True):
            mine = page.get(f"/player?id={name}").text
            assert f'<strong>{ending.capitalize()} <span class="score">{own}<' in mine


@pytest.mark.parametrize(
    "address", ["/log", "/nowhere", "/event/other/players", "/?part=x"]
)
def test_an_address_that_no_phone_has_leads_back(tmp_path: Path, address: str) -> None:
    page = phone(event(tmp_path / "event", PLAYERS, rounds=1))
    answer = page.get(address)
    assert answer.status_code == 404
    assert "Page not found" in answer.text
    (back,) = re.findall(r'<a class="button main" href="([^"]*)"', answer.text)
    assert people(page.get(back).text)


def test_the_page_about_phones_names_the_option_that_shares(tmp_path: Path) -> None:
    folder = event(tmp_path / "Friday night", PLAYERS)
    page = TestClient(application(folder, {"127.0.0.1:8440"}), "http://127.0.0.1:8440")
    assert "pairopt serve &#39;Friday night&#39; --share" in page.get("/phones").text
