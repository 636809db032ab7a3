"""FIDE's checklist: each question has its answer, each command runs, each test is there."""

from __future__ import annotations

import re
from pathlib import Path

import checklist
import from_code
import pages
import pytest
from checklist import ANSWERS, ENDS, FAIL, NOT, PASS, QUESTIONS
from places import ROOT

ROWS = [*checklist.questions()]
OWN = {
    "numbers",
    "asks",
    "costs",
    "answer",
    "command",
    "shows",
    "exit",
    "test",
    "sources",
    "note",
}
SHOWN = [row for row in ROWS if "command" in row]


def test_each_question_is_answered_once() -> None:
    found = [number for row in ROWS for number in checklist.numbers(row)]
    assert sorted(found) == [*range(1, QUESTIONS + 1)]
    for row in ROWS:
        assert row.keys() <= OWN
        assert row["answer"] in ANSWERS
        assert re.fullmatch(rf"{ENDS}|\d+ %", row.get("costs", ENDS))
        assert row["sources"]
        assert {*row["sources"]} <= checklist.checklist()["sources"].keys()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["numbers"])
def test_what_passes_has_a_test_and_what_does_not_says_why(
    row: checklist.Question,
) -> None:
    if row["answer"] == PASS:
        path, _, name = row["test"].partition("::")
        text = pages.text(ROOT / "tests" / path)
        assert f"def {name}(" in text if name else "def test_" in text
    else:
        assert not row.keys() & {"command", "test"}
        assert row["answer"] == FAIL or "note" in row


@pytest.mark.long
def test_the_commands_run(
    weekly: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(weekly)
    for command in checklist.checklist()["prepare"]:
        assert pages.run_here(command, capsys)[0] == 0, command
    for row in SHOWN:
        code, text = pages.run_here(row["command"], capsys)
        assert code == row.get("exit", 0), (row["command"], text)
        assert row.get("shows", "") in text, (row["command"], text)


def test_the_commands_are_those_of_any_system() -> None:
    assert len(SHOWN) >= 30
    for row in SHOWN:
        assert re.fullmatch(r"pairopt(-fide)? [^'\\|<>;&$`]*", row["command"])


def test_the_page_has_them_all() -> None:
    page = from_code.filled(pages.page("checklist"))
    for row in ROWS:
        assert f" | {row['asks']} | " in page
        assert row.get("command", "") in page
    for answer in ANSWERS:
        own = [row for row in ROWS if row["answer"] == answer]
        assert f"| {answer} | {checklist.counted(own)} |" in page
    assert "second-hand" in page
    assert NOT in page


def test_the_sum_of_what_fails_is_stated() -> None:
    """By hand: each failing row's percentage once, whatever the number of its questions."""
    rows = [
        {"numbers": "1", "answer": FAIL, "costs": "25 %"},
        {"numbers": "2-4", "answer": FAIL, "costs": "7 %"},
        {"numbers": "5", "answer": FAIL, "costs": ENDS},
        {"numbers": "6", "answer": FAIL},
    ]
    assert checklist.lost(rows) == 32
    failing = [row for row in ROWS if row["answer"] == FAIL]
    assert f"{checklist.lost(failing)} % lost" in checklist.summary()
