"""The log, and the way back to any step."""

from __future__ import annotations

from pathlib import Path

import pytest
from organiser import client, event, fields, said

from pairopt.folder.roster import drop


def test_back_to_a_step_names_what_is_undone_and_asks(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", rounds=1)
    drop(folder, "A")
    page = client(folder)
    text = page.get("/log").text
    assert text.index("A is out") < text.index("Paired: round 1") < text.index("6 players")
    form = fields(text, "/log/undo")
    asked = page.post("/log/undo", data={**form, "step": "1"}).text
    assert "Sure?" in said(asked)
    assert "undone: step 3, A is out" in said(asked)
    assert "undone: step 2, Paired: round 1" in said(asked)
    assert len((folder / "matches.csv").read_text().splitlines()) == 4
    done = page.post("/log/undo", data={**fields(asked, "/log/undo"), "sure": "yes"}).text
    assert "undone: step 2, Paired: round 1" in said(done)
    assert len((folder / "matches.csv").read_text().splitlines()) == 1


@pytest.mark.parametrize("step", ["", "0", "9", "x", "-1", "1" * 50])
def test_a_step_that_is_not_there(tmp_path: Path, step: str) -> None:
    page = client(event(tmp_path / "event"))
    form = fields(page.get("/log").text, "/log/undo")
    answer = page.post("/log/undo", data={**form, "step": step, "sure": "yes"})
    assert answer.status_code == 422
    assert "Not done" in said(answer.text)


@pytest.mark.long
def test_a_damaged_step_is_said_in_words(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", rounds=1)
    page = client(folder)
    form = fields(page.get("/results").text, "/results/score")
    (folder / ".pairopt" / "steps" / "0002.zip").write_bytes(b"PK")
    assert "table-1" in page.get("/results").text
    log = page.get("/log")
    assert log.status_code == 422
    assert "0002.zip: no step of pairopt" in log.text
    sent = page.post("/results/score", data={**form, "table": "1", "score": "3-0"})
    assert sent.status_code == 422
    assert "0002.zip: no step of pairopt" in sent.text
