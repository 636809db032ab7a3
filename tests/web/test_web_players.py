"""Players by the page: pasted, dropped, in, out, byes, tables, and who may not meet."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest
from openpyxl import Workbook
from organiser import client, event, fields, founding, said, scored
from places import DATA
from starlette.testclient import TestClient

from pairopt import read_event
from pairopt.folder.journal import Journal
from pairopt.folder.pair_round import pair
from pairopt.folder.settings import change
from pairopt.web.views import menu

TAKE, NEW = "/players/take", "/new/event"
NASTY = "<script>alert(1)</script>"


def send(page: TestClient, change: str, at: str = "/players", **form: str) -> str:
    """A change by one of the forms of a page; the page that comes then."""
    action = f"{at}/{change}"
    return page.post(action, data={**fields(page.get(at).text, action), **form}).text


def sure(page: TestClient, text: str, action: str) -> str:
    """Yes to what the page asks."""
    question = "Check your new event" if action == NEW else "Please confirm"
    assert question in text
    form = founding(text) if action == NEW else {**fields(text, action), "sure": "yes"}
    return page.post(action, data=form).text


def files(folder: Path) -> dict[str, bytes]:
    return {each.name: each.read_bytes() for each in folder.iterdir() if each.is_file()}


@pytest.mark.long
@pytest.mark.parametrize("founded", [True, False])
@pytest.mark.parametrize(
    "names", [("Zoe Lund", "Per Ek"), ("Zoe Lund", "Ann Bo", "Per Ek")]
)
def test_a_pasted_list_is_shown_before_it_is_taken(
    tmp_path: Path, founded: bool, names: tuple[str, ...]
) -> None:
    folder = tmp_path / "event"
    where, at, change = (
        (TAKE, "/players", "take") if founded else (NEW, "/new", "event")
    )
    if founded:
        event(folder)
    page = client(folder)
    before = files(folder) if founded else None
    asked = send(page, change, at, players="\r\n".join([*names, ""]))
    assert said(asked).count("the list: pairopt read this as a list of names.") == 1
    many = f"{len(names)} players"
    assert f"{many}: {', '.join(names)}" in said(asked)
    assert (files(folder) if founded else None) == before
    assert founded == folder.exists()
    done = sure(page, asked, where)
    assert (f"{many} play from round" if founded else f"New event with {many}") in said(
        done
    )
    assert read_event(folder).players[-len(names) :] == names
    assert Journal(folder).steps()[-1].verb == ("enter" if founded else "new")


@pytest.mark.long
@pytest.mark.parametrize(
    "name", ["cobra_single_sided.json", "byes_and_forfeits.trf", "players.csv"]
)
def test_a_dropped_file_founds_an_event(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "event"
    page = client(folder)
    given = {"file": (name, (DATA / name).read_bytes())}
    form = {"title": "The <b>cup</b>", "rounds": "9"}
    asked = page.post(NEW, data=form, files=given).text
    assert f"pairopt has read {name} as" in said(asked)
    assert not folder.exists()
    sure(page, asked, NEW)
    made, read = (
        read_event(folder, unfinished=True),
        read_event(DATA / name, unfinished=True),
    )
    assert made.players == read.players
    assert len(made.matches) == len(read.matches)
    assert (made.settings.title, made.settings.rounds) == ("The <b>cup</b>", 9)


@pytest.mark.long
def test_a_dropped_workbook(tmp_path: Path) -> None:
    book = Workbook()
    for row in (["Name", "Rating"], ["Ann", 1500], ["Bob", 1400.5]):
        book.active.append(row)
    book.save(tmp_path / "list.xlsx")
    folder = tmp_path / "event"
    page = client(folder)
    given = {"file": ("list.xlsx", (tmp_path / "list.xlsx").read_bytes())}
    text = sure(page, page.post(NEW, files=given).text, NEW)
    assert read_event(folder).players == ("Ann", "Bob")
    assert '<td class="number">1400.5</td>' in text


@pytest.mark.long
def test_an_event_that_its_points_do_not_fit(tmp_path: Path) -> None:
    page = client(tmp_path / "event")
    given = {"file": ("m.csv", b"round,player1,player2,score1,score2\n1,Ann,Bob,3,0\n")}
    text = page.post(NEW, data={"points": "1-0.5-0"}, files=given).text
    assert "m.csv: row 2" in said(text)
    assert "/" not in said(text).split("matches.csv")[0]
    rounds = page.post(NEW, data={"rounds": "501", "players": "Ann\nBob"}).text
    assert "rounds is 501. Give a number from 1 to 500." in said(rounds)
    model = page.post(NEW, data={"model": "/etc/passwd", "players": "Ann\nBob"}).text
    assert "There is no model /etc/passwd. Choose one of" in said(model)
    assert not (tmp_path / "event").exists()


@pytest.mark.long
def test_a_dropped_file_adds_players_but_no_rounds(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", rounds=1)
    page = client(folder)
    token = fields(page.get("/players").text, TAKE)
    raw = (DATA / "byes_and_forfeits.trf").read_bytes()
    asked = page.post(TAKE, data=token, files={"file": ("club.trf", raw)}).text
    assert "the rounds in this file are ignored" in said(asked)
    sure(page, asked, TAKE)
    now = read_event(folder, unfinished=True)
    assert len(now.players) == 6 + len(
        read_event(DATA / "byes_and_forfeits.trf").players
    )
    assert now.round == 2


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"player,rating\nAnn,x\nBob,1500\n", "row 2, column rating: Found 'x'"),
        (b"player,rating\nBob,1\n" + b"Ann,x\n" * 1000, "and 980 more"),
        (b"player,rating\n" + b"Ann,x\n" * 1000, "All 1000 filled cells"),
        (b"", "The file is empty"),
        (b"PK\x03\x04 is no workbook", "can't be read as a workbook"),
        (b"name\n" + b"x" * 2**20, "larger than 1 MB"),
    ],
)
@pytest.mark.parametrize("founded", [True, False])
def test_faults_of_a_file(
    tmp_path: Path, content: bytes, told: str, founded: bool
) -> None:
    folder = tmp_path / "event"
    if founded:
        event(folder)
    page = client(folder)
    where = TAKE if founded else NEW
    token = fields(page.get("/players").text, where)
    answer = page.post(where, data=token, files={"file": (f"{NASTY}.csv", content)})
    assert answer.status_code == 422
    assert told in said(answer.text)
    assert NASTY not in answer.text
    assert founded == folder.exists()


def test_a_file_that_is_sent_again_damaged(tmp_path: Path) -> None:
    page = client(event(tmp_path / "event"))
    text = send(page, "take", content="%%%", content_name="x.csv", sure="yes")
    assert "Choose the file again" in said(text)
    assert "There are no players. Choose a file" in said(send(page, "take"))


def test_names_are_only_text(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", ["Ann", NASTY, "=1+1"])
    page = client(folder)
    send(page, "apart", player="Ann", other=NASTY)
    text = page.get("/players").text
    assert NASTY not in text
    assert text.count(html.escape(NASTY)) >= 4


@pytest.mark.long
def test_in_out_and_late(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", rounds=1)
    scored(folder)
    page = client(folder)
    assert "A has dropped and will not be paired from round 2 on." in said(
        send(page, "out", player="A")
    )
    assert not read_event(folder).present[0]
    assert "A is reinstated and plays again from round 2 on." in said(
        send(page, "in", player="A")
    )
    assert "Zoe plays from round 2 on." in said(
        send(page, "enter", name="Zoe", rating="1500")
    )
    assert read_event(folder).rating[-1] == 1500
    assert "is already in this event" in said(send(page, "enter", name="zoe"))
    assert "The name is empty" in said(send(page, "enter", name=" "))
    assert "No player is chosen" in said(send(page, "out"))
    assert "not a player" in said(send(page, "out", player="Nobody"))


@pytest.mark.long
def test_byes_of_this_round_and_of_later_ones(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", rounds=1)
    scored(folder)
    page = client(folder)
    assert "A has a bye in round 2" in said(send(page, "bye", player="A"))
    text = send(page, "bye", player="A", round="4")
    assert "A has a bye in round 4" in said(text)
    assert [*re.findall(r"bye in round </span>([^<,]*)", text)] == [
        "2 (0 points)",
        "4 (0 points)",
    ]
    assert "Round 1 is already paired" in said(send(page, "bye", player="B", round="1"))
    assert "round is x. Give a number from 1 to 500." in said(
        send(page, "bye", player="B", round="x")
    )
    pair(folder)
    assert "A" not in [
        row.split(",")[2]
        for row in (folder / "matches.csv").read_text().split()
        if row.startswith("2,") and row.split(",")[1]
    ]


@pytest.mark.long
def test_a_bye_says_what_it_gives_and_is_taken_back(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", points="1-0.5-0", rounds=1)
    scored(folder, "1-0")
    page = client(folder)
    change(folder, {"points.requested_bye": "0.5"}, sure=True)
    assert (
        'data-key="b">Give a bye in round 2 (0.5 points)</button>'
        in page.get("/players").text
    )
    text = send(page, "bye", player="A")
    assert "</span>2 (0.5 points)</td>" in text
    assert "now gives 1 point. Before the change, the bye gave" in said(
        send(page, "bye", player="A", round="2", points="1")
    )
    off = {"round": "2", "off": "yes", "player": "A"}
    for name, value in list(off.items())[:2]:
        assert f'<input type="hidden" name="{name}" value="{value}">' in text
    assert "The bye of A in round 2 is cancelled." in said(send(page, "bye", **off))
    assert "No bye in round" not in page.get("/players").text


@pytest.mark.long
def test_tables_and_pairs(tmp_path: Path) -> None:
    folder = event(tmp_path / "event")
    page = client(folder)
    assert "A has table 7 from round 1 on" in said(
        send(page, "table", player="A", table="7")
    )
    assert "Table 7 is already the fixed table of A. Choose another table." in said(
        send(page, "table", player="B", table="7")
    )
    assert "A has no fixed table any more, from round 1 on" in said(
        send(page, "table", player="A", table="")
    )
    text = send(page, "apart", player="A", other="B")
    assert "A - B may not meet." in said(text)
    assert fields(text, "/players/together")["other"] == "B"
    assert "may meet again" in said(send(page, "together"))
    assert "themselves" in said(send(page, "apart", player="A", other="A"))
    assert "/players/together" not in page.get("/players").text
    text = send(page, "apart", player="A", other="B", rounds="2-4")
    assert "A - B may not meet in rounds 2-4." in said(text)
    assert "A - B in rounds 2-4 <button" in text
    assert "Rounds go from 1" in said(
        send(page, "apart", player="A", other="B", rounds="4-2")
    )
    assert "A and B may not meet in rounds 2-4" in page.get("/log").text


@pytest.mark.long
def test_players_after_the_cut_and_of_one_name(tmp_path: Path) -> None:
    listed = tmp_path / "list.csv"
    listed.write_text(
        "player,name,club\n1,Ann Lee,Riga\n2,Ann Lee,Oslo\n3,Łukasz,\n4,Tove,\n"
    )
    page = client(folder := tmp_path / "event")
    asked = page.post(NEW, files={"file": ("list.csv", listed.read_bytes())}).text
    text = sure(page, asked, NEW)
    names = re.findall(r"<tr data-row[^>]*><td><bdi>(.*?)</bdi>", text)
    assert names == ["Ann Lee (1)", "Ann Lee (2)", "Łukasz", "Tove"]
    assert "Riga" in text
    assert "Ann Lee (2) has dropped" in said(send(page, "out", player="2"))
    assert read_event(folder).present.tolist() == [True, False, True, True]


@pytest.mark.long
def test_a_numbered_list_in_the_words_of_the_page(tmp_path: Path) -> None:
    page = client(folder := tmp_path / "event")
    asked = page.post(NEW, data={"players": "1. Ann Lee\n2. Bo Ray\n10) Cy\n"}).text
    text = asked + sure(page, asked, NEW)
    assert read_event(folder).players == ("Ann Lee", "Bo Ray", "Cy")
    assert "(--" not in text


def test_a_reload_of_what_was_sent(tmp_path: Path) -> None:
    page = client(folder := tmp_path / "event")
    assert page.get(NEW).url.path == "/new"
    event(folder)
    assert page.get(NEW).url.path == "/players"


@pytest.mark.long
def test_a_player_is_found_by_typing_on_every_view(tmp_path: Path) -> None:
    folder = event(
        tmp_path / "event", ["Ann Lee", "Bo Ek", "Cy Fo", "Dee Go"], rounds=1
    )
    page = client(folder)
    for view in menu():
        text = page.get(f"/{view.path}").text
        assert len(re.findall(r'<input[^>]* name="q"', text)) == 1, view.path
    found = page.get("/players/found?q=lee+an").text
    assert re.findall(r"<li><a [^>]*><span><bdi>(.*?)</bdi>", found) == ["Ann Lee"]
    assert "<small>against <bdi>" in found
    assert "No player has that name" in page.get("/players/found?q=zzz").text


@pytest.mark.long
def test_from_a_no_show_to_the_round_published_in_two_clicks(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", "ABCDEFG", rounds=1)
    page = client(folder)
    found = page.get("/players/found?q=A").text
    gone = {**fields(found, "/round/gone/out"), "player": "A"}
    preview = page.post("/round/gone/out", data=gone).text  # the first
    assert "A has dropped" in said(preview)
    shown, stay = preview.partition("<details><summary>")[::2]
    assert (
        0 < shown.count('<tr class="match') == shown.count('<tr class="match pinned"')
    )
    assert "pinned" not in stay
    done = page.post(
        "/round/again/publish", data=fields(preview, "/round/again/publish")
    )
    assert "round 1" in said(done.text)
    now = read_event(folder, unfinished=True)
    assert not now.present[0]
    assert 0 not in {*now.matches.first.tolist(), *now.matches.second.tolist()}
