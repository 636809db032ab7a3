"""The proof of each published round: kept with its step, and checked against the folder."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from once import made_once
from places import DATA
from sampled import one_in
from telling import said_by
from test_killed import Killed, cut
from test_verbs import change, content, finish, last, made, rows, run

import pairopt.folder.proofs
from pairopt import UsageError, load_model
from pairopt.common.budget import TimeUpError
from pairopt.engines.base import EngineError
from pairopt.folder import preview, publish, undo
from pairopt.folder.open_folder import read_folder_state
from pairopt.folder.pair_round import pair
from pairopt.folder.proofs import RoundProof, check_proofs
from pairopt.folder.repair_round import repair
from pairopt.folder.results import result
from pairopt.folder.roster import bye, drop, enter, forbid
from pairopt.folder.stored_proofs import proof_file_name
from pairopt.folder.top_cut import bracket
from pairopt.round.manual import swap_players

SIDES = ("white", "black")


def kept(folder: Path) -> dict[str, bytes]:
    """The proofs in a folder."""
    return {path.name: path.read_bytes() for path in (folder / "proofs").glob("*")}


def checked(folder: Path) -> list[RoundProof]:
    return list(check_proofs(folder))


def holding(folder: Path) -> list[int]:
    """The rounds whose proofs hold for the files as they are now."""
    return [each.round for each in checked(folder) if each.holds and each.step is None]


@made_once
def played(
    folder: Path, players: str = "ABCDEFG", rounds: int = 2, **options: Any
) -> Path:
    """An event of so many rounds, the last one open."""
    made(folder, players, **options)
    for number in range(rounds):
        pair(folder)
        if number < rounds - 1:
            finish(folder)
    return folder


# ---------------------------------------------------------------------- with the step


@pytest.mark.long
def test_the_proof_of_each_round_is_what_proof_writes(tmp_path: Path) -> None:
    folder, apart = made(tmp_path / "event", "ABCDEFG"), tmp_path / "apart.json"
    assert said_by(pair(folder, proof=apart))[1] == "The proof of round 1 is kept."
    assert (folder / "proofs/round-01.json").read_bytes() == apart.read_bytes()
    digest = hashlib.sha256(apart.read_bytes()).hexdigest()
    assert checked(folder) == [RoundProof(1, digest)]
    finish(folder)
    assert said_by(pair(folder))[1] == "The proof of round 2 is kept."
    assert holding(folder) == [1, 2]
    assert (
        run("check", folder, "--proof", folder / "proofs/round-02.json").exit_code == 0
    )


@pytest.mark.long
def test_it_goes_with_its_step_and_comes_back(tmp_path: Path) -> None:
    folder = made(tmp_path / "event", "ABCDEFG")
    states = {1: kept(folder)}
    verbs = (
        pair,
        finish,
        pair,
        lambda at: repair(at, seed=9),
        lambda at: repair(at, [1]),
        lambda at: undo(at, 7),
    )
    for verb in verbs:
        verb(folder)
        states[read_folder_state(folder).journal.steps()[-1].number] = kept(folder)
    assert [len(each) for each in states.values()] == [0, 1, 1, 2, 2, 2, 0]
    assert len({*map(repr, states.values())}) == 5
    for number in (*states, *reversed(states)):
        undo(folder, to=number)
        assert kept(folder) == states[number]


@pytest.mark.long
def test_a_step_holds_only_the_proofs_that_come_with_it(tmp_path: Path) -> None:
    import zipfile

    folder = played(tmp_path / "event", rounds=2)
    with_proof = [
        path.name
        for path in sorted((folder / ".pairopt/steps").glob("*.zip"))
        if any(name.startswith("proofs/") for name in zipfile.ZipFile(path).namelist())
    ]
    assert with_proof == ["0002.zip", "0006.zip"]


VERBS: dict[str, Callable[[Path], object]] = {
    "pair": pair,
    "publish": lambda folder: publish(folder, preview(folder).result.pairs),
    "repair": lambda folder: repair(folder, seed=9),
    "part": lambda folder: repair(folder, [1]),
    "undo": lambda folder: undo(folder, 1),
    "far": lambda folder: undo(folder, 6),
    "again": lambda folder: undo(folder, to=6),
}


OFTEN = ("pair", "repair", "undo", "publish")
"""One of each kind; the others are slow."""


@pytest.mark.long
@pytest.mark.parametrize(
    "verb",
    [
        pytest.param(each, marks=() if each in OFTEN else pytest.mark.slow)
        for each in VERBS
    ],
)
def test_killed_at_any_moment_a_proof_is_there_as_its_round_is(
    tmp_path: Path, verb: str
) -> None:
    states: list[tuple[object, object]] = []
    for after in range(100):
        folder = played(tmp_path / str(after) / "event")
        if verb in ("pair", "publish", "far"):
            finish(folder)
        if verb == "again":
            undo(folder, 2)
        before = content(folder), kept(folder)
        with pytest.MonkeyPatch.context() as patch:
            cut(patch, after)
            try:
                VERBS[verb](folder)
            except Killed:
                ended = False
            else:
                ended = True
        number = read_folder_state(folder).rounds()
        assert holding(folder) == [*range(1, number + 1)]  # what readers find
        drop(folder, "A")  # finishes what was begun
        undo(folder)
        states.append((content(folder), kept(folder)))
        if ended:
            break
    assert len(states) > 5
    assert states[0] == before
    assert all(state in (before, states[-1]) for state in states)
    assert states[-1] != before


def test_a_folder_that_is_edited_by_hand_keeps_its_proofs(tmp_path: Path) -> None:
    folder = played(tmp_path / "event")
    (folder / "event.toml").write_text("# mine\n" + (folder / "event.toml").read_text())
    finish(folder)
    undo(folder, 4)
    assert holding(folder) == [1, 2]


def test_a_copy_without_its_steps_is_checked_too(tmp_path: Path) -> None:
    folder = played(tmp_path / "event")
    copy = shutil.copytree(
        folder, tmp_path / "copy", ignore=lambda *_: [".pairopt", "log.csv"]
    )
    assert holding(copy) == [1, 2]
    undo_able = drop(copy, "A")
    assert undo_able.step == 2
    undo(copy)
    assert holding(copy) == [1, 2]


def test_a_file_in_the_way_is_nobodys_failure(tmp_path: Path) -> None:
    folder = made(tmp_path / "event")
    (folder / "proofs").write_text("mine")
    assert pair(folder).step == 2
    assert (folder / "proofs").read_text() == "mine"
    assert [each.digest for each in checked(folder)] == [None]


# ---------------------------------------------------------------------- what has no proof


def said(folder: Path, **options: Any) -> str:
    """What is said of the proof of the next round."""
    done = pair(folder, **options)
    assert done.step is not None
    assert said_by(done)[1].endswith(" is kept.") == bool(
        kept(folder).get("round-01.json")
    )
    return said_by(done)[1]


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"model": "aesops-by-hand"}, "aesops_by_hand can't prove"),
        ({"keep_proof": False}, "as you asked"),
        ({"model": load_model("monrad")}, "the model is not in a file"),
    ],
)
def test_a_round_without_a_proof_is_published_and_said(
    tmp_path: Path, options: dict[str, Any], why: str
) -> None:
    folder = made(tmp_path / "event", "ABCDEFG")
    assert said(folder, **options).startswith(
        ("The proof was not kept", "There is no proof")
    )
    undo(folder)
    assert why in said(folder, **options)
    assert checked(folder) == [RoundProof(1, None)]
    assert kept(folder) == {}


def test_what_cannot_be_proven_is_asked_of_the_proofs_themselves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = made(tmp_path / "event", "ABCDEFG")
    raised: list[Exception] = [
        UsageError("rounds of this system have no proof"),
        TimeUpError(),
        EngineError("The proof is not valid"),
    ]

    def prove(*_: object) -> None:
        raise raised[0]

    monkeypatch.setattr("pairopt.round.result.Result.prove", prove)
    assert said(folder) == "The proof was not kept: rounds of this system have no proof"
    for why in (
        "it would take more than 3 s",
        "Please report it: The proof is not valid",
    ):
        undo(folder)
        del raised[0]
        assert why in said(folder)
    undo(folder)
    monkeypatch.setattr("pairopt.round.result.Result.prove", lambda *_: None)
    assert (
        said(folder)
        == "There is no proof to keep, because pairopt has not proven anything about this round."
    )


@pytest.mark.long
def test_large_rounds_are_kept_where_somebody_asks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = made(tmp_path / "event", "ABCDEFG")
    for name in ("MOST_PLAYERS", "MOST_BYTES"):
        with monkeypatch.context() as patch:
            patch.setattr(pairopt.folder.proofs, name, 6)
            assert "To keep the proof, add --keep-proof" in said(folder)
            undo(folder)
            assert " is kept" in said(folder, keep_proof=True)
            undo(folder)
    monkeypatch.setattr(pairopt.folder.proofs, "MOST_PLAYERS", 7)
    assert " is kept" in said(folder)


def test_the_time_that_a_proof_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = []

    def prove(_: object, budget: Any) -> None:
        given.append(budget.seconds_left())
        raise TimeUpError

    monkeypatch.setattr("pairopt.round.result.Result.prove", prove)
    folder = made(tmp_path / "event", "ABCDEFG")
    for options in (
        {},
        {"time_limit": 2},
        {"keep_proof": True},
        {"keep_proof": True, "time_limit": 60},
    ):
        said(folder, **options)
        undo(folder)
    plain, limited, free, long = given
    assert plain == pytest.approx(3, abs=1)
    assert plain <= 3
    assert 0 < limited < 2
    assert free is None
    assert 50 < long < 60


@pytest.mark.parametrize(("line", "is_kept"), [("true", True), ("false", False)])
def test_the_event_says_whether_proofs_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, is_kept: bool
) -> None:
    monkeypatch.setattr(pairopt.folder.proofs, "MOST_PLAYERS", 6)
    folder = made(tmp_path / "event", "ABCDEFG", f"proofs = {line}\n")
    assert said(folder).endswith(" is kept.") == is_kept
    undo(folder)
    publish(folder, preview(folder).result.pairs)
    assert bool(kept(folder)) == is_kept
    undo(folder)
    switch = (
        "--no-keep-proof" if is_kept else "--keep-proof"
    )  # an option overrides the event
    answer = run("pair", folder, switch)
    assert answer.exit_code == 0
    assert ("The proof was not kept, as you asked." in answer.stderr) == is_kept
    change(folder / "event.toml", f"proofs = {line}", 'proofs = "yes"')
    assert run("standings", folder).exit_code == 3


def test_a_round_that_is_impossible_leaves_nothing(tmp_path: Path) -> None:
    folder = played(tmp_path / "event", "AB", 1, model="monrad")
    finish(folder)
    before = kept(folder)
    assert pair(folder).step is None
    assert kept(folder) == before
    assert holding(folder) == [1]


# ---------------------------------------------------------------------- changed by hand


@pytest.mark.long
@pytest.mark.parametrize(
    "model",
    [
        "standard",
        "fide-dutch",
        *(
            pytest.param(name, marks=pytest.mark.long)
            for name in ("gatherling", "fide-basic")
        ),
    ],
)
def test_repair_keeps_a_proof_of_the_whole_round(tmp_path: Path, model: str) -> None:
    """With a result, a table that is to stay, and a player out who has played already."""
    folder = played(
        tmp_path / "event",
        "ABCDEFGHIJK",
        rounds=3,
        model=model,
        sides=SIDES,
        points="3-1-0",
        fide=False,
    )
    whole = kept(folder)
    result(folder, 2, "3-0")
    here = last(folder)
    drop(folder, here.loc[here["table"] == "2", "player1"].item())
    drop(folder, here.loc[here["table"] == "4", "player2"].item())
    done = repair(folder, [1])
    assert said_by(done)[1] == "The proof of round 3 is kept."
    assert kept(folder)["round-03.json"] != whole["round-03.json"]
    assert holding(folder) == [1, 2, 3]
    paired_with = checked(folder)[-1].paired_with
    assert ("published" in paired_with) == (model != "fide-dutch")
    assert len(paired_with["fixed"]) >= 2
    change(
        folder / "matches.csv", "\n3,1,", "\n3,9,"
    )  # numbers are no matter of a proof
    assert holding(folder) == [1, 2, 3]
    undo(folder, 5)
    assert kept(folder) == whole


@pytest.mark.long
def test_a_round_is_published_with_the_proof_that_pair_keeps(tmp_path: Path) -> None:
    folder = played(tmp_path / "event")
    finish(folder)
    pair(folder, seed=3)
    whole = kept(folder)
    undo(folder)
    shown = preview(folder, seed=3)
    assert (
        "The proof of round"
        in said_by(publish(folder, shown.result.pairs, seed=3, time_limit=60))[1]
    )
    assert kept(folder) == whole
    assert holding(folder) == [1, 2, 3]


@pytest.mark.long
@pytest.mark.parametrize("rounds", [0, 2])
def test_players_exchanged_by_hand(tmp_path: Path, rounds: int) -> None:
    folder = played(tmp_path / "event", "ABCDEFGH", rounds, sides=SIDES, points="3-1-0")
    if rounds:
        finish(folder)
    best = preview(folder).result.pairs
    for one in best[0]:
        for other in best[1] + best[-1]:
            wanted = swap_players(best, one, other)
            new = [match for match in wanted if {*match} & {one, other}]
            worse = bool(preview(folder, wanted, force=new).worse)
            done = publish(folder, wanted, force=new)
            assert ("changed by hand" in said_by(done)[1]) == worse
            assert (rounds + 1 in holding(folder)) != worse
            assert worse == (rounds > 0)
            undo(folder)


@pytest.mark.long
def test_a_pairing_edited_by_hand_is_not_the_proven_one(tmp_path: Path) -> None:
    folder = played(tmp_path / "event", "ABCDEFGH", sides=SIDES, points="3-1-0")
    frame = rows(folder)
    last = frame.index[frame["round"] == "2"]
    for columns in (["player2"], ["player1", "player2"]):
        edited, given = frame.copy(), frame.loc[last[:2], columns].to_numpy()
        edited.loc[last[:2], columns] = (
            given[::-1] if columns == ["player2"] else given[:, ::-1]
        )
        edited.to_csv(folder / "matches.csv", index=False)
        (first, second) = checked(folder)
        assert first.holds
        assert not second.holds
        assert any(
            "other matches than matches.csv" in str(fault) for fault in second.faults
        )
        frame.to_csv(folder / "matches.csv", index=False)
    assert holding(folder) == [1, 2]
    frame.drop(index=last).to_csv(folder / "matches.csv", index=False)
    assert [each.round for each in checked(folder)] == [1]


# ---------------------------------------------------------------------- what happens later


@pytest.mark.long
def test_results_leave_a_proof_as_it_is(tmp_path: Path) -> None:
    folder = played(tmp_path / "event")
    assert holding(folder) == [1, 2]  # the round is open
    drop(folder, "A")
    assert holding(folder) == [1, 2]
    finish(folder, "1-1")
    assert holding(folder) == [1, 2]
    bye(folder, "B", round=4)
    result(folder, 1, "0-3")
    assert holding(folder) == [1, 2]


LATER: dict[str, Callable[[Path], object]] = {
    "a correction": lambda at: result(at, 1, "0-3", round=1),
    "who may not meet": lambda at: forbid(
        at, *rows(at)[["player1", "player2"]].iloc[0]
    ),
    "another model": lambda at: change(at / "event.toml", '"standard"', '"excalibur"'),
    "a name": lambda at: (
        pd.read_csv(at / "players.csv")
        .assign(name=lambda frame: [f"Player {each}" for each in frame["player"]])
        .to_csv(at / "players.csv", index=False)
    ),
    "an identifier": lambda at: [
        pd.read_csv(path, dtype=str, keep_default_na=False)
        .replace("A", "Ann")
        .to_csv(path, index=False)
        for path in (at / "players.csv", at / "matches.csv")
    ],
    "the points": lambda at: (
        change(at / "event.toml", 'bye = "3"', 'bye = "2"')
        if 'bye = "3"' in (at / "event.toml").read_text()
        else change(at / "event.toml", "bye = 3", "bye = 2")
    ),
}


@pytest.mark.long
@pytest.mark.parametrize("later", LATER)
def test_what_is_changed_later_is_said_and_no_failure(
    tmp_path: Path, later: str
) -> None:
    folder = played(tmp_path / "event")
    before = kept(folder)
    LATER[later](folder)
    found = checked(folder)
    assert all(each.holds for each in found)
    if later == "another model":  # each claim names its own
        assert [each.paired_with for each in found] == [{"model": "standard"}] * 2
        return
    assert 6 in [each.step for each in found] or later == "who may not meet"
    assert any(each.step for each in found)
    drop(folder, "C")
    assert kept(folder) == before
    answer = run("check", folder, "--proofs")
    assert answer.exit_code == 0
    assert "The event has changed since the round was paired." in answer.stdout
    assert ".." not in answer.stdout
    bare = shutil.copytree(folder, tmp_path / "bare", ignore=lambda *_: [".pairopt"])
    assert not all(each.holds for each in checked(bare))


@pytest.mark.long
def test_a_changed_round_is_not_that_of_the_files_back_then(tmp_path: Path) -> None:
    folder = played(tmp_path / "event", "ABCDEFGH")
    LATER["a correction"](folder)
    assert checked(folder)[1].step == 7
    frame = rows(folder)
    last = frame.index[frame["round"] == "2"][:2]
    frame.loc[last, "player2"] = frame.loc[last, "player2"].to_numpy()[::-1]
    frame.to_csv(folder / "matches.csv", index=False)
    assert not checked(folder)[1].holds


@pytest.mark.long
def test_who_comes_late_with_points_for_the_rounds_missed(tmp_path: Path) -> None:
    folder = made(tmp_path / "event", "ABCDEF")
    text = (folder / "event.toml").read_text()
    (folder / "event.toml").write_text(text.replace("absent = 0", "absent = 1"))
    pair(folder)
    finish(folder)
    pair(folder)
    finish(folder)
    enter(folder, "Zoe")
    pair(folder)
    assert [each.holds for each in checked(folder)] == [True, True, True]
    assert checked(folder)[2].step is None


# ---------------------------------------------------------------------- options, models, byes


@pytest.mark.long
@pytest.mark.parametrize(
    ("options", "given"),
    [
        ({"force": [("A", "B")], "seed": 4}, {"force": (("A", "B"),), "seed": 4}),
        ({"forbid": (("A", "B"), ("A", "C"))}, {"forbid": (("A", "B"), ("A", "C"))}),
        ({"force": [("D", "C"), ("B", "A")]}, {"force": (("A", "B"), ("C", "D"))}),
        ({"bye": "D", "no_bye": ["E"]}, {"bye": "D", "no_bye": ("E",)}),
        ({"drop": ["A"], "engine": "matching", "workers": 2}, {}),
        ({"request_bye": ["A"], "time_limit": 60.0}, {}),
        ({"model": "aesops"}, {"model": "aesops"}),
        (
            {"model": "monrad", "relax": ["no_rematch"]},
            {"model": "monrad", "relax": ("no_rematch",)},
        ),
        (
            {"model": "aesops-2025", "objective": "weighted"},
            {"model": "aesops-2025", "objective": "weighted"},
        ),
        (
            {"last_round": True, "points": "3-1-0"},
            {"last_round": True, "points": "3-1-0"},
        ),
        ({"choose": "uniform", "count": True, "verify": True}, {}),
    ],
)
def test_it_is_checked_with_what_the_round_was_paired_with(
    tmp_path: Path, options: dict[str, Any], given: dict[str, Any]
) -> None:
    folder = played(tmp_path / "event")
    finish(folder)
    assert " is kept" in said_by(pair(folder, **options))[1]
    found = checked(folder)
    assert [each.step for each in found] == [None] * 3
    assert [each.faults for each in found] == [()] * 3
    assert found[2].paired_with == given
    finish(folder)
    assert holding(folder) == [1, 2, 3]
    answer = run("check", folder, "--proofs")
    assert ("paired with" in answer.stdout) == bool(given)


@pytest.mark.long
def test_a_model_in_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = tmp_path / "mine.toml"
    model.write_text(
        'name = "mine"\ntitle = "t"\nsource = "s"\n[[criteria]]\nkind = "rematches"\n'
    )
    folder = played(tmp_path / "event", model=str(model))
    finish(folder)
    monkeypatch.chdir(tmp_path)
    pair(folder, model="mine.toml")
    monkeypatch.chdir("/")
    assert holding(folder) == [1, 2, 3]
    moved = folder.rename(tmp_path / "moved")
    assert holding(moved) == [1, 2, 3]
    (moved / "mine.toml").write_text(
        model.read_text().replace("rematches", "bye_score")
    )
    assert [each.holds for each in checked(moved)] == [False] * 3


@pytest.mark.long
def test_a_model_that_is_in_no_folder(tmp_path: Path) -> None:
    """A claim has its name and the digest of its rules: with the file beside it is checked."""
    folder, model = played(tmp_path / "event"), tmp_path / "mine.toml"
    model.write_text(
        'name = "mine"\ntitle = "t"\nsource = "s"\n[[criteria]]\nkind = "rematches"\n'
    )
    finish(folder)
    pair(folder, model=str(model))
    assert "no model" in str(checked(folder)[2].faults[0])
    shutil.copy(model, folder)
    assert holding(folder) == [1, 2, 3]


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("model", "players"),
    one_in(
        2,
        [
            [model, players]
            for model in (
                "standard",
                "excalibur",
                "aesops",
                "top-first",
                "double-sided",
                "monrad",
                "bakert",
            )
            for players in ("ABCDEF", "ABCDEFG", "ABCDE")
        ],
    ),
)
def test_events_of_every_kind(tmp_path: Path, model: str, players: str) -> None:
    folder = made(tmp_path / "event", players, model=model, rounds=3)
    bye(folder, "A", round=1)
    for number in range(1, 4):
        if number == 2:
            bye(folder, "B")
            enter(folder, "Zoe")
        assert " is kept" in said_by(pair(folder))[1]
        assert holding(folder)[-1] == number
        finish(folder, "6-0" if model == "double-sided" else "3-0")
    assert holding(folder)[-1] == 3
    assert all(each.holds for each in checked(folder))
    bracket(folder, 4, by_lot=True)
    assert all(each.holds for each in checked(folder))
    undo(folder)
    assert all(each.holds for each in checked(folder))


# ---------------------------------------------------------------------- damaged files


@pytest.mark.parametrize("raw", [b"", b"{}", b"\xff\xfe", b"[1", b"[" * 5000, None])
def test_a_damaged_proof_is_said_in_a_line(tmp_path: Path, raw: bytes | None) -> None:
    folder = played(tmp_path / "event")
    path = folder / proof_file_name(2)
    path.unlink() if raw is None else path.write_bytes(raw)
    answer = run("check", folder, "--proofs")
    assert answer.exit_code == (0 if not raw else 1)
    first, second = answer.stdout.splitlines()
    assert first == "Round 1: Proven: no pairing is better."
    assert second.startswith("Round 2: no proof")
    finish(folder)
    assert " is kept" in said_by(pair(folder))[1]


def test_a_proof_of_another_round_is_none(tmp_path: Path) -> None:
    folder = played(tmp_path / "event")
    shutil.copy(folder / proof_file_name(1), folder / proof_file_name(2))
    shutil.copy(folder / proof_file_name(1), folder / proof_file_name(7))
    assert [each.holds for each in checked(folder)] == [True, False]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"options":{}', '"options":{"force":5}'),
        ('"options":{}', '"options":{"seed":-1}'),
        ('"options":{}', '"options":[]'),
        ('"model":"', '"model":"x'),
    ],
)
def test_a_heading_that_lies(tmp_path: Path, old: str, new: str) -> None:
    """What is read of a claim is only what it is built with again: the bytes are compared."""
    folder = played(tmp_path / "event")
    path = folder / proof_file_name(2)
    assert path.read_text().count(old) == 1
    path.write_text(path.read_text().replace(old, new))
    assert [each.holds for each in checked(folder)] == [True, False]
    finish(folder)
    assert " is kept" in said_by(pair(folder))[1]  # nothing is stopped by it


@pytest.mark.long
def test_a_proof_of_another_pairing_with_its_own_options(tmp_path: Path) -> None:
    """A true proof of a round with a match forced says that it was, and of which pairing it is."""
    folder = played(tmp_path / "event")
    apart = shutil.copytree(folder, tmp_path / "apart")
    finish(folder)
    finish(apart)
    pair(folder)
    one, two = rows(folder)[lambda frame: frame["round"] == "3"][
        ["player1", "player2"]
    ].iloc[0]
    pair(apart, forbid=[(one, two)])
    shutil.copy(apart / proof_file_name(3), folder / proof_file_name(3))
    found = checked(folder)[2]
    assert not found.holds
    assert found.by_hand


@pytest.mark.long
def test_the_way_far_back_and_on_again_keeps_proofs(tmp_path: Path) -> None:
    folder = played(tmp_path / "event")
    finish(folder)
    last = pair(folder).step
    before = kept(folder)
    assert [each.holds for each in checked(folder)] == [True] * 3
    undo(folder, to=1)
    assert not kept(folder)
    undo(folder, to=last)
    assert kept(folder) == before


def test_steps_that_are_damaged_or_lost(tmp_path: Path) -> None:
    folder = played(tmp_path / "event")
    LATER["a correction"](folder)
    shutil.rmtree(folder / ".pairopt/steps")
    assert [each.holds for each in checked(folder)] == [True, False]
    assert any("event" in str(fault) for fault in checked(folder)[1].faults)


def test_no_output_replaces_a_kept_proof(tmp_path: Path) -> None:
    folder = played(tmp_path / "event")
    before = kept(folder)
    for name in ("proofs/round-01.json", "proofs/round-09.json"):
        answer = run("solve", folder, "--round", 1, "--proof", folder / name)
        assert answer.exit_code == 2
        assert "is a file of an event folder" in answer.stderr
    assert kept(folder) == before


# ---------------------------------------------------------------------- on the command line


@pytest.mark.long
def test_a_line_and_a_record_for_each_round(tmp_path: Path) -> None:
    folder = played(tmp_path / "event")
    finish(folder)
    run("pair", folder, "--no-keep-proof")
    finish(folder)
    run("pair", folder, "--force", "A:B", "--force", "C:D", "--relax", "no_repeat_bye")
    answer = run("check", folder, "--proofs")
    assert answer.exit_code == 0, answer.stderr
    assert answer.stdout.splitlines()[:3] == [
        "Round 1: Proven: no pairing is better.",
        "Round 2: Proven: no pairing is better.",
        "Round 3: no proof is kept.",
    ]
    assert answer.stdout.splitlines()[3] == (
        "Round 4: Proven: no pairing is better among those with A - B, C - D forced; no_repeat_bye "
        "left out (paired with force A:B C:D, relax no_repeat_bye)."
    )
    content = json.loads(run("check", folder, "--proofs", "--format", "json").stdout)
    assert [each["holds"] for each in content["rounds"]] == [True, True, False, True]
    assert content["rounds"][2] == {
        "round": 3,
        "digest": None,
        "paired_with": {},
        "step": None,
        "holds": False,
        "open": 0,
        "absent": 0,
        "faults": [],
        "stated": {"kind": "not", "step": None, "open": 0, "words": "Not proven"},
    }
    answer = run("check", folder, "--proofs", "--round", 2)
    assert answer.stdout == "Round 2: Proven: no pairing is better.\n"


@pytest.mark.long
def test_the_digest_that_was_printed(tmp_path: Path) -> None:
    folder = played(tmp_path / "event")
    digests = [str(each.digest) for each in checked(folder)]
    spaced = " ".join(digests[1][k : k + 8] for k in range(0, 64, 8)).upper()
    for text in (
        digests[1],
        spaced,
        f"Proof: SHA-256 {digests[1]}",
        f"pairopt-proof sha256:{digests[1]}",
        f"http://192.0.2.7:8441/proofs/{digests[1]}.json",
    ):
        answer = run("check", folder, "--proofs", "--digest", text)
        assert (answer.exit_code, answer.stderr) == (0, "")
        assert answer.stdout.endswith("The digest is that of round 2.\n")
        for number, code in ((1, 1), (2, 0)):
            proof = ("--proof", folder / proof_file_name(number), "--digest", text)
            answer = run("check", folder, *proof)
            assert answer.exit_code == code
            assert ("another proof" in answer.stdout) == bool(code)
            only = run("check", folder, "--proofs", "--round", number, "--digest", text)
            assert only.exit_code == code
    answer = run("check", folder, "--proofs", "--digest", "0" * 64, "--format", "json")
    assert answer.exit_code == 1
    assert json.loads(answer.stdout)["rounds_of_digest"] == []
    for text in ("", "12", "0" * 63, "0" * 65, "g" * 64):
        assert run("check", folder, "--proofs", "--digest", text).exit_code == 2
    assert run("check", folder, "--all", "--digest", "0" * 64).exit_code == 2


@pytest.mark.parametrize(
    "more",
    [
        ["--model", "monrad"],
        ["--force", "A:B"],
        ["--last-round"],
        ["--all"],
        ["--proof", "x"],
        ["--players", "x.csv"],
        ["--sides", "none"],
        ["--round", "3"],
    ],
)
def test_what_does_not_go_with_it(tmp_path: Path, more: list[str]) -> None:
    folder = played(tmp_path / "event")
    answer = run("check", folder, "--proofs", *more)
    assert answer.exit_code == 2, answer.output
    assert len(answer.stderr.splitlines()) == 1


def test_only_event_folders_keep_proofs(tmp_path: Path) -> None:
    answer = run("check", DATA / "byes_and_forfeits.trf", "--proofs")
    assert (answer.exit_code, "not an event folder" in answer.stderr) == (2, True)
    answer = run("check", made(tmp_path / "event"), "--proofs")
    assert (answer.exit_code, "No round has been paired yet" in answer.stderr) == (
        2,
        True,
    )


@pytest.mark.parametrize("verb", [pair, repair])
def test_a_proof_goes_with_the_round_that_cannot_be_kept(
    verb: Any, tmp_path: Path
) -> None:
    folder, apart = made(tmp_path), tmp_path / "apart.json"
    if verb is repair:
        pair(folder)
    steps = folder / ".pairopt" / "steps"
    shutil.rmtree(steps)
    steps.write_bytes(b"")
    with pytest.raises(UsageError, match="pairopt can't write to"):
        verb(folder, proof=apart)
    assert not apart.exists()


@pytest.mark.long
def test_open_levels_of_a_kept_proof_are_said(tmp_path: Path) -> None:
    seen_open = 0
    for seed in range(2):
        folder = made(
            tmp_path / f"event{seed}",
            "ABCDEF",
            model="excalibur",
            sides=SIDES,
            points="3-1-0",
        )
        for number in range(4):
            pair(folder, lookahead=max(0, number - 1) and 5 - number - 1, seed=seed)
            for table in ("1", "2", "3") if number < 3 else ():
                result(folder, table, ("3-0", "0-3")[(seed + int(table)) % 2])
        rounds = checked(folder)
        assert all(each.holds for each in rounds)
        left = any(each.open for each in rounds)
        answer = run("check", folder, "--proofs")
        assert answer.exit_code == (4 if left else 0)
        assert ("except perhaps by the" in answer.stdout) == left
        seen_open += left
    assert seen_open
