"""All rounds played: the page offers what can follow; a lookahead; rounds changed after the cut."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from organiser import client, event, fields, founding, said, scored
from starlette.testclient import TestClient

from pairopt.cli import main
from pairopt.errors import ConfirmationError
from pairopt.folder import bracket, change, new, pair, result
from pairopt.folder.fide_mode import read_mode
from pairopt.folder.open_folder import read_folder_state

OFFERED = ("Start the top cut", "Add round 3", "Show final standings")
KIDS = [f"Kid {number}" for number in range(1, 10)]


def played(folder: Path, rounds: int | None = 2) -> Path:
    """An event whose two rounds have all results."""
    made = event(folder, rounds=2)
    if rounds is not None:
        change(made, {"rounds": str(rounds)})
    scored(made)
    return made


def send(browser: TestClient, action: str, page: str, **given: str) -> str:
    """The page after a form of `page` was sent, with what its hidden fields say."""
    form = fields(browser.get(page).text, action)
    return browser.post(action, data={**form, **given}).text


@pytest.mark.long
def test_three_ways_on_are_offered_where_all_rounds_are_played(tmp_path: Path) -> None:
    browser = client(played(tmp_path / "event"))

    page = browser.get("/round").text

    for words in OFFERED:
        assert words in page
    assert "What comes next?" in browser.get("/standings").text
    assert "what comes next?" in browser.get("/results?round=2").text
    assert '<details class="cut" id="cut" open>' in browser.get("/standings?cut=1").text


@pytest.mark.long
def test_a_round_is_added_and_can_be_paired(tmp_path: Path) -> None:
    folder = played(tmp_path / "event")
    browser = client(folder)

    page = send(browser, "/round/add", "/round")

    assert read_folder_state(folder).event.settings.rounds == 3
    assert "Pair round 3" in page
    assert "What comes next?" not in page


@pytest.mark.long
def test_two_desks_that_add_a_round_add_one(tmp_path: Path) -> None:
    folder = played(tmp_path / "event")
    browser = client(folder)
    form = fields(browser.get("/round").text, "/round/add")

    result(folder, 1, "0-3")
    first = browser.post("/round/add", data=form, follow_redirects=False)
    second = browser.post("/round/add", data=form, follow_redirects=False)

    assert first.status_code == 303, "a corrected result is no reason to refuse"
    assert second.status_code == 409
    assert read_folder_state(folder).event.settings.rounds == 3


@pytest.mark.long
def test_in_fide_mode_a_round_is_added_after_a_question(tmp_path: Path) -> None:
    folder, listed = tmp_path / "event", tmp_path / "list.csv"
    listed.write_text(
        "name,rating\nAnn,2000\nBob,1900\nCy,1800\nDot,1700\n", encoding="utf-8"
    )
    new(
        folder,
        listed,
        model="fide-dutch",
        sides="white,black",
        points="1-0.5-0",
        rounds=1,
    )
    assert read_mode(read_folder_state(folder).files).fide
    pair(folder)
    scored(folder, "1-0")

    page = send(client(folder), "/round/add", "/round")

    assert "Please confirm" in page
    assert (
        "FIDE's rules do not allow this change. If you confirm the change, FIDE mode ends for this event."
        in said(page)
    )
    assert read_folder_state(folder).event.settings.rounds == 1


@pytest.mark.long
@pytest.mark.parametrize(
    "case", ["results missing", "no number of rounds", "a cut", "a round left"]
)
def test_nothing_is_offered_before_or_after(tmp_path: Path, case: str) -> None:
    folder = tmp_path / "event"
    if case == "results missing":
        change(event(folder, rounds=2), {"rounds": "2"})
    elif case == "a cut":
        bracket(played(folder), cut=2, by_lot=True)
    else:
        played(folder, 3 if case == "a round left" else None)

    assert "What comes next?" not in client(folder).get("/round").text


@pytest.mark.long
def test_rounds_changed_after_the_cut_are_asked_about(tmp_path: Path) -> None:
    folder = played(tmp_path / "event")
    bracket(folder, cut=2, by_lot=True)
    browser = client(folder)

    asked = said(send(browser, "/settings/change", "/settings", rounds="4"))
    typed = CliRunner().invoke(main, ["set", str(folder), "rounds", "4"])

    assert "which you made after 2 rounds" in asked
    assert typed.exit_code == 2
    assert "while there is a top cut" in typed.output
    assert read_folder_state(folder).event.settings.rounds == 2
    with pytest.raises(ConfirmationError):
        change(folder, {"rounds": "4"})
    sure = CliRunner().invoke(main, ["set", str(folder), "rounds", "4", "--sure"])
    assert sure.exit_code == 0, sure.output
    assert read_folder_state(folder).event.settings.rounds == 4


@pytest.mark.long
def test_a_new_event_of_many_rounds_offers_a_lookahead(tmp_path: Path) -> None:
    folder = tmp_path / "event"
    browser = client(folder)
    form = {"title": "Kids", "players": "\n".join(KIDS), "rounds": "9"}

    first = browser.post(
        "/new/event", data={**founding(browser.get("/new").text), **form}
    ).text
    assert "so that no two players meet twice" in first
    second = browser.post("/new/event", data={**founding(first), "ahead": "all"}).text
    assert 'name="ahead" value="all" checked' in second
    assert "later rounds need no rematch" in second
    browser.post("/new/event", data={**founding(second), "ahead": "all"})

    assert read_folder_state(folder).event.settings.lookahead == "all"


@pytest.mark.parametrize(
    ("rounds", "more", "is_offered"),
    [
        ("9", [], True),
        ("7", [], True),
        ("6", [], False),
        ("10", [], False),
        ("9", ["--lookahead", "all"], False),
        ("9", ["--model", "fide-dutch"], False),
    ],
)
def test_new_says_so(
    tmp_path: Path, rounds: str, more: list[str], is_offered: bool
) -> None:
    listed = tmp_path / "kids.csv"
    listed.write_text("\n".join(["name", *KIDS]), encoding="utf-8")
    folder = tmp_path / "event"

    typed = ["new", str(folder), "--players", str(listed), "--rounds", rounds, *more]
    done = CliRunner().invoke(main, typed)

    assert done.exit_code == 0, done.output
    assert ("create the event with --lookahead all" in done.output) == is_offered


def test_a_chess_tournament_ends_with_standings_and_not_with_a_cut(
    tmp_path: Path,
) -> None:
    folder = event(tmp_path / "event", sides=("white", "black"), points="1-0.5-0")
    change(folder, {"rounds": "1"})
    pair(folder)
    scored(folder, "1-0")
    browser = client(folder)
    for path, main_button in (
        ("/round", "Show final standings"),
        ("/standings", "Print final standings"),
    ):
        page = browser.get(path).text
        over = page[page.index('class="over"') :]
        (found,) = re.findall(r'<a class="button main"[^>]*>([^<]*)</a>', over)
        assert found == main_button
        assert "Print lists and prizes" in over
        assert "Write the report" in over
