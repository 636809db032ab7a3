"""Standings: strengths of schedule by hand, and equal to those in real files."""

from __future__ import annotations

import json
from fractions import Fraction

import pandas as pd
import pytest
from click.testing import CliRunner
from notes import notes_of
from places import ROOT

import pairopt
from pairopt.cli import main
from pairopt.errors import InputError, UsageError
from pairopt.event.standings import rank_players

DATA = ROOT.parent / "shared" / "data"
WEEKLY = ROOT / "examples" / "weekly"


def small() -> pairopt.Event:
    """A beats B, C has a bye; A draws with C, B wins by forfeit against D who came late."""
    rows = [
        (1, "A", "B", "corp", "3", "0", ""),
        (1, "C", None, None, "3", None, "bye"),
        (2, "C", "A", "corp", "1", "1", ""),
        (2, "B", "D", None, "3", "0", "forfeit"),
    ]
    columns = ["round", "player1", "player2", "side1", "score1", "score2", "status"]
    return pairopt.read_event(pd.DataFrame(rows, columns=columns))


def test_strengths_by_hand() -> None:
    lines = {line.player: line for line in rank_players(small())}
    # points per round: A 4/2, B 3/2, C 4/2, D 0/1; the forfeit is no game between B and D
    assert {p: line.tie_breaks["sos"] for p, line in lines.items()} == {
        "A": (Fraction(3, 2) + 2) / 2,
        "B": 2,
        "C": 2,
        "D": 0,
    }
    assert lines["A"].tie_breaks["esos"] == (2 + 2) / 2
    assert lines["C"].tie_breaks["esos"] == Fraction(7, 4)
    assert [line.player for line in rank_players(small())] == ["C", "A", "B", "D"]
    assert {p: line.bias for p, line in lines.items()} == {
        "A": 0,
        "B": -1,
        "C": 1,
        "D": 0,
    }


def test_the_table_organisers_expect() -> None:
    table = pairopt.standings(small())
    columns = ["rank", "name", "points", "sos", "esos", "side_bias", "status"]
    assert list(table.columns) == columns
    assert table.iloc[0].tolist() == [1, "C", "4", "2.0000", "1.7500", "Corp +1", ""]
    assert table.iloc[1]["side_bias"] == "Balanced"
    assert table.iloc[2]["side_bias"] == "Runner +1"


@pytest.mark.long
def test_a_cut_keeps_the_best_who_are_still_active() -> None:
    arguments = [
        "standings",
        str(WEEKLY / "matches.csv"),
        "--players",
        str(WEEKLY / "players.csv"),
    ]
    done = CliRunner().invoke(main, [*arguments, "--cut", "8", "--format", "json"])
    assert done.exit_code == 0
    lines = json.loads(done.stdout)["standings"]
    assert len(lines) == 8
    assert "Pedro Alves" not in {line["name"] for line in lines}
    assert CliRunner().invoke(main, [*arguments, "--cut", "99"]).exit_code == 2
    table = CliRunner().invoke(main, arguments).stdout
    assert table.split()[:7] == [
        "Rank",
        "Name",
        "Points",
        "SoS",
        "ESoS",
        "Side",
        "Bias",
    ]
    out = CliRunner().invoke(main, [*arguments, "--format", "csv"]).stdout
    assert len(out.splitlines()) == 1 + 41


def test_who_asked_for_a_bye_in_round_1_has_not_dropped() -> None:
    event = pairopt.read_event(pd.DataFrame({"player": list("ABC")}))
    table = pairopt.standings(event.without(dropped="A", requested="B")).set_index(
        "name"
    )
    assert table["status"].to_dict() == {"A": "dropped", "B": "", "C": ""}


@pytest.mark.skipif(not DATA.is_dir(), reason="the real events are not here")
@pytest.mark.parametrize(
    ("folder", "file"),
    [("afroeuros", "AfroEuros"), ("2020_worlds1a", "2020_Worlds1A"), ("blm", "BLM")],
)
def test_real_strengths_of_schedule(folder: str, file: str) -> None:
    event = pairopt.read_event(
        DATA / "csv" / folder / "matches.csv", DATA / "csv" / folder / "players.csv"
    )
    lines = {line.player: line for line in rank_players(event)}
    players = json.loads((DATA / "nrtm" / f"{file}.json").read_text(encoding="utf-8"))[
        "players"
    ]
    assert len(players) == len(lines)
    for player in players:
        line = lines[str(player["id"])]
        assert line.points == player["matchPoints"]
        for name, key in (
            ("sos", "strengthOfSchedule"),
            ("esos", "extendedStrengthOfSchedule"),
        ):
            value = float(line.tie_breaks[name])
            assert value == pytest.approx(float(player[key]), abs=1e-9)


def equal(
    *more: tuple[object, ...], players: pd.DataFrame | None = None
) -> pairopt.Event:
    """Round 1: A beats D, B beats E, C beats F, G has the bye; all else is equal but for G."""
    rows = [
        (1, "A", "D", None, "3", "0", ""),
        (1, "B", "E", None, "3", "0", ""),
        (1, "C", "F", None, "3", "0", ""),
        (1, "G", None, None, "0", None, "bye"),
        *more,
    ]
    columns = ["round", "player1", "player2", "side1", "score1", "score2", "status"]
    return pairopt.read_event(
        pd.DataFrame(rows, columns=columns), players, unfinished=True
    )


def test_equal_players_share_a_rank_in_the_order_of_the_file() -> None:
    players = pd.DataFrame({"player": list("CFGBEAD")})
    lines = rank_players(equal(players=players))
    assert [(line.rank, line.player) for line in lines] == [
        (1, "C"),
        (1, "B"),
        (1, "A"),
        (4, "F"),
        (4, "E"),
        (4, "D"),
        (7, "G"),
    ]


def test_a_tie_at_the_cut_is_an_error_that_names_the_players() -> None:
    with pytest.raises(
        UsageError,
        match="A top cut to 2 players is not decided, because 3 players are equal for the last 2 places: A, B, C",
    ):
        pairopt.standings(equal(), cut=2)
    with pytest.raises(
        UsageError,
        match="A top cut to 4 players is not decided, because 3 players are equal for the last place: D, E, F",
    ):
        pairopt.standings(equal(), cut=4)
    assert pairopt.standings(equal(), cut=3)["name"].tolist() == ["A", "B", "C"]


@pytest.mark.long
def test_lots_break_ties_and_depend_on_the_seed_alone() -> None:
    def drawn(seed: int) -> list[str]:
        table = pairopt.standings(equal(), by_lot=True, seed=seed)
        assert table["rank"].tolist() == [1, 2, 3, 4, 5, 6, 7]
        assert set(table["name"][:3]) == {"A", "B", "C"}
        assert table["name"][6] == "G"
        return list(table["name"])

    assert drawn(0) == drawn(0)
    assert len({tuple(drawn(seed)) for seed in range(20)}) > 10
    for seed in range(5):
        assert (
            pairopt.standings(equal(), cut=2, by_lot=True, seed=seed)["name"].tolist()
            == (drawn(seed)[:2])
        )


def test_who_has_dropped_is_marked_and_who_asked_for_a_bye_is_not() -> None:
    event = equal(
        (2, "A", "B", None, "3", "0", ""),
        (2, "C", "D", None, "3", "0", ""),
        (2, "E", "F", None, "3", "0", ""),
        (3, "A", None, None, "0", None, "requested"),
    )
    table = pairopt.standings(event).set_index("name")
    assert table["status"].to_dict() == {**dict.fromkeys("ABCDEF", ""), "G": "dropped"}
    assert "A" in set(pairopt.standings(event, cut=2)["name"])


def test_two_of_one_name_are_told_apart() -> None:
    players = pd.DataFrame(
        {"player": list("ABCDEFG"), "name": ["Kim", "Kim", "Lee", "D", "E", "F", "G"]}
    )
    names = [line.name for line in rank_players(equal(players=players))]
    assert names[:3] == ["Kim (A)", "Kim (B)", "Lee"]


def test_an_unfinished_round_counts_as_far_as_it_is() -> None:
    event = equal(
        (2, "A", "B", None, "3", "0", ""),
        (2, "C", "D", None, None, None, ""),
        (2, "E", "F", None, None, None, ""),
    )
    assert notes_of(event)[0] == "Round 2 is not finished: 2 results are missing."
    points = {line.player: line.points for line in rank_players(event)}
    assert points == {"A": 6, "B": 3, "C": 3, "D": 0, "E": 0, "F": 0, "G": 0}
    assert {line.player for line in rank_players(event) if not line.active} == {"G"}
    for use in (lambda: pairopt.solve(event), lambda: event.at_round(3)):
        with pytest.raises(InputError, match="has no result"):
            use()
    assert event.at_round(2).round == 2


def test_only_the_last_round_may_be_unfinished() -> None:
    with pytest.raises(
        InputError, match=r"B - C in round 2 has no result\. Enter the result first"
    ):
        equal((2, "B", "C", None, None, None, ""), (3, "A", "B", None, None, None, ""))
