"""McMahon: OpenGotha's integers of published rounds, and a round counted by hand."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path
from typing import Any

import mcmahon_data as data
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from events import model_of
from oracle import Oracle
from places import ROOT

from pairopt import Event, UsageError, check, check_proof, read_event, solve
from pairopt.cli import main
from pairopt.errors import InputError
from pairopt.event.arcs import BYE, Arcs, arcs_of
from pairopt.event.mcmahon import McMahonRules, mcmahon_scores, parse_rank, ranks_of
from pairopt.event.standings import rank_players
from pairopt.event.state import state_of
from pairopt.problem.build import prepare
from pairopt.problem.model import load_model
from pairopt.proof.file import format_proof
from pairopt.proof.verify import verify_file
from pairopt.rules.criteria.mcmahon import TERMS, WORDS, McMahon

ROUNDS = data.all_rounds()
SHORT = {("go4", 1): 33_332}
"""What published rounds miss to the greatest total of their own weights."""
needs_data = pytest.mark.skipif(not ROUNDS, reason="the shared data is not here")


def criterion(model: Any) -> McMahon:
    (rule,) = model.criteria
    assert isinstance(rule, McMahon)
    return rule


# ------------------------------------------------------------ published rounds


@needs_data
@pytest.mark.parametrize(("name", "number"), ROUNDS)
def test_every_pair_has_the_values_of_opengotha(name: str, number: int) -> None:
    given = data.tournament(name)
    model = data.model(given)
    state = prepare(data.event(given, number), model).state
    rows = given["rounds"][str(number)]["values"]
    columns = given["columns"]
    arcs = data.pair_arcs(state, rows)
    for term, column in zip((*TERMS, "total"), data.TERMS, strict=True):
        found = criterion(model).term_values(state, arcs, term).tolist()
        assert found == [row[columns.index(column)] for row in rows], term
    for column in ("random", "category", "handicap"):  # pairopt has no such terms
        assert not any(row[columns.index(column)] for row in rows)


@needs_data
@pytest.mark.parametrize(("name", "number"), ROUNDS)
def test_the_optimum_is_the_greatest_total_and_proven(name: str, number: int) -> None:
    given = data.tournament(name)
    event, model = data.event(given, number), data.model(given)
    stated = given["rounds"][str(number)]
    result = solve(event, model)
    assert result.proven
    assert result.arcs is not None
    state = result.problem.state
    totals = criterion(model).term_values(state, result.arcs, "total")
    assert totals.sum() == stated["greatest_total"]

    # The bye and the number of stones are those of the published round, too.
    byes = [state.names[one] for one, two in result.arcs.pairs if two == BYE]
    assert byes == [bye["player"] for bye in given["byes"] if bye["round"] == number]
    assert result.proof is not None
    assert check_proof(event, result.proof.content, model).holds
    assert verify_file(format_proof(result.proof.content).encode()).open == 0


@needs_data
@pytest.mark.parametrize(("name", "number"), ROUNDS)
def test_check_says_what_a_published_round_misses(name: str, number: int) -> None:
    given = data.tournament(name)
    event, model = data.event(given, number), data.model(given)
    done = check(event, data.published_frame(given, number), model)
    values = {level.level: level.value for level in done.level_values}
    assert done.optimum is not None
    best = {level.level: level.value for level in done.optimum.level_values}
    short = SHORT.get((name, number), 0)
    assert values["total"] - best["total"] == short
    assert done.agrees == (short == 0)
    assert values["colours"] == 0
    assert values.get("bye", 0) == 0

    stated = given["rounds"][str(number)]
    assert stated["greatest_total"] - stated["published_total"] == short


@needs_data
@pytest.mark.parametrize(("name", "number"), ROUNDS)
def test_handicaps_are_those_of_the_published_games(name: str, number: int) -> None:
    given = data.tournament(name)
    model = data.model(given)
    state = prepare(data.event(given, number), model).state
    arcs = data.pair_arcs(state, data.published(given, number))
    stones = [game["handicap"] for game in given["games"] if game["round"] == number]
    assert criterion(model).handicaps(state, arcs).tolist() == stones


# ------------------------------------------------------------ a round by hand

PLAYERS = """player,rank,rating,club,country
Ada,2d,2200,North,FR
Ben,1d,2110,North,FR
Cleo,1k,2040,South,FR
Dan,2k,1950,South,DE
Eve,4k,1720,East,DE
"""
MATCHES = """round,player1,player2,side1,score1,score2,status,handicap
1,Ada,Ben,white,1,0,,
1,Dan,Cleo,black,1,0,,2
1,Eve,,,1,,bye,
"""


def by_hand(folder: Path, matches: str = MATCHES, players: str = PLAYERS) -> Event:
    (folder / "matches.csv").write_text(matches)
    (folder / "players.csv").write_text(players)
    return read_event(
        folder / "matches.csv",
        folder / "players.csv",
        model_sides=["black", "white"],
    )


def test_scores_places_and_floats_by_hand(tmp_path: Path) -> None:
    """Floor 3k and bar 1d: Ada and Ben start with 30, Cleo 29, Dan 28, Eve 27."""
    event = by_hand(tmp_path)
    rules = McMahonRules(floor=-3, bar=0, is_swiss=False, by_rating=True)
    scores = mcmahon_scores(event, rules)
    assert scores.start.tolist() == [30, 30, 29, 28, 27]
    assert scores.score.tolist() == [31, 30, 29, 29, 28]
    # Cleo gave 2 stones: 29 + 2 for her, 29 - 2 for Dan. Eve's bye adds her start.
    assert scores.sos.tolist() == [30, 31, 31, 27, 27]
    assert scores.sosos.tolist() == [31, 30, 27, 31, 27]
    assert scores.balance.tolist() == [1, -1, 0, 0, 0]
    assert scores.drawn_down.tolist() == [0, 0, 1, 0, 0]
    assert scores.drawn_up.tolist() == [0, 0, 0, 1, 0]


def test_terms_by_hand(tmp_path: Path) -> None:
    rule = {
        "kind": "mcmahon",
        "floor": "3k",
        "bar": "1d",
        "seed": 100,
        "score": 98,
        "draw": 600,
        "geography": 0,
        "colour": 10,
    }
    model = model_of({"name": "x", "sides": ["black", "white"], "criteria": [rule]})
    problem = prepare(by_hand(tmp_path), model)
    state, mcmahon = problem.state, criterion(model)
    seat = {name: state.names.index(name) for name in state.names}

    def values(one: str, two: str) -> dict[str, int]:
        arcs = arcs_of(np.array([seat[one]]), np.array([seat[two]]))
        return {
            term: int(mcmahon.term_values(state, arcs, term)[0])
            for term in (*TERMS, "total")
        }

    # n = 0 + 3 + 2 + 3 = 8. Ada and Ben have met, and have one point of difference:
    # 98 * 7/8 * 17/16 = 91.1. They balance colours. Draw: u = 120, so 2 * 120, and
    # both are alone in their groups.
    assert values("Ada", "Ben") == {
        "duplicate": 0,
        "colour": 10,
        "score": 91,
        "draw": 240,
        "seed": 0,
        "geography": 0,
        "total": 342,
    }
    # Cleo (SOS 31) is before Dan (27) in their group of two. Round 2 is the last early
    # round: slip, x = 2 - 2 = 0.
    assert values("Cleo", "Dan")["seed"] == 100
    # Cleo was drawn down, and Eve has not been drawn up: s = 1. Cleo is first of two:
    # q = 1 - |0 - 1| = 0.
    assert values("Cleo", "Eve")["draw"] == 120
    # Dan was drawn up: s = 2, and 1 more for him.
    assert values("Dan", "Eve")["draw"] == 360


def test_parts_of_the_draw_by_hand(tmp_path: Path) -> None:
    """Cleo (first of two with 29) was drawn down, and Dan (second) was drawn up."""
    levels = ["drawn_down", "drawn_up", "draw_place"]
    row = {"kind": "mcmahon", "floor": "3k", "bar": "1d", "levels": levels}
    row["draw_upper"], row["draw_lower"] = "top", "bottom"
    model = model_of({"name": "x", "sides": ["black", "white"], "criteria": [row]})
    problem = prepare(by_hand(tmp_path), model)
    seat = {name: problem.state.names.index(name) for name in problem.state.names}

    def costs(one: str, two: str) -> list[int]:
        arcs = arcs_of(np.array([seat[one]]), np.array([seat[two]]))
        return [int(value) for value in problem.costs(arcs)[0, :3]]

    assert costs("Cleo", "Eve") == [1, 0, 0]
    assert costs("Ben", "Dan") == [0, 1, 0]
    assert costs("Ben", "Cleo") == [0, 0, 1]
    assert costs("Dan", "Eve") == [0, 0, 1]
    assert costs("Cleo", "Dan") == [0, 0, 0]
    byes = arcs_of(np.array([seat["Cleo"]]), np.array([BYE]))
    assert problem.costs(byes)[0, :3].tolist() == [0, 0, 0]


@pytest.mark.parametrize("level", [*WORDS])
def test_each_level_can_be_the_only_one(tmp_path: Path, level: str) -> None:
    """A model of one level has the least value of all pairings of the round."""
    row = {"kind": "mcmahon", "floor": "3k", "bar": "1d", "levels": [level]}
    model = {"name": "x", "sides": ["black", "white"], "criteria": [row]}
    without_stones = MATCHES.replace(",,2", ",,")
    result = solve(by_hand(tmp_path, without_stones), model_of(model))
    assert result.proven
    stated = {value.level: value.value for value in result.level_values}
    assert [*stated] == [level]

    past, players = (
        [dict(line) for line in csv.DictReader(text.splitlines())]
        for text in (without_stones, PLAYERS)
    )
    least = Oracle(past, players, model).optimum()
    assert stated[level] == sum((least or {}).values())


def test_the_score_term_is_rounded_as_by_opengotha(tmp_path: Path) -> None:
    """In floating-point numbers, 10^11 · (1 - 4/5) · (1 + 2/5) is below 28,000,000,000.

    The span is 5: round 5 of a Swiss tournament. A has 4 wins, and D none.
    """
    rows = "".join(
        f"{number},A,B,black,1,0,\n{number},C,D,black,1,0,\n" for number in range(1, 5)
    )
    matches = "round,player1,player2,side1,score1,score2,status\n" + rows
    players = "player,rank\nA,1d\nB,1d\nC,1d\nD,1d\n"
    model = load_model("swiss-go")
    problem = prepare(by_hand(tmp_path, matches, players), model)
    seat = {name: problem.state.names.index(name) for name in problem.state.names}
    arcs = arcs_of(np.array([seat["A"]]), np.array([seat["D"]]))
    found = criterion(model).term_values(problem.state, arcs, "score")
    assert found.tolist() == [27_999_999_999]


def test_the_bye_goes_to_the_lowest_score_without_a_bye(tmp_path: Path) -> None:
    """Eve has 28 points, but had a bye. Cleo and Dan have 29: Dan is later by name."""
    row = {"kind": "mcmahon", "floor": "3k", "bar": "1d"}
    model = model_of({"name": "x", "sides": ["black", "white"], "criteria": [row]})
    result = solve(by_hand(tmp_path), model)
    assert result.arcs is not None
    names = result.problem.state.names
    assert [names[a] for a, b in result.arcs.pairs if b == BYE] == ["Dan"]


def test_colours_follow_the_stones_and_then_the_balance(tmp_path: Path) -> None:
    row = {"kind": "mcmahon", "levels": ["colours"], "floor": "4k", "bar": "1d"}
    model = model_of({"name": "x", "sides": ["black", "white"], "criteria": [row]})
    problem = prepare(by_hand(tmp_path), model)
    seat = {name: problem.state.names.index(name) for name in problem.state.names}

    def is_wrong(black: str, white: str) -> int:
        arcs = Arcs(np.array([seat[black]]), np.array([seat[white]]))
        return int(problem.costs(arcs)[0, 0])

    # Ada has 31 points, Eve 27, 3 stones: a handicap game, so Eve has Black.
    assert [is_wrong("Eve", "Ada"), is_wrong("Ada", "Eve")] == [0, 1]
    # Ben has 30 points: one point of difference is no stone. Ada had White before.
    assert [is_wrong("Ada", "Ben"), is_wrong("Ben", "Ada")] == [0, 1]


def test_a_note_says_who_gets_stones() -> None:
    """Floor 20k and bar 4d: B has 22 and C 18 points, 4 - 1 stones; A and D are even."""
    ranks = {"A": "1d", "B": "8k", "C": "12k", "D": "1d"}
    players = pd.DataFrame({"player": [*ranks], "rank": [*ranks.values()]})
    result = solve(read_event(players), "mcmahon", force=[("B", "C")])
    (note,) = [n for n in result.notes if getattr(n, "kind", "") == "round.stones"]
    assert str(note) == "Handicap games, with the number of stones for Black: C 3."
    swiss = solve(read_event(players), "swiss-go", force=[("B", "C")])
    assert not [n for n in swiss.notes if getattr(n, "kind", "") == "round.stones"]


def test_start_scores_can_be_stated(tmp_path: Path) -> None:
    players = "player,rank,score\nA,1d,33\nB,1d,32\n"
    event = by_hand(tmp_path, "round,player1,player2,score1,score2\n", players)
    rules = McMahonRules(floor=-3, bar=0, is_swiss=False, by_rating=True)
    assert mcmahon_scores(event, rules).start.tolist() == [33, 32]


def test_a_missed_round_counts_half_a_point_rounded_down(tmp_path: Path) -> None:
    rows = "".join(f"{number},A,B,black,1,0,\n" for number in (1, 2, 3))
    matches = "round,player1,player2,side1,score1,score2,status\n" + rows
    matches += "1,C,,,0,,requested\n2,C,,,0,,requested\n3,C,,,0,,requested\n"
    players = "player,rank\nA,1d\nB,1d\nC,1d\n"
    event = by_hand(tmp_path, matches, players)
    rules = McMahonRules(floor=-3, bar=0, is_swiss=False, by_rating=False)
    assert mcmahon_scores(event, rules).score.tolist() == [33, 30, 31]
    swiss = McMahonRules(floor=-3, bar=0, is_swiss=True, by_rating=False)
    assert mcmahon_scores(event, swiss).score.tolist() == [3, 0, 0]


def test_standings_of_a_mcmahon_tournament(tmp_path: Path) -> None:
    """With start scores in the column `score`; stones and the bye count as above."""
    starts = {"Ada": 30, "Ben": 30, "Cleo": 29, "Dan": 28, "Eve": 27}
    lines = "".join(f"{name},1d,{start}\n" for name, start in starts.items())
    event = by_hand(tmp_path, MATCHES, "player,rank,score\n" + lines)
    columns = ["MMS", "SOSM", "SOSOSM", "SODOSM"]
    found = {
        line.player: [int(line.tie_breaks[name]) for name in columns]
        for line in rank_players(event, columns)
    }
    assert found == {
        "Ada": [31, 30, 31, 30],
        "Ben": [30, 31, 30, 0],
        "Cleo": [29, 31, 27, 0],
        "Dan": [29, 27, 31, 29],
        "Eve": [28, 27, 27, 0],
    }


@pytest.mark.parametrize(
    ("players", "tie_breaks", "is_noted"),
    [
        ("player,rank\nA,1d\nB,5k\n", "MMS,SOSM", True),
        ("player,rank\nA,1d\nB,5k\n", "BH", False),
        ("player,rank\nA,1d\nB,1d\n", "MMS", False),
        ("player,rank,score\nA,1d,30\nB,5k,25\n", "MMS", False),
        ("player,rating\nA,1500\nB,1600\n", "MMS", False),
    ],
)
def test_standings_say_that_start_scores_are_missing(
    tmp_path: Path, players: str, tie_breaks: str, is_noted: bool
) -> None:
    (tmp_path / "players.csv").write_text(players)
    matches = "round,player1,player2,side1,score1,score2,status\n1,A,B,black,1,0,\n"
    (tmp_path / "matches.csv").write_text(matches)
    call = [str(tmp_path / "matches.csv"), "--players", str(tmp_path / "players.csv")]
    done = CliRunner().invoke(main, ["standings", *call, "--tie-breaks", tie_breaks])
    assert done.exit_code == 0, done.output
    assert ("pairopt counts wins only" in done.output) == is_noted
    if "rank" in players:
        written = ["convert", call[0], str(tmp_path / "x.h9"), *call[1:]]
        done = CliRunner().invoke(main, written)
        different = "5k" in players and "score" not in players
        assert ("pairopt counts wins only" in done.output) == different


# ------------------------------------------------------------ ranks and faults


@pytest.mark.parametrize(
    ("text", "rank"),
    [
        ("1d", 0),
        ("2D", 1),
        ("9 dan", 8),
        ("1k", -1),
        ("30K", -30),
        ("3 kyu", -3),
        ("0d", None),
        ("10d", None),
        ("51k", None),
        ("d", None),
        ("", None),
        ("3x", None),
    ],
)
def test_ranks_are_read(text: str, rank: int | None) -> None:
    assert parse_rank(text) == rank


@pytest.mark.parametrize(
    ("players", "expected"),
    [
        ("player,rank\nA,1d\nB,strong\n", "The Go rank of B is 'strong'."),
        ("player,rank\nA,1d\nB,\n", "The Go rank of B is ''"),
        (
            "player,rank,correction\nA,1d,x\nB,1d,\n",
            "The correction of A's start score",
        ),
    ],
)
def test_faults_say_what_to_write(tmp_path: Path, players: str, expected: str) -> None:
    event = by_hand(tmp_path, "round,player1,player2,score1,score2\n", players)
    with pytest.raises(UsageError, match=expected):
        solve(event, "mcmahon")


def test_a_handicap_that_is_no_number_is_named(tmp_path: Path) -> None:
    matches = MATCHES.replace(",,2\n", ",,two\n")
    with pytest.raises(UsageError, match="handicap in the game of Dan is 'two'"):
        solve(by_hand(tmp_path, matches), "mcmahon")


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({"floor": "zero"}, "Expected ranks"),
        ({"floor": "2d", "bar": "1d"}, "not above the bar"),
        ({"seed": -1}, "Expected weights"),
        ({"score": 10**16}, "Expected weights"),
        ({"levels": []}, "Expected levels"),
        ({"levels": ["bye", "bye"]}, "Expected levels"),
        ({"rounds": 100}, "Expected numbers"),
    ],
)
def test_parameters_are_checked(row: dict[str, Any], expected: str) -> None:
    with pytest.raises(InputError, match=expected):
        model_of({"name": "x", "criteria": [{"kind": "mcmahon", **row}]})


# ------------------------------------------------------------ the shipped models


def test_the_grade_of_a_list_is_a_rank(tmp_path: Path) -> None:
    (tmp_path / "players.csv").write_text(PLAYERS.replace("rank", "grade"))
    event = read_event(tmp_path / "players.csv")
    assert solve(event, "mcmahon").proven


@pytest.mark.parametrize("name", ["mcmahon", "swiss-go"])
def test_a_round_of_a_shipped_model_is_proven_by_the_command(
    tmp_path: Path, name: str
) -> None:
    by_hand(tmp_path)
    matches, players = tmp_path / "matches.csv", tmp_path / "players.csv"
    proof = tmp_path / "proof.json"
    call = ["solve", str(matches), "--players", str(players), "--model", name]
    done = CliRunner().invoke(main, [*call, "--proof", str(proof)])
    assert done.exit_code == 0, done.output
    verifier = ROOT / "pairopt" / "proof" / "verify.py"
    command = [sys.executable, "-I", "-S", str(verifier), str(proof)]
    assert subprocess.run(command, check=False, capture_output=True).returncode == 0


def test_ratings_stand_for_ranks_that_are_missing(tmp_path: Path) -> None:
    """2100 is 1 dan; 2050 is the least of it, and 2049 is 1 kyu."""
    players = "player,rating,rank\nA,2100,\nB,2050,\nC,2049,\nD,2250,5k\n"
    event = by_hand(tmp_path, "round,player1,player2,score1,score2\n", players)
    assert ranks_of(event).tolist() == [0, 0, -1, -5]
    event = read_event(pd.DataFrame({"player": ["A", "B"], "rating": ["1750", ""]}))
    assert ranks_of(event).tolist() == [-3, -30]


def test_swiss_starts_equal() -> None:
    players = pd.DataFrame({"player": list("ABCD"), "rank": ["1d", "5k", "9k", "20k"]})
    problem = prepare(read_event(players), load_model("swiss-go"))
    rule = criterion(problem.model)
    assert rule.attributes_of(problem.state).score.tolist() == [0, 0, 0, 0]
    assert state_of(read_event(players)).odd is False
