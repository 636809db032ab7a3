"""The log: a line of data a step, in the names of its day."""

from __future__ import annotations

import csv
import json
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from pairopt.cli import main
from pairopt.errors import InputError
from pairopt.files.event_folder import LOG
from pairopt.folder import (
    back,
    bye,
    change,
    drop,
    edit,
    enter,
    enter_all,
    forbid,
    new,
    pair,
    rename,
    repair,
    result,
    table,
    undo,
)
from pairopt.folder.journal import Journal, LogLine, read_log_lines, read_step
from pairopt.folder.open_folder import read_folder_state
from pairopt.messages.interfaces import PAGE

COLUMNS = "step,time,who,verb,round,table,player1,player2,name1,name2,value,before"
LISTED = "player,name,rating\n1,Ann,2000\n2,Bo,1900\n3,Cy,1800\n4,Di,1700\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "list.csv").write_text(LISTED)
    how = {"model": "standard", "points": "3-1-0", "sides": (), "seed": 0, "rounds": 3}
    new(tmp_path / "event", tmp_path / "list.csv", **how)  # type: ignore[arg-type]
    return tmp_path / "event"


def last(folder: Path) -> dict[str, str]:
    """What the last line of the log has, as anybody reads it."""
    with (folder / LOG).open(newline="", encoding="utf-8") as file:
        row = [*csv.DictReader(file)][-1]
    return {name: row[name] for name in LogLine._fields[3:] if row[name]}


def pair_of(player: str, name: str, k: int = 1) -> dict[str, str]:
    return {f"player{k}": player, f"name{k}": name}


ANN, BO = pair_of("1", "Ann"), pair_of("2", "Bo", 2)
VERBS = {
    "enter": (
        lambda f: enter(f, "5", {"name": "Ed"}),
        {"verb": "enter", **pair_of("5", "Ed")},
    ),
    "drop": (lambda f: drop(f, "Ann"), {"verb": "drop", **ANN}),
    "back": (lambda f: (drop(f, "1"), back(f, "1")), {"verb": "back", **ANN}),
    "bye": (
        lambda f: bye(f, "Ann", round=2),
        {"verb": "bye", "round": "2", **ANN, "value": "0"},
    ),
    "forbid": (
        lambda f: forbid(f, "Ann", "Bo", rounds="2-3"),
        {"verb": "forbid", **ANN, **BO, "value": "2-3"},
    ),
    "table": (
        lambda f: (table(f, "Ann", 2), table(f, "Ann", 1)),
        {"verb": "table", **ANN, "value": "1", "before": "2"},
    ),
    "rename": (
        lambda f: rename(f, "Ann", "Ada"),
        {"verb": "edit", **ANN, "value": "name Ada (before: Ann)"},
    ),
    "edit": (
        lambda f: edit(f, "Bo", {"club": "Riga"}),
        {"verb": "edit", **pair_of("2", "Bo"), "value": "club Riga"},
    ),
    "set": (
        lambda f: change(f, {"title": "Open"}),
        {"verb": "set", "value": "title Open"},
    ),
    "pair": (pair, {"verb": "pair", "round": "1", "value": "standard, seed 0"}),
    "undo": (
        lambda f: (drop(f, "Ann"), undo(f)),
        {"verb": "undo", "value": "1", "before": "2"},
    ),
}


@pytest.mark.parametrize("verb", VERBS)
def test_a_step_is_a_line_of_data(folder: Path, verb: str) -> None:
    do, expected = VERBS[verb]
    do(folder)
    assert (folder / LOG).read_text().splitlines()[0] == COLUMNS
    assert last(folder) == expected


def test_who_came_of_a_list(folder: Path) -> None:
    (folder.parent / "more.csv").write_text("player\nEd\nFlo\n")
    enter_all(folder, seen_list(folder.parent / "more.csv"))
    assert last(folder) == {"verb": "enter", "value": "2"}


def seen_list(path: Path):  # type: ignore[no-untyped-def]
    from pairopt import read_event

    return read_event(path)


@pytest.mark.long
def test_a_result_keeps_the_names_and_the_sides_of_its_day(folder: Path) -> None:
    """Later names, a repair and an undo do not touch what the log and the page say of it."""
    pair(folder)
    row = read_folder_state(folder).event.matches_frame.iloc[0]
    one, two = str(row["player1"]), str(row["player2"])
    called = dict(
        zip(
            read_folder_state(folder).event.players,
            read_folder_state(folder).event.names,
            strict=True,
        )
    )
    result(folder, 1, "3-0")
    result(folder, 1, "0-3")
    line = read_log_lines(folder)[-1]
    assert (line.player1, line.player2, line.value, line.before) == (
        one,
        two,
        "0-3",
        "3-0",
    )
    rename(folder, one, "Zoe")
    drop(folder, str(read_folder_state(folder).event.matches_frame.iloc[1]["player1"]))
    repair(folder)
    (corrected,) = (
        step
        for step in Journal(folder).steps()
        if "before" in step.did.fields
        and step.verb == "result"
        and step.did.fields["before"]
    )
    said = f"{called[one]} 0-3 {called[two]} (before: 3-0)"
    assert PAGE.format_message(corrected.did) == f"Result of round 1, table 1: {said}"
    assert str(corrected.did) == f"result of round 1, table 1: {said}"


def test_who_took_a_step(folder: Path) -> None:
    drop(folder, "Ann")
    assert (
        CliRunner().invoke(main, ["drop", str(folder), "Ann", "--off"]).exit_code == 0
    )
    drop(folder, "Ann")
    who = [line.who for line in read_log_lines(folder)]
    assert who == ["python", "python", "command line", "python"]


def test_names_steer_no_terminal_and_end_no_line(folder: Path) -> None:
    rename(folder, "Ann", 'A\u202en,"n\u2028n')
    drop(folder, "1")
    assert len(read_log_lines(folder)) == 3
    assert "\u202e" not in (folder / LOG).read_text()


# ---------------------------------------------------------------------- steps that lie


def meta(**fields: object) -> dict[str, object]:
    step = {
        "number": 1,
        "verb": "new",
        "time": "t",
        "at": 1,
        "parent": 0,
        "event": "",
        "who": "",
    }
    return {**step, "did": {"kind": "step.found", "fields": {}}, **fields}


LIES = {
    "no kind": meta(did={"kind": "found", "fields": {}}),
    "another's file": meta(did={"kind": "../said.text", "fields": {}}),
    "a message of the terminal's": meta(
        did={"kind": "hand.taken", "fields": {"files": "a", "facts": "b", "number": 1}}
    ),
    "without its fields": meta(did={"kind": "step.drop", "fields": {}}),
    "fields that are none": meta(did={"kind": "step.found", "fields": [1]}),
    "a verb that is none": meta(verb=["drop"]),
    "somebody who is nobody": meta(who=None),
    "more": meta(more=1),
    "an old one without words": {
        k: v for k, v in meta().items() if k not in ("did", "who")
    },
}


@pytest.mark.parametrize("lie", LIES)
def test_a_step_that_says_nothing_is_damaged(tmp_path: Path, lie: str) -> None:
    path = tmp_path / ".pairopt" / "steps" / "0001.zip"
    path.parent.mkdir(parents=True)
    with zipfile.ZipFile(path, "w") as pack:
        pack.writestr("step.json", json.dumps(LIES[lie]))
    with pytest.raises(InputError, match="not contain an intact step"):
        read_step(path)


def test_the_columns_are_those_of_the_line() -> None:
    assert ",".join(LogLine._fields) == COLUMNS
