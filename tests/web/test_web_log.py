"""The log, and the way back to any step."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest
from organiser import client, event, fields, said

from pairopt.folder.results import result
from pairopt.folder.roster import drop


@pytest.mark.long
def test_back_to_a_step_names_what_is_undone_and_asks(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", rounds=1)
    drop(folder, "A")
    page = client(folder)
    text = page.get("/log").text
    assert (
        text.index("A dropped") < text.index("Round 1 paired") < text.index("6 players")
    )
    form = fields(text, "/log/undo")
    asked = page.post("/log/undo", data={**form, "step": "1"}).text
    assert "Please confirm" in said(asked)
    assert "Undo: step 3, A dropped?" in said(asked)
    assert "Undo: step 2, Round 1 paired" in said(asked)
    assert len((folder / "matches.csv").read_text().splitlines()) == 4
    done = page.post(
        "/log/undo", data={**fields(asked, "/log/undo"), "sure": "yes"}
    ).text
    assert "Undone: step 2, Round 1 paired" in said(done)
    assert len((folder / "matches.csv").read_text().splitlines()) == 1


@pytest.mark.long
def test_a_part_for_each_round_with_one_way_back(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", rounds=3)
    page = client(folder)
    parts = page.get("/log").text.split('<section class="part">')[1:]
    heads = [re.search("<h2>(.*?)</h2>", part)[1] for part in parts]
    assert heads == ["Round 3", "Round 2", "Round 1", "Before round 1"]
    assert ["<details open>" in part for part in parts] == [True, False, False, False]
    way = re.compile(r'name="step" value="(\d+)">Go back (?:to the end|before)')
    ways = [way.findall(part) for part in parts]
    assert ways == [[], ["9"], ["5"], ["1"]]
    steps = [re.findall(r'<td class="number">(\d+)</td>', part) for part in parts]
    assert [int(each) for part in steps for each in part] == [*range(10, 0, -1)]
    for part, numbers in zip(parts[1:], steps[1:], strict=True):
        assert part.count(">Go back to here") == len(numbers)
    page.post(
        "/log/undo",
        data={**fields(page.get("/log").text, "/log/undo"), "step": "4", "sure": "yes"},
    )
    parts = page.get("/log").text.split('<section class="part">')[1:]
    heads = [re.search("<h2>(.*?)</h2>", part)[1] for part in parts]
    assert heads == ["Round 1", "Round 3", "Round 2", "Round 1", "Before round 1"]
    assert (
        "Go back to the end" not in parts[0] + parts[1]
    )  # what is undone leads nowhere


@pytest.mark.long
def test_many_changes_by_hand_are_folded(tmp_path: Path) -> None:
    folder = event(
        tmp_path / "event", [f"Somebody {k:02}" for k in range(30)], rounds=1
    )
    path = folder / "matches.csv"
    head, *rows = csv.reader(path.read_text().splitlines())
    one, two = head.index("score1"), head.index("score2")
    for number, row in enumerate(rows):
        row[one : two + 1] = ["3", "0"] if number < 15 else row[one : two + 1]
    path.write_text("\n".join(map(",".join, [head, *rows])) + "\n")
    drop(folder, "Somebody 07")
    text = client(folder).get("/log").text
    row = next(each for each in text.split("<tr ") if "by hand" in each)
    folded = re.search(
        r"<details><summary>(.*?)</summary>(.*?)</details>", row, re.DOTALL
    )
    assert folded is not None
    assert "Files edited by hand" in folded[1]
    assert "Somebody" not in folded[1]
    assert "Somebody 29" in folded[2]


@pytest.mark.parametrize("step", ["", "0", "9", "x", "-1", "1" * 50])
def test_a_step_that_is_not_there(tmp_path: Path, step: str) -> None:
    page = client(event(tmp_path / "event"))
    form = fields(page.get("/log").text, "/log/undo")
    answer = page.post("/log/undo", data={**form, "step": step, "sure": "yes"})
    assert answer.status_code == 422
    assert "Not saved" in said(answer.text)


@pytest.mark.long
def test_a_damaged_step_is_said_in_words(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", rounds=1)
    page = client(folder)
    form = fields(page.get("/results").text, "/results/score")
    (folder / ".pairopt" / "steps" / "0002.zip").write_bytes(b"PK")
    assert "table-1" in page.get("/results").text
    log = page.get("/log")
    assert log.status_code == 422
    assert "0002.zip: This file does not contain an intact step" in log.text
    sent = page.post("/results/score", data={**form, "table": "1", "score": "3-0"})
    assert sent.status_code == 422
    assert "0002.zip: This file does not contain an intact step" in sent.text


def test_undo_in_a_message_takes_back_nothing_of_somebody_else(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", rounds=1)
    page = client(folder)
    slip = {**fields(page.get("/results").text, "/results/slip"), "slip": "1 3-0"}
    shown = page.post("/results/slip", data=slip).text
    address = re.search(r'action="(/log/[^"]*then=[^"]*)"', shown)[1]
    undo_form = fields(shown, address.partition("?")[0] + "?")

    result(folder, "2", "0-3")
    refused = page.post(address, data=undo_form)
    assert refused.status_code == 409
    rows = list(csv.DictReader((folder / "matches.csv").open(encoding="utf-8")))
    assert [row["score1"] for row in rows][:2] == ["3", "0"]


def test_undo_in_a_message_takes_back_no_later_step_with_the_same_files(
    tmp_path: Path,
) -> None:
    """Somebody corrects the result and enters it again: the last step is not the page's."""
    folder = event(tmp_path / "event", rounds=1)
    page = client(folder)
    slip = {**fields(page.get("/results").text, "/results/slip"), "slip": "1 3-0"}
    shown = page.post("/results/slip", data=slip).text
    address = re.search(r'action="(/log/[^"]*then=[^"]*)"', shown)[1]
    undo_form = fields(shown, address.partition("?")[0] + "?")

    result(folder, "1", "0-3")
    result(folder, "1", "3-0")
    refused = page.post(address, data=undo_form)
    assert refused.status_code == 409
    assert "0-3" in said(refused.text)
    rows = list(csv.DictReader((folder / "matches.csv").open(encoding="utf-8")))
    assert rows[0]["score1"] == "3"


def test_undo_in_a_message_takes_back_its_step(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", rounds=1)
    page = client(folder)
    slip = {**fields(page.get("/results").text, "/results/slip"), "slip": "1 3-0"}
    shown = page.post("/results/slip", data=slip).text
    address = re.search(r'action="(/log/[^"]*then=[^"]*)"', shown)[1]
    undo_form = fields(shown, address.partition("?")[0] + "?")

    assert page.post(address, data=undo_form).status_code == 200
    rows = list(csv.DictReader((folder / "matches.csv").open(encoding="utf-8")))
    assert rows[0]["score1"] == ""
