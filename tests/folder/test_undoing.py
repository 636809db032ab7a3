"""Back to any step, and forward again."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from telling import said_by
from test_verbs import content, finish, made, run

from pairopt import InputError, UsageError
from pairopt.folder import undo
from pairopt.folder.journal import Journal, digest_files, trace_steps
from pairopt.folder.open_folder import read_folder_state
from pairopt.folder.pair_round import pair
from pairopt.folder.roster import drop, enter


def states(folder: Path) -> dict[int, dict[str, bytes]]:
    """An event of some steps: its files after each."""
    made(folder, "ABCD")
    found = {1: content(folder)}
    for number, verb in enumerate(
        [
            lambda: pair(folder),
            lambda: finish(folder),
            lambda: undo(folder, 2),
            lambda: enter(folder, "Eve"),
            lambda: drop(folder, "A"),
        ]
    ):
        verb()
        found[Journal(folder).steps()[-1].number] = content(folder)
        assert len(found) == number + 2
    return found


@pytest.mark.sweep
def test_to_any_step_and_back(tmp_path: Path) -> None:
    found = states(tmp_path / "event")
    folder = tmp_path / "event"
    for here in found:
        undo(folder, to=here)
        for there in found:
            told = undo(read_folder_state(folder), to=there)
            assert content(folder) == found[here]
            assert undo(folder, to=there) == told
            assert content(folder) == found[there]
            undo(folder, to=here)
            assert content(folder) == found[here]


@pytest.mark.long
def test_what_is_undone_and_done_again_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "event"
    states(folder)
    steps = Journal(folder).steps()
    results = [step.number for step in steps if step.verb == "result"]
    assert results == [3, 4]
    assert said_by(undo(folder, to=4)) == (
        "Undone: step 7, A dropped",
        "Undone: step 6, Eve entered",
        "Done again: step 3, result of round 1, table 1: A 3-0 B",
        "Done again: step 4, result of round 1, table 2: C 3-0 D",
    )
    assert [step.number for step in trace_steps(Journal(folder).steps())] == [
        4,
        3,
        2,
        1,
    ]
    assert undo(folder, to=4).step is None
    undo(folder)
    assert [step.number for step in trace_steps(Journal(folder).steps())] == [3, 2, 1]


@pytest.mark.long
def test_the_steps_since_a_state_that_an_undo_gave_back(tmp_path: Path) -> None:
    folder = made(tmp_path / "event", "ABCD")
    held = Journal(folder)
    first = digest_files(held.files())
    pair(folder)
    second = digest_files(held.files())
    undo(folder)  # step 3: the files are those of step 1

    def since(state: str) -> list[int]:
        return [step.number for step, _ in held.since(state)]

    assert since(first) == [3]
    enter(folder, "Eve")
    assert since(first) == [3, 4]
    assert since(second) == [2, 3, 4]
    assert since("another") == []


@pytest.mark.long
def test_what_was_edited_by_hand_is_not_lost(tmp_path: Path) -> None:
    folder = tmp_path / "event"
    found = states(folder)
    (folder / "event.toml").write_bytes(found[1]["event.toml"] + b"# by hand\n")
    edited = content(folder)
    told = undo(read_folder_state(folder), to=1)
    assert said_by(told)[0] == "Undone: step 8, files edited by hand: event.toml"
    assert said_by(undo(folder, to=1)) == said_by(told)
    assert content(folder) == found[1]
    by_hand = next(s for s in Journal(folder).steps() if s.verb == "edited by hand")
    undo(folder, to=by_hand.number)
    assert content(folder) == edited


@pytest.mark.long
@pytest.mark.parametrize("number", [0, 99, -1])
def test_no_such_step(tmp_path: Path, number: int) -> None:
    folder = tmp_path / "event"
    states(folder)
    before = content(folder)
    with pytest.raises(UsageError, match=f"no step {number}"):
        undo(folder, to=number)
    with pytest.raises(UsageError, match=f"no step {number}"):
        undo(read_folder_state(folder), to=number)
    assert content(folder) == before


@pytest.mark.long
def test_on_the_command_line(tmp_path: Path) -> None:
    folder = tmp_path / "event"
    found = states(folder)
    assert run("undo", folder, "--to", 2).exit_code == 0
    assert content(folder) == found[2]
    assert run("undo", folder, "--to", 99).exit_code == 2


META = {
    "number": 2,
    "verb": "drop",
    "what": "A",
    "time": "2026-01-01T10:00:00",
    "at": 2,
}


@pytest.mark.parametrize(
    "meta",
    [
        {**META, "parent": 2},  # on itself
        {**META, "parent": 3},
        {**META, "parent": -1},
        {**META, "parent": 1, "at": 0},
        {**META, "parent": 1, "at": 5},
        {**META, "parent": "1"},
        META,
        {**META, "parent": 1, "more": 1},
        [],
    ],
)
def test_a_step_that_is_none_is_said(tmp_path: Path, meta: object) -> None:
    folder = tmp_path / "event"
    made(folder, "ABCD")
    with zipfile.ZipFile(folder / ".pairopt" / "steps" / "0002.zip", "w") as pack:
        pack.writestr("step.json", json.dumps(meta))
        for name, raw in content(folder).items():
            pack.writestr(name, raw)
    with pytest.raises(
        InputError, match=r"0002\.zip: This file does not contain an intact step"
    ):
        trace_steps(Journal(folder).steps())
    answer = run("undo", folder)
    assert answer.exit_code == 3
    assert "not contain an intact step" in answer.stderr


@pytest.mark.parametrize(
    "change", [lambda raw: raw[:-40], lambda raw: raw[:60] + b"?" * 30 + raw[90:]]
)
def test_a_step_that_is_damaged_is_said(
    tmp_path: Path, change: Callable[[bytes], bytes]
) -> None:
    folder = tmp_path / "event"
    made(folder, "ABCD")
    path = folder / ".pairopt" / "steps" / "0001.zip"
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(
        InputError, match=r"0001\.zip: This file does not contain an intact step"
    ):
        Journal(folder).steps()


def test_a_copy_of_a_step_is_passed_over(tmp_path: Path) -> None:
    folder = tmp_path / "event"
    made(folder, "ABCD")
    steps = folder / ".pairopt" / "steps"
    shutil.copy(steps / "0001.zip", steps / "0001 (conflicted copy).zip")
    drop(folder, "A")
    assert [step.number for step in Journal(folder).steps()] == [1, 2]


def test_nothing_is_written_where_there_is_nothing_to_undo(tmp_path: Path) -> None:
    folder = made(tmp_path / "event")
    shutil.rmtree(folder / ".pairopt")
    (folder / "log.csv").unlink()
    for words, code in (([], 2), (["--to", "1"], 0), (["--to", "2"], 2)):
        assert run("undo", folder, *words).exit_code == code
        assert [path.name for path in folder.rglob("*.zip")] == []
        assert not (folder / "log.csv").exists()
