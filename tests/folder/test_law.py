"""The law of facts: what each verb may change of what is settled, whatever its own code does.

What a verb may is said here once more, by hand; each fact is changed in files that are whole.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path

import pytest
from organiser import client, event, fields, said
from places import ROOT
from telling import said_by
from test_verbs import change, content, made, run

from pairopt import UsageError
from pairopt.folder import bracket, edit, enter, pair, rename, repair, result, undo
from pairopt.folder import change as settings
from pairopt.folder.journal import Journal, open_journal
from pairopt.folder.protected_facts import (
    LAW,
    InvariantError,
    forbidden_changes,
    read_facts,
)
from pairopt.folder.roster import drop

Files = dict[str, bytes]
EDIT = Callable[[Files], Files]
ANYTHING = {"undo", "mend", "edited by hand"}


def other(name: str, old: str, new: str) -> EDIT:
    """A file with a text in place of another, once."""

    def edited(files: Files) -> Files:
        text = files[name].decode()
        assert text.count(old) == 1, (old, text)
        return {**files, name: text.replace(old, new).encode()}

    return edited


PLANTED: dict[str, tuple[EDIT, set[str]]] = {
    "a result is gone": (
        other("matches.csv", "\n1,1,A,B,white,3,0,", "\n1,1,A,B,white,,,"),
        {"result"},
    ),
    "a table is gone": (other("matches.csv", "\n1,1,A,B,white,3,0,", ""), {"result"}),
    "two results are gone": (
        other(
            "matches.csv",
            "1,1,A,B,white,3,0,\n1,2,C,D,white,1,1,",
            "1,1,A,B,white,,,\n1,2,C,D,white,,,",
        ),
        set(),
    ),
    "the sides are turned": (
        other("matches.csv", "1,1,A,B,white", "1,1,A,B,black"),
        {"result"},
    ),
    "the players are": (
        other("matches.csv", "1,1,A,B,white", "1,1,B,A,white"),
        {"result"},
    ),
    "two tables exchange opponents": (
        other(
            "matches.csv",
            "1,1,A,B,white,3,0,\n1,2,C,D,",
            "1,1,A,D,white,3,0,\n1,2,C,B,",
        ),
        {"result"},
    ),
    "one of them loses its result": (
        other(
            "matches.csv",
            "1,1,A,B,white,3,0,\n1,2,C,D,white,1,1,",
            "1,1,A,D,white,3,0,\n1,2,C,B,white,,,",
        ),
        set(),
    ),
    "somebody is at both": (
        other(
            "matches.csv",
            "1,1,A,B,white,3,0,\n1,2,C,D,",
            "1,1,A,D,white,3,0,\n1,2,C,A,",
        ),
        set(),
    ),
    "they exchange tables": (
        other(
            "matches.csv",
            "1,1,A,B,white,3,0,\n1,2,C,D,white",
            "1,2,A,B,white,3,0,\n1,1,C,D,white",
        ),
        set(),
    ),
    "other players": (other("matches.csv", "1,1,A,B,white", "1,1,A,F,white"), set()),
    "another table": (other("matches.csv", "1,1,A,B,white", "1,9,A,B,white"), set()),
    "a match of another round": (other("matches.csv", "2,2,C,A,", "3,2,C,A,"), set()),
    "a forfeit": (
        other("matches.csv", "1,1,A,B,white,3,0,", "1,1,A,B,white,3,0,forfeit"),
        {"result"},
    ),
    "another score": (
        other("matches.csv", "1,1,A,B,white,3,0,", "1,1,A,B,white,1,1,"),
        {"result"},
    ),
    "a new result": (
        other("matches.csv", "2,1,E,B,white,,,", "2,1,E,B,white,3,0,"),
        {"result", "new", "found"},
    ),
    "two results": (
        other(
            "matches.csv",
            "white,,,\n2,2,C,A,black,1,1,",
            "white,3,0,\n2,2,C,A,black,3,0,",
        ),
        set(),
    ),
    "a bye of a round before": (
        other("matches.csv", "1,,E,,,3,,bye", "1,,E,,,1,,bye"),
        {"bye"},
    ),
    "it is gone": (other("matches.csv", "\n1,,E,,,3,,bye", ""), {"remove"}),
    "it and what another brought": (
        lambda files: other("players.csv", "A,2", "A,")(
            other("matches.csv", "\n1,,E,,,3,,bye", "")(files)
        ),
        set(),
    ),
    "points of a missed round": (
        other("matches.csv", "\n2,1", "\n1,,F,,,1,,requested\n2,1"),
        {"new", "found", "pair", "repair", "bye"},
    ),
    "the bye of the open round": (
        other("matches.csv", "2,,D,,,3,,bye", "2,,D,,,0,,bye"),
        {*LAW},
    ),
    "brought points": (other("players.csv", "A,2", "A,3"), {"edit"}),
    "none are brought": (other("players.csv", "A,2", "A,"), {"edit", "remove"}),
    "points are brought": (
        other("players.csv", "B,", "B,1"),
        {"edit", "enter", "new", "found"},
    ),
    "a win is worth less": (other("event.toml", "win = 3", "win = 2"), {"set"}),
    "the worth is not said": (
        other("event.toml", "[points]\nwin = 3\ndraw = 1\nloss = 0\n", ""),
        {"set"},
    ),
    "a result of the cut": (other("bracket.csv", "B,2,0,", "B,0,2,"), {"result"}),
    "its players": (other("bracket.csv", "1,A,4,B,2,0,", "1,C,4,B,2,0,"), set()),
    "a name": (
        other("players.csv", "player,score", "player,points"),
        {"edit", "remove"},
    ),
    "words": (other("event.toml", 'title = "x"', 'title = "y"'), {*LAW}),
}
"""What is planted, and the verbs that may do it besides those that may do anything."""
WHOLE: Files = {
    "event.toml": b'title = "x"\nsides = ["white", "black"]\n'
    b"[points]\nwin = 3\ndraw = 1\nloss = 0\n",
    "players.csv": b"player,score\nA,2\nB,\nC,\nD,\nE,\nF,\n",
    "matches.csv": b"round,table,player1,player2,side1,score1,score2,status\n"
    b"1,1,A,B,white,3,0,\n1,2,C,D,white,1,1,\n1,,E,,,3,,bye\n"
    b"2,1,E,B,white,,,\n2,2,C,A,black,1,1,\n2,,D,,,3,,bye\n",
    "bracket.csv": b"match,bracket,round,seed1,player1,seed2,player2,score1,score2,status\n"
    b"B1,main,1,1,A,4,B,2,0,\nB2,main,1,2,C,3,D,,,\n",
}


@pytest.mark.parametrize("planted", PLANTED)
def test_each_verb_may_change_what_is_its_own(planted: str) -> None:
    edited, may = PLANTED[planted]
    before, after = read_facts(WHOLE), read_facts(edited(WHOLE))
    assert {verb for verb in LAW if not forbidden_changes(before, after, verb)} == (
        may | ANYTHING
    ) & {*LAW}


@pytest.mark.long
def test_every_verb_and_post_has_a_row() -> None:
    """Nothing is written but by a step, and the verbs of steps stand in the code as text."""
    found = {"undo"}  # the one that is not the first text
    for path in (ROOT / "pairopt" / "folder").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and called(node) in STEPS:
                texts = (
                    each.value for each in node.args if isinstance(each, ast.Constant)
                )
                found |= {*[text for text in texts if isinstance(text, str)][:1]}
    assert found == {*LAW}
    for path in (ROOT / "pairopt" / "web").rglob("*.py"):
        calls = (
            node
            for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, ast.Call)
        )
        assert not {*map(called, calls)} & {
            "commit",
            "committed",
            "put",
            "beside_step",
        }, path


STEPS = (
    "commit",
    "committed",
    "_commit_bracket",
    "_commit_with_groups",
    "_make_step",
)


def called(node: ast.Call) -> str:
    """The name of what is called."""
    return getattr(node.func, "attr", getattr(node.func, "id", ""))


@pytest.mark.parametrize(
    "planted", ["a result is gone", "the sides are turned", "another score"]
)
def test_nothing_is_written_that_a_verb_may_not(tmp_path: Path, planted: str) -> None:
    folder = tmp_path / "event"
    folder.mkdir()
    for name, text in WHOLE.items():
        (folder / name).write_bytes(text)
    drop(folder, "F")
    before, steps = content(folder), len(Journal(folder).steps())
    now = {name: (folder / name).read_bytes() for name in WHOLE}
    with (
        open_journal(folder) as held,
        pytest.raises(InvariantError, match="round 1, table 1: A") as error,
    ):
        held.commit("drop", "B", PLANTED[planted][0](now))
    assert "pairopt has written nothing" in str(error.value)
    assert content(folder) == before
    assert len(Journal(folder).steps()) == steps


# ---------------------------------------------------------------------- steps that say it


@pytest.mark.long
def test_what_somebodys_hand_changed_is_named_in_the_step(tmp_path: Path) -> None:
    folder = made(tmp_path / "event", "ABCD", points="3-1-0")
    pair(folder)
    result(folder, 1, "3-0")
    rename(folder, "A", "Ann")
    row = next(
        line
        for line in (folder / "matches.csv").read_text().splitlines()
        if "3,0" in line
    )
    one, two = ("Ann" if name == "A" else name for name in row.split(",")[2:4])
    change(folder / "matches.csv", f"\n{row}", "")
    notes = {note["kind"]: note for note in enter(folder, "Eve").to_dict()["said"]}
    taken = notes["hand.taken"]
    assert taken["facts"] == [f"round 1, table 1: {one} 3-0 {two} was removed"]
    assert (taken["number"], taken["files"]) == (4, "matches.csv")
    step = next(
        step for step in Journal(folder).steps() if step.verb == "edited by hand"
    )
    assert (
        str(step.did)
        == f"files edited by hand: matches.csv: round 1, table 1: {one} 3-0 {two} was removed"
    )
    assert f"{one} 3-0 {two} was removed" in (folder / "log.csv").read_text()
    assert "was removed" in said_by(undo(folder, 2))[1]
    assert f"\n{row}" in (folder / "matches.csv").read_text()


@pytest.mark.long
def test_of_many_facts_the_first_are_named(tmp_path: Path) -> None:
    names = [f"p{k:02d}" for k in range(60)]
    folder = event(tmp_path / "event", names, points="3-1-0", model="random", sides=())
    pair(folder, verify=False)
    text = (folder / "matches.csv").read_text()
    (folder / "matches.csv").write_text(text.replace(",,,,\n", ",,3,0,\n"))
    enter(folder, "Eve")
    (step,) = (
        step for step in Journal(folder).steps() if step.verb == "edited by hand"
    )
    assert str(step.did).count("is new") == 20
    assert str(step.did).endswith(" and 10 more")


@pytest.mark.long
def test_other_points_where_there_are_results_are_asked_for(tmp_path: Path) -> None:
    folder = event(tmp_path / "event", "ABCD", 1, points="3-1-0")
    settings(folder, {"points": "4-1-0"})  # nobody has a result
    result(folder, 1, "1-1")
    before = content(folder)
    with pytest.raises(
        UsageError,
        match="1 result has already been entered",
    ):
        settings(folder, {"points": "5-1-0"})
    assert run("set", folder, "points", "5-1-0").exit_code == 2
    assert content(folder) == before
    assert settings(folder, {"points.bye": "2"}).step is not None
    page = client(folder)
    form = {**fields(page.get("/settings").text, "/settings/change"), "points": "5-1-0"}
    asked = page.post("/settings/change", data=form)
    assert (
        "1 result has already been entered. Check that these results are still right if points becomes 5-1-0."
        in said(asked.text)
    )
    assert "--sure" not in said(asked.text)
    assert "win = 4" in (folder / "event.toml").read_text()
    page.post(
        "/settings/change",
        data={**fields(asked.text, "/settings/change"), "sure": "yes"},
    )
    assert "win = 5" in (folder / "event.toml").read_text()
    assert "with 1 result already entered" in str(Journal(folder).steps()[-1].did)
    assert run("set", folder, "points", "6-1-0", "--sure").exit_code == 0


@pytest.mark.long
def test_brought_points_and_the_cut(tmp_path: Path) -> None:
    folder = made(tmp_path / "event", "ABCD", points="3-1-0")
    enter(folder, "E", {"score": "4"})
    edit(folder, "C", {"score": "1"})
    edit(folder, "E", {"score": ""})
    drop(folder, "E")
    pair(folder)
    for table in (1, 2):
        result(folder, table, "3-0")
    bracket(folder, 4, by_lot=True)
    for match, score in (("B1", "2-0"), ("B2", "0-2"), ("B3", "1-0"), ("B3", "0-1")):
        assert result(folder, match, score).step is not None


# ---------------------------------------------------------------------- the smallest case


@pytest.mark.long
def test_the_smallest_repair_that_lost_results(tmp_path: Path) -> None:
    """Six players, one who does not come: their going turns the sides that would be drawn now."""
    folder = made(
        tmp_path / "event",
        [f"p{k}" for k in range(6)],
        model="fide-basic",
        seed=4,
        points="1-0.5-0",
        sides=("white", "black"),
    )
    pair(folder)
    result(folder, 2, "1-0")
    result(folder, 3, "1-0")
    drop(folder, "p0")
    before = (folder / "matches.csv").read_text().splitlines()
    done = repair(folder)
    after = (folder / "matches.csv").read_text().splitlines()
    assert before[2:] == ["1,2,p1,p3,white,1,0,", "1,3,p4,p2,white,1,0,"]
    assert after == [before[0], *before[2:], "1,,p5,,,1,,bye"]
    assert said_by(done)[2] == "1 table changes, 2 stay as published:"
    assert Journal(folder).steps()[-1].verb == "repair"


@pytest.mark.long
@pytest.mark.parametrize("again", [False, True])
def test_tables_with_results_that_leave_no_pairing_are_named(
    tmp_path: Path, again: bool
) -> None:
    """Who is left have met: one table with a result would do, and the one that is named does."""
    folder = made(tmp_path / "event", "ABCDEF", model="monrad", points="3-1-0")
    pair(folder)
    met = [
        line.split(",")[2:4]
        for line in (folder / "matches.csv").read_text().splitlines()[1:]
    ]
    for table in (1, 2, 3):
        result(folder, table, "3-0")
    one, two = met[0]
    pair(folder)
    rows = [
        line.split(",")
        for line in (folder / "matches.csv").read_text().splitlines()[4:]
    ]
    (table,) = (row[1] for row in rows if not {one, two} & {*row[2:4]})
    result(folder, table, "3-0")
    for row in rows:
        if row[1] != table:
            drop(folder, next(name for name in row[2:4] if name not in (one, two)))
    before = content(folder)
    done = repair(folder, again=again)
    assert done.step is None
    assert content(folder) == before
    assert done.result is not None
    named = str(done.result.conflicts[-1])
    players = next(row[2:4] for row in rows if row[1] == table)
    said = f"At least this kept table must also be re-paired: table {table}, {' 3-0 '.join(players)}"
    assert named.endswith(said)
    assert named in run("pair", folder, "--again").stderr
