"""Whether a round is typical of a lot: against all pairings as good as it, listed one by one."""

from __future__ import annotations

import csv
import json
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result
from events import (
    REPEATABLE,
    Case,
    arcs_in,
    cases,
    events,
    model_of,
    models,
    some_or_all,
)
from hypothesis import given, settings
from oracle import Pairing
from places import ROOT
from simulation import rounds

from pairopt import UsageError, read_event, solve
from pairopt.analysis import spreads
from pairopt.analysis import typical as typical_module
from pairopt.analysis.typical import WORDS, Typical, _mean_and_quantiles, typical
from pairopt.cli import main
from pairopt.common.budget import TimeUpError
from pairopt.common.holm import correct_by_holm
from pairopt.event.event import NO_RATING, Event
from pairopt.problem.build import prepare
from pairopt.problem.problem import Problem


def rows_of(event: Event, pairing: Pairing) -> pd.DataFrame:
    """A pairing in the columns of matches.csv."""
    side = event.sides[0] if event.sides else None
    return pd.DataFrame(
        [
            {
                "round": event.round,
                "player1": one,
                "player2": two,
                "side1": two and side,
                "status": "" if two else "bye",
            }
            for one, two in pairing
        ]
    )


def sums(problem: Problem, pairing: Pairing) -> dict[str, int]:
    """Each statistic from its definition."""
    state = problem.state
    arcs = arcs_in(problem, pairing)
    found = Counter[str]()
    for a, b in zip(arcs.first.tolist(), arcs.second.tolist(), strict=True):
        if b < 0:
            found["bye_rank"] += int(state.overall_rank[a])
            continue
        found["rating_gaps"] += abs(int(state.rating[a]) - int(state.rating[b]))
        found["rank_gaps"] += abs(
            int(state.overall_rank[a]) - int(state.overall_rank[b])
        )
        found["list_gaps"] += abs(int(state.player[a]) - int(state.player[b]))
        found["higher_first"] += int(state.overall_rank[a] < state.overall_rank[b])
        if state.score[a] != state.score[b]:
            high = a if state.score[a] > state.score[b] else b
            found["down_ranks"] += int(state.overall_rank[high])
    return found


def tails(values: list[int], own: int) -> float:
    """Twice the smaller tail."""
    both = [sum(v >= own for v in values), sum(v <= own for v in values)]
    return float(min(Fraction(1), Fraction(2 * min(both), len(values))))


def best_ways(case: Case) -> list[Pairing]:
    """All legal pairings in which each pair plays one of its best ways round."""
    oracle = case.oracle()
    best = {}
    for arcs in oracle.legal_arcs.values():
        for arc in arcs:
            best[arc] = oracle.costs[arc] == min(oracle.costs[other] for other in arcs)
    return [
        pairing for pairing in oracle.pairings() if all(best[arc] for arc in pairing)
    ]


@pytest.mark.long
@some_or_all
def test_p_values_are_those_of_all_pairings_as_good(share: int) -> None:
    tally = Counter[str]()

    @settings(REPEATABLE, max_examples=60 // share)
    @given(cases(events(4, 8, max_rounds=4), models(), busy=False))
    def check(case: Case) -> None:
        every = best_ways(case)
        if not every:
            return
        oracle, event = case.oracle(), case.event()
        played = every[case.seed % len(every)]
        found = typical(
            event,
            rows_of(prepare(event, model_of(case.model)).state.event, played),
            model_of(case.model),
            **case.options,
        )
        own = oracle._total(played)
        alike = [pairing for pairing in every if oracle._total(pairing) == own]
        best = min(oracle._total(pairing) for pairing in every)
        assert found.lot == ("optimal" if own == best else "same levels")
        assert found.draws == 0
        problem = prepare(event, model_of(case.model), **case.options)
        listed = [sums(problem, pairing) for pairing in alike]
        mine = sums(problem, played)
        for each in found.statistics:
            values = [one[each.name] for one in listed]
            scale = (
                problem.state.event.rating_scale if each.name == "rating_gaps" else 1
            )
            assert each.value == mine[each.name] / scale
            assert each.mean == pytest.approx(sum(values) / len(values) / scale)
            assert each.p == tails(values, mine[each.name])
            assert min(values) / scale <= each.low <= each.high <= max(values) / scale
            assert each.p_holm >= each.p
        vary = {name for name in WORDS if len({one[name] for one in listed}) > 1}
        rated, sided = (
            bool((problem.state.rating != NO_RATING).all()),
            problem.state.sided,
        )
        vary -= set() if rated else {"rating_gaps"}
        vary -= set() if sided else {"higher_first"}
        assert {each.name for each in found.statistics} == vary
        tally["examples"] += 1
        tally["several"] += len(alike) > 1
        tally[str(found.lot)] += 1

    check()
    print(dict(tally))
    assert tally["several"] >= 15 // share
    assert min(tally["optimal"], tally["same levels"]) >= 8 // share


def by_lot(
    players: int, number: int, model: str, seed: int
) -> tuple[Event, pd.DataFrame]:
    *_, (event, _) = rounds(players, number, 1, "standard", drops=0.0)
    made = solve(event, model, choose="uniform", seed=seed)
    return made.problem.state.event, pd.DataFrame(made.matches)


@pytest.mark.long
def test_draws_and_lists_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    event, rows = by_lot(12, 4, "double-sided", 3)
    exact = typical(event, rows, "double-sided")
    assert exact.draws == 0
    monkeypatch.setattr(spreads, "MOST_LISTED", 1)
    found = typical(event, rows, "double-sided", draws=1500)
    assert found.draws == 1500
    for one, two in zip(exact.statistics, found.statistics, strict=True):
        assert (one.name, one.value) == (two.name, two.value)
        assert abs(one.p - two.p) < 0.08
        assert two.p >= 2 / 1501
    assert typical(event, rows, "double-sided", draws=1500) == found


@pytest.mark.long
def test_what_a_lot_made_is_typical_and_what_a_list_made_is_not() -> None:
    smallest = []
    for seed in range(20):
        event, rows = by_lot(24, 1, "double-sided", seed)
        found = typical(event, rows, "double-sided", draws=199)
        smallest.append(min(each.p_holm for each in found.statistics))
    assert (
        sum(p <= 0.05 for p in smallest) <= 4
    )  # 1 is expected, 5 or more come once in 400 times
    event, _ = by_lot(24, 1, "double-sided", 0)
    names = event.players
    neighbours = rows_of(event, [(names[k], names[k + 1]) for k in range(0, 24, 2)])
    found = typical(event, neighbours, "double-sided", draws=199)
    p = {each.name: each.p_holm for each in found.statistics}
    assert p["list_gaps"] <= 0.05


@pytest.mark.parametrize(
    ("ways", "low", "high"),
    [
        ({1: 3, 5: 94, 9: 3}, 1, 9),  # 3 % on each side are more than 2.5 %
        ({1: 2, 5: 96, 9: 2}, 5, 5),
        ({1: 2, 2: 1, 5: 94, 8: 1, 9: 2}, 2, 8),
        ({1: 5, 5: 190, 9: 5}, 5, 5),  # 2.5 % exactly may be outside
    ],
)
def test_where_95_percent_are(ways: dict[int, int], low: int, high: int) -> None:
    assert _mean_and_quantiles(Counter(ways)) == (5, low, high)


def test_the_mean_of_a_list() -> None:
    assert _mean_and_quantiles(Counter({0: 3, 4: 1}))[0] == 1


def test_holm() -> None:
    assert correct_by_holm(np.array([0.01, 0.04, 0.03])) == pytest.approx(
        [0.03, 0.06, 0.06]
    )
    assert correct_by_holm(np.array([0.9, 0.8])).tolist() == [1.0, 1.0]


def answer(model: str, pairing: list[tuple[str, str]], **options: Any) -> Typical:
    *_, (event, _) = rounds(6, 2, 1, "standard", drops=0.0)
    return typical(event, rows_of(event, pairing), model, **options)


@pytest.mark.long
def test_questions_without_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    *_, (event, _) = rounds(6, 2, 1, "standard", drops=0.0)
    before = event.matches.take(event.matches.round == 1)
    met = [
        (event.players[a], event.players[b])
        for a, b in zip(before.first, before.second, strict=True)
    ]
    broken = answer("fide-basic", met)
    assert broken.lot is None
    assert "breaks a constraint" in str(broken.reason)
    again = answer(
        "standard", met
    )  # the sides of round 1 again, which a swap would better
    assert again.lot is None
    assert "because 3 matches have sides that are worse" in str(again.reason)
    assert again.to_dict()["statistics"] == []
    with pytest.raises(UsageError, match="can't prove that a pairing is optimal"):
        answer("aesops-by-hand", met)
    with pytest.raises(UsageError, match="draws must be 1 or more"):
        answer("standard", met, draws=0)
    with pytest.raises(UsageError, match="lookahead"):
        answer("standard", met, lookahead=1)
    late = answer("standard", met, time_limit=1e-9)
    assert not late.complete

    def stop(*_: object) -> None:
        raise TimeUpError

    monkeypatch.setattr(typical_module, "optima_of", stop)  # after the solve
    turned = answer("standard", [(b, a) for a, b in met])
    assert (turned.lot, turned.complete) == (None, False)


@pytest.mark.long
def test_a_system_has_no_lot() -> None:
    *_, (event, _) = rounds(8, 3, 1, "standard", drops=0.0)
    made = solve(event, "fide-dutch")
    found = typical(event, pd.DataFrame(made.matches), "fide-dutch")
    assert found.lot is None
    assert "exactly one pairing" in str(found.reason)


# ------------------------------------------------------------------ on the command line

WEEKLY = ROOT / "examples" / "weekly"


def run(*arguments: object) -> Result:
    played = WEEKLY / "matches.csv"
    command = ["odds", played, "--players", WEEKLY / "players.csv", *arguments]
    return CliRunner().invoke(main, [str(each) for each in command])


@pytest.mark.long
def test_the_command_says_what_the_function_finds(tmp_path: Path) -> None:
    played = WEEKLY / "matches.csv"
    asked = ("--round", 3, "--played", played, "--model", "standard", "--draws", 200)
    event = read_event(played, WEEKLY / "players.csv", round=3)
    found = typical(event, played, "standard", draws=200)
    done = run(*asked, "--format", "json")
    assert json.loads(done.stdout) == {"instrument": "typical", **found.to_dict()}
    assert done.exit_code == (0 if found.lot else 1)
    file = tmp_path / "typical.csv"
    assert run(*asked, "-o", file).exit_code == done.exit_code
    lines = list(csv.DictReader(file.read_text("utf-8").splitlines()))
    assert [line["name"] for line in lines] == [each.name for each in found.statistics]
    copy = tmp_path / "matches.csv"
    copy.write_bytes(played.read_bytes())
    assert run("--round", 3, "--played", copy, "-o", copy).exit_code == 2  # it is read
    assert copy.read_bytes() == played.read_bytes()
    shown = run(*asked).stdout
    assert all(WORDS[each.name] in shown for each in found.statistics)


@pytest.mark.long
def test_json_has_what_the_function_finds() -> None:
    asked = ("--round", 3, "--played", WEEKLY / "matches.csv", "--model", "fide-dutch")
    done = run(*asked, "--format", "json")
    event = read_event(WEEKLY / "matches.csv", WEEKLY / "players.csv", round=3)
    found = typical(event, WEEKLY / "matches.csv", "fide-dutch").to_dict()
    assert json.loads(done.stdout) == {"instrument": "typical", **found}


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (("--model", "fide-dutch"), 1, "No answer"),
        (("--model", "aesops-by-hand"), 2, "can't prove that"),
        (("--player", "Elif Demir"), 2, "leave out --player"),
        (("--time-limit", 1e-9), 4, "time limit"),
        (("--round", 2, "--played", "nothing.csv"), 3, "nothing.csv"),
    ],
)
def test_exit_codes(options: tuple[object, ...], code: int, said: str) -> None:
    done = run("--round", 3, "--played", WEEKLY / "matches.csv", *options)
    assert done.exit_code == code, done.output
    assert said in done.output
