"""The words that other solvers have, beside ours."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from places import SAMPLE

import pairopt
from pairopt import UsageError, read_event, solve
from pairopt.round.manual import with_initial_solution
from pairopt.round.result import Result

EVENT = read_event(SAMPLE / "matches.csv", SAMPLE / "players.csv")


def paired(result: Result) -> set[frozenset[str]]:
    return {frozenset(match) for match in result.pairs}


def test_values_and_bounds_are_those_of_the_levels() -> None:
    result = solve(EVENT)
    levels = [level for level in result.level_values if level.proven is not None]
    assert result.objective_values == tuple(
        Fraction(v.value or 0, v.scale) for v in levels
    )
    assert result.lower_bound == result.objective_values
    assert all(isinstance(value, Fraction) for value in result.objective_values)
    assert result.runtime == result.seconds > 0


def test_without_a_pairing_there_are_none() -> None:
    result = solve(
        EVENT,
        "monrad",
        force=[tuple(EVENT.players[:2]), (EVENT.players[0], EVENT.players[2])],
    )
    assert result.status == "infeasible"
    assert result.objective_values == result.lower_bound == ()


def test_display_prints_each_level(capsys: pytest.CaptureFixture[str]) -> None:
    result = solve(EVENT, display=True)
    lines = capsys.readouterr().out.splitlines()
    assert all(re.fullmatch(r"level \d+/\d+: .+: [\d.]+", line) for line in lines)
    assert len(lines) <= len(result.problem.levels)
    assert lines


def test_an_optimum_is_kept_whatever_somebody_had() -> None:
    result = solve(EVENT)
    names = [name for match in result.pairs for name in match]
    other = [(names[k], names[-1 - k]) for k in range(len(names) // 2)]
    rest = [(names[len(names) // 2],)] * (len(names) % 2)
    again = solve(EVENT, initial_solution=[*other, *rest])
    assert paired(again) == paired(result)
    assert again.status == "optimal"


def test_a_first_solution_is_had_where_nothing_better_is_in_time() -> None:
    best = solve(EVENT)
    worse = solve(EVENT, "random", seed=3)
    from dataclasses import replace

    from pairopt.round.manual import check_manual_pairing

    stopped = check_manual_pairing(EVENT, worse.pairs)
    stopped = replace(stopped, status="feasible")
    found = with_initial_solution(stopped, best.pairs)
    assert paired(found) == paired(best)
    assert found.status == "feasible"
    assert found.objective_values == best.objective_values
    assert with_initial_solution(found, worse.pairs) is found
    unknown = replace(stopped, status="unknown", arcs=None, matches=(), level_values=())
    assert paired(with_initial_solution(unknown, best.pairs)) == paired(best)
    assert with_initial_solution(unknown, best.pairs).lower_bound == (None,) * len(
        best.objective_values
    )


def test_what_is_no_pairing_is_refused() -> None:
    best = solve(EVENT)
    with pytest.raises(UsageError):
        solve(EVENT, initial_solution=best.pairs[1:])
    met = next(
        (str(row["player1"]), str(row["player2"]))
        for _, row in EVENT.matches_frame.iterrows()
        if row["player2"]
    )
    rest = [name for match in best.pairs for name in match if name not in met]
    pairs = [
        met,
        *zip(rest[::2], rest[1::2], strict=False),
        *[(rest[-1],)] * (len(rest) % 2),
    ]
    with pytest.raises(UsageError):
        solve(EVENT, "monrad", initial_solution=pairs)


@pytest.mark.long
def test_versions_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    pairopt.show_versions()
    lines = dict(line.split(": ", 1) for line in capsys.readouterr().out.splitlines())
    assert lines["pairopt"] == pairopt.__version__
    assert lines["python"].count(".") == 2
    assert {"numpy", "ortools", "pydantic", "starlette"} <= {*lines}
    assert "pairopt[" not in "".join(lines)
