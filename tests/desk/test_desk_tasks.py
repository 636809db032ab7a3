"""The tasks of an organiser's desk: none is worse than in the committed table."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest
from judged import (
    AWKWARD,
    IMPOSSIBLE,
    WORKED,
    WORST_LAST,
    WRONG,
    Evening,
    ImpossibleError,
    Task,
    judge,
)
from organisers import Room
from run import RESULTS, evenings, lines

EVENINGS = evenings()
BY_SHELL = ("1", "43")
"""Tasks of a few commands, which need no others before them."""


def committed() -> dict[str, str]:
    """The judgement of each task in the table."""
    with RESULTS.open(encoding="utf-8", newline="") as file:
        return {row["number"]: row["judged"] for row in csv.DictReader(file)}


def tasks() -> list[tuple[Evening, Task]]:
    return [(evening, task) for evening in EVENINGS for task in evening.tasks]


def test_the_table_has_every_task_once_and_none_is_wrong() -> None:
    numbers = [task.number for _, task in tasks()]
    assert len({*numbers}) == len(numbers)
    found = committed()
    assert [*found] == numbers
    assert WRONG not in found.values()
    assert IMPOSSIBLE not in found.values()


@pytest.mark.parametrize("number", BY_SHELL)
def test_a_task_of_the_shell(number: str, tmp_path: Path) -> None:
    ((evening, task),) = (
        (each, task) for each, task in tasks() if task.number == number
    )
    with Room(tmp_path, None) as room:
        line = judge(task, evening.name, room)
    assert (line.judged, line.why) == (WORKED, "")
    assert line.keys > 10


def test_what_judges_a_task(tmp_path: Path) -> None:
    def impossible(room: Room) -> None:
        raise ImpossibleError("no such button")

    def wrong(room: Room) -> None:
        room.wish(False, "too far")
        assert not room.place, "another result"

    def broken(room: Room) -> None:
        room.rows("none.csv")

    plays = {
        WORKED: lambda room: room.wish(True, "too far"),
        AWKWARD: lambda room: room.wish(False, "too far"),
        IMPOSSIBLE: impossible,
        WRONG: wrong,
    }
    with Room(tmp_path, None) as room:
        for expected, play in plays.items():
            line = judge(Task("0", "a task", play), "an evening", room)
            assert line.judged == expected
            assert bool(line.why) == (expected != WORKED)
        assert judge(Task("0", "a task", broken), "an evening", room).judged == WRONG


@pytest.mark.slow
@pytest.mark.parametrize("evening", EVENINGS, ids=lambda each: each.name)
def test_no_task_is_worse_than_in_the_table(evening: Evening, chromium: Any) -> None:
    before = committed()
    found = [*lines(evening, chromium)]
    worse = [
        f"{line.number} {line.task}: {line.judged}, was {before[line.number]}: {line.why}"
        for line in found
        if WORST_LAST.index(line.judged) > WORST_LAST.index(before[line.number])
    ]
    assert not worse, "\n".join(worse)
