"""Settings on the page: what event.toml says, changed in one step."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest
from organiser import client, event, fields, said
from starlette.testclient import TestClient

from pairopt import read_event
from pairopt.event.settings import SETTINGS
from pairopt.folder.journal import Journal
from pairopt.problem.model import load_model, model_names
from pairopt.show.web.questions import QUESTIONS, model_of

CHANGE = "/settings/change"


def values(text: str) -> dict[str, str]:
    """What stands in the fields of the form."""
    form = text.split(f'action="{CHANGE}" class', 1)[1]
    found = dict(re.findall(r'<input name="([^"]*)" value="([^"]*)"', form))
    for name, options in re.findall(r'<select name="([^"]*)".*?>(.*?)</select>', form, re.DOTALL):
        found[name] = "".join(re.findall(r'value="([^"]*)" selected', options))
    return {name: html.unescape(value) for name, value in found.items()}


def post(page: TestClient, **form: str) -> str:
    text = page.get("/settings").text
    token = {"state": fields(text, CHANGE)["state"]}
    return page.post(CHANGE, data={**token, **values(text), **form}).text


def test_each_setting_has_a_field_and_nothing_is_changed_by_sending_it(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", rounds=1, sides=["corp", "runner"])
    page = client(folder)
    before = (folder / "event.toml").read_bytes()
    assert values(page.get("/settings").text).keys() == SETTINGS.keys()
    assert "the event says so already" in said(post(page))
    assert (folder / "event.toml").read_bytes() == before


def test_settings_are_changed_in_one_step(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", sides=[])
    page = client(folder)
    steps = len(Journal(folder).steps())
    text = post(page, **{
        "title": "<b>Friday</b>", "rounds": "6", "model": "fide-dutch", "sides": "white,black",
        "initial_side": "black", "points": "1-½-0", "points.requested_bye": "½", "seed": "",
        "tie_breaks": "buchholz, wins", "conflicts": "club",
    })  # fmt: skip
    assert "model: fide-dutch (was standard)" in said(text)
    assert "seed: not said any more (was 0)" in said(text)
    assert "<b>" not in text
    assert len(Journal(folder).steps()) == steps + 1
    now = read_event(folder).settings
    assert (now.title, now.rounds, now.model, now.seed) == ("<b>Friday</b>", 6, "fide-dutch", None)
    assert now.tie_breaks == ("buchholz", "wins")
    assert values(page.get("/settings").text)["points.requested_bye"] == "0.5"


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("rounds", "501", "rounds: found 501, expected 1 to 500"),
        ("points", "1-2-3", "expected a win above a loss"),
        ("tie_breaks", "luck", "'luck' is not a tie-break"),
        ("initial_side", "white", "expected none: the event has no sides"),
    ],
)
def test_after_a_fault_all_that_was_typed_is_there(
    tmp_path: Path, key: str, value: str, told: str
) -> None:
    folder = event(tmp_path / "event", sides=[])
    before = (folder / "event.toml").read_bytes()
    text = post(client(folder), **{"title": "Monday", key: value})
    assert told in said(text)
    assert (values(text)["title"], values(text)[key]) == ("Monday", value)
    assert re.search(rf'name="{key}"[^>]* autofocus', text)
    assert text.count("autofocus") == 1
    assert (folder / "event.toml").read_bytes() == before


def test_a_page_that_is_older_keeps_what_was_typed(tmp_path: Path) -> None:
    folder = event(tmp_path / "event")
    page = client(folder)
    token = fields(page.get("/settings").text, CHANGE)
    post(client(folder), rounds="4")
    answer = page.post(CHANGE, data={**token, "title": "Monday"})
    assert answer.status_code == 409
    assert values(answer.text)["title"] == "Monday"
    assert values(answer.text)["rounds"] == "4"


def test_every_answer_to_the_three_questions_is_a_model_that_can_be_chosen(tmp_path: Path) -> None:
    found: dict[str | None, int] = {None: 0}
    for game in ("", *QUESTIONS[0].answers):
        for rules in ("", *QUESTIONS[1].answers):
            for aim in ("", *QUESTIONS[2].answers):
                model = model_of({"game": game, "rules": rules, "aim": aim})
                found[model] = found.get(model, 0) + 1
    assert found.pop(None) == 1
    assert {*found} <= {*model_names()}
    assert {*found} == {"standard", "fide-dutch", "double-sided", "top-first", "monrad", "random"}
    folder = event(tmp_path / "event")
    page = client(folder)
    text = page.get("/models?game=sides&rules=free&aim=leaders").text
    assert load_model("top-first").title in text
    form = fields(text, CHANGE)
    assert form["model"] == "top-first"
    assert "model: top-first (was standard)" in said(page.post(CHANGE, data=form).text)
    assert read_event(folder).settings.model == "top-first"
    assert "<b>" not in page.get("/models?game=<b>").text


NEW = "/new/event"
TYPED = {"title": "The cup", "players": "Ann\nBob\nCat", "rounds": "501", "points": "3-1-0",
         "model": "monrad", "sides": "white,black", "tie_breaks": "wins",
         "game": "even"}  # fmt: skip


def in_form(text: str) -> dict[str, str]:
    """What stands in the form that makes an event."""
    form = text.split('<form id="founding"', 1)[1]
    found = dict(re.findall(r'<input (?:type="hidden" )?name="([^"]*)"[^>]* value="([^"]*)"', form))
    found |= dict(re.findall(r'<textarea name="([^"]*)"[^>]*>\n?(.*?)</textarea>', form, re.DOTALL))
    found |= dict(re.findall(r'type="radio" name="([^"]*)" value="([^"]*)" checked', form))
    for name, options in re.findall(r'<select name="([^"]*)".*?>(.*?)</select>', form, re.DOTALL):
        found[name] = "".join(re.findall(r'value="([^"]*)" selected', options))
    return {name: html.unescape(value) for name, value in found.items()}


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ({"rounds": "501"}, "rounds: found 501, expected 1 to 500"),
        ({"rounds": "3", "points": "1-3-0"}, "points 1-3-0: expected a win above"),
        ({"rounds": "3", "initial_side": "red"}, "initial_side red: expected white or black"),
        ({"rounds": "3", "tie_breaks": "luck"}, "'luck' is not a tie-break"),
        ({"rounds": "3", "players": ""}, "expected players"),
    ],
)
def test_a_fault_in_a_new_event_leaves_what_was_typed(
    tmp_path: Path, fault: dict[str, str], told: str
) -> None:
    form = {**TYPED, **fault}
    answer = client(tmp_path / "event").post(NEW, data=form)
    assert told in said(answer.text)
    there = in_form(answer.text)
    assert {name: there[name] for name in form} == form
    assert not (tmp_path / "event").exists()


def test_a_file_is_kept_over_a_fault_until_there_is_another(tmp_path: Path) -> None:
    page = client(tmp_path / "event")
    given = {"file": ("<b>.csv", b"player\nAnn\nBob\n")}
    answer = page.post(NEW, data={"rounds": "501"}, files=given)
    kept = in_form(answer.text)
    assert "<b>" not in answer.text
    assert kept["content_name"] == "<b>.csv"
    assert kept["content"] not in answer.text.split('<form id="founding"')[0].split("<dl>")[1]
    asked = page.post(NEW, data={**kept, "rounds": "5", "other": ""}).text
    other = page.post(NEW, data={**kept, "rounds": "5", "other": "yes", "players": "Zoe\nPer"}).text
    another = {"file": ("new.csv", b"player\nKim\nLea\n")}
    third = page.post(NEW, data={**kept, "rounds": "5"}, files=another).text
    assert "2 players: Ann, Bob" in said(page.post(NEW, data={**kept, "rounds": "5"}).text)
    assert "2 players: Zoe, Per" in said(other)
    assert "2 players: Kim, Lea" in said(third)
    assert asked


def test_what_is_asked_is_what_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The seed that is drawn for the question is the event's."""
    drawn = iter(range(100, 200))
    monkeypatch.setattr("pairopt.folder.founding.drawn_seed", lambda: next(drawn))
    folder = tmp_path / "event"
    page = client(folder)
    form = {"players": "Ann\nBob", "points": "1-0.5-0", "game": "chess", "rules": "rated"}
    asked = page.post(NEW, data=form).text
    assert "model fide-dutch" in said(asked)
    assert "seed 100, drawn by lot" in said(asked)
    side = re.findall("initial side (white|black)", said(asked))
    page.post(NEW, data={**fields(asked, NEW), "sure": "yes"})
    assert read_event(folder).settings.seed == 100
    assert f'initial_side = "{side[0]}"' in (folder / "event.toml").read_text()
