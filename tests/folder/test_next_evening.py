"""The next evening of an event: its people and its rules, another seed, and no rounds."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from organiser import event, scored
from sampled import one_in
from test_verbs import content, run

from pairopt import read_event
from pairopt.event.settings import EventSettings
from pairopt.folder import bracket, create, drop, edit, forbid, new, pair
from pairopt.folder import change as settings
from pairopt.folder.create import build_next_event


def said_in(folder: Path) -> EventSettings:
    return read_event(folder, unfinished=True).settings


@pytest.fixture
def last(tmp_path: Path) -> Path:
    """An evening in round 2, with all that is of this evening alone."""
    listed = tmp_path / "list.csv"
    rows = (
        "1,Ann,1500,Riga,,3",
        "2,Bob,1600,Tartu,true,",
        "3,Cid,1700,,,",
        "4,Dan,1800,,,",
        "5,Eve,1900,,,",
    )
    listed.write_text(
        "\n".join(("player,name,rating,club,first_round_bye,table", *rows))
    )
    folder = tmp_path / "friday"
    new(
        folder,
        listed,
        rounds=4,
        points="3-1-0",
        best_of=3,
        seed=7,
        title="Friday",
        sides="none",
    )
    pair(folder)
    scored(folder, "2-1")
    drop(folder, "Eve")
    edit(folder, "Ann", {"score": "2"})
    forbid(folder, "Ann", "Bob")
    settings(folder, {"tie_breaks": "omw,gw"})
    pair(folder)
    return folder


@pytest.mark.long
def test_people_and_rules_and_nothing_else(last: Path, tmp_path: Path) -> None:
    before = content(last)
    done = run("new", tmp_path / "next", "--players", last)
    assert done.exit_code == 0, done.stderr
    assert (
        "The new event has the players and the rules of the earlier event, but none of its rounds."
        in done.stderr
    )
    assert content(last) == before
    was, now = (
        read_event(folder, unfinished=True) for folder in (last, tmp_path / "next")
    )
    assert (now.players, now.names) == (was.players, was.names)
    assert now.rating.tolist() == was.rating.tolist()
    assert now.columns["club"] == was.columns["club"]
    assert now.fixed_table.tolist() == was.fixed_table.tolist()
    assert now.active.all(), "who had left is asked again"
    assert (now.round, len(now.matches), now.brought.any()) == (1, 0, False)
    assert not now.first_round_bye.any()
    kept = ("model", "rounds", "points", "best_of", "tie_breaks", "sides")
    assert [getattr(now.settings, name) for name in kept] == [
        getattr(was.settings, name) for name in kept
    ]
    assert now.settings.title == "next"
    assert [(each.one, each.two) for each in now.prohibited] == [(0, 1)]
    assert len((tmp_path / "next" / "matches.csv").read_text().splitlines()) == 1
    ids = [
        tomllib.loads((folder / "event.toml").read_text())["id"]
        for folder in (last, tmp_path / "next")
    ]
    assert ids[0] != ids[1]
    assert pair(tmp_path / "next").step


@pytest.mark.long
def test_another_seed_each_time(
    last: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(create, "draw_seed", iter((11, 12, 13, 14)).__next__)
    seeds = {said_in(last).seed}
    for k in range(3):
        new(tmp_path / f"next{k}", last)
        seeds.add(said_in(tmp_path / f"next{k}").seed)
    assert seeds == {7, 11, 12, 13}
    new(tmp_path / "same", last, seed=7)
    assert said_in(tmp_path / "same").seed == 7


@pytest.mark.long
def test_after_a_cut_and_with_a_model_of_its_own(tmp_path: Path) -> None:
    folder = event(
        tmp_path / "open", "ABCD", rounds=1, points="3-1-0", sides=("white", "black")
    )
    scored(folder)
    bracket(folder, 2, by_lot=True)
    new(tmp_path / "next", folder)
    assert not (tmp_path / "next" / "bracket.csv").exists()
    assert read_event(tmp_path / "next").sides == ("white", "black")


@pytest.mark.long
@pytest.mark.parametrize(
    ("players", "rounds"),
    one_in(
        4,
        [
            [players, rounds]
            for rounds in (1, 2, 3)
            for players in (2, 3, 4, 5, 6, 7, 8, 12, 13)
        ],
    ),
)
def test_who_met_last_week_do_not_meet_in_round_one(
    tmp_path: Path, players: int, rounds: int
) -> None:
    """Those of the last rounds first, as far as there is a pairing, which there always is."""
    names = "ABCDEFGHIJKLM"[:players]
    rounds = min(rounds, players - 1)
    folder = event(tmp_path / "friday", names, rounds)
    last = read_event(folder, unfinished=True)
    next_one = build_next_event(folder, apart=True)
    rows = last.matches
    met = {
        number: {
            frozenset((one, two))
            for turn, one, two in zip(rows.round, rows.first, rows.second, strict=True)
            if turn == number and two >= 0
        }
        for number in range(1, rounds + 1)
    }
    barred = {frozenset((each.one, each.two)) for each in next_one.prohibited}
    assert all(each.rounds == (1, 1) for each in next_one.prohibited)
    taken = [number for number, pairs in met.items() if pairs <= barred]
    assert barred == set().union(*(met[number] for number in taken))
    assert taken == list(range(rounds + 1 - len(taken), rounds + 1)), (
        "the last ones first"
    )
    if players >= 4 * rounds:
        assert len(taken) == rounds
    kind = "new.met" if len(taken) == rounds else "new.met_some"
    assert [(each.kind, each.fields["count"]) for each in next_one.notes] == [
        (kind, len(barred))
    ]
    new(tmp_path / "next", next_one, sure=True)
    paired = pair(tmp_path / "next").event
    assert paired is not None
    now = read_event(tmp_path / "next", unfinished=True).matches
    pairs = {
        frozenset(each)
        for each in zip(now.first, now.second, strict=True)
        if min(each) >= 0
    }
    assert len(pairs) == players // 2
    assert not pairs & barred


@pytest.mark.long
@pytest.mark.parametrize("suffix", ["json", "trf", "csv"])
def test_a_file_goes_on_with_its_rounds_unless_people_are_asked_for(
    tmp_path: Path, suffix: str
) -> None:
    """An event goes on in one place: that of a folder there, that of a file in the new folder."""
    how: dict[str, object] = {"points": "1-0.5-0", "sides": ("white", "black")}
    folder = event(
        tmp_path / "open", "ABCDEF", rounds=1, **how if suffix == "trf" else {}
    )
    scored(folder, "1-0" if suffix == "trf" else "3-0")
    path = tmp_path / f"open.{suffix}"
    if suffix == "csv":
        path.write_bytes((folder / "matches.csv").read_bytes())
    else:
        assert run("convert", folder, path).exit_code == 0
    taken = run("new", tmp_path / "on", "--players", path)
    assert (
        "Rounds already played: 1. The event continues with the next round."
        in taken.stderr
    )
    assert read_event(tmp_path / "on").round == 2
    alone = run("new", tmp_path / "next", "--players", path, "--people")
    assert alone.exit_code == 0, alone.stderr
    assert (
        "The new event has the players and the rules of the earlier event, but none of its rounds."
        in alone.stderr
    )
    assert "on here" not in alone.stderr
    made = read_event(tmp_path / "next")
    assert (made.round, len(made.matches), made.active.all()) == (1, 0, True)
    assert made.names == read_event(path).names
    for more in ((), ("--people",)):
        of_folder = run("new", tmp_path / f"of{len(more)}", "--players", folder, *more)
        assert (
            "The new event has the players and the rules of the earlier event, but none of its rounds."
            in of_folder.stderr
        )
        assert read_event(tmp_path / f"of{len(more)}").round == 1


@pytest.mark.long
def test_nobody_is_kept_apart_unasked(last: Path) -> None:
    assert [(each.one, each.two) for each in build_next_event(last).prohibited] == [
        (0, 1)
    ]
