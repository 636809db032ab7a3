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
from pairopt.web.uploads import QUESTIONS, settings_from_answers

CHANGE = "/settings/change"


def values(text: str) -> dict[str, str]:
    """What stands in the fields of the form."""
    form = text.split(f'action="{CHANGE}" class', 1)[1]
    found = dict(re.findall(r'<input name="([^"]*)" value="([^"]*)"', form))
    for name, options in re.findall(
        r'<select name="([^"]*)".*?>(.*?)</select>', form, re.DOTALL
    ):
        chosen = re.findall(r'value="([^"]*)" selected', options)
        # Menus of one name are the places of a list, such as that of tie-breaks.
        found[name] = ",".join(filter(None, [found.get(name, ""), *chosen]))
    return {name: html.unescape(value) for name, value in found.items()}


def post(page: TestClient, **form: str) -> str:
    text = page.get("/settings").text
    token = {"state": fields(text, CHANGE)["state"]}
    return page.post(CHANGE, data={**token, **values(text), **form}).text


@pytest.mark.long
def test_each_setting_has_a_field_and_nothing_is_changed_by_sending_it(
    tmp_path: Path,
) -> None:
    folder = event(tmp_path / "event", rounds=1, sides=["corp", "runner"])
    page = client(folder)
    before = (folder / "event.toml").read_bytes()
    assert values(page.get("/settings").text).keys() == SETTINGS.keys()
    assert "The event already has these settings. Nothing was changed." in said(
        post(page)
    )
    assert (folder / "event.toml").read_bytes() == before


@pytest.mark.long
def test_settings_are_changed_in_one_step(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", sides=[])
    page = client(folder)
    steps = len(Journal(folder).steps())
    text = post(
        page,
        **{
            "title": "<b>Friday</b>",
            "rounds": "6",
            "model": "fide-dutch",
            "sides": "white,black",
            "initial_side": "black",
            "points": "1-½-0",
            "points.requested_bye": "½",
            "seed": "",
            "tie_breaks": "buchholz, wins",
            "conflicts": "active",
        },
    )
    assert "model: fide-dutch (before: standard)" in said(text)
    assert "seed: removed (before: 0)" in said(text)
    assert "<b>" not in text
    assert len(Journal(folder).steps()) == steps + 1
    now = read_event(folder).settings
    assert (now.title, now.rounds, now.model, now.seed) == (
        "<b>Friday</b>",
        6,
        "fide-dutch",
        None,
    )
    assert now.tie_breaks == ("buchholz", "wins")
    assert values(page.get("/settings").text)["points.requested_bye"] == "0.5"


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("rounds", "501", "rounds is 501. Give a number from 1 to 500."),
        ("points", "1-2-3", "A win must give more points than a loss"),
        ("tie_breaks", "luck", "There is no tie-break 'luck'"),
        ("initial_side", "white", "this event has no sides"),
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


@pytest.mark.long
def test_a_page_that_is_older_keeps_what_was_typed(tmp_path: Path) -> None:
    folder = event(tmp_path / "event")
    page = client(folder)
    token = fields(page.get("/settings").text, CHANGE)
    post(client(folder), rounds="4")
    answer = page.post(CHANGE, data={**token, "title": "Monday", "rounds": "5"})
    assert answer.status_code == 409
    assert (values(answer.text)["title"], values(answer.text)["rounds"]) == (
        "Monday",
        "5",
    )
    answer = page.post(
        CHANGE, data={**token, "title": "Monday", "rounds": ""}
    )  # as it was shown
    assert answer.status_code == 200
    assert (values(answer.text)["title"], values(answer.text)["rounds"]) == (
        "Monday",
        "4",
    )


@pytest.mark.long
def test_every_answer_to_the_questions_is_a_model_that_can_be_chosen(
    tmp_path: Path,
) -> None:
    found: dict[str | None, int] = {None: 0}
    for game in ("", *QUESTIONS[0].answers):
        for aim in ("", *QUESTIONS[1].answers):
            model = settings_from_answers({"game": game, "aim": aim}).get("model")
            found[model] = found.get(model, 0) + 1
    assert found.pop(None) == 1
    assert {*found} <= {*model_names()}
    assert {*found} == {
        "standard",
        "fide-dutch",
        "double-sided",
        "top-first",
        "monrad",
        "random",
    }
    folder = event(tmp_path / "event")
    page = client(folder)
    text = page.get("/models?game=sides&aim=leaders").text
    assert load_model("top-first").title in text
    form = fields(text, CHANGE)
    assert form["model"] == "top-first"
    assert "model: top-first (before: standard)" in said(
        page.post(CHANGE, data=form).text
    )
    assert read_event(folder).settings.model == "top-first"
    assert "<b>" not in page.get("/models?game=<b>").text
