"""Models `aesops-2025`, `cobra`, `gatherling`, `bakert` and `aesops-by-hand`, worked by hand."""

from __future__ import annotations

import json
from itertools import pairwise

import pandas as pd
import pytest
import simulation
from click.testing import CliRunner
from events import REPEATABLE, Case, cases, events, shipped
from hypothesis import given, settings
from hypothesis import strategies as st

from pairopt import Event, InputError, Result, UsageError, load_model, read_event, solve
from pairopt.cli import main
from pairopt.problem.model import parse_model

COLUMNS = ["round", "player1", "player2", "side1", "score1", "score2", "status"]
Row = tuple[int, str, str | None, float, float | None]


def after(*rows: Row, side: str | None = "corp", players: str | None = None) -> Event:
    """An event of matches in which player1 has this side."""
    made = [
        (n, one, two, side if two else None, a, b, "" if two else "bye")
        for n, one, two, a, b in rows
    ]
    roster = None if players is None else pd.DataFrame({"player": list(players)})
    return read_event(pd.DataFrame(made, columns=COLUMNS), roster)


def pairs(result: Result) -> set[str]:
    """Pairs of letters, the first side first where there are sides; "-" for the bye."""
    sided = any(m["side1"] for m in result.matches)
    both = [[str(m["player1"]), str(m["player2"] or "-")] for m in result.matches]
    return {"".join(pair if sided else sorted(pair, reverse=True)) for pair in both}


def value(result: Result) -> float:
    (level,) = result.level_values
    assert level.value is not None
    return level.value / level.scale


# aesops-2025


def test_aesops_2025_costs() -> None:
    # after round 1 A and C (3 points) have been Corp, B and D (0) Runner
    event = after((1, "A", "B", 3, 0), (1, "C", "D", 3, 0))
    result = solve(event, "aesops-2025")
    # D - A and B - C: gaps of 3 cost 9 each, opposite biases 50^0 = 1 each. A - C would
    # cost nothing for the score but 50 for the side, B - D the same
    assert pairs(result) == {"DA", "BC"}
    assert value(result) == 2 * (9 + 1)


def test_aesops_2025_would_rather_repeat_a_match_than_a_side() -> None:
    # A and B (Corp, Runner) met, and must meet again or repeat a side: 5 + 1 against 50
    event = after((1, "A", "B", 1, 1))
    result = solve(event, "aesops-2025")
    assert pairs(result) == {"BA"}
    assert value(result) == 5 + 1


def test_aesops_2025_leaves_out_matches_of_100_and_more() -> None:
    # gaps of 3 and 9: 81 + 1 is allowed; of 12: 144 is not
    players = pd.DataFrame({"player": list("AB"), "score": [9, 0]})
    assert solve(read_event(players, relax=["history"]), "aesops-2025").proven
    players = pd.DataFrame({"player": list("AB"), "score": [12, 0]})
    result = solve(read_event(players, relax=["history"]), "aesops-2025")
    assert result.status == "infeasible"
    assert "aesops_2025_cost_below" in " ".join(map(str, result.conflicts))


def test_aesops_2025_gives_the_bye_first_to_the_lowest_who_has_played() -> None:
    # E had the bye. B and D have 0 points; B lost to A, who has 3, and D drew ... 1 point
    event = after(
        (1, "A", "B", 3, 0),
        (1, "C", "D", 3, 0),
        (1, "E", None, 3, None),
        (2, "E", "A", 3, 0),
        (2, "D", "B", 0, 0),
        (2, "C", None, 3, None),
    )
    # B (0): opponents A (3 in 2 rounds) and D (0): SoS 0.75; D (0): C (6 in 2), B (0): 1.5
    assert "B-" in pairs(solve(event, "aesops-2025"))
    # whoever joins late has not played: not the bye, though no points are fewer
    late = after((1, "A", "B", 3, 0), (1, "C", "D", 3, 0), players="ABCDE")
    assert solve(late, "aesops-2025").matches[-1]["player1"] in ("B", "D")


def test_aesops_2025_gives_a_second_bye_when_everybody_has_had_one() -> None:
    rows: list[Row] = [
        (1, "A", "B", 3, 0),
        (1, "C", None, 3, None),
        (2, "C", "A", 3, 0),
        (2, "B", None, 3, None),
        (3, "B", "C", 0, 3),
        (3, "A", None, 3, None),
    ]
    assert "B-" in pairs(solve(after(*rows), "aesops-2025"))  # 3 points; A has 6, C 9


# cobra


def test_cobra_double_sided_squares_the_score_gaps() -> None:
    rows: list[Row] = [
        (1, "A", "B", 6, 0),
        (1, "C", "D", 3, 3),
        (1, "E", None, 6, None),
    ]
    result = solve(after(*rows, side=None), "cobra")
    # A - E 0; C and D have met, so one meets B: 9; the other has the bye: (3 + 1)^2. Or
    # B has the bye: (0 + 1)^2, and C and D meet A and E: 9 each
    assert value(result) == 1 + 9 + 9
    assert "B-" in pairs(result)


def test_cobra_double_sided_has_no_rematch_and_no_second_bye() -> None:
    rows: list[Row] = [
        (1, "A", "B", 6, 0),
        (1, "C", None, 6, None),
        (2, "A", "C", 6, 0),
        (2, "B", None, 6, None),
    ]
    assert pairs(solve(after(*rows, side=None), "cobra")) == {"CB", "A-"}


def test_cobra_single_sided_lets_the_bye_compete() -> None:
    rows: list[Row] = [
        (1, "A", "B", 3, 0),
        (1, "C", "D", 0, 0),
        (1, "E", None, 3, None),
    ]
    result = solve(after(*rows), "cobra")
    # A 3 (+1), B 0 (-1), C 0 (+1), D 0 (-1), E 3 (0), sides owed: -1 first. E cannot have
    # the bye again. E - A: 0 + 1; C has the bye: 1; B - D: 0 + 50. Or C has the bye and
    # B meets E (9 + 1), D meets A (9 + 1): 21. Or B has it, E - A 1, D - C rematch with
    # sides exchanged 0 + 5 + 1: 8; or D has it, and B - C is no rematch: 3
    assert value(result) == 1 + 1 + 1
    assert pairs(result) == {"EA", "BC", "D-"}


def test_cobra_single_sided_repeats_no_sides() -> None:
    # A is owed Corp again (-1) and met B as Corp: their biases ask for the sides of then
    rows: list[Row] = [
        (1, "A", "B", 3, 0),
        (2, "C", "A", 3, 0),
        (2, "B", "D", 3, 0),
        (1, "C", "D", 3, 0),
        (3, "D", "A", 3, 0),
        (3, "B", "C", 3, 0),
    ]
    event = after(*rows)
    arcs = {
        name: solve(event, "cobra", force=[tuple(name)]).status for name in ("AB", "AC")
    }
    # A -1, B +1, C +1, D -1: A before B again is what the biases ask, A before C is new
    assert arcs == {"AB": "infeasible", "AC": "optimal"}


def test_cobra_takes_a_first_round_bye_for_six_points_and_a_single_sided_for_three() -> (
    None
):
    roster = read_event(pd.DataFrame({"player": list("ABC")}))
    assert solve(roster, "cobra").matches[-1]["score1"] == "6"
    assert solve(roster, "cobra", sides=["corp", "runner"]).matches[-1]["score1"] == "3"


# gatherling


def test_gatherling_weighs_leaders_and_equals() -> None:
    rows: list[Row] = [(1, "A", "B", 3, 0), (1, "C", "D", 3, 0)]
    result = solve(after(*rows, side=None), "gatherling")
    # h = 3: a bonus is 4^4 + 1 = 257, the highest weight of all 256 + 2 * 257 = 770.
    # C - A: (3 + 1)^2 (3 + 1)^2 = 256 and a bonus; D - B: 1 * 16 and a bonus
    assert pairs(result) == {"CA", "DB"}
    assert value(result) == 2 * 770 - (256 + 257) - (16 + 257)


def test_gatherling_gives_the_bye_to_the_lowest_without_one() -> None:
    rows: list[Row] = [
        (1, "A", "B", 3, 0),
        (1, "C", "D", 3, 0),
        (1, "E", None, 3, None),
    ]
    result = solve(after(*rows, side=None), "gatherling")
    # B or D has the bye, at no gap and with two bonuses: 16 + 2 * 257
    assert {"B-", "D-"} & pairs(result)
    # the other meets A, C or E: (3 + 1)^2 (0 + 1)^2 = 16 and a bonus; the other two 256
    assert value(result) == 3 * 770 - (16 + 2 * 257) - (16 + 257) - (256 + 257)


# bakert


def test_bakert_chooses_a_rematch_that_could_be_avoided() -> None:
    # A and B drew, C and D both lost: 1, 1, 0, 0 points; h = 1, nobody has a bonus
    rows: list[Row] = [(1, "A", "B", 1, 1), (1, "C", "D", 0, 0)]
    event = after(*rows, side=None)
    result = solve(event, "bakert")
    # A - B again: (1 + 1)(1 + 1) = 4 and C - D again: (0 + 1)(1 + 1) = 2. Without a rematch
    # it would be A - C and B - D: (1 + 1)(0 + 1) = 2 each
    assert pairs(result) == {"BA", "DC"}
    assert value(result) == 2 * (4 + 5) - 4 - 2
    # Gatherling's weights, which came of them, avoid it
    assert pairs(solve(event, "gatherling")) in ({"CA", "DB"}, {"DA", "CB"})


def test_bakert_pays_its_bonus_only_for_a_pair_met_less_often() -> None:
    # all have 1 point from each round; A and B met twice, each met C and D never, and so on
    rows: list[Row] = [
        (1, "A", "B", 1, 1),
        (1, "C", "D", 1, 1),
        (2, "A", "B", 1, 1),
        (2, "C", "D", 1, 1),
        (3, "A", "C", 1, 1),
        (3, "B", "D", 1, 1),
    ]
    result = solve(after(*rows, side=None), "bakert")
    # all have 3 points, h = 3, so each quality is 16. A - C and B - D have met once, and the
    # later-listed C and D have met each other twice: a bonus of 17 each
    assert pairs(result) == {"CA", "DB"}
    assert value(result) == 2 * (16 + 17) - 2 * (16 + 17)


def test_bakert_counts_only_for_the_later_listed() -> None:
    # A and B met three times, A and C once: C is listed later, and has met nobody more often
    rows: list[Row] = [
        (1, "A", "B", 1, 1),
        (1, "C", None, 1, None),
        (2, "A", "B", 1, 1),
        (2, "C", None, 1, None),
        (3, "A", "C", 1, 1),
        (3, "B", None, 1, None),
    ]
    event = after(*rows, side=None)
    forced = solve(event, "bakert", force=[("A", "C")])
    # h = 3; A - C: 16, and a bonus of 17 as C has had two byes; B's bye: (3 + 1)(0 + 1) = 4
    # and a bonus, as the bye has met C more often than B
    assert value(forced) == 2 * (16 + 17) - (16 + 17) - (4 + 17)


def test_quality_of_scores_below_zero_is_refused() -> None:
    players = pd.DataFrame({"player": list("AB"), "score": [-1, 0]})
    with pytest.raises(UsageError, match="fewer than 0 points"):
        solve(read_event(players, relax=["history", "penalties"]), "gatherling")


# aesops-by-hand


def test_by_hand_deals_score_groups_in_odd_rounds() -> None:
    rows: list[Row] = [
        (1, "A", "B", 3, 0),
        (1, "C", "D", 3, 0),
        (2, "B", "C", 3, 0),
        (2, "D", "A", 3, 0),
    ]
    result = solve(after(*rows), "aesops-by-hand")
    # all have 3 points: whoever meets, a second time sides are mirrored
    assert result.status == "heuristic"
    assert all(not level.proven for level in result.level_values)
    had = {(one, two) for _, one, two, *_ in rows}
    assert not {(m["player1"], m["player2"]) for m in result.matches} & had


@pytest.mark.long
def test_by_hand_makes_two_piles_in_even_rounds() -> None:
    rows: list[Row] = [(1, "A", "B", 3, 0), (1, "C", "D", 3, 0), (1, "E", "F", 0, 3)]
    for seed in range(20):
        result = solve(after(*rows), "aesops-by-hand", seed=seed)
        # B, D and F are owed Corp, in this order of points: F (3), then B and D (0);
        # A, C and E Runner: A and C (3), then E (0). The top of one meets the top of the other
        assert {m["player1"] for m in result.matches} == {"B", "D", "F"}
        assert next(m["player2"] for m in result.matches if m["player1"] == "F") in (
            "A",
            "C",
        )


@pytest.mark.long
def test_by_hand_gives_the_last_card_the_bye() -> None:
    rows: list[Row] = [
        (1, "A", "B", 3, 0),
        (1, "C", "D", 1, 1),
        (1, "E", None, 3, None),
        (2, "B", "C", 3, 0),
        (2, "A", "E", 3, 0),
        (2, "D", None, 3, None),
    ]
    for seed in range(20):  # points: A 6, D 4, E 3, B 3, C 1; the third round is odd
        result = solve(after(*rows), "aesops-by-hand", seed=seed)
        assert result.matches[-1]["player1"] == "C"


@pytest.mark.sweep
@given(cases(events(2, 9), st.just(shipped("aesops-by-hand", False))))
@settings(REPEATABLE, max_examples=150)
def test_by_hand_keeps_the_constraints_or_says_that_it_gave_up(case: Case) -> None:
    oracle = case.oracle()
    result = solve(case.event(), "aesops-by-hand", seed=case.seed, **case.options)
    possible = oracle.optimum() is not None
    if result.status == "heuristic":  # the checker has accepted it
        assert possible
        assert result.matches
    else:
        assert result.status == ("unknown" if possible else "infeasible")
        assert bool(result.conflicts) == (not possible)


@pytest.mark.long
def test_by_hand_hardly_ever_gives_up() -> None:
    found = [
        solve(event, "aesops-by-hand", seed=seed).status
        for seed, n in enumerate((10, 15, 24, 41))
        for event, _ in simulation.rounds(n, 6, seed, "aesops-by-hand")
    ]
    assert len(found) == 24
    assert set(found) == {"heuristic"}


def test_by_hand_differs_by_seed_and_repeats_itself() -> None:
    event = after(
        *[(1, a, b, 3.0, 0.0) for a, b in pairwise("ABCDEFGHIJKL") if a in "ACEGIK"]
    )
    by_seed = [pairs(solve(event, "aesops-by-hand", seed=s)) for s in (0, 0, 1, 2, 3)]
    assert by_seed[0] == by_seed[1]
    assert len({frozenset(each) for each in by_seed}) > 1


@pytest.mark.long
def test_by_hand_on_the_command_line() -> None:
    event = ["examples/weekly/matches.csv", "--players", "examples/weekly/players.csv"]
    given_json = ["--model", "aesops-by-hand", "--format", "json"]
    run = CliRunner().invoke(main, ["solve", *event, *given_json])
    assert run.exit_code == 0
    content = json.loads(run.stdout)
    assert content["status"] == "heuristic"
    assert content["engine"] == "aesops_by_hand"
    assert {level["bound"] for level in content["levels"]} == {None}
    table = CliRunner().invoke(main, ["solve", *event, "--model", "aesops-by-hand"])
    assert "Such a procedure can't prove" in table.stdout
    words = CliRunner().invoke(main, ["models", "aesops-by-hand"])
    assert "proves nothing" in words.stdout
    weighted = ["solve", *event, "--model", "aesops-by-hand", "--objective", "weighted"]
    assert CliRunner().invoke(main, weighted).exit_code == 2


def test_an_unknown_procedure_is_an_error() -> None:
    with pytest.raises(InputError, match="aesops_by_hand"):
        solve(
            read_event(pd.DataFrame({"player": ["A", "B"]})),
            parse_model({"name": "x", "engine": "by_magic"}),
        )
    assert load_model("aesops-by-hand").engine == "aesops_by_hand"
