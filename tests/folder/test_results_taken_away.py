"""A result is taken away again: the files are as before it, and nothing else is another."""

from __future__ import annotations

from pathlib import Path

import pytest
from organiser import client, event, fields, said, scored
from telling import said_by
from test_verbs import content, run

from pairopt import InputError, UsageError, read_event
from pairopt.errors import ConfirmationError
from pairopt.folder import bracket, pair, result, undo
from pairopt.folder.journal import Journal
from pairopt.folder.open_folder import read_folder_state

SCORES = ("3-0", "1-1", "0-3", "3F-0F", "0F-0F")


def lines(folder: Path) -> list[list[str]]:
    """The log without its times."""
    every = [line.split(",") for line in (folder / "log.csv").read_text().splitlines()]
    return [line[:1] + line[2:] for line in every]


@pytest.mark.long
@pytest.mark.parametrize("score", SCORES)
def test_the_files_are_as_before_the_result(tmp_path: Path, score: str) -> None:
    folder = event(tmp_path / "event", rounds=2, points="3-1-0")
    result(folder, 1, "3-0")
    before = content(folder)
    result(folder, 2, score)
    whole = content(folder)
    assert run("result", folder, 2, "--off").exit_code == 0
    assert content(folder) == before
    assert said_by(undo(folder)) == (f"Undone: {Journal(folder).steps()[-2].label}",)
    assert content(folder) == whole
    undo(folder, to=Journal(folder).steps()[-2].number)
    assert content(folder) == before


def test_it_is_told_and_logged(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", rounds=1, points="3-1-0")
    desk = read_folder_state(folder)
    one, two = (
        desk.event.players[side[0]] for side in (desk.rows.first, desk.rows.second)
    )
    result(folder, 1, "3-0")
    done = run("result", folder, 1, "--clear")  # as other programs say it
    assert (
        done.stderr
        == f"Result of round 1, table 1 removed: {one} - {two} (before: 3-0)\n"
    )
    step = Journal(folder).steps()[-1]
    assert (
        str(step.did)
        == f"result of round 1, table 1 removed: {one} - {two} (before: 3-0)"
    )
    assert lines(folder)[-1] == [
        str(step.number),
        "command line",
        "result",
        "1",
        "1",
        one,
        two,
        one,
        two,
        "",
        "3-0",
    ]
    again = result(folder, 1, off=True)
    assert (again.step, said_by(again)) == (
        None,
        ("Table 1 of round 1 has no result yet. Nothing was changed.",),
    )
    with pytest.raises(UsageError, match="Round 1 has no table 9"):
        result(folder, 9, off=True)
    for words in ((), ("3-0", "--off")):
        assert run("result", folder, 1, *words).exit_code == 2


def test_not_where_a_round_is_paired_by_it(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", rounds=2, points="3-1-0")
    before = content(folder)
    with pytest.raises(UsageError, match="round 2 was paired with this result"):
        result(folder, 1, round=1, off=True)
    assert content(folder) == before
    result(folder, 1, "1-1", round=1)  # corrected it can be


@pytest.mark.long
def test_of_the_cut(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", "ABCD", rounds=1, points="3-1-0")
    scored(folder)
    bracket(folder, 4, by_lot=True)
    made = (folder / "bracket.csv").read_bytes()
    result(folder, "B1", "2-0")
    one = (folder / "bracket.csv").read_bytes()
    result(folder, "B2", "2-1")
    result(folder, "B3", "2-0")
    with pytest.raises(ConfirmationError, match="You would lose these results: B3 2-0"):
        result(folder, "B1", off=True)
    result(folder, "B3", off=True)
    result(folder, "B2", off=True)
    assert (folder / "bracket.csv").read_bytes() == one
    done = result(folder, "B1", off=True)
    assert (folder / "bracket.csv").read_bytes() == made
    assert "Result of match B1 removed: " in said_by(done)[0]
    assert "removed: A - B (before: 2-0)" in str(Journal(folder).steps()[-1].did)
    assert said_by(result(folder, "B1", off=True)) == (
        "Match B1 has no result to remove, so nothing has changed.",
    )
    assert said_by(result(folder, "B3", off=True)) == (
        "Match B3 has no result to remove, so nothing has changed.",
    )


@pytest.mark.long
def test_from_the_menu_of_its_row(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", rounds=2, points="3-1-0")
    before = content(folder)
    browser = client(folder)
    assert "Remove result" not in browser.get("/results").text, "nothing is played"
    assert "Remove result" not in browser.get("/results?round=1").text, (
        "round 2 is paired by it"
    )
    result(folder, 2, "3-0")
    page = browser.get("/results").text
    assert page.count("Remove result") == 1
    row = page[page.index('id="table-2"') :]
    asked = browser.post(
        "/results/score", data={**fields(row, "/results/score"), "off": "1"}
    )
    assert "(before: 3-0)" in said(asked.text)
    assert content(folder) != before, "it asks first"
    sure = browser.post(
        "/results/score", data={**fields(asked.text, "/results/score"), "sure": "1"}
    )
    assert sure.status_code < 400
    assert content(folder) == before
    old = {**fields(browser.get("/results?round=1").text, "/results/score"), "off": "1"}
    assert "round 2 was paired with this result" in said(
        browser.post("/results/score", data=old).text
    )


@pytest.mark.long
def test_and_the_round_can_be_paired_again(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", rounds=1, points="3-1-0")
    scored(folder)
    result(folder, 1, off=True)
    assert len(read_event(folder, unfinished=True).unscored) == 1
    with pytest.raises(InputError, match="Round 1 is not finished"):
        pair(folder)
    result(folder, 1, "1-1")
    assert pair(folder).step
