"""Rating lists on the organiser's page: found while typing, filled in, and updated."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest
from organiser import client, fields, said
from rating_files import CLUB_LIST, Invented, text_list, write
from starlette.testclient import TestClient

from pairopt import read_event
from pairopt.files.rating_lists.store import add_list
from pairopt.folder import edit, new, pair, result, undo

ROWS = (
    'Name,Rtg,FideID\n"Muller, Jorn",2400,91000001\n"Twin, Dano",1950,91000007\n'
    '"Home, Eva",1999,\n"Away, Ida",1200,\n'
)


@pytest.fixture
def event(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PAIROPT_LISTS", str(tmp_path / "lists"))
    add_list(write(tmp_path, "list.txt", text_list()), month="2026-11")
    folder = tmp_path / "event"
    new(folder, write(tmp_path, "players.csv", ROWS.encode()), rounds=5)
    return folder


@pytest.fixture
def page(event: Path) -> TestClient:
    return client(event)


def links(text: str) -> list[tuple[str, str]]:
    """The persons that were found: the address, and what is shown."""
    found = re.findall(
        r'<li data-row><a href="([^"]*)"[^>]*>(.*?)</a></li>', text, re.DOTALL
    )
    return [
        (html.unescape(address), re.sub(r"<[^>]*>|\s+", " ", shown))
        for address, shown in found
    ]


def filled(text: str) -> dict[str, str]:
    """The fields of the form for a new player."""
    forms = re.findall(r'action="/players/enter[^>]*>(.*?)</form>', text, re.DOTALL)
    (form,) = [each for each in forms if "Add player</button>" in each]
    found = re.findall(r'<input name="([^"]*)"[^>]*? value="([^"]*)"', form)
    return {name: html.unescape(value) for name, value in found if value}


def test_typing_shows_persons_with_what_tells_them_apart(page: TestClient) -> None:
    (first, second) = links(page.get("/players/listed/found?q=twin").text)
    for part in ("Twin, Dano", "POL", "1989", "91000007", "1900"):
        assert part in first[1]
    for part in ("Twin, Dano", "HUN", "91000008", "1400"):
        assert part in second[1]
    assert "<html" not in page.get("/players/listed/found?q=twin").text


def test_at_most_twenty_persons_are_shown(tmp_path: Path, page: TestClient) -> None:
    many = [Invented(92000000 + k, f"Same, A{k}") for k in range(30)]
    add_list(write(tmp_path, "many.txt", text_list(many)), month="2026-12")
    text = page.get("/players/listed/found?q=same").text
    assert len(links(text)) == 20
    assert "first 20" in text
    assert len(links(page.get("/players/listed/found?q=x").text)) == 0


def test_a_person_fills_in_the_form_and_is_added(event: Path, page: TestClient) -> None:
    ((address, _),) = links(page.get("/players/listed?q=mueller+ju").text)
    text = page.get(address).text
    assert filled(text) == {
        "name": "Mueller, Jule",
        "rating": "2110",
        "cell.title": "WFM",
        "cell.federation": "GER",
        "cell.birth": "2001",
        "cell.sex": "w",
        "cell.k": "40",
        "cell.fide_id": "91000002",
    }
    assert "<button autofocus>Add player</button>" in text
    action = "/players/enter"
    done = page.post(
        action + "?at=listed", data={**fields(text, action), **filled(text)}
    )
    assert "Mueller, Jule plays from round 1" in said(done.text)
    added = read_event(event)
    position = added.position("Mueller, Jule")
    assert added.columns["fide_id"][position] == "91000002"
    assert added.columns["title"][position] == "WFM"
    assert re.search(r'name="q" autocomplete="off" autofocus', done.text)
    undo(event)
    assert len(read_event(event).players) == 4


@pytest.mark.long
def test_a_late_entry_is_filled_in_too(event: Path, page: TestClient) -> None:
    pair(event)
    for table in (1, 2):
        result(event, table, "1-0")
    ((address, _),) = links(page.get("/players/listed?q=sorensen").text)
    text = page.get(address).text
    action = "/players/enter"
    done = page.post(action, data={**fields(text, action), **filled(text)})
    assert "Sorensen, Lukasz plays from round 2" in said(done.text)


def test_a_person_without_a_fide_number_is_filled_in(
    tmp_path: Path, page: TestClient
) -> None:
    add_list(write(tmp_path, "club.csv", CLUB_LIST), month="2026-11")
    text = page.get("/players/listed?list=club-2026-11&q=nilsson").text
    ((address, shown),) = links(text)
    assert "1432" in shown
    assert filled(page.get(address).text) == {
        "name": "Nilsson, Åsa",
        "rating": "1432",
        "cell.national_rating": "1432",
    }


def test_a_refused_entry_keeps_what_was_filled_in(page: TestClient) -> None:
    text = page.get("/players?fide=91000007").text
    action = "/players/enter"
    done = page.post(action, data={**fields(text, action), **filled(text)})
    assert "FIDE number 91000007 is already in this event" in html.unescape(
        said(done.text)
    )
    assert filled(done.text)["cell.fide_id"] == "91000007"


def test_markup_in_a_list_stays_text(tmp_path: Path, page: TestClient) -> None:
    hostile = [Invented(93000001, '<b onload="x">, <script>')]
    add_list(write(tmp_path, "next.txt", text_list(hostile)), month="2026-12")
    for address in ("/players/listed?q=onload", "/players?fide=93000001"):
        text = page.get(address).text
        assert "&lt;b " in text
        for markup in ("<b ", "<script>,", ", <script>"):
            assert markup not in text


@pytest.mark.parametrize(
    "query",
    ["fide=1", "fide=x", "fide=" + "9" * 50, "fide=91000002&list=none", "add.%00=1"],
)
def test_a_strange_address_is_answered(page: TestClient, query: str) -> None:
    assert page.get(f"/players?{query}").status_code < 500
    assert page.get(f"/players/listed?{query}&q=%00%22*").status_code < 500


def test_without_a_list_the_page_says_how_to_store_one(
    tmp_path: Path, page: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAIROPT_LISTS", str(tmp_path / "none"))
    assert "Find in the rating list" not in page.get("/players").text
    for address in ("/players/listed", "/players/ratings"):
        text = page.get(address).text
        assert 'href="/players/lists">Store a rating list</a>' in text
    assert page.get("/players?fide=91000002").status_code < 500


def test_a_damaged_list_does_not_stop_the_page(
    tmp_path: Path, page: TestClient
) -> None:
    (tmp_path / "lists" / "fide-2026-11.sqlite").write_bytes(b"damaged")
    text = page.get("/players").text
    assert "Add a player" in text
    assert "Find in the rating list" not in text
    assert "Add the list again" in page.get("/players/listed?q=twin").text


def changes(text: str) -> list[str]:
    return [
        html.unescape(value)
        for value in re.findall(r'name="change" value="([^"]*)"', text)
    ]


def test_only_ticked_values_are_written_and_undone(
    event: Path, page: TestClient
) -> None:
    before = (event / "players.csv").read_bytes()
    text = page.get("/players/ratings").text
    assert (event / "players.csv").read_bytes() == before
    offered = changes(text)
    chosen = [each for each in offered if each.endswith("2510")]
    assert len(chosen) == 1 < len(offered)
    action = "/players/ratings/apply"
    form = {**fields(text, action), "change": chosen}
    done = page.post(action, data=form)
    assert "rating 2510 (before: 2400)" in said(done.text)
    after = read_event(event)
    assert [after.rating_text(k) for k in (0, 1)] == ["2510", "1950"]
    undo(event)
    assert (event / "players.csv").read_bytes() == before

    again = page.post(action, data={**form, "change": [*chosen, "x\ty\tz\tw"]})
    assert "Compare again" in said(again.text)
    assert (event / "players.csv").read_bytes() == before


def test_values_of_another_name_are_told_and_not_ticked(
    event: Path, page: TestClient
) -> None:
    edit(event, "Muller, Jorn", {"fide_id": "91000006"}, sure=True)
    text = page.get("/players/ratings").text
    assert "The list has another name for this number: Strasse, Udo" in text
    assert "The list&#39;s values for this player are not ticked." in text
    boxes = re.findall(r'<input type="checkbox" name="change"[^>]*>', text)
    is_ticked_by_name: dict[str, set[bool]] = {}
    for box in boxes:
        name = "Muller" if "Muller" in box else "others"
        is_ticked_by_name.setdefault(name, set()).add(" checked" in box)
    assert is_ticked_by_name == {"Muller": {False}, "others": {True}}


def test_after_the_start_the_page_asks_first(event: Path, page: TestClient) -> None:
    pair(event)
    text = page.get("/players/ratings").text
    assert "Round 1 is paired" in text
    action = "/players/ratings/apply"
    form = {**fields(text, action), "change": changes(text)}
    asked = page.post(action, data=form)
    assert "pairing numbers do not follow" in said(asked.text)
    confirmed = page.post(action, data={**form, "sure": "yes"})
    assert "Pairing numbers stay" in said(confirmed.text)


def test_all_players_are_numbered_again_on_the_page(tmp_path: Path) -> None:
    listed = tmp_path / "list.csv"
    listed.write_text(
        "player,rating,fide_id\nAnn,1500,91000013\nBob,1400,91000021\nCy,1300,91000030\n"
    )
    folder = tmp_path / "open"
    new(folder, listed, model="fide-dutch", rounds=3)
    pair(folder)
    edit(folder, "Cy", {"rating": "1600"}, sure=True)
    page = client(folder)
    action = "/players/ratings/renumber"
    form = fields(page.get("/players/ratings").text, action)
    asked = page.post(action, data=form).text
    assert "Round 1 is paired, and 3 players get another" in html.unescape(asked)
    assert read_event(folder, unfinished=True).start_numbers.tolist() == [1, 2, 3]
    page.post(action, data={**form, "sure": "yes"})
    assert read_event(folder, unfinished=True).start_numbers.tolist() == [2, 3, 1]
