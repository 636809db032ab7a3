"""An event of the Dutch System by its verbs: start numbers and the side drawn are for good."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from against import against_fide
from click.testing import CliRunner
from dutch_cases import field
from telling import said_by

from pairopt import UsageError, check_all, read_event, solve
from pairopt.cli import main
from pairopt.errors import ConfirmationError
from pairopt.event.fide_attributes import initial_side_of_results
from pairopt.files.formats.trf.writing import write
from pairopt.folder import (
    back,
    bye,
    drop,
    edit,
    enter,
    enter_all,
    new,
    pair,
    ratings,
    repair,
    result,
    undo,
)
from pairopt.folder.open_folder import read_folder_state
from pairopt.folder.pair_round import preview

RATED = "player,rating\nCem,2200\nAnn,2400\nBob,2300\nFay,1900\nDag,2100\nEli,2000\nGus,1800\n"


def numbers(folder: Path) -> dict[str, int]:
    event = read_folder_state(folder).event
    return dict(zip(event.players, event.start_numbers.tolist(), strict=True))


def moved(before: dict[str, int], first: str) -> dict[str, int]:
    """The numbers with a new player above all others."""
    return {first: 1, **{name: number + 1 for name, number in before.items()}}


def finish(folder: Path) -> None:
    """Results that differ from table to table."""
    rows = pd.read_csv(folder / "matches.csv", keep_default_na=False, dtype=str)
    (number, here), *_ = reversed([*rows.groupby(rows["round"].astype(int))])
    for table in here.loc[here["player2"] != "", "table"].astype(int):
        result(folder, table, ("1-0", "0.5-0.5", "0-1")[(table + number) % 3])


def as_exported(folder: Path, path: Path) -> None:
    """The next round in the folder is that of the event written as TRF, White and Black too."""
    event = read_event(folder)
    path.write_text(write(event).text, encoding="utf-8")
    place = event.start_numbers.tolist()
    name = {
        str(number): player for player, number in zip(event.players, place, strict=True)
    }
    by_trf = solve(read_event(path), "fide-dutch", round=event.round)
    known = solve(event)
    assert {tuple(name[p] for p in pair) for pair in by_trf.pairs} == {*known.pairs}


@pytest.mark.sweep
def test_a_whole_event(tmp_path: Path) -> None:
    (tmp_path / "players.csv").write_text(RATED)
    folder = tmp_path / "open"
    new(folder, tmp_path / "players.csv", model="fide-dutch", rounds=5)
    enter(folder, "Hal", {"rating": "2350"})
    assert numbers(folder)["Hal"] == 2  # the list is not closed yet
    undo(folder)
    pair(folder, seed=1)
    ranked = {
        name: k
        for k, name in enumerate(["Ann", "Bob", "Cem", "Dag", "Eli", "Fay", "Gus"], 1)
    }
    assert numbers(folder) == ranked
    finish(folder)
    drawn = initial_side_of_results(read_event(folder))
    as_exported(folder, tmp_path / "2.trf")
    enter(folder, "Ivo", {"rating": "1500"})
    enter(folder, "Jon", {"rating": "2500"})
    after = moved({**ranked, "Ivo": 8}, "Jon")
    assert numbers(folder) == after
    assert after == {
        "Jon": 1,
        "Ann": 2,
        "Bob": 3,
        "Cem": 4,
        "Dag": 5,
        "Eli": 6,
        "Fay": 7,
        "Gus": 8,
        "Ivo": 9,
    }
    pair(folder, seed=2)
    drop(folder, "Bob")
    finish(folder)
    assert numbers(folder) == after
    enter(folder, "Kim", {"rating": "2600"})
    as_exported(folder, tmp_path / "3.trf")
    pair(folder, seed=3)
    before = (folder / "matches.csv").read_bytes()
    enter(folder, "Lou", {"rating": "2700"})
    with against_fide():  # a round that is published is another one
        repair(folder)
    assert numbers(folder) == moved(moved(after, "Kim"), "Lou")
    undo(folder, 2)
    assert (folder / "matches.csv").read_bytes() == before
    assert numbers(folder) == moved(after, "Kim")
    finish(folder)
    for turn in (4, 5):
        as_exported(folder, tmp_path / f"{turn}.trf")
        pair(folder, seed=turn)
        finish(folder)
    event = read_event(folder)
    assert initial_side_of_results(event) == drawn
    rounds = [*check_all(event)]
    assert [each.round for each in rounds] == [1, 2, 3, 4, 5]
    assert all(each.legal and each.better is None for each in rounds)


@pytest.mark.long
@pytest.mark.parametrize("side", ["white", "black"])
def test_from_a_trf(tmp_path: Path, side: str) -> None:
    """Its numbers are not by rating and stay so; who is new is above the first that they outrank.

    The side is that of the first of those who were in round 1.
    """
    lines = [*field(8)]
    lines[6] = lines[6].replace("2493", "2700")
    path = tmp_path / "open.trf"
    path.write_text("\n".join([*lines, "XXR 5", f"XXC {side}1", ""]))
    folder = tmp_path / "open"
    new(folder, path, model="fide-dutch")
    enter(folder, "9", {"rating": "2495"})
    pair(folder, seed=4)
    here = {**{str(k): k for k in range(1, 5)}, "9": 5, "5": 6, "6": 7, "7": 8, "8": 9}
    assert numbers(folder) == here  # 5, with the same rating, is called Player 5
    rows = pd.read_csv(folder / "matches.csv", dtype=str)
    (own,) = [
        row for _, row in rows.iterrows() if "1" in (row["player1"], row["player2"])
    ]
    assert (own["player1"] == "1") == (own["side1"] == side)
    finish(folder)
    enter(folder, "10", {"rating": "2900"})
    assert numbers(folder)["10"] == 1


@pytest.mark.long
def test_other_models_keep_no_numbers(tmp_path: Path) -> None:
    (tmp_path / "players.csv").write_text(RATED)
    new(tmp_path / "club", tmp_path / "players.csv", model="monrad")
    pair(tmp_path / "club")
    assert "start" not in (tmp_path / "club" / "players.csv").read_text()


def swapped(folder: Path, one: str, two: str) -> None:
    """Two start numbers changed by hand."""
    path = folder / "players.csv"
    table = pd.read_csv(path, dtype=str, keep_default_na=False).set_index("player")
    table.loc[[one, two], "start"] = table.loc[[two, one], "start"].tolist()
    table.reset_index().to_csv(path, index=False)


def with_rounds(folder: Path, many: int, model: str = "fide-dutch") -> Path:
    """An event of which so many rounds are over."""
    folder.mkdir(exist_ok=True)
    listed = folder / "players.csv"
    listed.write_text(
        RATED.replace("Gus,1800\n", "Gus,1800\nHal,1700\nIda,1600\nJo,1500\n")
    )
    new(folder / "open", listed, model=model, rounds=7, points="1-½-0")
    for turn in range(1, many + 1):
        pair(folder / "open", seed=turn)
        finish(folder / "open")
    return folder / "open"


@pytest.mark.long
def test_numbers_are_frozen_once_round_4_is_paired(tmp_path: Path) -> None:
    folder = with_rounds(tmp_path, 3)
    swapped(folder, "Ann", "Jo")
    pair(folder)  # allowed so far
    finish(folder)
    now = numbers(folder)
    assert (now["Ann"], now["Jo"]) == (10, 1)
    swapped(folder, "Ann", "Jo")
    said = r"start numbers may not change after the pairing of round 4 \(C\.04\.2\).*Ann has start number 1 instead of 10"
    for verb in (pair, preview):
        with pytest.raises(UsageError, match=said):
            verb(folder)
    swapped(folder, "Ann", "Jo")
    enter(folder, "Kim", {"rating": "2900"})  # who is new changes nobody's number
    pair(folder, sure=True)
    swapped(folder, "Cem", "Dag")
    with pytest.raises(UsageError, match="Cem has start number 4 instead of 3"):
        repair(folder)
    undo(folder, 3)
    swapped(folder, "Ann", "Jo")


@pytest.mark.long
def test_frozen_in_an_event_that_came_with_its_rounds(tmp_path: Path) -> None:
    folder = with_rounds(tmp_path, 4)
    (tmp_path / "5.trf").write_text(write(read_event(folder)).text, encoding="utf-8")
    new(tmp_path / "again", tmp_path / "5.trf")
    enter(tmp_path / "again", "Kim")  # its numbers are in players.csv now
    first, second, *_ = numbers(tmp_path / "again")
    before = (tmp_path / "again" / "players.csv").read_bytes()
    pair(tmp_path / "again", sure=True)
    undo(tmp_path / "again")
    assert (tmp_path / "again" / "players.csv").read_bytes() == before
    swapped(tmp_path / "again", first, second)
    with pytest.raises(UsageError, match="may not change"):
        pair(tmp_path / "again")


@pytest.mark.long
def test_other_models_freeze_nothing(tmp_path: Path) -> None:
    folder = with_rounds(tmp_path, 4, "monrad")
    path = folder / "players.csv"
    path.write_text(path.read_text().replace("Ann,2400", "Ann,1000"))
    assert pair(folder).step


@pytest.mark.long
def test_a_full_point_bye_is_warned_of(tmp_path: Path) -> None:
    folder = with_rounds(tmp_path, 0)
    with against_fide():
        said = said_by(bye(folder, "Ann", points="1"))
    assert any(line.startswith("Warning: ") for line in said)
    assert not any(
        line.startswith("Warning: ") for line in said_by(bye(folder, "Bob", points="½"))
    )
    club = with_rounds(tmp_path / "club", 0, "monrad")
    assert not any(
        line.startswith("Warning: ") for line in said_by(bye(club, "Ann", points="1"))
    )


@pytest.mark.long
def test_late_entries_have_their_place_until_round_4_is_paired(tmp_path: Path) -> None:
    folder = with_rounds(tmp_path, 2)
    before = numbers(folder)
    enter(folder, "Kim", {"rating": "2150"})
    after = {name: number + (number > 3) for name, number in before.items()}
    assert numbers(folder) == {**after, "Kim": 4}
    undo(folder)
    assert numbers(folder) == before
    pair(folder)
    enter(folder, "Kim", {"rating": "2150"})  # for round 3, which is open, or round 4
    assert numbers(folder)["Kim"] == 4
    finish(folder)
    pair(folder, sure=True)
    enter(folder, "Lou", {"rating": "2150"})
    assert numbers(folder) == {**after, "Kim": 4, "Lou": 12}
    repair(folder)
    assert numbers(folder) == {**after, "Kim": 4, "Lou": 12}


@pytest.mark.long
def test_equals_come_by_title_and_then_by_name(tmp_path: Path) -> None:
    folder = with_rounds(tmp_path, 0)
    path = folder / "players.csv"
    rows = pd.read_csv(path, dtype=str, keep_default_na=False)
    rows["title"] = ["", "", "WFM", "", "", "", "", "", "", ""]  # of Bob, who has 2300
    rows.to_csv(path, index=False)
    enter(folder, "Kim", {"rating": "2300", "title": "FM"})
    enter(folder, "Lou", {"rating": "2300", "title": "wcm"})
    enter(folder, "Mia", {"rating": "2300"})
    enter(folder, "Ása", {"rating": "2300"})
    pair(folder)
    order = sorted(numbers(folder), key=numbers(folder).__getitem__)
    assert order[:7] == ["Ann", "Kim", "Bob", "Lou", "Ása", "Mia", "Cem"]
    finish(folder)
    enter(folder, "Ned", {"rating": "2300", "title": "IM"})
    enter(folder, "Eve", {"rating": "2300"})
    order = sorted(numbers(folder), key=numbers(folder).__getitem__)
    assert order[:9] == ["Ann", "Ned", "Kim", "Bob", "Lou", "Ása", "Eve", "Mia", "Cem"]


def test_a_name_is_no_title() -> None:
    event = read_event(
        pd.DataFrame({"player": ["Ann", "GM", "im"], "rating": [2000, 2000, 2000]})
    )
    assert event.start_numbers.tolist() == [1, 2, 3]


@pytest.mark.long
@pytest.mark.parametrize("rounds", [0, 1])
def test_a_place_that_is_asked_for(tmp_path: Path, rounds: int) -> None:
    folder = with_rounds(tmp_path, rounds)
    before = numbers(folder)
    enter(folder, "Kim", {"rating": "1000", "start": "2"})
    after = {name: number + (number > 1) for name, number in before.items()}
    assert numbers(folder) == {**after, "Kim": 2}


@pytest.mark.long
def test_a_list_of_late_entries(tmp_path: Path) -> None:
    """Each has the place of their rating; what the list numbers them means nothing here."""
    folder = with_rounds(tmp_path, 1)
    (tmp_path / "more.csv").write_text(
        "player,rating,start\nKim,1000,1\nLou,3000,2\nMia,2150,3\n"
    )
    enter_all(folder, read_event(tmp_path / "more.csv"))
    order = sorted(numbers(folder), key=numbers(folder).__getitem__)
    assert order == [
        "Lou",
        "Ann",
        "Bob",
        "Cem",
        "Mia",
        "Dag",
        "Eli",
        "Fay",
        "Gus",
        "Hal",
        "Ida",
        "Jo",
        "Kim",
    ]


def accelerated(folder: Path) -> list[str]:
    """Who has virtual points, by start number."""
    event = read_folder_state(folder).event
    order = np.argsort(event.start_numbers)
    return [event.players[k] for k in order if event.acceleration[k].any()]


def baku(folder: Path) -> Path:
    """Ten players, of whom six have virtual points in four of seven rounds."""
    (folder / "players.csv").write_text(
        RATED.replace("Gus,1800\n", "Gus,1800\nHal,1700\nIda,1600\nJo,1500\n")
    )
    new(
        folder / "open",
        folder / "players.csv",
        model="fide-dutch",
        rounds=7,
        points="1-½-0",
        baku=True,
    )
    return folder / "open"


@pytest.mark.long
def test_baku_has_the_groups_of_those_who_are_paired_in_round_1(tmp_path: Path) -> None:
    folder = baku(tmp_path)
    assert accelerated(folder) == ["Ann", "Bob", "Cem", "Dag", "Eli", "Fay"]
    assert (
        said_by(drop(folder, "Bob"))[-1]
        == "All players from the top of the list down to Gus get virtual points (extra points in the first rounds, FIDE C.04.7)."
    )
    assert accelerated(folder) == ["Ann", "Bob", "Cem", "Dag", "Eli", "Fay", "Gus"]
    back(folder, "Bob")
    bye(folder, "Jo")
    bye(folder, "Ida")
    assert accelerated(folder) == ["Ann", "Bob", "Cem", "Dag"]
    enter(folder, "Kim", {"rating": "2350"})
    enter(folder, "Lou", {"rating": "1000"})
    assert accelerated(folder) == ["Ann", "Kim", "Bob", "Cem", "Dag", "Eli"]
    path = folder / "players.csv"
    path.write_text(path.read_text().replace(",1 1 0.5 0.5", ",1 1 1 1"))
    drop(folder, "Kim")  # those are not Baku's: an arbiter's own stay
    assert accelerated(folder) == ["Ann", "Kim", "Bob", "Cem", "Dag", "Eli"]


@pytest.mark.long
def test_late_entries_under_baku_have_the_points_of_who_is_below(
    tmp_path: Path,
) -> None:
    """C.04.7, 1.3: the last player of the first group stays the last one."""
    folder = baku(tmp_path)
    pair(folder)
    finish(folder)
    enter(folder, "Kim", {"rating": "1950"})  # above Fay, the last one
    enter(folder, "Lou", {"rating": "1850"})  # below
    enter(folder, "Mia", {"rating": "2900"})
    assert accelerated(folder) == [
        "Mia",
        "Ann",
        "Bob",
        "Cem",
        "Dag",
        "Eli",
        "Kim",
        "Fay",
    ]
    event = read_folder_state(folder).event
    assert {tuple(line) for line in event.acceleration.tolist() if any(line)} == {
        (2, 2, 1, 1)
    }
    for turn in (2, 3, 4):
        as_exported(folder, tmp_path / f"{turn}.trf")
        pair(folder)
        finish(folder)
    enter(folder, "Ned", {"rating": "2800"})
    assert "Ned" not in accelerated(folder)
    assert all(each.agrees for each in check_all(read_event(folder)))
    (tmp_path / "whole.trf").write_text(write(read_event(folder)).text)
    assert all(each.agrees for each in check_all(read_event(tmp_path / "whole.trf")))


@pytest.mark.long
def test_other_models_give_nobody_a_place(tmp_path: Path) -> None:
    folder = with_rounds(tmp_path, 1, "monrad")
    enter(folder, "Kim", {"rating": "2900"})
    assert "start" not in (folder / "players.csv").read_text()


@pytest.mark.parametrize(
    ("points", "said"),
    [
        ("1-½-0", "1 1 0.5 0.5"),
        ("2-1-0", "2 2 1 1"),
        ("3-1-0", None),
        ("3-2-1", None),
        ("2-1-½", None),
        ("4-2-1", None),
    ],
)
def test_baku_is_for_wins_of_two_draws_and_nothing_for_a_loss(
    points: str, said: str | None, tmp_path: Path
) -> None:
    """C.04.7, 1.1: what a virtual win and a virtual draw are is said for such points only."""
    folder = tmp_path / "open"
    (tmp_path / "list.csv").write_text(RATED)
    given = {"model": "fide-dutch", "rounds": 7, "points": points, "baku": True}
    if said is None:
        with pytest.raises(
            UsageError, match="a win worth two draws, and 0 points for a loss"
        ):
            new(folder, tmp_path / "list.csv", **given)  # type: ignore[arg-type]
        assert not folder.exists()
        return
    new(folder, tmp_path / "list.csv", **given)  # type: ignore[arg-type]
    assert said in (folder / "players.csv").read_text()


@pytest.mark.long
def test_numbers_against_the_ratings_are_asked_about(tmp_path: Path) -> None:
    """Only among players with the same rating the order is free (C.04.2, 2.2)."""
    players = tmp_path / "players.csv"
    players.write_text(
        "player,rating,fide_id\nAnn,2100,1111\nBob,2000,2222\nCy,2000,3333\nDi,1900,4444\n",
        encoding="utf-8",
    )
    folder = tmp_path / "open"
    new(folder, players, model="fide-dutch", rounds=3, fide=True)
    edit(folder, "Cy", {"start": "2"})
    assert [*read_event(folder).start_numbers] == [1, 3, 2, 4]
    with pytest.raises(ConfirmationError, match=r"different ratings.*Ann, Di"):
        edit(folder, "Di", {"start": "1"})
    assert [*read_event(folder).start_numbers] == [1, 3, 2, 4]
    edit(folder, "Di", {"start": "1"}, sure=True)
    assert [*read_event(folder).start_numbers] == [4, 3, 2, 1]


def test_all_players_are_numbered_again_until_round_4(tmp_path: Path) -> None:
    folder = with_rounds(tmp_path, 2)
    assert numbers(folder)["Jo"] == 10
    edit(folder, "Jo", {"rating": "2450"}, sure=True)
    assert numbers(folder)["Jo"] == 10
    with pytest.raises(
        ConfirmationError, match="Round 2 is paired, and 10 players get"
    ):
        ratings(folder, renumber=True)
    assert numbers(folder)["Jo"] == 10

    (said,) = ratings(folder, renumber=True, sure=True).said
    assert str(said) == "10 players have a new pairing number, by rating and title."
    assert numbers(folder)["Jo"] == 1
    assert numbers(folder)["Ann"] == 2
    assert sorted(numbers(folder).values()) == [*range(1, 11)]
    (said,) = ratings(folder, renumber=True).said
    assert str(said) == "All pairing numbers already follow the ratings."

    # The numbers are final once round 4 is paired.
    for _ in range(2):
        pair(folder)
        finish(folder)
    edit(folder, "Jo", {"rating": "1500"}, sure=True)
    before = (folder / "players.csv").read_bytes()
    with pytest.raises(UsageError, match="Round 4 is paired, so pairing numbers"):
        ratings(folder, renumber=True, sure=True)
    assert (folder / "players.csv").read_bytes() == before


def test_other_models_have_no_numbers_to_make_again(tmp_path: Path) -> None:
    folder = with_rounds(tmp_path, 1, "monrad")
    with pytest.raises(UsageError, match="does not use pairing numbers"):
        ratings(folder, renumber=True)


@pytest.mark.parametrize(
    "others", [["--apply"], ["--list", "fide"], ["--player", "Ann"]]
)
def test_new_numbers_need_no_list(tmp_path: Path, others: list[str]) -> None:
    folder = with_rounds(tmp_path, 1)
    before = (folder / "players.csv").read_bytes()
    arguments = ["ratings", str(folder), "--renumber", "--sure", *others]
    answer = CliRunner().invoke(main, arguments)
    assert answer.exit_code == 2
    assert "Update the ratings first, and then give new numbers." in answer.output
    assert (folder / "players.csv").read_bytes() == before


def test_a_check_tells_that_numbers_were_others(tmp_path: Path) -> None:
    folder = with_rounds(tmp_path, 2)
    arguments = ["check", str(folder), "--all"]
    told = "Pairing numbers have changed since rounds 1, 2 were paired."
    assert told not in CliRunner().invoke(main, arguments).output
    edit(folder, "Jo", {"rating": "2450"}, sure=True)
    ratings(folder, renumber=True, sure=True)
    pair(folder)
    assert told in CliRunner().invoke(main, arguments).output


def test_the_command_says_how_to_confirm_new_numbers(tmp_path: Path) -> None:
    folder = with_rounds(tmp_path, 1)
    edit(folder, "Jo", {"rating": "2450"}, sure=True)
    answer = CliRunner().invoke(main, ["ratings", str(folder), "--renumber"])
    assert answer.exit_code == 2
    assert "type the command again with --sure" in answer.output
