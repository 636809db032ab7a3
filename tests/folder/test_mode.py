"""FIDE mode: what breaks it is asked about and kept, what leaves it is asked about twice."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pandas as pd
import pytest
from against import against_fide
from click.testing import CliRunner, Result
from organiser import client, fields, said
from telling import said_by

from pairopt import UsageError, read_event, write_event
from pairopt.cli import main
from pairopt.errors import ConfirmationError
from pairopt.event.settings import SETTINGS, Mode, SettingDeclaration
from pairopt.event.source_info import BREACHES
from pairopt.folder import (
    bye,
    change,
    changed_by_hand,
    drop,
    edit,
    enter,
    exchange,
    forbid,
    mend,
    new,
    pair,
    preview,
    publish,
    repair,
    result,
    undo,
)
from pairopt.folder.commands import load_commands
from pairopt.folder.fide_mode import find_breaches, read_mode
from pairopt.folder.journal import Journal

Files = dict[str, bytes]
CHESS: dict[str, Any] = {
    "model": "fide-dutch",
    "sides": "white,black",
    "points": "1-0.5-0",
    "rounds": 7,
    "seed": 1,
}


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [*map(str, arguments)])


def open_of(path: Path, rounds: int = 0, **how: Any) -> Path:
    """An open of nine players, so many rounds paired, the last one not played yet."""
    listed = path.with_suffix(".csv")
    listed.write_text(
        "player,rating\n" + "".join(f"{p},{2500 - ord(p)}\n" for p in "ABCDEFGHI")
    )
    new(path, listed, **{**CHESS, **how})
    for number in range(rounds):
        pair(path)
        if number < rounds - 1:
            played(path)
    return path


def toml(folder: Path) -> dict[str, Any]:
    return tomllib.loads((folder / "event.toml").read_text())


def kinds(folder: Path) -> list[tuple[str, int]]:
    return [(each["kind"], each["round"]) for each in toml(folder).get("breaches", [])]


# ---------------------------------------------------------------------- declared


def test_each_setting_and_each_verb_says_what_it_does_to_the_mode() -> None:
    with pytest.raises(TypeError, match="mode"):
        SettingDeclaration("venue", "text", "The event", "Venue")  # type: ignore[call-arg]
    known = {*get_args(Mode)}
    assert {one.mode for one in SETTINGS.values()} <= known
    assert {
        verb.name: verb.mode
        for verb in load_commands().values()
        if verb.mode not in known
    } == {}


def test_each_kind_is_told_and_what_asks_is_in_the_report() -> None:
    from pairopt.event.source_info import FideModeBreach

    for kind, known in BREACHES.items():
        one = FideModeBreach(kind, 3, "what é\n999", "7", "9")
        assert str(one.said) != kind
        assert bool(one.line) == bool(known["line"]) >= bool(known["asks"])
        assert one.line.isascii()
        assert "\n" not in one.line
        assert not one.line or one.line.startswith("### ")


# ---------------------------------------------------------------------- the law, over files


def other(name: str, old: str, new: str) -> Callable[[Files], Files]:
    def edited(files: Files) -> Files:
        text = files[name].decode()
        assert text.count(old) == 1, (old, text)
        return {**files, name: text.replace(old, new).encode()}

    return edited


RULES = """fide = true
model = "fide-dutch"
sides = ["white", "black"]
rounds = 7
tie_breaks = ["buchholz"]
forbid = [["A", "D"]]
[points]
win = 1
draw = 0.5
loss = 0
bye = 1
requested_bye = 0
"""
START: Files = {
    "event.toml": RULES.encode(),
    "players.csv": b"player,start,virtual\nA,1,1\nB,2,\nC,3,\nD,4,\nE,5,\n",
}
HEAD = "round,table,player1,player2,side1,score1,score2,status\n"
MIDDLE: Files = {
    **START,
    "matches.csv": (
        HEAD + "1,1,A,C,white,1,0,\n1,2,D,B,white,0,1,\n1,,E,,,1,,bye\n"
        "2,1,B,A,white,0,1,\n2,2,C,E,white,1,0,\n2,,D,,,1,,bye\n"
        "3,1,A,E,white,,,\n3,2,B,C,black,,,\n3,,D,,,0.5,,requested\n"
    ).encode(),
}
TOML, PLAYERS, MATCHES = "event.toml", "players.csv", "matches.csv"
BROKEN: dict[str, tuple[Callable[[Files], Files], list[str], list[str]]] = {
    "the mode": (
        other(TOML, "fide = true", "fide = false"),
        ["mode.asked"],
        ["mode.asked"],
    ),
    "another model": (
        other(TOML, "fide-dutch", "monrad"),
        ["mode.setting"],
        ["mode.setting"],
    ),
    "another system": (
        other(TOML, "fide-dutch", "fide-burstein"),
        [],
        ["mode.setting"],
    ),
    "other sides": (
        other(TOML, '["white", "black"]', '["corp", "runner"]'),
        ["mode.setting"],
        ["mode.setting"],
    ),
    "rounds": (other(TOML, "rounds = 7", "rounds = 9"), [], ["mode.rounds"]),
    "tie-breaks": (other(TOML, '["buchholz"]', '["wins"]'), [], ["mode.tie_breaks"]),
    "another pair": (other(TOML, '["A", "D"]', '["A", "E"]'), [], ["mode.prohibition"]),
    "no pair": (other(TOML, '[["A", "D"]]', "[]"), [], ["mode.prohibition"]),
    "other points": (
        other(TOML, "win = 1", "win = 3"),
        ["mode.setting"],
        ["mode.setting"] * 2,
    ),
    "two draws for more than a win": (
        other(TOML, "draw = 0.5", "draw = 0.75"),
        ["mode.setting"],
        ["mode.setting"],
    ),
    "a bye for two points": (
        other(TOML, "\nbye = 1", "\nbye = 2"),
        ["mode.setting"],
        ["mode.setting"],
    ),
    "a bye for 0.3": (
        other(TOML, "\nbye = 1", "\nbye = 0.3"),
        ["mode.setting"],
        ["mode.setting"],
    ),
    "a bye for a half": (other(TOML, "\nbye = 1", "\nbye = 0.5"), [], ["mode.setting"]),
    "no bye": (other(TOML, "\nbye = 1", "\nbye = 0"), [], ["mode.setting"]),
    "all byes asked for are wins": (
        other(TOML, "requested_bye = 0", "requested_bye = 1"),
        ["mode.setting"],
        ["mode.setting"],
    ),
    "best of three": (
        other(TOML, "rounds = 7", "rounds = 7\nbest_of = 3"),
        ["mode.setting"],
        ["mode.setting"],
    ),
    "a title": (other(TOML, "rounds = 7", 'rounds = 7\ntitle = "x"'), [], []),
    "a table": (other(TOML, "rounds = 7", "rounds = 7\nfirst_table = 5"), [], []),
    "virtual points": (other(PLAYERS, "A,1,1", "A,1,"), [], ["mode.setting"]),
    "somebody new": (other(PLAYERS, "E,5,", "E,5,\nF,6,1"), [], []),
}
"""What is changed, and the kinds of breaches before round 1 and after it."""
PLAYED: dict[str, tuple[Callable[[Files], Files], list[str]]] = {
    "a result": (other(MATCHES, "3,1,A,E,white,,,", "3,1,A,E,white,1,0,"), []),
    "a result of the round before": (
        other(MATCHES, "2,1,B,A,white,0,1,", "2,1,B,A,white,1,0,"),
        ["mode.correction"],
    ),
    "its bye": (other(MATCHES, "2,,D,,,1,,bye", "2,,D,,,0,,bye"), ["mode.correction"]),
    "its sides": (
        other(MATCHES, "2,1,B,A,white", "2,1,B,A,black"),
        ["mode.correction"],
    ),
    "an older one": (
        other(MATCHES, "1,1,A,C,white,1,0,", "1,1,A,C,white,0,1,"),
        ["mode.older"],
    ),
    "an older one is gone": (
        other(MATCHES, "1,1,A,C,white,1,0,\n", ""),
        ["mode.older"],
    ),
    "a half-point bye": (other(MATCHES, "3,,D", "4,,E,,,0.5,,requested\n3,,D"), []),
    "a full-point bye": (
        other(MATCHES, "3,,D", "4,,E,,,1,,requested\n3,,D"),
        ["mode.fpb"],
    ),
    "other pairs": (
        other(MATCHES, "3,1,A,E,white,,,\n3,2,B,C", "3,1,B,E,white,,,\n3,2,A,C"),
        ["mode.hand"],
    ),
    "other sides": (other(MATCHES, "3,2,B,C,black", "3,2,B,C,white"), ["mode.hand"]),
    "other tables": (other(MATCHES, "3,2,B", "3,7,B"), []),
    "a round by hand": (
        other(MATCHES, "3,,D", "4,1,A,D,white,,,\n3,,D"),
        ["mode.hand"],
    ),
}


@pytest.mark.parametrize("planted", BROKEN)
def test_settings_that_break_it(planted: str) -> None:
    edited, before, after = BROKEN[planted]
    assert [each.kind for each in find_breaches(START, edited(START))] == before
    assert [each.kind for each in find_breaches(MIDDLE, edited(MIDDLE))] == after
    outside = other(TOML, "fide = true", "fide = false")(MIDDLE)
    assert planted == "the mode" or find_breaches(outside, edited(outside)) == ()


@pytest.mark.parametrize("planted", PLAYED)
def test_rounds_that_break_it(planted: str) -> None:
    edited, kinds = PLAYED[planted]
    assert [each.kind for each in find_breaches(MIDDLE, edited(MIDDLE))] == kinds


def test_what_cannot_be_read_says_nothing() -> None:
    for content in (
        b"\xff",
        b"fide =",
        b"breaches = 3\nfide = true",
        b"[points]\nwin = []",
        b"",
    ):
        files = {**START, TOML: content}
        assert read_mode(files).fide is None
        assert find_breaches(files, START) == ()


# ---------------------------------------------------------------------- by the verbs


@pytest.mark.long
def test_leaving_it_is_warned_of_twice_and_final(tmp_path: Path) -> None:
    folder = open_of(tmp_path / "open", 1)
    before = (folder / "event.toml").read_bytes()
    first = run("set", folder, "model", "standard")
    second = run("set", folder, "model", "standard", "--against-fide")
    assert (first.exit_code, second.exit_code) == (2, 2)
    assert (
        "FIDE's rules do not allow this change, and FIDE mode would end for this event. To make the change nevertheless, add --against-fide."
        in first.stderr
    )
    assert "This change ends FIDE mode permanently" in second.stderr
    for each in (first, second):
        assert (
            "The setting model was changed after round 1: standard (before: fide-dutch)."
            in each.stderr
        )
    assert (folder / "event.toml").read_bytes() == before
    twice = ("--against-fide", "--against-fide")
    assert run("set", folder, "model", "standard", *twice).exit_code == 0
    assert toml(folder)["fide"] is False
    assert run("set", folder, "model", "fide-dutch", *twice).exit_code == 0
    assert toml(folder)["fide"] is False
    back = run("set", folder, "fide", "true", *twice)
    assert back.exit_code == 2
    assert "FIDE mode ended after round 1. The setting model was changed" in back.stderr
    assert run("set", folder, "fide", "--off").exit_code == 0
    assert toml(folder)["fide"] is False
    text = (folder / "event.toml").read_text().replace("fide = false", "fide = true")
    (folder / "event.toml").write_text(text)
    mend(folder)
    enter(folder, "Zoe")
    assert toml(folder)["fide"] is False
    assert kinds(folder) == [("mode.setting", 1)]
    assert "FIDE mode is left" in (folder / "log.csv").read_text()


@pytest.mark.long
def test_an_undo_takes_it_back_until_the_next_round_is_paired(tmp_path: Path) -> None:
    folder = open_of(tmp_path / "open", 1)
    with against_fide(2):
        change(folder, {"tie_breaks": "wins"})
    assert toml(folder)["fide"] is False
    undo(folder)
    assert toml(folder)["fide"] is True
    assert kinds(folder) == []
    with against_fide(2):
        forbid(folder, "A", "B")
    played(folder)
    pair(folder)
    steps = len(Journal(folder).steps())
    for _ in range(3):  # a second try finds the round that was undone
        undo(folder, to=2)
        assert toml(folder)["fide"] is False
        assert ("mode.prohibition", 1) in kinds(folder)
        undo(folder, to=steps)
    assert toml(folder)["fide"] is False


def played(folder: Path) -> None:
    rows = pd.read_csv(folder / "matches.csv", dtype=str, keep_default_na=False)
    for table in rows.loc[(rows["player2"] != "") & (rows["score1"] == ""), "table"]:
        result(folder, int(table), "1-0")


@pytest.mark.long
def test_what_is_only_kept_is_asked_for_once(tmp_path: Path) -> None:
    folder = open_of(tmp_path / "open", 2)
    for verb in (
        lambda: bye(folder, "A", round=3, points="1"),
        lambda: result(folder, 1, "0-1", round=1),
    ):
        with pytest.raises(
            ConfirmationError, match="the event's report will name the change"
        ):
            verb()
        with against_fide():
            told = said_by(verb())
        assert any(line.startswith("FIDE mode: ") for line in told)
    assert toml(folder)["fide"] is True
    assert kinds(folder) == [("mode.fpb", 3), ("mode.correction", 1)]
    write_event(read_event(folder, unfinished=True), tmp_path / "open.trf")
    remarks = [
        line
        for line in (tmp_path / "open.trf").read_text().splitlines()
        if line.startswith("###")
    ]
    assert remarks[0] == "### FPB @ Round 3: 1=FPB"
    assert remarks[1].startswith("### Correction @ Round 1: ")
    assert remarks[1].endswith("1-0 => 0-1")
    again = read_event(tmp_path / "open.trf", unfinished=True)
    assert [
        line for line in again.origin.facts["trf"] if line.startswith("###")
    ] == remarks
    undo(folder)
    assert kinds(folder) == [("mode.fpb", 3)]


@pytest.mark.long
def test_an_organiser_is_asked_nothing_needlessly(tmp_path: Path) -> None:
    folder = open_of(tmp_path / "open", fide=None)
    forbid(folder, "A", "B")
    change(folder, {"rounds": "5", "tie_breaks": "buchholz", "title": "Spring"})
    pair(folder)
    enter(folder, "Zoe", {"rating": "1900"})
    drop(folder, "C")
    played(folder)
    result(folder, 1, "0-1")
    bye(folder, "D", points="0.5")
    edit(folder, "E", {"club": "Riga"}, sure=True)
    publish(folder, preview(folder).result.pairs)
    played(folder)
    assert toml(folder)["fide"] is True
    assert kinds(folder) == []


# ---------------------------------------------------------------------- by hand


def swapped(folder: Path) -> None:
    """The first two players of the first two open tables exchange their places."""
    rows = pd.read_csv(folder / "matches.csv", dtype=str, keep_default_na=False)
    one, two = rows.index[(rows["player2"] != "") & (rows["score1"] == "")][:2]
    rows.loc[[one, two], "player1"] = [*rows.loc[[two, one], "player1"]]
    rows.to_csv(folder / "matches.csv", index=False)


@pytest.mark.long
def test_a_round_by_hand_begins_ends_and_is_compared(tmp_path: Path) -> None:
    folder = open_of(tmp_path / "open", 1)
    with pytest.raises(UsageError, match="No round is being changed by hand"):
        changed_by_hand(folder, off=True)
    begun = run("pair", folder, "--by-hand")
    assert begun.exit_code == 0
    assert begun.stderr.count("is being changed by hand") == 1
    assert run("pair", folder, "--by-hand").exit_code == 2
    swapped(folder)
    held = run("pair", folder)
    assert held.exit_code == 2
    assert f"pairopt pair {folder} --by-hand --done" in held.stderr
    asked = run("pair", folder, "--by-hand", "--done")
    assert asked.exit_code == 2
    assert "Round 1 is not paired as FIDE's rules pair it" in asked.stderr
    done = run("pair", folder, "--by-hand", "--done", "--against-fide")
    assert done.exit_code == 0, done.stderr
    assert done.stderr.count("is not paired as FIDE's rules pair it") == 1
    assert kinds(folder) == [("mode.by_hand", 1), ("mode.mpa", 1)]
    write_event(read_event(folder, unfinished=True), tmp_path / "open.trf")
    text = (tmp_path / "open.trf").read_text()
    assert text.count("### ") == 1
    assert "### MPA @ Round 1: " in text
    assert " => " in text
    played(folder)
    one, two = (tmp_path / name for name in ("one.trf", "two.trf"))
    write_event(read_event(folder), one)
    write_event(read_event(one), two)
    assert one.read_text() == two.read_text()
    assert pair(folder).step
    assert toml(folder)["fide"] is True


@pytest.mark.long
def test_a_round_by_hand_without_a_change_leaves_no_mark(tmp_path: Path) -> None:
    folder = open_of(tmp_path / "open", 1)
    before = toml(folder)
    changed_by_hand(folder)
    assert kinds(folder) == [("mode.by_hand", 1)]
    assert said_by(changed_by_hand(folder, off=True)) == (
        "Round 1 has the same pairs as before you changed it by hand, so pairopt records no change.",
    )
    assert toml(folder) == before
    write_event(read_event(folder, unfinished=True), tmp_path / "open.trf")
    assert "### " not in (tmp_path / "open.trf").read_text()

    # There and back is no change either; a result meanwhile is none.
    rows = pd.read_csv(folder / "matches.csv", dtype=str, keep_default_na=False)
    two = [*rows.loc[rows["player2"] != "", "player1"][:2]]
    changed_by_hand(folder)
    exchange(folder, two, sure=True)
    exchange(folder, two, sure=True)
    result(folder, 1, "1-0")
    changed_by_hand(folder, off=True)
    assert kinds(folder) == []
    assert toml(folder)["fide"] is True

    changed_by_hand(folder)
    swapped(folder)
    with against_fide():
        changed_by_hand(folder, off=True)
    assert [kind for kind, _ in kinds(folder)] == ["mode.by_hand", "mode.mpa"]


def test_outside_fide_mode_a_change_by_hand_says_nothing_of_fide(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "club"
    (tmp_path / "club.csv").write_text("player\nAda\nBob\nCy\nDan\n")
    new(folder, tmp_path / "club.csv", seed=1)
    pair(folder)
    for table in (1, 2):
        result(folder, table, "3-0")
    pair(folder)
    settings = toml(folder)

    began = run("pair", folder, "--by-hand")
    assert began.exit_code == 0
    assert "FIDE" not in began.output
    swapped(folder)
    ended = run("pair", folder, "--by-hand", "--done")
    assert ended.exit_code == 0, ended.stderr
    assert "Round 2 is not paired as the event's rules pair it" in ended.output
    assert "FIDE" not in ended.output
    assert toml(folder) == settings

    changed_by_hand(folder)
    swapped(folder)
    assert said_by(changed_by_hand(folder, off=True)) == (
        "Round 2 is paired exactly as the event's rules pair it.",
    )


@pytest.mark.long
def test_a_preview_says_what_fide_mode_will_ask(tmp_path: Path) -> None:
    """Two start numbers are exchanged after the round was paired: the tables stay all the same."""
    folder = open_of(tmp_path / "open", 1)
    with pytest.raises(ConfirmationError, match="no longer follow the ratings"):
        edit(folder, "A", {"start": "4"})
    edit(folder, "A", {"start": "4"}, sure=True)
    shown = run("pair", folder, "--again", "--preview")
    assert shown.exit_code == 0
    assert "add --against-fide" in shown.stderr
    asked = run("pair", folder, "--again")
    assert asked.exit_code == 2
    (line,) = [
        line for line in asked.stderr.splitlines() if line.startswith("Round 1 is not")
    ]
    assert line in shown.stderr.splitlines()
    assert run("pair", folder, "--again", "--against-fide").exit_code == 0


@pytest.mark.long
def test_files_changed_without_that_are_kept_so(tmp_path: Path) -> None:
    folder = open_of(tmp_path / "open", 1)
    swapped(folder)
    told = said_by(enter(folder, "Zoe"))
    assert any("was changed by hand" in line for line in told)
    assert kinds(folder) == [("mode.hand", 1)]
    text = (folder / "event.toml").read_text()
    (folder / "event.toml").write_text(text.replace('"fide-dutch"', '"standard"'))
    enter(folder, "Yan")
    assert toml(folder)["fide"] is False
    assert kinds(folder) == [("mode.hand", 1), ("mode.setting", 1)]


@pytest.mark.long
def test_what_is_paired_otherwise_is_compared_at_once(tmp_path: Path) -> None:
    folder = open_of(tmp_path / "open")
    with pytest.raises(
        ConfirmationError, match="Round 1 is not paired as FIDE's rules pair it"
    ):
        pair(folder, force=[("A", "B")])
    with pytest.raises(
        ConfirmationError, match="Round 1 is not paired as FIDE's rules pair it"
    ):
        pair(folder, model="standard")
    shown = preview(folder, force=[("A", "B")]).result.pairs
    with pytest.raises(
        ConfirmationError, match="Round 1 is not paired as FIDE's rules pair it"
    ):
        publish(folder, shown)
    best = preview(folder).result.pairs
    pair(folder, force=[best[0]])
    assert kinds(folder) == []
    undo(folder)
    with against_fide():
        publish(folder, shown)
    assert kinds(folder) == [("mode.mpa", 1)]
    with against_fide():
        repair(folder, again=True, force=[("A", "C")])
    assert kinds(folder) == [("mode.mpa", 1)] * 2


# ---------------------------------------------------------------------- founded, imported, old


@pytest.mark.long
def test_imported_rounds_are_paired_once_more(tmp_path: Path) -> None:
    folder = open_of(tmp_path / "open", 1)
    played(folder)
    write_event(read_event(folder), tmp_path / "right.trf")
    with against_fide():
        undo(folder, 4)
        changed_by_hand(folder)
        swapped(folder)
        changed_by_hand(folder, off=True)
        played(folder)
    write_event(read_event(folder), tmp_path / "other.trf")
    right = said_by(new(tmp_path / "right", tmp_path / "right.trf"))
    assert "FIDE mode: on" in right
    assert kinds(tmp_path / "right") == []
    other = said_by(new(tmp_path / "other", tmp_path / "other.trf"))
    assert any(
        line.startswith("Round 1 of the imported file is not paired as FIDE's")
        for line in other
    )
    assert kinds(tmp_path / "other") == [("mode.import", 1)]


@pytest.mark.parametrize(
    ("how", "fide"),
    [
        ({}, True),
        ({"points": "3-1-0"}, True),
        ({"points": "1-1-0"}, None),
        ({"points": "2-1-0"}, True),
        ({"sides": "corp,runner"}, False),
        ({"model": "standard"}, None),
        ({"fide": False}, False),
        ({"model": "fide-burstein"}, True),
    ],
)
def test_what_a_new_event_is_in(
    tmp_path: Path, how: dict[str, Any], fide: bool | None
) -> None:
    if how.get("points") == "1-1-0":
        with pytest.raises(UsageError, match="these settings: points"):
            open_of(tmp_path / "open", fide=True, **how)
        return
    folder = open_of(tmp_path / "open", **how)
    assert read_event(folder).settings.fide is fide


@pytest.mark.long
def test_a_folder_of_before_stays_what_it_was_and_is_told_once(tmp_path: Path) -> None:
    folder = open_of(tmp_path / "open", 1)
    text = (folder / "event.toml").read_text().replace("fide = true\n", "")
    (folder / "event.toml").write_text(text)
    for path in sorted((folder / ".pairopt" / "steps").glob("*.zip")):
        path.unlink()
    (folder / "log.csv").unlink()
    read_event(folder, unfinished=True)
    assert (folder / "event.toml").read_text() == text
    change(folder, {"tie_breaks": "wins"})
    played(folder)
    assert (
        sum("older than the FIDE mode" in line for line in said_by(pair(folder))) == 1
    )
    played(folder)
    assert not [
        line for line in said_by(pair(folder)) if "older than the FIDE mode" in line
    ]
    assert toml(folder)["fide"] is False


# ---------------------------------------------------------------------- on the page


@pytest.mark.long
def test_the_page_asks_in_two_steps_and_has_one_mark(tmp_path: Path) -> None:
    folder = open_of(tmp_path / "open", 1)
    page = client(folder)
    assert 'class="mode"' not in page.get("/players").text
    form = {
        **fields(page.get("/settings").text, "/settings/change"),
        "model": "standard",
    }
    first = page.post("/settings/change", data=form)
    assert (
        "FIDE's rules do not allow this change. If you confirm the change, FIDE mode ends for this event."
        in said(first.text)
    )
    again = {**fields(first.text, "/settings/change"), "sure": "yes"}
    second = page.post("/settings/change", data=again)
    assert "This change ends FIDE mode permanently" in said(second.text)
    assert toml(folder)["fide"] is True
    page.post(
        "/settings/change",
        data={**fields(second.text, "/settings/change"), "sure": "yes"},
    )
    assert toml(folder)["fide"] is False
    for view in (
        "/players",
        "/round",
        "/standings",
        "/settings",
        "/log",
        "/hall",
        "/files",
    ):
        text = page.get(view).text
        assert text.count('class="mode"') == 1
        assert "Not in FIDE mode since round 1" in text
        assert (
            "The setting model was changed after round 1: standard (before: fide-dutch)."
            in text
        )


@pytest.mark.long
def test_a_correction_is_one_question_with_what_it_changes(tmp_path: Path) -> None:
    folder = open_of(tmp_path / "open", 2)
    page = client(folder)
    sent = {"round": "1", "table": "1", "score": "0-1"}
    form = {**fields(page.get("/results?round=1").text, "/results/score"), **sent}
    first = page.post("/results/score?round=1", data=form)
    for words in (
        "is 1-0, was",
        "FIDE mode: A result was corrected after the next round was paired",
        "round 2",
    ):
        assert words.replace("is 1-0, was", "0-1") in said(first.text), said(first.text)
    assert kinds(folder) == []
    again = {**fields(first.text, "/results/score"), "sure": "yes"}
    done = page.post("/results/score?round=1", data=again, follow_redirects=False)
    assert done.status_code == 303, said(done.text)
    assert kinds(folder) == [("mode.correction", 1)]


@pytest.mark.long
def test_an_older_result_is_two_questions_and_no_third(tmp_path: Path) -> None:
    folder = open_of(tmp_path / "open", 3)
    page = client(folder)
    sent = {"round": "1", "table": "1", "score": "0-1"}
    form = {**fields(page.get("/results?round=1").text, "/results/score"), **sent}
    for words in (
        "FIDE mode has ended: After two more rounds were paired, a result of an earlier round was changed",
        "This change ends FIDE mode permanently",
    ):
        asked = page.post("/results/score?round=1", data=form)
        assert words in said(asked.text)
        assert toml(folder)["fide"] is True
        form = {**fields(asked.text, "/results/score"), "sure": "yes"}
    done = page.post("/results/score?round=1", data=form, follow_redirects=False)
    assert done.status_code == 303
    assert toml(folder)["fide"] is False


@pytest.mark.long
def test_an_edit_by_hand_is_told_before_any_step(tmp_path: Path) -> None:
    folder = open_of(tmp_path / "open", 2)
    page = client(folder)
    swapped(folder)
    text = (folder / "event.toml").read_text()
    (folder / "event.toml").write_text(text.replace('"fide-dutch"', '"standard"'))
    seen = page.get("/players").text
    assert "FIDE mode: Round 2 was changed by hand" in seen
    assert (
        "FIDE mode has ended: The setting model was changed after round 2: standard (before: fide-dutch)."
        in seen
    )
    told = said_by(enter(folder, "Yan"))
    assert sum("Round 2 was changed by hand" in line for line in told) == 1


def seats(folder: Path, number: int) -> list[tuple[str, str]]:
    rows = pd.read_csv(folder / "matches.csv", dtype=str, keep_default_na=False)
    here = rows.loc[(rows["round"] == str(number)) & (rows["status"] != "requested")]
    return [*zip(here["player1"], here["player2"], strict=True)]


@pytest.mark.long
def test_players_change_places_in_the_phase_alone(tmp_path: Path) -> None:
    folder = open_of(tmp_path / "open", 2)
    before = seats(folder, 2)
    (one, two), (three, _), *_, (alone, nobody) = before
    assert nobody == ""
    with pytest.raises(UsageError, match="No round is being changed by hand"):
        exchange(folder, [one, three])
    changed_by_hand(folder)
    with pytest.raises(UsageError, match="choose two different players of this round"):
        exchange(folder, [one, one])
    with pytest.raises(UsageError, match="choose two different players of this round"):
        exchange(folder, [one])
    exchange(folder, [one, three], sure=True)
    assert seats(folder, 2)[:2] == [(three, two), (one, before[1][1])]
    exchange(folder, [three, one], sure=True)
    assert seats(folder, 2) == before
    with pytest.raises(
        ConfirmationError, match=r"\(5\.2"
    ):  # both get the other side than due
        exchange(folder, [one, two])
    exchange(folder, [one, two], sure=True)
    assert seats(folder, 2)[0] == (two, one)
    first = next(pair for pair in seats(folder, 1) if one in pair)
    other = next(player for player in first if player != one)
    with pytest.raises(
        ConfirmationError, match=r"the two players have met in round 1 \(C1\)"
    ):
        exchange(folder, [other, two])
    had = next(one for one, two in seats(folder, 1) if not two)
    with pytest.raises(ConfirmationError, match=r"had the bye in round 1 \(C2\)"):
        exchange(folder, [had, alone])
    result(folder, 1, "1-0")
    with pytest.raises(UsageError, match="have no result yet"):
        exchange(folder, [one, three])


@pytest.mark.long
def test_the_phase_on_the_page(tmp_path: Path) -> None:
    folder = open_of(tmp_path / "open", 1)
    page = client(folder)
    before = seats(folder, 1)
    page.post("/round/begin", data=fields(page.get("/round").text, "/round/begin"))
    shown = page.get("/round").text
    assert "is being changed by hand" in shown
    assert "/round/begin" not in shown
    form = fields(shown, "/round/exchange") | {"swap": [before[0][0], before[1][0]]}
    warned = page.post("/round/exchange", data=form, follow_redirects=False)
    assert "(5.2.5)" in said(warned.text)
    form |= {"sure": "yes"}
    done = page.post("/round/exchange", data=form, follow_redirects=False)
    assert done.status_code == 303, said(done.text)
    assert seats(folder, 1)[0] == (before[1][0], before[0][1])
    asked = page.post("/round/end", data=fields(page.get("/round").text, "/round/end"))
    assert "Round 1 is not paired as FIDE's rules pair it" in said(asked.text)
    assert "/round/end" in page.get("/round").text
    page.post("/round/end", data={**fields(asked.text, "/round/end"), "sure": "yes"})
    assert kinds(folder) == [("mode.by_hand", 1), ("mode.mpa", 1)]
    assert "/round/end" not in page.get("/round").text
